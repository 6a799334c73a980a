# SPDX-License-Identifier: GPL-2.0-or-later
"""The sizes of a working set over a run, in a few numbers."""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Dict, List, Optional, Sequence

from ws_python.layout import Number
from ws_python.lists import LISTS
from ws_python.reports import (SETS, Report, after_start, is_clocked,
                               samples_of)

PERCENTILES = (50, 90, 95, 99)
STATISTICS = ("avg", *(f"p{percent}" for percent in PERCENTILES), "peak",
              "total")
# The sets by the names that reports have for them, and in their order.
KINDS = {SETS[kind]: kind for kind in ("instructions", "data", "dirty data")}


def nearest_rank(ordered: Sequence[int], percent: int) -> int:
    """The smallest value that so many of a hundred do not exceed."""
    return ordered[-(-percent * len(ordered) // 100) - 1]


@dataclass
class Sizes:
    """Of a set and a window, in pages; None: the report does not say."""
    set: str                    # insn, data, dirty
    tau: int
    first: bool                 # of the windows
    ordered: List[int]          # the samples, the smallest one first
    peak: Optional[int]
    peak_time: Optional[int]    # the first of them
    pages: Optional[int]        # the different ones of the run
    peaks: Optional[int]        # how many were detected

    def statistic(self, name: str) -> Optional[Number]:
        """By its name, as conditions have it."""
        if name == "peak":
            return self.peak
        if name in ("total", "peaks"):
            whole = self.pages if name == "total" else self.peaks
            return whole if self.first else None
        if not self.ordered:
            return None
        if name == "avg":
            return Fraction(sum(self.ordered), len(self.ordered))
        return nearest_rank(self.ordered, int(name[1:]))


def sizes_of(report: Report, wanted: Sequence[str]) -> List[Sizes]:
    """Of those sets that are wanted and there, for all windows."""
    return [sizes_in(report, name, tau) for name in wanted
            for tau in report.windows
            if report.column(KINDS[name], tau) in report.columns]


def sizes_in(report: Report, name: str, tau: int) -> Sizes:
    column = report.column(KINDS[name], tau)
    samples = samples_of(report, column)
    # As in the report's summary. In format 1 there are other rows, too; if the
    # unit is milliseconds, their windows begin too early.
    start = after_start(report)
    times, values = ((list(samples), list(samples.values()))
                     if is_clocked(report)
                     else (report.columns["t"][start:],
                           report.columns[column][start:]))
    peak = max(values, default=None)
    return Sizes(name, tau, tau == report.windows[0], sorted(samples.values()),
                 peak, None if peak is None else times[values.index(peak)],
                 total_of(report, name), peaks_of(report).get(name))


def total_of(report: Report, name: str) -> Optional[int]:
    """From the table for a run that was killed; dirty pages are not there."""
    line = report.summary.get(f"{name.capitalize()} avg/peak/total", "")
    match = re.match(r"[0-9.-]+/[0-9-]+/([0-9]{1,20}) pages", line)
    if match:
        return int(match[1])
    column = report.columns.get(f"total_{name}")
    return column[-1] if column else None


def peaks_of(report: Report) -> Dict[str, int]:
    match = re.fullmatch("([0-9]{1,20})/([0-9]{1,20})",
                         report.summary.get("Peaks insn/data", ""))
    return dict(zip(LISTS.values(), map(int, match.groups()))) if match else {}


def said(report: Report, key: str) -> Optional[int]:
    """A number in the summary."""
    text = report.summary.get(key, "")
    return int(text) if re.fullmatch("[0-9]{1,20}", text) else None


def end_of(report: Report) -> Optional[int]:
    """The time of the end, or how far the report goes."""
    end = said(report, "Milliseconds" if is_clocked(report)
               else "Instructions")
    times = report.columns["t"]
    return end if end is not None else times[-1] if times else None


def instructions_of(report: Report) -> Optional[int]:
    """That were executed, as far as the report goes."""
    return (said(report, "Instructions") if is_clocked(report)
            else end_of(report))
