# SPDX-License-Identifier: GPL-2.0-or-later
"""The working sets of a page log by mapping.

A page counts for the mapping at its last access, and once, whether it was
code, data, or both.
"""

import argparse
from typing import List, Optional, Sequence, Tuple

import numpy as np

from ws_python.base.failure import Failure
from ws_python.base.text import printable, shorten
from ws_python.engine.layer_parts import Rows
from ws_python.engine.layers import (Layers, Stretch, no_writes, page_size_of,
                                     window_of)
from ws_python.engine.maps import Maps
from ws_python.engine.ranges import is_first
from ws_python.engine.steps import regions_of
from ws_python.engine.stream import Batch
from ws_python.engine.stretches import Uses, stretches
from ws_python.engine.windows import sample_times
from ws_python.model.log import PageLog

WRITTEN = "dirty"


def sets_of(log: PageLog, wanted: Sequence[str]) -> List[str]:
    """Return the sets to count; written pages are data, too."""
    found = [name for name in wanted if name != WRITTEN] or [WRITTEN]
    if found == [WRITTEN] and log.header.get("Dirty") != "yes":
        raise no_writes(log)
    return found


class Touched:
    """The different pages of each layer, by page."""

    def __init__(self) -> None:
        self.pages = np.zeros(0, np.uint64)
        self.layers = np.zeros(0, np.int64)

    def add(self, pages: np.ndarray, layers: np.ndarray) -> None:
        some = is_first(pages, layers)      # most accesses are like others
        pages, layers = (np.concatenate(both) for both in (
            (self.pages, pages[some]), (self.layers, layers[some])))
        order = np.lexsort((layers, pages))
        order = order[is_first(pages[order], layers[order])]
        self.pages, self.layers = pages[order], layers[order]


class Mapped:
    """The pages of some sets in one window, in mappings whose names contain a
    text.
    """
    def __init__(self, log: PageLog, wanted: Sequence[str],
                 taus: Optional[Sequence[int]], page_szB: Optional[int],
                 part_of_name: Optional[str]):
        self.log = log
        self.tau = window_of(log, taus)
        self.page = page_size_of(log, page_szB)
        self.times = sample_times(log)
        self.maps = Maps(log)
        self.sets = sets_of(log, wanted)
        self.chosen = self.choose(part_of_name)
        self.layers, self.touched = self.layers_of(self.sets)
        self.written: Optional[Layers] = None
        if log.header.get("Dirty") == "yes" and "data" in self.sets:
            self.written = self.layers_of([WRITTEN])[0]

    def choose(self, text: Optional[str]) -> np.ndarray:
        """Return for each name if it contains the user's text."""
        return np.array([not text or text in name
                         for name in self.maps.names])

    def layers_of(self, kinds: Sequence[str]) -> Tuple[Layers, Touched]:
        """Return the layers, and the pages accessed in each."""
        touched = Touched()

        def names_of(_: Batch, uses: Uses) -> np.ndarray:
            names = self.maps.name[regions_of(self.maps, uses.pages,
                                              uses.parts, self.page)]
            some = self.chosen[names] & (uses.parts >= self.log.first_part)
            touched.add(uses.pages[some], names[some])
            return names[uses.seen]

        found = stretches(self.log, kinds, self.tau, self.page, names_of)
        some = self.chosen[found.layers]
        return Layers(self.maps.names, self.times, Stretch(
            *(column[some] for column in found[1:]))), touched

    def rows(self) -> Tuple[Rows, Rows]:
        """Return the rows by name, and the row of all."""
        number = np.bincount(self.touched.layers,
                             minlength=len(self.maps.names))
        whole = np.array([is_first(self.touched.pages).sum()])
        return (Rows(self.layers, self.written, number),
                Rows(self.layers.whole(), self.written and
                     self.written.whole(), whole))


def mapped_of(log: PageLog, options: argparse.Namespace,
              wanted: Sequence[str]) -> Mapped:
    return mapped_of_all([log], options, wanted)[0]


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
