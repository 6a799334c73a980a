# SPDX-License-Identifier: GPL-2.0-or-later
"""What a TLB misses, as an LRU memory of one size, and how much of a working
set it holds, in one pass over a log.
"""

import numpy as np

from ws_python.engine.distances import Returning, distances
from ws_python.engine.ranges import sums_by
from ws_python.engine.stream import Batch
from ws_python.engine.windows import (interval_ends, sample_times,
                                      samples_with)
from ws_python.model.log import PageLog


class Tlb:
    """A TLB with `entries` for pages of one size of a set."""
    def __init__(self, log: PageLog, kind: str, page_szB: int, tau: int,
                 entries: int):
        self.log, self.entries, self.misses = log, entries, 0
        # In parts with more pages than entries, which a log cannot order.
        self.blind_instrs = 0
        self.returning = Returning(log, [kind], page_szB)
        times = sample_times(log)
        self.enter, self.leave = samples_with(times, interval_ends(log), tau)
        self.change = np.zeros(len(times) + 1, np.int64)

    def add(self, batch: Batch) -> None:
        """Add the accesses of the next batch."""
        found = self.returning.add(batch)
        parts, before, counts, _ = found
        again, enter = before >= 0, self.enter[parts]
        large = sums_by(parts, counts, self.log.n_parts) > self.entries
        large[:self.log.first_part] = False
        self.blind_instrs += int(self.log.instructions[large].sum())
        self.change += sums_by(enter, counts, len(self.change)) - sums_by(
            np.minimum(self.leave[before], enter)[again], counts[again],
            len(self.change))
        if self.returning.total > self.entries:     # else all fit
            # A miss is half way between the best order and the worst.
            missed = sum(distances(found)) // 2 >= self.entries
            missed &= again & (parts >= self.log.first_part)
            self.misses += int(counts[missed].sum())

    @property
    def most(self) -> int:
        """The pages of the largest working set."""
        change = self.change - np.bincount(
            self.leave[self.returning.pages.columns[0]],
            minlength=len(self.change))
        return int(np.cumsum(change)[:-1].max(initial=0))
