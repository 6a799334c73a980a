/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How one moves in a curve, or in a map, which is `vertical`, too: mouse,
   wheel, keys and buttons. */

const el = ws.el;

ws.GESTURES = "Zoom: drag, + and \u2212, or Ctrl and the wheel. Pan: Shift "
   + "and drag, or Shift and arrows. All: double click, or 0. Arrows read "
   + "point by point.";

ws.mouseGestures = function (curve) {
   const over = curve.plot.over;
   over.addEventListener("dblclick", () => curve.moves.all());
   /* The wheel alone scrolls the page. */
   over.addEventListener("wheel", event => {
      if (!event.ctrlKey && !event.metaKey)
         return;
      event.preventDefault();
      const {left, top} = over.getBoundingClientRect();
      curve.moves.zoom(event.deltaY < 0 ? 0.8 : 1.25,
                       curve.plot.posToVal(event.clientX - left, "x"),
                       curve.plot.posToVal(event.clientY - top, "y"));
   }, {passive: false});
   over.addEventListener("mousedown", event => {
      curve.place.focus({preventScroll: true});
      if (event.shiftKey)
         event.stopImmediatePropagation();
   }, true);
   over.addEventListener("mousemove", event => {
      if (event.shiftKey && event.buttons === 1)
         curve.moves.pan(-event.movementX / over.clientWidth,
                         event.movementY / over.clientHeight);
   });
};

ws.keyGestures = function (curve) {
   curve.place.addEventListener("keydown", event => {
      const right = {ArrowLeft: -1, ArrowRight: 1}[event.key] || 0;
      const up = curve.vertical && {ArrowDown: -1, ArrowUp: 1}[event.key] || 0;
      if (event.target !== curve.place || event.ctrlKey || event.metaKey
          || event.altKey)
         return;
      if ((right || up) && event.shiftKey)
         curve.moves.pan(right / 4, up / 4);
      else if (right || up)
         curve.next(right, up);
      else if (event.key === "+" || event.key === "=")
         curve.moves.zoom(0.5);
      else if (event.key === "-")
         curve.moves.zoom(2);
      else if (event.key === "0" || event.key === "Escape")
         curve.moves.all();
      else
         return;
      event.preventDefault();
   });
};

ws.gestureButtons = function (moves) {
   const buttons = [
      ["+", "zoom in", () => moves.zoom(0.5)],
      ["\u2212", "zoom out", () => moves.zoom(2)],
      ["\u25c0", "pan to the left", () => moves.pan(-0.5)],
      ["\u25b6", "pan to the right", () => moves.pan(0.5)],
      ...moves.vertical ? [
         ["\u25b2", "pan upwards", () => moves.pan(0, 0.5)],
         ["\u25bc", "pan downwards", () => moves.pan(0, -0.5)]] : [],
      ["all", "the whole run", () => moves.all()]];
   return el("span", {class: "choice", role: "group",
                      "aria-label": "zoom and pan"},
      ...buttons.map(([text, title, onclick]) => el("button",
         {type: "button", "aria-label": title, title, onclick}, text)));
};

/* What of the time all charts show, to be changed by buttons. */
ws.timeBar = function (range, units) {
   const text = el("span", {"aria-live": "polite"});
   const say = () => {
      text.textContent = range.isAll ? "All of the time is shown"
         : "Shown: " + units.time(Math.round(range.from)) + " to "
           + units.time(Math.round(range.to));
   };
   const bar = el("div", {class: "timebar", title: ws.GESTURES},
                  ws.gestureButtons(range), text);
   range.show(bar, 0, say);
   say();
   return bar;
};
