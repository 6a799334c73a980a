# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages, or cache lines, that several threads write at about the same time."""

from typing import Dict, List, Sequence, Tuple

import numpy as np

from ws_python.base.text import printable
from ws_python.base.units import COUNT, LINES, TEXT, count, noun
from ws_python.base.units import pages as in_pages
from ws_python.base.units import time_text
from ws_python.base.view import Table, columns_from
from ws_python.pagelog.layers import window_of
from ws_python.pagelog.log import PageLog
from ws_python.pagelog.maps import Maps
from ws_python.pagelog.threads import (Rivals, advice, listed_threads,
                                       rivals_of, sets_of, slice_of, threads_of)
from ws_python.report.compositions import Compositions, Origin
from ws_python.report.request import Request
from ws_python.report.stacks import Paths, by_known, known_name

FALSE_SHARING = (
    "If they write different bytes of a line, this is false sharing: "
    "processors take the line from each other. Data in lines of its own avoids "
    "that.")
NOT_KNOWN = "not known"
MOST_GROUPS = 20
MOST_NAMED = 2          # of a row
OF_PAGES = "With --ws-pagesize=64, ws shows cache lines, and false sharing."


def leads_of(log: PageLog, frames: Sequence[int], lines: bool) -> List[str]:
    """Name the program's own function, or line, of each frame."""
    paths = Paths(Compositions({}, {}, log.frames), by_known)
    leads = [paths.lead(Origin(1, None, frame, ""))[0] for frame in frames]
    return [known_name(lead, lines) if lead else NOT_KNOWN for lead in leads]


def few(functions: Sequence[str]) -> str:
    """List some functions."""
    more = len(functions) - MOST_NAMED
    return ", ".join(functions[:MOST_NAMED] or [NOT_KNOWN]) + (
        f", {count(more)} more" if more > 0 else "")


def rows_of(log: PageLog, rivals: Rivals, names: Sequence[str], lines: bool
            ) -> List[Tuple[int, int, int, str, str]]:
    """Group pages by their threads, functions and mapping; those first that are
    written in most windows.
    """
    maps = Maps(log)
    pages, item = np.unique(rivals.pages, return_inverse=True)
    frames, frame = np.unique(rivals.frames, return_inverse=True)
    named = leads_of(log, frames.tolist(), lines)
    functions = [*dict.fromkeys(named)]
    function = np.array([*map(functions.index, named)], np.int64)[frame]
    # By a clock, a part that comes again does not have its frames again.
    known = rivals.frames > 0
    (threads, by_thread), (code, by_code), (memory, by_memory) = (
        sets_of(items, numbers, len(pages)) for items, numbers in (
            (item, rivals.threads), (item[known], function[known]),
            (item, maps.of(rivals.pages.astype(np.uint64), rivals.parts))))
    windows = np.bincount(np.unique([item, rivals.spans], axis=1)[0],
                          minlength=len(pages))
    groups: Dict[Tuple[int, ...], List[int]] = {}
    for k, key in enumerate(zip(*(by.tolist() for by in (
            by_thread, by_code, by_memory)))):
        groups.setdefault(key, []).append(k)
    return sorted((
        (len(some), int(windows[some].max()), len(threads[who]),
         f"0x{int(pages[some[0]]) * log.page_szB:x}",
         "; ".join([few([functions[k] for k in code[what]]),
                    listed_threads(names, threads[who]),
                    ", ".join(printable(maps.names[k].rpartition("/")[2])
                              for k in memory[where])]))
        for (who, what, where), some in groups.items()),
        key=lambda row: (-row[1], -row[0]))


def table_of_rivals(log: PageLog, request: Request) -> Table:
    """Make a table of the pages that two or more threads write within a span of
    the window's length.
    """
    tau, page, (names, thread) = (
        window_of(log, request.taus), log.page_szB, threads_of(log))
    rows = rows_of(log, rivals_of(log, thread, tau), names, request.by_line)
    number, slice_ = sum(row[0] for row in rows), slice_of(log, thread)
    shown = rows if request.in_full else rows[:MOST_GROUPS]
    return Table(
        f"Written by several threads within {time_text(tau, log.unit)}: "
        f"{in_pages(number, page)}", columns_from([
            ("pages", COUNT, noun(page)), ("windows", COUNT),
            ("threads", COUNT), ("first", TEXT), ("written by", TEXT)], shown),
        sentences=[
            (FALSE_SHARING if page in LINES else OF_PAGES)
            + f" Each thread runs for {time_text(slice_, log.unit)} on average."
            + advice(log, tau, slice_) + (
                f" There are {count(len(rows) - len(shown))} more rows, which "
                "--set=written --csv has." if rows[len(shown):] else "")],
        is_wide=True)
