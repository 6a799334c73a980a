/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How one moves in a curve, or in a map, which has rows, too. */


ws.GESTURES = "Zoom: drag, + and \u2212, or Ctrl and wheel. Pan: Shift and drag "
   + "or arrows. All: double click, or 0. Arrows read point by point; "
   + "a click or Enter says whose a cell of the map is.";

/* Ways to bind a chart's events, of the mouse, for uPlot. */
ws.mouseGestures = curve => ({
   dblclick: () => () => curve.range.all(),
   mousedown: (plot, over, handler) => event => {
      curve.place.focus({preventScroll: true});
      if (!event.shiftKey)
         handler(event);
   },
   mousemove: (plot, over, handler) => event => {
      if (event.shiftKey && event.buttons === 1)
         curve.moves.pan(-event.movementX / over.clientWidth,
                         event.movementY / over.clientHeight);
      handler(event);
   }});

/* The wheel alone scrolls the page. */
ws.wheelGestures = ({plot, moves}) => plot.over.addEventListener("wheel",
   event => {
      if (!event.ctrlKey && !event.metaKey)
         return;
      event.preventDefault();
      const {left, top} = plot.over.getBoundingClientRect();
      moves.zoom(event.deltaY < 0 ? 0.8 : 1.25,
                 plot.posToVal(event.clientX - left, "x"),
                 plot.posToVal(event.clientY - top, "y"));
   }, {passive: false});

/* Does what `moves` has for a key. */
ws.onKeys = (place, moves) => place.addEventListener("keydown", event => {
   const move = moves[event.key];
   if (event.target !== place || !move || event.ctrlKey || event.metaKey
       || event.altKey)
      return;
   move(event.shiftKey);
   event.preventDefault();
});

ws.keyGestures = function (curve) {
   const arrow = (right, up) => isShift => curve.plot && (isShift
      ? curve.moves.pan(right / 4, up / 4) : curve.next(right, up));
   const zoomIn = () => curve.moves.zoom(0.5), all = () => curve.range.all();
   ws.onKeys(curve.place, {
      ArrowLeft: arrow(-1, 0), ArrowRight: arrow(1, 0), "+": zoomIn,
      "=": zoomIn, "-": () => curve.moves.zoom(2), 0: all, Escape: all,
      ...curve.rows ? {ArrowUp: arrow(0, 1), ArrowDown: arrow(0, -1),
                       Enter: () => curve.pin(curve.plot)} : {}});
};

/* What of the time all charts show, to be changed by buttons; whose() says what
   is in a part of it. */
ws.timeBar = function (range, units, whose) {
   const buttons = [
      ["+", "zoom in", () => range.zoom(0.5)],
      ["\u2212", "zoom out", () => range.zoom(2)],
      ["\u25c0", "pan to the left", () => range.pan(-0.5)],
      ["\u25b6", "pan to the right", () => range.pan(0.5)],
      ["all", "the whole run", () => range.all()]];
   const text = el("span", {"aria-live": "polite"});
   const say = () => text.replaceChildren([(range.isAll ? "All: " : "Shown: ")
      + [range.from, range.to].map(x => units.exact(Math.round(x))).join(
         " to "), range.isAll ? "" : whose()].filter(Boolean).join(". "));
   range.show(0, say);
   say();
   return el("div", {class: "timebar", title: ws.GESTURES},
      ws.group("zoom and pan", buttons.map(([name, title, onclick]) => el(
         "button", {"aria-label": title, title, onclick}, name))), text);
};
