/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The working set in the time that is shown: its sizes, and whose it is. */

const MOST_OWNERS = 3;
const LONGEST_OWNER = 40;       /* characters */

/* Returns it in a line, or "" where there is no working set. */
ws.whose = function (page, units) {
   const {report: {views}, range: {from, to}} = page;
   const parts = (name, kind) => views.filter(view => view.name === name)
      .flatMap(view => view.parts).filter(part => part.kind === kind);
   const [curve] = parts("curve", "series"), [layers] = parts("code", "layers");
   const [{samples} = {samples: []}] = parts("composition", "samples");
   const is = one => one.tau && one.tau === samples[0]?.tau;
   const k = curve?.lines.findIndex(line => is(line)
      && line.hue === ws.HUES[samples[0].set]) ?? -1;
   const line = curve?.lines[k], xs = curve?.xs[k] || curve?.xs[0];
   const inside = [...xs?.keys() || []].filter(
      at => at && from <= xs[at] && xs[at] <= to);
   if (!line || !inside.length)
      return line ? "no sample" : "";
   const most = at => line.high[at] ?? line.values[at];
   const best = inside.reduce((a, b) => most(b) > most(a) ? b : a);
   inside.sort((a, b) => line.values[a] - line.values[b]);
   const span = at => xs[at] - xs[at - 1];
   let half = inside.reduce((sum, at) => sum + span(at), 0) / 2;
   const median = inside.find(at => (half -= span(at)) <= 0);
   const far = sample => Math.abs(sample.time - xs[best]);
   const nearest = samples.filter(one => is(one) && one.set === samples[0].set)
      .sort((a, b) => far(a) - far(b))[0];
   const point = layers?.xs.findIndex(x => x >= xs[best]) ?? -1;
   const owners = point < 0 ? [] : layers.values.map((sizes, layer) => [
      sizes[point], layers.names[layer]]).sort((a, b) => b[0] - a[0]).slice(
      0, MOST_OWNERS).filter(([pages]) => pages);
   return `${line.name}: at most ${units.bytes(most(best))}, at ${units.time(
      xs[best])}; median ${units.bytes(line.values[median])}; ` + (
      owners.length ? owners.map(([pages, name]) => ws.inUnit(
         pages / most(best), "share") + " " + ws.shorten(name, LONGEST_OWNER))
         .join(", ") : "nearest kept sample: at " + units.time(nearest.time));
};
