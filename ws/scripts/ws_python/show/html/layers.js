/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layers of a View: stacked areas over time, or a bar for each text. */

(function () {
   "use strict";

   const el = ws.el;
   const BARS = 300;               /* pixels high */

   const hue = (part, k) => part.has_rest && k === part.names.length - 1
      ? ws.GREY : ws.HUES[k % ws.HUES.length];

   /* Its curves are layers, the lowest first. */
   class Layers extends ws.Curve {
      constructor(report, page, part) {
         super({...report, kept: [], phases: []}, page, {
            per: 1, samples: part.xs.length, times: part.xs,
            curves: part.names.map((name, k) => ({
               name: name, hue: hue(part, k), mean: part.values[k],
               low: part.values[k], high: part.values[k]}))});
         this.shown = this.series.curves;
         this.largest = el("details", {});
      }

      /* Whose memory it is, in the time that is shown: its largest sample. */
      say() {
         super.say();
         const {begin, from, to} = this.range, {times} = this.series;
         const {units} = this.report, sum = point => this.shown.reduce(
            (all, {mean}) => all + mean[point], 0);
         const best = times.reduce((found, time, point) =>
            time >= from && (point ? times[point - 1] : begin) < to
               && (found < 0 || sum(point) > sum(found)) ? point : found, -1);
         const rows = best < 0 ? [] : this.shown.map(
            ({name, mean}) => [mean[best], name]).sort((a, b) => b[0] - a[0]);
         ws.clear(this.largest,
            el("summary", {}, best < 0 ? "No sample is shown"
               : "The largest sample that is shown, up to "
                 + units.time(times[best])),
            ws.table([
               {name: "size", text: ([pages]) => units.bytes(pages)},
               {name: units.pages, text: ([pages]) => ws.count(pages)},
               {name: "%", text: ([pages]) => ws.share(pages, sum(best))},
               {name: "", left: true, text: ([, name]) => name}],
               rows, "the largest sample that is shown"));
      }

      colour(curve) {
         return curve.hue;
      }

      lines() {
         const line = {scale: "y", width: 0, points: {show: false}};
         return {
            series: [{}, line, ...this.shown.map(({hue: shade}) => ({
               ...line, stroke: shade}))],
            bands: this.shown.map(({hue: shade}, k) => ({
               series: [k + 2, k + 1], fill: shade}))};
      }

      /* Each on top of those before. A point is the sample with the largest
         sum among those that it stands for: means would hide a peak. */
      values() {
         const {first, group, times} = this.thin;
         const sum = point => this.shown.reduce(
            (all, curve) => all + curve.mean[point], 0);
         this.drawn = times.map((_, k) => {
            let best = first + k * group;
            const end = Math.min(best + group, this.series.times.length);
            for (let point = best + 1; point < end; point++)
               if (sum(point) > sum(best))
                  best = point;
            return best;
         });
         return stacked(this.shown.map(({mean}) => this.drawn.map(
            point => mean[point])), this.drawn.length).map(one => [one]);
      }

      name(curve) {
         return curve.name;
      }

      title(curve) {
         return curve.name;
      }

      meaning() {
         return "the largest of them.";
      }

      sizeText(curve, thin, k) {
         return curve.name + " "
            + this.report.units.bytes(curve.mean[this.drawn[k]]);
      }
   }

   /* The upper edges of layers, from 0 on. */
   function stacked(layers, length) {
      let sums = Array(length).fill(0);
      return [sums, ...layers.map(values => {
         sums = sums.map((below, k) => below + values[k]);
         return sums;
      })];
   }

   /* The upper ones first: what is below is drawn over them. */
   function bars(part, report) {
      const place = el("div", {class: "plot"});
      const number = part.xs.length, size = part.names.length;
      const tops = stacked(part.values, number).slice(1).reverse();
      let plot = null;
      ws.keepWidth(place, width => {
         if (plot)
            plot.destroy();
         plot = new uPlot({
            width: width, height: BARS, legend: {show: false},
            cursor: {show: false}, padding: [12, 14, 0, 0],
            scales: {x: {time: false, range: () => [-0.6, number - 0.4]},
                     y: {range: (u, low, high) => [0, 1.05 * high || 1]}},
            axes: [{...ws.axis(), scale: "x", grid: {show: false}, size: 90,
                    rotate: -40, splits: () => part.xs.map((_, k) => k),
                    values: () => part.xs.map(name => ws.brief(name, 16))},
                   ...ws.memoryAxes(report, width < 600)],
            series: [{}, ...tops.map((_, k) => ({
               scale: "y", width: 0, fill: hue(part, size - 1 - k),
               points: {show: false}, paths: uPlot.paths.bars({size: [0.8]})
            }))]}, [part.xs.map((_, k) => k), ...tops], place);
      });
      return [el("div", {class: "legend"}, ...part.names.map((name, k) =>
         el("span", {}, ws.swatch(() => hue(part, k)), name))), place];
   }

   ws.widgets.layers = function (section, part, report, page) {
      if (part.x.unit === "text")
         section.append(...bars(part, report));
      else {
         const layers = new Layers(report, page, part);
         ws.showCurve(section, layers);
         section.append(layers.largest);
      }
   };
})();
