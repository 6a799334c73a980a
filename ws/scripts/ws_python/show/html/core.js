/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all parts of the page share. A view is shown by the widgets for the
   kinds of its parts, which know no view: pictures first, tables unfold. */

window.ws = /** @type {any} */ ({});

/* Makes an element; texts of a report are never read as HTML. */
globalThis.el = function (tag, attributes, ...children) {
   const element = document.createElement(tag);
   for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on"))
         element.addEventListener(name.slice(2), value);
      else if (value || value === 0)
         element.setAttribute(name, value === true ? "" : value);
   }
   element.append(...children.filter(child => child !== null));
   return element;
};

ws.texts = (lines, name) => lines.map(line => el("p", {class: name}, line));

/* Draws in a place; if it fails, that is said there, and stops nothing else. */
ws.attempt = function (place, draw, undo = () => {}) {
   try {
      draw();
   } catch (error) {
      console.error(error);
      undo();
      place.append(el("p", {class: "warning"}, "This cannot be drawn ("
         + error + "). ws_print says it in the terminal."));
   }
};

/* Decodes base64; Uint8Array.from() would take much longer. */
ws.decode = function (text) {
   const packed = atob(text), bytes = new Uint8Array(packed.length);
   for (let k = 0; k < packed.length; k++)
      bytes[k] = packed.charCodeAt(k);
   return bytes;
};

/* Unpacks the data that payload.py has made. */
ws.load = () => new Response(new Blob([
   ws.decode(document.getElementById("data").textContent)]).stream()
   .pipeThrough(new DecompressionStream("deflate"))).json();

/* Unknown values are the smallest. */
const compared = (a, b) => typeof a === "string" ? a.localeCompare(b)
   : (a ?? -Infinity) - (b ?? -Infinity) || 0;

/* Draws a table of a view; a click on a column's name sorts by it, but for
   sums. `special(k, row, columns)` may return an element, and not a text; a
   `chosen` row is marked. A row is a target for its button; arrows walk from
   button to button. The table fades where it is cut at its right. */
ws.table = function ({columns, title}, units, special, chosen) {
   const buttons = () => [...body.querySelectorAll("button")];
   const body = el("tbody", {onclick: ({target}) => target.closest("button")
      || target.closest("tr").querySelector("button")?.click(),
      onkeydown: event => {
         const step = {ArrowUp: -1, ArrowDown: 1}[event.key];
         if (step) {
            buttons()[buttons().indexOf(event.target) + step]?.focus();
            event.preventDefault();
         }
      }});
   const side = ({unit}) => unit === "text" || unit === "set" ? "left" : null;
   const cell = (column, k, row) => el("td", {class: side(column)},
      special?.(k, row, columns) || el("span", {class: "label"}, ws.inUnit(
         column.values[row], column.unit, units)));
   const show = rows => {
      body.replaceChildren(...rows.map(row => el("tr",
         {class: chosen?.(row, columns) ? "chosen" : null},
         ...columns.map((column, k) => cell(column, k, row)))));
      const stop = body.querySelector("[aria-pressed=true]") || buttons()[0];
      buttons().forEach(one => one.tabIndex = one === stop ? 0 : -1);
   };
   const all = columns[0].values.map((_, row) => row);
   const isSum = row => Number([columns[0], columns.at(-1)].some(({values}) =>
      /^(total|all(, .*)?|[0-9,]+ more( .*)?)$/.test(values[row])));
   const heads = columns.map(column => el("th",
      {scope: "col", class: side(column)}, el("button", {onclick:
         () => sort(column)}, column.title || column.name)));

   function sort(column) {
      const head = heads[columns.indexOf(column)], {values} = column;
      const sign = head.getAttribute("aria-sort") === "descending" ? 1 : -1;
      heads.forEach(one => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", sign < 0 ? "descending" : "ascending");
      show([...all].sort((a, b) => isSum(a) - isSum(b)
         || sign * compared(values[a], values[b])));
   }

   show(all);
   const check = () => box.classList.toggle("cut",
      box.scrollLeft + box.clientWidth + 1 < box.scrollWidth);
   const box = el("div", {class: "scroll", tabindex: "0", role: "region",
                          "aria-label": title, onscroll: check},
      el("table", {}, el("thead", {}, el("tr", {}, ...heads)), body));
   new ResizeObserver(check).observe(box);
   return box;
};

/* Makes buttons of which one is pressed, by its number. */
ws.choice = function (name, texts, pressed, chosen) {
   const buttons = texts.map((text, number) => el("button", {
      "aria-pressed": String(number === Number(pressed)), onclick: () => {
         buttons.forEach((button, k) => button.setAttribute(
            "aria-pressed", String(k === number)));
         chosen(number);
      }}, text));
   return ws.group(name, buttons);
};

ws.group = (name, buttons) => el("span", {
   class: "choice", role: "group", "aria-label": name}, ...buttons);

/* --- Views as base/view.py has them ------------------------------------- */

/* By kind: (section, part, view, page) => draws it there. */
ws.widgets = {};

/* `more` is for its tables. */
ws.showView = function (section, view, page, ...more) {
   const units = ws.units(view);
   section.append(...ws.texts(view.sentences));
   const pictures = view.parts.filter(({kind}) => kind !== "table");
   for (const part of pictures) {
      if (part.title && part.title !== view.title)
         section.append(el("h3", {}, part.title));
      ws.attempt(section, () => ws.widgets[part.kind](section, part, view,
                                                      page));
   }
   ws.showTables(section, view.parts.filter(
      ({kind}) => kind === "table"), units,
      !pictures.length || more.length > 0, ...more);
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
