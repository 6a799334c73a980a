/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the working set is made of, at a sample that was kept. */

(function () {
   "use strict";

   const el = ws.el;

   ws.keyOf = kept => kept.set + "." + kept.time;

   function fill(section, report, page) {
      const units = report.units, names = page.data.names;
      const view = {kept: report.kept[0], inside: report.kept, up: false,
                    mapped: false};
      const list = el("div", {});
      const shown = el("div", {id: "composition-of"});

      function show() {
         const {kept} = view;
         const title = el("h3", {tabindex: "-1"}, kept.title + ": "
            + units.some(kept.pages) + ", "
            + units.bytes(kept.pages));
         ws.clear(shown, title);
         if (kept.parts === null) {
            shown.append(el("p", {}, "There was no room in this page for "
               + "this one. In the terminal: ws_print tree --at="
               + (kept.peak ? "peak." + kept.peak : kept.time) + " "
               + report.file));
            return;
         }
         shown.append(el("div", {class: "controls"},
            ws.choice("direction", [[false, "from main down to the accesses"],
                                    [true, "from the accesses to callers"]],
                      view.up, value => {
                         view.up = value;
                         trees();
                      }),
            ws.choice("first level", [[false, "by function"],
                                      [true, "by mapping"]],
                      view.mapped, value => {
                         view.mapped = value;
                         trees();
                      })));
         const both = el("div", {});
         shown.append(both, mappings(kept), el("details", {},
            el("summary", {}, "By function"), ws.functions(
               ws.tree(report, names, kept, false, false), report)));

         function trees() {
            const root = ws.tree(report, names, kept, view.up, view.mapped);
            const {tree, reveal} = ws.treeList(root, report, view.up);
            ws.clear(both);
            ws.flame(both, root, kept.set, report, reveal);
            both.append(tree);
         }
         trees();
      }

      function mappings(kept) {
         return el("details", {},
            el("summary", {}, "By mapping"),
            ws.table([
               {name: units.pages, text: ([, pages]) => ws.count(pages)},
               {name: "%", text: ([, pages]) => ws.share(pages, kept.pages)},
               {name: "size", text: ([, pages]) => units.bytes(pages)},
               {name: "mapping", left: true, text: ([name]) => name}],
               ws.mappings(names, kept), "pages by mapping"));
      }

      function choose(kept) {
         page.remember({at: ws.keyOf(kept)});
         view.kept = kept;
         samples();
         show();
      }

      /* Those in the time that is shown; the largest of these, if the chosen
         one is not among them. */
      function ranged() {
         const {from, to} = page.range;
         const inside = report.kept.filter(
            ({time}) => from <= time && time <= to);
         view.inside = inside;
         if (inside.length && !inside.includes(view.kept)) {
            view.kept = inside.find(({set}) => set === view.kept.set)
               || inside[0];
            show();
         }
         samples();
      }

      function samples() {
         ws.clear(list, ws.table([
            {name: "", left: true, text: row => {
               const sign = ws.sign(row.kept, () => choose(row.kept));
               sign.setAttribute("aria-pressed", String(row.chosen));
               return sign;
            }},
            {name: "set", left: true,
             text: row => ws.NAMES[row.kept.set].toLowerCase()},
            {name: "at (" + units.unit + ")",
             text: row => ws.count(row.kept.time)},
            {name: units.pages, text: row => ws.count(row.kept.pages)},
            {name: "size", text: row => units.bytes(row.kept.pages)},
            {name: "kept as", left: true, text: row =>
               [row.kept.why, row.kept.label]
                  .filter(Boolean).join(": ")}],
            view.inside.map(kept => ({kept: kept,
                                      chosen: kept === view.kept})),
            "kept samples"));
         if (!page.range.isAll)
            list.append(el("p", {class: "note"}, "In the time that is shown: "
               + view.inside.length + " of " + report.kept.length + " kept "
               + "samples. --ws-info-at=" + Math.round(page.range.from)
               + " of ws keeps one more."));
         if (report.left_out.kept)
            list.append(el("p", {class: "note"}, ws.count(
               report.left_out.kept) + " more are in the report."));
      }

      page.on("sample", kept => {
         choose(kept);
         section.scrollIntoView({block: "start"});
         shown.querySelector("h3").focus({preventScroll: true});
      });
      section.append(el("p", {}, (report.run.source
         ? "The kernel says which mapping a page is part of, not which code "
            + "used it. "
         : "Each page counts for the code that brought it into the working "
            + "set. ")
         + "Choose a sample here, or a number in the curve, which shows more "
         + "of them when it is zoomed."), list, shown);
      if (report.run.stacks === false && !report.run.source)
         section.append(el("p", {class: "note"}, "Only the function of each "
            + "access is known; --ws-stacks=yes of ws adds its callers."));
      page.range.show(list, 0, ranged);
      samples();
      show();
   }

   ws.views.push({id: "composition", title: "What it is made of",
                  has: report => report.kept.length > 0, fill: fill});
})();
