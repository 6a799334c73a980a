/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How full huge pages would be, and what they would cost and save. */

(function () {
   "use strict";

   const el = ws.el;
   const HEIGHT = 260;
   const COLOURS = {accessed: "data", written: "dirty", valid: "mapped"};

   function fill(section, report) {
      const {huge} = report.log, {units} = report;
      const names = Object.keys(huge.run);
      const view = {of: "run"};
      const place = el("div", {class: "plot", tabindex: "0", role: "group",
         "aria-label": "How full huge pages are. Arrows read the curves."});
      const readout = el("p", {class: "readout", "aria-live": "polite"});
      const at = name => sums(huge[view.of][name]);
      const small = ws.bytes(huge.small);
      const some = k => ws.count(k * huge.step);
      let plot = null;

      function draw(width) {
         if (plot)
            plot.destroy();
         const counts = huge.run[names[0]].map((_, k) => k);
         plot = new uPlot({
            width: width, height: HEIGHT, legend: {show: false},
            padding: [12, 20, 0, 0],
            cursor: {drag: {x: false, y: false}, y: false},
            scales: {x: {time: false,
                         range: () => [0, counts.length - 1]},
                     y: {range: () => [0, 1.03]}},
            axes: [{...ws.axis(), scale: "x", labelSize: 20, size: 34,
                    label: "at most so many of " + ws.count(huge.each) + " "
                       + units.pages,
                    splits: () => [0, 1, 2, 3, 4, 5, 6, 7, 8].map(
                       part => part * (counts.length - 1) / 8),
                    values: (u, values) => values.map(some)},
                   {...ws.axis(), scale: "y", size: 60,
                    splits: () => [0, 0.25, 0.5, 0.75, 1],
                    values: (u, values) => values.map(
                       value => 100 * value + " %")}],
            series: [{}, ...names.map(name => ({
               scale: "y", stroke: ws.colour(COLOURS[name]), width: 2,
               points: {show: false},
               paths: uPlot.paths.stepped({align: 1})}))],
            hooks: {setCursor: [u => read(u.cursor.idx)]}
         }, [counts, ...names.map(at)], place);
      }

      function read(k) {
         readout.textContent = k === null || k === undefined ? ""
            : "At most " + some(k) + " of " + ws.count(huge.each) + ": "
              + names.map(name => name + " "
                 + percent(at(name)[k])).join(", ") + " of the huge pages";
      }

      place.addEventListener("keydown", event => {
         const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
         if (!step || event.ctrlKey || event.metaKey || event.altKey)
            return;
         event.preventDefault();
         const last = huge.run[names[0]].length - 1, now = plot.cursor.idx;
         const next = now === null || now === undefined ? 0
            : Math.max(0, Math.min(now + step, last));
         plot.setCursor({left: plot.valToPos(next, "x"), top: 5});
      });

      section.append(
         el("p", {}, "In a window of " + units.exact(huge.tau) + ", "
            + ws.count(huge.large[0]) + " huge pages of "
            + ws.bytes(huge.size) + " are accessed on average, and "
            + ws.count(huge.large[1]) + " at " + huge.at + huge.why
            + ". How full they are: the share of them of which at most so "
            + "many " + units.pages + " of " + small + " are "
            + names.slice(0, -1).join(", or ") + " in the window, or mapped ("
            + "valid). A curve that rises late is of full ones."),
         el("div", {class: "controls"},
            el("span", {class: "legend"}, ...names.map(name => el("span", {},
               ws.swatch(() => ws.colour(COLOURS[name])), name))),
            ws.choice("samples", [["run", "over the run"],
                                  ["sample", "at " + huge.at]], view.of,
                      value => {
                         view.of = value;
                         draw(place.clientWidth);
                      })),
         place, readout,
         el("details", {}, el("summary", {}, "The numbers"), table()),
         el("h3", {}, "What they would cost and save, at " + huge.at),
         el("ul", {class: "advice"}, ...huge.advice.map(
            line => el("li", {}, line))),
         ...huge.about.map(line => el("p", {class: "note"}, line)));
      ws.keepWidth(place, draw);

      /* Halves, down to one page. */
      function table() {
         const last = huge.run[names[0]].length - 1;
         const counts = [0];
         for (let k = 1; k <= last; k *= 2)
            counts.push(k);
         return ws.table([
            {name: "at most, of " + ws.count(huge.each), text: some},
            ...[].concat(...[["run", "over the run"], ["sample", huge.at]].map(
               ([of, when]) => names.map(name => ({
                  name: name + ", " + when,
                  text: k => percent(sums(huge[of][name])[k])}))))],
            counts, "how full huge pages are: share of huge pages of which "
            + "at most so many " + small + " " + units.pages
            + " are accessed, written, or valid");
      }
   }

   /* Shares from numbers by how full. */
   function sums(counts) {
      const whole = counts.reduce((all, one) => all + one, 0);
      let sum = 0;
      return counts.map(one => (sum += one) / Math.max(whole, 1));
   }

   const percent = share => (100 * share).toFixed(1) + " %";

   ws.views.push({id: "huge", title: "Huge pages",
                  has: report => Boolean(report.log && report.log.huge),
                  fill: fill});
})();
