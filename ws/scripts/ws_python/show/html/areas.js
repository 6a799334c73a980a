/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The working set by what is mapped there, over time: stacked areas. */

(function () {
   "use strict";

   const el = ws.el;

   /* Its curves are layers, the lowest first. */
   class Areas extends ws.Curve {
      constructor(report, page) {
         super(report, page);
         this.shown = this.series.curves;
      }

      colour(curve) {
         return this.report.rest && curve === this.series.curves[
               this.series.curves.length - 1] ? ws.GREY
            : ws.HUES[this.series.curves.indexOf(curve) % ws.HUES.length];
      }

      lines() {
         const shades = this.shown.map(curve => this.colour(curve));
         const line = {scale: "y", width: 0, points: {show: false}};
         return {
            series: [{}, line, ...shades.map(shade => ({...line,
                                                        stroke: shade}))],
            bands: shades.map((shade, k) => ({series: [k + 2, k + 1],
                                              fill: shade}))};
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
         let sums = this.drawn.map(() => 0);
         return [[sums], ...this.shown.map(({mean}) => {
            sums = sums.map((below, k) => below + mean[this.drawn[k]]);
            return [sums];
         })];
      }

      name(curve) {
         return this.report.names[curve.set];
      }

      title(curve) {
         const {peaks, units} = this.report;
         return this.name(curve) + ": up to " + units.bytes(peaks[curve.set]);
      }

      meaning() {
         return "the largest of them.";
      }

      sizeText(curve, thin, k) {
         return this.name(curve) + " "
            + this.report.units.bytes(curve.mean[this.drawn[k]]);
      }
   }

   function fill(section, report, page) {
      const {mappings} = report.log, {units} = report;
      const layers = {
         ...mappings, log: report.log, kept: [], marks: report.marks,
         phases: [],
         units: units, run: {...report.run, taus: [mappings.tau]}};
      section.append(el("p", {}, "What is mapped where the pages of the "
         + "working set are, code and data together. A page counts for what "
         + "was mapped there when it was accessed last. Window: "
         + units.exact(mappings.tau) + "."));
      ws.showCurve(section, new Areas(layers, page));
      section.append(el("details", {}, el("summary", {}, "The numbers"),
         table(mappings, units)));
   }

   const table = (mappings, units) => ws.table([
      {name: "average", text: row => units.bytes(row.average)},
      {name: "95 %", text: row => units.bytes(row.p95)},
      {name: "largest", text: row => units.bytes(row.peak)},
      {name: "in the whole run", text: row => units.bytes(row.touched)},
      {name: "mapping", left: true,
       text: row => el("span", {class: "label"}, row.name)}],
      mappings.rows, "working set by mapping");

   ws.views.push({id: "areas", title: "By mapping, over time",
                  has: report => Boolean(report.log && report.log.mappings),
                  fill: fill});
})();
