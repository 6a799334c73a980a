/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which addresses were accessed when: a map, to be zoomed in both ways. */

(function () {
   "use strict";

   const el = ws.el;
   const HEIGHT = 520;
   const LABEL = 13;               /* pixels from name to name */
   const FEWEST_ROWS = 2;          /* to zoom in on */
   const SCALE = [0.0001, 0.01, 0.1, 1];

   class AddressMap {
      constructor(report, page, cells) {
         this.range = page.range;
         this.report = report;
         this.map = {...report.log.map, rows: report.log.map.first.length};
         this.cells = cells;
         this.sets = Object.keys(cells);
         this.shown = this.sets.filter(set => set !== "dirty");
         this.vertical = true;
         this.cursor = null;         /* the cell that is read, [column, row] */
         this.place = el("div", {class: "plot", tabindex: "0", role: "group",
            "aria-label": "Map of addresses over time. " + ws.GESTURES});
         this.readout = el("p", {class: "readout", "aria-live": "polite"});
         this.note = el("p", {class: "note"});
         this.setRows(0, this.map.rows);
         ws.keyGestures(this);
         this.range.show(this.place, this.map.columns, () => this.moved());
      }

      all() {
         this.setRows(0, this.map.rows);
         this.range.all();
      }

      /* The time of a column's edge. */
      time(column) {
         const {from, to, width} = this.map;
         return Math.min(from + Math.round(column * width), to);
      }

      column(time) {
         return (time - this.map.from) / this.map.width;
      }

      /* --- What part is shown: a range of time, and whole rows --- */

      setRows(low, high) {
         this.exact = ws.within(low, high, 0, this.map.rows, FEWEST_ROWS);
         [this.low, this.high] = this.exact.map(Math.round);
      }

      moved() {
         if (this.plot) {
            this.plot.setData(this.corners(), true);
            this.say();
         }
      }

      corners() {
         return [[this.range.from, this.range.to], [this.low, this.high]];
      }

      zoom(factor, time, row) {
         const [low, high] = this.exact;
         const y = row === undefined ? (low + high) / 2 : row;
         this.setRows(y - (y - low) * factor, y + (high - y) * factor);
         this.range.zoom(factor, time);
      }

      pan(part, up = 0) {
         const [low, high] = this.exact, y = (high - low) * up;
         this.setRows(low + y, high + y);
         this.range.pan(part);
      }

      /* --- Drawing --- */

      draw(width) {
         if (this.plot)
            this.plot.destroy();
         const narrow = width < 600;
         this.plot = new uPlot({
            width: width, height: HEIGHT, legend: {show: false},
            padding: [8, ws.RIGHT(narrow), 0, 0],
            cursor: {drag: {x: true, y: true, uni: 12, setScale: false},
                     sync: ws.oneCursor(),
                     bind: {dblclick: () => null}, points: {show: false}},
            scales: {x: {time: false, range: () => [this.range.from,
                                                    this.range.to]},
                     y: {range: () => [this.low, this.high]}},
            axes: [{...ws.timeAxis(this.report), grid: {show: false}},
                   this.nameAxis(ws.LEFT(narrow))],
            series: [{}, {scale: "y", paths: () => null,
                          points: {show: false}}],
            hooks: {setSelect: [u => this.select(u)],
                    setCursor: [u => this.hover(u)],
                    drawClear: [u => this.drawCells(u)],
                    draw: [u => this.drawEdges(u)]}
         }, this.corners(), this.place);
         ws.mouseGestures(this);
         this.say();
      }

      /* The names of bands that have room for them, the highest ones first. */
      nameAxis(size) {
         const fits = Math.floor((size - 14) / 6.2);
         return {scale: "y", side: 3, size: size, gap: 4,
                 stroke: ws.colour("ink"), font: "11px system-ui, sans-serif",
                 grid: {show: false}, ticks: {show: false},
                 splits: u => this.named(u).map(([middle]) => middle),
                 values: u => this.named(u).map(([, band]) =>
                    brief(band, fits))};
      }

      named(u) {
         const room = LABEL * (this.high - this.low) / (u.over.clientHeight
            || HEIGHT - 60);
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

      /* The bands that are shown, and which of their rows. */
      visible() {
         return this.map.bands.map(band => ({
            band: band, bottom: Math.max(band.row, this.low),
            top: Math.min(band.end, this.high)})).filter(
            ({bottom, top}) => bottom < top);
      }

      drawCells(u) {
         const {left, top, width, height} = u.bbox;
         const image = ws.imageOf(
            this.shown.map(set => ({levels: this.cells[set],
                                    rgb: ws.rgb(set)})),
            this.map.columns, [this.low, this.high],
            this.column(this.range.from), this.column(this.range.to),
            Math.round(width));
         const canvas = el("canvas", {width: image.width,
                                      height: image.height});
         canvas.getContext("2d").putImageData(image, 0, 0);
         u.ctx.save();
         u.ctx.imageSmoothingEnabled = false;
         u.ctx.drawImage(canvas, left, top, width, height);
         u.ctx.restore();
      }

      /* What is between two bands is cut out. */
      drawEdges(u) {
         const {ctx, bbox} = u;
         ctx.save();
         ctx.strokeStyle = ws.colour("line");
         ctx.lineWidth = devicePixelRatio || 1;
         ctx.strokeRect(bbox.left, bbox.top, bbox.width, bbox.height);
         for (const {bottom} of this.visible()) {
            const y = Math.round(u.valToPos(bottom, "y", true));
            ctx.beginPath();
            ctx.moveTo(bbox.left, y);
            ctx.lineTo(bbox.left + bbox.width, y);
            ctx.stroke();
         }
         ctx.restore();
      }

      select(u) {
         const {left, top, width, height} = u.select;
         if (width > 0 || height > 0) {
            this.setRows(u.posToVal(top + height, "y"), u.posToVal(top, "y"));
            this.range.set(u.posToVal(left, "x"),
                           u.posToVal(left + width, "x"));
         }
         u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
      }

      /* --- What is said about it --- */

      hover(u) {
         if (!ws.isRead(this.place))
            return;
         const {left, top} = u.cursor;
         const inside = left >= 0 && top >= 0;
         this.cursor = inside ? [this.column(u.posToVal(left, "x")),
                                 u.posToVal(top, "y")].map(Math.floor) : null;
         this.readout.textContent = inside ? this.cellText(...this.cursor)
            : "";
      }

      /* The next cell: to the right, or upwards. */
      readNext(right, up) {
         const {columns, rows} = this.map;
         const [x, y] = this.cursor || [
            Math.floor(this.column(this.range.from)), this.high - 1];
         const row = Math.max(0, Math.min(y + up, rows - 1));
         const column = Math.max(0, Math.min(x + right, columns - 1));
         const time = this.time(column + 0.5);
         if (time < this.range.from || time > this.range.to
             || row < this.low || row >= this.high)
            this.pan(right / 4, up / 4);
         this.plot.setCursor({left: this.plot.valToPos(time, "x"),
                              top: this.plot.valToPos(row + 0.5, "y")});
      }

      cellText(column, row) {
         const {units} = this.report, {columns, rows} = this.map;
         if (column < 0 || column >= columns || row < 0 || row >= rows)
            return "";
         const band = this.map.bands.find(one => row < one.end);
         const shares = this.sets.map(set => [set, ws.shareOf(
            this.cells[set], columns, [row, row + 1],
            [column, column + 1])]).filter(([, share]) => share);
         return "From " + units.exact(this.time(column)) + " to "
            + units.exact(this.time(column + 1)) + ", " + full(band) + ", "
            + this.addresses(row, row + 1) + ": "
            + (shares.map(([set, share]) => ws.NAMES[set].toLowerCase() + " "
               + percent(share)).join(", ") || "no access");
      }

      say() {
         const {units} = this.report, {rows, width} = this.map;
         const all = this.range.isAll && this.high - this.low === rows;
         const [{band}, more] = this.visible();
         const {every} = this.report.log;
         this.note.textContent = (width < every
            ? "The page log knows time by intervals of " + units.exact(every)
            : "A cell is " + units.exact(Math.round(width)) + " long")
            + "." + (all ? "" : " Finer, from the page log: ws_print "
               + "page -o FILE --from=" + Math.round(this.range.from)
               + " --to=" + Math.ceil(this.range.to)
               + (more || band.more ? ""
                  : " --mapping=" + ws.quoted(band.name))
               + " and the same files.");
      }

      /* Of the pages of some rows, without those that are cut out. */
      addresses(row, end) {
         return this.map.first[row] + " to " + this.map.last[end - 1];
      }

      legend() {
         const legend = ws.boxes(this, this.sets, "sets", set => [
            ...SCALE.map(share => ws.swatch(
               () => `rgba(${ws.rgb(set)},${ws.density(share)})`)),
            ws.NAMES[set]]);
         legend.append(el("span", {}, SCALE.map(percent).join(", ")));
         return legend;
      }

      /* For those who do not see the map. */
      table() {
         const {columns, bands, page_size} = this.map, {units} = this.report;
         const rows = band => [band.row, band.end];
         const used = band => Array.from({length: columns}, (_, k) =>
            this.sets.some(set => ws.shareOf(
               this.cells[set], columns, rows(band), [k, k + 1]) > 0));
         const at = column => ws.count(this.time(column));
         return ws.table([
            {name: "mapping", left: true,
             text: band => el("span", {class: "label"}, full(band))},
            {name: "addresses", left: true,
             text: band => this.addresses(band.row, band.end)},
            {name: "accessed", text: band => ws.bytes(band.pages * page_size)},
            ...this.sets.map(set => ({
               name: ws.NAMES[set].toLowerCase() + ", on average",
               text: band => percent(ws.shareOf(
                  this.cells[set], columns, rows(band), [0, columns]))})),
            {name: "from (" + units.unit + ")",
             text: band => at(used(band).indexOf(true))},
            {name: "to", text: band => at(used(band).lastIndexOf(true) + 1)}],
            [...bands].reverse(), "addresses over time");
      }
   }

   const percent = share => share && share < 0.0001 ? "< 0.01 %"
      : Number((100 * share).toPrecision(2)) + " %";

   const full = band => band.name
      + (band.more ? " and " + band.more + " more" : "");

   function brief({name, more}, most) {
      const rest = more ? " +" + more : "";
      return ws.brief(name, most - rest.length) + rest;
   }

   function fill(section, report, page) {
      section.append(el("p", {}, "Which addresses were accessed when: the "
         + "stronger a cell's colour, the more of its " + report.units.pages
         + " were accessed, in more of its time. Addresses that were never "
         + "accessed are cut out."));
      const cells = ws.cells(report.log.map);
      const map = new AddressMap(report, page, cells);
      section.append(
         el("div", {class: "controls"}, map.legend(), ws.gestureButtons(map)),
         map.place, map.readout, map.note,
         el("details", {}, el("summary", {}, "The numbers"), map.table()));
      ws.keepWidth(map.place, width => map.draw(width));
   }

   ws.views.push({id: "map", title: "Addresses over time",
                  has: report => Boolean(report.log && report.log.map),
                  fill: fill});
})();
