/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answer in words, and what the words mean. */

(function () {
   "use strict";

   const el = ws.el;

   function facts(report) {
      const run = report.run, units = report.units;
      const pid = run.pid === null ? null : "process " + run.pid
         + (run.parent_pid ? ", forked from " + run.parent_pid : "");
      return [pid,
              run.instructions === null ? null
                 : ws.large(run.instructions) + " instructions",
              units.unit === "ms" && run.time !== null
                 ? units.time(run.time) : null,
              ws.count(run.samples) + " samples, one every "
                 + units.exact(run.every),
              units.pages + " of " + ws.bytes(run.page_size),
              report.file].filter(Boolean).join(" · ");
   }

   function meaning(report) {
      const run = report.run, units = report.units;
      const size = ws.bytes(run.page_size);
      const tau = units.exact(run.taus[0]);
      return el("details", {class: "meaning"},
         el("summary", {}, "What is a working set?"),
         el("p", {}, "Memory comes in pages, here of " + size + ". The working "
            + "set of a program at some time is the set of pages that it has "
            + "accessed in the time before: in the last " + tau + ". This "
            + "length is called the window, or tau. What a program has asked "
            + "for, or touched once long ago, does not count: its working set "
            + "is the memory that it needs at once."),
         el("p", {}, (run.source
            ? "ws_attach has asked the kernel, which has a bit for each page "
               + "that says whether it was referenced. This is an estimate. "
               + "It was made every " + units.exact(run.every) + "; each of "
               + "these is a sample. Data and code are private memory; code "
               + "is what may be executed. Pages of files, and those that "
               + "processes share, stand apart: they count whichever process "
               + "has used them. "
            : "ws, a tool of Valgrind, has counted every access of this run: "
               + "nothing is estimated. It has looked at the working set "
               + "every " + units.exact(run.every) + "; each such look is a "
               + "sample. Data is what is read and written, code is what is "
               + "executed. ")
            + "Time is counted in " + (run.source ? "milliseconds."
               : units.unit === "ms" ? "milliseconds under Valgrind, which is "
               + "slower than the program alone." : units.unit + ".")));
   }

   ws.views.push({
      id: "answer", title: "Answer", has: () => true,
      fill: (section, report, page) => {
         section.append(
            el("div", {class: "command"}, report.run.command || report.label),
            el("p", {class: "facts"}, facts(report)));
         if (!report.run.complete)
            section.append(el("p", {class: "warning", role: "alert"},
               "This report is truncated: its run was killed, or is not over. "
               + "What follows is about the part that is there."));
         for (const {line, failed} of page.data.conditions)
            section.append(el("p", {class: failed ? "failed" : "passed"},
                              line));
         const {from, to} = report.run, units = report.units;
         if (to !== null)
            section.append(el("p", {class: "part"}, "This is a part of the "
               + "run, from " + units.exact(from) + " to " + units.exact(to)
               + "."));
         if (report.run.no_sample)
            section.append(el("p", {}, "No sample: "
               + report.run.no_sample + "."));
         section.append(
            el("pre", {class: "said", tabindex: 0}, report.answer.join("\n")),
            meaning(report));
      }});
})();
