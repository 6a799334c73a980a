# SPDX-License-Identifier: GPL-2.0-or-later
"""Pairs of accesses to the same page.  They give the working sets of all
windows of a log, in memory that does not grow with the number of accesses.

Only two intervals count: that of an access, and that of the access before to
the same page.  If they are the same or neighbours, the page has left no window
meanwhile, and the pair is dropped.

Between the intervals of a pair, of which the first ends at e, the page is not
in the set if there is a sample from e + tau on, before the second one: see
windows.py.  So it leaves all windows up to some length.
"""

from typing import Dict, Iterable, Iterator, List, NamedTuple, Sequence, Tuple

import numpy as np

from ws_python.engine.ranges import count_pairs, is_first, range_of_each
from ws_python.engine.stream import PageTable, pieces
from ws_python.engine.windows import by_page, sample_times
from ws_python.model.log import AGAIN, FAR, INTERVAL_ENDS, PageLog, Piece

MOST_PAIRS = 1 << 21        # different ones, collected before they are counted
UNNEEDED = "E"              # records
NONE = -1


class Windows(NamedTuple):
    """The working sets of a window."""
    sizes: np.ndarray       # at each sample
    entered: int            # pages, up to the last sample
    most: int               # at samples


class Lists(NamedTuple):
    """The pages accessed in parts of time; list after list, each in ascending
    order.
    """
    pages: np.ndarray
    counts: np.ndarray
    # For each list: the intervals and phases of its first and last part.
    first_interval: np.ndarray
    last_interval: np.ndarray
    first_phase: np.ndarray
    last_phase: np.ndarray
    # Phases that begin while a list repeats, and the index of that list.
    further_phases: np.ndarray
    further_lists: np.ndarray


class Moments(NamedTuple):
    """The samples and intervals of a log."""
    times: np.ndarray       # of samples
    ends: np.ndarray        # of intervals; FAR for the one that goes on
    first: np.ndarray       # the first sample at the end of each or later


class Changes:
    """The pages that come to windows and leave them.  They stay for `longer`
    samples more than they are in the set.
    """

    def __init__(self, at: Moments, taus: Sequence[int], longer: int):
        self.at, self.longer = at, longer
        self.taus = [min(tau, FAR >> 1) for tau in taus]    # ascending
        # A row for each window: of the pairs that leave it and no longer one.
        # Rows and columns that stay 0 take no memory.
        self.come = np.zeros((len(taus), len(at.times) + 1), np.uint32)
        self.leave = np.zeros((len(taus), len(at.ends)), np.uint32)

    def add(self, after: np.ndarray, before: np.ndarray,
            pairs: np.ndarray) -> None:
        """Add numbers of pairs of intervals."""
        enters = self.at.first[after]
        last = enters - 1
        # The longest window that the page leaves between the two.
        limit = np.where(last >= 0, np.append(self.at.times, 0)[
            np.maximum(last, 0)] - self.at.ends[before], -1)
        many = np.searchsorted(self.taus, limit, "right").astype(np.uint16)
        order = np.argsort(many, kind="stable")
        limits = np.searchsorted(many[order], np.arange(len(self.taus) + 1),
                                 "right")
        for row, (begin, end) in enumerate(zip(limits, limits[1:])):
            if begin < end:
                some = order[begin:end]
                for rows, places in (self.come, enters), (self.leave, before):
                    found = np.bincount(places[some], pairs[some])
                    rows[row, :len(found)] += found.astype(np.uint32)

    def windows(self, firsts: np.ndarray,
                lasts: np.ndarray) -> Iterator[Windows]:
        """Compute windows, from the longest on; also given the first accesses
        to pages, by sample, and the last ones, by interval.
        """
        number = len(self.at.times)
        come, leave = firsts.copy(), lasts.astype(float)
        for row in range(len(self.taus) - 1, -1, -1):
            come += self.come[row]
            leave += self.leave[row]
            end = self.longer + np.searchsorted(
                self.at.times, self.at.ends + self.taus[row], "left")
            sizes = np.cumsum(come - np.bincount(end, leave, number + 2)[
                :number + 1].astype(np.int64))
            yield Windows(sizes[:number], int(come[:number].sum()),
                          int(sizes.max()))


