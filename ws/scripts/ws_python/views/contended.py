# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages, or cache lines, that several threads write at about the same time."""

from typing import List, Sequence

import numpy as np

from ws_python.base.text import printable
from ws_python.base.units import COUNT, LINES, TEXT, count, noun
from ws_python.base.units import pages as in_pages
from ws_python.base.units import time_text
from ws_python.base.view import Table, columns_from
from ws_python.pagelog.layers import window_of
from ws_python.pagelog.log import PageLog
from ws_python.pagelog.maps import Maps
from ws_python.pagelog.threads import (advice, listed, rivals_of, sets_of,
                                       slice_of, threads_of)
from ws_python.report.compositions import Compositions, Origin
from ws_python.report.request import Request
from ws_python.report.stacks import Paths, by_known, known_name

FALSE_SHARING = (
    "If they write different bytes of a line, this is false sharing: processors "
    "take the line from each other. Data in lines of its own avoids that.")
NOT_KNOWN = "not known"
MOST_ROWS = 20
MOST_FUNCTIONS = 2          # of a row
OF_PAGES = "With --ws-pagesize=64, ws shows cache lines, and false sharing."


def functions_of(log: PageLog, frames: Sequence[int], lines: bool
                 ) -> List[str]:
    """Name the program's own function, or line, of each frame."""
    paths = Paths(Compositions({}, {}, log.frames), by_known)
    leads = [paths.lead(Origin(1, None, frame, ""))[0] for frame in frames]
    return [known_name(lead, lines) if lead else NOT_KNOWN for lead in leads]


def table(log: PageLog, request: Request) -> Table:
    """Make a table of the pages that two or more threads write within a span of
    the window's length; by threads, functions and mapping.
    """
    tau, maps, (names, thread) = (
        window_of(log, request.taus), Maps(log), threads_of(log))
    rows = rivals_of(log, thread, tau)
    pages, item = np.unique(rows.pages, return_inverse=True)
    mapping = maps.of(rows.pages.astype(np.uint64), rows.parts)
    frames, frame = np.unique(rows.frames, return_inverse=True)
    named = functions_of(log, frames.tolist(), request.by_line)
    functions = [*dict.fromkeys(named)]
    function = np.array([*map(functions.index, named)], np.int64)[frame]
    # By a clock, a part that comes again does not have its frames again.
    known = rows.frames > 0
    (threads, by_thread), (code, by_code), (memory, by_memory) = (
        sets_of(items, numbers, len(pages)) for items, numbers in (
            (item, rows.threads), (item[known], function[known]),
            (item, mapping)))
    spans = np.bincount(np.unique([item, rows.spans], axis=1)[0],
                        minlength=len(pages))
    groups, group, counts = np.unique(
        [by_thread, by_code, by_memory], axis=1, return_inverse=True,
        return_counts=True)
    most = np.zeros(len(counts), np.int64)
    np.maximum.at(most, group.ravel(), spans)
    first = pages[np.unique(group.ravel(), return_index=True)[1]]
    found = [(number, windows, len(threads[who]), f"0x{at * log.page_szB:x}",
              "; ".join([few([functions[k] for k in code[what]]),
                         listed(names, threads[who]),
                         ", ".join(printable(maps.names[k].rpartition("/")[2])
                                   for k in memory[where])]))
             for number, windows, at, (who, what, where) in zip(
                 counts.tolist(), most.tolist(), first.tolist(),
                 groups.T.tolist())]
    found.sort(key=lambda row: (-row[1], -row[0]))
    page, slice_ = log.page_szB, slice_of(log, thread)
    shown = found if request.in_full else found[:MOST_ROWS]
    return Table(
        f"Written by several threads within {time_text(tau, log.unit)}: "
        f"{in_pages(len(pages), page)}", columns_from([
            ("pages", COUNT, noun(page)), ("windows", COUNT),
            ("threads", COUNT), ("first", TEXT), ("written by", TEXT)], shown),
        sentences=[
            (FALSE_SHARING if page in LINES else OF_PAGES)
            + f" Each thread runs for {time_text(slice_, log.unit)} on average."
            + advice(tau, slice_) + (
                f" There are {count(len(found) - len(shown))} more rows, which "
                "--set=written --csv has." if found[len(shown):] else "")],
        is_wide=True)


def few(functions: Sequence[str]) -> str:
    """List some functions."""
    more = len(functions) - MOST_FUNCTIONS
    return ", ".join(functions[:MOST_FUNCTIONS] or [NOT_KNOWN]) + (
        f", {count(more)} more" if more > 0 else "")
