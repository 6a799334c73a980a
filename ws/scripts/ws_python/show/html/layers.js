/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layers of a View: stacked areas over time, or a bar for each text. */

const MOST_NAMED = 5;           /* layers of a sample */

class Layers extends ws.Chart {
   constructor(part, view, range) {
      const isBars = part.x.unit === "text";
      /* The first sample is of the time from the beginning on. */
      super(isBars ? part : {...part, values: part.values.map(
         values => [values[0], ...values])}, view, range, part.xs.length);
      this.height = 320;
      this.isBars = isBars;
      this.xs = isBars ? part.xs.map((_, k) => k) : [part.begin, ...part.xs];
   }

   /* The upper ones come first: those below are drawn over them. */
   get order() {
      return this.part.names.map((_, k) => k).reverse();
   }

   get shown() {
      return this.order.filter(k => !this.hidden.has(this.part.names[k]));
   }

   hue(k) {
      const {names, has_rest: hasRest} = this.part;
      return ws.hue(hasRest && k === names.length - 1 ? -1 : k);
   }

   sum(point) {
      return this.shown.reduce(
         (sum, k) => sum + this.part.values[k][point], 0);
   }

   /* Each layer's upper edge. */
   data() {
      const below = this.xs.map(() => 0), edges = [];
      for (const k of [...this.order].reverse()) {
         if (!this.hidden.has(this.part.names[k]))
            this.part.values[k].forEach((value, at) => {
               below[at] += value;
            });
         edges.unshift([...below]);
      }
      return [this.xs, ...edges];
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
                  ...this.isBars ? {x: {time: false, range: () =>
                     [-0.6, number - 0.4]}} : {}}};
   }

   /* Says whose memory it is, in the time that is shown: its largest
      sample. */
   say() {
      const {xs, units, part} = this, {from, to} = this.range;
      const [best] = this.isBars ? [] : [...xs.keys()].filter(
         k => k && xs[k] >= from && xs[k - 1] < to).sort(
         (a, b) => this.sum(b) - this.sum(a));
      const of = k => part.values[k][best], sum = best && this.sum(best);
      const owners = () => this.shown.filter(of).sort(
         (a, b) => of(b) - of(a)).slice(0, MOST_NAMED).map(
         k => ws.inUnit(of(k) / sum, "share") + " " + part.names[k]);
      this.note.textContent = [part.notes.join(", "), sum ? "Largest sample "
         + "that is shown, up to " + units.time(xs[best]) + ": "
         + units.size(sum) + ": " + owners().join(", ") : ""].filter(
         Boolean).join("\n");
   }
}

ws.widgets.layers = function (section, part, view, page) {
   const isBars = part.x.unit === "text";
   const layers = new Layers(part, view, isBars
      ? new ws.Range(0, Math.max(part.xs.length - 1, 1)) : page.range);
   layers.appendTo(section);
};