class Reuses:
    """The pairs of one set and page size."""

    def __init__(self, pages_in_one: int, at: Moments, taus: Sequence[int]):
        """Begin, with pages of `pages_in_one` of the log's, and windows."""
        self.pages_in_one = np.uint64(pages_in_one)
        self.at, self.first_tau, self.taus = at, taus[0], sorted({*taus})
        self.last = PageTable(2)    # intervals and phases
        self.waiting: List[Tuple[np.ndarray, ...]] = []
        self.changes = (Changes(at, self.taus, 0),
                        Changes(at, [self.first_tau], 1))
        # First accesses since the sample before, for each sample, and since
        # the last.
        self.firsts = np.zeros(len(at.times) + 1, np.int64)
        self.in_phase: Dict[int, int] = {}      # pages of each

    @property
    def total(self) -> int:
        return len(self.last.pages)

    def add(self, lists: Lists) -> None:
        """Add the next lists."""
        pages, number = by_page(lists.pages // self.pages_in_one,
                                range_of_each(lists.counts))
        once = is_first(pages, number)
        pages, number = pages[once], number[once]
        counts = np.bincount(number, minlength=len(lists.counts))
        self.count_phases(lists.further_phases, counts[lists.further_lists])
        starts = np.flatnonzero(is_first(pages))
        stops = np.append(starts[1:], len(pages)) - 1 if len(pages) else starts
        before, phase = self.last.put(
            pages[starts], lists.last_interval[number[stops]],
            lists.last_phase[number[stops]])
        befores = np.append(NONE, lists.last_interval[number[:-1]]
                            )[:len(number)]
        befores[starts] = before
        phases = np.append(NONE, lists.last_phase[number[:-1]])[:len(number)]
        phases[starts] = phase
        afters = lists.first_interval[number]
        self.firsts += np.bincount(self.at.first[afters[befores == NONE]],
                                   minlength=len(self.firsts))
        some = (befores != NONE) & (afters > befores + 1)
        self.waiting.append(count_pairs(afters[some], befores[some]))
        if sum(len(pairs) for _, _, pairs in self.waiting) > MOST_PAIRS:
            self.settle()
        now = lists.first_phase[number]
        self.count_phases(*np.unique(now[now != phases], return_counts=True))

    def settle(self) -> None:
        """Count the pairs."""
        if self.waiting:
            found = [*map(np.concatenate, zip(*self.waiting))]
            self.waiting = []
            for changes in self.changes:
                changes.add(*found)

    def count_phases(self, phases: np.ndarray, pages: np.ndarray) -> None:
        for phase, number in zip(phases.tolist(), pages.tolist()):
            self.in_phase[phase] = self.in_phase.get(phase, 0) + number

    def windows(self) -> Tuple[Dict[int, Windows], int]:
        """Compute windows, and the number of pages that the first one does not
        exceed even between samples.
        """
        self.settle()
        lasts = np.bincount(self.last.columns[0], minlength=len(self.at.ends))
        sizes, longer = ([*changes.windows(self.firsts, lasts)]
                         for changes in self.changes)
        return dict(zip(self.taus[::-1], sizes)), longer[0].most


class Accesses:
    """Everything that the report of a log needs, for several page sizes."""

    def __init__(self, log: PageLog, kinds: Iterable[str],
                 sizes_in_pages: Iterable[int], taus: Sequence[int]):
        self.kinds = [*kinds]
        times, ends = sample_times(log), np.append(
            log.ends[log.flags & INTERVAL_ENDS != 0], FAR)
        self.at = Moments(times, ends, np.searchsorted(times, ends))
        self.sets = {(kind, size): Reuses(size, self.at, taus)
                     for kind in self.kinds for size in sizes_in_pages}
        self.marks = [mark.part for mark in log.marks]
        self.n_parts = self.n_intervals = 0
        self.again: Dict[str, np.ndarray] = {}      # the last list of pages
        for piece in pieces(log, UNNEEDED):
            self.add(piece)

    def add(self, piece: Piece) -> None:
        ends = piece.flags & INTERVAL_ENDS != 0
        intervals = self.n_intervals + np.cumsum(ends) - ends
        number = self.n_parts + np.arange(len(ends))
        phases = np.searchsorted(self.marks, number)
        own = piece.flags & AGAIN == 0
        firsts = np.flatnonzero(own)
        if not own[0]:
            firsts = np.append(0, firsts)
        lasts = np.append(firsts[1:], len(own)) - 1
        further = is_first(phases)
        further[firsts] = False
        further = np.flatnonzero(further)
        for kind in self.kinds:
            pages, counts = piece.pages[kind], piece.counts[kind][firsts]
            if not own[0]:
                pages = np.concatenate([self.again[kind], pages])
                counts[0] = len(self.again[kind])
            self.again[kind] = pages[len(pages) - counts[-1]:]
            lists = Lists(pages, counts, intervals[firsts], intervals[lasts],
                          phases[firsts], phases[lasts], phases[further],
                          np.searchsorted(firsts, further) - 1)
            for (of, _), some in self.sets.items():
                if of == kind:
                    some.add(lists)
        self.n_parts += len(ends)
        self.n_intervals += int(ends.sum())
