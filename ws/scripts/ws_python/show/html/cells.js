/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cells of a map of addresses over time, and their colours. */

(function () {
   "use strict";

   /* log_html.py counts shares in steps of this part of an octave. */
   const STEPS = 16;
   const SHARES = Float64Array.from({length: 256}, (_, level) =>
      level ? Math.pow(2, (level - 255) / STEPS) : 0);
   const PALEST = 0.12;
   const POWER = 0.35;             /* what is small is to be seen, too */

   /* How opaque a cell is. */
   ws.density = share => share > 0
      ? PALEST + (1 - PALEST) * Math.pow(share, POWER) : 0;

   /* Returns the levels of each set by row, then by column. */
   ws.cells = map => Object.fromEntries(Object.entries(map.sets).map(
      ([set, text]) => [set, Uint8Array.from(atob(text),
                                             one => one.charCodeAt(0))]));

   /* The mean share of some cells. */
   ws.shareOf = function (levels, columns, rows, [left, right]) {
      let sum = 0;
      for (let row = rows[0]; row < rows[1]; row++)
         for (let k = left; k < right; k++)
            sum += SHARES[levels[row * columns + k]];
      return sum / Math.max((rows[1] - rows[0]) * (right - left), 1);
   };

   /* An image of so many columns, and of a line for each row, the upper rows
      first. `from` and `to` are columns, and may be fractions; behind the last
      column, there is nothing. */
   ws.imageOf = function (sets, columns, rows, from, to, width) {
      const height = rows[1] - rows[0];
      const image = new ImageData(width, height);
      const colours = sets.map(({rgb}) => rgb);
      const spans = Array.from({length: width}, (_, x) => {
         const at = edge => Math.min(Math.floor(
            from + (to - from) * edge / width), columns);
         return [at(x), Math.min(Math.max(at(x) + 1, at(x + 1)), columns)];
      });
      for (let y = 0; y < height; y++) {
         const row = rows[1] - 1 - y;
         for (let x = 0; x < width; x++)
            paint(image.data, 4 * (y * width + x), colours, sets.map(
               ({levels}) => ws.density(ws.shareOf(
                  levels, columns, [row, row + 1], spans[x]))));
      }
      return image;
   };

   /* Several colours, one over another, in any order. */
   function paint(data, at, colours, densities) {
      const sum = densities.reduce((a, b) => a + b, 0);
      if (!sum)
         return;
      for (let part = 0; part < 3; part++)
         data[at + part] = densities.reduce((all, one, k) =>
            all + one * colours[k][part], 0) / sum;
      data[at + 3] = 255 * (1 - densities.reduce(
         (all, one) => all * (1 - one), 1));
   }
})();
