# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture of memory over time: what was mapped beside what was used."""

import argparse
from dataclasses import dataclass
from typing import List

from ws_python.base.failure import Failure
from ws_python.model.compositions import FILES
from ws_python.model.report import Report, is_estimate, samples_of
from ws_python.model.runs import Run, cast_of
from ws_python.show.gnuplot.curves import shade
from ws_python.show.gnuplot.media import GREY, Image
from ws_python.show.gnuplot.over_time import OverTime
from ws_python.show.gnuplot.remarks import FlaggedCurve

# Their columns.
MAPPED, TOUCHED, USED, RESIDENT = "mapped", "touched", "used", "resident"


@dataclass
class MemoryCurve(FlaggedCurve):
    """A column of a report's table."""
    column: str


class MappedPicture(OverTime):
    """What a program had mapped, has touched and needs: of one report.  What
    it has in memory, if the kernel was asked.
    """
    noun = "Memory mapped and used"
    size_name = "memory"

    def __init__(self, reports: List[Report], options: argparse.Namespace):
        super().__init__(reports, options)
        self.cast = cast_of(reports, self.pages, "data", Image.most_runs)
        run = self.cast.shown[0]
        columns = run.report.columns
        for name, parts in ((TOUCHED, ("total_insn", "total_data")),
                            (USED, ("WSS_insn", "WSS_data"))):
            if all(part in columns for part in parts):
                # A sum may have more bits than an array.
                columns[name] = [*map(sum, zip(*(
                    columns[part] for part in parts)))]
        if is_estimate(run.report) and "rss_kB" in columns:
            columns[RESIDENT] = [1024 * kB // run.page
                                 for kB in columns["rss_kB"]]
        tau = self.count(run.report.windows[0])
        self.curves = [
            self.curve(run, MAPPED, MAPPED, GREY),
            self.curve(run, RESIDENT, "resident", shade(5, 0, 1))
            if RESIDENT in columns else
            self.curve(run, TOUCHED, "touched so far", shade(5, 0, 1)),
            *([self.curve(run, FILES, "files, at most", shade(2, 0, 1))]
              if FILES in columns else []),
            self.curve(run, USED, f"working set, {Image.tau} = {tau}",
                       shade(0, 0, 1))]
        self.taus: List[int] = []
        self.scale_time()
        self.medium = Image(options, 3 + len(self.curves), 0, not self.bytes)
        for curve in self.curves:
            curve.points, curve.band = self.trace(run, curve.column)
            if curve.column == TOUCHED:     # never falls, and has no band
                curve.points, curve.band = curve.tops, []
        self.place_remarks()

    def curve(self, run: Run, column: str, label: str,
              colour: str) -> MemoryCurve:
        """Failure: there is no such column."""
        report = run.report
        if column not in report.columns:
            raise Failure(f"{report.name}: its table has no column {column}"
                          + (": it is a page log" if report.is_log else
                             ": ws_attach --cumulative measures that"
                             if is_estimate(report) else ""))
        values = samples_of(report, column)
        scale = run.page if self.bytes else 1
        return MemoryCurve(
            label, colour, 0, [], [],
            max(values) * scale if values else None, [], [], [], column)

    def draw(self) -> None:
        for curve in self.curves:
            if curve.points and curve.column != MAPPED:
                self.plot([(x, 0, y) for x, y in curve.points],
                          self.medium.band_style(curve, 0.25))
        self.draw_bands()
        self.draw_curves()

    def legend(self, curve: MemoryCurve) -> List[str]:
        """Its largest size, and how much of what was mapped that is."""
        if curve.peak is None:
            return [f"{curve.label}: no samples"]
        text = f"{curve.label}: largest sample {self.sizes(curve.peak)[-1]}"
        whole = self.curves[0].peak
        if curve is self.curves[0] or not whole:
            return [text]
        return [f"{text}, {share(curve.peak, whole)} of mapped", text]

    def notes(self) -> List[str]:
        return ["code and data: a page of both counts twice"] + (
            super().notes())


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.{1 if 10 * part < whole else 0}f} %"
