# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes a report from a page log, with any window of whole intervals, and
with larger pages.

Such a report lacks the composition of samples (the view "code" has it), their
call stacks, the numbers of pages mapped and mapped anew, the delay of samples,
and detected peaks.
"""

from array import array
from fractions import Fraction
from typing import Dict, List, Sequence, Set

import numpy as np

from ws_python.base.text import Failure
from ws_python.base.units import SETS, byte_size
from ws_python.pagelog.log import LogData, PageLog
from ws_python.pagelog.ranges import Ints
from ws_python.pagelog.reuse import Accesses, Reuses, WindowSizes
from ws_python.pagelog.windows import (check_window, last_every, sample_spans,
                                       sample_times)
from ws_python.report.reader import FORMAT
from ws_python.report.report import Mark, Phase, ProfileRow, Report, Total
from ws_python.report.sizes import KINDS

NEVER = 1 << 64             # all windows are shorter
DIGITS = 11                 # binary digits of percentiles in a profile


def make_reports(log: PageLog, taus: Sequence[int], page_sizes: Sequence[int],
                 of_profile: bool = False,
                 wanted: Sequence[str] = KINDS) -> List[Report]:
    """Make a report for each page size, with these windows, or those of the
    log; with `of_profile`, those of the profile.  Failure: the log does not
    have the windows or page sizes.
    """
    ratios = [ratio_of(log, size) for size in page_sizes or [log.page_szB]]
    taus = taus or log.taus
    for tau in taus:
        check_window(log, tau)
    profiled, asked = profile_taus(log, taus), {*taus, *log.taus}
    if of_profile:
        taus = [tau for tau in profiled
                if tau in asked or tau >= last_every(log)] or taus
    accesses = Accesses(log, [kind for kind in log.kinds if kind in wanted],
                        ratios, [*taus, *profiled])
    return [report_of(log, accesses, taus, profiled, asked, ratio)
            for ratio in ratios]


def profile_taus(log: PageLog, taus: Sequence[int]) -> List[int]:
    """Return the windows of a profile: the first T, its multiples by powers of
    two, and those of `taus` that are shorter than the last T.
    """
    spans, tau = sample_spans(log), log.number("Every")
    covered = int(spans.sum())
    profiled = {asked for asked in taus if asked < last_every(log)}
    while covered and tau < NEVER:
        if tau >= spans[0]:
            profiled.add(tau)
        if tau >= covered:
            break
        tau *= 2
    return sorted(profiled) if covered else []


def ratio_of(log: LogData, page_szB: int) -> int:
    """Return the number of the log's pages in a page of this size.  Failure:
    this is smaller than a page of the log.
    """
    if page_szB < log.page_szB:
        raise Failure(
            f"{log.name}: has pages of {byte_size(log.page_szB)}; for pages "
            f"of {byte_size(page_szB)} run the program with "
            f"--ws-pagesize={page_szB}")
    return page_szB // log.page_szB


def report_of(log: PageLog, accesses: Accesses, taus: Sequence[int],
              profiled: Sequence[int], asked: Set[int],
              ratio: int) -> Report:
    """Make a report of the accesses that have been read."""
    sets = {kind: accesses.sets[kind, ratio] for kind in accesses.kinds}
    windows = {kind: reuses.by_tau() for kind, reuses in sets.items()}
    header = {**log.header, "Format": str(FORMAT), "Tau": str(taus[0]),
              "Page size": str(log.page_szB * ratio)}
    header.pop("Further taus", None)
    if taus[1:]:
        header["Further taus"] = ",".join(map(str, taus[1:]))
    report = Report(
        log.name, header, [*taus], complete=log.complete, is_log=True,
        marks=[Mark(mark.time, mark.label) for mark in log.marks],
        phases=phases_of(log, accesses.at.times, sets, {
            kind: by_tau[taus[0]].sizes for kind, by_tau in windows.items()}),
        profile={kind: [profile_row(log, tau, by_tau[tau], tau in asked)
                        for tau in profiled]
                 for kind, by_tau in windows.items() if profiled},
        summary={"Instructions": str(int(log.instructions.sum()))},
        totals={kind: Total(reuses.total) for kind, reuses in sets.items()},
        bounds={kind: by_tau[taus[0]].bound
                for kind, by_tau in windows.items()})
    if log.is_clocked:
        report.summary["Milliseconds"] = str(log.last_time)
    # In the order in which reports are read.
    columns = {"t": accesses.at.times}
    read = [kind for kind in SETS if kind in sets and kind != "dirty"]
    for kinds in read, [kind for kind in sets if kind == "dirty"]:
        columns.update({report.column(kind, tau): windows[kind][tau].sizes
                        for tau in taus for kind in kinds})
    new = {kind: sets[kind].firsts[:-1] for kind in sets if kind != "dirty"}
    columns.update({f"new_{kind}": pages for kind, pages in new.items()})
    columns.update({f"total_{kind}": np.cumsum(pages)
                    for kind, pages in new.items()})
    report.columns = {name: array("Q", [0, *values.tolist()])
                      for name, values in columns.items()}
    report.spans = array("Q", [0, *sample_spans(log).tolist()])
    return report


def phases_of(log: PageLog, times: Ints, sets: Dict[str, Reuses],
              sizes: Dict[str, Ints]) -> List[Phase]:
    """Make the phases between marks; a log without marks has none."""
    if not log.marks:
        return []
    ends = [0, *log.ends.tolist()]      # of the part before each part
    done = [0, *np.cumsum(log.instructions).tolist()]
    places = [0, *(mark.part + 1 for mark in log.marks), log.n_parts]
    labels = [None, *(mark.label for mark in log.marks), None]
    phases, spans = [], sample_spans(log)
    for number, (first, last) in enumerate(zip(places, places[1:])):
        start, end = ends[first], ends[last]
        samples = slice(*(int(np.searchsorted(times, time, "right"))
                          if time else 0 for time in (start, end)))
        in_phase = {kind: pages[samples] for kind, pages in sizes.items()}
        phases.append(Phase(
            start, end, done[last] - done[first], len(times[samples]),
            {kind: reuses.in_phase.get(number, 0)
             for kind, reuses in sets.items()},
            {kind: tenths(pages, spans[samples]) if len(pages) else None
             for kind, pages in in_phase.items()},
            {kind: int(pages.max()) if len(pages) else None
             for kind, pages in in_phase.items()},
            *labels[number:number + 2]))
    return phases


def profile_row(log: PageLog, tau: int, windows: WindowSizes,
                is_asked: bool) -> ProfileRow:
    """Make a row of the profile.  Samples count as long as T is not longer than
    the window; all count in a window that the user has asked for.
    """
    every, log_spans = log.number("Every"), sample_spans(log)
    number = len(log_spans) if is_asked else int(
        (np.maximum.accumulate(log_spans) <= tau).sum())
    sizes, spans = windows.sizes[:number], log_spans[:number]
    order = np.argsort(sizes, kind="stable")
    until, reached = int(spans.sum()), np.cumsum(spans[order])
    units = until // every
    median, p95 = (rounded_down(int(sizes[order][np.searchsorted(
        reached, -(-percent * until // 100))])) for percent in (50, 95))
    row = ProfileRow(
        tau, float(tenths(sizes, spans)), int(sizes.max()), None,
        "limited" if tau // every > units - units // 2 else "-", None, None,
        median, p95, until=None if number == len(log_spans) else int(
            sample_times(log)[number - 1]))
    if tau >= spans[-1]:
        entered = int(windows.entered[:number].sum())
        row.entered = entered
        row.miss = rounded(entered * 10 ** 9, until) / 10 ** 6
        if entered:
            row.life = rounded(1000 * until, entered) / 1000 if (
                log.is_clocked) else rounded(until, entered)
    return row


def rounded(value: int, number: int) -> int:
    """Divide, and round."""
    return (2 * value + number) // (2 * number)


def tenths(values: Ints, spans: Ints) -> Fraction:
    """Return the average over the time, rounded to tenths as in reports."""
    return Fraction(rounded(10 * int((values * spans).sum()),
                            int(spans.sum())), 10)


def rounded_down(value: int) -> int:
    """Round down to DIGITS binary digits."""
    rest = max(value.bit_length() - DIGITS, 0)
    return value >> rest << rest
