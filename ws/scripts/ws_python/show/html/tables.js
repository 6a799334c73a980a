/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes, phases, and what the pages of the run are part of. */

(function () {
   "use strict";

   const el = ws.el;

   /* The page has room for so many rows. */
   const rest = (report, what) => report.left_out[what] ? el("p",
      {class: "note"}, ws.count(report.left_out[what])
      + " more are in the report.") : "";

   function sizes(section, report) {
      const units = report.units;
      const column = (name, key, title) => ({name: name, title: title,
                                             text: row => units.bytes(
                                                row[key])});
      const bound = report.sizes.some(row => typeof row.bound === "number");
      section.append(
         el("p", {}, "95 % of the samples are at most as large as in the "
            + "column 95 %. The largest is the largest of the samples: "
            + "between two of them, the set may have been larger"
            + (bound ? ". It was never larger than in the column "
               + "\u201cat any time\u201d." : ".")),
         ws.table([
            {name: "set", left: true, text: row => ws.NAMES[row.set]},
            {name: "window", text: row => ws.count(row.tau)},
            column("average", "avg"), column("50 %", "p50"),
            column("95 %", "p95"), column("99 %", "p99"),
            column("largest", "peak"),
            {name: "at (" + units.unit + ")",
             text: row => ws.count(row.peak_time)},
            ...(bound ? [column("at any time", "bound",
                                "not more, between samples either")] : []),
            column("in the whole run", "total",
                   "all different pages that it accessed")],
            report.sizes, "sizes of working sets"));
   }

   function phases(section, report) {
      const units = report.units;
      const sets = report.run.sets.filter(set => report.phases.some(
         phase => phase[set] !== undefined));
      section.append(
         el("p", {}, "A phase is the time from one mark to the next."),
         ws.table([
            {name: "starts at (" + units.unit + ")",
             text: row => ws.count(row.start)},
            {name: "instructions", text: row => ws.large(row.instructions)},
            {name: "samples", text: row => ws.count(row.samples)},
            ...[].concat(...sets.map(set => {
               const name = ws.NAMES[set].toLowerCase();
               return [
                  {name: name + ": accessed",
                   text: row => units.bytes(row[set])},
                  {name: "average set",
                   text: row => units.bytes(row["avg_" + set])},
                  {name: "95 %", text: row => units.bytes(row["p95_" + set])},
                  {name: "largest set",
                   text: row => units.bytes(row["max_" + set])}];
            })),
            {name: "phase", left: true,
             text: row => el("span", {class: "label"}, row.name)}],
            report.phases, "phases"), rest(report, "phases"));
   }

   function mappings(section, report) {
      const units = report.units;
      const whole = set => report.mappings.filter(row => row.set === set)
         .reduce((sum, row) => sum + row.pages, 0);
      const sums = new Map(report.run.sets.map(set => [set, whole(set)]));
      section.append(
         el("p", {}, "All pages that were accessed in the run, by what they "
            + "are part of." + (report.run.mapped_anew ? " A page that was "
               + "mapped anew counts each time." : "")),
         ws.table([
            {name: "set", left: true, text: row => ws.NAMES[row.set]},
            {name: units.pages, text: row => ws.count(row.pages)},
            {name: "%", text: row => ws.share(row.pages, sums.get(row.set))},
            {name: "size", text: row => units.bytes(row.pages)},
            {name: "in the last window", text: row => ws.count(row.last)},
            {name: "accesses", text: row => ws.large(row.accesses)},
            {name: "part of", left: true, text: row => row.name}],
            report.mappings, "pages by what they are part of"),
         rest(report, "mappings"));
   }

   ws.views.push(
      {id: "sizes", title: "Sizes", has: report => report.sizes.length > 0,
       fill: sizes},
      {id: "phases", title: "Phases", has: report => report.phases.length > 0,
       fill: phases},
      {id: "mappings", title: "Mappings of the run",
       has: report => report.mappings.length > 0, fill: mappings});
})();
