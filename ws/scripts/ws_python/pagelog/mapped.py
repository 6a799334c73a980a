# SPDX-License-Identifier: GPL-2.0-or-later
"""The working sets of a page log by mapping.

A page counts for the mapping at its last access, and once if it is both code
and data.
"""

from copy import copy
from typing import List, Optional, Sequence, Tuple

import numpy as np

from ws_python.base.text import Failure, printable, shorten
from ws_python.pagelog.layers import (LayerSteps, distinct, page_size_of,
                                      window_of)
from ws_python.pagelog.log import PageLog
from ws_python.pagelog.maps import Maps
from ws_python.pagelog.ranges import Ints, Uints, is_first, is_last, picked
from ws_python.pagelog.stream import Batch
from ws_python.pagelog.stretches import Stays, Uses, stretches
from ws_python.pagelog.windows import before_samples, sample_times
from ws_python.report.report import no_written
from ws_python.report.request import Request

WRITTEN = "dirty"


class Touched:
    """The pages accessed in each region, by page, with the part of the last
    access to each.
    """
    def __init__(self) -> None:
        self.pages = np.zeros(0, np.uint64)
        self.regions = np.zeros(0, np.int64)
        self.last = np.zeros(0, np.int64)

    def add(self, pages: Uints, regions: Ints, parts: Ints) -> None:
        """Add accesses."""
        pages, regions, parts = (np.concatenate(columns) for columns in (
            (self.pages, pages), (self.regions, regions), (self.last, parts)))
        order = np.lexsort((parts, regions, pages))
        last = order[is_last(pages[order], regions[order])]
        self.pages, self.regions = pages[last], regions[last]
        self.last = parts[last]


class Mapped:
    """The pages of sets in a window, in mappings whose names contain a text."""
    def __init__(self, log: PageLog, wanted: Sequence[str],
                 taus: Optional[Sequence[int]], page_szB: Optional[int],
                 part_of_name: Optional[str]):
        self.log = log
        self.tau = window_of(log, taus)
        self.page = page_size_of(log, page_szB)
        self.times = sample_times(log)
        self.maps = Maps(log, self.page)
        # Written pages are data, too.
        self.sets = [name for name in wanted if name != WRITTEN] or [WRITTEN]
        if self.sets == [WRITTEN] and not log.has_dirty:
            raise no_written(log)
        self.chosen = self.maps.like(part_of_name)
        self.touched = Touched()
        # Their layers are regions.
        self.stays = self.stretches(self.sets, self.touched)
        self.layers = self.layers_of(self.stays)
        if log.has_dirty and "data" in self.sets:
            self.layers.beside = self.layers_of(self.stretches([WRITTEN]))

    def stretches(self, kinds: Sequence[str],
                  touched: Optional[Touched] = None) -> Stays:
        def regions_of(_: Batch, uses: Uses) -> Ints:
            if touched:
                touched.add(*self.in_regions(uses.pages, uses.parts))
            return self.maps.regions(uses.pages[uses.seen],
                                     uses.parts[uses.seen])

        stays = stretches(self.log, kinds, self.tau, self.page, regions_of)
        return picked(stays, self.chosen[self.maps.name[stays.layers]])

    def in_regions(self, pages: Uints, parts: Ints) -> Tuple[Uints, Ints, Ints]:
        """Return the chosen ones of these accesses, which are by page, with
        their regions: the last to each page between changes of mappings.
        """
        last = np.flatnonzero(is_last(pages, self.maps.epoch[parts]))
        pages, parts = pages[last], parts[last]
        regions = self.maps.regions(pages, parts)
        counts = self.chosen[self.maps.name[regions]] & (
            parts >= self.log.first_part)
        return pages[counts], regions[counts], parts[counts]

    def layers_of(self, stays: Stays) -> LayerSteps:
        return LayerSteps(self.maps.names, self.times, stays._replace(
            layers=self.maps.name[stays.layers]), before_samples(self.log))

    def rows(self) -> Tuple[LayerSteps, LayerSteps]:
        """Return the layers with their pages in the run, and their sum."""
        pages, whole, rows = (self.touched.pages, self.layers.whole(),
                              copy(self.layers))
        whole.touched = np.array([is_first(pages).sum()])
        rows.touched = distinct(pages, self.maps.name[self.touched.regions],
                                len(self.maps.names))
        return rows, whole


def mapped_of_all(logs: Sequence[PageLog], request: Request
                  ) -> List[Mapped]:
    """Read the pages of all logs.  Failure: no log has a chosen mapping."""
    all_mapped = [Mapped(log, request.sets, request.taus, request.page_szB,
                         request.mapping) for log in logs]
    if not any(mapped.chosen.any() for mapped in all_mapped):
        raise Failure(
            f"{logs[0].name}: nothing is mapped whose name has "
            f"{shorten(printable(request.mapping or ''), 60)}")
    return all_mapped
