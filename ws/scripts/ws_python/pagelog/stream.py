# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the accesses of a page log of any size in batches.

A batch ends at a sample, so that it has all accesses between two samples.  It
has a million accesses or more, so that views spend little time on data that
they keep from earlier batches.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Dict, Iterable, Iterator, List, Sequence, Tuple

import numpy as np

from ws_python.pagelog.log import (INTERVAL_ENDS, PAST_SAMPLE, SAMPLE, Entered,
                                   PageLog, Piece)
from ws_python.pagelog.ranges import (Bools, Ints, Uints, is_first, is_last,
                                      range_of_each, split_runs, stacked,
                                      starts_of)
from ws_python.pagelog.windows import by_page

MOST = 1 << 20              # accesses of a batch, if it has several samples
MOST_CACHED = 12 << 20      # accesses of a log that is read once for all views

Accessed = Tuple[Uints, Ints]       # pages, parts


@dataclass
class Batch:
    """The parts `first` <= k < `end`."""
    first: int
    end: int
    # By set: pages, part after part, ascending in each; and the number of each
    # part's pages.
    pages: Dict[str, Uints]
    counts: Dict[str, Ints]
    entered: Dict[str, Entered]
    sorted: Dict[Tuple[object, ...], Accessed] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return sum(map(len, self.pages.values()))

    def accesses(self, kinds: Sequence[str], pages_in_one: int) -> Accessed:
        """Return the pages accessed in each part: set after set, each by part.
        A page is `pages_in_one` pages of the log.
        """
        pages = np.concatenate([self.pages[kind] for kind in kinds])
        parts = self.first + np.concatenate([
            range_of_each(self.counts[kind]) for kind in kinds])
        return (pages, parts) if pages_in_one == 1 else without_repeats(
            pages // np.uint64(pages_in_one), parts)

    def by_page(self, kinds: Sequence[str], pages_in_one: int) -> Accessed:
        """Return the pages accessed in each part, by any of these sets: by page,
        then time.  Sort them only once.
        """
        key = (*sorted(kinds), pages_in_one)
        if key not in self.sorted:
            accessed = by_page(*self.accesses(kinds, pages_in_one))
            self.sorted[key] = (without_repeats(*accessed) if kinds[1:]
                                else accessed)
        return self.sorted[key]


def without_repeats(pages: Uints, parts: Ints) -> Accessed:
    """Drop repeated accesses, which are neighbours."""
    first = np.flatnonzero(is_first(pages, parts))
    return pages[first], parts[first]


def unfolded(pieces: Sequence[Piece]) -> Batch:
    """Make a batch of successive pieces.  Parts that share a list get copies.
    """
    pages, counts = {}, {}
    for kind in pieces[0].pages:
        lists = [piece.counts[kind][piece.lists] for piece in pieces]
        counts[kind] = np.concatenate(lists)
        pages[kind] = np.concatenate([
            piece.pages[kind][split_runs(
                starts_of(piece.counts[kind])[piece.lists], sizes)]
            for piece, sizes in zip(pieces, lists)])
    return Batch(pieces[0].first, pieces[-1].end, pages, counts, {
        kind: stacked([piece.entered[kind].within(piece.first, piece.end)
                       for piece in pieces])
        for kind in pieces[0].entered})


def sizes_up_to(piece: Piece) -> Ints:
    """Return the number of accesses up to each part's end."""
    return np.cumsum(sum(counts[piece.lists]
                         for counts in piece.counts.values()))


def small_pieces(log: PageLog, skipped: str) -> Iterator[Piece]:
    """Yield all parts of a log, in pieces of few accesses, even where parts
    share lists.
    """
    for piece in log.read(log.n_parts, skipped):
        cuts = piece.first + 1 + np.flatnonzero(
            np.diff(sizes_up_to(piece) // MOST))
        for first, end in zip([piece.first, *cuts.tolist()],
                              [*cuts.tolist(), piece.end]):
            yield piece.parts(first, end)


def batches(log: PageLog, skipped: str = "E") -> Iterable[Batch]:
    """Return all parts of a log in batches; from a large log, without the
    records of the skipped letters ("E": entries).  Parts behind the last sample
    belong to the last batch.  A log without parts has no batch.
    """
    return cached_batches(log) or read_batches(log, skipped)


@lru_cache(maxsize=1)
def cached_batches(log: PageLog) -> List[Batch]:
    """Read a log for all views; return [] if it is large."""
    cached, room = [], MOST_CACHED
    for batch in read_batches(log, ""):
        room -= batch.size
        if room < 0:
            return []
        cached.append(batch)
    return cached


def read_batches(log: PageLog, skipped: str) -> Iterator[Batch]:
    cuts = 1 + np.flatnonzero((log.flags & INTERVAL_ENDS > 0)
                              & (log.flags & (SAMPLE | PAST_SAMPLE) > 0))[:-1]
    waiting: List[Piece] = []
    number = 0
    for piece in small_pieces(log, skipped):
        number += sizes_up_to(piece)[-1]
        at = int(np.searchsorted(cuts, piece.end, "right")) - 1
        cut = int(cuts[at]) if at >= 0 else 0
        if number < MOST or cut <= piece.first:
            waiting.append(piece)
            continue
        yield unfolded([*waiting, piece.parts(piece.first, cut)])
        waiting = [piece.parts(cut, piece.end)] if cut < piece.end else []
        number = sum(sizes_up_to(piece)[-1] for piece in waiting)
    if waiting:
        yield unfolded(waiting)


class PageTable:
    """A table of pages with columns of numbers, such as the last access."""

    def __init__(self, columns: int = 1) -> None:
        self.pages = np.zeros(0, np.uint64)     # ascending
        self.columns = np.zeros((columns, 0), np.int64)

    def find(self, pages: Uints) -> Tuple[Ints, Bools]:
        """Return the place of each page, and True if it is in the table."""
        at = np.searchsorted(self.pages, pages)
        known = np.zeros(len(pages), bool)
        inside = at < len(self.pages)
        known[inside] = self.pages[at[inside]] == pages[inside]
        return at, known

    def get(self, pages: Uints) -> Ints:
        """Return the columns of these pages; -1 for pages not in the table."""
        at, known = self.find(pages)
        numbers = np.full((len(self.columns), len(pages)), -1)
        numbers[:, known] = self.columns[:, at[known]]
        return numbers

    def put(self, pages: Uints, *columns: Ints) -> None:
        """Set the columns of these pages, which ascend."""
        at, known = self.find(pages)
        numbers = np.array(columns, np.int64)
        self.columns[:, at[known]] = numbers[:, known]
        if not known.all():
            at = at[~known]
            self.pages = np.insert(self.pages, at, pages[~known])
            self.columns = np.insert(self.columns, at, numbers[:, ~known], 1)

    def before(self, pages: Uints, *columns: Ints) -> Ints:
        """Record accesses, which are by page, then time.  Return the columns
        of the access before each, to the same page; -1 if there is none.
        """
        begins, ends = is_first(pages), is_last(pages)
        numbers = np.roll(np.array(columns, np.int64), 1, 1)
        numbers[:, begins] = self.get(pages[begins])
        self.put(pages[ends], *(column[ends] for column in columns))
        return numbers
