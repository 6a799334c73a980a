# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture of the sizes against the length of the window."""

import argparse
from dataclasses import dataclass
from typing import List, Optional, Sequence, Tuple, Type

from ws_python.curves import Curve, log_tics, shade
from ws_python.media import Medium
from ws_python.picture import Picture, quote
from ws_python.reports import (SETS, Failure, ProfileRow, Report, labels_of,
                               warn)
from ws_python.text import binary


@dataclass
class ProfileCurve(Curve):
    """The profile of a set; the points are those that the run's length does
    not limit.
    """
    limited: List[Tuple[int, float]]    # the others, and the last of points
    highest: List[Tuple[int, int]]
    knee: Optional[ProfileRow]
    page: int


def why_none(report: Report) -> str:
    """Why there is nothing to draw of a report."""
    if not report.complete:
        return "its run was killed or is not over"
    if report.profile is None:
        return "it is of an older ws"
    if not report.profile:
        return "its run ended before the first sample"
    return "it has no dirty sets; the option --ws-dirty=yes of ws adds them"


class ProfilePicture(Picture):
    """The average size of a set depends on the length of its window."""
    noun = "Working set profile"
    size_name = "average working set size"

    def __init__(self, reports: List[Report], options: argparse.Namespace,
                 form: Type[Medium]):
        super().__init__(reports, options)
        kinds = [self.chosen([kind for kind in SETS
                              if SETS[kind] in (report.profile or {})])
                 for report in reports]
        for report, some in zip(reports, kinds):
            if not some:
                warn(f"{report.name}: no working set profile: "
                     + why_none(report))
        if not any(kinds):
            raise Failure("there is nothing to draw")
        self.medium = form(options, 3 + sum(
            max(len(some), 1) for some in kinds), 0, not self.bytes)
        # The legend is long.
        names = labels_of(reports, min(self.medium.room - 97, 40))
        self.curves: List[ProfileCurve] = []
        for run, name in enumerate(names):
            self.curves += [self.curve(run, kind, name) for kind in kinds[run]]
            if not kinds[run]:
                self.curves.append(ProfileCurve(
                    name, shade(run, 0, 1), 0, [], [], [], None, 0))
        peak = max(size for curve in self.curves for _, size in curve.highest)
        self.row = self.medium.row_height / self.medium.inner_height
        self.top = max(peak, 1) / (1 - min(0.6 * self.row, 0.3))

    def curve(self, run: int, kind: str, name: str) -> ProfileCurve:
        """The rows of a set as a curve."""
        several = len(self.reports) > 1
        rows = (self.reports[run].profile or {})[SETS[kind]]
        scale = self.scales[run]
        averages = [(row.tau, row.average * scale) for row in rows]
        free = sum(row.note != "limited" for row in rows)
        return ProfileCurve(
            f"{name}, {kind}" if several else kind,
            shade(run if several else list(SETS).index(kind), 0, 1),
            self.dash(kind), averages[:free], averages[max(free - 1, 0):],
            [(row.tau, row.peak * scale) for row in rows],
            next((row for row in rows if row.note == "knee"), None),
            self.pages[run])

    def along(self, points: Sequence[Tuple[int, float]]
              ) -> List[Tuple[float, float]]:
        """Points from one end of a curve to the other, as many as it takes
        to see a line in a terminal.
        """
        steps = max(self.medium.dashes // len(points), 1)
        return [(x * (end_x / x) ** (k / steps), y + (end_y - y) * k / steps)
                for (x, y), (end_x, end_y) in zip(points, points[1:])
                for k in range(steps)] + list(points[-1:])

    def draw(self) -> None:
        for curve in self.curves:
            if curve.highest:
                self.plot(self.along(curve.highest),
                          self.medium.thin_style(curve))
        for number, curve in enumerate(self.curves):
            if len(curve.limited) > 1:
                self.plot(self.along(curve.limited),
                          self.medium.weak_style(curve))
            if curve.points:
                self.plot(curve.points, self.medium.style(number, curve))
        for curve in self.curves:
            if curve.knee:
                self.plot([point for point in curve.points
                           if point[0] == curve.knee.tau],
                          self.medium.ring_style(curve))

    def extras(self) -> List[str]:
        """The axis of the windows' lengths."""
        taus = [tau for curve in self.curves for tau, _ in curve.highest]
        # A bit of room at the ends; for a lone row, its neighbours.
        low, high = min(taus), max(taus)
        edge = (high / low) ** 0.02 if low < high else 2
        name = f"length {self.medium.tau} of the window ({self.unit})"
        return ["set logscale x", f"set xrange [{low / edge}:{high * edge}]",
                "set xtics " + log_tics(low / edge, high * edge,
                                        self.most_tics(), self.tic),
                f"set xlabel {quote(name)}"]

    def legend(self, curve: ProfileCurve) -> str:
        """As much as there is room for."""
        if not curve.highest:
            return f"{curve.label}: no profile"
        if not curve.knee:
            return f"{curve.label}: no knee"
        row = curve.knee
        text = (f"{curve.label}: knee {binary(row.average * curve.page, 4)} "
                f"at {self.medium.tau} = {self.count(row.tau, 4)}")
        if row.life is not None:
            for life in (self.duration, self.count):
                longer = f"{text}, a page missing every {life(row.life, 3)}"
                if len(longer) <= self.medium.room - 4:
                    return longer
        return text

    def notes(self) -> List[str]:
        notes = []
        if any(curve.knee for curve in self.curves):
            notes += [self.medium.ring + ": knee"]
        notes += ["dashed: maximum"]
        if any(len(curve.limited) > 1 for curve in self.curves):
            notes += [self.medium.weak + ": limited by the run's length"]
        return notes + self.about_runs()
