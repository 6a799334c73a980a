# SPDX-License-Identifier: GPL-2.0-or-later
"""LRU stack distances from a page log: the number of other pages accessed
between two accesses to a page.

A log does not have the order of accesses within a part.  If a page was
accessed in the parts j < k, and not between them, its distance is at least the
number of pages in the parts between, and at most the number of all other pages
from j to k.  A memory of c pages misses accesses with a distance of c or more.
"""

from typing import NamedTuple, Sequence, Tuple

import numpy as np

from ws_python.pagelog.log import PageLog
from ws_python.pagelog.ranges import (Ints, count_pairs, is_first, restarting,
                                      sums_by)
from ws_python.pagelog.stream import Batch, PageTable
from ws_python.pagelog.windows import sample_times, samples_with

# 1/BLIND of the time may be in parts with more pages than a memory: their order
# is not known.
BLIND = 100


class Returns(NamedTuple):
    """The number of pages accessed in a part of a batch, and last before in
    another: by part, then from the latest to the earliest of those before.
    """
    parts: Ints
    before: Ints                # -1: never
    counts: Ints
    last: Ints                  # pages by the part of their last access so far


class Returning:
    """Counts the returns to pages of some sets, batch by batch."""

    def __init__(self, log: PageLog, kinds: Sequence[str], page_szB: int):
        """Begin, with pages that are a multiple of the log's."""
        self.kinds, self.pages_in_one = kinds, page_szB // log.page_szB
        self.pages = PageTable()
        # One more, for sums from behind the last part.
        self.last = np.zeros(log.n_parts + 1, np.int64)

    @property
    def total(self) -> int:
        """The number of pages so far."""
        return len(self.pages.pages)

    def add(self, batch: Batch) -> Returns:
        """Return those of the next batch."""
        pages, parts = batch.by_page(self.kinds, self.pages_in_one)
        # Larger pages, and pages of code and data, occur several times.
        once = is_first(pages, parts)
        before, = self.pages.before(pages[once], parts[once])
        parts, before, counts = count_pairs(parts[once], before)
        last, again = self.last, before >= 0
        self.last = last + sums_by(parts, counts, len(last)) - sums_by(
            before[again], counts[again], len(last))
        return Returns(parts, before, counts, last)


def sums_before(values: Ints, weights: Ints) -> Ints:
    """Return for each item the weights of the items before it whose value is
    not larger.

    Bits of the values divide the items, from the highest bit down.  Items that
    are equal so far stay together, in their order.  If the next bit of an item
    is 1, the items with 0 before it are smaller.
    """
    # There are less than 2^31 entries in any memory.
    value, weight = values.astype(np.int32), weights.astype(np.int32)
    sums = np.zeros(len(value), np.int32)
    items = np.arange(len(value), dtype=np.int32)
    for bit in reversed(range(int(value.max(initial=0)).bit_length())):
        is_one = (value >> bit) & 1 > 0
        zeros = restarting(np.where(is_one, np.int32(0), weight),
                           is_first(value >> (bit + 1)))
        ones = np.flatnonzero(is_one)
        sums[ones] += zeros[ones]
        order = np.concatenate([np.flatnonzero(~is_one), ones])
        value, weight = value[order], weight[order]
        sums, items = sums[order], items[order]
    sums += restarting(weight, is_first(value)) - weight
    by_item = np.empty(len(values), np.int64)
    by_item[items] = sums
    return by_item


def distances(returns: Returns) -> Tuple[Ints, Ints]:
    """Return the lowest and highest distances; ignore those of first accesses.

        part          j   between   k
        the page      x             x
        low                  x          other pages that were accessed there
        old           x                 not between, and perhaps after the page
        new                         x   not between, and perhaps before it
    """
    parts, before, counts, last = returns
    first = int(parts.min(initial=len(last)))
    in_part = sums_by(parts - first, counts, 1)
    inside = before - first         # j, if that is in the batch
    low = pages_between(returns, inside, np.append(0, np.cumsum(in_part)))
    # Of the pages of j, those accessed next between are not old.
    order = np.argsort(before, kind="stable")
    next_between = np.empty(len(parts), np.int64)
    next_between[order] = restarting(
        counts[order], is_first(before[order])) - counts[order]
    old = np.where(inside < 0, last[before],
                   in_part[np.maximum(inside, 0)]) - next_between
    # New ones were accessed last in j or before.
    new = in_part[parts - first] + counts - restarting(counts, is_first(parts))
    return low, low + new + old - counts - 1    # without the page itself


def pages_between(returns: Returns, inside: Ints, up_to: Ints) -> Ints:
    """Count the pages in the parts between; `up_to` has those of the batch.

    A page counts at its first access there: it was accessed last before that in
    part j, or earlier.  In parts before the batch it counts at its last access.
    """
    sums = sums_before(np.unique(returns.before, return_inverse=True)[1],
                       returns.counts)
    earlier: Ints = np.cumsum(returns.last[::-1])[::-1]
    sums += earlier[returns.before + 1] - up_to[np.maximum(inside + 1, 0)]
    return sums


class Tlb:
    """What a TLB misses, as an LRU memory with `entries` for pages of one size
    of a set, and how much of a working set it holds.
    """
    def __init__(self, log: PageLog, kind: str, page_szB: int, tau: int,
                 entries: int):
        self.log, self.entries, self.misses = log, entries, 0
        # In parts with more pages than entries, which a log cannot order.
        self.blind_instrs = 0
        self.returning = Returning(log, [kind], page_szB)
        times = sample_times(log)
        self.enter, self.leave = samples_with(log, times, tau)
        self.change = np.zeros(len(times) + 1, np.int64)

    def add(self, batch: Batch) -> None:
        """Add the accesses of the next batch."""
        returns = self.returning.add(batch)
        parts, before, counts, _ = returns
        again, enter = before >= 0, self.enter[parts]
        large = sums_by(parts, counts, self.log.n_parts) > self.entries
        large[:self.log.first_part] = False
        self.blind_instrs += int(self.log.instructions[large].sum())
        self.change += sums_by(enter, counts, len(self.change)) - sums_by(
            np.minimum(self.leave[before], enter)[again], counts[again],
            len(self.change))
        if self.returning.total > self.entries:     # else all fit
            # A miss is half way between the best order and the worst.
            missed = sum(distances(returns)) // 2 >= self.entries
            missed &= again & (parts >= self.log.first_part)
            self.misses += int(counts[missed].sum())

    @property
    def most(self) -> int:
        """The pages of the largest working set."""
        change = self.change - np.bincount(
            self.leave[self.returning.pages.columns[0]],
            minlength=len(self.change))
        return int(np.cumsum(change)[:-1].max(initial=0))
