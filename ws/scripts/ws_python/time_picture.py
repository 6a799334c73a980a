# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture of the sizes over time."""

import argparse
from dataclasses import dataclass
from typing import List, Optional, Sequence, Tuple, Type

from ws_python.curves import reduce_points, shade, tics
from ws_python.media import Medium
from ws_python.peaks import MOST_PEAKS, Peak, peaks_on
from ws_python.picture import Picture, quote
from ws_python.remarks import (MOST_BARS, Flag, FlaggedCurve,
                               Remarks)
from ws_python.reports import (SETS, Entry, Failure, Report, after_start,
                               average_of, labels_of, warn)
from ws_python.sizes import end_of
from ws_python.stacks import Paths, by_function
from ws_python.text import binary, shorten

MOST_STACKS = 4         # in the legend
MOST_WINDOWS = 4        # of a report, unless the user wants them


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
    average: Optional[float]


class TimePicture(Picture):
    """The sizes over time."""
    curves: List[TimeCurve]

    def __init__(self, reports: List[Report], options: argparse.Namespace,
                 form: Type[Medium]):
        super().__init__(reports, options)
        for report in reports:
            if options.no_info:
                report.info.clear()
                report.marks.clear()
                report.compositions.kept.clear()
            why = report.summary.get("No sample")
            if why is not None:
                warn(f"{report.name}: no sample: {why}")
        kinds = [self.kinds(report) for report in reports]
        if options.tau is None:
            # Of several windows as many as the eye can tell apart.
            most = max(form.most_curves // sum(map(len, kinds)), 1)
            for report in reports:
                report.windows = report.windows[:most]
        self.taus = sorted({tau for report in reports
                            for tau in report.windows} - {0})
        self.medium = form(options, 3 + sum(
            len(some) * len(report.windows)
            for some, report in zip(kinds, reports)), self.boxes(kinds),
            not self.bytes,
            max(len(self.taus) - MOST_BARS, 0))
        self.make_curves(kinds)
        last = max(max([*report.columns["t"][-1:], end_of(report) or 0])
                   for report in reports)
        self.right = 1.01 * (last or max(self.taus, default=0) or 1)
        self.remarks = Remarks(self.medium, self.curves, self.right,
                               len(self.taus), len(reports) > 1)
        self.row, self.top = self.remarks.row, self.remarks.top

    def kinds(self, report: Report) -> List[str]:
        """Those sets of a report that are to be drawn."""
        kinds = self.chosen([kind for kind in SETS
                             if all(report.column(kind, tau) in report.columns
                                    for tau in report.windows)])
        if not kinds:
            raise Failure(f"{report.name}: its table has no column WSS_dirty; "
                          "the option --ws-dirty=yes of ws adds it")
        return kinds

    def boxes(self, kinds: Sequence[Sequence[str]]) -> int:
        """How many lines of the legend explain peaks and call stacks."""
        peaks = sum(len(peaks_on(report, SETS[kind], tau))
                    for report, some in zip(self.reports, kinds)
                    for kind in some for tau in report.windows)
        stacks = sum(len({
            number for _, number in report.info
            if report.entries.get(number, Entry()).legend})
            for report in self.reports)
        return min(peaks, MOST_PEAKS) + min(stacks, MOST_STACKS)

    def make_curves(self, kinds: Sequence[Sequence[str]]) -> None:
        """Those of the longer windows, which are never lower, come first."""
        several = len(self.reports) > 1
        names = labels_of(self.reports, min(self.medium.room - 50, 40))
        self.curves = []
        for run, (report, name) in enumerate(zip(self.reports, names)):
            flagged = (kinds[run][0], report.windows[0])
            paths = Paths(report.compositions, by_function)
            windows = sorted(report.windows)
            for kind in kinds[run]:
                label = f"{name}, {kind}" if several else kind
                colour = run if several else list(SETS).index(kind)
                for rank in reversed(range(len(windows))):
                    tau = windows[rank]
                    self.curves.append(self.curve(
                        run, report.column(kind, tau),
                        [Peak(len(self.curves), some.time,
                              some.pages * self.scales[run], name,
                              binary(float(some.pages * self.pages[run]), 3),
                              some, paths) for name, some
                         in peaks_on(report, SETS[kind], tau)],
                        label + (f", {self.medium.tau} = {self.count(tau)}"
                                 if tau and len(self.taus) > 1 else ""),
                        shade(colour, rank, len(windows)), self.dash(kind),
                        (kind, tau) == flagged))

    def curve(self, run: int, column: str, peaks: List[Peak], label: str,
              colour: str, dash: int, flagged: bool) -> TimeCurve:
        """In pages times the report's scale."""
        report, scale = self.reports[run], self.scales[run]
        times, values = report.columns["t"], report.columns[column]
        sizes = values[after_start(report):]
        average = average_of(report, column)
        if average is not None:
            average *= scale
        return TimeCurve(
            label, colour, dash,
            [(time, value * scale) for time, value
             in reduce_points(times, values, self.medium.width)],
            max(sizes) * scale if sizes else None, peaks,
            [Flag(len(self.curves), times[row], values[row] * scale, number,
                  report.entries.get(number, Entry()))
             for row, number in report.info if flagged],
            report.marks if flagged else [], average)

    def bars(self) -> List[str]:
        """A bar of each tau's length, as far as there is room: with several,
        the legend names them, too.
        """
        lines = []
        line = "nohead linewidth 2 linecolor '#000000'"
        tick = 0.18 * self.row * self.remarks.bar_height
        for number, tau in enumerate(self.taus[:self.remarks.bars]):
            height = self.remarks.bar(number)
            text = f"{self.medium.tau} = {self.duration(tau)}"
            end = min(tau, self.right)
            if end < tau:
                text += ", longer than the run"
            lines += [f"set arrow from 0,graph {height} to "
                      f"{end},graph {height} {line}"]
            lines += [f"set arrow from {x},graph {height - tick} to "
                      f"{x},graph {height + tick} {line}"
                      for x in (0, tau) if x <= end]
            place = f"{end},graph {height} left offset character 1,0"
            if end > self.right / 2:
                place = f"graph 0.5,graph {height} center boxed"
            lines += [f"set label {quote(text)} at {place} front"]
        return lines

    def draw(self) -> None:
        remarks = self.remarks
        for sign in remarks.signs:
            lane = remarks.lanes - 1 if sign.lane is None else sign.lane
            step = ((self.top - self.bottom) * remarks.lane(lane + 0.5)
                    / self.medium.stops)
            self.plot([(sign.mark.time, self.bottom + i * step)
                       for i in range(self.medium.stops + 1)],
                      self.medium.sign_style())
        for curve in self.curves:
            if curve.average is not None:
                step = curve.points[-1][0] / self.medium.dashes
                self.plot([(i * step, curve.average)
                           for i in range(self.medium.dashes + 1)],
                          self.medium.thin_style(curve))
        for number, curve in enumerate(self.curves):
            if curve.points:
                self.plot(curve.points, self.medium.style(number, curve))
        for number, curve in enumerate(self.curves):
            tops = [(peak.time, peak.value) for peak in remarks.peaks
                    if peak.curve == number]
            if tops:
                self.plot(tops, self.medium.peak_style(curve))

    def extras(self) -> List[str]:
        """The axis of time, the bars, numbers and labels."""
        return [f"set xrange [{-0.01 * self.right}:{self.right}]",
                f"set xtics {tics(self.right, self.most_tics(), self.tic)}",
                f"set xlabel {quote(f'time ({self.unit})')}",
                *self.bars(), *self.remarks.lines()]

    def more_legend(self, row: int) -> List[Tuple[int, int, str, str]]:
        return self.remarks.legend(row)

    def notes(self) -> List[str]:
        """The most important first."""
        notes = self.remarks.hidden()
        windows = {tau for report in self.reports for tau in report.taus} - {0}
        if self.options.tau is None and len(self.taus) < len(windows):
            notes += [f"{len(self.taus)} of {len(windows)} windows shown"]
        notes += self.about_runs()
        if any(curve.average is not None for curve in self.curves):
            notes += ["dashed: average"]
        return notes

    def legend(self, curve: TimeCurve) -> str:
        if curve.peak is None:
            return f"{curve.label}: no samples"
        text = f"{curve.label}: "
        if curve.average is not None:
            text += f"avg {self.size(curve.average)}, "
        return (f"{text}peak {self.size(curve.peak)}"
                + ("" if self.bytes else " pages"))
