# SPDX-License-Identifier: GPL-2.0-or-later
"""When each page of a log is in the window, and as part of which layer.

Accesses come batch by batch, so memory grows with the number of stretches and
not with that of accesses: a page that is used all the time has one.
"""

from typing import Any, Callable, NamedTuple, Optional, Sequence

import numpy as np

from ws_python.pagelog.log import FAR, PAST_SAMPLE, SAMPLE, PageLog
from ws_python.pagelog.ranges import is_first, is_last
from ws_python.pagelog.stream import Batch, PageTable, batches
from ws_python.pagelog.windows import check_window, sample_times, samples_with


class Uses(NamedTuple):
    """The accesses of a batch by page, then time.  Those in `seen` are in the
    window at some sample; the other columns are of these.
    """
    pages: np.ndarray
    parts: np.ndarray
    seen: np.ndarray
    enter: np.ndarray       # the page was not in the set before
    # Of those that enter: the first access since the sample before.
    entry: np.ndarray
    # The layer that the page has had so far, if this is its first one here.
    held: np.ndarray


LayersOf = Callable[[Batch, Uses], np.ndarray]


class Found(NamedTuple):
    """Stretches by page, then time: in the samples `first` <= k < `end`."""
    pages: np.ndarray
    layers: np.ndarray
    first: np.ndarray
    end: np.ndarray


NO_STRETCHES = Found(np.zeros(0, np.uint64), *[np.zeros(0, np.int64)] * 3)


class Stretches:
    """Collects stretches; a use ends where the next one of the page begins."""

    def __init__(self, log: PageLog, tau: int):
        check_window(log, tau)
        # In a part of a run, its history has the entries of pages.
        times = log.ends[log.flags & (SAMPLE | PAST_SAMPLE) != 0]
        self.first, self.end = samples_with(log, times, tau)
        self.past = len(times) - len(sample_times(log))
        self.number = len(times)
        self.over = NO_STRETCHES
        # The last stretch of each page: its layer, first and end.
        self.last = PageTable(3)

    def add(self, batch: Batch, pages: np.ndarray, parts: np.ndarray,
            layers_of: LayersOf) -> None:
        """Add accesses by page, then time."""
        first, end = self.first[parts], self.end[parts]
        seen = np.flatnonzero(first < end)
        if not len(seen):
            layers_of(batch, Uses(pages, parts, *[seen] * 4))
            return
        page, begin, until = pages[seen], first[seen], end[seen]
        starts = np.flatnonzero(is_first(page))
        last = Found(page[starts], *self.last.get(page[starts]))
        before = np.append(-1, until[:-1])
        before[starts] = last.end
        enter = begin > before
        held = np.zeros(len(seen), np.int64)
        held[starts] = np.maximum(last.layers, 0)
        # Windows may be so short that the first access since the last sample
        # is not the first in the window.
        entry = np.maximum.accumulate(np.where(
            is_first(pages, first), np.arange(len(pages)), 0))[seen[enter]]
        layers = layers_of(batch, Uses(pages, parts, seen, enter, entry, held))
        # Of those before the same sample, the last one counts.
        some = is_last(page, begin)
        self.join(Found(page[some], layers[some], begin[some], until[some]),
                  last)

    def join(self, uses: Found, last: Found) -> None:
        """Make stretches of the last ones of pages, if any, and their uses."""
        starts, old = np.flatnonzero(is_first(uses.pages)), last.end >= 0
        uses = Found(*(np.insert(column, starts[old], before[old])
                       for column, before in zip(uses, last)))
        begins = np.flatnonzero(
            is_first(uses.pages, uses.layers)
            | (uses.first > np.append(-1, uses.end[:-1])))
        ends = uses.end[np.append(begins[1:], len(uses.pages)) - 1]
        found = Found(*(column[begins] for column in uses))
        is_over = ~is_last(found.pages)
        ends[is_over] = np.minimum(ends[:-1], found.first[1:])[is_over[:-1]]
        found = found._replace(end=ends)
        self.last.put(*(column[~is_over] for column in found))
        # One column after the other, so that no more than one is there twice.
        columns, self.over = [*self.over], NO_STRETCHES
        for k, more in enumerate(found):
            columns[k] = np.concatenate([columns[k], more[is_over]])
        self.over = Found(*columns)

    def end_of(self, batch: Batch) -> int:
        """Return the first sample that later batches add to."""
        return (int(self.first[batch.end]) if batch.end < len(self.first)
                else self.number)

    def within(self, begin: int = 0, end: int = FAR) -> Found:
        """Return what is so far in the samples `begin` <= k < `end`, by page,
        counted from there on.  Samples in history do not count.
        """
        begin = max(begin, self.past)
        last = Found(self.last.pages, *self.last.columns)

        def column(name: str) -> np.ndarray:
            """Join a column; they need not be there all at once."""
            return np.concatenate([getattr(one, name)
                                   for one in (self.over, last)])

        order = np.flatnonzero(np.maximum(column("first"), begin)
                               < np.minimum(column("end"), end))
        # Those of a page are in order.
        order = order[np.argsort(column("pages")[order], kind="stable")]
        return Found(column("pages")[order], column("layers")[order],
                     np.maximum(column("first")[order] - begin, 0),
                     np.minimum(column("end")[order], end) - begin)

    def forget(self, end: int) -> None:
        """Forget what is over at the sample `end` or before it."""
        stay = self.over.end > end
        self.over = Found(*(column[stay] for column in self.over))


def stretches(log: PageLog, kinds: Sequence[str], tau: int, page_szB: int,
              layers_of: LayersOf, skipped: str = "E") -> Found:
    """Return the stretches of pages of this size in any of these sets."""
    found = Stretches(log, tau)
    for batch in batches(log, skipped):
        found.add(batch, *batch.by_page(kinds, page_szB // log.page_szB),
                  layers_of)
    return found.within()


def stays(log: PageLog, kind: str, tau: int, page_szB: int) -> Found:
    """Return when pages of this size are in the working sets W(t, tau)."""
    return stretches(log, [kind], tau, page_szB, lambda _, uses: np.zeros(
        len(uses.seen), np.int64))


def sizes(found: Any, n_samples: int,
          weights: Optional[np.ndarray] = None) -> np.ndarray:
    """Return the size of the working set at each sample, or sums of weights."""
    come, leave = (np.bincount(some, weights, n_samples + 1)
                   for some in (found.first, found.end))
    return np.cumsum(come - leave)[:n_samples].astype(np.int64)
