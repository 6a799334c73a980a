/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a View, with bounds, marks, and signs to click at. */

const SIGN = 20;                /* pixels of one */
const FEW = 20;                 /* points, which are shown */
const LONGEST = 30;             /* characters of a mark's label */
const CHARACTER = 6.5;          /* pixels */
const DASHES = [null, [9, 4], [4, 3], [1, 3]];

/* A line without a name goes with the one of its hue that has one. */
const nameOf = ({name, hue}, lines) => name || lines.find(
   one => one.name && one.hue === hue).name;

class Series extends ws.Chart {
   constructor(part, view, range, show) {
      const points = Math.max(0, ...part.xs.map(({length}) => length));
      super({...part, lines: part.lines.map(line => ({
         ...line, of: nameOf(line, part.lines)}))}, view, range, points);
      this.show = show;
      this.isLog = part.y.is_log;
      part.lines.filter(({is_hidden: is}) => is).forEach(
         ({name}) => this.hidden.add(name));
      this.columns = /** @type {number[][]} */ (uPlot.join(this.drawn.map(
         ([values, , k]) => [part.xs[k] || part.xs[0], values])));
      const [least] = this.columns.slice(1).flat().filter(
         value => value > 0).sort((a, b) => a - b);
      this.least = least / 1.5 || 1;
   }

   /* What is drawn: [values, options, number of the line]. Bands come
      first, for they would hide lines. */
   get drawn() {
      const {lines} = this.part, bands = lines.flatMap((line, k) =>
         line.low.length ? [[line.low, {of: line.of}, k],
                            [line.high, {of: line.of, isBand: true}, k]]
            : []);
      return [...bands, ...lines.flatMap((line, k) => this.parts(
         line, bands.findIndex(([, , other]) => other === k)).map(
         ([values, options]) => [values, options, k]))];
   }

   /* A line is dashed where it is less certain: all of it, below a solid
      one for the rest. */
   parts(line, bounds) {
      const {values, uncertain, limited, of} = line;
      const colour = this.colour(line), end = values.length - limited;
      const edge = dash => [values, {of, width: 1, dash, stroke: colour}];
      if (!line.name)
         return [edge(DASHES[line.dash])];
      const weak = uncertain || limited ? [edge([3, 4])] : [];
      return [...weak, [values.map((value, k) => k >= uncertain && k < end
         ? value : null), this.line(of, colour, {
         width: line.dash ? 1 : 2, dash: DASHES[line.dash],
         fill: line.is_area ? ws.pale(colour, 25, "transparent") : undefined,
         points: {show: values.length < FEW, size: 6, fill: colour},
         value: (u, value, k) => this.text(k - weak.length, u.cursor.idx,
                                           bounds + 1)})]];
   }

   colour({hue, pale}) {
      return ws.pale(ws.hue(hue), 100 * (1 - pale));
   }

   options(narrow) {
      const {part, units} = this, bands = [];
      const stepped = part.is_stepped && uPlot.paths.stepped({align: -1});
      const series = [{label: part.x.title, value: (u, x) => x === null
         ? "" : part.x.unit === "time" ? units.exact(x)
         : ws.inUnit(x, part.x.unit, units)}];
      const plain = {scale: "y", points: {show: false},
                     paths: stepped || undefined};
      for (const [, options, k] of this.drawn) {
         if (options.isBand)
            bands.push({series: [series.length, series.length - 1],
                        fill: ws.pale(this.colour(part.lines[k]), 35)});
         series.push({...plain, ...options.of === undefined ? {}
            : {show: !this.isHidden(options.of), class: "edge",
               width: 0}, ...options});
      }
      const scale = (isLog, axis) => ({distr: isLog ? 3 : 1,
                                       log: ws.base(axis)});
      const top = part.lines.some(({tags}) => tags.length) ? 1.3 : 1.08;
      return {
         series, bands,
         axes: [ws.xAxis(part.x, units),
                ...ws.yAxes({...part.y, is_log: this.isLog}, units, narrow),
                ...part.marks.length ? [this.markAxis(narrow)] : []],
         scales: {
            x: scale(part.x.is_log, part.x),
            y: {...scale(this.isLog, part.y), range: (u, low, high) =>
               this.isLog ? [Math.max(low / 1.5, this.least), 1.5 * high || 2]
                  : [0, part.y.unit === "share" ? 1.03 : high * top || 1]}},
         hooks: {draw: [u => this.placeSigns(u)]}};
   }

