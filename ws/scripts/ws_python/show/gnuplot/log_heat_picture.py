# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws the heat map: accesses by address and time."""

import argparse
import os
from typing import Dict, List, NamedTuple, Sequence, Tuple

import numpy as np

from ws_python.base.text import printable, shorten
from ws_python.base.units import TIME, count, nouns
from ws_python.model.log import PageLog
from ws_python.model.runs import duration, pid_of, title_of
from ws_python.model.view import Axis
from ws_python.show.gnuplot.axes import COLOURS, GREY, quote, scale
from ws_python.show.gnuplot.media import Image
from ws_python.views.log_heat import Band, HeatMap, heat_map, wanted_sets

LINE, WARNING = "#BBBBBB", "#B22222"    # between bands; of a cut log
HUES = {"data": COLOURS[0], "insn": COLOURS[1], "dirty": COLOURS[2]}
SHORT = 12                  # characters of a name
NAMES = {"data": "data", "insn": "code", "dirty": "written"}
EXAMPLES = (0.01, 0.1, 0.5, 1)  # of shares, for the legend
TIC_ROOM = 110              # pixels from tic to tic
SHADES = "shades: up to 1, 10, 50, 100 % of a cell"
Shares = Dict[str, np.ndarray]
# A text of the heading: row, column, text and style.
Text = Tuple[int, int, str, str]


class Sign(NamedTuple):
    """A mark; with a text if there is room for one."""
    time: int
    place: int              # of the text, in characters from the left
    text: str


def layers(shares: Shares) -> Shares:
    """Return the shares to show; written pages are part of data, if shown.
    """
    if not {"data", "dirty"} <= set(shares):
        return shares
    return {**shares, "data": np.maximum(shares["data"] - shares["dirty"], 0)}


def parts_of(colour: str) -> np.ndarray:
    """Split a colour into red, green and blue."""
    return np.array([int(colour[k:k + 2], 16) for k in (1, 3, 5)], float)


def coloured(shares: Shares) -> np.ndarray:
    """Return red, green and blue of each cell: white without access, the hue
    of the accessed sets, darker for more.  Even 0.1 % is visible.
    """
    total = sum(shares.values())
    hue = sum(share[..., np.newaxis] * parts_of(HUES[name])
              for name, share in shares.items())
    hue /= np.maximum(total, 1e-9)[..., np.newaxis]
    depth = np.cbrt(np.minimum(total, 1))[..., np.newaxis]
    depth = np.where(depth > 0, 0.15 + 0.85 * depth, 0)
    # From white to the hue, and on to a darker one.
    pale = np.minimum(depth / 0.75, 1)
    dark = 1 - 0.5 * np.maximum((depth - 0.75) / 0.25, 0)
    return ((255 + (hue - 255) * pale) * dark).round().astype(np.uint8)


def name_of(band: Band, room: int) -> str:
    """Name a band and the number of others; shorter without room for SHORT."""
    name = printable(band.name)
    name = os.path.basename(name) or name
    more = next((text for text in (f" and {band.more} more", f" +{band.more}")
                 if min(len(name), SHORT) + len(text) <= room), ""
                ) if band.more else ""
    return shorten(name, max(room - len(more), SHORT)) + more


