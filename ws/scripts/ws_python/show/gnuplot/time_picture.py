# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture of the sizes over time."""

import argparse
from dataclasses import dataclass
from typing import Dict, List, Optional

from ws_python.base.failure import Failure, warn
from ws_python.base.text import shorten
from ws_python.base.units import byte_size, count
from ws_python.model.report import (SETS, Entry, Mark, Report, average_of,
                                    no_written, samples_of)
from ws_python.model.runs import Run, cast_of
from ws_python.model.sizes import no_sample
from ws_python.model.stacks import Paths, by_known
from ws_python.show.gnuplot.curves import Points, shade
from ws_python.show.gnuplot.legends import Text, explained_peaks, legend
from ws_python.show.gnuplot.media import GREY, PALE, Image
from ws_python.show.gnuplot.over_time import OverTime
from ws_python.show.gnuplot.peaks import MOST_PEAKS, Peak, peaks_on
from ws_python.show.gnuplot.remarks import MOST_BARS, Flag, FlaggedCurve

MOST_STACKS = 4         # in the legend
MOST_WINDOWS = 4        # of a report, unless the user wants them
CROWD_DETAIL = 0.25     # of what is drawn in grey


def choose_windows(report: Report, wanted: Optional[List[int]]) -> List[int]:
    """Those windows of a report that may be drawn."""
    if wanted is None:
        return report.taus[:MOST_WINDOWS]
    chosen = [tau for tau in report.taus if tau in wanted]
    if not chosen:
        raise Failure(f"{report.name}: has none of these windows; it has "
                      + shorten(", ".join(map(str, report.taus)), 400))
    return chosen


@dataclass
class TimeCurve(FlaggedCurve):
    """The sizes of a set for a window."""
    run: Run
    kind: str
    tau: int
    average: Optional[float]
    bound: Optional[int]        # not exceeded between samples either


@dataclass
class Crowd(FlaggedCurve):
    """What has no curve of its own, and one line of the legend."""
    lines: List[Points]


