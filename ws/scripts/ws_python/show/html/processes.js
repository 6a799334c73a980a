/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of a run; the page shows one of them at a time. */

(function () {
   "use strict";

   const el = ws.el;

   function fill(section, report, page) {
      const reports = page.data.reports;
      const sets = ["data", "insn", "dirty"].filter(set => reports.some(
         one => one.run.sets.includes(set)));
      const view = {set: sets[0]};
      const place = el("div", {});
      const {rows, shown} = page.data.processes;
      const sum = rows.reduce((all, row) => all + (row.instructions || 0), 0);
      // Of ws_attach's reports nobody knows them.
      const counted = rows.some(row => row.instructions !== null);
      rows.forEach(row => {
         row.chosen = row.reports.some(k => reports[k] === report);
      });

      /* What shows a report. */
      const button = (one, text, attributes) => el("button", {
         type: "button", title: one.label, ...attributes,
         "aria-pressed": String(one === report),
         onclick: () => page.choose(one)}, text);

      const columns = () => {
         const size = (name, key) => ({name: name, text: row =>
            reports[row.main].units.bytes(row.sizes[view.set][key])});
         return [
            {name: "process", left: true, text: row => button(
               reports[row.main], (row.complete ? "" : "TRUNCATED ")
                  + reports[row.main].label, {class: "process"})},
            {name: "PID", text: row => row.pid},
            {name: "parent", text: row => row.parent},
            ...counted ? [
               {name: "instructions",
                text: row => ws.large(row.instructions || 0)},
               {name: "%", text: row => ws.share(row.instructions || 0, sum)}]
               : [],
            size("average", "avg"), size("95 %", "p95"),
            size("largest", "peak"), size("whole run", "total"),
            {name: "report", left: true, text: row => row.reports.length > 1
               ? el("span", {class: "choice"}, ...row.reports.map(k => button(
                  reports[k], reports[k].file)))
               : reports[row.main].file}];
      };

      function table() {
         const small = rows.slice(shown);
         ws.clear(place, ws.table(columns(), rows.slice(0, shown),
                                  "processes"));
         if (small.length)
            place.append(el("details",
               {open: small.some(row => row.chosen)},
               el("summary", {}, ws.count(small.length) + " more, with less "
                  + "than 1 % of all " + (counted ? "instructions"
                     : "the memory that is used") + " each"),
               ws.table(columns(), small, "small processes")));
      }

      const several = rows.length < reports.length;
      section.append(
         el("p", {}, ws.count(rows.length) + (rows.length > 1 ? " processes"
            : " process") + (several ? " in " + ws.count(reports.length)
            + " reports" : "") + ". What follows is about one "
            + (several ? "report: choose it here. A process is named after "
               + "the program that did most of its work, and has a report for "
               + "each program that it executed."
               : "of them: choose it here.")),
         el("div", {class: "controls"}, ws.choice("set", sets.map(
            set => [set, ws.NAMES[set]]), view.set, set => {
               view.set = set;
               table();
            })), place);
      table();
      // They have a clock of their own.
      const {total, views = []} = page.data;
      const common = {...page, range: total && ws.rangeOf(
         {...total, run: {}})};
      if (total)
         together(section, common);
      for (const view of views) {
         section.append(el("h3", {}, view.title));
         ws.showView(section, view, reports[0], common);
      }
   }

   /* All of them, if they have a common clock. */
   function together(section, page) {
      const {total} = page.data, run = page.data.reports[0].run;
      const all = {
         ...total, steps: uPlot.paths.stepped({align: -1}),
         kept: [], marks: [], phases: [],
         run: {time_unit: run.time_unit, page_size: run.page_size,
               taus: run.taus.slice(0, 1), kept_tau: run.taus[0], time: 0}};
      all.units = ws.units(all.run);
      section.append(
         el("h3", {}, "All processes together, over time"),
         el("p", {}, "The sum of the working sets of the processes that run. "
            + "A page that they share counts for each of them."));
      ws.curve(section, all, page);
   }

   ws.views.unshift({id: "processes", title: "Processes",
                     has: (report, page) => page.data.reports.length > 1,
                     fill: fill});
})();
