/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page: a head, the answer, and the views of one report. */

const data = await ws.load();
const dark = matchMedia("(prefers-color-scheme: dark)");
let chosen = 0;                 /* as the system has it */
let page = {}, restoring = false;
let last = 0, keys = "";        /* of a change of the fragment */
const SOON = 1000;              /* milliseconds: one gesture */

function paint(theme) {
   document.documentElement.dataset.theme = theme
      || [dark.matches ? "dark" : "light", "light", "dark"][chosen];
   ws.redraw();
}

/* What the page shows is in the fragment of its address, so that a link shows
   the same, and Back works: #section&report=1&from=5&to=9&at=data.7&own=1 */
ws.state = function () {
   const [section, ...rest] = location.hash.slice(1).split("&");
   return Object.fromEntries([["section", section],
                              ...new URLSearchParams(rest.join("&"))]);
};

/* What is drawn anew if the fragment changes. */
const look = () => ["up", "mapped", "own", "find", "lines", "zoom",
                    "width"].map(
   key => ws.state()[key]).join("&");

/* Changes what is in the fragment; null: it is not there. A change of the
   same things soon after the last one is no new step back. */
ws.remember = function (changes) {
   const {section, ...rest} = {...ws.state(), ...changes};
   const all = new URLSearchParams(Object.entries(rest).filter(
      ([, value]) => value !== null)).toString();
   const hash = "#" + section + (all ? "&" + all : "");
   if (restoring || hash === location.hash || hash === "#" + location.hash)
      return;
   const changed = Object.keys(changes).join(), now = Date.now();
   const soon = changed === keys && now - last < SOON;
   [last, keys] = [now, changed];
   history[soon ? "replaceState" : "pushState"](null, "", hash);
   page.look = look();
};

function choose(report) {
   fill(report);
   ws.remember({report: data.reports.indexOf(report), from: null, to: null,
                at: null});
   /** @type {HTMLElement} */ (document.querySelector(
      "#processes button[aria-pressed=true]"))?.focus();
}

function fill(report) {
   const range = new ws.Range(...report.range || [0, 1], "time");
   ws.plots = [];
   page = {data, report, range, look: look(), show() {}, first() {}};
   ws.toggled = new Set((ws.state().lines || "").split("\n").filter(Boolean));
   const main = el("main", {});
   const links = el("nav", {"aria-label": "sections"});
   document.getElementById("page").replaceChildren(head(links),
      ...report.range && report.views.length
         ? [ws.timeBar(range, ws.units(report), () => ws.whose(
            page, ws.units(report)))] : [], main);
   range.show(0, () => ws.remember(range.isAll ? {from: null, to: null}
      : {from: Math.round(range.from), to: Math.round(range.to)}));

   function add(id, title, show) {
      links.append(el("a", {href: "#" + id, onclick: event => {
         event.preventDefault();
         ws.remember({section: id});
         section.scrollIntoView();
      }}, title));
      const section = el("section", {id: id, "aria-labelledby": id + "-h"},
                         el("h2", {id: id + "-h"}, title));
      main.append(section);
      show(section);
   }

   if (data.processes)
      add("processes", data.processes.title, processes);
   add("answer", report.answer.title, answer);
   for (const view of report.views)
      add(view.name, view.title, view.is_closed ? section => section.append(
         unchanged(view)) : section => ws.showView(section, view, page));
   main.append(el("footer", {}, "Measured by ws, a tool of Valgrind. The "
      + "licences of the libraries in this page are in its source."));
}

/* Shows a view when one unfolds it. */
function unchanged(view) {
   const place = el("details", {ontoggle: () => place.children.length > 1
      || ws.showView(place, view, page)}, el(
      "summary", {}, "Nothing has changed."));
   return place;
}

function head(links) {
   return el("header", {},
      el("h1", {}, data.title),
      ws.choice("colours", ["auto", "light", "dark"], chosen, number => {
         chosen = number;
         paint();
      }), links);
}

function answer(section) {
   const {answer: view} = page.report;
   section.append(
      ...ws.texts(view.warnings, "warning"),
      ...data.conditions.map(({line, failed}) => el(
         "p", {class: failed ? "failed" : "passed"}, line)),
      el("pre", {class: "said"}, ...view.lines.map(line => el("div", {}, line))));
   ws.showTables(section, view.parts, ws.units(view), !page.report.file);
   section.append(...ws.texts(view.notes, "note"),
      el("details", {}, el("summary", {}, "What is a working "
         + "set?"), el("p", {}, view.meaning)));
}

/* Shows the processes; a click on one's name makes the page about it. */
function processes(section) {
   const {views, end} = data.processes, {reports} = data;
   const has = (row, [{name}]) => name === "report" && row < reports.length;
   const button = report => el("button", {
      class: "process", title: report.label,
      "aria-pressed": String(report === page.report),
      onclick: () => choose(report)}, report.file);
   /* They have a clock of their own. */
   const all = {...page, range: new ws.Range(0, end, "common")};
   ws.showView(section, data.processes, all, (k, row, columns) =>
      k === 0 && has(row, columns) ? button(reports[row]) : null,
      (row, columns) => has(row, columns) && reports[row] === page.report);
   for (const view of views) {
      section.append(el("h3", {}, view.title));
      ws.showView(section, view, all);
   }
}

/* Shows what the fragment says. */
function restore() {
   const {section, report, at, ...state} = ws.state();
   const from = Number(state.from), to = Number(state.to);
   const wanted = data.reports.find((_, number) => String(number) === report)
      || data.reports[0];
   restoring = true;
   if (wanted !== page.report || look() !== page.look)
      fill(wanted);
   if (from < to && Number.isFinite(to - from))
      page.range.set(from, to);
   else
      page.range.all();
   (at ? page.show : page.first)({key: at});
   document.getElementById(section)?.scrollIntoView();
   restoring = false;
}

paint();
restore();
addEventListener("popstate", () => {
   keys = "";
   restore();
});
dark.addEventListener("change", () => paint());
for (const [name, theme] of [["beforeprint", "light"], ["afterprint", ""]])
   addEventListener(name, () => {
      document.documentElement.classList.toggle("paper", Boolean(theme));
      paint(theme);
   });
ws.isDrawn = true;              /* for those who wait */
