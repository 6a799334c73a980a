# SPDX-License-Identifier: GPL-2.0-or-later
"""What a picture is made of: pixels, or characters in a terminal.

Both have the same names, so that a picture need not know which it has.
"""

import argparse
import shutil
import subprocess
from typing import List, Optional, Tuple, Union

from ws_python.curves import Curve
from ws_python.reports import Failure
from ws_python.text import printable

GREY = "#666666"
# By the ending of a file: gnuplot's driver, the size of a font and the width
# of a line that look alike in all of them, and what gnuplot makes of a line of
# the heading, in pixels.
FORMS = {"png": ("pngcairo", 14, 1, 26.4),
         "pdf": ("pdfcairo fontscale 1", 10.5, 2, 26.4),
         "svg": ("svg dynamic background '#FFFFFF'", 18, 1, 32.4)}


def legend_lines(wanted: int, room: int) -> int:
    """How many lines of the heading are for boxes."""
    return max(0, min(wanted, room))


class Image:
    """A file of pixels; all is laid out 1280 wide, and then enlarged."""
    tau = "\u03c4"
    most_curves = 12            # unless the user wants them
    tic_room = (110, 100)       # from tic to tic
    below = 0.2                 # rows between 0 and the border
    row_height, tight = 36, 0.65    # of text; rows for lines close together
    dashes = stops = 1          # gnuplot dashes the line itself
    most_bars = 26
    box = peak_box = "{}"       # around it is a frame
    letter = 9.6                # width of a character of a number or label
    padding = 9                 # and what a box or label needs beyond them
    box_height, lift = 21, 17   # lift: from a point to the middle of its box
    sign_distance = 12          # of lines without a label
    room = 118                  # characters in a line
    code_room = 108             # of names and addresses, which are wider
    ring, weak = "ring", "hollow"       # what these styles look like

    def __init__(self, options: argparse.Namespace, head: int, boxes: int,
                 right_axis: bool, more: int = 0):
        """Choose the size for a heading of so many lines, and as many more
        for what boxes stand for as there is room for; with more lines of text
        above the curves than usual.
        """
        width, height = options.size or (
            1280, 600 + 24 * (head + boxes + more))
        driver, font, line, text_height = FORMS[options.form]
        self.zoom = zoom = width / 1280
        self.font = font * zoom
        inch = 96 if options.form == "pdf" else 1
        self.terminal = (f"{driver} size {width / inch},{height / inch} "
                         f"font 'sans-serif,{self.font}' "
                         f"linewidth {line * zoom} noenhanced")
        self.width, self.height = 1280, 1280 * height // width
        self.legends = legend_lines(
            boxes, int((self.height - 350) / text_height) - head)
        self.head = head + self.legends
        # Between the axes, as gnuplot will choose them.
        self.inner_width = self.width - (275 if right_axis else 185)
        self.inner_height = max(
            self.height - int(text_height * (self.head + 2.65)), 60)

    def title_style(self) -> str:
        return f"font ',{self.font * 1.4:.1f}'"

    def small_style(self) -> str:
        return f"font ',{self.font * 0.8:.1f}'"

    def above(self, row: int) -> float:
        """The height of a row of the heading above the axes."""
        return (self.head - row) * 1.2 - 1.3

    def tag(self, name: str, curve: Optional[int]) -> str:
        """What tells a box from the others in the picture."""
        return name

    def frame(self, number: int, place: str, width: float,
              colour: str, inside: str) -> List[str]:
        """The box of a number, with the colours of its border and inside."""
        return [f"set object {number} rectangle center {place} "
                f"size graph {(width - 3) / self.inner_width},"
                f"graph {(self.box_height - 3) / self.inner_height} front "
                f"fillcolor '{inside}' fillstyle solid border "
                f"linecolor '{colour}'"]

    def setup(self) -> List[str]:
        return [f"set terminal {self.terminal}",
                f"set tmargin {self.head * 1.2}",
                f"set border 11 linecolor '{GREY}'",
                "set grid xtics ytics linetype 1 linecolor '#E4E4E4'",
                "set style textbox opaque noborder margins 0.5,0"]

    def sample(self, number: int, curve: Curve) -> str:
        """A piece of a curve, for the legend."""
        return ("\u2501" * 3, "\u2505" * 3, "\u2501\u00b7\u2501")[curve.dash]

    def style(self, number: int, curve: Curve) -> str:
        dots = "points pointtype 7 pointsize 0.6"
        return (f"lines{dots if len(curve.points) < 60 else ''} linewidth 2 "
                f"linecolor '{curve.colour}' "
                f"dashtype {(1, 3, 4)[curve.dash]}")

    def weak_style(self, curve: Curve) -> str:
        """Of a part of the curve that is less certain."""
        return ("linespoints pointtype 6 pointsize 0.6 linewidth 1.5 "
                f"linecolor '{curve.colour}' dashtype '.'")

    def thin_style(self, curve: Curve) -> str:
        """Of an average or a maximum."""
        return f"lines linewidth 1 dashtype 2 linecolor '{curve.colour}'"

    def ring_style(self, curve: Curve) -> str:
        """Of a point that stands out."""
        return ("points pointtype 6 pointsize 2 linewidth 2.5 "
                f"linecolor '{curve.colour}'")

    def peak_style(self, curve: Curve) -> str:
        return (f"points pointtype 7 pointsize {1.2 * self.zoom} "
                f"linecolor '{curve.colour}'")

    def sign_style(self) -> str:
        return f"lines linewidth 1 dashtype 2 linecolor '{GREY}'"

    def fill(self, x: float, low: float, high: float,
             pixel: Tuple[float, float]) -> List[Tuple[float, float]]:
        """Points of a part of a bar; what is below it is drawn later.  The
        bar is 0.8 wide.
        """
        return [(x, high)]

    def fill_style(self, number: int, curve: Curve) -> str:
        return ("boxes fillstyle solid noborder "
                f"linecolor '{curve.colour}'")

    def fill_sample(self, number: int) -> str:
        return "\u2588" * 3

    def axis_names(self, what: str, left: str, right: str) -> List[str]:
        return [f"set {axis}label '{what} ({name})'"
                for axis, name in (("y", left), ("y2", right)) if name]


