/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a View over an axis that is not time: in steps, with their bounds,
   and dashed where they are uncertain. */

(function () {
   "use strict";

   const el = ws.el;
   const HEIGHT = 280;

   const tics = {bytes: ws.sizeTic, share: value => ws.inUnit(value, "share")};

   function axis(of, more) {
      const text = tics[of.unit] || ws.tic;
      return {...ws.axis(), label: of.title, labelSize: 20, ...more,
              values: (u, values) => values.map(
                 value => value === null ? null : text(value))};
   }

   /* The place of the last x that is not larger; -1: the line is not there. */
   function placeOf(xs, x) {
      let k = -1;
      while (k + 1 < xs.length && xs[k + 1] <= x)
         k++;
      return k === xs.length - 1 && xs[k] < x ? -1 : k;
   }

   ws.widgets.series = function (section, part, report) {
      const xs = [...new Set([].concat(...part.xs))].sort((a, b) => a - b);
      const places = part.xs.map(some => xs.map(x => placeOf(some, x)));
      const place = el("div", {class: "plot", tabindex: "0", role: "group",
         "aria-label": part.title + ". Arrows read the curves."});
      const readout = el("p", {class: "readout", "aria-live": "polite"});
      const shade = k => ws.colour(["data", "insn", "dirty"][k % 3]);
      let plot = null;

      /* Of a line, values at each x; a logarithmic axis has no 0. */
      const column = (values, k, wanted) => places[k].map(at =>
         at < 0 || !wanted(at) || (part.y.is_log && !values[at]) ? null
            : values[at]);

      function draw(width) {
         if (plot)
            plot.destroy();
         const data = [xs], series = [{}], bands = [];
         const add = (values, options) => {
            data.push(values);
            series.push({scale: "y", points: {show: false}, width: 2,
                         paths: uPlot.paths.stepped({align: 1}), ...options});
         };
         part.lines.forEach((line, k) => {
            const all = () => true, ink = shade(k);
            if (line.low.length) {
               bands.push({series: [data.length + 1, data.length],
                           fill: ink + "40"});
               add(column(line.low, k, all), {width: 0});
               add(column(line.high, k, all), {width: 0});
            }
            add(column(line.values, k, at => at < line.uncertain),
                {stroke: ink, dash: [3, 4]});
            add(column(line.values, k, at => at >= line.uncertain),
                {stroke: ink});
         });
         plot = new uPlot({
            width: width, height: HEIGHT, legend: {show: false},
            padding: [12, 20, 0, 0],
            cursor: {drag: {x: false, y: false}, y: false},
            scales: {x: {time: false, distr: part.x.is_log ? 3 : 1,
                         log: part.x.unit === "bytes" ? 2 : 10,
                         range: () => [xs[0], xs[xs.length - 1]]},
                     y: {distr: part.y.is_log ? 3 : 1,
                         range: part.y.unit === "share" ? () => [0, 1.03]
                            : (u, low, high) => [part.y.is_log ? low : 0,
                                                 high]}},
            axes: [axis(part.x, {size: 34, space: 90}),
                   axis(part.y, {size: 60, scale: "y"})],
            series: series, bands: bands,
            hooks: {setCursor: [u => read(u.cursor.idx)]}
         }, data, place);
      }

      function read(k) {
         readout.textContent = k === null || k === undefined ? ""
            : ws.inUnit(xs[k], part.x.unit, report.units.unit) + ": "
              + part.lines.map(({name, values}, line) => {
                 const at = places[line][k];
                 return name.split(/:| \(/)[0] + " " + (at < 0 ? "-"
                    : ws.inUnit(values[at], part.y.unit));
              }).join(", ");
      }

      place.addEventListener("keydown", event => {
         const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
         if (!step || event.ctrlKey || event.metaKey || event.altKey)
            return;
         event.preventDefault();
         const now = plot.cursor.idx;
         const next = now === null || now === undefined ? 0
            : Math.max(0, Math.min(now + step, xs.length - 1));
         plot.setCursor({left: plot.valToPos(xs[next], "x"), top: 5});
      });

      section.append(
         el("div", {class: "legend"}, ...part.lines.map(({name}, k) =>
            el("span", {}, ws.swatch(() => shade(k)), name))),
         place, readout, ...part.notes.map(
            line => el("p", {class: "note"}, line)));
      ws.keepWidth(place, draw);
   };
})();
