/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layers of a View: stacked areas over time, or a bar for each text. */

const MOST_NAMED = 5;           /* layers of a sample */
const MOST_SHOWN = 9;           /* layers of a range, without the rest */
const MOST_ALONE = 6;           /* functions, if there are more */
const total = numbers => numbers.reduce((sum, number) => sum + number, 0);

class Layers extends ws.Chart {
   constructor(part, view, range) {
      const isBars = part.x.unit === "text";
      /* The first sample is of the time from the beginning on. */
      super(isBars ? part : {...part, values: part.values.map(
         values => [values[0], ...values])}, view, range, part.xs.length);
      this.isBars = isBars;
      this.xs = isBars ? part.xs.map((_, k) => k) : [part.begin, ...part.xs];
      this.every = this.part;
      this.hues = new Map();      /* of the layers of `every` that are shown */
      this.choose();
   }

   /* The points in the time that is shown. */
   get inside() {
      const {xs, isBars, range: {from, to}} = this;
      return [...xs.keys()].filter(k => isBars
         || k && xs[k] >= from && xs[k - 1] < to);
   }

   /* Takes the layers that are the largest in the time that is shown, at most
      and on average, the others of an object together, and the rest. */
   choose() {
      const {names, values, homes, has_rest: hasRest} = this.every;
      const last = hasRest ? names.length - 1 : -1, {inside} = this;
      const weights = values.map(sizes => {
         const some = inside.map(at => sizes[at]);
         return Math.max(0, ...some) + total(some) / (some.length || 1);
      });
      const all = [...names.keys()].filter(k => weights[k]).sort((a, b) =>
         Number(a === last) - Number(b === last) || weights[b] - weights[a]);
      const alone = all.slice(0, all.length > MOST_SHOWN + 1
         ? homes.some(Boolean) ? MOST_ALONE : MOST_SHOWN : all.length);
      const others = all.filter(k => !alone.includes(k));
      const weigh = home => total(others.map(
         k => homes[k] === home ? weights[k] : 0));
      const large = [...new Set(others.map(k => homes[k]))].filter(Boolean)
         .sort((a, b) => weigh(b) - weigh(a)).slice(0, MOST_SHOWN - MOST_ALONE);
      const nameOf = k => alone.includes(k) ? names[k]
         : large.includes(homes[k]) ? "others in " + homes[k] : "others";
      const groups = new Map();
      for (const k of all.sort((a, b) => a - b))
         groups.set(nameOf(k), [...groups.get(nameOf(k)) || [], k]);
      const shown = [...groups].sort(([a], [b]) =>
         Number(a === "others") - Number(b === "others"));
      this.part = {...this.every, names: shown.map(([name]) => name),
         values: shown.map(([, layers]) => this.xs.map(
            (_, at) => total(layers.map(k => values[k][at]))))};
      this.colours = this.colour(shown.map(([name, [k]]) =>
         name === "others" || k === last ? "" : name));
   }

   /* A layer keeps its colour as long as it is shown; the rest is grey. */
   colour(keys) {
      this.hues = new Map([["", -1], ...[...this.hues].filter(
         ([key]) => keys.includes(key))]);
      for (const key of keys)
         if (!this.hues.has(key))
            this.hues.set(key, keys.findIndex(
               (_, hue) => ![...this.hues.values()].includes(hue)));
      return keys.map(key => ws.hue(this.hues.get(key)));
   }

   /* Other layers are another chart. */
   moved() {
      const before = String(this.part.names);
      this.choose();
      if (before === String(this.part.names) || !this.plot)
         super.moved();
      else
         this.attempt(() => this.draw(this.place.clientWidth));
   }

   /* The upper ones come first: those below are drawn over them. */
   get order() {
      return this.part.names.map((_, k) => k).reverse();
   }

   /* Each layer's upper edge. */
   data() {
      const {names, values} = this.part, below = this.xs.map(() => 0);
      return [this.xs, ...names.map((name, k) => {
         if (!this.isHidden(name))
            values[k].forEach((value, at) => below[at] += value);
         return [...below];
      }).reverse()];
   }

   options(narrow) {
      const {part, units} = this, number = this.xs.length;
      const paths = this.isBars ? uPlot.paths.bars({size: [0.8]})
         : uPlot.paths.stepped({align: -1});
      const value = (u, edge, s, at) => {
         const pages = part.values[this.order[s - 1]][at];
         return pages ? units.size(pages) : "--";
      };
      return {
         series: [{label: part.x.title, value: (u, x) => x === null ? ""
            : this.isBars ? part.xs[x] : units.exact(x)},
            ...this.order.map(k => this.line(
               part.names[k], this.colours[k], {fill: this.colours[k], paths,
                                            value}))],
         axes: [this.isBars ? ws.axis({
            scale: "x", grid: {show: false}, size: 110, rotate: -40,
            splits: () => this.xs,
            values: () => part.xs.map(name => ws.shorten(name, 24))})
            : ws.xAxis(part.x, units),
            ...ws.yAxes({unit: "pages"}, units, narrow)],
         scales: {y: {range: (u, low, high) => [0, 1.08 * high || 1]},
                  ...this.isBars ? {x: {range: () =>
                     [-0.6, number - 0.4]}} : {}}};
   }

   /* Says whose the largest sample is, in the time that is shown. */
   say() {
      const {xs, units, part} = this;
      const shown = this.order.filter(k => !this.isHidden(part.names[k]));
      const sum = point => shown.reduce(
         (pages, k) => pages + part.values[k][point], 0);
      const [best] = this.isBars ? [] : this.inside.sort(
         (a, b) => sum(b) - sum(a));
      const of = k => part.values[k][best], all = best ? sum(best) : 0;
      const owners = () => shown.filter(of).sort(
         (a, b) => of(b) - of(a)).slice(0, MOST_NAMED).map(
         k => ws.inUnit(of(k) / all, "share") + " " + part.names[k]);
      this.note.textContent = [part.notes.join(", "), all ? "Largest sample "
         + "that is shown, up to " + units.time(xs[best]) + ": "
         + units.size(all) + ": " + owners().join(", ") : ""].filter(
         Boolean).join("\n");
   }
}

ws.widgets.layers = (section, part, view, page) => new Layers(
   part, view, part.x.unit !== "text" ? page.range
      : new ws.Range(0, Math.max(part.xs.length - 1, 1))).appendTo(section);
