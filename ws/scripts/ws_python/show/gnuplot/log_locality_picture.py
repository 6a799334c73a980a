# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture of how many pages an LRU memory misses, by its size."""

import argparse
from dataclasses import dataclass
from math import log
from typing import List, Sequence, Tuple

from ws_python.base.text import printable
from ws_python.base.units import byte_size, nouns, size_tic, tic
from ws_python.model.log import PageLog
from ws_python.model.report import SETS
from ws_python.show.gnuplot import picture
from ws_python.show.gnuplot.curves import Curve, Points, Range, log_tics, shade
from ws_python.show.gnuplot.media import GREY, Image
from ws_python.show.gnuplot.picture import quote
from ws_python.views.log_locality import NAMES, Locality, localities, rate_text

POINTS = 400                # of a curve
SPARSE = 8                  # one of so many has a circle of its own


@dataclass
class MissCurve(Curve):
    """Misses by bytes of memory."""
    band: List[Range]
    weak: Points            # of those, what is not certain
    said: List[str]         # in the legend; or else the next one


class Picture(picture.Picture):
    """A curve of each set, in a band from the lowest to the highest."""
    noun = "Locality"
    side_by_side = 2
    low: float

    def __init__(self, logs: Sequence[PageLog], options: argparse.Namespace):
        super().__init__(list(logs), options)
        found = localities(logs[0], [
            SETS[kind] for kind in self.chosen(SETS)], options)
        self.page = found[0].page
        self.curves: List[MissCurve] = [
            curve_of(one, shade(colour, 0, 1))
            for colour, one in enumerate(found)]
        points = [point for curve in self.curves for point in curve.points]
        self.left = min(x for x, _ in points) / 1.1
        self.right = max(x for x, _ in points) * 1.1
        highest = max(max(y for _, y in points), max(
            high for curve in self.curves for _, _, high in curve.band))
        self.low = min((y for _, y in points if y), default=1) / 1.5
        self.medium = Image(options, 3 + (len(self.curves) + 1) // 2, 0, False)
        self.row = self.medium.row_height / self.medium.inner_height
        # Room for the names of references.
        self.top = max(highest, self.low) * max(
            highest / self.low, 10) ** (2.5 * self.row)

    def on_axis(self, points: Sequence[Tuple[float, ...]]
                ) -> List[Tuple[float, ...]]:
        """A logarithmic one has no 0."""
        return [(x, *(max(y, self.low) for y in more)) for x, *more in points]

    def draw(self) -> None:
        for curve in self.curves:
            if curve.band:
                self.plot(self.on_axis(curve.band),
                          self.medium.band_style(curve))
        for number, curve in enumerate(self.curves):
            if len(curve.weak) > 1:
                self.plot(self.on_axis(curve.weak[::-SPARSE]),
                          self.medium.weak_style(curve))
            self.plot(self.on_axis(curve.points[max(len(curve.weak) - 1, 0):]),
                      self.medium.style(number, curve, False))

    def size_axis(self) -> List[str]:
        """Of misses."""
        most = max(self.medium.height // self.medium.tic_room[1], 2)
        return ["set logscale y", f"set yrange [{self.low}:{self.top}]",
                "set ytics " + log_tics(self.low, self.top, most, tic),
                *self.medium.axis_names("misses of an LRU memory",
                                        "per million instructions", "")]

    def extras(self) -> List[str]:
        """The axis of the memory's size, and references."""
        return ["set logscale x", f"set xrange [{self.left}:{self.right}]",
                "set xtics " + log_tics(self.left, self.right,
                                        self.most_tics(), size_tic),
                "set xlabel " + quote("size of the memory, of "
                                      + nouns(self.page)),
                *self.references()]

    def shows(self, size: int) -> bool:
        return self.left < size < self.right

    def references(self) -> List[str]:
        """Vertical lines, with their names in two rows."""
        lines = []
        ends = [0.0, 0.0]
        for name, size in self.options.refs:
            if not self.shows(size):
                continue
            lines.append(f"set arrow from {size},graph 0 to {size},graph 1 "
                         f"nohead {self.medium.reference_style()}")
            label = f"{printable(name)} {byte_size(size)}"
            begin = log(size / self.left) / log(self.right / self.left)
            wide = ((len(label) + 2) * self.medium.letter
                    / self.medium.inner_width)
            row = next((k for k, end in enumerate(ends) if end <= begin), None)
            if row is None or begin + wide > 1:
                continue
            ends[row] = begin + wide
            lines.append(
                f"set label {quote(label)} at {size},"
                f"graph {1 - (row + 0.6) * self.row} left "
                f"offset character 0.5,0 front {self.medium.small_style()} "
                f"textcolor '{GREY}'")
        return lines

    def legend(self, curve: MissCurve) -> List[str]:
        return curve.said

    def notes(self) -> List[str]:
        outside = [name for name, size in self.options.refs
                   if not self.shows(size)]
        notes = ["outside the axis: " + " ".join(outside)] * bool(outside)
        notes += ["without first accesses", "band: low to high"]
        if any(curve.weak for curve in self.curves):
            notes += ["hollow: less certain"]
        return notes + self.about_runs()


def curve_of(one: Locality, colour: str) -> MissCurve:
    """From the least size on."""
    sizes = one.steps(POINTS)
    bytes_of = (sizes * one.page).tolist()
    low, middle, high = (rates.tolist() for rates in one.curves(sizes))
    weak = int((sizes < one.certain).sum())
    simulated = [*zip(bytes_of, middle)]
    name, first = NAMES[one.name], rate_text(float(one.rate(one.first)))
    return MissCurve(
        name, colour, 0, simulated, [*zip(bytes_of, low, high)],
        simulated[:weak + 1] if weak else [],
        [f"{name}: simulated; first accesses {first}", f"{name}: simulated",
         name])
