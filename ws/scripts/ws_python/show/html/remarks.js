/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is drawn at the curve: phases, marks, and the numbers of peaks. */

(function () {
   "use strict";

   const el = ws.el;
   const BUTTON = 20;              /* pixels of a number */
   const LANES = 3;                /* of labels, one above the other */
   const LANE = 15;                /* pixels */
   const LONGEST = 30;             /* characters of a label */

   /* Every second phase has a background. */
   ws.drawPhases = function (u, report) {
      const {ctx, bbox} = u;
      const place = time => Math.max(bbox.left, Math.min(
         u.valToPos(time, "x", true), bbox.left + bbox.width));
      ctx.save();
      ctx.fillStyle = ws.colour("stripe");
      report.phases.forEach((phase, k) => {
         const left = place(phase.start), right = place(phase.end);
         if (k % 2 && right > left)
            ctx.fillRect(left, bbox.top, right - left, bbox.height);
      });
      ctx.restore();
   };

   /* A line for each mark, and its label where there is room, on the lines of
      others. */
   ws.drawMarks = function (u, report) {
      const {ctx, bbox} = u, ratio = devicePixelRatio || 1;
      const right = bbox.left + bbox.width;
      const ends = Array(LANES).fill(-Infinity), labels = [];
      let last = -Infinity;
      ctx.save();
      ctx.strokeStyle = ws.colour("faint");
      ctx.lineWidth = ratio;
      ctx.setLineDash([4 * ratio, 3 * ratio]);
      ctx.font = 12 * ratio + "px system-ui, sans-serif";
      ctx.textBaseline = "top";
      for (const mark of report.marks) {
         const x = u.valToPos(mark.time, "x", true);
         if (x < bbox.left || x > right || x - last < ratio)
            continue;
         last = x;
         ctx.beginPath();
         ctx.moveTo(x, bbox.top);
         ctx.lineTo(x, bbox.top + bbox.height);
         ctx.stroke();
         const text = mark.label.length > LONGEST
            ? mark.label.slice(0, LONGEST - 1) + "\u2026" : mark.label;
         const width = ctx.measureText(text).width + 8 * ratio;
         const left = x + width > right ? x - width : x;
         const lane = ends.findIndex(end => left > end);
         if (lane >= 0) {
            ends[lane] = left + width;
            labels.push([text, left, bbox.top + (2 + LANE * lane) * ratio,
                         width]);
         }
      }
      for (const [text, left, top, width] of labels) {
         ctx.fillStyle = ws.colour("paper");
         ctx.fillRect(left + 2 * ratio, top, width - 4 * ratio,
                      (LANE - 1) * ratio);
         ctx.fillStyle = ws.colour("faint");
         ctx.fillText(text, left + 4 * ratio, top);
      }
      ctx.restore();
   };

   /* Kept samples on the curves of their window, the highest ones first:
      buttons, each just above its size.  One that would cover another one, or
      the curve of another set, is left out; but the largest of a set. */
   ws.placePeaks = function (u, curve) {
      const {report, page} = curve, placed = [];
      const sets = curve.shown.filter(({tau}) => tau === report.run.kept_tau
         || tau === null).map(one => one.set);
      u.over.querySelectorAll(".peak").forEach(button => button.remove());
      for (const kept of report.kept) {
         if (!sets.includes(kept.set) || kept.time < curve.range.from
             || kept.time > curve.range.to)
            continue;
         const x = u.valToPos(kept.time, "x");
         const y = u.valToPos(kept.pages, "y") - BUTTON / 2 - 3;
         if (placed.some(([a, b]) => Math.abs(a - x) < 1.5 * BUTTON
                         && Math.abs(b - y) < BUTTON)
             || (!kept.largest && coversOther(u, curve, kept.set, x, y)))
            continue;
         placed.push([x, y]);
         const button = ws.sign(kept, () => page.show(kept));
         button.style.left = x + "px";
         button.style.top = y + "px";
         u.over.append(button);
      }
   };

   /* Whether a button at x, y is on the upper edge of another set's curve. */
   function coversOther(u, {shown, thin}, set, x, y) {
      return shown.some((other, k) => other.set !== set && thin.times.some(
         (time, point) => Math.abs(u.valToPos(time, "x") - x) < BUTTON / 2
            && Math.abs(u.valToPos(thin.curves[k].high[point], "y") - y)
               < BUTTON / 2));
   }

   /* The number as for --at=peak.1; of what is no peak, a letter. */
   ws.sign = function (kept, action) {
      return el("button", {
         type: "button", class: "peak " + kept.set, title: kept.title,
         "aria-label": "show what it is made of: " + kept.title,
         onmousedown: event => event.stopPropagation(), onclick: action},
         kept.peak !== null ? String(kept.peak) : kept.largest ? "max"
         : kept.label ? "S" : "i");
   };
})();
