/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the plots have in common: colours, and axes of memory and time. */

(function () {
   "use strict";

   ws.colour = name => getComputedStyle(document.documentElement)
      .getPropertyValue("--" + name).trim();

   ws.rgb = name => ws.colour(name).match(/[0-9a-f]{2}/gi)
      .map(text => parseInt(text, 16));

   /* Of a set and a window; the more windows are shorter, the paler. */
   ws.shade = function (set, rank, ranks) {
      const back = ws.rgb("paper"), pale = 0.65 * rank / Math.max(ranks, 1);
      return "rgb(" + ws.rgb(set).map((part, k) => Math.round(
         part + (back[k] - part) * pale)).join(",") + ")";
   };

   /* Of what has no colour of its own: people who cannot tell red from green
      can tell them apart. */
   ws.HUES = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7",
              "#f0e442", "#7f6fd0"];
   ws.GREY = "#8c8c8c";

   ws.translucent = (rgb, alpha) =>
      rgb.replace("rgb(", "rgba(").replace(")", "," + alpha + ")");

   /* Round numbers from 0 to high, at most so many, in steps of powers of the
      base times the factors. */
   function steps(high, most, base, factors) {
      for (let power = 1; ; power *= base)
         for (const factor of factors)
            if (factor * power * most >= high)
               return factor * power;
   }

   ws.splits = function (low, high, most, base, factors, unit) {
      const step = steps((high - low) * unit, most, base, factors) / unit;
      const found = [];
      for (let k = Math.ceil(low / step); k * step <= high; k++)
         found.push(k * step);
      return found;
   };

   ws.axis = () => ({
      stroke: ws.colour("ink"), font: "12px system-ui, sans-serif",
      labelFont: "12px system-ui, sans-serif",
      grid: {stroke: ws.colour("grid"), width: 1},
      ticks: {stroke: ws.colour("grid"), width: 1, size: 5}});

   /* Charts over time are as wide as each other: pixels of what is left and
      right of them. */
   ws.LEFT = narrow => narrow ? 84 : 130;
   ws.RIGHT = narrow => narrow ? 24 : 88;
   const LABEL = 18;               /* of which the name of the axis has some */

   /* Memory: bytes on the left, pages on the right; the scale has pages. */
   ws.memoryAxes = function (report, narrow, log) {
      const page = report.run.page_size || 1;
      const splits = (unit, base, factors) => log ? undefined
         : (u, axis, low, high) => ws.splits(low, high, 6, base, factors,
                                             unit);
      const only = text => (u, values) => values.map(
         value => value === null ? null : text(value));
      return [{...ws.axis(), scale: "y", size: ws.LEFT(narrow),
               splits: splits(page, 2, [1]),
               values: only(value => ws.sizeTic(value * page))},
              {...ws.axis(), scale: "y", side: 1, show: !narrow,
               size: ws.RIGHT(narrow) - LABEL,
               label: report.units.pages, labelSize: LABEL, labelGap: 0,
               grid: {show: false}, splits: splits(1, 10, [1, 2, 5]),
               values: only(value => ws.tic(value))}];
   };

   ws.timeAxis = function (report, log) {
      return {...ws.axis(), scale: "x", label: report.units.unit,
              labelSize: 20, size: 34, space: 70,
              splits: log ? undefined : (u, axis, low, high) =>
                 ws.splits(low, high, Math.max(2, u.width / 110), 10,
                           [1, 2, 5], 1),
              values: (u, values) => values.map(value => value === null
                 ? null : ws.tic(value))};
   };

   /* The cursors of all charts over time are at the same time. */
   ws.oneCursor = () => ({key: "time", setSeries: false, scales: ["x", null]});

   /* Whether this is the chart that one reads. */
   ws.isRead = place => place.matches(":hover, :focus");

   /* The sign of a curve, which has its colour. */
   ws.swatch = function (colour) {
      const swatch = ws.el("span", {class: "swatch"});
      const paint = () => {
         swatch.style.background = colour();
      };
      paint();
      ws.plots.push([swatch, paint]);
      return swatch;
   };

   /* A box for each of `all`, to show it or not: of `view`, which has those
      that are shown.  What stands beside a box are `parts` of one. */
   ws.boxes = function (view, all, label, parts) {
      return ws.el("span", {class: "legend", role: "group",
                            "aria-label": label},
         ...all.map(one => {
            const box = ws.el("input", {type: "checkbox",
               checked: view.shown.includes(one),
               onchange: () => {
                  view.shown = all.filter(other => other === one
                     ? box.checked : view.shown.includes(other));
                  ws.redraw();
               }});
            return ws.el("label", {}, box, ...parts(one));
         }));
   };

   /* Draw it anew when its place or the colours have changed. */
   ws.plots = [];
   ws.keepWidth = function (element, draw) {
      let width = 0;
      const again = () => {
         width = element.clientWidth;
         if (width)
            draw(width);
      };
      const observer = new ResizeObserver(() => {
         if (!element.isConnected)
            observer.disconnect();
         else if (element.clientWidth !== width)
            again();
      });
      observer.observe(element);
      ws.plots.push([element, again]);
   };

   ws.redraw = function () {
      ws.plots = ws.plots.filter(([element]) => element.isConnected);
      ws.plots.forEach(([, draw]) => draw());
   };
})();
