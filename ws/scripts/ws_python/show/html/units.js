/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How numbers are written: as base/units.py has it, for ws_print. */

const SIZES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const COUNTS = ["", "k", "M", "G", "T", "P", "E"];
const LARGE = 1000000;          /* is written with a prefix */
const LINES = [32, 64, 128];    /* bytes of cache lines */
/* By digits behind the point. */
const FORMATS = [0, 1].map(digits => new Intl.NumberFormat("en", {
   minimumFractionDigits: digits, maximumFractionDigits: digits}));

/* Writes so many digits, but all before the point. */
function plain(value, digits) {
   const whole = value >= 1 ? String(Math.floor(value)).length : 0;
   const scale = Math.pow(10, Math.max(digits - whole, 0));
   return String(Math.floor(value * scale + 0.5) / scale);
}

function withUnit(value, base, units, digits) {
   const text = plain(value, digits), [unit, ...larger] = units;
   return Number(text) >= base && larger.length
      ? withUnit(value / base, base, larger, digits)
      : (text + " " + unit).trim();
}

/* 2170000 -> 2.07 MiB */
ws.bytes = value => withUnit(value, 1024, SIZES, 3);

/* 12500 -> 12,500; a fraction has one digit behind the point. */
ws.count = (value, digits = Number.isInteger(value) ? 0 : 1) =>
   FORMATS[digits].format(value);

/* On axes. */
ws.tic = value => withUnit(value, 1000, COUNTS, 6);
ws.sizeTic = value => value ? withUnit(value, 1024, SIZES, 6) : "0";

/* Cuts the middle out of a text that is too long. */
ws.shorten = (text, most) => text.length > most ? text.slice(
   0, Math.ceil(most * 2 / 3) - 1) + "\u2026" + text.slice(
   -Math.floor(most / 3)) : text;

/* Writes a change: +12, -4 KiB. */
ws.signed = (value, write = ws.count) => (value > 0 ? "+" : value < 0 ? "-"
   : "") + write(Math.abs(value));

const percent = share => !share ? "-" : share < 0.0005 ? "< 0.1 %"
   : (100 * share).toFixed(1) + " %";

ws.SETS = {data: "data", insn: "code", dirty: "written"};

/* Writes a value of a View. */
ws.inUnit = function (value, unit, units) {
   const write = {
      text: String, set: name => ws.SETS[name] || name, bytes: ws.bytes,
      share: percent, time: () => ws.count(value) + " " + units.unit,
      rate: () => value >= 1 ? ws.count(value, 1)
         : String(Number(value.toPrecision(2))),
      change: () => ws.signed(value),
      growth: () => ws.signed(value, ws.bytes),
      percent: () => ws.signed(value, one => ws.count(one, 1)),
      yes: () => ["no", "yes"][value]}[unit];
   return value === null ? "-" : write ? write(value) : ws.count(value);
};

/* Returns how a view counts time and memory. */
ws.units = function ({page_szB, time_unit: unit}) {
   const name = page_szB === 1 ? "byte"
      : LINES.includes(page_szB) ? "line" : "page";
   const ofClock = digits => ms => withUnit(ms, 1000, ["ms", "s"], digits);
   const time = unit === "ms" ? ofClock(3) : value => (value < LARGE
      ? ws.count(value) : withUnit(value, 1000, COUNTS, 3)) + " " + unit;
   const some = count => `${ws.count(count)} ${name}${count === 1 ? "" : "s"}`;
   const bytes = pages => ws.bytes(pages * page_szB);
   return {
      unit, page_szB, time, some, bytes, pages: name + "s",
      ...unit === "ms" ? {name: "", tic: ofClock(6)}
         : {name: ` (${unit})`, tic: ws.tic},
      /* With all digits, if there are more than zeros behind the third. */
      exact: value => Number(value.toPrecision(3)) === value ? time(value)
         : ws.count(value) + " " + unit,
      size: pages => bytes(pages) + " (" + some(pages) + ")"};
};
