/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples that were kept, and what the chosen one is made of. */


/* Its set and window. */
const kind = ({title}) => title.split(/,? at /)[0];

ws.widgets.samples = function (section, part, view, page) {
   const units = ws.units(view), {samples} = part;
   const why = part.columns.at(-1).values;
   const largest = [...samples].sort((a, b) => b.pages - a.pages);
   /* Those of a log are found by their time, and would hide the others. */
   const kept = samples.filter((_, k) => why[k] !== "log");
   const listed = kept.length ? kept : largest;
   const list = el("div", {class: "samples"});
   const shown = el("div", {id: "composition-of", oninput: searched});
   let inside = samples, chosen = listed[0], asked = chosen;

   /* Draws the chosen sample. */
   function show() {
      const found = chosen.made_of;
      shown.replaceChildren(el("h3", {tabindex: "-1"}, chosen.title));
      if (found) {
         ws.widgets.tree(shown, found, view, page);
         ws.showTables(shown, found.parts, units);
      } else
         shown.append(el("p", {}, "There was no room in this page for "
            + "this one. In the terminal: " + chosen.command));
   }

   function choose(sample) {
      const isByKey = list.contains(document.activeElement);
      ws.remember({at: sample.key});
      chosen = asked = sample;
      drawList();
      show();
      if (isByKey)
         /** @type {HTMLElement} */ (list.querySelector(
            "[aria-pressed=true]"))?.focus();
   }

   /* Shows the samples in the time that is shown, and what the one that was
      asked for is made of, or the largest one like it, or the nearest. */
   function ranged() {
      const {from, to} = page.range, before = chosen;
      const far = ({time}) => Math.abs(2 * time - from - to);
      const alike = largest.filter(one => kind(one) === kind(asked));
      inside = samples.filter(({time}) => from <= time && time <= to);
      chosen = [asked, ...alike].find(one => inside.includes(one))
         || alike.sort((a, b) => far(a) - far(b))[0];
      if (chosen !== before)
         show();
      drawList();
   }

   /* The graph has a field for it, which stays where it is. */
   function searched({target}) {
      const top = () => target.getBoundingClientRect().top, before = top();
      drawList();
      scrollBy(0, top() - before);
   }

   function drawList() {
      const find = ws.finder(ws.state().find || "");
      const found = page.data.names.map(find || Boolean);
      const has = ({made_of: made}) => !find || made?.trees.some(
         ({name}) => name.some(k => found[k]));
      const shown = listed.filter(one => inside.includes(one) && has(one));
      const columns = part.columns.map(column => ({...column,
         values: shown.map(one => column.values[samples.indexOf(one)])}));
      list.replaceChildren(ws.table({...view, columns}, units, (k, row) => {
         if (k)
            return null;
         const sample = shown[row], sign = ws.sign(
            columns[0].values[row], ws.HUES[sample.set] ?? -1, sample.title,
            () => choose(sample));
         sign.setAttribute("aria-pressed", String(sample === chosen));
         return sign;
      }, row => shown[row] === chosen));
      if (!page.range.isAll)
         list.append(...ws.texts(["In the time that is shown: "
            + shown.length + " of " + listed.length + " kept samples. "
            + "What follows is about the " + (!inside.includes(chosen)
               ? "nearest of " + kind(chosen) + ": it is outside. "
               : chosen === asked ? "chosen one. "
               : "largest of " + kind(chosen) + ". ")
            + (why.includes("log") ? "The largest" : "With a page log")
            + ": ws_print tree " + ["from", "to"].map(key =>
               `--${key}=` + Math.round(page.range[key])).join(" ") + " "
            + part.file], "note"));
      if (find)
         list.append(...ws.texts(["Search: " + shown.length + " of "
            + listed.filter(one => one.made_of).length + " samples with a "
            + "graph have a function or mapping named so"
            + (has(chosen) ? "." : "; the one below does not.")], "note"));
   }

   page.show = function (wanted) {
      const far = ({time}) => Math.abs(time - wanted.near);
      const sample = "near" in wanted ? samples.filter(
         one => kind(one) === kind(listed[0])).sort((a, b) => far(a) - far(b))[0]
         : samples.find(one => one.key === wanted.key
            || one.time === wanted.x && one.pages === wanted.y);
      if (!sample)
         return;
      choose(sample);
      section.scrollIntoView({block: "start"});
      shown.querySelector("h3").focus({preventScroll: true});
   };
   page.first = () => asked === listed[0] || choose(listed[0]);
   section.append(list, shown);
   page.range.show(0, ranged);
   drawList();
   show();
};
