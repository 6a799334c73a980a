# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws the sizes against the length of the window."""

import argparse
from dataclasses import dataclass
from math import log
from typing import Dict, List, Sequence, Tuple

from ws_python.base.failure import Failure, warn
from ws_python.base.text import printable
from ws_python.base.units import byte_size
from ws_python.model.report import SETS, ProfileRow, Report
from ws_python.model.runs import names_of
from ws_python.model.sizes import KINDS, sizes_of
from ws_python.show.gnuplot.curves import Curve, Points, Range, log_tics, shade
from ws_python.show.gnuplot.media import GREY, Image
from ws_python.show.gnuplot.picture import Picture, quote


@dataclass
class ProfileCurve(Curve):
    """The profile of a set.  Its points are the medians or averages that the
    run's length does not limit.
    """
    limited: Points             # the last point, and the limited ones
    band: List[Range]           # from the median to the 95th percentile
    averages: Points
    highest: Points
    page: int
    scale: int                  # values of the left axis per page


def profile_of_windows(report: Report) -> Dict[str, List[ProfileRow]]:
    """Make a profile of a part of a run, which only has its windows."""
    found: Dict[str, List[ProfileRow]] = {}
    for some in sorted(sizes_of(report, [*KINDS]), key=lambda one: one.tau):
        average, median, p95 = map(some.statistic, ("avg", "p50", "p95"))
        if None not in (average, median, p95, some.peak):
            found.setdefault(some.set, []).append(ProfileRow(
                some.tau, float(average), some.peak, None, "-", None, None,
                median, p95))
    return found


def why_none(report: Report) -> str:
    """Say why a report has no profile to draw."""
    if not report.complete:
        return "its run was killed or is not over"
    if report.profile is None:
        return "there is no such section"
    if not report.profile:
        return "its run ended before the first sample"
    return "it has no dirty sets; the option --ws-dirty=yes of ws adds them"


