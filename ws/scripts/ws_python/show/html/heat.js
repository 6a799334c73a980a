/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A heat map: which addresses were accessed when, to be zoomed both ways. */

const LABEL = 13;               /* pixels from name to name */
const FEWEST_ROWS = 2;          /* to zoom in on */
const SCALE = [0.01, 0.1, 0.5, 1];

/* maps.py counts shares in steps of this part of an octave. */
const STEPS = 16;
const SHARES = Float64Array.from({length: 256}, (_, level) =>
   level ? Math.pow(2, (level - 255) / STEPS) : 0);

/* The shades of pictures, in show/gnuplot/heat.py: up to the hue, and on to a
   deeper one. Even what is small is to be seen. */
const depth = share => 0.15 + 0.85 * Math.cbrt(share);
const opacity = share => Math.min(depth(share) / 0.75, 1);
const deepness = share => Math.max(2 * depth(share) - 1.5, 0);

const rgb = colour => colour.match(/[0-9a-f]{2}/gi).map(
   text => parseInt(text, 16));

const percent = share => !share ? "-" : share < 0.0001 ? "< 0.01 %"
   : Number((100 * share).toPrecision(2)) + " %";

const scale = () => el("span", {class: "legend"}, ...SCALE.map(share => el(
   "span", {}, el("span", {class: "swatch", style: "background: color-mix("
      + `in srgb, color-mix(in srgb, var(--deep) ${100 * deepness(share)}%, `
      + `var(--hue0)) ${100 * opacity(share)}%, transparent)`}),
   percent(share))));

const brief = ({name, more}, most) => {
   const rest = more ? " +" + more : "";
   return ws.shorten(name.slice(name.lastIndexOf("/") + 1) || name,
                     most - rest.length) + rest;
};

class HeatMap extends ws.Chart {
   constructor(part, view, page) {
      const {range} = page;
      super(part, view, range, part.columns);
      this.page = page;
      this.owner = ws.decode(part.owner);
      this.pinned = null;         /* a column and a row */
      this.about = el("p", {class: "readout", "aria-live": "polite"});
      this.height = 520;
      this.moves = this;
      this.rows = new ws.Range(0, part.first.length);
      this.rows.least = FEWEST_ROWS;
      range.others.push(this.rows);
      this.sets = Object.keys(part.sets);
      this.levels = this.sets.map(set => ws.decode(part.sets[set]));
      this.hidden.add(ws.SETS.dirty);
   }

   time(column) {
      const {from, to, width} = this.part;
      return Math.min(from + Math.round(column * width), to);
   }

   column(time) {
      return (time - this.part.from) / this.part.width;
   }

   get low() {
      return Math.round(this.rows.from);
   }

   get high() {
      return Math.round(this.rows.to);
   }

   set(from, to, low, high) {
      this.rows.set(low, high);
      this.range.set(from, to);
   }

   zoom(factor, time, row) {
      this.rows.zoom(factor, row);
      this.range.zoom(factor, time);
   }

   pan(part, up = 0) {
      this.rows.pan(up);
      this.range.pan(part);
   }

   data() {
      return [[this.range.from, this.range.to],
              ...this.sets.map(() => [this.low, this.high])];
   }

