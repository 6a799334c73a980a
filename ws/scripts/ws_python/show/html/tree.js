/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tree of calls, of elements that each browser unfolds by a key. */

const MOST = 20;            /* siblings, until one asks for more */
const OPEN = 3;             /* levels that are open, along the largest */
const WIDTHS = [["the larger", Math.max], ["new", pages => pages],
                ["old", (pages, before) => before],
                ["difference", (pages, before) => Math.abs(pages - before)]];

/* Makes nodes of the lists of stacks.py; `before` is null, or a number for a
   run that is compared with this one. */
ws.nodes = function ({depth, name, pages, code, before}, names) {
   const above = [];
   depth.forEach((level, k) => {
      const module = code[k] < -1 ? -3 - code[k] : code[k];
      const node = {name: names[name[k]], pages: pages[k], children: [], module,
                    before: before[k] ?? null, isOwn: code[k] >= -1,
                    file: module < 0 ? "" : names[module],
                    parent: level ? above[level - 1] : null};
      above[level] = node;
      if (level)
         node.parent.children.push(node);
   });
   return above[0];
};

ws.sum = (nodes, key) => nodes.reduce((sum, node) => sum + node[key], 0);

/* Returns a tree of the program's own code: what other code has goes to the
   own code that is next to it. What is folded ("2 more") remains apart. */
ws.ownCode = function (node, parent = null) {
   const own = {...node, parent}, left = [...node.children], same = new Map();
   while (left.length) {
      const one = left.shift();
      const key = one.file || one.children.length ? one.name : one;
      if (one.isOwn)
         same.set(key, [...same.get(key) || [], one]);
      else
         left.push(...one.children);
   }
   own.children = [...same.values()].map(nodes => ws.ownCode({
      ...nodes[0], pages: ws.sum(nodes, "pages"),
      before: ws.sum(nodes, "before"),
      children: nodes.flatMap(({children}) => children)}, own)).sort(
      (a, b) => b.pages - a.pages);
   return own;
};

/* From the root to it. */
ws.pathTo = node => node ? [...ws.pathTo(node.parent), node] : [];

/* Shows a tree, of callers if `up`; reveal(node) unfolds down to it. */
ws.treeList = function (root, units, up) {
   const places = new Map();       /* of nodes that are there */

   /* Returns a node, and those that have all its pages, below it. */
   function chain(node) {
      const [only, more] = node.children;
      return node === root || !only || more || only.pages !== node.pages
         || only.before !== node.before ? [node] : [node, ...chain(only)];
   }

   function numbers({pages, before}, depth, name) {
      const text = el("span", {class: "name"}, name);
      text.style.paddingLeft = Math.min(depth, 24) * 0.8 + "em";
      const texts = root.before === null
         ? [(100 * pages / Math.max(root.pages, 1)).toFixed(1),
            units.bytes(pages)]
         : [ws.signed(pages - before), ws.signed(pages - before, units.bytes)];
      return [ws.count(pages), ...texts].map(
         number => el("span", {class: "number"}, number)).concat(text);
   }

   /* Makes an element that is filled when it unfolds. */
   function fold(summary, fill, isOpen) {
      const below = el("div", {});
      const box = el("details", {ontoggle: () => box.open && box.unfold()},
                     summary, below);
      box.unfold = () => {
         box.open = true;
         if (!below.hasChildNodes())
            fill(below);
      };
      if (isOpen)
         box.unfold();
      return box;
   }

   function item(node, depth, open) {
      const nodes = chain(node), last = nodes[nodes.length - 1];
      const row = numbers(node, depth, nodes.map(
         ({name}) => name).join(up ? " \u2190 " : " \u2192 "));
      const box = last.children.length
         ? fold(el("summary", {class: "row"}, ...row), below => list(
              below, last, depth + 1, open - 1), open > 0)
         : el("div", {class: "leaf row"}, ...row);
      nodes.forEach(one => places.set(one, box));
      return box;
   }

   function list(below, node, depth, open) {
      const rest = {pages: node.pages - ws.sum(node.children, "pages"),
                    before: node.before - ws.sum(node.children, "before")};
      const items = node.children.map((one, k) =>
         () => item(one, depth, k === 0 ? open : 0));
      if (rest.pages || rest.before)
         items.push(() => el("div", {class: "leaf row"}, ...numbers(
            rest, depth, up ? "no other caller" : "itself")));
      more(below, items);
   }

   function more(below, items) {
      below.append(...items.splice(0, MOST).map(make => make()));
      if (items.length)
         below.append(fold(el("summary", {class: "more"}, ws.count(
            items.length) + " more"), place => more(place, items)));
   }

   function reveal(node) {
      const shown = ws.pathTo(node).flatMap(one => places.get(one) || []);
      shown.forEach(box => box.unfold && box.unfold());
      places.forEach(box => box.classList.remove("here"));
      shown[shown.length - 1].classList.add("here");
   }

   const tree = el("div", {class: "tree"},
      el("div", {class: "row head", "aria-hidden": "true"},
         ...[units.pages, ...root.before === null ? ["%", "size"]
            : ["change", "in bytes"], ""].map((name, k) => el(
            "span", {class: k < 3 ? "number" : null}, name))),
      item(root, 0, OPEN));
   return {tree, reveal};
};

/* Shows the trees of a sample in the way that one chooses. */
ws.widgets.tree = function (section, {trees}, view, page) {
   const both = el("div", {}), units = ws.units(view);
   const way = (key, most = 1) => Math.max(0, WIDTHS.findIndex(
      (_, k) => k <= most && String(k) === ws.state()[key]));
   const choice = (name, key, ...texts) => ws.choice(
      name, texts, way(key, texts.length - 1), number => {
         ws.remember({[key]: number || null});
         draw();
      });

   function draw() {
      const all = ws.nodes(trees[2 * way("mapped") + way("up")], page.data.names);
      const root = way("own") ? ws.ownCode(all) : all;
      const {tree, reveal} = ws.treeList(root, units, way("up"));
      both.replaceChildren();
      ws.flame(both, root, units, WIDTHS[way("width", 3)][1], reveal);
      both.append(tree);
   }

   section.append(el("div", {class: "controls"},
      choice("direction", "up", "from main down to the accesses",
             "from the accesses to callers"),
      choice("first level", "mapped", "by function", "by mapping"),
      choice("code", "own", "everything", "own code"),
      ...trees[0].before.length ? [choice(
         "width", "width", ...WIDTHS.map(([name]) => name))] : []), both);
   draw();
};
