/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Views as model/view.py has them: each part is drawn by the widget for its
   kind, which knows no view. Pictures come first, tables unfold. */

(function () {
   "use strict";

   const el = ws.el;

   /* By kind: (element, part, report, page) => draws it there. */
   ws.widgets = {};

   ws.widgets.table = function (section, part, report) {
      const rows = part.columns[0].values.map((_, row) => row);
      section.append(
         ...part.sentences.map(line => el("p", {}, line)),
         ws.table(part.columns.map(({name, title, unit, values}) => {
            const digits = unit === "count" && values.some(
               value => !Number.isInteger(value)) ? 1 : 0;
            return {name: title || name, left: unit === "text",
                    value: row => values[row],
                    text: row => ws.inUnit(values[row], unit,
                                           report.units.unit, digits)};
         }), rows, part.title));
   };

   /* The report with the page size of a view, which may be a larger one. */
   function sized(report, view) {
      const run = {...report.run, page_size: view.page_szB};
      return {...report, run: run, units: ws.units(run)};
   }

   ws.showView = function (section, view, report, page) {
      const own = sized(report, view);
      section.append(...view.sentences.map(line => el("p", {}, line)));
      const pictures = view.parts.filter(({kind}) => kind !== "table");
      const tables = view.parts.filter(({kind}) => kind === "table");
      for (const part of pictures) {
         section.append(el("h3", {}, part.title));
         ws.widgets[part.kind](section, part, own, page);
      }
      for (const part of tables) {
         const box = el("details", {open: !pictures.length},
                        el("summary", {}, part.title));
         ws.widgets.table(box, part, own);
         section.append(box);
      }
      section.append(...view.notes.map(
         line => el("p", {class: "note"}, line)));
   };

   /* A section for each view of a report's log. */
   ws.views.push({id: "log", has: report => Boolean(report.log),
      sections: ({log}) => log.views.map(view => ({
         id: "view-" + view.name, title: view.title,
         fill: (section, report, page) => {
            ws.showView(section, view, report, page);
            if (view === log.views[log.views.length - 1])
               section.append(...log.missing.map(line => el("p",
                  {class: "note"}, "Not in this page: " + line)));
         }}))});
})();
