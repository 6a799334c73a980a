# SPDX-License-Identifier: GPL-2.0-or-later
"""LRU stack distances from a page log.  The distance of an access is the number
of other pages accessed since the last access to the page.

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

# Results hold if at most 1/BLIND of the time is in parts with more pages than a
# memory has: the order of these pages is not known.
BLIND = 100


class Returns(NamedTuple):
    """The pages accessed in a batch, with a row for all that share the part and
    the part of the access before: by part, then from the latest part before.
    """
    parts: Ints
    before: Ints                # -1: first accesses
    counts: Ints                # numbers of pages
    last: Ints                  # for each part, pages accessed last in it


class Returning:
    """Counts the accesses to pages of sets that return to them, by batch."""

    def __init__(self, log: PageLog, kinds: Sequence[str], page_szB: int):
        """Begin, with pages whose size is a multiple of the log's."""
        self.kinds, self.pages_in_one = kinds, page_szB // log.page_szB
        self.pages = PageTable()
        # One more, for sums from behind the last part.
        self.last = np.zeros(log.n_parts + 1, np.int64)

    @property
    def total(self) -> int:
        """The number of pages so far."""
        return len(self.pages.pages)

    def add(self, batch: Batch) -> Returns:
        """Return the returns in the next batch."""
        pages, parts = batch.by_page(self.kinds, self.pages_in_one)
        parts, before, counts = count_pairs(
            parts, self.pages.before(pages, parts)[0])
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
    # A page of j is not old if it was accessed next between.
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
    """Counts the misses of a TLB, as an LRU memory of `entries` pages of a set,
    and the largest working set.
    """
    def __init__(self, log: PageLog, kind: str, page_szB: int, tau: int,
                 entries: int):
        self.log, self.entries, self.misses = log, entries, 0
        # Instructions in parts with more pages than entries.
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
        if self.returning.total > self.entries:     # else the TLB holds all
            # Take the mean of the best order and the worst.
            missed = sum(distances(returns)) // 2 >= self.entries
            missed &= again & (parts >= self.log.first_part)
            self.misses += int(counts[missed].sum())

    @property
    def most(self) -> int:
        """The number of pages in the largest working set."""
        change = self.change - np.bincount(
            self.leave[self.returning.pages.columns[0]],
            minlength=len(self.change))
        return int(np.cumsum(change)[:-1].max(initial=0))
