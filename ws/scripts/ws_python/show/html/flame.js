/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tree of stacks as an icicle graph; the arrow keys walk in it. */

(function () {
   "use strict";

   const el = ws.el;
   const HUES = {data: "blue", insn: "orange"};

   /* Nothing moves: what is drawn is there at once. */
   const transition = d3.selection.prototype.transition;
   d3.selection.prototype.transition = function () {
      return transition.apply(this).duration(0);
   };

   /* For the library: names, sizes, and which node it is. */
   function copy(root) {
      const top = {name: root.name, value: root.pages, node: root,
                   children: []};
      const left = [[root, top]];
      while (left.length) {
         const [node, made] = left.pop();
         for (const child of node.children) {
            const below = {name: child.name, value: child.pages, node: child,
                           children: []};
            made.children.push(below);
            left.push([child, below]);
         }
      }
      return top;
   }

   /* chosen(nodes): a frame is clicked; nodes are from the root to it. */
   ws.flame = function (element, root, set, report, chosen) {
      const units = report.units;
      const details = el("p", {class: "readout", "aria-live": "polite"});
      const place = el("div", {class: "flame", tabindex: "0", role: "group",
         "aria-label": "Graph of the composition: arrows walk, Enter zooms, "
            + "Escape shows all. The tree below says the same."});
      const label = d => d.data.name + ": " + units.some(d.data.value) + ", "
         + units.bytes(d.data.value) + ", "
         + ws.share(d.data.value, root.pages) + " %";
      const search = el("input", {type: "search",
         placeholder: "search functions", "aria-label": "search functions",
         oninput: () => find()});
      let graph = null, here = null;

      function draw(width) {
         ws.clear(place);
         here = null;
         graph = flamegraph.default().width(width || place.clientWidth)
            .cellHeight(20).inverted(true).minFrameSize(1)
            .transitionDuration(0)
            .sort((a, b) => b.data.value - a.data.value)
            .setColorHue(HUES[set] || "green").setLabelHandler(label)
            .setSearchMatch((d, term) => d.data.name.toLowerCase().includes(
               term.toLowerCase()))
            .setSearchHandler((found, sum) => {
               details.textContent = search.value && ws.count(found.length)
                  + " found: " + units.some(sum) + ", "
                  + ws.share(sum, root.pages) + " %";
            })
            .onClick(d => chosen(d.ancestors().reverse().map(
               one => one.data.node)))
            .setDetailsHandler(text => {
               details.textContent = text || (here ? label(here) : "");
            });
         d3.select(place).datum(copy(root)).call(graph);
         d3.timerFlush();
         if (search.value)
            find();
      }

      function find() {
         if (search.value)
            graph.search(search.value);
         else
            graph.clear();
         d3.timerFlush();
      }

      function zoom(node) {
         graph.zoomTo(node);
         d3.timerFlush();
      }

      function choose(node) {
         if (!node)
            return;
         here = node;
         details.textContent = label(node);
         d3.select(place).selectAll("g.frame").classed("here",
            one => one === node);
         const frame = place.querySelector("g.here");
         if (frame)
            frame.scrollIntoView({block: "nearest"});
      }

      function beside(node, step) {
         const siblings = node.parent ? node.parent.children.slice().sort(
            (a, b) => a.x0 - b.x0) : [node];
         return siblings[siblings.indexOf(node) + step];
      }

      function largest(node) {
         return (node.children || []).reduce((best, one) =>
            !best || one.data.value > best.data.value ? one : best, null);
      }

      place.addEventListener("keydown", event => {
         const top = d3.select(place).datum();
         const now = here || top;
         const moves = {
            ArrowDown: () => choose(here ? largest(now) : top),
            ArrowUp: () => choose(now.parent),
            ArrowLeft: () => choose(beside(now, -1)),
            ArrowRight: () => choose(beside(now, 1)),
            Enter: () => {
               zoom(now);
               choose(now);
            },
            Escape: () => {
               zoom(top);
               choose(top);
            }};
         if (moves[event.key] && !event.ctrlKey && !event.altKey) {
            moves[event.key]();
            event.preventDefault();
         }
      });
      element.append(search, place, details);
      ws.keepWidth(place, draw);
   };
})();
