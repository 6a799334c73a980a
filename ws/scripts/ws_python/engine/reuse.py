# SPDX-License-Identifier: GPL-2.0-or-later
"""Pairs of accesses to the same page.  They give the working sets of all
windows of a log, and are small for a log of any length.

Only two intervals count: that of an access, and that of the access before to
the same page.  If they are the same or neighbours, the page has left no window
meanwhile, and the pair is dropped.  Other pairs of intervals are kept, equal
ones as one, and so are first and last accesses to pages.

Between the intervals of a pair, of which the first ends at e, the page is not
in the set if there is a sample from e + tau on, before the second one: see
windows.py.
"""

from typing import Dict, Iterable, List, NamedTuple, Sequence, Tuple

import numpy as np

from ws_python.engine.ranges import is_first, joined
from ws_python.engine.stream import PageTable
from ws_python.model.log import (AGAIN, FAR, INTERVAL_ENDS, SAMPLE, LogMark,
                                 Piece)

MOST_PAIRS = 1 << 22        # collected before equal ones are counted
HALF = 32                   # bits of a pair
NONE = -1


class Windows(NamedTuple):
    """The working sets of a window."""
    sizes: np.ndarray       # at each sample
    entered: int            # pages, up to the last sample
    bound: int              # never exceeded, even between samples


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


class Pairs:
    """Pairs of intervals, and the number of each."""

    def __init__(self) -> None:
        self.keys = self.counts = np.zeros(0, np.int64)
        self.more: List[np.ndarray] = []

    def add(self, before: np.ndarray, after: np.ndarray) -> None:
        self.more.append((before - NONE) << HALF | after)
        if sum(map(len, self.more)) > max(MOST_PAIRS, len(self.keys)):
            self.settle()

    def settle(self) -> None:
        """Join equal pairs."""
        keys, counts = np.unique(np.concatenate([self.keys[:0], *self.more]),
                                 return_counts=True)
        self.more = []
        keys = np.concatenate([self.keys, keys])
        counts = np.concatenate([self.counts, counts])
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        at = np.flatnonzero(is_first(keys))
        self.keys = keys[at]
        self.counts = np.add.reduceat(counts[order], at) if len(at) else at

    @property
    def before(self) -> np.ndarray:
        return (self.keys >> HALF) + NONE

    @property
    def after(self) -> np.ndarray:
        return self.keys & ((1 << HALF) - 1)


