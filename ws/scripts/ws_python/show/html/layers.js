/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layers of a View: stacked areas over time, or a bar for each text. */

const MOST_NAMED = 5;           /* layers of a sample */

class Layers extends ws.Chart {
   constructor(part, view, range) {
      const isBars = part.x.unit === "text";
      /* The first sample is of the time from the beginning on. */
      super(isBars ? part : {...part, values: part.values.map(
         values => [values[0], ...values])}, view, range, part.xs.length);
      this.isBars = isBars;
      this.xs = isBars ? part.xs.map((_, k) => k) : [part.begin, ...part.xs];
   }

   /* The upper ones come first: those below are drawn over them. */
   get order() {
      return this.part.names.map((_, k) => k).reverse();
   }

   hue(k) {
      const {names, has_rest: hasRest} = this.part;
      return ws.hue(hasRest && k === names.length - 1 ? -1 : k);
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
               part.names[k], this.hue(k), {fill: this.hue(k), paths,
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
      const {xs, units, part} = this, {from, to} = this.range;
      const shown = this.order.filter(k => !this.isHidden(part.names[k]));
      const sum = point => shown.reduce(
         (pages, k) => pages + part.values[k][point], 0);
      const [best] = this.isBars ? [] : [...xs.keys()].filter(k => k
         && xs[k] >= from && xs[k - 1] < to).sort((a, b) => sum(b) - sum(a));
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
