# SPDX-License-Identifier: GPL-2.0-or-later
"""The fill of large pages at each sample of a page log: how many of their small
pages are in the working set or written, and how much is mapped.
"""

from typing import List, NamedTuple, Optional, Tuple

import numpy as np

from ws_python.base.text import Failure
from ws_python.pagelog.log import FAR, PageLog
from ws_python.pagelog.maps import Maps
from ws_python.pagelog.ranges import (Ints, Uints, is_first, picked,
                                      range_of_each, split_runs)
from ws_python.pagelog.steps import (NO_STEPS, StepColumn, Steps, for_each,
                                     placed, steps_of, steps_of_pages)
from ws_python.pagelog.stream import Batch
from ws_python.pagelog.stretches import Stretches, Uses

MOST_OVERLAPS = 1 << 25     # of large pages with regions


class Kinds:
    """Kinds of memory.  A large page can only have memory of the same kind: of
    the same mapping and permissions, and if of a file, aligned there as in
    memory.
    """
    def __init__(self, maps: Maps, szB: int):
        fits = (maps.file < 0) | (maps.shift % szB == 0)
        kinds, self.of_region = np.unique(
            np.stack([maps.name, maps.permissions, fits]), axis=1,
            return_inverse=True)
        self.names, self.fits = kinds[0], kinds[2] > 0


class Fill(NamedTuple):
    """The large pages in a window, from sample `first` on, which steps count
    as 0.  Steps sum small pages in the set, written pages and mapped bytes.
    """
    first: int
    number: int             # of samples
    all: Steps              # keys are numbers of large pages
    # Steps of each large page with memory of a name or kind, which is the key.
    by_name: Steps
    by_kind: Steps


class Pages(NamedTuple):
    """When small pages are in a window: in the samples `first` <= k < `end`."""
    pages: Uints
    kinds: Ints             # of memory
    first: Ints
    end: Ints
    unmapped: Ints          # `end`, or before it the sample after their lives


