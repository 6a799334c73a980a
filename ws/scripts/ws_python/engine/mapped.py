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
from ws_python.engine.layers import (Layers, Stretch, distinct, merged,
                                     no_writes, page_size_of, window_of)
from ws_python.engine.maps import Maps
from ws_python.engine.steps import regions_of
from ws_python.engine.uses import Uses, uses_of
from ws_python.engine.windows import sample_times
from ws_python.model.log import PageLog

WRITTEN = "dirty"


def sets_of(log: PageLog, wanted: Sequence[str]) -> List[str]:
    """Return the sets to count; written pages are data, too."""
    found = [name for name in wanted if name != WRITTEN] or [WRITTEN]
    if found == [WRITTEN] and log.header.get("Dirty") != "yes":
        raise no_writes(log)
    return found


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
        self.uses, self.regions = self.accesses(self.sets)
        self.layers = self.layers_of(self.uses, self.regions)
        self.written: Optional[Layers] = None
        if log.header.get("Dirty") == "yes" and "data" in self.sets:
            self.written = self.layers_of(*self.accesses([WRITTEN]))

    def choose(self, text: Optional[str]) -> np.ndarray:
        """Return for each name if it contains the user's text."""
        return np.array([not text or text in name
                         for name in self.maps.names])

    def accesses(self, kinds: Sequence[str]) -> Tuple[Uses, np.ndarray]:
        """Return the accesses in some sets, with their regions."""
        uses = uses_of(self.log, kinds, self.tau, self.page)
        regions = regions_of(self.maps, uses.pages, uses.parts, self.page)
        if not self.chosen.all():
            some = self.chosen[self.maps.name[regions]]
            uses = Uses(*(column[some] for column in uses))
            regions = regions[some]
        return uses, regions

    def layers_of(self, uses: Uses, regions: np.ndarray) -> Layers:
        return Layers(self.maps.names, self.times, merged(
            uses.pages, Stretch(self.maps.name[regions], uses.first,
                                uses.end))[1])

    def rows(self) -> Tuple[Rows, Rows]:
        """Return the rows by name, and the row of all."""
        some = self.uses.parts >= self.log.first_part
        pages, names = self.uses.pages[some], self.maps.name[
            self.regions[some]]
        number = len(self.maps.names)
        return (Rows(self.layers, self.written,
                     distinct(pages, names, number)),
                Rows(self.layers.whole(), self.written and
                     self.written.whole(),
                     distinct(pages, np.zeros_like(names), 1)))


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
