# SPDX-License-Identifier: GPL-2.0-or-later
"""How long resident pages of a log are not accessed.

A gap is the time from an access to the next one to the page, if it stays
resident meanwhile, or else to the end of its life: a page that is mapped anew,
or discarded, and accessed again has two lives.
"""

from typing import List, NamedTuple, Sequence, Tuple

import numpy as np

from ws_python.pagelog.log import PageLog
from ws_python.pagelog.maps import Maps
from ws_python.pagelog.ranges import (Bools, Ints, Uints, is_first, is_last,
                                      picked, stacked)
from ws_python.pagelog.stream import Batch, PageTable, batches
from ws_python.pagelog.windows import sample_times, samples_with


class Gaps(NamedTuple):
    pages: Uints
    begin: Ints             # parts, with the access before
    end: Ints               # the first samples after the gap
    again: Bools            # the page is accessed again
    frames: Ints            # the code that made it resident; 0: not known

    def unused(self, log: PageLog, span: int) -> Ints:
        """Return the first sample at which each page has not been accessed for
        this time.
        """
        return samples_with(log, sample_times(log), span)[1][self.begin]


class Idle:
    """Collects the gaps that last for a time or longer."""

    def __init__(self, log: PageLog, kinds: Sequence[str], page_szB: int,
                 least: int):
        self.log, self.kinds = log, kinds
        self.pages_in_one = page_szB // log.page_szB
        self.lives = Maps(log, page_szB, apart=False)
        self.enter, self.leave = samples_with(log, sample_times(log), least)
        self.samples = np.flatnonzero(log.is_sample)
        self.change = np.zeros(len(self.samples) + 1, np.int64)
        self.last, self.code = PageTable(2), PageTable()
        self.found: List[Gaps] = []
        for batch in batches(log, ""):
            self.add(batch)
        begin, lives = self.last.columns
        self.put(self.last.pages, begin, lives, self.code.columns[0])

    @property
    def resident(self) -> Ints:
        """The number of resident pages at each sample."""
        return np.cumsum(self.change)[:-1]

    def count(self, samples: Ints, sign: int) -> None:
        self.change += sign * np.bincount(samples, minlength=len(self.change))

    def put(self, pages: Uints, begin: Ints, lives: Ints, frames: Ints) -> None:
        """Add gaps up to the ends of lives."""
        end = np.searchsorted(self.samples, self.lives.left[lives])
        self.count(end, -1)
        self.keep(Gaps(pages, begin, end, np.zeros(len(pages), bool), frames))

    def keep(self, gaps: Gaps) -> None:
        self.found.append(picked(gaps, self.leave[gaps.begin] < gaps.end))

    def add(self, batch: Batch) -> None:
        """Add the accesses of the next batch."""
        pages, parts = batch.by_page(self.kinds, self.pages_in_one)
        lives = self.lives.regions(pages, parts)
        there = lives > 0
        pages, parts, lives = pages[there], parts[there], lives[there]
        before, life = self.last.before(pages, parts, lives)
        first, stays = is_first(pages), (before >= 0) & (life == lives)
        held = np.zeros(len(pages), np.int64)
        held[first] = np.maximum(self.code.get(pages[first])[0], 0)
        frames, entered = held.copy(), np.zeros(len(pages), np.int64)
        for kind in self.kinds if self.pages_in_one == 1 else ():
            entered[~stays] = np.maximum(entered[~stays], batch.entered[
                kind].frames_of(pages[~stays], parts[~stays], self.log.n_parts))
        frames[entered > 0] = entered[entered > 0]
        frames = frames[np.maximum.accumulate(np.where(
            first | (entered > 0), np.arange(len(pages)), 0))]
        self.code.put(pages[is_last(pages)], frames[is_last(pages)])
        self.count(self.enter[parts[~stays]], 1)
        self.keep(Gaps(pages[stays], before[stays], self.enter[parts[stays]],
                       np.ones(int(stays.sum()), bool), frames[stays]))
        over = (before >= 0) & ~stays
        self.put(pages[over], before[over], life[over], np.where(
            first, held, np.roll(frames, 1))[over])

    def gaps(self) -> Gaps:
        """Return all gaps, by page, then time."""
        gaps = stacked(self.found)
        return picked(gaps, np.lexsort((gaps.begin, gaps.pages)))


def spans_of(log: PageLog, tau: int) -> Tuple[int, ...]:
    """Return powers of ten from the sampling interval to the run's length, and
    the window.
    """
    every = int(np.diff(sample_times(log)).max(initial=log.number("Every")))
    return (*sorted({tau, *(10 ** k for k in range(19)
                            if every <= 10 ** k < log.last_time)}),)
