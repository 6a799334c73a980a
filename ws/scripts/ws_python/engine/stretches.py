# SPDX-License-Identifier: GPL-2.0-or-later
"""When each page of a log is in the window, and as part of which layer.

Accesses come batch by batch, so memory grows with the number of stretches and
not with that of accesses: a page that is used all the time has one.
"""

from typing import Any, Callable, NamedTuple, Optional, Sequence

import numpy as np

from ws_python.engine.ranges import is_first, is_last
from ws_python.engine.stream import Batch, PageTable, batches
from ws_python.engine.windows import (check_window, interval_ends,
                                      sample_times, samples_with)
from ws_python.model.log import FAR, PAST_SAMPLE, SAMPLE, PageLog


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
        self.first, self.end = samples_with(times, interval_ends(log), tau)
        self.past = len(times) - len(sample_times(log))
        self.number = len(times)
        self.found = NO_STRETCHES
        self.last = PageTable()     # numbers of stretches

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
        last, = self.last.put(page[starts], np.zeros(len(starts), np.int64))
        old = last >= 0
        before = np.append(-1, until[:-1])
        before[starts] = -1
        before[starts[old]] = self.found.end[last[old]]
        enter = begin > before
        held = np.zeros(len(seen), np.int64)
        held[starts[old]] = self.found.layers[last[old]]
        # Windows may be so short that the first access since the last sample
        # is not the first in the window.
        entry = np.maximum.accumulate(np.where(
            is_first(pages, first), np.arange(len(pages)), 0))[seen[enter]]
        layers = layers_of(batch, Uses(pages, parts, seen, enter, entry, held))
        # Of those before the same sample, the last one counts.
        some = is_last(page, begin)
        self.join(Found(page[some], layers[some], begin[some], until[some]),
                  last)

    def join(self, more: Found, last: np.ndarray) -> None:
        """Add uses; `last` has the number of each page's last stretch."""
        before, layers, end = len(self.found.pages), *self.found[1::2]
        starts, old = np.flatnonzero(is_first(more.pages)), last >= 0
        until, layer = (np.append(-1, some[:-1])
                        for some in (more.end, more.layers))
        until[starts] = -1
        until[starts[old]] = end[last[old]]
        layer[starts[old]] = layers[last[old]]
        new = (more.first > until) | (more.layers != layer)
        at = np.flatnonzero(is_first(more.pages) | new)
        number = before + np.cumsum(new[at]) - 1
        goes_on = ~new[at]
        of_page = np.cumsum(is_first(more.pages))[at] - 1
        number[goes_on] = last[of_page[goes_on]]
        ends = more.end[np.append(at[1:], len(more.pages)) - 1]
        same = more.pages[at][1:] == more.pages[at][:-1]
        ends[:-1][same] = np.minimum(ends[:-1], more.first[at][1:])[same]
        # The last stretch so far ends here, or goes on.
        end[last[old]] = np.minimum(end[last[old]], more.first[starts[old]])
        end[number[goes_on]] = ends[goes_on]
        some = at[new[at]]
        # One after the other, so that no more than one is there twice.
        columns, self.found = [*self.found], NO_STRETCHES
        del layers, end
        for k, column in enumerate((more.pages[some], more.layers[some],
                                    more.first[some], ends[new[at]])):
            columns[k] = np.concatenate([columns[k], column])
        self.found = Found(*columns)
        here = is_last(more.pages[at])
        self.last.put(more.pages[at][here], number[here])

    def end_of(self, batch: Batch) -> int:
        """Return the first sample that later batches add to."""
        return (int(self.first[batch.end]) if batch.end < len(self.first)
                else self.number)

    def within(self, begin: int = 0, end: int = FAR) -> Found:
        """Return what is so far in the samples `begin` <= k < `end`, by page,
        counted from there on.  Samples in history do not count.
        """
        begin = max(begin, self.past)
        pages, layers, first, until = self.found
        # Those of a page are in order.
        order = np.argsort(pages, kind="stable")
        order = order[(np.maximum(first, begin)
                       < np.minimum(until, end))[order]]
        return Found(pages[order], layers[order],
                     np.maximum(first[order] - begin, 0),
                     np.minimum(until[order], end) - begin)

    def forget(self, end: int) -> None:
        """Forget what ends at the sample `end` or before it."""
        stay = self.found.end > end
        self.found = Found(*(column[stay] for column in self.found))
        self.last.columns[0] = np.append(np.where(
            stay, np.cumsum(stay) - 1, -1), -1)[self.last.columns[0]]


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