def placed(times: List[Tuple[int, str]], begin: int, end: int,
           room: int) -> List[Sign]:
    """Place texts side by side, where they have room."""
    signs, free = [], 0
    for time, text in times:
        text = shorten(printable(text), max(room // 4, 12))
        place = (time - begin) * room // max(end - begin, 1)
        place = min(place, room - len(text))
        if place < free:
            text = ""
        else:
            free = place + len(text) + 2
        signs.append(Sign(time, place, text))
    return signs


class Pixels:
    """Draws the map as an image."""
    least = 19              # rows for a name
    names = 26              # characters, of which some are wide
    left, right = 245, 235  # of the map
    below = 70
    # gnuplot has some pixels less than we ask for: it must repeat cells, and
    # omit none.
    spare = 4
    extra = 2               # lines above the map

    def __init__(self, medium: Image):
        self.medium, self.zoom = medium, medium.zoom
        self.columns = medium.width - self.left - self.right
        self.rows = medium.inner_height
        self.room = int(self.columns / (0.8 * medium.letter))

    def setup(self, found: HeatMap, shares: Shares) -> List[str]:
        """Draw names, addresses, and the lines between bands."""
        width, height = self.medium.width, self.medium.height
        small = self.medium.small_style()
        names, addresses = [], []
        for band in found.bands:
            place = (band.row + band.end_row) / 2
            touched = f", {count(band.touched)}"
            names.append((name_of(band, self.names - len(touched)) + touched,
                          place))
            addresses += self.addresses(band, found.low)
        tic_lists = [", ".join(f"{quote(text)} {place}"
                               for text, place in some)
                     for some in (names, addresses)]
        return [f"set lmargin at screen {self.left / width}",
                f"set rmargin at screen {1 - self.right / width}",
                f"set bmargin at screen {self.below / height}",
                f"set tmargin at screen {(self.below + self.rows) / height}",
                "set rgbmax 127", "set border 15",
                f"set ytics nomirror scale 0 ({tic_lists[0]}) {small}",
                f"set y2tics nomirror scale 0 ({tic_lists[1]}) {small}",
                "set grid noxtics noytics",
                f"set y2range [0:{len(found.low)}]",
                f"set label 'mapping, {nouns(found.page_szB)}' at screen 0.01,"
                f"graph 1 left offset character 0,0.6 {small}",
                f"set label 'addresses' at graph 1,graph 1 left "
                f"offset character 1,0.6 {small}",
                *(f"set arrow from graph 0,first {band.row} to graph 1,"
                  f"first {band.row} nohead front linecolor '{LINE}'"
                  for band in found.bands[1:])]

    def addresses(self, band: Band, low: np.ndarray
                  ) -> List[Tuple[str, float]]:
        """Label first and last address in the middle, or some rows of many."""
        least = int(self.least * self.zoom)
        if band.end_row - band.row < 8 * least:
            return [(f"{band.first:x}-{band.last:x}",
                     (band.row + band.end_row) / 2)]
        return [(f"{low[row]:x}", row + 0.5) for row in range(
            band.row + least // 2, band.end_row - least // 2, 4 * least)]

    def signs(self, signs: List[Sign]) -> List[str]:
        lines = []
        for sign in signs:
            lines += [f"set arrow from {sign.time},graph 0 to {sign.time},"
                      f"graph 1 nohead front dashtype 2 linecolor '{GREY}'",
                      f"set label {quote(sign.text)} at graph "
                      f"{sign.place / self.room},graph 1 left "
                      f"offset character 0,0.6 {self.medium.small_style()} "
                      f"textcolor '{GREY}'"]
        return lines

    def plot(self, found: HeatMap, shares: Shares) -> Tuple[str, str]:
        """Return the plot and its data.  7 bits of a colour are enough, so
        data are text.
        """
        pixels = coloured(shares)
        rows, columns, _ = pixels.shape
        width = max(found.end - found.begin, 1) / columns
        return (f"'-' binary array=({columns},{rows}) dx={width} dy=1 "
                f"origin=({found.begin + width / 2},0.5) "
                "format='%uint8%uint8%uint8' using 1:2:3 with rgbimage",
                (pixels >> 1).tobytes().decode("ascii"))

    def ramp(self, name: str) -> List[Tuple[int, str, str]]:
        """Return columns, texts and styles of the legend."""
        pixels = coloured({name: np.array([EXAMPLES])})[0]
        return [(2 * k, "\u2588\u2588",
                 "textcolor '#{:02X}{:02X}{:02X}'".format(*pixel))
                for k, pixel in enumerate(pixels.tolist())]


class Picture:
    """Turns a page log into a script for gnuplot."""

    def __init__(self, logs: Sequence[PageLog], options: argparse.Namespace):
        self.log, self.options = logs[0], options
        self.medium = Image(
            options, 2 + len(wanted_sets(self.log, options)) + Pixels.extra)
        self.canvas = canvas = Pixels(self.medium)
        zoom = canvas.zoom
        self.map = heat_map(self.log, options, *(
            int(size * zoom) - canvas.spare
            for size in (canvas.columns, canvas.rows)), int(
                canvas.least * zoom))
        self.shares = layers(self.map.shares)

    def script(self) -> str:
        plot, pixels = self.canvas.plot(self.map, self.shares)
        return "\n".join([
            "set encoding utf8", "unset key", *self.medium.setup(),
            *self.heading(), f"set yrange [0:{len(self.map.low)}]",
            *self.canvas.setup(self.map, self.shares), *self.times(),
            "plot " + plot]) + "\n" + pixels

    def heading(self) -> List[str]:
        """Write title, notes and legend, line by line from the top."""
        options, medium = self.options, self.medium
        title = (options.title if options.title is not None else
                 title_of("Addresses over time", [self.log]))
        width = (self.map.end - self.map.begin) // self.canvas.columns
        notes = [*["TRUNCATED REPORT"] * (not self.log.complete), SHADES,
                 "gaps cut out",
                 f"a column is {duration(width, self.log.unit, 3)}",
                 f"PID {pid_of(self.log)}"]
        texts = [(0, 0, printable(title), medium.title_style()),
                 (1, 0, ", ".join(notes), "textcolor "
                  f"'{GREY if self.log.complete else WARNING}'"),
                 *self.legend(2)]
        return [f"set label {quote(text[:medium.room - column])} "
                f"at screen 0.01,graph 1 left "
                f"offset character {column},{medium.above(row)} {style}"
                for row, column, text, style in texts]

    def times(self) -> List[str]:
        """Set the axis of time, and draw marks."""
        begin, end = self.map.begin, max(self.map.end, self.map.begin + 1)
        time, unit = Axis("time", TIME), self.log.unit
        most = max(self.canvas.columns // TIC_ROOM, 2)
        return [*scale("x", time, begin, end, most, unit),
                f"set xlabel 'time ({unit})'",
                *self.canvas.signs(placed(
                    [(self.log.time_of(mark), mark.label)
                     for mark in self.log.marks], begin, self.map.end,
                    self.canvas.room))]

    def legend(self, row: int) -> List[Text]:
        texts: List[Text] = []
        for line, name in enumerate(self.shares):
            ramp = self.canvas.ramp(name)
            texts += [(row + line, column, text, style)
                      for column, text, style in [*ramp, (
                          2 * len(ramp) + 3, f"{NAMES[name]} "
                          + count(self.map.touched[name]), "")]]
        return texts
