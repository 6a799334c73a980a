/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the scripts of the page are given: curves, and trees of stacks. */

(function () {
   "use strict";

   ws.load = function () {
      const packed = atob(document.getElementById("data").textContent);
      const bytes = Uint8Array.from(packed, one => one.charCodeAt(0));
      return new Response(new Blob([bytes]).stream().pipeThrough(
         new DecompressionStream("deflate"))).json();
   };

   function sums(deltas, scale) {
      const values = new Float64Array(deltas.length);
      let sum = 0;
      deltas.forEach((delta, k) => {
         sum += delta;
         values[k] = sum / scale;
      });
      return values;
   }

   /* The points of a report's curves: {per, samples, times, curves}, a curve
      with sizes `mean`, `low` and `high`, which are one if a point is a
      sample. */
   ws.series = function (report) {
      const deltas = [];
      for (const [delta, count] of report.times)
         for (let k = 0; k < count; k++)
            deltas.push(delta);
      return {
         per: report.per, samples: report.samples, times: sums(deltas, 1),
         curves: report.curves.map(curve => {
            const mean = curve.size ? sums(curve.size, 1)
               : sums(curve.mean, 10);
            return {set: curve.set, tau: curve.tau, mean: mean,
                    low: curve.low ? sums(curve.low, 1) : mean,
                    high: curve.high ? sums(curve.high, 1) : mean};
         })};
   };

   /* How many samples a point stands for. */
   ws.weight = function (series, point) {
      return Math.min(series.per, series.samples - point * series.per);
   };

   /* At most so many points for the time [from, to], with one more at each
      side: groups of points, whose first ones are multiples of their number,
      so that they stay the same when one pans. */
   ws.thin = function (series, curves, from, to, most) {
      const times = series.times;
      let first = 0, last = times.length - 1;
      while (first < last && times[first + 1] < from)
         first++;
      while (last > first && times[last - 1] > to)
         last--;
      const group = Math.max(1, Math.ceil((last - first + 1) / most));
      first -= first % group;
      const found = {group: group, first: first, times: [],
                     curves: curves.map(() => ({mean: [], low: [],
                                                high: []}))};
      for (let start = first; start <= last; start += group) {
         const end = Math.min(start + group, times.length);
         found.times.push(times[end - 1]);
         curves.forEach((curve, k) => {
            let low = Infinity, high = -Infinity, sum = 0, weights = 0;
            for (let point = start; point < end; point++) {
               const weight = ws.weight(series, point);
               low = Math.min(low, curve.low[point]);
               high = Math.max(high, curve.high[point]);
               sum += curve.mean[point] * weight;
               weights += weight;
            }
            found.curves[k].low.push(low);
            found.curves[k].high.push(high);
            found.curves[k].mean.push(sum / weights);
         });
      }
      return found;
   };

   /* A tree of a kept sample: nodes {name, pages, children}. `up`:
      from the accesses to their callers; `mapped`: below mappings. */
   ws.tree = function (report, names, kept, up, mapped) {
      const root = newNode();
      for (const [node, mapping, pages] of kept.parts) {
         const path = [];
         for (let k = node; k >= 0; k = report.nodes[k][0])
            path.push(report.places[report.nodes[k][1]]);
         if (!up)
            path.reverse();
         let here = root;
         here.pages += pages;
         if (mapped) {
            here = child(here, "mapping " + mapping, mapping, mapping);
            here.pages += pages;
         }
         for (const [key, name, exact] of path) {
            here = child(here, key, name, exact);
            here.pages += pages;
         }
      }
      return finish(root, names);
   };

   function newNode() {
      return {pages: 0, below: new Map(), exact: null, name: null};
   }

   /* Of several lines of a function, only the name is shown. */
   function child(node, key, name, exact) {
      let found = node.below.get(key);
      if (!found) {
         found = newNode();
         found.name = name;
         found.exact = exact;
         node.below.set(key, found);
      } else if (found.exact !== exact) {
         found.exact = null;
      }
      return found;
   }

   function finish(root, names) {
      const all = [root];
      for (const node of all)         /* grows */
         all.push(...node.below.values());
      for (const node of all.reverse()) {
         node.name = node === root ? "all"
            : names[node.exact === null ? node.name : node.exact];
         node.children = [...node.below.values()].sort((a, b) =>
            b.pages - a.pages || (a.name < b.name ? -1 : 1));
         delete node.below;
      }
      return root;
   }

   /* [name, pages] of a kept sample, the largest first. */
   ws.mappings = function (names, kept) {
      const pages = new Map();
      for (const part of kept.parts)
         pages.set(part[1], (pages.get(part[1]) || 0) + part[2]);
      return [...pages].map(([name, sum]) => [names[name], sum]).sort(
         (a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
   };
})();
