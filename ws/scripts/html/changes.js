/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Phases without marks: where the working set changes. */

(function () {
   "use strict";

   const el = ws.el;
   const LONGEST = 24;             /* characters of a name */
   const GOLDEN = 137.508;         /* degrees to the next hue, of many */

   /* Only those that are alike share one; what keeps changing has none. */
   function colour(phases, phase) {
      const kinds = new Set(phases.filter(one => !one.changing).map(
         one => one.same));
      const kind = [...kinds].indexOf(phase.same);
      return phase.changing ? ws.GREY : ws.HUES[kind]
         || "hsl(" + Math.round(kind * GOLDEN) % 360 + " 50% 55%)";
   }

   const number = (phases, phase) => String(phases.indexOf(phase) + 1);

   function name(phases, phase) {
      const first = phases[phase.same];
      return number(phases, phase) + (phase.changing ? ", keeps changing"
         : first && first !== phase ? ", as " + (phase.same + 1) + " again"
         : "");
   }

   /* The phase of a time, in words. */
   ws.phaseAt = function (report, time) {
      const {phases} = report.log.changes;
      const found = phases.find(phase => time <= phase.end);
      return found ? "phase " + name(phases, found) : "";
   };

   /* A strip above a plot, and its numbers where there is room. */
   ws.drawChanges = function (u, report) {
      const {ctx, bbox} = u, ratio = devicePixelRatio || 1;
      const {phases} = report.log.changes, height = 12 * ratio;
      const place = time => Math.max(bbox.left, Math.min(
         u.valToPos(time, "x", true), bbox.left + bbox.width));
      ctx.save();
      ctx.font = 10 * ratio + "px system-ui, sans-serif";
      ctx.textBaseline = "middle";
      ctx.textAlign = "center";
      for (const phase of phases) {
         const left = place(phase.begin), width = place(phase.end) - left;
         const text = number(phases, phase);
         if (width <= 0)
            continue;
         ctx.fillStyle = colour(phases, phase);
         ctx.globalAlpha = 0.1;
         ctx.fillRect(left, bbox.top, width, bbox.height);
         ctx.globalAlpha = 1;
         ctx.fillRect(left, bbox.top - height, Math.max(width - ratio, ratio),
                      height);
         ctx.fillStyle = "#000000";
         if (width > ctx.measureText(text).width + 4 * ratio)
            ctx.fillText(text, left + width / 2, bbox.top - height / 2);
      }
      ctx.restore();
   };

   function fill(section, report) {
      const {changes} = report.log, {units} = report, {phases} = changes;
      const bytes = (title, key) => ({name: title,
                                      text: row => units.bytes(row[key])});
      const names = (title, key) => ({
         name: title, left: true, text: row => el("span", {title: row[key].map(
            ([one, pages]) => one + ": " + ws.count(pages)).join("\n")},
            row[key].map(([one, pages]) => ws.brief(one, LONGEST) + " "
                         + ws.count(pages)).join(", "))});
      if (changes.why) {
         section.append(el("p", {}, "None are shown: " + changes.why + "."));
         return;
      }
      section.append(
         el("p", {}, "Found without marks: a phase begins where the "
            + units.pages + " accessed in the "
            + units.exact(changes.length) + " before and after differ most, "
            + "and by half at least. In \u201cOver time\u201d, each phase has "
            + "the colour that it has here; one that comes again has the same "
            + "colour."),
         ws.table([
            {name: "phase", left: true, text: row => el("span",
               {class: "legend"}, el("span", {},
                  ws.swatch(() => colour(phases, row)), name(phases, row)))},
            {name: "starts at (" + units.unit + ")",
             text: row => ws.count(row.begin)},
            {name: "lasts", text: row => ws.large(row.end - row.begin)},
            bytes("average set", "average"), bytes("largest set", "peak"),
            bytes("accessed", "touched"), bytes("entered", "entered"),
            {name: "like the one before", text: row => row.like === null
               ? "-" : Math.round(100 * row.like) + " %"},
            names("entered, by mapping", "mappings"),
            ...phases.some(row => row.code.length)
               ? [names("entered, by code", "code")] : []],
            phases, "phases by change"),
         changes.left_out ? el("p", {class: "note"},
            ws.count(changes.left_out) + " more are in the page log: "
            + "ws_print --changes.") : "");
   }

   ws.hasChanges = report => Boolean(
      report.log && report.log.changes && report.log.changes.phases);

   ws.views.push({id: "changes", title: "Phases by change",
                  has: report => Boolean(report.log && report.log.changes),
                  fill: fill});
})();
