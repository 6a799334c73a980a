/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What charts have in common: colours, axes, and the width of their place. */

const HUES = 10;                /* in page.css */

ws.HUES = {data: 0, insn: 1, dirty: 2, resident: 3};
ws.colour = name => getComputedStyle(document.documentElement)
   .getPropertyValue("--" + name).trim();
ws.hue = number => ws.colour(number < 0 ? "faint" : "hue" + number % HUES);
ws.pale = (colour, percent, other = ws.colour("paper")) =>
   "color-mix(in srgb, " + colour + " " + percent + "%, " + other + ")";

/* Draws anew when the place, or the colours, have changed. */
ws.plots = [];
ws.keepWidth = function (element, draw) {
   let width = 0;
   const again = () => {
      width = element.clientWidth;
      if (width)
         draw(width);
   };
   new ResizeObserver(() => element.clientWidth !== width && again())
      .observe(element);
   ws.plots.push([element, again]);
};

ws.redraw = function () {
   ws.plots = ws.plots.filter(([element]) => element.isConnected);
   ws.plots.forEach(([, draw]) => draw());
};

const FONT = "12px system-ui, sans-serif";

ws.axis = more => ({
   stroke: ws.colour("ink"), font: FONT, labelFont: FONT,
   grid: {stroke: ws.colour("grid"), width: 1},
   ticks: {stroke: ws.colour("grid"), width: 1, size: 5}, ...more});

/* Pixels on both sides of charts: those over time are below each other. */
ws.LEFT = narrow => narrow ? 84 : 130;
ws.RIGHT = narrow => narrow ? 24 : 88;
const LABEL = 18;               /* of which the name of the axis has some */

const tics = text => (u, values) => values.map(
   value => value === null ? null : text(value));

const POWERS = Array.from({length: 64}, (_, k) => Math.pow(2, k));

ws.base = ({unit}) => unit === "bytes" || unit === "pages" ? 2 : 10;

/* Chooses the ticks of a logarithmic axis whose unit has so many bytes:
   powers of the base, or multiples of one if there are too few. (Those of the
   library may never end if an axis does not begin with a round number.) */
ws.splits = (axis, szB = 1) => axis.is_log && ((u, k, low, high) => {
   const base = ws.base(axis), log = x => Math.log(x * szB) / Math.log(base);
   const power = exponent => Math.pow(base, Math.floor(exponent)) / szB;
   const list = (length, value) => Array.from({length}, (_, k) => value(k))
      .filter(x => low <= x && x <= high);
   const powers = list(log(high) - log(low) + 2, k => power(log(low) + k));
   const step = power(log(high - low) - Number(base === 2));
   return powers.length > 1 ? powers : list(
      base + 4, k => (Math.ceil(low / step) + k) * step);
});

ws.xAxis = (axis, units) => ws.axis({
   splits: ws.splits(axis), scale: "x", size: 34, space: 70, labelSize: 20,
   label: axis.title + (axis.unit === "time" ? units.name : ""),
   values: tics({bytes: ws.sizeTic, time: units.tic}[axis.unit] || ws.tic)});

/* Memory has bytes on the left, pages on the right; its scale has pages. */
ws.yAxes = function (axis, units, narrow) {
   const text = {bytes: ws.sizeTic, share: value => 100 * value + " %"};
   if (axis.unit !== "pages")
      return [ws.axis({scale: "y", size: ws.LEFT(narrow), labelSize: LABEL,
                       label: axis.title, splits: ws.splits(axis),
                       values: tics(text[axis.unit] || ws.tic)})];
   const page = units.page_szB;
   return [ws.axis({scale: "y", size: ws.LEFT(narrow),
                    incrs: POWERS.map(power => power / page),
                    splits: ws.splits(axis, page),
                    values: tics(value => ws.sizeTic(value * page))}),
           ws.axis({scale: "y", side: 1, show: !narrow,
                    size: ws.RIGHT(narrow) - LABEL, label: units.pages,
                    labelSize: LABEL, labelGap: 0, grid: {show: false},
                    splits: ws.splits(axis),
                    values: tics(axis.is_log ? ws.count : ws.tic)})];
};

const TAIL = 16;                /* characters of a name that are always there */
ws.toggled = new Set();         /* keys of lines */

/* A chart of a part of a view. A subclass has options(narrow), data() and say().
   Gestures move `moves`: the range, or a chart with more to move. */
