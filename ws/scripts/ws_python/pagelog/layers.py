# SPDX-License-Identifier: GPL-2.0-or-later
"""The composition of working sets over time, in layers.  A page is in a single
layer at a time, unless layers contain others.
"""

import re
from copy import copy
from fractions import Fraction
from typing import List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ws_python.base.text import Failure, printable
from ws_python.base.units import READ_AS, exact_time
from ws_python.base.units import pages as of_pages
from ws_python.base.units import window_text
from ws_python.pagelog.log import PageLog
from ws_python.pagelog.ranges import (Ints, Uints, is_first, is_last,
                                      restarting, sums_by)
from ws_python.pagelog.stretches import Stays, sizes, stays
from ws_python.pagelog.windows import check_window, sample_times
from ws_python.report.report import no_written
from ws_python.report.span import time_meant

PERCENTILE = 95


class LayerSizes(NamedTuple):
    """The sizes of each layer over all samples."""
    average: List[Fraction]
    p95: Ints
    peak: Ints


def changes(first: Ints, end: Ints) -> Tuple[Ints, Ints]:
    """Return where the number of ranges `first` <= k < `end` changes, and the
    numbers from there on.  Sorts both arrays in place: this is several times as
    fast as sorting indices.
    """
    first.sort()
    end.sort()
    where = np.concatenate([first, end])
    where.sort(kind="stable")       # merges the two
    where = where[is_last(where)]
    return where, (np.searchsorted(first, where, "right")
                   - np.searchsorted(end, where, "right"))


class Group(NamedTuple):
    """A layer, or several layers that are shown together."""
    name: str
    members: List[int]
    rest: bool = False      # layers that share no name


