/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the page shows is in the fragment of its address, so that a link shows
   the same, and Back works: #section&report=1&from=5&to=9&at=data.7 */

const SOON = 1000;              /* milliseconds: one gesture */
let known = location.hash, last = 0;

ws.state = function () {
   const [section, ...rest] = location.hash.slice(1).split("&");
   return {section: section,
           ...Object.fromEntries(new URLSearchParams(rest.join("&")))};
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
   const soon = Object.keys(changes).join() === ws.remember.keys
      && Date.now() - last < SOON;
   ws.remember.keys = Object.keys(changes).join();
   last = Date.now();
   known = hash;
   if (soon)
      location.replace(hash);
   else
      location.hash = hash;
};

/* Calls it when one goes back, or forth. */
ws.onReturn = restore => addEventListener("hashchange", () => {
   if (location.hash !== known) {
      known = location.hash;
      ws.remember.keys = "";
      restore();
   }
});
