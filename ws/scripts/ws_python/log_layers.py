# SPDX-License-Identifier: GPL-2.0-or-later
"""What working sets consist of, over time, as layers: each page is in one of
them at a time, or in several if layers contain others.
"""

from copy import copy
from fractions import Fraction
from typing import List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ws_python.calltree import share
from ws_python.export import Value
from ws_python.log_span import timeline
from ws_python.log_windows import check_window, sample_times
from ws_python.page_log import PageLog
from ws_python.reports import Failure
from ws_python.span import moment_of
from ws_python.text import printable
from ws_python.units import count, exact_time, noun, size
from ws_python.units import pages as of_pages

PERCENT = 95
MOST_ROWS = 20              # of a table


class Stretch(NamedTuple):
    """Pages in layers: in the samples from `first` on up to, and without,
    `end`.
    """
    layers: np.ndarray
    first: np.ndarray
    end: np.ndarray


class Sizes(NamedTuple):
    """Of each layer, over all samples."""
    average: List[Fraction]
    p95: np.ndarray
    peak: np.ndarray


def changes(first: np.ndarray, end: np.ndarray
            ) -> Tuple[np.ndarray, np.ndarray]:
    """Where the number of ranges changes, and what it is from there on.
    Sorting numbers is several times as fast as sorting by them.
    """
    first, end = np.sort(first), np.sort(end)
    where = np.concatenate([first, end])
    where.sort(kind="stable")       # merges the two
    last = np.ones(len(where), bool)
    last[:-1] = where[1:] != where[:-1]
    where = where[last]
    return where, (np.searchsorted(first, where, "right")
                   - np.searchsorted(end, where, "right"))