class LayerSteps:
    """The sizes of layers at each sample, as steps: the changes of all layers,
    layer after layer.  Layers may have a second size, `beside`, and the number
    of pages `touched` in the run.
    """
    def __init__(self, names: List[str], times: Ints, stays: Stays,
                 begin: int = 0, homes: Sequence[str] = (),
                 beside: Optional["LayerSteps"] = None,
                 touched: Optional[Ints] = None):
        """Begin with a sample at `begin` that does not count."""
        self.names, self.times = names, times
        # The time that all samples before each sample stand for.
        self.clock = np.append(begin, times) - begin
        self.beside, self.touched = beside, touched
        # The object of each layer, such as a library; "": no name is known.
        self.homes = homes or [""] * len(names)
        # All stays end at an imaginary last sample.
        self.width = len(times) + 1
        self.keys, values = changes(*(stays.layers * self.width + samples
                                      for samples in (stays.first, stays.end)))
        # A 0 in front, for samples before the first change.
        self.values = np.concatenate([[0], values])

    def at(self, layers: Union[int, Ints], samples: Union[int, Ints]) -> Ints:
        """Return the sizes of layers at samples."""
        return self.values[np.searchsorted(
            self.keys, layers * self.width + samples, "right")]

    def at_sample(self, sample: int) -> Ints:
        """Return the sizes of all layers at a sample."""
        return self.at(np.arange(len(self.names)), sample)

    def of_layer(self, layer: int = 0) -> Ints:
        """Return the sizes of a layer at all samples."""
        return self.at(layer, np.arange(len(self.times)))

    def grouped(self, groups: Sequence[Group]) -> "LayerSteps":
        """Return a layer for each group.  Layers without pages may be in no
        group.
        """
        place, number = np.zeros(len(self.names), np.int64), len(groups)
        for k, group in enumerate(groups):
            place[group.members] = k
        layers, samples = np.divmod(self.keys, self.width)
        fewer = copy(self)
        fewer.names = [group.name for group in groups]
        fewer.keys, which = np.unique(place[layers] * self.width + samples,
                                      return_inverse=True)
        # Every layer ends with 0, so the next layer begins at 0.
        fewer.values = np.append(0, np.cumsum(sums_by(
            which, np.diff(self.values), len(fewer.keys))))
        fewer.beside = self.beside and self.beside.grouped(groups)
        fewer.touched = None if self.touched is None else sums_by(
            place, self.touched, number)[:number]
        return fewer

    def whole(self) -> "LayerSteps":
        """Return the sum of all layers as a layer, if none contains another."""
        return self.grouped([Group("all", [*range(len(self.names))])])

    @property
    def lasting(self) -> Ints:
        """The number of samples for which each size lasts; 0 for size 0."""
        return np.where(self.values[1:] > 0, np.append(np.diff(self.keys), 0),
                        0)

    def sizes(self) -> LayerSizes:
        number, whole = len(self.names), int(self.clock[-1])
        layers, values = self.keys // self.width, self.values[1:]
        lasting = np.append(np.diff(self.clock[self.keys % self.width]), 0)
        lasting = lasting * (values > 0)
        sums = sums_by(layers, lasting * values, number)
        peak = np.zeros(number, np.int64)
        np.maximum.at(peak, layers, values)
        # Descend from the largest size to the first one that is not exceeded
        # for longer than the percentile leaves.
        order = np.lexsort((-values, layers))
        layers, values, lasting = (column[order] for column
                                   in (layers, values, lasting))
        reached = restarting(lasting, is_first(layers)) > (
            whole - -(-PERCENTILE * whole // 100))
        p95 = np.zeros(number, np.int64)
        np.maximum.at(p95, layers[reached], values[reached])
        return LayerSizes([Fraction(total, max(whole, 1))
                           for total in sums.tolist()], p95, peak)


def distinct(pages: Uints, layers: Ints, number: int) -> Ints:
    """Count the different pages of each layer; pages are ascending."""
    page = np.cumsum(pages[1:] != pages[:-1])
    keys = layers + number * np.concatenate([[0], page])[:len(pages)]
    # Most accesses to a page are in the layer of the access before.
    keys = keys[is_first(keys)]
    return np.bincount(np.unique(keys) % number, minlength=number)


# --- The choices of the user -------------------------------------------------

class ShownSample(NamedTuple):
    """The sample that a view shows; `whole` has all pages in a layer."""
    number: int
    log: PageLog
    tau: int
    page_szB: int
    whole: LayerSteps

    @property
    def pages(self) -> int:
        return int(self.whole.at_sample(self.number)[0])

    def in_words(self, what: str) -> str:
        time = int(self.whole.times[self.number])
        back = self.log.begin + self.tau - time
        words = (f"{what}{window_text(self.tau, self.log.unit)}: "
                 f"{of_pages(self.pages, self.page_szB)} at "
                 f"{exact_time(time, self.log.unit)}")
        if self.pages == self.whole.sizes().peak[0]:
            words += " (the largest)"
        if self.log.begin and back > 0:
            words += (f", reaching back {exact_time(back, self.log.unit)} "
                      "before this part")
        return words


def sample_of(log: PageLog, layers: LayerSteps, at: Optional[str], tau: int,
              page_szB: int) -> ShownSample:
    """Return the sample of --at, or the largest.  `layers` has all pages in a
    layer.
    """
    number = int(np.argmax(layers.of_layer())) if at is None else sample_at(
        log, layers.times, at, tau, page_szB)
    return ShownSample(number, log, tau, page_szB, layers)


def wanted_sets(log: PageLog, sets: Sequence[str]) -> List[str]:
    """Return those of the sets that the log has.  Failure: none."""
    kinds = [kind for kind in sets if kind in log.kinds]
    if not kinds:
        raise no_written(log)
    return kinds


def sets_with_pages(log: PageLog, sets: Sequence[str]) -> List[str]:
    """Choose the sets of a log.  Data is counted with its written pages."""
    wanted = wanted_sets(log, sets)
    if "data" in wanted and log.has_dirty and "dirty" not in wanted:
        wanted.append("dirty")
    return wanted


def no_large_pages(log: PageLog, mapping: Optional[str]) -> Failure:
    what = "no page of such a mapping" if mapping else "no page"
    return Failure(f"{log.name}: {what} is in the windows of its samples")


def window_of(log: PageLog, taus: Optional[Sequence[int]]) -> int:
    """Return the chosen window, or the window that a report would show."""
    if taus and len(taus) > 1:
        raise Failure("a view is of one window: --tau=N")
    # Entries are known for the first window and longer windows.
    tau = taus[0] if taus else max(log.number("Tau"), log.window(
        log.taus, log.last_time))
    check_window(log, tau)
    return tau


def page_size_of(log: PageLog, wanted: Optional[int]) -> int:
    if wanted and wanted % log.page_szB:
        raise Failure(f"{log.name}: has pages of {log.page_szB} B; --pagesize "
                      "must be a multiple of that")
    return wanted or log.page_szB


def sample_at(log: PageLog, times: Ints, at: str, tau: int,
              page_szB: int) -> int:
    """Return the number of the sample that --at means: the largest of a set
    for data.peak, or else the first at a time or later, or the last.
    """
    peak = re.fullmatch(r"(data|code|written)\.peak|peak\.[0-9]+", at)
    if peak and at not in [mark.label for mark in log.marks]:
        if not peak[1]:
            raise Failure(
                f"{log.name}: {at} is a peak of a report, and page logs have "
                "no list of peaks; --at takes data.peak or code.peak (the "
                "largest sample of a set), a time, a part like 25%, or the "
                "label of a mark")
        kind = READ_AS[peak[1]]
        if kind not in log.kinds:
            raise no_written(log)
        pages = stays(log, kind, tau, page_szB)
        return int(np.argmax(sizes(pages.first, pages.end, len(times))))
    time = time_meant(log, log.last_time, at)
    number = int(np.searchsorted(times, time, "left"))
    if 0 < number == len(times) and time <= log.last_time:
        return number - 1       # the run has ended since
    if number == len(times):
        raise Failure(
            f"{log.name}: there is no sample at {printable(at)} or later; "
            + (f"the last is at {exact_time(int(times[-1]), log.unit)}"
               if len(times) else "there are none"))
    return number


def times_of_samples(log: PageLog) -> Ints:
    """Return the times of the samples.  Failure: there are none."""
    times = sample_times(log)
    if not len(times):
        raise Failure(f"{log.name}: there are no samples")
    return times