class LargePages:
    """Fills the large pages of a log in a window, in mappings whose names
    contain a text.  It goes batch by batch, so that memory holds no more than
    the pages in the window.
    """
    def __init__(self, log: PageLog, sets: List[str], tau: int, small_szB: int,
                 szB: int, mapping: Optional[str]):
        self.log, self.sets = log, sets
        # Written pages are data, too.
        self.accessed = [kind for kind in sets
                         if kind != "dirty" or "data" not in sets]
        self.small_szB, self.szB, self.each = small_szB, szB, szB // small_szB
        self.maps, self.lives = (Maps(log, small_szB, apart)
                                 for apart in (True, False))
        self.kinds = Kinds(self.maps, szB)
        self.wanted = self.maps.like(mapping)[self.kinds.names]
        self.samples = np.flatnonzero(log.is_sample)
        self.now, self.written = Stretches(log, tau), Stretches(log, tau)
        # A window as long as any run.
        self.ever = Stretches(log, log.number("Every") * FAR)
        self.done = 0           # samples, with those of history

    def add(self, batch: Batch) -> Optional[Fill]:
        """Add the next batch; return its samples, if it has any."""
        in_one = self.small_szB // self.log.page_szB
        pages, parts = batch.by_page(self.accessed, in_one)
        self.now.add(batch, pages, parts, self.memory)
        # Until mappings change, the first access to each page suffices.
        first = np.flatnonzero(is_first(pages, self.maps.epoch[parts],
                                        self.lives.epoch[parts]))
        self.ever.add(batch, pages[first], parts[first], self.memory)
        if "dirty" in self.sets:
            self.written.add(batch, *batch.by_page(["dirty"], in_one),
                             self.memory)
        begin, self.done = self.done, self.now.end_of(batch)
        now, written, ever = (self.pages(stretches, begin) for stretches in (
            self.now, self.written, self.ever))
        self.now.forget(self.done)
        self.written.forget(self.done)
        begin, end = (max(sample - self.now.past, 0)
                      for sample in (begin, self.done))
        return (self.fill(begin, end, now, written, ever) if begin < end
                else None)

    def memory(self, _: Batch, uses: Uses) -> Ints:
        """Return a number for each page in a window that contains its kind of
        memory and its life.
        """
        pages, parts = uses.pages[uses.seen], uses.parts[uses.seen]
        kinds, lives = (maps.regions(pages, parts)
                        for maps in (self.maps, self.lives))
        of_uses: Ints = self.kinds.of_region[kinds] * len(self.lives.end)
        return of_uses + lives

    def pages(self, stretches: Stretches, begin: int) -> Pages:
        """Return the pages in the samples from `begin` on."""
        stays = stretches.within(begin, self.done)
        samples = self.samples[max(begin - stretches.past, 0):]
        kinds, lives = np.divmod(stays.layers, len(self.lives.end))
        return Pages(stays.pages, kinds, stays.first, stays.end, np.clip(
            np.searchsorted(samples, self.lives.left[lives], "left"),
            stays.first, stays.end))

    def fill(self, first: int, end: int, now: Pages, written: Pages,
             ever: Pages) -> Fill:
        """Count small pages in large ones, in the samples `first` <= k < `end`.
        """
        now, written = (picked(pages, self.wanted[pages.kinds])
                        for pages in (now, written))
        number, (large, numbers) = end - first, self.number(now.pages)
        mapped, regions = self.overlaps(large, first, end)
        accessed, kinds = self.by_kind_of(numbers, now, now.end, number)
        return Fill(
            first, number,
            steps_of([accessed, self.counted(large, written, written.end,
                                             number), mapped], number),
            self.apart(number, accessed, self.kinds.names[kinds]),
            self.apart(number, *self.by_kind_of(numbers, now, now.unmapped,
                                                number),
                       mapped, self.kinds.of_region[regions],
                       self.counted(large, ever, ever.unmapped, number)))

    def number(self, pages: Uints) -> Tuple[Uints, Ints]:
        """Return the large pages that contain ascending pages, and the index
        of each page's large page.
        """
        large = pages // np.uint64(self.each)
        begins = is_first(large)
        return large[begins], np.cumsum(begins) - 1

    def by_kind_of(self, numbers: Ints, small: Pages, end: Ints,
                   number: int) -> Tuple[StepColumn, Ints]:
        """Count the accessed pages in each large page, by kind."""
        kinds = len(self.kinds.names)
        steps = steps_of_pages(numbers * kinds + small.kinds, small.first, end,
                               number)
        return steps._replace(keys=steps.keys // kinds), steps.keys % kinds

    def apart(self, number: int, accessed: StepColumn, kinds: Ints,
              mapped: StepColumn = NO_STEPS, others: Ints = NO_STEPS.keys,
              touched: StepColumn = NO_STEPS) -> Steps:
        """Make the steps by name or kind, without written pages.  `touched`
        has a count for each large page, whatever the kind.
        """
        below = len(self.kinds.names)       # names are not more
        keys, which = np.unique(accessed.keys * below + kinds,
                                return_inverse=True)
        fill = steps_of([
            accessed._replace(keys=which), placed(
                keys, mapped._replace(keys=mapped.keys * below + others)),
            for_each(keys // below, touched)], number)
        return fill._replace(keys=keys[fill.keys] % below)

    def overlaps(self, large: Uints, first: int,
                 end: int) -> Tuple[StepColumn, Ints]:
        """Return the mapped bytes of large pages, and their regions."""
        maps, size = self.maps, np.uint64(self.szB)
        begins, ends = (np.searchsorted(self.samples[first:end], parts, "left")
                        for parts in (maps.begin, maps.left))
        low = np.searchsorted(large, maps.first // size, "left")
        high = np.searchsorted(large, maps.last // size, "right")
        counts = np.where((maps.permissions > 0) & (begins < ends),
                          high - low, 0)
        if float(counts.sum(dtype=float)) > MOST_OVERLAPS:
            raise Failure(f"{self.log.name}: its mappings change too often "
                          "for this view; use --from and --to")
        regions = range_of_each(counts)
        numbers = split_runs(low, counts)
        begin = large[numbers] * size
        szB = np.minimum(maps.last[regions], begin + (size - np.uint64(1))
                         ) - np.maximum(maps.first[regions], begin)
        return StepColumn(numbers, begins[regions], ends[regions],
                          szB.astype(np.int64) + 1), regions

    def counted(self, large: Uints, small: Pages, end: Ints,
                number: int) -> StepColumn:
        """Count small pages in each of these large pages."""
        pages, numbers = self.number(small.pages)
        steps = steps_of_pages(numbers, small.first, end, number)
        return placed(large.astype(np.int64), steps._replace(
            keys=pages[steps.keys].astype(np.int64)))
