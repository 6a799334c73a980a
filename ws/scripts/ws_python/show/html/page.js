/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page: a head, and the views of one report. */

(async function () {
   "use strict";

   const el = ws.el;
   const data = await ws.load();
   const dark = matchMedia("(prefers-color-scheme: dark)");
   let chosen = "";                /* as the system has it */

   function paint(theme) {
      document.documentElement.dataset.theme = theme || chosen
         || (dark.matches ? "dark" : "light");
      ws.redraw();
   }

   for (const report of data.reports) {
      report.units = ws.units(report.run);
      report.run.sets = [...new Set(report.sizes.map(some => some.set))];
   }

   /* What views know of the page. */
   let current = null, restoring = false;
   const page = {
      data: data, listeners: {},
      on: (name, listener) => {
         page.listeners[name] = listener;
      },
      show: kept => page.listeners.sample && page.listeners.sample(kept),
      remember: changes => restoring || ws.remember(changes),
      choose: report => {
         fill(report);
         ws.remember({report: data.reports.indexOf(report), from: null,
                      to: null, at: null});
         const pressed = document.querySelector(
            "#processes button[aria-pressed=true]:not(.controls *)");
         if (pressed)
            pressed.focus();
      }};

   function fill(report) {
      current = report;
      page.listeners = {};
      page.range = ws.rangeOf(report);
      ws.plots = [];
      const views = [].concat(...ws.views.filter(
         view => view.has(report, page)).map(
         view => view.sections ? view.sections(report) : view));
      const main = el("main", {});
      const links = el("nav", {"aria-label": "sections"});
      ws.clear(document.getElementById("page"), head(links),
               ...report.samples || report.log
                  ? [ws.timeBar(page.range, report)] : [], main);
      page.range.show(main, 0, () => page.remember(page.range.isAll
         ? {from: null, to: null} : {from: Math.round(page.range.from),
                                     to: Math.round(page.range.to)}));
      for (const view of views) {
         links.append(el("a", {href: "#" + view.id, onclick: event => {
            event.preventDefault();
            page.remember({section: view.id});
            section.scrollIntoView();
         }}, view.title));
         const section = el("section", {id: view.id,
                                        "aria-labelledby": view.id + "-h"},
            el("h2", {id: view.id + "-h"}, view.title));
         main.append(section);
         view.fill(section, report, page);
      }
      main.append(el("footer", {}, "Measured by ws, a tool of Valgrind. The "
         + "licences of the libraries in this page are in its source."));
   }

   function head(links) {
      return el("header", {},
         el("h1", {}, data.title),
         ws.choice("colours", [["", "auto"], ["light", "light"],
                               ["dark", "dark"]], chosen, value => {
            chosen = value;
            paint();
         }), links);
   }

   /* Shows what the fragment says. */
   function restore() {
      const {section, report, from, to, at} = ws.state();
      const wanted = data.reports[report || 0] || data.reports[0];
      restoring = true;
      if (wanted !== current)
         fill(wanted);
      if (from !== undefined && Number(from) < Number(to))
         page.range.set(Number(from), Number(to));
      else
         page.range.all();
      const kept = current.kept.find(one => ws.keyOf(one) === at);
      if (kept && page.listeners.sample)
         page.listeners.sample(kept);
      const place = section && document.getElementById(section);
      if (place)
         place.scrollIntoView();
      restoring = false;
   }

   paint();
   restore();
   ws.onReturn(restore);
   dark.addEventListener("change", () => paint());
   for (const [name, theme] of [["beforeprint", "light"], ["afterprint", ""]])
      addEventListener(name, () => {
         document.documentElement.classList.toggle("paper", Boolean(theme));
         paint(theme);
      });
   ws.isDrawn = true;              /* for those who wait */
})();
