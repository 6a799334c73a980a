# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes a report from a page log, with any window of whole intervals, and
with larger pages.

Such a report lacks the composition of samples (the view "code" has it), their
call stacks, the numbers of pages mapped and mapped anew, the delay of samples,
and detected peaks.
"""

from array import array
from bisect import bisect_right
from fractions import Fraction
from typing import Dict, List, Optional, Sequence

import numpy as np

from ws_python.base.text import Failure
from ws_python.base.units import SETS, byte_size
from ws_python.engine.reuse import Accesses, Windows
from ws_python.engine.windows import check_window, sample_times
from ws_python.model.log import LogData, PageLog
from ws_python.model.report import (Mark, Phase, ProfileRow, Report, Total)
from ws_python.model.sizes import KINDS, nearest_rank
from ws_python.read.reports import FORMAT

NEVER = 1 << 64             # all windows are shorter
DIGITS = 11                 # binary ones, in percentiles of a profile


def make_reports(log: PageLog, taus: Sequence[int], page_sizes: Sequence[int],
                 of_profile: bool = False,
                 wanted: Sequence[str] = KINDS) -> List[Report]:
    """Make a report for each page size.  With `of_profile`, the windows are
    those of the profile.  The reports have only the `wanted` sets.
    """
    ratios = [ratio_of(log, size) for size in page_sizes or [log.page_szB]]
    taus = taus or log.taus
    for tau in taus:
        check_window(log, tau)
    profiled = profile_taus(taus, log.number("Every"), len(sample_times(log)))
    if of_profile:
        taus = profiled or taus
    accesses = Accesses(log, [kind for kind in log.kinds if kind in wanted],
                        ratios, [*taus, *profiled])
    return [Maker(log, accesses, taus, profiled, ratio).report()
            for ratio in ratios]


def profile_taus(taus: Sequence[int], every: int, n_samples: int) -> List[int]:
    """Return T, its multiples by powers of two, and all shorter windows."""
    found = sorted(tau for tau in taus if tau < every)
    tau = every
    while n_samples and tau < NEVER:
        found.append(tau)
        if tau >= n_samples * every:
            break
        tau *= 2
    return found


def ratio_of(log: LogData, page_szB: int) -> int:
    """Return how many of the log's pages make one."""
    if page_szB < log.page_szB:
        raise Failure(
            f"{log.name}: has pages of {byte_size(log.page_szB)}; for pages "
            f"of {byte_size(page_szB)} run the program with "
            f"--ws-pagesize={page_szB}")
    return page_szB // log.page_szB


class Maker:
    """Makes a report of the accesses that have been read."""

    def __init__(self, log: PageLog, accesses: Accesses, taus: Sequence[int],
                 profiled: Sequence[int], ratio: int):
        self.log, self.taus, self.profiled = log, [*taus], profiled
        self.page_szB = log.page_szB * ratio
        self.every = log.number("Every")
        self.sets = {kind: accesses.sets[kind, ratio]
                     for kind in accesses.kinds}
        self.times = accesses.at.times
        self.ends = [0, *log.ends.tolist()]     # of the part before each
        self.done = [0, *np.cumsum(log.instructions).tolist()]
        self.windows = {kind: some.windows()
                        for kind, some in self.sets.items()}

    def report(self) -> Report:
        """Make the report, in pages of one size."""
        first, *others = map(str, self.taus)
        header = {**self.log.header, "Format": str(FORMAT),
                  "Page size": str(self.page_szB), "Tau": first}
        header.pop("Further taus", None)
        if others:
            header["Further taus"] = ",".join(others)
        report = Report(self.log.name, header, self.taus,
                        complete=self.log.complete, is_log=True)
        report.columns = self.columns(report)
        report.marks = [Mark(self.ends[mark.part + 1], mark.label, None)
                        for mark in self.log.marks]
        report.phases = self.phases() if self.log.marks else []
        report.profile = {
            kind: [self.row(tau, self.windows[kind][tau])
                   for tau in self.profiled]
            for kind in self.sets if len(self.times)}
        report.summary = {"Instructions": str(self.done[-1])}
        if self.log.is_clocked:
            report.summary["Milliseconds"] = str(self.ends[-1])
        report.totals = {kind: Total(some.total)
                         for kind, some in self.sets.items()}
        report.bounds = {kind: some[self.taus[0]].bound
                         for kind, some in self.windows.items()}
        return report

    def columns(self, report: Report) -> "Dict[str, array[int]]":
        """Make the columns, in the order in which reports are read."""
        order = sorted(((kind, tau) for tau in self.taus for kind in SETS
                        if kind in self.sets),
                       key=lambda one: one[0] == "dirty")
        new = {name: self.sets[name].firsts[:-1]
               for name in ("insn", "data") if name in self.sets}
        found = {
            "t": self.times, **{
                report.column(kind, tau): self.windows[kind][tau].sizes
                for kind, tau in order},
            **{f"new_{name}": some for name, some in new.items()},
            **{f"total_{name}": np.cumsum(some) for name, some in new.items()}}
        return {name: array("Q", [0, *values.tolist()])
                for name, values in found.items()}

    # --- Phases ---

    def phases(self) -> List[Phase]:
        """Make the phases: one more than marks."""
        places = [0, *(mark.part + 1 for mark in self.log.marks),
                  len(self.ends) - 1]
        labels = [None, *(mark.label for mark in self.log.marks), None]
        return [self.phase(number, *limits) for number, limits in enumerate(
            zip(places, places[1:], labels, labels[1:]))]

    def phase(self, number: int, first: int, last: int,
              begins: Optional[str], ends: Optional[str]) -> Phase:
        start, end = self.ends[first], self.ends[last]
        samples = slice(*(bisect_right(self.times, time) if time else 0
                          for time in (start, end)))
        sizes = {kind: some[self.taus[0]].sizes[samples]
                 for kind, some in self.windows.items()}
        return Phase(
            start, end, self.done[last] - self.done[first],
            len(self.times[samples]),
            {kind: some.in_phase.get(number, 0)
             for kind, some in self.sets.items()},
            {kind: tenths(some) if len(some) else None
             for kind, some in sizes.items()},
            {kind: int(some.max()) if len(some) else None
             for kind, some in sizes.items()}, begins, ends)

    # --- The profile ---

    def row(self, tau: int, some: Windows) -> ProfileRow:
        number, sizes = len(self.times), np.sort(some.sizes)
        span = number * self.every
        cut = 0 if tau < self.every else tau // self.every - 1
        row = ProfileRow(
            tau, float(tenths(sizes)), int(sizes[-1]), None,
            "limited" if cut >= number - number // 2 else "-", None, None,
            *(rounded_down(int(nearest_rank(sizes, percent)))
              for percent in (50, 95)))
        if tau >= self.every:
            row.entered = some.entered
            row.miss = rounded(some.entered * 10 ** 9, span) / 10 ** 6
            if some.entered:
                row.life = rounded(1000 * span, some.entered) / 1000 if (
                    self.log.is_clocked) else rounded(span, some.entered)
        return row


def rounded(value: int, number: int) -> int:
    """Divide, and round."""
    return (2 * value + number) // (2 * number)


def tenths(values: np.ndarray) -> Fraction:
    """Average, rounded to tenths as in reports."""
    return Fraction(rounded(10 * int(values.sum()), len(values)), 10)


def rounded_down(value: int) -> int:
    """Round down to DIGITS binary digits."""
    rest = max(value.bit_length() - DIGITS, 0)
    return value >> rest << rest