class Terminal:
    """Characters."""
    tau = "tau"
    pens = "*#$%@&="        # gnuplot's, in its order
    most_curves = len(pens)
    fills = pens + "."      # of parts of bars
    tic_room = (14, 4)
    below = 0.6
    dashes, stops = 30, 200
    most_bars = 20
    row_height, tight = 1.5, 0.7
    letter, padding, box_height, lift, sign_distance = 1, 1.5, 1, 1, 4
    box, peak_box = "[{}]", "({})"
    ring, weak = "O", "dotted"

    def __init__(self, options: argparse.Namespace, head: int, boxes: int,
                 right_axis: bool, more: int = 0):
        size = shutil.get_terminal_size()
        self.width, self.height = options.size or (
            size.columns, max(size.lines - 1, head + 16))
        self.legends = legend_lines(boxes, self.height - head - 16)
        self.head = head + self.legends
        self.room = self.code_room = max(self.width - 10, 10)
        self.inner_width = max(self.width - 20, 4)
        self.inner_height = max(self.height - self.head - 6, 4)

    def title_style(self) -> str:
        return ""

    small_style = title_style

    def above(self, row: int) -> float:
        return self.head - row

    def tag(self, name: str, curve: Optional[int]) -> str:
        return f"{'' if curve is None else self.pen(curve)}{name}"

    def frame(self, number: int, place: str, width: float,
              colour: str, inside: str) -> List[str]:
        return []

    def setup(self) -> List[str]:
        return [f"set terminal dumb {self.width},{self.height} mono "
                "noenhanced", f"set tmargin {self.head + 1}",
                "set lmargin 10", "set rmargin 10"]

    def pen(self, number: int) -> str:
        return self.pens[number % len(self.pens)]

    def sample(self, number: int, curve: Curve) -> str:
        return self.pen(number) * 3

    def style(self, number: int, curve: Curve) -> str:
        return (f"points pointtype '{self.pen(number)}'"
                if len(curve.points) == 1 else f"lines linetype {number + 1}")

    def weak_style(self, curve: Curve) -> str:
        return "points pointtype '.'"

    def thin_style(self, curve: Curve) -> str:
        return "points pointtype '-'"

    def ring_style(self, curve: Curve) -> str:
        return "points pointtype 'O'"

    def peak_style(self, curve: Curve) -> str:
        return "points pointtype 'O'"

    def sign_style(self) -> str:
        return "points pointtype ':'"

    def fill(self, x: float, low: float, high: float,
             pixel: Tuple[float, float]) -> List[Tuple[float, float]]:
        wide, steps = (max(round(2 * length / size), 1) for length, size
                       in zip((0.8, high - low), pixel))
        return [(x - 0.4 + 0.8 * (i + 0.5) / wide,
                 low + (high - low) * (k + 0.5) / steps)
                for i in range(wide) for k in range(steps)]

    def fill_style(self, number: int, curve: Curve) -> str:
        return f"points pointtype '{self.fills[number]}'"

    def fill_sample(self, number: int) -> str:
        return self.fills[number] * 3

    def axis_names(self, what: str, left: str, right: str) -> List[str]:
        above = "offset character 0,1"
        return [f"set label '{left}' at character 1,graph 1 left {above}",
                f"set label '{right}' at screen 1,graph 1 right {above}"]


Medium = Union[Image, Terminal]


def run_gnuplot(script: str) -> bytes:
    """What gnuplot draws; without the user's own settings."""
    try:
        result = subprocess.run(["gnuplot", "-d"], stdout=subprocess.PIPE,
                                input=script.encode(errors="replace"),
                                stderr=subprocess.PIPE, check=False)
    except OSError as error:
        raise Failure(f"gnuplot cannot be run: {error.strerror}; Debian has "
                      "it in the package gnuplot-nox") from None
    if result.returncode or not result.stdout:
        message = result.stderr.decode(errors="replace").strip()
        raise Failure(f"gnuplot failed: {printable(message[-200:])}")
    return result.stdout
