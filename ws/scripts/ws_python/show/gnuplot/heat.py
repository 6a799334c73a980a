# SPDX-License-Identifier: GPL-2.0-or-later
"""A heat map of a view as a picture: addresses upwards, time across."""

import os
from typing import TYPE_CHECKING, Dict, List, Tuple

import numpy as np

from ws_python.base.text import printable, shorten
from ws_python.base.units import SETS, TIME, count, nouns
from ws_python.base.view import Axis, Band, HeatMap, View
from ws_python.show.gnuplot.axes import (COLOURS, GREY, Picture, below,
                                         check_size, marks, parts_of,
                                         place_labels, quote, scale)
from ws_python.show.gnuplot.view import terminal_of

if TYPE_CHECKING:           # numpy has NDArray since 1.21
    from numpy.typing import NDArray

LINE = "#BBBBBB"            # between bands
SET_COLOURS = {"data": COLOURS[0], "insn": COLOURS[1], "dirty": COLOURS[2]}
SHORT_NAME = 12                  # characters of a name
LONGEST_BAND, LONGEST_NOTE = 26, 118    # characters, of which some are wide
EXAMPLES = (0.01, 0.1, 0.5, 1)  # of shares, for the legend
SHADES = "shades: up to 1, 10, 50, 100 % of a cell"
# Pixels of 1280: margins, a line of text, and from tic to tic.
HEAT_LEFT, HEAT_RIGHT, BELOW, HEAT_ROW, TIC_ROOM = 245, 235, 70, 26, 110
LEAST_ROWS, LEAST_BAND = 60, 19     # in all; for a name
Shares = Dict[str, "NDArray[np.float32]"]


def size_of(picture: Picture, n_sets: int) -> Tuple[int, int]:
    return picture.size or (1280, 600 + 24 * title_height(n_sets))


def title_height(n_sets: int) -> int:
    """Count the lines above the map."""
    return 4 + n_sets


def heat_cells(picture: Picture, n_sets: int
               ) -> Tuple[int, int, int]:
    """Return how many columns and rows a map has, and how many of a band."""
    width, height = size_of(picture, n_sets)
    above = HEAT_ROW * title_height(n_sets) + BELOW
    check_size((width, height), above + LEAST_ROWS)
    zoom = width / 1280
    # gnuplot has some pixels less than we ask for: it must repeat cells, and
    # omit none.
    return (int((1280 - HEAT_LEFT - HEAT_RIGHT) * zoom) - 4,
            int(height - above * zoom) - 4, int(LEAST_BAND * zoom))


def layers(shares: Shares) -> Shares:
    """Subtract written pages from data, if both are shown."""
    if not {"data", "dirty"} <= set(shares):
        return shares
    return {**shares, "data": np.maximum(shares["data"] - shares["dirty"], 0)}


def coloured(shares: Shares) -> "NDArray[np.uint8]":
    """Return red, green and blue of each cell: white without access, the hue
    of the accessed sets, darker for more.  Even 0.1 % is visible.
    """
    total = np.sum([*shares.values()], axis=0)
    hue = np.sum([share[..., np.newaxis] * [*parts_of(SET_COLOURS[name])]
                  for name, share in shares.items()], axis=0)
    hue /= np.maximum(total, 1e-9)[..., np.newaxis]
    depth = np.cbrt(np.minimum(total, 1))[..., np.newaxis]
    depth = np.where(depth > 0, 0.15 + 0.85 * depth, 0)
    # From white to the hue, and on to a darker one.
    pale = np.minimum(depth / 0.75, 1)
    dark = 1 - 0.5 * np.maximum((depth - 0.75) / 0.25, 0)
    pixels: "NDArray[np.uint8]" = (
        (255 + (hue - 255) * pale) * dark).round().astype(np.uint8)
    return pixels


def name_of_band(band: Band, room: int) -> str:
    """Name a band and the number of others, in so many characters."""
    name = printable(band.name)
    name = os.path.basename(name) or name
    more = next((text for text in (f" and {band.more} more", f" +{band.more}")
                 if min(len(name), SHORT_NAME) + len(text) <= room), ""
                ) if band.more else ""
    return shorten(name, max(room - len(more), SHORT_NAME)) + more


def map_script(view: View, picture: Picture) -> str:
    """Draw the heat map of a view."""
    part, = view.of(HeatMap)
    width, height = size_of(picture, len(part.shares))
    head, font = terminal_of(picture, width, height)
    return "\n".join([*head, *map_lines(part, view, picture, font), ""])


