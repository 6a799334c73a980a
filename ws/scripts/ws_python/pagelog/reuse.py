# SPDX-License-Identifier: GPL-2.0-or-later
"""Computes the working sets of all windows of a log from pairs of successive
accesses to a page, in memory that does not grow with the number of accesses.

Only the intervals of the two accesses count.  If they are the same or
neighbours, the page has left no window meanwhile, and the pair is dropped.

If the first interval ends at e, the page is not in the set at samples from
e + tau on, up to the second interval (see windows.py).  So between the two, the
page leaves all windows that are shorter than a limit.
"""

from functools import cached_property
from typing import Dict, Iterable, List, NamedTuple, Sequence, Tuple

import numpy as np

from ws_python.pagelog.log import FAR, PageLog
from ws_python.pagelog.ranges import Ints, Uints, count_pairs, range_of_each
from ws_python.pagelog.stream import PageTable, without_repeats
from ws_python.pagelog.windows import by_page, intervals, sample_times

MOST_PAIRS = 1 << 21        # different pairs collected before they are counted
UNNEEDED = "E"              # letters of records


class WindowSizes(NamedTuple):
    """The working sets of a window."""
    sizes: Ints             # at each sample
    entered: Ints           # pages that enter since the sample before
    bound: int              # the largest size between samples, at most


class Timeline(NamedTuple):
    """The samples and intervals of a log."""
    times: Ints             # of samples
    ends: Ints              # of intervals; FAR: the log ends before it
    first: Ints             # the first sample at each interval's end or later
    interval: Ints          # of each part
    phase: Ints             # of each part, counted without empty phases
    phases: Ints            # the numbers of phases that have parts


class Reuses:
    """The pairs of one set and page size."""

    def __init__(self, pages_in_one: int, at: Timeline, taus: Sequence[int]):
        """Begin.  A page is `pages_in_one` pages of the log."""
        self.pages_in_one = np.uint64(pages_in_one)
        self.at, self.taus = at, sorted({*taus})
        self.last = PageTable()     # parts
        self.waiting: List[Tuple[Ints, Ints, Ints]] = []
        # The pages that come to windows, by sample, and leave them again, by
        # interval: a row for each window, of the pairs that leave it and no
        # longer one.  Rows and columns that stay 0 take no memory.
        self.come = np.zeros((len(self.taus), len(at.times) + 1), np.uint32)
        self.leave = np.zeros((len(self.taus), len(at.ends)), np.uint32)
        # First accesses since the sample before, for each sample, and since
        # the last.
        self.firsts = np.zeros(len(at.times) + 1, np.int64)
        # Changes of the number of pages accessed, from phase to phase.
        self.by_phase = np.zeros(len(at.phases) + 1, np.int64)

    @property
    def total(self) -> int:
        return len(self.last.pages)

    @cached_property
    def in_phase(self) -> Dict[int, int]:
        """The pages accessed in each phase that has parts."""
        return dict(zip(self.at.phases.tolist(),
                        np.cumsum(self.by_phase).tolist()))

    def add(self, pages: Uints, number: Ints, first: Ints,
            last: Ints) -> None:
        """Add pages, with the number of the list that each is on, and the
        first and the last part of each list.
        """
        pages, number = without_repeats(*by_page(pages // self.pages_in_one,
                                                 number))
        before, = self.last.before(pages, last[number])
        is_new, phase = before < 0, self.at.phase
        now, then = self.at.interval[first[number]], self.at.interval[before]
        self.firsts += np.bincount(self.at.first[now[is_new]],
                                   minlength=len(self.firsts))
        is_pair = ~is_new & (now > then + 1)
        self.waiting.append(count_pairs(now[is_pair], then[is_pair]))
        if sum(len(pairs) for _, _, pairs in self.waiting) > MOST_PAIRS:
            self.count()
        # The phase of the access before has counted the page.
        counted = np.where(is_new, -1, phase[before])
        for sign, phases in (
                (1, np.maximum(phase[first[number]], counted + 1)),
                (-1, phase[last[number]] + 1)):
            self.by_phase += sign * np.bincount(
                phases, minlength=len(self.by_phase))

    def count(self) -> None:
        """Count the pairs that are waiting."""
        if not self.waiting:
            return
        after, before, pairs = map(np.concatenate, zip(*self.waiting))
        self.waiting = []
        enters = self.at.first[after]
        last = enters - 1
        # The longest window that the page leaves between the accesses.
        limit = np.where(last >= 0, np.append(self.at.times, 0)[
            np.maximum(last, 0)] - self.at.ends[before], -1)
        many = np.searchsorted([min(tau, FAR) for tau in self.taus], limit,
                               "right").astype(np.uint16)
        order = np.argsort(many, kind="stable")
        limits = np.searchsorted(many[order], np.arange(len(self.taus) + 1),
                                 "right")
        for row, (begin, end) in enumerate(zip(limits, limits[1:])):
            if begin < end:
                leaving = order[begin:end]
                for rows, places in (self.come, enters), (self.leave, before):
                    pages = np.bincount(places[leaving], pairs[leaving])
                    rows[row, :len(pages)] += pages.astype(np.uint32)

    def by_tau(self) -> Dict[int, WindowSizes]:
        """Return the working sets of each window, by its length."""
        self.count()
        at, number, windows = self.at, len(self.at.times), {}
        come, leave = self.firsts.copy(), np.bincount(
            at.interval[self.last.columns[0]], minlength=len(at.ends)
            ).astype(float)
        for row, tau in reversed([*enumerate(self.taus)]):
            come += self.come[row]
            leave += self.leave[row]
            end = np.searchsorted(at.times, at.ends + min(tau, FAR >> 1))
            # A page that leaves between two samples counts for the second.
            sizes, bound = (np.cumsum(come - np.bincount(
                end + longer, leave, number + 2)[:number + 1].astype(np.int64))
                for longer in (0, 1))
            windows[tau] = WindowSizes(sizes[:number], come[:number].copy(),
                                 int(bound.max()))
        return windows


class Accesses:
    """Everything that the report of a log needs, for several page sizes."""

    def __init__(self, log: PageLog, kinds: Iterable[str],
                 sizes_in_pages: Iterable[int], taus: Sequence[int]):
        self.kinds = [*kinds]
        times, (interval, ends) = sample_times(log), intervals(log)
        phases, phase = np.unique(np.searchsorted(
            [mark.part for mark in log.marks], np.arange(log.n_parts)),
            return_inverse=True)
        self.at = Timeline(times, ends, np.searchsorted(times, ends),
                          interval, phase, phases)
        self.sets = {(kind, size): Reuses(size, self.at, taus)
                     for kind in self.kinds for size in sizes_in_pages}
        for piece in log.read(log.n_parts, UNNEEDED):
            lists = np.arange(piece.lists[-1] + 1)
            first = piece.first + np.searchsorted(piece.lists, lists)
            last = piece.first - 1 + np.searchsorted(piece.lists, lists,
                                                     "right")
            for (kind, _), reuses in self.sets.items():
                number = range_of_each(piece.counts[kind][:len(lists)])
                reuses.add(piece.pages[kind][:len(number)], number, first, last)
