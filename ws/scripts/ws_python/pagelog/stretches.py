# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds out when each page of a log is in the window, and in which layer.

Accesses come batch by batch, and become stretches of time.  A page that is used
all the time has a single stretch, so logs with many accesses need little
memory.
"""

from typing import Callable, NamedTuple, Optional, Sequence

import numpy as np

from ws_python.pagelog.log import FAR, PAST_SAMPLE, SAMPLE, PageLog
from ws_python.pagelog.maps import epochs_of
from ws_python.pagelog.ranges import (Bools, Ints, Uints, is_first, is_last,
                                      picked)
from ws_python.pagelog.stream import Batch, PageTable, batches
from ws_python.pagelog.windows import check_window, sample_times, samples_with


class Uses(NamedTuple):
    """The accesses of a batch by page, then time."""
    pages: Uints
    parts: Ints
    # The indices of accesses that may be in another layer than the access before:
    # the page enters, or mappings have changed.  For each of these:
    seen: Ints
    enter: Bools            # the page was not in the set before
    # For those that enter: the first access since the sample before.
    entry: Ints
    # For the first use of a page in the batch: its layer so far, or 0.
    held: Ints


# Chooses the layers of the uses that are seen.
LayersOf = Callable[[Batch, Uses], Ints]


class Stays(NamedTuple):
    """When pages are in the window, by page, then time: in the samples
    `first` <= k < `end`.
    """
    pages: Uints
    layers: Ints
    first: Ints
    end: Ints


NO_STAYS = Stays(np.zeros(0, np.uint64), *[np.zeros(0, np.int64)] * 3)


class Stretches:
    """Collects stretches.  A use is an access, and the samples whose windows
    have it.  A stretch is all uses of a page that meet, in one layer; where the
    next use is in another one, the stretch ends:

        samples         0 1 2 3 4 5 6 7 8
        layer a: uses   |-------|
                            |-------|
        layer b: use              |-----|
        stretches       |--- a ---|- b -|
    """

    def __init__(self, log: PageLog, tau: int):
        check_window(log, tau)
        # In a part of a run, its history has the entries of pages.
        times = log.ends[log.flags & (SAMPLE | PAST_SAMPLE) > 0]
        self.first, self.end = samples_with(log, times, tau)
        self.past = len(times) - len(sample_times(log))
        self.epoch = epochs_of(log)
        self.number = len(times)
        self.over = NO_STAYS
        # The last stretch of each page: its layer, first and end.
        self.last = PageTable(3)

    def add(self, batch: Batch, pages: Uints, parts: Ints,
            layers_of: LayersOf) -> None:
        """Add accesses by page, then time."""
        begin = self.first[parts]
        entry = np.flatnonzero(is_first(pages, begin))
        # Among uses before the same sample, the last counts.
        seen = np.append(entry[1:], len(pages))[:len(entry)] - 1
        begin, until = begin[seen], self.end[parts[seen]]
        within = np.flatnonzero(begin < until)
        begin, until, seen, entry = (column[within] for column in (
            begin, until, seen, entry))
        page = pages[seen]
        is_start = is_first(page)
        last = Stays(page[is_start], *self.last.get(page[is_start]))
        # The page is in the set up to here, by earlier uses.
        before = np.roll(until, 1)
        before[is_start] = last.end
        enter = begin > before
        held = np.zeros(len(seen), np.int64)
        held[is_start] = np.maximum(last.layers, 0)
        turns = np.flatnonzero(enter | is_first(page, self.epoch[parts[seen]]))
        until = until[np.append(turns[1:], len(seen))[:len(turns)] - 1]
        seen, enter, held, page, begin = (column[turns] for column in (
            seen, enter, held, page, begin))
        layers = layers_of(batch, Uses(pages, parts, seen, enter,
                                       entry[turns[enter]], held))
        self.join(last, Stays(page, layers, begin, until))

    def join(self, last: Stays, uses: Stays) -> None:
        """Make stretches of uses, and of the last stretches of their pages, if
        any:

            uses, with the last     a  |-----|
            stretch in front        a      |-----|
                                    b          |-----|
            begins (True)           a  |       |            joint.first
            the end before begins   a              |
            stretches               a  |-------|            is_over
                                    b          |-----|      new last stretch
        """
        starts, old = np.flatnonzero(is_first(uses.pages)), last.end >= 0
        uses = Stays._make(np.insert(column, starts[old], before[old])
                           for column, before in zip(uses, last))
        begins = is_first(uses.pages, uses.layers) | (
            uses.first > np.roll(uses.end, 1))
        joint = picked(uses, begins)
        # Cut off where the page's next stretch begins.
        ends, is_over = uses.end[np.roll(begins, -1)], ~is_last(joint.pages)
        joint = joint._replace(end=np.where(is_over, np.minimum(
            ends, np.roll(joint.first, -1)), ends))
        last = picked(joint, ~is_over)
        self.last.put(last.pages, last.layers, last.first, last.end)
        # Replace columns in turn: memory has no more than one twice.
        columns, self.over = [*self.over], NO_STAYS
        for k, more in enumerate(joint):
            columns[k] = np.concatenate([columns[k], more[is_over]])
        self.over = Stays._make(columns)

    def end_of(self, batch: Batch) -> int:
        """Return the first sample to which later batches may add."""
        return (int(self.first[batch.end]) if batch.end < len(self.first)
                else self.number)

    def within(self, begin: int = 0, end: int = FAR) -> Stays:
        """Return the stretches so far in the samples `begin` <= k < `end`, or
        behind history, by page, then time.  Samples count from there on.
        """
        begin = max(begin, self.past)
        last = Stays(self.last.pages, *self.last.columns)
        order = np.flatnonzero(np.concatenate([
            np.maximum(known.first, begin) < np.minimum(known.end, end)
            for known in (self.over, last)]))
        # The stretches of each page are in order already.
        order = order[np.argsort(np.concatenate([
            self.over.pages, last.pages])[order], kind="stable")]
        joint = Stays._make(np.concatenate(columns)[order]
                            for columns in zip(self.over, last))
        return joint._replace(first=np.maximum(joint.first - begin, 0),
                              end=np.minimum(joint.end, end) - begin)

    def forget(self, end: int) -> None:
        """Forget stretches that are over at the sample `end` or before."""
        self.over = picked(self.over, self.over.end > end)


def stretches(log: PageLog, kinds: Sequence[str], tau: int, page_szB: int,
              layers_of: LayersOf, skipped: str = "E") -> Stays:
    """Return when pages of this size are in the window of any of these sets.
    """
    collected = Stretches(log, tau)
    for batch in batches(log, skipped):
        collected.add(batch, *batch.by_page(kinds, page_szB // log.page_szB),
                  layers_of)
    return collected.within()


def stays(log: PageLog, kind: str, tau: int, page_szB: int) -> Stays:
    """Return when pages of this size are in a set's window, in layer 0."""
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
