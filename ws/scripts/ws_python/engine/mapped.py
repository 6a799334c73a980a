# SPDX-License-Identifier: GPL-2.0-or-later
"""The working sets of a page log by mapping.

A page counts for the mapping at its last access, and once, whether it was
code, data, or both.
"""

import argparse
from typing import List, Optional, Sequence, Tuple

import numpy as np

from ws_python.base.text import Failure, printable, shorten
from ws_python.engine.layer_parts import Rows
from ws_python.engine.lives import Touched
from ws_python.engine.layers import (LayerSteps, distinct, page_size_of,
                                     window_of)
from ws_python.engine.maps import Maps
from ws_python.engine.ranges import is_first
from ws_python.engine.stream import Batch
from ws_python.engine.stretches import Found, Uses, stretches
from ws_python.engine.windows import sample_times
from ws_python.model.log import PageLog
from ws_python.model.report import no_written

WRITTEN = "dirty"


def sets_of(log: PageLog, wanted: Sequence[str]) -> List[str]:
    """Return the sets to count; written pages are data, too."""
    found = [name for name in wanted if name != WRITTEN] or [WRITTEN]
    if found == [WRITTEN] and not log.has_dirty:
        raise no_written(log)
    return found


class Mapped:
    """Pages of sets in one window, in mappings whose names contain a text."""
    def __init__(self, log: PageLog, wanted: Sequence[str],
                 taus: Optional[Sequence[int]], page_szB: Optional[int],
                 part_of_name: Optional[str]):
        self.log = log
        self.tau = window_of(log, taus)
        self.page = page_size_of(log, page_szB)
        self.times = sample_times(log)
        self.maps = Maps(log, self.page)
        self.sets = sets_of(log, wanted)
        self.chosen = self.maps.like(part_of_name)
        self.touched = Touched()
        # Layers of these are regions.
        self.found = self.stretches(self.sets, self.touched)
        self.layers = self.layers_of(self.found)
        self.written: Optional[LayerSteps] = None
        if log.has_dirty and "data" in self.sets:
            self.written = self.layers_of(self.stretches([WRITTEN]))

    def stretches(self, kinds: Sequence[str],
                  touched: Optional[Touched] = None) -> Found:
        def regions(_: Batch, uses: Uses) -> np.ndarray:
            found = self.maps.regions(uses.pages, uses.parts)
            if touched:
                some = self.chosen[self.maps.name[found]] & (
                    uses.parts >= self.log.first_part)
                touched.add(uses.pages[some], found[some], uses.parts[some])
            return found[uses.seen]

        every = stretches(self.log, kinds, self.tau, self.page, regions)
        some = self.chosen[self.maps.name[every.layers]]
        return Found(*(column[some] for column in every))

    def layers_of(self, found: Found) -> LayerSteps:
        return LayerSteps(self.maps.names, self.times, found._replace(
            layers=self.maps.name[found.layers]))

    def rows(self) -> Tuple[Rows, Rows]:
        """Return the rows by name, and the row of all."""
        pages = self.touched.pages
        number = distinct(pages, self.maps.name[self.touched.regions],
                          len(self.maps.names))
        return (Rows(self.layers, self.written, number),
                Rows(self.layers.whole(), self.written and
                     self.written.whole(), np.array([is_first(pages).sum()])))


def mapped_of_all(logs: Sequence[PageLog], options: argparse.Namespace,
                  wanted: Sequence[str]) -> List[Mapped]:
    """Read the mappings of all logs.  Failure: none has a chosen one."""
    found = [Mapped(log, wanted, options.tau, options.pagesize,
                    options.mapping) for log in logs]
    if not any(one.chosen.any() for one in found):
        raise Failure(
            f"{logs[0].name}: nothing is mapped whose name has "
            f"{shorten(printable(options.mapping or ''), 60)}")
    return found
