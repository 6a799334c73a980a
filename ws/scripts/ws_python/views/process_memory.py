# SPDX-License-Identifier: GPL-2.0-or-later
"""The memory that all processes of a run had at one time, by the clock."""

import os
from collections import Counter
from typing import List, NamedTuple, Sequence, Tuple

from ws_python.base.text import shorten
from ws_python.base.units import MS, byte_size, count, moment
from ws_python.model.origins import percent
from ws_python.model.report import Report, commands_of, is_estimate
from ws_python.show.terminal.layout import heading, table
from ws_python.views.answer import memory

MOST_ROWS = 8
ABOUT = [
    "A page that processes share, of a file or after a fork, counts for each "
    "that has", "accessed it; a forked process begins with none. These are "
    "times under ws:", "natively, processes may overlap otherwise."]
UNFINISHED = [
    "TRUNCATED: the process was killed or is not over. When it ended is not "
    "known: it",
    "counts with its largest sample, until the last of the others ends."]


class Span(NamedTuple):
    """Times are milliseconds since 1970."""
    begin: int
    end: int
    size: int                   # bytes


def spans_of(report: Report, end: int) -> List[Span]:
    """Return successive spans without gaps, each at least a millisecond long.
    A report that is cut off has no clock: it counts until the end of all.
    """
    start, page = report.number("Start"), report.number("Page size")
    spans, at = [], start
    for ms, pages in [row[1:] for row in report.clock] or [(
            end - start, max(report.columns.get("resident", ()), default=0))]:
        spans.append(Span(at, max(start + ms, at + 1), pages * page))
        at = spans[-1].end
    return spans


def largest_sum(processes: Sequence[Sequence[Span]]) -> Tuple[int, List[int]]:
    """Return the time of the largest sum, and the bytes of each process."""
    changes: "Counter[int]" = Counter()
    for span in (span for spans in processes for span in spans):
        changes[span.begin] += span.size
        changes[span.end] -= span.size
    now = most = best = 0
    for time, change in sorted(changes.items()):
        now += change
        if now > most:
            most, best = now, time
    return best, [next((span.size for span in spans
                        if span.begin <= best < span.end), 0)
                  for spans in processes]


def memory_text(reports: Sequence[Report], width: int) -> List[str]:
    """Print the memory; [] for estimates, and for parts of runs."""
    if any(report.number("Start") == 0 or is_estimate(report) or report.begin
           or report.end is not None or report.complete and not report.clock
           for report in reports):
        return []
    begin = min(report.number("Start") for report in reports)
    end = max(report.number("Start") + sum(row.ms for row in report.clock[-1:])
              for report in reports)
    processes = [spans_of(report, end) for report in reports]
    time, sizes = largest_sum(processes)
    names = ["TRUNCATED " * (not report.complete) + command for report, command
             in zip(reports, commands_of(reports, 5 * width))]
    there = sorted(((size, name) for size, name in zip(sizes, names) if size),
                   key=lambda one: -one[0])
    if len(there) > MOST_ROWS + 1:
        rest = there[MOST_ROWS:]
        there[MOST_ROWS:] = [(sum(size for size, _ in rest),
                              f"{count(len(rest))} others")]
    whole = sum(sizes)
    largest = max(range(len(reports)), key=lambda k: max(
        span.size for span in processes[k]))
    alone = reports[largest]
    return [
        *heading("Resident memory of all processes, by the clock", width),
        f"At most {byte_size(whole)} at one time, at "
        f"{moment(time - begin, end - begin, MS)}: in "
        f"{count(sum(size > 0 for size in sizes))} processes", "",
        *table(["size", "%", "process"], [
            [byte_size(size), str(percent(size, whole)), name]
            for size, name in there], width), "",
        shorten(f"The largest one alone, {os.path.basename(alone.name)}: "
                + names[largest], width),
        *memory(alone, width), "",
        *UNFINISHED * (not all(report.complete for report in reports)),
        *ABOUT]