   /* Logarithmic axes have no 0: it is at their ends. */
   data() {
      return this.isLog ? this.columns.map(values => values.map(
         value => value === 0 ? this.least : value)) : this.columns;
   }

   /* A line between two of its points is what it was at the first one. Its
      band, if it has one, is the series `low` and the next. */
   text(k, cursor, low) {
      const {part, units, columns: data} = this, at = data[k].findLastIndex(
         (value, x) => x <= (cursor ?? -1) && (value ?? null) !== null);
      if (at < 0)
         return "--";
      if (part.y.unit !== "pages")
         return ws.inUnit(data[k][at], part.y.unit, units);
      return low ? units.bytes(data[k][at]) + " (" + units.bytes(
         data[low][at]) + " to " + units.bytes(data[low + 1][at]) + ")"
         : units.size(data[k][at]);
   }

   /* Marks have lines, and labels where there is room for them; the last one
      before what is shown has one, too. */
   markAxis(narrow) {
      const room = (this.place.clientWidth - ws.LEFT(narrow)
         - ws.RIGHT(narrow)) / CHARACTER;
      const marks = ({from, to}) => this.part.marks.flatMap(([x, label]) =>
         x < to ? [[Math.max(x, from), label]] : []);
      const shown = ([x, label], k, all) => {
         const {from, to} = this.range, [end] = all[k + 1] || [to];
         return Math.min(label.length, LONGEST) + 1
            < room * (end - x) / (to - from) ? ws.shorten(label, LONGEST) : "";
      };
      return ws.axis({
         scale: "x", side: 0, size: 20, gap: 2, align: 1, ticks: {show: false},
         stroke: ws.colour("faint"),
         grid: {stroke: ws.colour("faint"), width: 1, dash: [4, 3]},
         splits: () => marks(this.range).map(([x]) => x),
         values: () => marks(this.range).map(shown)});
   }

   /* Places buttons just above kept samples, the first ones of each line
      first; one that would cover another one is left out. */
   placeSigns(u) {
      const placed = [];
      u.over.querySelectorAll(".peak").forEach(one => one.remove());
      for (const {name, hue, tags} of this.part.lines)
         for (const tag of this.isHidden(name) ? [] : tags) {
            const x = u.valToPos(tag.x, "x");
            const y = u.valToPos(tag.y, "y") - SIGN / 2 - 3;
            if (tag.x < this.range.from || tag.x > this.range.to
                || placed.some(([a, b]) => Math.abs(a - x) < 1.5 * SIGN
                               && Math.abs(b - y) < SIGN))
               continue;
            placed.push([x, y]);
            const button = ws.sign(tag.name, hue, name + " at "
               + this.units.exact(tag.x), () => this.show(tag));
            button.style.left = x + "px";
            button.style.top = y + "px";
            u.over.append(button);
         }
   }

   say() {
      const {per, notes, remarks} = this.part;
      this.note.textContent = [
         ...per > 1 ? ["Each point stands for " + ws.count(per)
            + " samples: the line is their average, the band reaches from "
            + "the smallest to the largest."] : [], notes.join(", "),
         ...remarks.map(({names, text}) => names + ": " + text)].join("\n");
   }
}

/* A button for a sample: its number as for --at=peak.1, or a letter. */
ws.sign = (text, hue, title, onclick) => el("button", {
   class: "peak hue" + hue, title,
   "aria-label": "show what it is made of: " + title,
   onmousedown: event => event.stopPropagation(), onclick}, text);

ws.widgets.series = function (section, part, view, page) {
   const ends = part.xs.flat(), least = Math.min(...ends);
   const range = part.x.unit === "time" && !part.x.is_log ? page.range
      : new ws.Range(least, Math.max(...ends, 1.1 * least));
   const series = new Series(part, view, range, tag => page.show(tag));
   series.appendTo(section, ...part.x.unit === "time" && part.x.is_log
      ? [ws.choice("axis of memory", ["linear", "logarithmic"], series.isLog,
                   number => {
                      series.isLog = number === 1;
                      ws.redraw();
                   })] : []);
};
