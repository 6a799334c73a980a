# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages of a log that were accessed, each as long as it stays mapped: that
is resident memory.
"""

from typing import Sequence, Tuple

import numpy as np

from ws_python.engine.maps import Maps
from ws_python.engine.ranges import is_first, is_last
from ws_python.engine.stream import Batch
from ws_python.model.log import PageLog


class Touched:
    """The different pages of each region, by page, each with the parts of its
    first and last access there.
    """
    def __init__(self) -> None:
        self.pages = np.zeros(0, np.uint64)
        self.regions = np.zeros(0, np.int64)
        self.first = self.last = np.zeros(0, np.int64)

    def add(self, pages: np.ndarray, regions: np.ndarray,
            parts: np.ndarray) -> None:
        """Add accesses by page, then time."""
        some = is_first(pages, regions) | is_last(pages, regions)
        pages, regions, parts = (np.concatenate(every) for every in (
            (self.pages, self.pages, pages[some]),
            (self.regions, self.regions, regions[some]),
            (self.first, self.last, parts[some])))
        order = np.lexsort((parts, regions, pages))
        pages, regions, parts = pages[order], regions[order], parts[order]
        begin = is_first(pages, regions)
        self.pages, self.regions = pages[begin], regions[begin]
        self.first = parts[begin]
        self.last = parts[is_last(pages, regions)]


class Lives:
    """The pages of some sets; a page that is mapped anew has two lives."""

    def __init__(self, log: PageLog, kinds: Sequence[str], page_szB: int):
        """Begin, with pages that are a multiple of the log's."""
        self.kinds, self.pages_in_one = kinds, page_szB // log.page_szB
        self.maps = Maps(log, page_szB, apart=False)
        self.n_parts, self.touched = log.n_parts, Touched()

    def add(self, batch: Batch) -> None:
        """Add the accesses of the next batch."""
        pages, parts = batch.by_page(self.kinds, self.pages_in_one)
        regions = self.maps.regions(pages, parts)
        there = regions > 0
        self.touched.add(pages[there], regions[there], parts[there])

    def most(self) -> Tuple[int, int, int]:
        """Return the first part with nearly the most pages, for many programs
        grow a bit at their end; their number, and how many of them are not
        accessed again.
        """
        end = np.minimum(self.maps.end[self.touched.regions], self.n_parts)
        come, leave, done = (
            np.bincount(some, minlength=self.n_parts + 1)
            for some in (self.touched.first, end, self.touched.last))
        there = np.cumsum(come - leave)
        at = int(np.argmax(100 * there >= 99 * there.max()))
        return at, int(there[at]), int(there[at] - np.cumsum(come - done)[at])
