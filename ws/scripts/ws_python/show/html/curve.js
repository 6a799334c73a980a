/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The working set over time: to be zoomed and panned, with peaks, marks and
   phases. */

(function () {
   "use strict";

   const el = ws.el;
   const HEIGHT = 320;
   const COLUMN = 3;               /* pixels, for which there is one point */
   const FAR = 12;                 /* pixels from point to point */

   class Curve {
      constructor(report, page, series) {
         this.report = report;
         this.page = page;
         this.range = page.range;
         this.series = series;
         this.shown = this.series.curves.filter(curve => curve.tau
            === report.run.kept_tau || curve.set === "resident");
         this.place = el("div", {class: "plot", tabindex: "0", role: "group",
            "aria-label": "Working set over time. " + ws.GESTURES});
         this.readout = el("p", {class: "readout", "aria-live": "polite"});
         this.note = el("p", {class: "note"});
         ws.keyGestures(this);
         this.range.show(this.place, series.times.length, () => {
            if (this.plot) {
               this.plot.setData(this.points(), true);
               this.say();
            }
         });
      }

      colour(curve) {
         const taus = this.report.run.taus;
         return ws.shade(curve.set, Math.max(taus.indexOf(curve.tau), 0),
                         taus.length);
      }

      /* --- As gestures want it --- */

      zoom(factor, at) {
         this.range.zoom(factor, at);
      }

      pan(part) {
         this.range.pan(part);
      }

      all() {
         this.range.all();
      }

      /* --- Drawing --- */

      points() {
         const most = Math.max(this.place.clientWidth / COLUMN, 50);
         this.thin = ws.thin(this.series, this.shown, this.range.from,
                             this.range.to, most);
         return [this.thin.times].concat(...this.values());
      }

      /* As lines() has them. */
      values() {
         return this.thin.curves.map(curve => [curve.low, curve.high,
                                               curve.mean]);
      }

      /* A line for the mean, and a band from the smallest to the largest. */
      lines() {
         const series = [{}], bands = [];
         for (const curve of this.shown) {
            const shade = this.colour(curve), low = series.length;
            const edge = {scale: "y", width: 0, points: {show: false},
                          stroke: ws.translucent(shade, 0.35)};
            bands.push({series: [low + 1, low],
                        fill: ws.translucent(shade, 0.3)});
            series.push(edge, edge, {scale: "y", width: 1.5, stroke: shade,
                                     paths: this.report.steps || null});
         }
         return {series: series, bands: bands};
      }

      draw(width) {
         if (this.plot)
            this.plot.destroy();
         const narrow = width < 600;
         this.plot = new uPlot({
            width: width, height: HEIGHT, legend: {show: false},
            padding: [14, narrow ? ws.RIGHT(narrow) : 0, 0, 0],
            cursor: {drag: {x: true, y: false, setScale: false},
                     sync: ws.oneCursor(),
                     bind: {dblclick: () => null}, y: false},
            scales: {x: {time: false, range: () => [this.range.from,
                                               this.range.to]},
                     y: {range: (u, low, high) =>
                         [0, Math.max(high || 0, 1)
                          * (this.report.marks.length ? 1.3 : 1.12)]}},
            axes: [ws.timeAxis(this.report),
                   ...ws.memoryAxes(this.report, narrow)],
            ...this.lines(),
            hooks: {setSelect: [u => this.select(u)],
                    setCursor: [u => this.read(u.cursor.idx)],
                    drawClear: [u => ws.drawPhases(u, this.report)],
                    draw: [u => {
                       ws.drawMarks(u, this.report);
                       ws.placePeaks(u, this);
                    }]}
         }, this.points(), this.place);
         ws.mouseGestures(this);
         this.say();
      }

      select(u) {
         const {left, width} = u.select;
         if (width > 0)
            this.range.set(u.posToVal(left, "x"),
                           u.posToVal(left + width, "x"));
         u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
      }

      /* --- What is said about it --- */

      read(k) {
         if (ws.isRead(this.place))
            this.readout.textContent = k === null || k === undefined ? ""
               : this.pointText(k);
      }

      /* The next point of the curve. */
      readNext(step) {
         const now = this.plot.cursor.idx, times = this.thin.times;
         let next = now === null || now === undefined
            ? times.findIndex(time => time >= this.range.from) : now + step;
         next = times[Math.max(0, Math.min(next, times.length - 1))];
         if (next < this.range.from || next > this.range.to)
            this.pan(step / 4);
         this.plot.setCursor({left: this.plot.valToPos(next, "x"), top: 5});
      }

      pointText(k) {
         const {thin, series} = this, units = this.report.units;
         const first = thin.first + k * thin.group;
         const last = Math.min(first + thin.group, series.times.length) - 1;
         let samples = 0;
         for (let point = first; point <= last; point++)
            samples += ws.weight(series, point);
         const when = samples === 1 ? "At " + units.exact(thin.times[k])
            : "From " + units.exact(first ? series.times[first - 1]
                                    : this.range.begin)
              + " to " + units.exact(thin.times[k]) + ", " + ws.count(samples)
              + " samples";
         return when + ": " + this.shown.map((curve, c) =>
            this.sizeText(curve, thin.curves[c], k, samples)).join("; ");
      }

      /* In a sentence. */
      name(curve) {
         const {units, run} = this.report;
         return ws.NAMES[curve.set].toLowerCase() + (run.taus.length > 1
            && curve.tau !== null ? " (" + units.exact(curve.tau) + ")" : "");
      }

      /* In the legend. */
      title(curve) {
         return ws.NAMES[curve.set] + (curve.tau === null ? ""
            : ", window " + this.report.units.exact(curve.tau));
      }

      sizeText(curve, {low, high, mean}, k, samples) {
         const {units} = this.report, name = this.name(curve);
         const pages = value => ws.count(value);
         return name + " " + (samples === 1
            ? units.bytes(mean[k]) + " (" + units.some(mean[k]) + ")"
            : units.bytes(low[k]) + " to " + units.bytes(high[k]) + " ("
              + pages(low[k]) + " to " + units.some(high[k])
              + ", " + pages(mean[k]) + " on average)");
      }

      meaning() {
         return "the line is their average, the band reaches from the "
            + "smallest to the largest.";
      }

      say() {
         const {series, thin} = this, samples = thin.group * series.per;
         const far = thin.times.length * FAR < this.place.clientWidth;
         this.note.textContent = samples === 1 ? ""
            : "Each point stands for " + ws.count(samples) + " samples: "
              + this.meaning() + (thin.group === 1 && far ? " This page has no "
              + "more points than these; the report has every sample." : "");
      }

      legend() {
         return ws.boxes(this, this.series.curves, "curves", curve => [
            ws.swatch(() => this.colour(curve)),
            el("span", {}, this.title(curve))]);
      }
   }

   ws.Curve = Curve;

   ws.curve = function (section, report, page) {
      ws.showCurve(section, new Curve(report, page, ws.series(report)));
      section.append(el("p", {class: "help"}, ws.GESTURES));
   };

   ws.showCurve = function (section, curve) {
      section.append(
         el("div", {class: "controls"}, curve.legend()),
         curve.place, curve.readout, curve.note);
      ws.keepWidth(curve.place, width => curve.draw(width));
   };

   ws.views.push({id: "curve", title: "Over time",
                  has: report => report.samples > 0,
                  fill: ws.curve});
})();
