# SPDX-License-Identifier: GPL-2.0-or-later
"""What a TLB misses, as an LRU memory of one size, and how much of a working
set it holds.  This takes one pass over a log, and no memory for distances.
"""

import numpy as np

from ws_python.engine.distances import Returning, Returns
from ws_python.engine.ranges import is_first, starts_of
from ws_python.engine.stream import Batch
from ws_python.engine.windows import interval_ends, sample_times
from ws_python.model.log import FAR, PageLog


class Tlb:
    """A TLB with `entries` for pages of one size of a set.

    A page that was accessed in the parts j < k, and not between them, misses
    in k if the middle of its low and high distance is not below `entries`, see
    distances.py.  Both grow with k, and with earlier j.  So those with
    j < `begin` miss, and `begin` only moves on.
    """
    def __init__(self, log: PageLog, kind: str, page_szB: int, tau: int,
                 entries: int):
        self.log, self.entries = log, entries
        self.returning = Returning(log, [kind], page_szB)
        # Pages by the part of their last access; the end has junk.
        self.last = np.zeros(log.n_parts + 1, np.int64)
        # The pages that were accessed last in parts behind `begin`.
        self.begin = self.behind = 0
        self.misses = 0
        times, ends = sample_times(log), interval_ends(log)
        self.enter, self.leave = (
            np.searchsorted(times, some, "left")
            for some in (ends, ends + min(tau, FAR >> 1)))
        self.change = np.zeros(len(times) + 1, np.int64)

    def add(self, batch: Batch) -> None:
        """Add the accesses of the next batch."""
        found = self.returning.add(batch)
        again = found.before >= 0
        self.moved(self.change, self.enter[found.parts], np.minimum(
            self.leave[found.before], self.enter[found.parts]), found, again)
        total = len(self.returning.last.pages)
        if total > self.entries:
            self.count(found)
            return
        # All pages fit so far.
        self.moved(self.last, found.parts, found.before, found, again)
        self.behind = total - int(self.last[0])

    @staticmethod
    def moved(numbers: np.ndarray, to: np.ndarray, away: np.ndarray,
              found: Returns, again: np.ndarray) -> None:
        """Count pages at their new places, and no longer at those before."""
        size = len(numbers)
        numbers += np.bincount(to, found.counts, size).astype(np.int64)
        numbers -= np.bincount(away[again], found.counts[again], size
                               ).astype(np.int64)

    def count(self, found: Returns) -> None:
        """Count the misses of one part after the other."""
        sums = starts_of(found.counts)
        starts = np.flatnonzero(is_first(found.parts))
        first_part, back = self.log.first_part, -found.before     # ascending
        for part, at, end in zip(found.parts[starts].tolist(), starts.tolist(),
                                 [*starts[1:].tolist(), len(back)]):
            some, until = back[at:end], sums[at:end + 1]
            self.last[-some] -= found.counts[at:end]
            self.last[part] = until[-1] - until[0]
            # Pages of this part that were accessed last in `begin` or before.
            early = int(until[-1] - until[some.searchsorted(-self.begin)])
            self.behind += early * (part > self.begin)
            while self.begin < part and (
                    2 * self.behind - early + int(self.last[self.begin]) - 1
                    >= 2 * self.entries):
                self.begin += 1
                self.behind -= int(self.last[self.begin])
                early = int(until[-1] - until[some.searchsorted(-self.begin)])
            if part >= first_part:
                self.misses += int(
                    until[some.searchsorted(0, "right")]
                    - until[some.searchsorted(-self.begin, "right")])

    @property
    def most(self) -> int:
        """The pages of the largest working set."""
        change = self.change - np.bincount(
            self.leave[self.returning.last.columns[0]],
            minlength=len(self.change))
        return int(np.cumsum(change)[:-1].max(initial=0))