class Layers:
    """How large they are at each sample, as steps: the changes of all layers,
    one layer after the other.
    """
    def __init__(self, names: List[str], times: np.ndarray, found: Stretch):
        self.names, self.times, self.found = names, times, found
        # All stays are over at a last sample that there is not.
        self.width = len(times) + 1
        self.keys, values = changes(*(found.layers * self.width + some
                                      for some in (found.first, found.end)))
        # One more in front, for samples before the first change.
        self.values = np.concatenate([[0], values])

    def at(self, layer: int, samples: np.ndarray) -> np.ndarray:
        """The sizes of a layer."""
        return self.values[np.searchsorted(
            self.keys, layer * self.width + samples, "right")]

    def at_sample(self, sample: int) -> np.ndarray:
        """The sizes of all."""
        every = np.arange(len(self.names)) * self.width + sample
        return self.values[np.searchsorted(self.keys, every, "right")]

    def grouped(self, groups: np.ndarray, names: List[str]) -> "Layers":
        """Fewer layers: each one becomes a part of another."""
        layers, samples = np.divmod(self.keys, self.width)
        fewer = copy(self)
        fewer.names = names
        fewer.found = self.found._replace(layers=groups[self.found.layers])
        fewer.keys, which = np.unique(groups[layers] * self.width + samples,
                                      return_inverse=True)
        # Every layer ends with 0: no step goes from one to the next.
        fewer.values = np.append(0, np.cumsum(np.bincount(
            which, np.diff(self.values), len(fewer.keys))).astype(np.int64))
        return fewer

    def whole(self) -> "Layers":
        """All as one, if none contains another."""
        return self.grouped(np.zeros(len(self.names), np.int64), ["all"])

    def sizes(self) -> Sizes:
        number = len(self.names)
        layers, first = np.divmod(self.keys, self.width)
        values = self.values[1:]
        lasting = np.zeros(len(values), np.int64)
        lasting[:-1] = np.where(layers[1:] == layers[:-1],
                                first[1:] - first[:-1], 0)
        samples = self.width - 1
        sums = np.zeros(number, np.int64)
        np.add.at(sums, layers, lasting * values)
        peak = np.zeros(number, np.int64)
        np.maximum.at(peak, layers, values)
        # From the largest size on: the first one that is not exceeded by more
        # samples than there are above the percentile.
        order = np.lexsort((-values, layers))
        layers, values, lasting = (some[order] for some
                                   in (layers, values, lasting))
        above = np.cumsum(lasting)
        before = np.concatenate([[0], above])[
            np.searchsorted(layers, layers, "left")]
        reached = above - before > samples - -(-PERCENT * samples // 100)
        p95 = np.zeros(number, np.int64)
        np.maximum.at(p95, layers[reached], values[reached])
        return Sizes([Fraction(int(some), max(samples, 1)) for some in sums],
                     p95, peak)


def merged(pages: np.ndarray, found: Stretch) -> Tuple[np.ndarray, Stretch]:
    """Fewer: of a page, one after the other in the same layer is one."""
    some = found.first < found.end
    pages = pages[some]
    layers, first, end = (column[some] for column in found)
    begins = np.ones(len(pages), bool)
    begins[1:] = ((pages[1:] != pages[:-1]) | (layers[1:] != layers[:-1])
                  | (first[1:] != end[:-1]))
    at = np.flatnonzero(begins)
    last = np.append(at[1:], len(pages)) - 1 if len(at) else at
    return pages[at], Stretch(layers[at], first[at], end[last])


def distinct(pages: np.ndarray, layers: np.ndarray,
             number: int) -> np.ndarray:
    """How many different pages each layer has had; pages are ascending."""
    page = np.cumsum(pages[1:] != pages[:-1])
    keys = layers + number * np.concatenate([[0], page])[:len(pages)]
    # Most accesses to a page are in the layer of the one before.
    keys = keys[np.append(True, keys[1:] != keys[:-1])[:len(keys)]]
    return np.bincount(np.unique(keys) % number, minlength=number)


# --- Tables ------------------------------------------------------------------

Table = Tuple[List[str], List[List[Value]]]


class Rows(NamedTuple):
    """What a table has of some layers; a layer has a second size of this name,
    and a number of pages in the run.
    """
    layers: Layers
    beside: Optional[Layers]
    touched: np.ndarray
    folded: bool = False    # the last one is of several


def fold(rows: Rows, least: int, what: str) -> Rows:
    """What is never so large, or not among the largest, is one layer, the
    last: 3 more mappings.
    """
    layers = rows.layers
    peaks = layers.sizes().peak
    order = np.lexsort((-rows.touched, -peaks))
    order = order[(peaks + rows.touched)[order] > 0]
    number = min(int((peaks >= least).sum()), MOST_ROWS)
    if len(order) == number + 1:        # it could as well have its own
        number += 1
    shown, small = order[:number], order[number:]
    groups = np.full(len(peaks), len(shown))
    groups[shown] = np.arange(len(shown))
    names = [layers.names[k] for k in shown]
    if len(small):
        names.append(f"{len(small)} more {what}")
    return Rows(layers.grouped(groups, names),
                rows.beside and rows.beside.grouped(groups, names),
                np.bincount(groups, rows.touched, len(names) + 1
                            ).astype(np.int64)[:len(names)], len(small) > 0)


def cells_of(rows: Rows, sample: int, whole: int,
             page_szB: int) -> List[List[str]]:
    """Of each layer: in a sample of so many pages, in all, and in the run."""
    now, sizes = rows.layers.at_sample(sample).tolist(), rows.layers.sizes()
    beside = rows.beside and rows.beside.at_sample(sample).tolist()
    return [[count(pages), share(pages, whole), size(pages, page_szB),
             *([] if beside is None else [count(beside[k])]),
             count(sizes.average[k]),
             *(count(int(some[k])) for some
               in (sizes.p95, sizes.peak, rows.touched))]
            for k, pages in enumerate(now)]


def names_of(page_szB: int, beside: Sequence[str], what: str) -> List[str]:
    return [noun(page_szB), "%", "size", *beside, "avg", f"p{PERCENT}",
            "peak", "run", what]


def by_size(rows: Rows, sample: int) -> List[int]:
    """The largest first; what has small ones is the last."""
    now, peak = rows.layers.at_sample(sample), rows.layers.sizes().peak
    last = np.arange(len(now)) == len(now) - rows.folded
    order = np.lexsort((-rows.touched, -peak, -now, last)).tolist()
    return [k for k in order if peak[k] or rows.touched[k]]


def sample_rows(layers: Layers, beside: Optional[Layers],
                first: Sequence[Value] = ()) -> List[List[Value]]:
    """A row for each sample and layer that has pages then."""
    found: List[List[Value]] = []
    names = [printable(name.strip()) for name in layers.names]
    for sample, time in enumerate(layers.times.tolist()):
        now = layers.at_sample(sample)
        more = beside and beside.at_sample(sample)
        found += [[time, *first, names[k], int(now[k]),
                   *([] if more is None else [int(more[k])])]
                  for k in np.flatnonzero(now)]
    return found


def title_of(log: PageLog, what: str, tau: int, layers: Layers, sample: int,
             page_szB: int) -> str:
    """Which pages are counted, and when; layers has all as one."""
    number = int(layers.at_sample(sample)[0])
    window = exact_time(tau, log.unit).split(" instructions")[0]
    return (f"{what}tau={window}: "
            f"{of_pages(number, page_szB)} at "
            f"{exact_time(int(layers.times[sample]), log.unit)}"
            + " (the largest)" * (number == layers.sizes().peak[0]))


def sample_of(log: PageLog, layers: Layers, at: Optional[str]) -> int:
    """That of a time, or the largest; layers has all as one."""
    if at is not None:
        return sample_at(log, layers.times, at)
    return int(np.argmax(layers.at(0, np.arange(len(layers.times)))))


# --- What the user has chosen ------------------------------------------------

def window_of(log: PageLog, taus: Optional[Sequence[int]]) -> int:
    """One, or the log's first."""
    if taus and len(taus) > 1:
        raise Failure("a view is of one window: --tau=N")
    tau = taus[0] if taus else log.number("Tau")
    check_window(log, tau)
    return tau


def page_size_of(log: PageLog, wanted: Optional[int]) -> int:
    if wanted and wanted % log.page_szB:
        raise Failure(f"{log.name}: has pages of {log.page_szB} B; --pagesize "
                      "must be a multiple of that")
    return wanted or log.page_szB


def sample_at(log: PageLog, times: np.ndarray, at: str) -> int:
    """The first one that is not before this time."""
    time = moment_of(timeline(log, log.ends), at)
    found = int(np.searchsorted(times, time, "left"))
    if found == len(times):
        raise Failure(
            f"{log.name}: there is no sample at {printable(at)} or later; "
            + (f"the last is at {exact_time(int(times[-1]), log.unit)}"
               if len(times) else "there are none"))
    return found


def samples_of(log: PageLog) -> np.ndarray:
    """Their times; Failure: there are none, so there is nothing to show."""
    times = sample_times(log)
    if not len(times):
        raise Failure(f"{log.name}: there are no samples")
    return times
