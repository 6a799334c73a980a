/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tree of calls as an icicle graph; the arrow keys walk in it. */

const FEWEST = 24;              /* pixels of a frame that is named */

/* Makes a test for names that have one of the texts: malloc|memcpy. */
ws.finder = function (wanted) {
   const texts = wanted.toLowerCase().split("|").filter(Boolean);
   return texts.length ? name => texts.some(
      text => name.toLowerCase().includes(text)) : null;
};

/* Draws a tree, in which measure(pages, before) is the width of what a node has
   itself. chosen(node): a frame is clicked. */
ws.flame = function (section, root, units, measure, chosen) {
   const frames = new Map();       /* elements by nodes */
   const details = el("p", {class: "readout", "aria-live": "polite"});
   const result = el("span", {class: "result", "aria-live": "polite"});
   const place = el("div", {class: "flame", tabindex: "0", role: "group",
      "aria-label": "Graph of the composition: arrows walk, Enter zooms, "
         + "Escape shows all. The tree below says the same."});
   const search = el("input", {type: "search", "aria-label": "functions",
      placeholder: "malloc|memcpy", value: ws.state().find, oninput: () => {
         ws.remember({find: search.value || null});
         find();
      }});
   /* The frames above, and the one zoomed in on, are in the address. */
   let top = (ws.state().zoom || "").split("\n").filter(Boolean).reduce(
      (node, name) => node?.children.find(one => one.name === name), root)
      || root, here = null, room = 0;  /* pixels */

   const whole = Math.max(root.pages, root.before, 1);
   const isAlone = root.before === null;
   const sized = ({pages, before}) => units.some(pages) + ", " + (isAlone
      ? units.bytes(pages) + ", " + (100 * pages / whole).toFixed(1) + " %"
      : ws.count(before) + " before: " + ws.signed(pages - before) + ", "
        + ws.signed(pages - before, units.bytes));
   (function weigh(node) {
      const itself = key => node[key] - ws.sum(node.children, key);
      node.children.forEach(weigh);
      node.width = measure(itself("pages"), itself("before"))
         + ws.sum(node.children, "width");
   })(root);
   const label = node => node.name + ": " + sized(node)
      + (node.file ? ", in " + node.file : "");

   /* What has grown is red, what has shrunk is blue. */
   function colour({module, pages, before}) {
      const change = Math.min(Math.abs(pages - before) / whole, 1);
      return isAlone ? ws.pale(ws.hue(module), 45) : !change
         ? ws.colour("grid") : ws.pale(ws.colour(
            pages > before ? "bad" : "hue0"), 10 + 50 * Math.sqrt(change));
   }

   /* Draws a node, and if `isOpen` those below it, where they are wider than
      three pixels; left and width are shares. */
   function frame(node, depth, left, width, isOpen) {
      if (!(width * room >= 3))
         return;
      const box = el("div", {class: "frame", title: label(node), onclick:
         () => zoom(node), onmouseenter: () => say(node)},
         width * room < FEWEST ? "" : node.name);
      Object.assign(box.style, {
         left: 100 * left + "%", width: 100 * width + "%",
         gridRow: depth + 1, background: colour(node)});
      frames.set(node, box);
      place.append(box);
      for (const child of isOpen ? node.children : []) {
         const part = width * child.width / node.width;
         frame(child, depth + 1, left, part, true);
         left += part;
      }
   }

   function draw() {
      place.replaceChildren();
      room = place.clientWidth;   /* each look behind a change costs a layout */
      frames.clear();
      const above = ws.pathTo(top.parent);
      above.forEach((node, depth) => frame(node, depth, 0, 1, false));
      frame(top, above.length, 0, 1, true);
      find();
      frames.get(here)?.classList.add("here");
   }

   function zoom(node) {
      top = node;
      ws.remember({zoom: ws.pathTo(node).slice(1).map(
         ({name}) => name).join("\n") || null});
      draw();
      choose(node);
      chosen(node);
   }

   const say = node => details.replaceChildren(label(node));

   function choose(node) {
      if (!frames.has(node))
         return;
      here = node;
      say(node);
      frames.forEach(box => box.classList.remove("here"));
      frames.get(node).classList.add("here");
      frames.get(node).scrollIntoView({block: "nearest"});
   }

   /* Marks functions that are found. The outermost of them have the pages of
      those that they call. */
   function find() {
      const finds = ws.finder(search.value), outermost = [];
      let number = 0;
      (function mark(node, within) {
         const found = Boolean(finds?.(node.name));
         number += Number(found);
         if (found && !within)
            outermost.push(node);
         frames.get(node)?.classList.toggle("found", found);
         node.children.forEach(one => mark(one, found || within));
      })(root, false);
      place.classList.toggle("searched", Boolean(finds));
      result.textContent = !finds ? "" : ws.count(number)
         + " found: " + sized({pages: ws.sum(outermost, "pages"),
                               before: ws.sum(outermost, "before")});
   }

   const beside = (node, step) => {
      const {children} = node.parent || {children: [node]};
      return children[children.indexOf(node) + step];
   };

   const now = () => here || root;
   ws.onKeys(place, {
      ArrowDown: () => choose(here ? here.children[0] : root),
      ArrowUp: () => choose(now().parent),
      ArrowLeft: () => choose(beside(now(), -1)),
      ArrowRight: () => choose(beside(now(), 1)),
      Enter: () => zoom(now()), Escape: () => zoom(root)});
   section.append(search, result, place, details);
   ws.keepWidth(place, draw);
   find();
};