class TimePicture(OverTime):
    """The sizes over time."""

    def __init__(self, reports: List[Report], options: argparse.Namespace):
        super().__init__(reports, options)
        if options.no_info:
            for report in reports:
                report.info.clear()
                report.marks.clear()
                report.compositions.samples.clear()
        self.warn_of_none()
        kinds = {report.name: ["data"] if self.many else self.kinds(report)
                 for report in reports}
        first = kinds[reports[0].name][0]
        self.cast = cast_of(reports, self.pages, first, Image.most_runs)
        if options.tau is None:
            # Of several windows as many as the eye can tell apart.
            most = max(Image.most_curves // sum(
                len(kinds[run.report.name]) for run in self.cast.shown), 1)
            for report in reports:
                report.windows = report.windows[:most]
        self.taus = sorted({tau for report in reports
                            for tau in report.windows} - {0})
        self.make_curves(kinds)
        self.scale_time()
        self.medium = Image(options, 3 + len(self.curves)
                           + bool(self.cast.others), self.boxes(),
                           not self.bytes, max(len(self.taus) - MOST_BARS, 0))
        self.cast.name(min(self.medium.room - 40, 34))
        for curve in self.curves:
            self.finish(curve)
        if self.cast.others:
            self.curves.append(self.crowd(first))
        self.place_remarks()

    def warn_of_none(self) -> None:
        """Of many, how many."""
        none = [report for report in self.reports
                if no_sample(report)]
        if len(none) > 2:
            warn(f"no sample in {len(none)} of {len(self.reports)} reports")
            return
        for report in none:
            warn(f"{report.name}: no sample: {no_sample(report)}")

    def kinds(self, report: Report) -> List[str]:
        """Those sets of a report that are to be drawn."""
        kinds = self.chosen([kind for kind in SETS
                             if all(report.column(kind, tau) in report.columns
                                    for tau in report.windows)])
        if not kinds:
            raise no_written(report)
        return kinds

    def boxes(self) -> int:
        """How many lines of the legend explain peaks and call stacks."""
        peaks = sorted((peak for curve in self.curves for peak in curve.peaks),
                       key=lambda peak: -peak.value)[:MOST_PEAKS]
        stacks = sum(len({
            number for _, number in run.report.info
            if run.report.entries.get(number, Entry()).legend})
            for run in self.cast.shown)
        return (len(explained_peaks(peaks, len(self.reports) > 1))
                + min(stacks, MOST_STACKS))

    def make_curves(self, kinds: Dict[str, List[str]]) -> None:
        """Those of the longer windows, which are never lower, come first."""
        self.curves: List[FlaggedCurve] = []
        for number, run in enumerate(self.cast.shown):
            some = kinds[run.report.name]
            paths = Paths(run.report.compositions, by_known)
            windows = sorted(run.report.windows)
            for kind in some:
                colour = (number if len(self.reports) > 1
                          else list(SETS).index(kind))
                for rank in reversed(range(len(windows))):
                    self.curves.append(self.curve(
                        run, kind, windows[rank], paths,
                        shade(colour, rank, len(windows)),
                        (kind, windows[rank]) == (some[0],
                                                  run.report.windows[0])))

    def curve(self, run: Run, kind: str, tau: int, paths: Paths,
              colour: str, flagged: bool) -> TimeCurve:
        """Without its name and points."""
        report, number = run.report, len(self.curves)
        scale = run.page if self.bytes else 1
        times = report.columns["t"]
        values = report.columns[report.column(kind, tau)]
        sizes = samples_of(report, report.column(kind, tau))
        average = (average_of(report, report.column(kind, tau))
                   if self.options.average else None)
        bound = report.bounds.get(SETS[kind])
        return TimeCurve(
            "", colour, self.dash(kind), [], [],
            max(sizes) * scale if sizes else None,
            [Peak(number, run.begin + some.time, some.pages * scale, name,
                  some.pages * run.page, some, paths)
             for name, some in peaks_on(report, SETS[kind], tau)],
            [Flag(number, run.begin + times[row], values[row] * scale, entry,
                  report.entries.get(entry, Entry()))
             for row, entry in report.info if flagged],
            [Mark(run.begin + mark.time, mark.label, mark.number)
             for mark in report.marks if flagged], run, kind, tau,
            None if average is None else average * scale,
            None if bound is None or tau != report.number("Tau")
            else bound * scale)

    def finish(self, curve: FlaggedCurve) -> None:
        assert isinstance(curve, TimeCurve)
        run = curve.run
        several = len(self.reports) > 1
        curve.label = f"{run.name}, {curve.kind}" if several else curve.kind
        if len(self.taus) > 1 and curve.tau:
            curve.label += f", {self.medium.tau} = {self.count(curve.tau)}"
        curve.points, curve.band = self.trace(
            run, run.report.column(curve.kind, curve.tau))

    def crowd(self, kind: str) -> Crowd:
        """The first set and window of those that have no curve."""
        lines = []
        for run in self.cast.others:
            line, band = self.trace(
                run, run.report.column(kind, run.report.windows[0]),
                CROWD_DETAIL)
            lines.append([(x, high) for x, _, high in band] or line)
        share = self.cast.share
        return Crowd(
            f"{len(lines)} others, "
            + (f"{share:.0f} %" if share >= 0.5 else "less than 1 %")
            + f" of all {self.cast.measure}, {kind}", PALE, 0, [], [],
            max((value for line in lines for _, value in line), default=None),
            [], [], [], lines)

    def draw(self) -> None:
        remarks = self.remarks
        for sign in remarks.signs:
            lane = remarks.lanes - 1 if sign.lane is None else sign.lane
            end = (self.bottom
                   + (self.top - self.bottom) * remarks.lane(lane + 0.5))
            self.plot([(sign.mark.time, self.bottom), (sign.mark.time, end)],
                      self.medium.line_style(GREY, dash=2))
        for curve in self.curves:
            if isinstance(curve, Crowd):
                for line in curve.lines:
                    self.plot(line, self.medium.line_style(PALE))
        self.draw_bands()
        for curve in self.curves:
            if isinstance(curve, TimeCurve) and curve.average is not None:
                self.plot([(self.left, curve.average),
                           (curve.points[-1][0], curve.average)],
                          self.medium.line_style(curve.colour, dash=2))
        self.draw_curves()
        for number, curve in enumerate(self.curves):
            tops = [(peak.time, peak.value) for peak in remarks.peaks
                    if peak.curve == number]
            if tops:
                self.plot(tops, self.medium.peak_style(curve))

    def missing_peaks(self) -> bool:
        return any(2 * curve.run.report.number("Every") > curve.tau
                   for curve in self.curves
                   if isinstance(curve, TimeCurve) and curve.bound is None)

    def more_legend(self, row: int) -> List[Text]:
        return legend(self.remarks, row)

    def notes(self) -> List[str]:
        notes = self.remarks.hidden()
        windows = {tau for report in self.reports for tau in report.taus} - {0}
        if self.options.tau is None and len(self.taus) < len(windows):
            notes += [f"{len(self.taus)} of {len(windows)} windows shown"]
        notes += super().notes()
        if self.options.average:
            notes += ["dashed: average"]
        return notes

    def legend(self, curve: FlaggedCurve) -> List[str]:
        if curve.peak is None:
            return [f"{curve.label}: no samples"]
        sizes = self.sizes(curve.peak)
        texts = [f"largest sample {size}" for size in sizes]
        if isinstance(curve, TimeCurve) and curve.average is not None:
            texts = [f"on average {self.size(curve.average)}, {text}"
                     for text in texts] + texts[-1:]
        if isinstance(curve, TimeCurve) and curve.bound is not None:
            bound = ("no more" if curve.bound == curve.peak else "at most "
                     + (byte_size(curve.bound) if self.bytes
                        else count(curve.bound)))
            texts[:0] = [f"{texts[0]}, at any time {bound}"]
        return [f"{curve.label}: {text}" for text in [*texts, sizes[-1]]] + [
            curve.label]
