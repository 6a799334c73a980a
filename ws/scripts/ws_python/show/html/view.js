/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Views as model/view.py has them: each part is drawn by the widget for its
   kind, which knows no view. Pictures come first, tables unfold. */

const el = ws.el;

/* By kind: (section, part, view, page) => draws it there. */
ws.widgets = {};

ws.showView = function (section, view, page) {
   const units = ws.units(view);
   section.append(...ws.texts(view.sentences));
   const pictures = view.parts.filter(({kind}) => kind !== "table");
   for (const part of pictures) {
      if (part.title && part.title !== view.title)
         section.append(el("h3", {}, part.title));
      ws.widgets[part.kind](section, part, view, page);
   }
   ws.showTables(section, view.parts.filter(
      ({kind}) => kind === "table"), units, !pictures.length);
   section.append(...ws.texts(view.notes, "note"));
};

/* Shows tables that unfold; one alone is there. */
ws.showTables = function (section, tables, units, isOpen, ...more) {
   for (const table of tables) {
      const parts = [...ws.texts(table.sentences),
                     ws.table(table, units, ...more)];
      section.append(...isOpen && tables.length === 1 ? parts
         : [el("details", {open: isOpen}, el("summary", {}, table.title),
               ...parts)]);
   }
};
