# SPDX-License-Identifier: GPL-2.0-or-later
"""The fill of large pages: the numbers of their small pages that are in the
working set, written, and mapped, at each sample of a page log.
"""

from typing import List, Optional, Sequence, Tuple

import numpy as np

from ws_python.base.failure import Failure
from ws_python.engine.layers import Stretch
from ws_python.engine.maps import Maps
from ws_python.engine.ranges import is_first, split_runs
from ws_python.engine.steps import (NOTHING, StepColumn, Steps, for_each,
                                    placed, regions_of, steps_of,
                                    steps_of_pages)
from ws_python.engine.stretches import Uses, sizes, stretches
from ws_python.model.log import FAR, SAMPLE, PageLog

MOST_OVERLAPS = 1 << 25     # of large pages with regions


class Kinds:
    """Kinds of memory.  One large page can only have memory of one kind: the
    same mapping and permissions, and in a file the same alignment as in
    memory.
    """
    def __init__(self, maps: Maps, szB: int):
        fits = (maps.file < 0) | (maps.shift % szB == 0)
        (self.names, permissions, fits), self.of_region = np.unique(
            np.stack([maps.name, maps.permissions, fits]), axis=1,
            return_inverse=True)
        self.fits, self.is_code = fits != 0, permissions & 3 == 1


class LargePages:
    """The large pages in a window of a log, in mappings whose names contain a
    text.  Keys of `fill` are numbers of large pages; `by_name` and `by_kind`
    have a step for each large page with memory of a name or kind.
    """
    def __init__(self, log: PageLog, sets: List[str], tau: int, small_szB: int,
                 szB: int, mapping: Optional[str]):
        self.log, self.tau, self.small_szB, self.szB = log, tau, small_szB, szB
        self.each = szB // small_szB
        self.maps, self.lives = Maps(log), Maps(log, apart=False)
        self.kinds = Kinds(self.maps, szB)
        self.wanted = self.maps.like(mapping)
        self.samples = np.flatnonzero(log.flags & SAMPLE != 0)
        pages, found, end = self.stretches(sets, tau)
        self.pages, numbers = self.number(pages)
        accessed, kinds = self.by_kind_of(numbers, found)
        mapped, regions = self.overlaps(self.pages)
        self.fill = steps_of([accessed, self.written(sets), mapped],
                             len(self.samples))
        self.by_name = self.apart(accessed, self.kinds.names[kinds])
        # A window as long as any run.
        some, ever, until = self.stretches(sets, log.number("Every") * FAR)
        self.ever = some, ever._replace(end=until)
        self.by_kind = self.apart(
            *self.by_kind_of(numbers, found._replace(end=end)), mapped,
            self.kinds.of_region[regions],
            self.counted(self.pages, *self.ever))

    def number(self, pages: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """Return the large pages that contain ascending pages, and the index
        of each page's large page.
        """
        large = pages // np.uint64(self.each)
        begins = is_first(large)
        return large[begins], np.cumsum(begins) - 1

    def by_kind_of(self, numbers: np.ndarray,
                   found: Stretch) -> Tuple[StepColumn, np.ndarray]:
        """Count the accessed pages in each large page, by kind."""
        kinds = len(self.kinds.names)
        steps = steps_of_pages(numbers * kinds + found.layers, found.first,
                               found.end, len(self.samples))
        return steps._replace(keys=steps.keys // kinds), steps.keys % kinds

    def apart(self, accessed: StepColumn, some: np.ndarray,
              mapped: StepColumn = NOTHING, others: np.ndarray = NOTHING.keys,
              touched: StepColumn = NOTHING) -> Steps:
        """Count by name or kind, without written pages; touched pages are of
        all kinds.
        """
        below = len(self.kinds.names)       # names are not more
        keys, which = np.unique(accessed.keys * below + some,
                                return_inverse=True)
        fill = steps_of([
            accessed._replace(keys=which), placed(
                keys, mapped._replace(keys=mapped.keys * below + others)),
            for_each(keys // below, touched)], len(self.samples))
        return fill._replace(keys=keys[fill.keys] % below)

    def stretches(self, sets: List[str],
                  tau: int) -> Tuple[np.ndarray, Stretch, np.ndarray]:
        """Return when each small page is in the window, as which kind of
        memory, and until when of that time this is mapped.
        """
        def regions(maps: Maps, uses: Uses) -> np.ndarray:
            return regions_of(maps, uses.pages[uses.seen],
                              uses.parts[uses.seen], self.small_szB)

        number = len(self.lives.end)
        pages, layers, first, end = stretches(
            self.log, sets, tau, self.small_szB, lambda _, uses:
            self.kinds.of_region[regions(self.maps, uses)] * number
            + regions(self.lives, uses))
        kinds, of_life = np.divmod(layers, number)
        mapped = np.clip(np.searchsorted(
            self.samples, self.lives.end[of_life], "left"), first, end)
        some = self.wanted[self.kinds.names[kinds]] | (tau > FAR)
        return pages[some], Stretch(*(column[some] for column in (
            kinds, first, end))), mapped[some]

    def overlaps(self, pages: np.ndarray) -> Tuple[StepColumn, np.ndarray]:
        """Return the mapped bytes of large pages, and their regions."""
        maps, size = self.maps, np.uint64(self.szB)
        first, end = (np.searchsorted(self.samples, some, "left")
                      for some in (maps.begin, maps.end))
        low = np.searchsorted(pages, maps.first // size, "left")
        high = np.searchsorted(pages, maps.last // size, "right")
        counts = np.where((maps.permissions > 0) & (first < end),
                          high - low, 0)
        if float(counts.sum(dtype=float)) > MOST_OVERLAPS:
            raise Failure(f"{self.log.name}: its mappings change too often "
                          "for this view; use --from and --to")
        regions = np.repeat(np.arange(len(counts)), counts)
        numbers = split_runs(low, counts)
        begin = pages[numbers] * size
        szB = np.minimum(maps.last[regions], begin + (size - np.uint64(1))
                         ) - np.maximum(maps.first[regions], begin)
        return StepColumn(numbers, first[regions], end[regions],
                      szB.astype(np.int64) + 1), regions

    def counted(self, large: np.ndarray, pages: np.ndarray,
                some: Stretch) -> StepColumn:
        """Count pages in these large pages."""
        found, numbers = self.number(pages)
        steps = steps_of_pages(numbers, some.first, some.end,
                               len(self.samples))
        return placed(large, steps._replace(keys=found[steps.keys]))

    def cost(self, is_code: bool) -> Tuple[np.ndarray, np.ndarray]:
        """Return the bytes that are resident at each sample, and those that
        large pages would add, in memory with code or other memory.
        """
        pages, ever = self.ever
        large, _ = self.number(pages)
        mapped, regions = self.overlaps(large)
        found = self.apart(mapped, self.kinds.of_region[regions],
                           touched=self.counted(large, pages, ever))
        szB, _, touched = found.values
        number, is_it = len(self.samples), self.kinds.is_code == is_code
        can = (touched > 0) & (szB == self.szB) & (
            self.kinds.fits & is_it)[found.keys]
        more = (self.szB - self.small_szB * touched) * can
        return (sizes(ever, number, self.small_szB * is_it[ever.layers]),
                sizes(found, number, more))

    def written(self, sets: Sequence[str]) -> StepColumn:
        if "dirty" not in sets:
            return NOTHING
        return self.counted(self.pages, *self.stretches(["dirty"],
                                                        self.tau)[:2])
