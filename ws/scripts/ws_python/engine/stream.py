# SPDX-License-Identifier: GPL-2.0-or-later
"""Yields the accesses of a page log in batches of some parts, for logs of any
size.

A batch ends at a sample, so that it has all accesses between two samples.  It
has a million accesses or more, so that views spend little time on data that
they keep from earlier batches.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Dict, Iterable, Iterator, List, Sequence, Tuple

import numpy as np

from ws_python.engine.ranges import (joined, range_of_each, split_runs,
                                     starts_of)
from ws_python.engine.windows import by_page
from ws_python.model.log import (AGAIN, INTERVAL_ENDS, PAST_SAMPLE, SAMPLE,
                                 Entered, PageLog, Piece)
from ws_python.model.sizes import KINDS

MOST = 1 << 20              # accesses of a batch, if it has several samples
MOST_KEPT = 12 << 20        # accesses of a log that is kept for several views

Accessed = Tuple[np.ndarray, np.ndarray]    # pages (uint64), parts (int64)


@dataclass
class Batch:
    """The parts `first` <= k < `end`."""
    first: int
    end: int
    # By the set: pages (uint64) of one part after the other, ascending in
    # each, and the number (int64) of each part's pages.
    pages: Dict[str, np.ndarray]
    counts: Dict[str, np.ndarray]
    entered: Dict[str, Entered]
    sorted: Dict[Tuple[object, ...], Accessed] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return sum(map(len, self.pages.values()))

    def accesses(self, kinds: Sequence[str], pages_in_one: int) -> Accessed:
        """Return pages, each of `pages_in_one` of the log's, and the part of
        each access; one set after the other, each by part.
        """
        pages = joined([self.pages[kind] for kind in kinds], np.uint64)
        if pages_in_one > 1:
            pages //= np.uint64(pages_in_one)
        return pages, self.first + joined([
            range_of_each(self.counts[kind]) for kind in kinds])

    def by_page(self, kinds: Sequence[str], pages_in_one: int) -> Accessed:
        """Return accesses by page, then time; sort them only once."""
        key = (*sorted(kinds), pages_in_one)
        if key not in self.sorted:
            self.sorted[key] = by_page(*self.accesses(kinds, pages_in_one))
        return self.sorted[key]

    def parts(self, first: int, end: int) -> "Batch":
        """Return some of the parts, or all."""
        if (first, end) == (self.first, self.end):
            return self
        pages, counts = {}, {}
        for kind, found in self.pages.items():
            at = starts_of(self.counts[kind])
            pages[kind] = found[at[first - self.first]:at[end - self.first]]
            counts[kind] = self.counts[kind][first - self.first:
                                             end - self.first]
        return Batch(first, end, pages, counts, {
            kind: some.within(first, end)
            for kind, some in self.entered.items()})


def as_one(batches: Sequence[Batch]) -> Batch:
    """Join successive batches."""
    if len(batches) == 1:
        return batches[0]
    return Batch(batches[0].first, batches[-1].end, *(
        {kind: np.concatenate([getattr(some, name)[kind] for some in batches])
         for kind in KINDS} for name in ("pages", "counts")), {
            kind: Entered(*map(np.concatenate, zip(*(
                some.entered[kind] for some in batches))))
            for kind in batches[-1].entered})


class Unfolded:
    """Gives pages to parts that repeat those of the part before."""

    def __init__(self) -> None:
        self.first = 0
        self.last = {kind: np.zeros(0, np.uint64) for kind in KINDS}

    def add(self, piece: Piece) -> Iterator[Batch]:
        """Yield the next piece as one batch, or as several if it is large."""
        own = piece.flags & AGAIN == 0
        # 0: the last one before.
        source = np.maximum.accumulate(np.where(
            own, np.arange(1, len(own) + 1), 0))
        pages, starts, counts = {}, {}, {}
        for kind in KINDS:
            pages[kind] = joined([self.last[kind], piece.pages[kind]],
                                 np.uint64)
            every = np.append(len(self.last[kind]), piece.counts[kind])
            starts[kind] = starts_of(every)[source]
            counts[kind] = every[source]
            self.last[kind] = pages[kind][starts[kind][-1]:].copy()
        number = np.cumsum(sum(counts.values()))
        cuts = np.flatnonzero(np.diff(number // MOST)) + 1
        for begin, end in zip([0, *cuts.tolist()],
                              [*cuts.tolist(), len(own)]):
            some = slice(begin, end)
            yield Batch(
                self.first + begin, self.first + end,
                {kind: pages[kind][split_runs(starts[kind][some],
                                              counts[kind][some])]
                 for kind in KINDS},
                {kind: counts[kind][some] for kind in KINDS},
                {kind: found.within(self.first + begin, self.first + end)
                 for kind, found in piece.entered.items()})
        self.first += len(own)


def pieces(log: PageLog, skipped: str) -> Iterator[Piece]:
    """Yield all parts of a log, and no later ones of its file."""
    left = log.n_parts
    for piece in log.read(skipped) if left else ():
        yield piece if len(piece.times) <= left else piece.parts(left)
        left -= len(piece.times)
        if left <= 0:
            return


def unfolded(log: PageLog, skipped: str) -> Iterator[Batch]:
    """Yield all parts of a log, a few at a time."""
    unfold = Unfolded()
    for piece in pieces(log, skipped):
        yield from unfold.add(piece)


def batches(log: PageLog, skipped: str = "E") -> Iterable[Batch]:
    """Return all parts of a log in batches, without entries unless these are
    not skipped.  Parts behind the last sample have no batch of their own.  A
    log without parts has no batch.
    """
    return kept(log) or read_batches(log, skipped)


@lru_cache(maxsize=1)
def kept(log: PageLog) -> List[Batch]:
    """Read a log for all who ask in turn; return [] if it is large."""
    found, room = [], MOST_KEPT
    for batch in read_batches(log, ""):
        room -= batch.size
        if room < 0:
            return []
        found.append(batch)
    return found


def read_batches(log: PageLog, skipped: str) -> Iterator[Batch]:
    cuts = 1 + np.flatnonzero((log.flags & INTERVAL_ENDS != 0)
                              & (log.flags & (SAMPLE | PAST_SAMPLE) != 0))[:-1]
    waiting: List[Batch] = []
    number = 0
    for batch in unfolded(log, skipped):
        number += batch.size
        at = int(np.searchsorted(cuts, batch.end, "right")) - 1
        cut = int(cuts[at]) if at >= 0 else 0
        if number < MOST or cut <= batch.first:
            waiting.append(batch)
            continue
        yield as_one([*waiting, batch.parts(batch.first, cut)])
        waiting = [batch.parts(cut, batch.end)] if cut < batch.end else []
        number = sum(some.size for some in waiting)
    if waiting:
        yield as_one(waiting)


class PageTable:
    """Pages, each with numbers: of its last access, or of something else."""

    def __init__(self, columns: int = 1) -> None:
        self.pages = np.zeros(0, np.uint64)     # ascending
        self.columns = np.zeros((columns, 0), np.int64)

    def put(self, pages: np.ndarray, *columns: np.ndarray) -> np.ndarray:
        """Record numbers of ascending pages; return the columns of those
        before, -1: none.
        """
        at = np.searchsorted(self.pages, pages)
        known = np.zeros(len(pages), bool)
        inside = at < len(self.pages)
        known[inside] = self.pages[at[inside]] == pages[inside]
        before = np.full((len(columns), len(pages)), -1)
        before[:, known] = self.columns[:, at[known]]
        numbers = np.array(columns, np.int64)
        self.columns[:, at[known]] = numbers[:, known]
        if not known.all():
            at = at[~known]
            self.pages = np.insert(self.pages, at, pages[~known])
            self.columns = np.insert(self.columns, at, numbers[:, ~known], 1)
        return before
