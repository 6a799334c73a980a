/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How numbers are written: as base/units.py has it, for ws_print. */

(function () {
   "use strict";

   const SIZES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
   const COUNTS = ["", "k", "M", "G", "T", "P", "E"];
   const LARGE = 1000000;          /* is written with a prefix */
   const LINES = [32, 64, 128];    /* bytes of cache lines */

   /* So many digits, but all before the point. */
   function plain(value, digits) {
      const whole = value >= 1 ? String(Math.floor(value)).length : 0;
      const scale = Math.pow(10, Math.max(digits - whole, 0));
      return String(Math.floor(value * scale + 0.5) / scale);
   }

   function withUnit(value, base, units, digits) {
      let text;
      for (const unit of units) {
         text = plain(value, digits);
         if (Number(text) < base || unit === units[units.length - 1])
            return (text + " " + unit).trim();
         value /= base;
      }
   }

   /* 2170000 -> 2.07 MiB */
   ws.bytes = value => withUnit(value, 1024, SIZES, 3);

   /* 12500 -> 12,500; a fraction has one digit behind the point. */
   ws.count = function (value, digits = Number.isInteger(value) ? 0 : 1) {
      if (value === null || value === undefined)
         return "-";
      const [whole, rest] = value.toFixed(digits).split(".");
      return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? "." + rest : "");
   };

   /* 999,999, then 1 M */
   ws.large = value => value < LARGE ? ws.count(value)
      : withUnit(value, 1000, COUNTS, 3);

   /* On axes. */
   ws.tic = value => withUnit(value, 1000, COUNTS, 6);
   ws.sizeTic = value => value ? withUnit(value, 1024, SIZES, 6) : "0";

   /* Of a path, the last part. */
   ws.brief = function (name, most) {
      const last = name.slice(name.lastIndexOf("/") + 1) || name;
      return last.length > most ? last.slice(0, most - 1) + "\u2026" : last;
   };

   ws.share = (part, whole) => (100 * part / Math.max(whole, 1)).toFixed(1);

   ws.NAMES = {data: "Data", insn: "Code", dirty: "Written data",
               touched: "Touched so far", mapped: "Mapped",
               resident: "Resident", cold: "Unused",
               files: "Files, at most"};

   /* A value of a View. */
   ws.inUnit = function (value, unit, timeUnit, digits) {
      if (value === null || unit === "text")
         return value === null ? "-" : String(value);
      if (unit === "bytes")
         return ws.bytes(value);
      if (unit === "time")
         return ws.count(value) + " " + timeUnit;
      if (unit === "share")
         return value ? (100 * value).toFixed(1) + " %" : "-";
      if (unit === "rate")
         return value >= 1 ? ws.count(value, 1)
            : String(Number(value.toPrecision(2)));
      return unit === "yes" ? ["no", "yes"][value] : ws.count(value, digits);
   };

   /* How a report counts time and memory. */
   ws.units = function (run) {
      const clocked = run.time_unit === "milliseconds";
      const unit = clocked ? "ms" : run.time_unit || "instructions";
      const lines = LINES.includes(run.page_size);
      const time = value => !clocked ? ws.large(value) + " " + unit
         : value < 1000 ? value + " ms" : plain(value / 1000, 3) + " s";
      return {
         unit: unit,
         pages: lines ? "lines" : "pages", time: time,
         /* 1 page, 12 pages */
         some: count => ws.count(count) + (lines ? " line" : " page")
            + (count === 1 ? "" : "s"),
         /* With all digits, if there are more than zeros behind the third. */
         exact: value => Number(value.toPrecision(3)) === value ? time(value)
            : ws.count(value) + " " + unit,
         bytes: pages => pages === null || pages === undefined ? "-"
            : ws.bytes(pages * run.page_size)};
   };
})();