class ProfilePicture(Picture):
    """The size of a set against the length of its window."""
    noun = "Working set profile"

    def __init__(self, reports: List[Report], options: argparse.Namespace):
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
        self.medium = Image(options, 3 + sum(
            max(len(some), 1) for some in kinds), 0, not self.bytes)
        # The legend is long.
        names = names_of(reports, self.pages, min(self.medium.room - 97, 40))
        self.curves: List[ProfileCurve] = []
        for run, name in enumerate(names):
            self.curves += [self.curve(run, kind, name) for kind in kinds[run]]
            if not kinds[run]:
                self.curves.append(ProfileCurve(
                    name, shade(run, 0, 1), 0, [], [], [], [], [], 0, 1))
        self.row = self.medium.row_height / self.medium.inner_height
        highest = [size for curve in self.curves for _, size in curve.highest]
        self.top = max(max(highest), 1) / (1 - min(0.6 * self.row, 0.3))
        if options.log:
            lowest = min([size for curve in self.curves for size in (
                *(y for _, y in curve.points + curve.limited),
                *(y for _, y, _ in curve.band)) if size > 0] + highest[:1])
            self.low = max(lowest, 1) / 1.5
            self.top = max(self.top * (self.top / self.low) ** (
                0.6 * self.row), 10 * self.low)

    def curve(self, run: int, kind: str, name: str) -> ProfileCurve:
        """Make a curve of the rows of a set."""
        several = len(self.reports) > 1
        rows = (self.reports[run].profile or {})[SETS[kind]]
        scale = self.scales[run]
        averages = [(row.tau, row.average * scale) for row in rows]
        band = [(row.tau, row.median * scale, row.p95 * scale) for row in rows
                if row.median is not None and row.p95 is not None]
        line = [(tau, median) for tau, median, _ in band] or averages
        free = sum(row.note != "limited" for row in rows)
        return ProfileCurve(
            f"{name}, {kind}" if several else kind,
            shade(run if several else list(SETS).index(kind), 0, 1),
            self.dash(kind), line[:free], line[max(free - 1, 0):], band,
            averages if band and self.options.average else [],
            [(row.tau, row.peak * scale) for row in rows],
            self.pages[run], scale)

    def height(self, size: float) -> float:
        """Return a size as part of the axis; 0 is at the bottom."""
        if self.low is None:
            return size / self.top
        return log(max(size, self.low) / self.low) / log(self.top / self.low)

    def on_axis(self, points: Sequence[Tuple[float, ...]]
                ) -> List[Tuple[float, ...]]:
        """Lift points to the start of a logarithmic axis, which has no 0."""
        low = self.low
        return list(points) if low is None else [
            (point[0], *(max(y, low) for y in point[1:])) for point in points]

    def draw(self) -> None:
        for curve in self.curves:
            if len(curve.band) > 1:
                self.plot(self.on_axis(curve.band),
                          self.medium.band_style(curve))
        for curve in self.curves:
            for points, *line in ((curve.highest, 1, 2),
                                  (curve.averages, 1.5, 3)):
                if points:
                    self.plot(self.on_axis(points),
                              self.medium.line_style(curve.colour, *line))
        for number, curve in enumerate(self.curves):
            if len(curve.limited) > 1:
                self.plot(self.on_axis(curve.limited),
                          self.medium.weak_style(curve))
            if curve.points:
                self.plot(self.on_axis(curve.points),
                          self.medium.style(number, curve))

    def extras(self) -> List[str]:
        """Set the axis of the windows' lengths."""
        taus = [tau for curve in self.curves for tau, _ in curve.highest]
        # Leave some room at the ends; a lone row has its neighbours.
        low, high = min(taus), max(taus)
        edge = (high / low) ** 0.02 if low < high else 2
        name = f"length {self.medium.tau} of the window ({self.unit})"
        return ["set logscale x", f"set xrange [{low / edge}:{high * edge}]",
                "set xtics " + log_tics(low / edge, high * edge,
                                        self.most_tics(), self.tic),
                f"set xlabel {quote(name)}", *self.references()]

    def shows(self, size: int) -> bool:
        """Tell if the axis has this size in bytes, and room above it."""
        height = self.height(size / (1 if self.bytes else self.page))
        return 0 < height < 1 - 0.5 * self.row

    def references(self) -> List[str]:
        """Draw lines at sizes to compare with, named if there is room."""
        lines, texts = [], []
        end = 0.0
        for name, size in self.options.refs:
            y = size if self.bytes else size / self.page
            height = self.height(y)
            if not self.shows(size):
                continue
            text = f"{printable(name)} {byte_size(size)}"
            lines += ["set arrow from graph 0,"
                      f"first {y} to graph 1,first {y} nohead "
                      f"{self.medium.reference_style()}"]
            if texts and height < end:
                texts[-1] = (f"{texts[-1][0]}, {text}", texts[-1][1])
            else:
                texts.append((text, y))
            end = height + 0.7 * self.row
        return lines + [
            f"set label {quote(text)} at graph 0,first {y} left offset "
            f"character 1,{self.medium.reference_lift} front "
            f"{self.medium.small_style()} textcolor '{GREY}'"
            for text, y in texts]

    def legend(self, curve: ProfileCurve) -> List[str]:
        if not curve.highest:
            return [f"{curve.label}: no profile"]
        most = curve.highest[-1][1] / curve.scale * curve.page
        return [f"{curve.label}: {byte_size(most)} at most"]

    def notes(self) -> List[str]:
        outside = [name for name, size in self.options.refs
                   if not self.shows(size)]
        notes = ["outside the axis: " + " ".join(outside)] * bool(outside)
        notes += ["line: median, band: to 95th percentile"
                  if any(curve.band for curve in self.curves)
                  else "line: average", "dashed: max"]
        if any(curve.averages for curve in self.curves):
            notes += ["dotted: average"]
        if any(len(curve.limited) > 1 for curve in self.curves):
            notes += ["hollow: limited by the run's length"]
        return notes + self.about_runs()
