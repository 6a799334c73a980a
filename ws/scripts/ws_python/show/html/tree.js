/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tree that unfolds: elements that every browser can open by a key. */

(function () {
   "use strict";

   const el = ws.el;
   const MOST = 20;            /* siblings, until one asks for more */
   const OPEN = 3;             /* levels that are open, along the largest */

   ws.treeList = function (root, report, up) {
      const whole = root.pages, units = report.units;
      const places = new Map();       /* of nodes that are there */
      const arrow = up ? " \u2190 " : " \u2192 ";

      /* With those that have all its pages, and no others, below it. */
      function chain(node) {
         const found = [node];
         let last = node;
         while (last.children.length === 1
                && last.children[0].pages === node.pages) {
            last = last.children[0];
            found.push(last);
         }
         return found;
      }

      const numbers = (node, indent, name) => {
         const text = el("span", {class: "name"}, name);
         text.style.paddingLeft = Math.min(indent, 24) * 0.8 + "em";
         return [el("span", {class: "number"}, ws.count(node.pages)),
                 el("span", {class: "number"}, ws.share(node.pages, whole)),
                 el("span", {class: "number"}, units.bytes(node.pages)), text];
      };

      function item(node, depth, open) {
         const nodes = node === root ? [root] : chain(node);
         const last = nodes[nodes.length - 1];
         const name = nodes.map(one => one.name).join(arrow);
         const put = (place, unfold) => {
            nodes.forEach(one => places.set(one, {place, unfold}));
            return place;
         };
         if (!last.children.length)
            return put(el("div", {class: "leaf row"},
                          ...numbers(node, depth, name)), () => null);
         const below = el("div", {});
         const box = el("details", {},
            el("summary", {class: "row"}, ...numbers(node, depth, name)),
            below);
         let filled = false;
         const unfold = () => {
            if (box.open && !filled) {
               filled = true;
               list(below, last, depth + 1, open - 1);
            }
         };
         box.addEventListener("toggle", unfold);
         if (open > 0) {
            box.open = true;
            unfold();
         }
         return put(box, () => {
            box.open = true;
            unfold();
         });
      }

      function list(below, node, depth, open) {
         const rest = node.pages - node.children.reduce(
            (sum, one) => sum + one.pages, 0);
         const items = node.children.map((one, k) =>
            () => item(one, depth, k === 0 ? open : 0));
         if (rest)
            items.push(() => el("div", {class: "leaf row"}, ...numbers(
               {pages: rest}, depth, up ? "no other caller" : "itself")));
         more(below, items, 0);
      }

      function more(below, items, start) {
         items.slice(start, start + MOST).forEach(make => below.append(
            make()));
         const left = items.length - start - MOST;
         if (left > 0) {
            const button = el("button", {type: "button", class: "more",
               onclick: () => {
                  const next = below.childNodes.length - 1;
                  button.remove();
                  more(below, items, start + MOST);
                  const target = below.childNodes[next];
                  (target.querySelector("summary") || below).focus();
               }}, ws.count(left) + " more");
            below.append(button);
         }
      }

      /* Unfolds the nodes from the root on, as far as they are there. */
      function reveal(nodes) {
         const shown = nodes.filter(node => {
            const found = places.get(node);
            if (found)
               found.unfold();
            return found;
         });
         places.forEach(({place}) => place.classList.remove("here"));
         const {place} = places.get(shown[shown.length - 1]);
         place.classList.add("here");
      }

      const tree = el("div", {class: "tree"},
         el("div", {class: "row head", "aria-hidden": "true"},
            el("span", {class: "number"}, units.pages),
            el("span", {class: "number"}, "%"),
            el("span", {class: "number"}, "size"), el("span", {}, "")),
         item(root, 0, OPEN));
      return {tree, reveal};
   };

   /* Functions: their own pages, and with what they call. */
   ws.functions = function (root, report) {
      const found = new Map(), {units} = report;
      /* Of a function that calls itself, the outermost call has all pages. */
      const above = new Set(), left = [...root.children];
      while (left.length) {
         const node = left.pop();
         if (typeof node === "string") {
            above.delete(node);         /* what it calls is done */
            continue;
         }
         const row = found.get(node.name) || {name: node.name, own: 0, all: 0};
         found.set(node.name, row);
         row.own += node.children.reduce((sum, one) => sum - one.pages,
                                         node.pages);
         if (!above.has(node.name)) {
            row.all += node.pages;
            above.add(node.name);
            left.push(node.name);
         }
         left.push(...node.children);
      }
      const column = (name, key) => [
         {name: name, value: row => row[key],
          text: row => units.bytes(row[key])},
         {name: "%", value: row => row[key],
          text: row => ws.share(row[key], root.pages)}];
      return ws.table([
         ...column("itself", "own"), ...column("with what it calls", "all"),
         {name: "function", left: true, value: row => row.name,
          text: row => el("span", {class: "label"}, row.name)}],
         [...found.values()].sort((a, b) => b.own - a.own), "functions");
   };
})();