def map_lines(part: HeatMap, view: View, picture: Picture,
              font: float) -> List[str]:
    """Return all but the terminal."""
    width, height = size_of(picture, len(part.shares))
    high = 1280 * height / width
    head = HEAT_ROW * title_height(len(part.shares))
    small = f"font ',{0.8 * font:.1f}'"
    begin, end = part.begin, max(part.end, part.begin + 1)
    room = 1280 - HEAT_LEFT - HEAT_RIGHT
    most = max(room // TIC_ROOM, 2)
    signs = place_labels(part.marks, lambda time: (time - begin) * room
                         / (end - begin), room)
    return [
        "unset key", f"set border 15 linecolor '{GREY}'", "set rgbmax 127",
        f"set lmargin at screen {HEAT_LEFT / 1280}",
        f"set rmargin at screen {1 - HEAT_RIGHT / 1280}",
        f"set bmargin at screen {BELOW / high}",
        f"set tmargin at screen {1 - head / high}",
        *heat_title(part, view, picture, high, font),
        *bands(part, width, small),
        *scale("x", Axis("time", TIME), begin, end, most, view.time_unit),
        below(Axis("time", TIME), (), LONGEST_NOTE, view),
        *marks(signs, room, 1, f"offset character 0,0.6 {small}"),
        *image(part, begin, end)]


def heat_title(part: HeatMap, view: View, picture: Picture,
               high: float, font: float) -> List[str]:
    """Write title, notes and legend, line by line from the top."""
    notes = ", ".join([*view.notes, SHADES])[:LONGEST_NOTE]
    texts = [(0, 0, printable(picture.title_of(view))[:LONGEST_NOTE], f"font ',{1.4 * font}'"),
             (1, 0, notes, f"textcolor '{GREY}'")]
    for row, name in enumerate(layers(part.shares), 2):
        ramp = coloured({name: np.array([EXAMPLES])})[0].tolist()
        texts += [(row, 18 * k, "\u2588\u2588",
                   "textcolor '#{:02X}{:02X}{:02X}'".format(*pixel))
                  for k, pixel in enumerate(ramp)]
        texts.append((row, 18 * len(ramp) + 27, f"{SETS[name]} "
                      + count(part.touched[name]), ""))
    return [f"set label {quote(text)} at screen {0.01 + x / 1280},"
            f"screen {1 - (row + 0.8) * HEAT_ROW / high} left {style}"
            for row, x, text, style in texts]


def bands(part: HeatMap, width: int, small: str) -> List[str]:
    """Draw names, addresses, and the lines between bands."""
    names, addresses = [], []
    for band in part.bands:
        touched = f", {count(band.touched)}"
        names.append((name_of_band(band, LONGEST_BAND - len(touched)) + touched,
                      (band.row + band.end_row) / 2))
        addresses += addresses_of(band, part, LEAST_BAND * width // 1280)
    lists = [", ".join(f"{quote(text)} {place}" for text, place in labels)
             for labels in (names, addresses)]
    return [f"set ytics nomirror scale 0 ({lists[0]}) {small}",
            f"set y2tics nomirror scale 0 ({lists[1]}) {small}",
            f"set yrange [0:{len(part.low)}]",
            f"set y2range [0:{len(part.low)}]",
            f"set label 'mapping, {nouns(part.page_szB)}' at screen 0.01,"
            f"graph 1 left offset character 0,0.6 {small}",
            "set label 'addresses' at graph 1,graph 1 left offset "
            f"character 1,0.6 {small}",
            *(f"set arrow from graph 0,first {band.row} to graph 1,"
              f"first {band.row} nohead front linecolor '{LINE}'"
              for band in part.bands[1:])]


def addresses_of(band: Band, part: HeatMap,
                 least: int) -> List[Tuple[str, float]]:
    """Label first and last address in the middle, or some rows of many."""
    if band.end_row - band.row < 8 * least:
        return [(f"{band.first:x}-{band.last:x}",
                 (band.row + band.end_row) / 2)]
    return [(f"{part.low[row]:x}", row + 0.5) for row in range(
        band.row + least // 2, band.end_row - least // 2, 4 * least)]


def image(part: HeatMap, begin: int, end: int) -> List[str]:
    """Plot the pixels.  7 bits of a colour are enough, so data are text."""
    pixels = coloured(layers(part.shares))
    rows, columns, _ = pixels.shape
    width = (end - begin) / columns
    return [f"plot '-' binary array=({columns},{rows}) dx={width} dy=1 "
            f"origin=({begin + width / 2},0.5) "
            "format='%uint8%uint8%uint8' using 1:2:3 with rgbimage",
            (pixels >> 1).tobytes().decode("ascii")]
