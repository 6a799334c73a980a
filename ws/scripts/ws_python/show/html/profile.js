/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The working set against the length of the window. */

(function () {
   "use strict";

   const el = ws.el;
   const HEIGHT = 280;

   function fill(section, report) {
      const units = report.units;
      const sets = [...new Set(report.profile.map(row => row.set))];
      const rows = set => report.profile.filter(row => row.set === set);
      const taus = [...new Set(report.profile.map(row => row.tau))].sort(
         (a, b) => a - b);
      const view = {log: false};
      const place = el("div", {class: "plot"});
      const readout = el("p", {class: "readout"});
      let plot = null;

      const column = (of, what) => {
         const found = new Map(of.map(row => [row.tau, row[what]]));
         return taus.map(tau => found.has(tau) ? found.get(tau) : null);
      };

      /* Those that the run's length does not limit; the last of these, and
         the others. */
      const parts = of => {
         const free = of.filter(row => row.note !== "limited").length;
         return [of.slice(0, free), of.slice(Math.max(free - 1, 0))];
      };

      function draw(width) {
         if (plot)
            plot.destroy();
         const narrow = place.clientWidth < 600;
         const data = [taus], lines = [{}], bands = [];
         for (const set of sets) {
            const shade = ws.shade(set, 0, 1);
            const other = {scale: "y", stroke: shade, points: {show: false}};
            const all = rows(set), [free, limited] = parts(all);
            bands.push({series: [lines.length + 1, lines.length],
                        fill: ws.translucent(shade, 0.25)});
            data.push(column(all, "p50"), column(all, "p95"));
            lines.push({...other, width: 0}, {...other, width: 0});
            data.push(column(all, "max"), column(limited, "p50"),
                      column(free, "p50"));
            lines.push({...other, width: 1, dash: [9, 4]},
                       {...other, width: 1, points: {show: true, size: 6}},
                       {...other, width: 2, points: {show: true, size: 6,
                                                     fill: shade}});
         }
         plot = new uPlot({
            width: width || place.clientWidth, height: HEIGHT,
            legend: {show: false}, padding: [12, narrow ? 12 : 0, 0, 0],
            cursor: {drag: {x: false, y: false}, y: false},
            scales: {
               x: {time: false, distr: 3, range: (u, low, high) =>
                   low === high ? [low / 2, high * 2] : [low, high]},
               y: view.log
                  ? {distr: 3, range: (u, low, high) =>
                     [Math.max(low, 0.1) * 0.8, Math.max(high, 1) * 1.3]}
                  : {range: (u, low, high) => [0, Math.max(high, 1) * 1.1]}},
            axes: [ws.timeAxis(report, true),
                   ...ws.memoryAxes(report, narrow, view.log)],
            series: lines, bands: bands,
            hooks: {setCursor: [u => read(u.cursor.idx)]}
         }, view.log ? positive(data) : data, place);
      }

      const positive = data => data.map(values => values.map(
         value => value > 0 ? value : null));

      function read(k) {
         readout.textContent = k === null || k === undefined ? ""
            : "Window of " + units.exact(taus[k]) + ": " + sets.map(set => {
               const row = rows(set).find(one => one.tau === taus[k]);
               return row ? ws.NAMES[set].toLowerCase() + " "
                  + units.bytes(row.avg) + " on average, "
                  + (row.p50 === null ? "" : units.bytes(row.p50)
                     + " or less half of the time, ")
                  + (row.p95 === null ? "" : units.bytes(row.p95)
                     + " or less 95 % of the time, ")
                  + "at most " + units.bytes(row.max) : null;
            }).filter(Boolean).join("; ");
      }

      section.append(
         el("p", {}, "How large the working set is, for shorter and longer "
            + "windows. A curve that soon stays flat is a program that uses "
            + "the same pages again and again; one that rises on and on uses "
            + "ever new ones."),
         el("div", {class: "controls"},
            el("span", {class: "legend"}, ...sets.map(set =>
               el("span", {}, ws.swatch(() => ws.shade(set, 0, 1)),
                  ws.NAMES[set])), el("span", {},
               "line: median, band: to the 95th percentile; dashed: maximum"
                  + (report.profile.some(row => row.note === "limited")
                     ? "; hollow: limited by the run's length" : ""))),
            ws.choice("axis of memory", [[false, "linear"],
                                         [true, "logarithmic"]], view.log,
                      value => {
                         view.log = value;
                         draw();
                      })),
         place, readout, el("details", {}, el("summary", {}, "The numbers"),
            numbers(report, units)));
      ws.keepWidth(place, draw);
   }

   function numbers(report, units) {
      const per = " per 1,000 " + units.unit;
      return ws.table([
         {name: "set", left: true, text: row => ws.NAMES[row.set]},
         {name: "window (" + units.unit + ")", text: row => ws.count(row.tau)},
         {name: "average", text: row => units.bytes(row.avg)},
         {name: "50 %", text: row => units.bytes(row.p50)},
         {name: "95 %", text: row => units.bytes(row.p95)},
         {name: "largest", text: row => units.bytes(row.max)},
         {name: "entered (" + units.pages + ")",
          text: row => ws.count(row.entered)},
         {name: "missing" + per, text: row => row.miss === null ? "-"
             : row.miss.toFixed(6)},
         {name: "between two (" + units.unit + ")",
          text: row => row.life === null ? "-"
             : ws.count(units.unit === "ms" ? row.life
                        : Math.round(row.life))},
         {name: "", left: true, text: row => row.note || ""}],
         report.profile, "profile");
   }

   ws.views.push({id: "profile", title: "By length of the window",
                  has: report => report.profile.length > 0, fill: fill});
})();
