/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all parts of the page share: elements, and the list of views. */

var ws = {};

(function () {
   "use strict";

   /* A view is a section of the page about a report. Whoever adds one pushes
      {id, title, has(report, page), fill(element, report, page)}; one with
      sections(report) has several of them. They are shown in this order. */
   ws.views = [];

   /* An element. Children are elements or texts: nothing of a report is ever
      read as HTML. */
   const el = ws.el = function (tag, attributes, ...children) {
      const element = document.createElement(tag);
      for (const [name, value] of Object.entries(attributes || {})) {
         if (name.startsWith("on"))
            element.addEventListener(name.slice(2), value);
         else if (value === true)
            element.setAttribute(name, "");
         else if (value !== false && value !== null && value !== undefined)
            element.setAttribute(name, value);
      }
      element.append(...children.filter(child => child !== null));
      return element;
   };

   /* For a command. */
   ws.quoted = text => /^[\w./-]+$/.test(text) ? text
      : "'" + text.replaceAll("'", "'\\''") + "'";

   ws.clear = function (element, ...children) {
      element.replaceChildren(...children);
   };

   /* What is cut at its right fades there, until one has scrolled to it. */
   function fade(box) {
      const check = () => box.classList.toggle("cut",
         box.scrollLeft + box.clientWidth + 1 < box.scrollWidth);
      box.addEventListener("scroll", check);
      new ResizeObserver(check).observe(box);
      return box;
   }

   /* Unknown values are the smallest. */
   const compared = (a, b) => typeof a === "string" ? a.localeCompare(b)
      : (a === null ? -Infinity : a) - (b === null ? -Infinity : b) || 0;

   /* A table whose columns are {name, text: row => string or element,
      left: bool}; one with `value: row => datum` can be sorted by it, the
      largest first, then the smallest. The row that is `chosen` is marked. */
   ws.table = function (columns, rows, caption) {
      const side = column => column.left ? "left" : null;
      const body = el("tbody", {});
      const show = sorted => ws.clear(body, ...sorted.map(row =>
         el("tr", {class: row.chosen ? "chosen" : null},
            ...columns.map(column => el("td", {class: side(column)},
                                        column.text(row))))));
      const heads = columns.map(column => el("th", {
         scope: "col", class: side(column), title: column.title},
         column.value ? el("button", {type: "button", onclick: () =>
            sort(column)}, column.name) : column.name));

      function sort(column) {
         const head = heads[columns.indexOf(column)];
         const sign = head.getAttribute("aria-sort") === "descending" ? 1 : -1;
         heads.forEach(one => one.removeAttribute("aria-sort"));
         head.setAttribute("aria-sort", sign < 0 ? "descending"
            : "ascending");
         show([...rows].sort((a, b) => sign * compared(column.value(a),
                                                       column.value(b))));
      }

      show(rows);
      return fade(el("div", {class: "scroll", tabindex: "0", role: "region",
                             "aria-label": caption},
         el("table", {}, el("thead", {}, el("tr", {}, ...heads)), body)));
   };

   /* Buttons of which one is pressed; choices are [value, text]. */
   ws.choice = function (name, choices, value, chosen) {
      const buttons = choices.map(([one, text]) => ws.el("button", {
         type: "button", "aria-pressed": String(one === value),
         onclick: () => {
            buttons.forEach((button, k) => button.setAttribute(
               "aria-pressed", String(choices[k][0] === one)));
            chosen(one);
         }}, text));
      return ws.el("span", {class: "choice", role: "group",
                            "aria-label": name}, ...buttons);
   };
})();
