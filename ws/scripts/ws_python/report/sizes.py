# SPDX-License-Identifier: GPL-2.0-or-later
"""Statistics of the sizes of a working set over a run; and the numbers of the
summary.
"""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Dict, List, Optional, Sequence, Tuple

from ws_python.base.units import MEMORY_SZB, Number
from ws_python.report.compositions import FILES_AND_CODE, RESIDENT
from ws_python.report.report import (Phase, Report, after_start,
                                     number_of_samples)

PERCENTILES = (50, 90, 95, 99)
STATISTICS = ("avg", *(f"p{percent}" for percent in PERCENTILES), "peak",
              "bound", "total")
SHOWN = ("avg", "p50", "p95", "peak", "bound", "total")  # where there is room
OF_RUN = ("bound", "total", "peaks")    # for the first window only
KINDS = ("insn", "data", "dirty")       # sets in the order of reports


def is_percentile(statistic: str) -> bool:
    return statistic[1:].isdigit()


# Sizes at samples, the smallest first, each with the time that it stands for.
Ordered = Sequence[Tuple[int, int]]


def nearest_rank(ordered: Ordered, percent: int) -> int:
    """Return the smallest size that sizes were at most during at least
    `percent` % of the time.
    """
    reached = [*accumulate(span for _, span in ordered)]
    return ordered[bisect_left(reached, -(-percent * reached[-1] // 100))][0]


def ordered_of(report: Report, values: Sequence[int], first: int) -> Ordered:
    """Sort the sizes of the rows from `first` on; -1 is the last row."""
    return sorted(zip(values, report.spans[first:])) if values else []


@dataclass
class Sizes:
    """Sizes of a set in a window, in pages; None: not in the report."""
    set: str                    # insn, data, dirty
    tau: int
    first: bool                 # it is the window that views show
    ordered: Ordered
    peak: Optional[int]         # at the largest sample
    peak_time: Optional[int]    # of the first such sample
    pages: Optional[int]        # different pages in the run
    peaks: Optional[int]        # number of detected peaks
    bound: Optional[int]        # largest size, between samples too, at most

    def statistic(self, name: str) -> Optional[Number]:
        """Return a statistic by its name in conditions."""
        known = {"peak": self.peak, "total": self.pages, "peaks": self.peaks,
                 "bound": self.bound}
        if name in known:
            return known[name]
        if not self.ordered:
            return None
        if name == "avg":
            return Fraction(sum(value * span for value, span in self.ordered),
                            sum(span for _, span in self.ordered))
        return nearest_rank(self.ordered, int(name[1:]))


def sizes_of(report: Report, wanted: Sequence[str]) -> List[Sizes]:
    """Return the sizes of the wanted sets that exist, for all windows."""
    return [sizes_in(report, name, tau) for name in wanted
            for tau in report.windows
            if report.column(name, tau) in report.columns]


def main_sizes(report: Report, wanted: Sequence[str]) -> Dict[str, Sizes]:
    """Return the sizes in the window that views show, by the set."""
    return {sizes.set: sizes for sizes in sizes_of(report, wanted)
            if sizes.first}


def samples_in(report: Report, name: str,
               tau: int) -> Tuple[Sequence[int], Sequence[int]]:
    """Return the times of the samples, and the sizes of a set in this window.
    A part of a run has only samples whose window begins in it.
    """
    every = report.columns["t"]
    first = (bisect_left(every, report.begin + tau) if report.begin
             else after_start(report))
    return every[first:], report.columns[report.column(name, tau)][first:]


def sizes_in(report: Report, name: str, tau: int) -> Sizes:
    times, samples = samples_in(report, name, tau)
    peak = max(samples, default=None)
    return Sizes(name, tau, tau == report.main,
                 ordered_of(report, samples, -len(samples)), peak,
                 None if peak is None else times[samples.index(peak)],
                 total_of(report, name), *(
                     (report.totals[name].peaks if name in report.totals
                      else None, report.bounds.get(name))
                     if tau == report.number("Tau") else (None, None)))


def total_of(report: Report, name: str) -> Optional[int]:
    """Return the number of different pages in the run.  For a killed run, the
    table has them, but not those that were written.  For a part, phases tell.
    """
    if report.end is not None:
        return next((phase.pages.get(name) for phase in report.phases
                     if (phase.start, phase.end)
                     == (report.begin, report.end)), None)
    if name in report.totals and report.totals[name].pages is not None:
        return report.totals[name].pages
    column = report.columns.get(f"total_{name}")
    return column[-1] if column else None


def resident_of(report: Report) -> Optional[int]:
    """Return the most resident pages of the run; None for a part."""
    return report.resident.get("both") if report.end is None else None


def limit_of(report: Report) -> Optional[int]:
    """Return the least limit of memory, in pages, with which the run needs no
    swap: resident pages, neighbours of file pages, which the page cache reads
    with them (as many as these, if the report does not say), and 3 % for the
    kernel.  None: for a part of a run, or if pages are smaller than memory's.
    """
    most = (report.compositions.largest(RESIDENT) if report.end is None
            and report.page_szB >= MEMORY_SZB else None)
    if not most:
        return None
    more = summary_number(report, "Cached pages")
    return (most.pages + (most.uses()[FILES_AND_CODE] if more is None
                          else more)) * 103 // 100


def lateness(report: Report) -> Optional[Tuple[int, int]]:
    """Return the average and maximum delay of samples in microseconds."""
    return timing(report, "Late") if report.is_clocked else None


def timing(report: Report, key: str) -> Optional[Tuple[int, int]]:
    """Return the average and maximum of a line of TIMINGS in microseconds."""
    average, most = (summary_number(report, f"{key} {what} us")
                     for what in ("avg", "max"))
    return None if average is None or most is None else (average, most)


def no_sample(report: Report) -> Optional[str]:
    """Say why there is no sample.  None: there are samples, nothing was
    measured, or the run is not over.
    """
    end = summary_number(report, time_key(report))
    if not end or number_of_samples(report):
        return None
    every = max(end // 100, 1)
    if report.end is not None:
        return "this part ends before the first one"
    if report.is_estimate:
        return f"--every={every} would have had about a hundred"
    return f"the run ended before the first one; --ws-every={every} gives 100"


def time_key(report: Report) -> str:
    return "Milliseconds" if report.is_clocked else "Instructions"


def summary_number(report: Report, key: str) -> Optional[int]:
    """Return a number of the summary; None: it has none."""
    text = report.summary.get(key, "")
    return int(text) if re.fullmatch("[0-9]{1,20}", text) else None


def p95_of(report: Report, phase: Phase, name: str) -> Optional[int]:
    """Return the 95th percentile of a phase's samples, in the first window."""
    column = report.column(name, report.number("Tau"))
    times = report.columns["t"]
    # All rows but the first are samples where there are phases.
    first = bisect_right(times, phase.start)
    values = ordered_of(report, report.columns.get(column, ())[
        first:bisect_right(times, phase.end)], first)
    return nearest_rank(values, 95) if values else None


def end_of(report: Report) -> Optional[int]:
    """Return the time of the run's end, or of the last row; None: no rows."""
    end = summary_number(report, time_key(report))
    times = report.columns["t"]
    return end if end is not None else times[-1] if times else None


def windows_to_say(report: Report, taus: Sequence[int] = ()) -> List[int]:
    """Choose the windows that an answer names from `taus`, or else from those
    of the report: all but the shortest that are shorter than the run, longest
    first; if there are none, the shortest.
    """
    taus = sorted(taus or report.windows or report.taus)
    end = end_of(report) or 0
    shorter = [tau for tau in taus[1:] if tau < end - report.begin]
    return shorter[::-1] or taus[:1]


def instructions_of(report: Report) -> Optional[int]:
    """Return the number of instructions executed; None: not known."""
    if report.end is not None:
        return None if report.is_clocked else report.end - report.begin
    return (summary_number(report, "Instructions") if report.is_clocked
            else end_of(report))


def work_of(report: Report) -> int:
    """Return how much a process has done, to compare it with others: its
    instructions; if unknown, the sum of its data sizes over all samples.
    """
    known = instructions_of(report)
    return known if known is not None else sum(
        sum(size for size, _ in sizes.ordered)
        for sizes in main_sizes(report, ["data"]).values())