   options(narrow) {
      return {
         cursor: {y: true, drag: {x: true, y: true, uni: 40,
                                  setScale: false}, points: {show: false}},
         scales: {y: {range: () => [this.low, this.high]}},
         axes: [{...ws.xAxis({title: "time", unit: "time"}, this.units),
                 grid: {show: false}}, this.nameAxis(ws.LEFT(narrow)),
                ws.axis({scale: "y", side: 1, show: !narrow, gap: 4,
                         size: ws.RIGHT(narrow), grid: {show: false},
                         font: "11px ui-monospace, monospace",
                         space: 30, incrs: [1, 2, 5, 10, 20, 50, 100],
                         values: (u, rows) => rows.map(
                            row => this.part.first[row]?.slice(2) || "")}),
                /* Lines where addresses between two bands are cut out. */
                ws.axis({scale: "y", side: 3, size: 0, ticks: {show: false},
                         grid: {stroke: ws.colour("line"), width: 1},
                         splits: () => this.visible().map(one => one.bottom),
                         values: (u, bottoms) => bottoms.map(() => "")})],
         series: [{label: "cell", value: u => this.cell(u, this.text)},
            ...this.sets.map((set, k) => this.line(
               ws.SETS[set], ws.hue(ws.HUES[set]), {
                  paths: () => null, value: u => this.cell(
                     u, (...cell) => percent(this.share(k, ...cell)))}))],
         hooks: {setCursor: [u => u.setLegend({idx: 0}, false)],
                 drawClear: [u => this.drawCells(u)],
                 draw: [u => this.drawPin(u)],
                 ready: [u => u.over.addEventListener("click", event => {
                    const {x, y} = u.over.getBoundingClientRect();
                    this.pin({...u, cursor: {left: event.clientX - x,
                                             top: event.clientY - y}});
                 })]}};
   }

   /* Puts the names of bands where there is room, the highest first. */
   nameAxis(size) {
      const fits = Math.floor((size - 14) / 6.2);
      return ws.axis({
         scale: "y", side: 3, size: size, gap: 4,
         font: "11px system-ui, sans-serif", grid: {show: false},
         ticks: {show: false},
         splits: u => this.named(u).map(([middle]) => middle),
         values: u => this.named(u).map(([, band]) => brief(band, fits))});
   }

   named(u) {
      const room = LABEL * (this.high - this.low) / (u.over.clientHeight
         || this.height - 60);
      const found = [];
      const bands = this.visible().sort((a, b) =>
         (b.top - b.bottom) - (a.top - a.bottom));
      for (const {band, bottom, top} of bands) {
         const middle = (bottom + top) / 2;
         if (found.every(([other]) => Math.abs(other - middle) >= room))
            found.push([middle, band]);
      }
      return found.sort((a, b) => a[0] - b[0]);
   }

   /* Returns the bands that are shown, and which of their rows. */
   visible() {
      return this.part.bands.map(band => ({
         band, bottom: Math.max(band.row, this.low),
         top: Math.min(band.end, this.high)})).filter(
         ({bottom, top}) => bottom < top);
   }

   /* A pixel has the mean of its columns. Of two sets in a cell, the one
      with the larger share gives the colour: mixed, they'd look like mud. */
   drawCells(u) {
      const {left, top, width, height} = u.bbox, {columns} = this.part;
      const {low, high} = this, rows = high - low;
      const pixels = Math.round(width);
      const image = new ImageData(pixels, rows);
      const colours = this.sets.map(set => rgb(ws.hue(ws.HUES[set])));
      const deep = rgb(ws.colour("deep")), shown = [...colours.keys()].filter(
         k => !this.isHidden(ws.SETS[this.sets[k]]));
      const edge = x => Math.min(Math.max(Math.floor(this.column(
         this.range.from + (this.range.to - this.range.from) * x
         / pixels)), 0), columns);
      for (let x = 0; x < pixels; x++) {
         const first = edge(x), end = Math.min(
            Math.max(first + 1, edge(x + 1)), columns);
         for (let y = 0; y < rows; y++) {
            let most = 0, colour = null;
            for (const k of shown) {
               const share = this.share(k, first, high - 1 - y, end);
               if (share > most)
                  [most, colour] = [share, colours[k]];
            }
            if (colour)
               image.data.set([...colour.map((part, k) => part
                  + (deep[k] - part) * deepness(most)), 255 * opacity(most)],
                              4 * (y * pixels + x));
         }
      }
      const canvas = el("canvas", {width: pixels, height: rows});
      canvas.getContext("2d").putImageData(image, 0, 0);
      u.ctx.save();
      u.ctx.imageSmoothingEnabled = false;
      u.ctx.drawImage(canvas, left, top, width, height);
      u.ctx.restore();
   }

