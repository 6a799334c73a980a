# SPDX-License-Identifier: GPL-2.0-or-later
"""The footprint theory: how many pages a window of some length has on average,
and from that, how many pages an LRU memory misses.

Xiang, Ding, Luo and Bao, HOTL, ASPLOS 2013: a memory of c pages holds what the
windows of length w have, if these have c pages on average; and it misses the
pages that return after more than w.  It is Denning's and Schwartz's slope of
the average working set (1972), without first accesses.
"""

import numpy as np

from ws_python.log_distances import Accesses


class Footprint:
    """Of pages that are accessed at the ends of parts."""

    def __init__(self, found: Accesses, times: np.ndarray, start: int):
        """From part `start` on, whose times begin with 1; of what is before,
        only when pages were accessed last.
        """
        self.end = int(times[-1])
        at, inside = times[found.parts], found.parts >= start
        again = ~found.begins
        self.reuses = np.sort(np.diff(at)[(again & inside)[1:]])
        # Windows that miss a page lie between two accesses to it, before the
        # first one or behind the last one.
        at, pages = at[inside], found.pages[inside]
        begins = np.append(True, pages[1:] != pages[:-1])[:len(at)]
        ends = np.append(begins[1:], True)[:len(at)]
        self.pages = int(begins.sum())
        self.gaps = np.sort(np.concatenate([
            np.diff(at)[~begins[1:]], at[begins], self.end + 1 - at[ends]]))
        # A page has end + 1 of them at most: floats are exact for long.
        self.sums = np.append(np.cumsum(
            self.gaps[::-1], dtype=np.float64)[::-1], 0)

    def average(self, windows: np.ndarray) -> np.ndarray:
        """Pages in a window of this length, over all windows in the run."""
        at = np.searchsorted(self.gaps, windows, "right")
        missing = self.sums[at] - windows * (len(self.gaps) - at)
        return self.pages - missing / (self.end + 1 - windows)

    def windows(self, pages: np.ndarray) -> np.ndarray:
        """The shortest that have as many pages on average."""
        low, high = np.zeros(len(pages), np.int64), np.full(
            len(pages), self.end)
        for _ in range(self.end.bit_length()):
            middle = (low + high) // 2
            enough = self.average(middle) >= pages
            low = np.where(enough, low, middle + 1)
            high = np.where(enough, middle, high)
        return high

    def misses(self, pages: np.ndarray) -> np.ndarray:
        """Of memories of so many pages."""
        return len(self.reuses) - np.searchsorted(
            self.reuses, self.windows(pages), "right")