ws.Chart = class {
   constructor(part, view, range, points) {
      this.part = part;
      this.range = this.moves = range;
      this.units = ws.units(view);
      this.height = 320;
      this.hidden = new Set();
      this.key = view.name + " " + part.title + ": ";   /* of its lines */
      this.place = el("div", {class: "plot", tabindex: "0", role: "group",
         "aria-label": (part.title || view.title) + ". " + ws.GESTURES});
      this.note = el("p", {class: "note"});
      range.show(points, () => this.moved());
   }

   appendTo(section, ...controls) {
      section.append(...controls, this.place, this.note);
      ws.keyGestures(this);
      ws.keepWidth(this.place, width => this.attempt(() => this.draw(width)));
   }

   /* A chart that fails is away: it would get the others' events. */
   attempt(draw) {
      ws.attempt(this.place, draw, () => this.clear());
   }

   clear() {
      this.plot?.destroy();
      this.plot = null;
      this.place.replaceChildren();
   }

   /** Draws at once, and not later, where nobody sees it fail.
    * @this {any} */
   draw(width) {
      this.clear();
      const narrow = width < 600;
      const {cursor, scales, hooks, ...own} = this.options(narrow);
      const hasRight = own.axes.some(({side, show}) => side === 1 && show);
      new uPlot({
         width, height: this.height,
         padding: [14, hasRight ? 0 : ws.RIGHT(narrow), 0, 0], ...own,
         cursor: {drag: {x: true, y: false, setScale: false}, y: false,
                  bind: ws.mouseGestures(this),
                  ...this.range.name ? {sync: {
                     key: this.range.name, setSeries: false,
                     scales: ["x", null]}} : {}, ...cursor},
         scales: {...scales, x: {
            time: false, range: () => [this.range.from, this.range.to],
            ...scales.x}},
         legend: {markers: {width: 0, fill:
            (/** @type {any} */ u, k) => u.series[k].swatch}},
         hooks: {setSelect: [u => this.select(u)],
                 setSeries: [(u, k, {show}) => this.toggled(u, k, show)],
                 ...hooks}
      }, this.data(), (plot, init) => {
         this.place.append(plot.root);
         this.plot = plot;
         plot.batch(init);
      });
      ws.wheelGestures(this);
      this.say();
   }

   /** @this {any} */
   moved() {
      if (this.plot)
         this.attempt(() => {
            this.plot.batch(plot => plot.setData(this.data(), true));
            this.say();
         });
   }

   /* Zooms in on what is selected here; other charts show it, too. */
   select(u) {
      const {left, top, width, height} = u.select;
      u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
      if (width > 0 && this.place.matches(":focus"))
         this.moves.set(u.posToVal(left, "x"), u.posToVal(left + width, "x"),
                        u.posToVal(top + height, "y"), u.posToVal(top, "y"));
   }

   /* Reads the next point. */
   next(step) {
      const now = this.plot.cursor.idx ?? -1, [xs] = this.plot.data;
      const {from, to} = this.range;
      const k = now < 0 ? xs.findIndex(x => x >= from)
         : Math.max(0, Math.min(now + step, xs.length - 1));
      if (xs[k] < from || xs[k] > to)
         this.moves.pan(step / 4);
      this.plot.setCursor({left: this.plot.valToPos(xs[k], "x"), top: 5});
   }

   /* Makes a line with a row in the legend, whose button shows it or not. */
   line(name, colour, more) {
      const isShown = !this.isHidden(name), text = ws.shorten(name, 60);
      return {name, scale: "y", show: isShown, stroke: colour, width: 0,
              points: {show: false}, swatch: colour,
              label: el("button",
                 {title: name, "aria-pressed": String(isShown)},
                 el("span", {}, text.slice(0, -TAIL)),
                 el("span", {}, text.slice(-TAIL))),
              ...more};
   }

   isHidden(name) {
      return this.hidden.has(name) !== ws.toggled.has(this.key + name);
   }

   /* Is called by a click on a line's name; others go with it. */
   toggled(u, number, show) {
      const {name, label} = u.series[number] || {}, key = this.key + name;
      if (!name || show !== this.isHidden(name))
         return;
      ws.toggled.delete(key) || ws.toggled.add(key);
      ws.remember({lines: [...ws.toggled].join("\n") || null});
      label.setAttribute("aria-pressed", String(show));
      u.series.forEach((one, k) => {
         if (one.of === name)
            u.setSeries(k, {show});
      });
      this.moved();
   }
};
