/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the page shows is in the fragment of its address, so that a link shows
   the same, and Back works: #section&report=1&from=5&to=9&at=data.7 */

const SOON = 1000;              /* milliseconds: one gesture */
let last = 0, keys = "";

ws.state = function () {
   const [section, ...rest] = location.hash.slice(1).split("&");
   return {section, ...Object.fromEntries(new URLSearchParams(rest.join("&")))};
};

/* Changes what is in the fragment; null: it is not there. A change of the
   same things soon after the last one is no new step back. */
ws.remember = function (changes) {
   const {section, ...rest} = {...ws.state(), ...changes};
   const all = new URLSearchParams(Object.entries(rest).filter(
      ([, value]) => value !== null)).toString();
   const hash = "#" + section + (all ? "&" + all : "");
   if (hash === location.hash || hash === "#" + location.hash)
      return;
   const changed = Object.keys(changes).join(), now = Date.now();
   const soon = changed === keys && now - last < SOON;
   [last, keys] = [now, changed];
   history[soon ? "replaceState" : "pushState"](null, "", hash);
};

/* Calls it when one goes back, or forth. */
ws.onReturn = restore => addEventListener("popstate", () => {
   keys = "";
   restore();
});
