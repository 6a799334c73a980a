# SPDX-License-Identifier: GPL-2.0-or-later
"""When each page of a log is in the window, and as part of which layer.

Accesses come batch by batch, so memory grows with the number of stretches and
not with that of accesses: a page that is used all the time has one.
"""

from typing import Callable, NamedTuple, Optional, Sequence

import numpy as np

from ws_python.pagelog.log import FAR, PAST_SAMPLE, SAMPLE, PageLog
from ws_python.pagelog.ranges import (Bools, Ints, Uints, Whole, is_first,
                                      is_last, picked)
from ws_python.pagelog.stream import Batch, PageTable, batches
from ws_python.pagelog.windows import check_window, sample_times, samples_with


class Uses(NamedTuple):
    """The accesses of a batch by page, then time.  Those in `seen` are in the
    window at some sample; the other columns are of these.
    """
    pages: Uints
    parts: Ints
    seen: Ints
    enter: Bools            # the page was not in the set before
    # Of those that enter: the first access since the sample before.
    entry: Ints
    # The layer that the page has had so far, if this is its first one here.
    held: Ints


LayersOf = Callable[[Batch, Uses], Ints]


class Found(NamedTuple):
    """Stretches by page, then time: in the samples `first` <= k < `end`."""
    pages: Uints
    layers: Ints
    first: Ints
    end: Ints


NO_STRETCHES = Found(np.zeros(0, np.uint64), *[np.zeros(0, np.int64)] * 3)


class Stretches:
    """Collects stretches; a use ends where the next one of the page begins."""

    def __init__(self, log: PageLog, tau: int):
        check_window(log, tau)
        # In a part of a run, its history has the entries of pages.
        times = log.ends[log.flags & (SAMPLE | PAST_SAMPLE) > 0]
        self.first, self.end = samples_with(log, times, tau)
        self.past = len(times) - len(sample_times(log))
        self.number = len(times)
        self.over = NO_STRETCHES
        # The last stretch of each page: its layer, first and end.
        self.last = PageTable(3)

    def add(self, batch: Batch, pages: Uints, parts: Ints,
            layers_of: LayersOf) -> None:
        """Add accesses by page, then time."""
        first, end = self.first[parts], self.end[parts]
        seen = np.flatnonzero(first < end)
        if not len(seen):
            layers_of(batch, Uses(pages, parts, seen, seen > 0, seen, seen))
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
        uses = Found._make(np.insert(column, starts[old], before[old])
                           for column, before in zip(uses, last))
        begins = np.flatnonzero(
            is_first(uses.pages, uses.layers)
            | (uses.first > np.append(-1, uses.end[:-1])))
        ends = uses.end[np.append(begins[1:], len(uses.pages)) - 1]
        found = picked(uses, begins)
        is_over = ~is_last(found.pages)
        ends[is_over] = np.minimum(ends[:-1], found.first[1:])[is_over[:-1]]
        found = found._replace(end=ends)
        last = picked(found, ~is_over)
        self.last.put(last.pages, last.layers, last.first, last.end)
        # One column after the other, so that no more than one is there twice.
        columns, self.over = [*self.over], NO_STRETCHES
        for k, more in enumerate(found):
            columns[k] = np.concatenate([columns[k], more[is_over]])
        self.over = Found._make(columns)

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

        def column(of: Callable[[Found], Whole]) -> Whole:
            """Join a column; they need not be there all at once."""
            return np.concatenate([of(self.over), of(last)])

        def pages() -> Uints:
            return column(lambda some: some.pages)

        def firsts() -> Ints:
            return np.maximum(column(lambda some: some.first), begin)

        def ends() -> Ints:
            return np.minimum(column(lambda some: some.end), end)

        order = np.flatnonzero(firsts() < ends())
        # Those of a page are in order.
        order = order[np.argsort(pages()[order], kind="stable")]
        return Found(pages()[order], column(lambda some: some.layers)[order],
                     firsts()[order] - begin, ends()[order] - begin)

    def forget(self, end: int) -> None:
        """Forget what is over at the sample `end` or before it."""
        self.over = picked(self.over, self.over.end > end)


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


def sizes(first: Ints, end: Ints, n_samples: int,
          weights: Optional[Ints] = None) -> Ints:
    """Return for each sample the number of ranges that it is in, or the sum of
    their weights.
    """
    come, leave = (np.bincount(samples, weights, n_samples + 1)
                   for samples in (first, end))
    return np.cumsum(come - leave, dtype=np.int64)[:n_samples]
