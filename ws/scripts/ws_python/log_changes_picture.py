# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture of phases: the working set, with a band for each phase, and
below it how far apart the windows before and after each time are.
"""

import argparse
from collections import Counter
from typing import Any, List, Tuple, Type

import numpy as np

from ws_python.curves import COLOURS, Curve, Points, Range, reduced, tics
from ws_python.log_phases import HIGH, Changes
from ws_python.media import GREY, Medium
from ws_python.page_log import PageLog
from ws_python.picture import Picture as AnyPicture
from ws_python.picture import quote

NAMES = {"insn": "code", "data": "data", "dirty": "dirty data"}
PLACES = {"data": 0, "insn": 1, "dirty": 2}
# Behind the curves: of phases that come once, in turn, and of others.
ONCE = ("#FFFFFF", "#F1F1F1")
AGAIN = ("#D5E6F7", "#FBE0CC", "#CFEFDF", "#F4D9EC", "#FBEDBD", "#D9DCFF",
         "#E9D5C0")
DISTANCE = "distance"
LOWER = 0.3             # of the picture is for distances


class Picture(AnyPicture):
    noun = "Phases"
    side_by_side = 3

    def __init__(self, logs: List[PageLog], options: argparse.Namespace,
                 form: Type[Medium]):
        reports: List[Any] = [*logs]    # they have what it asks reports
        super().__init__(reports, options)
        self.found = found = Changes(logs[0], options)
        self.page = found.page_szB
        self.scale = self.page if self.bytes else 1
        self.kinds = [kind for kind in PLACES if kind in found.sizes]
        self.peaks = {kind: int(found.sizes[kind].max()) * self.scale
                      for kind in self.kinds}
        self.curves = [Curve(NAMES[kind], COLOURS[PLACES[kind]], 0, [])
                       for kind in self.kinds]
        self.curves.append(Curve(DISTANCE, GREY, 0, []))
        self.medium = form(options, 4, 0, not self.bytes)
        self.row = self.medium.row_height / self.medium.inner_height
        self.top = 1.08 * max([*self.peaks.values(), 1])

    # --- What is drawn -------------------------------------------------------

    @property
    def bottom(self) -> float:
        return -self.top * LOWER / (1 - LOWER)

    def height(self, distance: float) -> float:
        """Of a distance, on the left axis."""
        return self.bottom * (0.85 - 0.75 * distance)

    def trace(self, times: np.ndarray, values: np.ndarray,
              ) -> Tuple[Points, List[Range]]:
        return reduced(times.tolist(), values.tolist(),
                       self.medium.inner_width)

    def draw(self) -> None:
        found = self.found
        lines = [(found.times, found.sizes[kind] * self.scale)
                 for kind in self.kinds]
        lines.append((found.distances.times,
                      self.height(found.distances.values)))
        levels = self.levels
        for number, (times, values) in enumerate(lines):
            curve = self.curves[number]
            curve.points, band = self.trace(times, values)
            if band:
                self.plot(self.medium.band(band, levels),
                          self.medium.band_style(number, curve))
        for number, curve in enumerate(self.curves):
            if curve.points:
                self.plot(curve.points, self.medium.style(
                    number, curve, False))

    # --- Around it -----------------------------------------------------------

    def extras(self) -> List[str]:
        begin, end = self.found.log.begin, int(self.found.log.ends[-1])
        return [f"set xrange [{begin}:{max(end, begin + 1)}]",
                "set xtics " + tics(end, self.most_tics(), self.tic, begin),
                f"set xlabel {quote(f'time ({self.unit})')}",
                "set grid noxtics noytics", *self.distance_axis(),
                *self.bands()]

    def distance_axis(self) -> List[str]:
        """Between the curves and the distances, and where a phase begins."""
        lines = [f"set arrow from graph 0,first {y} to graph 1,first {y} "
                 f"nohead back linecolor '{GREY}'{more}"
                 for y, more in ((0, ""),
                                 (self.height(HIGH), " dashtype 2"))]
        return lines + [
            f"set ytics add ('{value}' {self.height(value)})"
            for value in (0, 0.5, 1)]

    def bands(self) -> List[str]:
        """Phases that are the same have the same number and colour."""
        lines = []
        phases = self.found.phases
        times = Counter(phase.same for phase in phases)
        again = [same for same, number in times.items() if number > 1]
        length = max(phases[-1].end - phases[0].begin, 1)
        free = 0.0
        for number, phase in enumerate(phases):
            colour = (AGAIN[again.index(phase.same) % len(AGAIN)]
                      if phase.same in again else ONCE[number % 2])
            lines.append(
                f"set object rectangle from {phase.begin},graph 0 to "
                f"{phase.end},graph 1 behind fillcolor '{colour}' "
                "fillstyle solid noborder")
            if number:
                lines.append(f"set arrow from {phase.begin},graph 0 to "
                             f"{phase.begin},graph 1 nohead back "
                             "linecolor '#AAAAAA'")
            text = f"{phase.same + 1}{'~' * phase.is_changing}"
            middle = (phase.begin + phase.end) / 2
            half = (len(text) + 1) * self.medium.letter / 2 * (
                length / self.medium.inner_width)
            if middle - half >= free:
                free = middle + half
                lines.append(f"set label '{text}' at {middle},graph "
                             f"{1 - 0.5 * self.row} center front "
                             f"{self.medium.small_style()}")
        return lines

    def legend(self, curve: Curve) -> List[str]:
        if curve.label == DISTANCE:
            return [curve.label]
        peak = self.peaks[self.kinds[self.curves.index(curve)]]
        return [f"{curve.label}: at most {size}" for size in self.sizes(peak)]

    def notes(self) -> List[str]:
        phases = self.found.phases
        kinds = len({phase.same for phase in phases})
        return [f"{len(phases)} phases"
                + f" of {kinds} kinds" * (kinds < len(phases)),
                f"{self.medium.tau} = {self.count(self.found.tau, 3)}",
                "distance of windows of "
                f"{self.duration(self.found.length, 3)}",
                *["~: keeps changing"] * any(phase.is_changing
                                             for phase in phases),
                *self.about_runs()]
