# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables of layers: what is large in a sample, and what is large when."""

from typing import List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ws_python.base.text import printable
from ws_python.base.units import MS, count, large, noun, size, time_text
from ws_python.engine.layers import PERCENT, Group, Layers, fold, total_of
from ws_python.model.log import PageLog
from ws_python.show.data.export import Value
from ws_python.show.terminal.layout import heading, table
from ws_python.views.calltree import hundredths, share

Table = Tuple[List[str], List[List[Value]]]

MOST_ROWS = 20              # of a table
MOST_HOMES = 5              # with rows for several layers
SMALL = 1                   # percent of a sample: these share a row
MOST_TIMES = 6              # columns of a table over time
MOST_OVER_TIME = 12         # rows of it
MOST_HOMES_OVER_TIME = 2    # and of several layers
SMALL_EVER = 3              # percent of the largest sample


class Rows(NamedTuple):
    """What a table has of some layers; a layer has a second size of this name,
    and a number of pages in the run.
    """
    layers: Layers
    beside: Optional[Layers]
    touched: np.ndarray

    def grouped(self, groups: Sequence[Group]) -> "Rows":
        """Fewer; what is in no group has no pages."""
        names = [group.name for group in groups]
        place = places(groups, len(self.layers.names))
        return Rows(self.layers.grouped(place, names),
                    self.beside and self.beside.grouped(place, names),
                    np.bincount(place, self.touched, len(names)
                                ).astype(np.int64))


def places(groups: Sequence[Group], number: int) -> np.ndarray:
    """Of each layer, the number of its group."""
    found = np.zeros(number, np.int64)
    for place, group in enumerate(groups):
        found[group.members] = place
    return found


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


def by_sample(rows: Rows, sample: int, what: str) -> Rows:
    """What is large in a sample, the largest first; what is small there, or
    not there at all, shares rows.
    """
    layers = rows.layers
    now, peak = layers.at_sample(sample), layers.sizes().peak
    order = np.lexsort((-rows.touched, -peak, -now))
    order = order[(peak + rows.touched)[order] > 0]
    least = max(hundredths(int(now.sum()), SMALL), 1)
    return rows.grouped(fold(layers, order.tolist(), now, least,
                             (MOST_ROWS, MOST_HOMES), what))

# --- Over time ---------------------------------------------------------------

def over_time(layers: Layers, span: Tuple[int, int], unit: str, title: str,
              what: str, page: int, width: int,
              whole_names: bool = False) -> List[str]:
    """What is large at any time, and how large in each part of the time; of
    one sample there is nothing to say.
    """
    number = min(MOST_TIMES, len(layers.times))
    if number < 2:
        return []
    begin, end = span
    ends = [begin + (end - begin) * k // number for k in range(1, number + 1)]
    peak, average = layers.sizes().peak, averages(layers)
    order = np.lexsort((-average, -peak))
    order = order[peak[order] > 0]
    whole = total_of(layers)
    groups = fold(layers, order.tolist(), peak,
                  hundredths(int(whole.max()), SMALL_EVER),
                  (MOST_OVER_TIME, MOST_HOMES_OVER_TIME), what)
    found = layers.grouped(places(groups, len(peak)),
                           [group.name for group in groups])
    every = np.arange(len(layers.times))
    rows = [[*most_in(found.at(k, every), layers.times, ends), name]
            for k, name in enumerate(found.names)]
    rows.append([*most_in(whole, layers.times, ends), "all"])
    return [*heading(f"{title}over time: the most {noun(page)} in each part, "
                     f"up to its end ({unit})", width),
            *table([*(short_time(end, unit) for end in ends), what[:-1]],
                   rows, None if whole_names else width), ""]


def span_of(log: PageLog) -> Tuple[int, int]:
    return log.begin, int(log.ends[-1])


def averages(layers: Layers) -> np.ndarray:
    return np.array([float(some) for some in layers.sizes().average])


def short_time(time: int, unit: str) -> str:
    return time_text(time, unit) if unit == MS else large(time)


def most_in(values: np.ndarray, times: np.ndarray,
            ends: Sequence[int]) -> List[str]:
    """The largest of the samples up to each of these times."""
    cuts = [0, *np.searchsorted(times, ends, "right").tolist()]
    return [count(int(values[a:b].max()) if a < b else None)
            for a, b in zip(cuts, cuts[1:])]


# --- Rows for other programs, and titles --------------------------------------

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
