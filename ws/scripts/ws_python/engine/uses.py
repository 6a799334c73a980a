# SPDX-License-Identifier: GPL-2.0-or-later
"""The accesses in a page log, one by one, and how long each is the last one
to its page.  The composition of a working set needs the access by which each
page is in it.
"""

from typing import NamedTuple, Sequence, Tuple

import numpy as np

from ws_python.engine.ranges import is_first
from ws_python.engine.stream import whole
from ws_python.engine.windows import (by_page, check_window, interval_ends,
                                      sample_times)
from ws_python.model.log import PAST_SAMPLE, SAMPLE, PageLog


class Uses(NamedTuple):
    """Accesses by page, then time.  The samples `first` <= k < `end`, if any,
    have the page, and this is the last access before them.  `enter` marks the
    first access since a sample without the page, if the next sample has it.
    """
    pages: np.ndarray
    parts: np.ndarray
    first: np.ndarray
    end: np.ndarray
    enter: np.ndarray


def accesses_of(log: PageLog, kinds: Sequence[str],
                page_szB: int) -> Tuple[np.ndarray, np.ndarray]:
    """Return pages of this size in any of these sets, and the parts that
    accessed them; by page, then time.
    """
    return by_page(*whole(log).accesses(kinds, page_szB // log.page_szB))


def uses_of(log: PageLog, kinds: Sequence[str], tau: int,
            page_szB: int) -> Uses:
    """Return the uses of pages of this size in any of these sets."""
    check_window(log, tau)
    pages, parts = accesses_of(log, kinds, page_szB)
    # In a part of a run, its history has the entries of pages.
    is_sample = log.flags & (SAMPLE | PAST_SAMPLE) != 0
    times, ends = log.ends[is_sample], interval_ends(log)
    past = len(times) - len(sample_times(log))
    first, end = (np.searchsorted(times, some, "left")[parts]
                  for some in (ends, ends + tau))
    same = pages[1:] == pages[:-1]
    enter = np.zeros(len(pages), bool)
    enter[entering(pages, first, end)] = True
    end[:-1][same] = np.minimum(end[:-1], first[1:])[same]
    return Uses(pages, parts, np.maximum(first - past, 0),
                np.maximum(end - past, 0), enter)


def entering(pages: np.ndarray, first: np.ndarray,
             end: np.ndarray) -> np.ndarray:
    """Return the indices of the accesses that Uses.enter marks."""
    seen = np.flatnonzero(first < end)
    enters = is_first(pages[seen])
    enters[1:] |= first[seen][1:] > end[seen][:-1]
    # Windows may be so short that the first access since the last sample is
    # not the first in the window.
    begins = is_first(pages, first)
    return np.maximum.accumulate(np.where(begins, np.arange(len(pages)), 0)
                                 )[seen[enters]]
