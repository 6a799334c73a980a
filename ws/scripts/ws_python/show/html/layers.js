/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layers of a View: stacked areas over time, or a bar for each text. */

const el = ws.el;

class Layers extends ws.Chart {
   constructor(part, view, range) {
      const isBars = part.x.unit === "text";
      /* The first sample is of the time from the beginning on. */
      super(isBars ? part : {...part, values: part.values.map(
         values => [values[0], ...values])}, view, range, part.xs.length);
      this.height = 320;
      this.isBars = isBars;
      this.xs = isBars ? part.xs.map((_, k) => k) : [part.begin, ...part.xs];
      this.largest = el("details", {});
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
      const value = (u, edge, s, at) => at === null || at === undefined
         ? "--" : units.size(part.values[this.order[s - 1]][at]);
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
      this.note.textContent = part.notes.join(", ");
      if (this.isBars)
         return;
      const best = xs.reduce((found, x, point) =>
         point && x >= from && xs[point - 1] < to
            && (found < 0 || this.sum(point) > this.sum(found)) ? point
            : found, -1);
      const rows = best < 0 ? [] : this.shown.map(
         k => [part.values[k][best], part.names[k]]).sort(
         (a, b) => b[0] - a[0]);
      const column = (name, unit, value) => ({name, unit,
                                              values: rows.map(value)});
      this.largest.replaceChildren(
         el("summary", {}, best < 0 ? "No sample is shown"
            : "The largest sample that is shown, up to "
              + units.time(xs[best])),
         ws.table({title: "the largest sample that is shown", columns: [
            column("size", "bytes", ([pages]) => pages * units.page_szB),
            column(units.pages, "count", ([pages]) => pages),
            column("%", "share", ([pages]) => pages / this.sum(best)),
            column("", "text", ([, name]) => name)]}, units));
   }
}

ws.widgets.layers = function (section, part, view, page) {
   const isBars = part.x.unit === "text";
   const layers = new Layers(part, view, isBars
      ? new ws.Range(0, Math.max(part.xs.length - 1, 1)) : page.range);
   layers.appendTo(section);
   if (!isBars)
      section.append(layers.largest);
};