   /* Returns the mean share of a set in some columns of a row. */
   share(set, column, row, end = column + 1) {
      const start = row * this.part.columns;
      let sum = 0;
      for (let k = column; k < end; k++)
         sum += SHARES[this.levels[set][start + k]];
      return sum / Math.max(end - column, 1);
   }

   /* Returns the column and the row below the cursor, if there are any. */
   under({cursor, posToVal}) {
      const {left, top} = cursor;
      const column = Math.floor(this.column(posToVal(left, "x")));
      const row = Math.floor(posToVal(top, "y"));
      return left < 0 || top < 0 || column < 0 || row < 0
         || column >= this.part.columns || row >= this.rows.end ? null
         : [column, row];
   }

   /* Below another chart's cursor, there is a time, but no address. */
   cell(u, say) {
      const found = this.place.matches(":hover, :focus") && this.under(u);
      return found ? say.call(this, ...found) : "";
   }

   /* Says whose the cell below a cursor is, and marks it. */
   pin(at) {
      const {part, plot, page} = this, [column, row] = this.under(at) || [];
      if (column === undefined)
         return;
      const {owners, columns} = part, parts = this.owner.length
         / part.first.length, time = this.time(column + 0.5);
      const name = owners[this.owner[row * parts + Math.floor(
         column * parts / columns)]];
      this.pinned = [column, row];
      this.about.replaceChildren(this.text(column, row) + (name
         ? ": most of the working set there was brought in by " + name : "")
         + ". ", el("button", {onclick: () => page.show({near: time})},
                    "the nearest sample"));
      plot.redraw(false);
   }

   drawPin(u) {
      if (!this.pinned)
         return;
      const [column, row] = this.pinned;
      const [left, right] = [column, column + 1].map(
         k => u.valToPos(this.time(k), "x", true));
      const [bottom, top] = [row, row + 1].map(k => u.valToPos(k, "y", true));
      u.ctx.strokeStyle = ws.colour("bad");
      u.ctx.lineWidth = 2;
      u.ctx.strokeRect(left - 2, top - 2, right - left + 4, bottom - top + 4);
   }

   text(column, row) {
      const {first, last, bands} = this.part, {units} = this;
      const {name, more} = bands.find(one => row < one.end);
      return units.exact(this.time(column)) + " to "
         + units.exact(this.time(column + 1)) + ", " + name
         + (more ? " and " + more + " more" : "") + ", " + first[row]
         + " to " + last[row];
   }

   /* Reads the next cell: to the right, or upwards. */
   next(right, up) {
      const [x, y] = this.under(this.plot)
         || [Math.floor(this.column(this.range.from)), this.high - 1];
      const column = Math.max(0, Math.min(x + right, this.part.columns - 1));
      const row = Math.max(0, Math.min(y + up, this.rows.end - 1));
      const time = this.time(column + 0.5);
      if (time < this.range.from || time > this.range.to
          || row < this.low || row >= this.high)
         this.pan(right / 4, up / 4);
      this.plot.setCursor({left: this.plot.valToPos(time, "x"),
                           top: this.plot.valToPos(row + 0.5, "y")});
   }

   say() {
      const {width, every} = this.part, {range, units} = this;
      const all = range.isAll && this.high - this.low === this.rows.end;
      const [{band}, more] = this.visible();
      this.note.textContent = (width < every
         ? "The page log knows time by intervals of " + units.exact(every)
         : "A cell is " + units.exact(Math.round(width)) + " long")
         + "." + (all ? "" : " This page has no smaller cells; the page log "
            + "has: ws_print "
            + "page -o FILE --from=" + Math.round(range.from)
            + " --to=" + Math.ceil(range.to)
            + (more || band.more ? "" : " --mapping='"
               + band.name.replaceAll("'", "'\\''") + "'")
            + " and the same files.");
   }
}

ws.widgets.heatmap = function (section, part, view, page) {
   const map = new HeatMap(part, view, page);
   map.appendTo(section, scale());
   map.note.before(map.about);
};
