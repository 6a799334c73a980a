# SPDX-License-Identifier: GPL-2.0-or-later
"""The memory of a process in a report of ws_attach: RSS, PSS, USS and swap."""

from bisect import bisect_right
from collections import Counter
from typing import List, NamedTuple, Optional, Sequence

from ws_python.base.text import printable
from ws_python.base.units import BYTES, MS, TEXT, byte_size, exact_time
from ws_python.base.view import Table, columns_from
from ws_python.report.compositions import FILES
from ws_python.report.report import LONGEST_TITLE, Report, command_of
from ws_python.report.sizes import end_of

ABOUT_SIZES = (
    "RSS: resident; PSS: with its share only of pages that others have, too; "
    "USS: pages of this process alone; all as the kernel says. Accessed within "
    "the window, or else cold: an estimate.")


class KernelMemory(NamedTuple):
    """The memory of a process in a sample, in bytes."""
    rss: int
    pss: int
    uss: Optional[int]
    accessed: int
    cold: int               # RSS that was not accessed
    swap: int


def held_by(report: Report) -> List[KernelMemory]:
    """Return the memory in each row, the first of which is at the start."""
    columns = [report.columns.get(name, ()) for name in (
        "rss_kB", "pss_kB", "swap_kB", "WSS_insn", "WSS_data", FILES)]
    # Earlier reports have no USS.
    alone = report.columns.get("uss_kB", [None] * len(report.columns["t"]))
    return [KernelMemory(1024 * rss, 1024 * pss, uss and 1024 * uss, used,
                         max(1024 * rss - used, 0), 1024 * swap)
            for uss, rss, pss, swap, *sets in zip(alone, *columns)
            for used in [sum(sets) * report.page_szB]]


def held_in_words(report: Report) -> List[str]:
    rows = held_by(report)
    if not rows:
        return []
    last = rows[-1]
    sizes = [f"{byte_size(last.rss)} RSS", f"{byte_size(last.pss)} PSS",
             *[f"{byte_size(size)} USS" for size in [last.uss]
               if size is not None]]
    most = [byte_size(max(row[k] or 0 for row in rows))
            for k in range(len(sizes))]
    return [f"Memory: {', '.join(sizes)} (last sample); at most "
            + ", ".join(most) + (
                f"; {byte_size(last.swap)} in swap" if last.swap else "")]


def times_in_ms(report: Report) -> List[int]:
    """Return when its samples were, and when it was over, in ms since 1970."""
    start = report.number("Start")
    times = [start + time for time in report.columns["t"]]
    return [*times, max(start + (end_of(report) or 0), times[-1] + 1)]


def largest_pss(reports: Sequence[Report]) -> int:
    """Return when the sum of PSS was the largest, in ms since 1970."""
    changes: "Counter[int]" = Counter()
    for report in reports:
        sizes = [0, *(held.pss for held in held_by(report)), 0]
        for time, before, size in zip(times_in_ms(report), sizes, sizes[1:]):
            changes[time] += size - before
    sums, most, at = 0, -1, 0
    for time in sorted(changes):
        sums += changes[time]
        if sums > most:
            most, at = sums, time
    return at


def place_at(times: Sequence[int], at: int) -> Optional[int]:
    """Return the number of the last sample; None: not yet, or no more."""
    place = bisect_right(times, at) - 1
    return place if 0 <= place < len(times) - 1 else None


def table_of_held(reports: Sequence[Report]) -> Optional[Table]:
    """Make a table of the processes' memory when the sum of PSS was largest;
    if a report does not say when it began, in their last samples.  Only PSS
    and USS count no page twice.  None: no report has such rows.
    """
    reports = [report for report in reports if held_by(report)]
    if not reports:
        return None
    if all(report.number("Start") for report in reports):
        at = largest_pss(reports)
        when = "when the sum of PSS was the largest, " + exact_time(
            at - min(report.number("Start") for report in reports), MS)
        places = [place_at(times_in_ms(report), at) for report in reports]
    else:
        when, places = "in their last samples", [-1] * len(reports)
    rows = [(printable(report.name), *held_by(report)[place][:5],
             command_of(report, LONGEST_TITLE))
            for report, place in zip(reports, places) if place is not None]
    alone = [row[3] for row in rows if row[3] is not None]
    total = ("total", None, sum(row[2] for row in rows),
             sum(alone) if len(alone) == len(rows) else None, None, None, "")
    some = f"{len(rows)} of " if len(rows) < len(reports) else ""
    return Table(f"Memory of {some}{len(reports)} processes {when}", [
        *columns_from([
            ("report", TEXT), ("RSS", BYTES), ("PSS", BYTES), ("USS", BYTES),
            ("accessed", BYTES), ("cold", BYTES), ("command", TEXT)],
            [*rows, total])], sentences=[ABOUT_SIZES])