class Reuses:
    """The pairs of one set and page size."""

    def __init__(self, pages_in_one: int):
        """Begin, with pages of `pages_in_one` of the log's."""
        self.pages_in_one = np.uint64(pages_in_one)
        self.last = PageTable(2)    # intervals and phases
        self.pairs = Pairs()
        self.in_phase: Dict[int, int] = {}      # pages of each

    @property
    def total(self) -> int:
        return len(self.last.pages)

    def add(self, lists: Lists) -> None:
        """Add the next lists."""
        number = np.repeat(np.arange(len(lists.counts)), lists.counts)
        pages = lists.pages // self.pages_in_one
        once = is_first(pages, number)
        pages, number = pages[once], number[once]
        counts = np.bincount(number, minlength=len(lists.counts))
        self.count_phases(lists.further_phases, counts[lists.further_lists])
        order = np.argsort(pages, kind="stable")
        pages, number = pages[order], number[order]
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
        some = (befores == NONE) | (afters > befores + 1)
        self.pairs.add(befores[some], afters[some])
        now = lists.first_phase[number]
        self.count_phases(*np.unique(now[now != phases], return_counts=True))

    def count_phases(self, phases: np.ndarray, pages: np.ndarray) -> None:
        for phase, number in zip(phases.tolist(), pages.tolist()):
            self.in_phase[phase] = self.in_phase.get(phase, 0) + number

    def firsts(self, first: np.ndarray, n_samples: int) -> np.ndarray:
        """Count the pages accessed for the first time since the sample before,
        for each sample, and since the last.
        """
        self.pairs.settle()
        some = self.pairs.before == NONE
        return np.bincount(first[self.pairs.after[some]],
                           self.pairs.counts[some],
                           n_samples + 1).astype(np.int64)

    def windows(self, times: np.ndarray, ends: np.ndarray,
                taus: Iterable[int]) -> Dict[int, Windows]:
        """Compute windows at samples, from their times and intervals' ends."""
        self.pairs.settle()
        ordered = sorted(taus)
        lengths = [min(tau, FAR >> 1) for tau in ordered]
        sizes = self.changes(times, ends, lengths, 0)
        bounds = self.changes(times, ends, lengths, 1)
        return {tau: Windows(
            np.cumsum(size)[:len(times)], entered, int(np.cumsum(bound).max()))
            for tau, (size, entered), (bound, _) in zip(ordered, sizes,
                                                        bounds)}

    def changes(self, times: np.ndarray, ends: np.ndarray,
                taus: Sequence[int],
                longer: int) -> List[Tuple[np.ndarray, int]]:
        """Return for each of these ascending windows the changes of the size
        at each sample, and the number of pages that enter.  Pages stay for
        `longer` samples more.
        """
        number = len(times)
        before, counts = self.pairs.before, self.pairs.counts
        first = np.searchsorted(times, ends, "left")
        enters = first[self.pairs.after]
        # The longest window that the page leaves between the two intervals.
        last = enters - 1 - longer
        limit = np.where(
            last >= 0, np.append(times, 0)[np.maximum(last, 0)] - ends[before],
            -1)
        limit[before == NONE] = FAR
        many = np.searchsorted(taus, limit, "right").astype(np.uint16)
        order = np.argsort(many, kind="stable")
        at = np.searchsorted(many[order], np.arange(len(taus) + 2))
        come = np.zeros(number + 1)
        leave = np.bincount(self.last.columns[0],
                            minlength=len(ends)).astype(float)
        found: List[Tuple[np.ndarray, int]] = []
        for place in range(len(taus) - 1, -1, -1):
            some = order[at[place + 1]:at[place + 2]]
            come += np.bincount(enters[some], counts[some], number + 1)
            some = some[before[some] != NONE]
            leave += np.bincount(before[some], counts[some], len(ends))
            end = longer + np.searchsorted(times, ends + taus[place], "left")
            change = come - np.bincount(end, leave, number + 2)[:number + 1]
            found.append((change.astype(np.int64), int(come[:number].sum())))
        return found[::-1]


class Accesses:
    """Everything that the report of a log needs, for several page sizes."""

    def __init__(self, kinds: Iterable[str], sizes_in_pages: Iterable[int]):
        self.kinds = [*kinds]
        self.sets = {(kind, size): Reuses(size) for kind in self.kinds
                     for size in sizes_in_pages}
        self.times: List[np.ndarray] = []           # ends of parts
        self.instructions: List[np.ndarray] = []    # up to these
        self.flags: List[np.ndarray] = []
        self.n_parts = self.n_intervals = 0
        self.time = self.done = 0
        self.again: Dict[str, np.ndarray] = {}      # the last list of pages

    def add(self, piece: Piece, marks: Sequence[LogMark]) -> None:
        """Add the next piece; `marks` has all marks so far."""
        ends = piece.flags & INTERVAL_ENDS != 0
        intervals = self.n_intervals + np.cumsum(ends) - ends
        number = self.n_parts + np.arange(len(ends))
        phases = np.searchsorted([mark.part for mark in marks], number)
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
        self.flags.append(piece.flags)
        self.times.append(self.time + np.cumsum(piece.times))
        self.instructions.append(self.done + np.cumsum(piece.instructions))
        self.time, self.done = int(self.times[-1][-1]), int(
            self.instructions[-1][-1])
        self.n_parts += len(ends)
        self.n_intervals += int(ends.sum())

    @property
    def ends(self) -> np.ndarray:
        """The ends of parts."""
        return joined(self.times)

    @property
    def done_at(self) -> np.ndarray:
        """The instructions executed up to the ends of parts."""
        return joined(self.instructions)

    @property
    def sampled(self) -> np.ndarray:
        """The parts that end at samples."""
        return np.flatnonzero(joined(self.flags) & SAMPLE)

    @property
    def intervals(self) -> np.ndarray:
        """The ends of intervals; FAR for the one that goes on."""
        return np.append(self.ends[joined(self.flags) & INTERVAL_ENDS != 0],
                         FAR)
