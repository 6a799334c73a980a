# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture of how full huge pages would be: the share of them that have at
most so many pages which are accessed, written, or valid.
"""

import argparse
from typing import List

import numpy as np

from ws_python.base.units import byte_size, noun, plain
from ws_python.model.log import PageLog
from ws_python.show.gnuplot.curves import Curve, Points, shade, tics
from ws_python.show.gnuplot.media import Image
from ws_python.show.gnuplot.picture import Picture as AnyPicture, quote
from ws_python.views.log_huge import Huge


class Picture(AnyPicture):
    noun = "Huge pages"

    def __init__(self, logs: List[PageLog], options: argparse.Namespace):
        super().__init__(logs, options)
        self.huge = Huge(logs[0], options)
        self.curves = [self.curve(name, number)
                       for number, name in enumerate(self.huge.columns)]
        self.medium = Image(options, 3 + len(self.curves), 0, False)
        self.row = self.medium.row_height / self.medium.inner_height
        self.top = 100 * (1 + self.row)

    def curve(self, name: str, number: int) -> Curve:
        return Curve(name, shade(number, 0, 1), 0, [])

    def steps(self, name: str) -> Points:
        """The share that is reached at each number of pages; it stays until
        the next one.
        """
        found = self.huge.histogram(name, False)
        sums = (100 * np.cumsum(found) / found.sum()).tolist()
        points = [(0, sums[0])]
        for pages, value in enumerate(sums[1:], 1):
            if value > points[-1][1] or pages == self.huge.each:
                points += [(pages, points[-1][1]), (pages, value)]
        return points

    def draw(self) -> None:
        for number, curve in enumerate(self.curves):
            curve.points = self.steps(curve.label)
            self.plot(curve.points, self.medium.style(number, curve, False))

    def size_axis(self) -> List[str]:
        """Shares instead of sizes."""
        step = 25 if self.medium.height // self.medium.tic_room[1] < 10 else 10
        return [f"set yrange [{100 * self.bottom / self.top}:{self.top}]",
                "set ytics nomirror scale 0.5 (" + ", ".join(
                    f"'{value} %%' {value}"
                    for value in range(0, 101, step)) + ")",
                *self.medium.axis_names("share of huge pages",
                                        "at most so full", "")]

    def extras(self) -> List[str]:
        each, small = self.huge.each, self.huge.small_szB
        name = f"{noun(small)} of {byte_size(small)} in a huge page"
        return [f"set xrange [{-0.01 * each}:{1.01 * each}]",
                "set xtics " + tics(each, self.most_tics(), plain),
                f"set xlabel {quote(name)}"]

    def legend(self, curve: Curve) -> List[str]:
        """The median and the ends, and shorter."""
        found = self.huge.histogram(curve.label, False)
        each, whole = self.huge.each, int(found.sum())
        median = int(np.searchsorted(2 * np.cumsum(found), whole))
        ends = [f"{100 * found[end] / whole:.1f} % have {what}"
                for end, what in ((0, "none"), (each, f"all {each}"))
                if found[end]]
        # Otherwise, that is said by the ends.
        half = [f"half have at most {median}"] * (0 < median < each)
        return [f"{curve.label}: {', '.join(half + ends)}", curve.label]

    def notes(self) -> List[str]:
        huge = self.huge
        return [f"pages of {byte_size(huge.szB)} in the window, over all "
                f"samples", f"{self.medium.tau} = {self.duration(huge.tau)}",
                *self.about_runs()]
