/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time that is shown: that of all charts over time, or one chart's axis. */

const FEWEST = 2;               /* points, or columns, to zoom in on */

ws.Range = class {
   /* Charts whose range has the same name share a cursor. All of `others`
      is shown when all of this is. */
   constructor(begin, end, name) {
      this.from = this.begin = begin;
      this.to = this.end = end;
      this.name = name;
      this.least = end - begin;
      this.listeners = [];
      this.others = [];
   }

   get isAll() {
      return this.from === this.begin && this.to === this.end;
   }

   /* Calls `changed` for what shows so many points in all of the time. */
   show(points, changed) {
      this.least = Math.min(this.least, FEWEST * (this.end - this.begin)
                            / Math.max(points, FEWEST));
      this.listeners.push(changed);
   }

   /* What is too small keeps its middle. */
   set(from, to) {
      const {begin, end} = this;
      const width = Math.min(Math.max(to - from, this.least), end - begin);
      this.from = Math.max(begin, Math.min((from + to - width) / 2,
                                           end - width));
      this.to = this.from + width;
      this.listeners.forEach(changed => changed());
   }

   zoom(factor, at = (this.from + this.to) / 2) {
      this.set(at - (at - this.from) * factor, at + (this.to - at) * factor);
   }

   pan(part) {
      const by = (this.to - this.from) * part;
      this.set(this.from + by, this.to + by);
   }

   all() {
      this.others.forEach(one => one.all());
      this.set(this.begin, this.end);
   }
};
