# SPDX-License-Identifier: GPL-2.0-or-later
"""The threads of a page log, and which of them accessed or wrote each page.
Numbers are used again; a thread has one name, the last that it had.
"""

from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ws_python.base.text import Failure, thread_title
from ws_python.base.units import tic
from ws_python.base.view import SHARED_BY
from ws_python.pagelog.log import PageLog
from ws_python.pagelog.ranges import Bools, Ints, Uints
from ws_python.pagelog.stream import PageTable, batches
from ws_python.pagelog.windows import intervals, last_every

TURNS = 10                  # a window should have so many


def threads_of(log: PageLog) -> Tuple[List[str], Ints]:
    """Return the threads, by number, and the place there of each part's thread.
    Several with the same number and name are one.  Failure: the log does not
    tell threads apart.
    """
    if log.header.get("Threads") != "yes":
        raise Failure(f"{log.name}: does not tell threads apart; the "
                      "option --ws-threads=yes of ws does")
    # By number: the first part of each thread that has it, and its name.
    lives: Dict[int, List[Tuple[int, str]]] = {}
    for part, number, begins, name in log.named:
        known = lives.setdefault(number, [(0, "")])
        if begins:
            known.append((part, name))
        else:
            known[-1] = known[-1][0], name
    names: Dict[str, int] = {}
    places = np.zeros(log.n_parts, np.int64)
    for number in np.unique(log.threads).tolist():
        known = lives.get(number, [(0, "")])
        parts = np.flatnonzero(log.threads == number)
        life = np.searchsorted([first for first, _ in known], parts, "right")
        for k in np.unique(life).tolist():
            title = thread_title(number, known[k - 1][1])
            places[parts[life == k]] = names.setdefault(title, len(names))
    return [*names], places


def users(log: PageLog, kinds: Sequence[str], pages: Uints, time: int,
          tau: int) -> Tuple[List[Tuple[int, ...]], Ints]:
    """Return different sets of threads, as places in threads_of(), and which of
    them accessed each page, by any of these kinds, within the window that ends
    at a time.  Pages ascend.
    """
    names, thread = threads_of(log)
    number, ends = intervals(log)
    in_window: Bools = (ends <= time) & (ends > time - tau)
    found = [np.zeros(0, np.int64)]
    for batch in batches(log, ""):
        accessed, parts = batch.accesses(kinds, 1)
        seen = in_window[number][parts] & np.isin(accessed, pages)
        found.append(np.unique(np.searchsorted(pages, accessed[seen]) * len(
            names) + thread[parts[seen]]))
    page, who = np.divmod(np.unique(np.concatenate(found)), len(names))
    return sets_of(page, who, len(pages))


def sets_of(item: Ints, who: Ints, size: int) -> Tuple[List[Tuple[int, ...]],
                                                       Ints]:
    """Return the different sets of numbers, and which of them each item has."""
    item, who = np.unique([item, who], axis=1)
    which = np.zeros(size, np.int64)
    for k in np.unique(who).tolist():
        has = np.zeros(size, np.int64)
        has[item[who == k]] = 1
        which = np.unique(2 * which + has, return_inverse=True)[1]
    examples = np.unique(which, return_index=True)[1]
    return [tuple(who[np.searchsorted(item, k, "left"):np.searchsorted(
        item, k, "right")].tolist()) for k in examples], which


def listed_threads(names: Sequence[str], some: Sequence[int]) -> str:
    """Name one or two threads; give the numbers of more: 4 threads: 1, 3-5."""
    if not some[2:]:
        return " and ".join(names[k] for k in some)
    numbers = sorted({int(names[k].split()[1]) for k in some})
    first = [n for n in numbers if n - 1 not in numbers]
    last = [n for n in numbers if n + 1 not in numbers]
    return f"{len(some)} threads: " + ", ".join(
        f"{a}-{b}" if a < b else f"{a}" for a, b in zip(first, last))


def users_in_words(names: Sequence[str], users_of: Sequence[int],
                   writers: Optional[Sequence[int]]) -> Tuple[str, ...]:
    """Tell who uses a page and, if it is shared and known, who writes it."""
    who = listed_threads(names, users_of)
    if not users_of[1:]:
        return (f"{who} alone",)
    by = "only read" if not writers else (
        f"written by {listed_threads(names, writers)}")
    return SHARED_BY + who, *([] if writers is None else [by])


def slice_of(log: PageLog, thread: Ints) -> int:
    """Return the average time that a thread runs before another one does."""
    runs = thread[log.first_part:][log.instructions[log.first_part:] > 0]
    return int((log.ends[-1] - log.begin) // (
        1 + np.count_nonzero(runs[1:] != runs[:-1])))


def advice(log: PageLog, tau: int, slice_: int) -> str:
    """Propose another window, of whole intervals, if this one has few turns."""
    if tau >= TURNS * slice_:
        return ""
    every = last_every(log)
    better = tic(-(-TURNS * slice_ // every) * every, 12).replace(" ", "")
    return f" Here, --tau={better} would see more."


# --- Writes ------------------------------------------------------------------

class Rivals(NamedTuple):
    """Writes, before or after which another thread writes to the page, within
    the same span of time; without repetitions.
    """
    pages: Ints
    spans: Ints             # numbers
    threads: Ints           # places in threads_of()
    frames: Ints            # 0: not known
    parts: Ints             # of one of the two writes


def rivals_of(log: PageLog, thread: Ints, length: int) -> Rivals:
    """Find rivals in successive spans of this length."""
    number, ends = intervals(log)
    span = (np.minimum(ends, log.last_time)[number] - log.begin - 1) // length
    last, rows = PageTable(3), [np.zeros((5, 0), np.int64)]
    for batch in batches(log, ""):
        pages, parts = batch.by_page(["dirty"], 1)
        is_now = parts >= log.first_part
        pages, parts = pages[is_now], parts[is_now]
        now = np.stack([span[parts], thread[parts], batch.entered[
            "dirty"].frames_of(pages, parts, log.n_parts)])
        before = last.before(pages, *now)
        both = np.flatnonzero((before[0] == now[0]) & (before[1] != now[1]))
        rows += [np.stack([pages[both].astype(np.int64), *each[:, both],
                           parts[both]]) for each in (before, now)]
    found = np.concatenate(rows, 1)
    return Rivals(*found[:, np.unique(found[:4], axis=1, return_index=True)[1]])
