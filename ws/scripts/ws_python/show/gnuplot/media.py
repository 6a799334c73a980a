# SPDX-License-Identifier: GPL-2.0-or-later
"""Sizes in pixels, styles, and gnuplot itself."""

import argparse
from math import ceil
from typing import List

from ws_python.base.failure import Failure
from ws_python.show.gnuplot.axes import GREY
from ws_python.show.gnuplot.view import FORMS as DRIVERS

LEAST_WIDTH = 320               # of an image, to read anything in it
# By the ending of a file: gnuplot's driver, a font size and a line width that
# look alike in all forms, and the height of a line of the heading in pixels.
FORMS = {form: (*driver, 32.4 if form == "svg" else 26.4)
         for form, driver in DRIVERS.items()}


class Image:
    """A file of pixels; the layout is 1280 wide, and is then enlarged."""
    letter = 9.6                # width of a character of a number or label
    room = 118                  # characters in a line

    def __init__(self, options: argparse.Namespace, head: int):
        """Choose the size for a heading of `head` lines."""
        width, height = options.size or (1280, 600 + 24 * head)
        driver, font, line, text_height = FORMS[options.form]
        self.zoom = zoom = width / 1280
        self.font = font * zoom
        inch = 96 if options.form == "pdf" else 1
        self.terminal = (f"{driver} size {width / inch},{height / inch} "
                         f"font 'sans-serif,{self.font}' "
                         f"linewidth {line * zoom} noenhanced")
        self.width, self.height = 1280, 1280 * height // width
        wide = max(width, LEAST_WIDTH)
        high = ceil((text_height * (head + 2.65) + 60) * wide / 1280)
        if options.size and (width < wide or height < high):
            raise Failure(
                f"{width}x{height} pixels are too few for this picture: it "
                f"needs {wide}x{high}, better 1280x720")
        self.head = head
        # The height between the axes, as gnuplot will choose it.
        self.inner_height = max(
            self.height - int(text_height * (head + 2.65)), 60)

    def title_style(self) -> str:
        return f"font ',{self.font * 1.4:.1f}'"

    def small_style(self) -> str:
        return f"font ',{self.font * 0.8:.1f}'"

    def above(self, row: int) -> float:
        """Return the height of a row of the heading above the axes."""
        return (self.head - row) * 1.2 - 1.3

    def setup(self) -> List[str]:
        return [f"set terminal {self.terminal}",
                f"set tmargin {self.head * 1.2}",
                f"set border 11 linecolor '{GREY}'",
                "set grid xtics ytics linetype 1 linecolor '#E4E4E4'",
                "set style textbox opaque noborder margins 0.5,0"]
