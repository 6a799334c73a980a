# SPDX-License-Identifier: GPL-2.0-or-later
"""The heat map of a page log: accesses by time, across, and by address,
upwards.

A column is a part of time, a row some pages.  A cell's share is the part of
the cell that was accessed: the time of the intervals that accessed each page,
as part of the column.  (An interval counts as a whole: the time of an access
within it is not known.)

Addresses without access are cut out between mappings, and the longest of them
also within a mapping, until half of the rest was accessed.  So a few thousand
pages of the address space remain, side by side: `Layout`.  Each mapping gets
rows by the square root of its accessed pages: a heap of gigabytes must not
hide the rest, nor the rest the heap.  Small neighbours share a band.
"""

import os
from typing import Callable, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ws_python.base.text import Failure, printable, shorten
from ws_python.base.units import BYTES, SETS, SHARE, TEXT
from ws_python.base.view import Band, Datum, HeatMap, Table, View, columns_from
from ws_python.pagelog.layers import page_size_of, wanted_sets
from ws_python.pagelog.log import INTERVAL_ENDS, PageLog
from ws_python.pagelog.maps import Maps
from ws_python.pagelog.ranges import Floats, Ints, Uints, is_first, is_last
from ws_python.pagelog.stream import Accessed, PageTable, batches
from ws_python.report.report import titled
from ws_python.report.request import Request
from ws_python.report.runs import duration

MOST_COUNTED = 1 << 21             # pages counted at once
ROOM_FOR_NAMES = 0.75       # of all rows, at most


class Intervals(NamedTuple):
    """Each part's interval; each interval's begin and end, in columns."""
    number: Ints
    begin: Floats
    end: Floats


# --- Touched pages -----------------------------------------------------------

class PagesInMap:
    """The pages of some sets that are in the map."""
    def __init__(self, log: PageLog, request: Request):
        self.log = log
        self.page_szB = page_size_of(log, request.page_szB)
        self.maps = Maps(log, self.page_szB)
        self.matching = self.maps.like(request.mapping)
        self.kinds = wanted_sets(log, request.sets)
        self.all, self.names = self.last_names()
        if not len(self.all):
            raise self.nothing(request.mapping)

    def accesses(self, method: Callable[[Sequence[str], int], Accessed],
                 kind: str) -> Accessed:
        """Return what a method of a batch finds; no history."""
        pages, parts = method([kind], self.page_szB // self.log.page_szB)
        shown = parts >= self.log.first_part
        if not self.matching.all():
            shown &= self.matching[self.maps.of(pages, parts)]
        return (pages, parts) if shown.all() else (pages[shown], parts[shown])

    def last_names(self) -> Tuple[Uints, Ints]:
        """Return all pages, ascending, and their mappings at the last access."""
        tables = {kind: PageTable() for kind in self.kinds}
        for batch in batches(self.log):
            for kind, table in tables.items():
                pages, parts = self.accesses(batch.by_page, kind)
                last = is_last(pages)
                table.put(pages[last], parts[last])
        self.counts = {kind: len(table.pages)
                       for kind, table in tables.items()}
        every = np.unique(np.concatenate([table.pages
                                          for table in tables.values()]))
        last_parts = np.zeros(len(every), np.int64)
        for table in tables.values():
            np.maximum.at(last_parts, np.searchsorted(every, table.pages),
                          table.columns[0])
        return every, self.maps.of(every, last_parts)

    def nothing(self, mapping: Optional[str]) -> Failure:
        if mapping is None:
            return Failure(f"{self.log.name}: no page was accessed")
        there = ", ".join(map(printable, self.maps.names[1:]))
        return Failure(
            f"{self.log.name}: nothing was accessed in a mapping with "
            f"{printable(mapping)} in its name; there are "
            f"{shorten(there, 400) or 'none'}")

# --- Rows --------------------------------------------------------------------

def pieces_of(names: List[str], numbers: Ints, rows: int,
              least: int) -> List[Tuple[str, int, int, int]]:
    """Divide ascending pages, with the numbers of their names, into bands: each
    large mapping, and the small ones between two of these.  A band has a name,
    the number of other mappings, and begin and end among the pages.
    """
    begins = np.append(0, np.flatnonzero(np.diff(numbers)) + 1)
    ends = np.append(begins[1:], len(numbers))
    weights = np.sqrt(ends - begins)
    by_size = np.argsort(-weights, kind="stable")
    most = max(int(rows * ROOM_FOR_NAMES / least), 1)
    alone = int((weights * rows >= least * weights.sum()).sum())
    while True:
        large = np.zeros(len(begins), bool)
        large[by_size[:alone]] = True
        starts = large.copy()
        starts[0] = True
        starts[1:] |= large[:-1]
        if starts.sum() <= most:
            break
        alone -= 1
    at = np.flatnonzero(starts)
    pieces = []
    for start, end in zip(at.tolist(), [*at[1:].tolist(), len(begins)]):
        largest = start + int(np.argmax(weights[start:end]))
        pieces.append((
            names[numbers[begins[largest]]],
            len(set(numbers[begins[start:end]].tolist())) - 1,
            int(begins[start]), int(ends[end - 1])))
    return pieces


def rows_of_bands(weights: Floats, rows: int, least: int) -> Ints:
    """Divide all rows among the bands by weight, at least `least` for each."""
    free = np.ones(len(weights), bool)
    while True:
        share = (rows - least * (~free).sum()) * weights / weights[free].sum()
        small = free & (share < least)
        if not small.any():
            break
        free &= ~small
    count = np.where(free, np.floor(share).astype(np.int64), least)
    # The rows that rounding has left go to those that lost most by it.
    order = np.argsort(np.where(free, count - share, 1), kind="stable")
    count[order[:rows - count.sum()]] += 1
    return count


def without_gaps(pages: Uints) -> Ints:
    """Return the places of ascending pages, from 0, after the longest gaps are
    cut out, until half of the rest are these pages.
    """
    gaps = np.diff(pages) - np.uint64(1)
    ordered = np.sort(gaps)
    kept = np.searchsorted(np.cumsum(ordered, dtype=float), len(pages),
                           "right")
    if kept < len(gaps):
        # Cut equal gaps together.
        gaps[gaps >= ordered[kept]] = 0
    return np.append(0, np.cumsum(gaps.astype(np.int64) + 1))


class Layout:
    """The rows of each page.  A slot of rows is for several pages, or, if there
    are more rows than pages, for a single page.
    """
    def __init__(self, touched: PagesInMap, rows: int, least: int):
        pages, size = touched.all, touched.page_szB
        pieces = pieces_of(touched.maps.names, touched.names, rows, least)
        weights = np.sqrt([end - first for _, _, first, end in pieces])
        counts = rows_of_bands(weights, rows, least)
        self.bands: List[Band] = []
        self.slot = np.zeros(len(pages), np.int64)  # of each page
        self.row_slot = np.zeros(rows, np.int64)    # of each row
        n_pages: List[Ints] = []                  # in each slot
        low: List[Uints] = []
        high: List[Uints] = []
        row = slots = 0
        for (name, more, first, end), count in zip(pieces, counts.tolist()):
            own = pages[first:end]
            place = without_gaps(own)
            length = int(place[-1]) + 1
            n_slots = min(length, count)
            slot = place * n_slots // length
            self.slot[first:end] = slots + slot
            self.row_slot[row:row + count] = slots + (
                np.arange(count) * n_slots // count)
            # The places in a slot, and the addresses of the pages there: an
            # untouched page goes by the touched one before.
            begin = -(np.arange(n_slots + 1) * length // -n_slots)
            n_pages.append(np.diff(begin))
            for bounds, where in ((low, begin[:-1]), (high, begin[1:] - 1)):
                at = np.searchsorted(place, where, "right") - 1
                bounds.append(own[at] + (where - place[at]).astype(np.uint64))
            self.bands.append(Band(
                name, more, int(own[0]) * size,
                (int(own[-1]) + 1) * size - 1, row, row + count, len(own)))
            row, slots = row + count, slots + n_slots
        self.n_pages = np.concatenate(n_pages)
        self.low = np.concatenate(low) * np.uint64(size)
        self.high = np.concatenate(high) * np.uint64(size) + np.uint64(
            size - 1)


# --- Columns -----------------------------------------------------------------

def intervals_of(log: PageLog, columns: int) -> Intervals:
    """Return the intervals of a log, or of a part of one."""
    ends = log.flags & INTERVAL_ENDS != 0
    number = np.cumsum(ends) - ends
    last = np.append(np.flatnonzero(np.diff(number)), log.n_parts - 1)
    end = np.minimum(log.ends[last], end_of_log(log))
    begin = np.append(log.begin, np.maximum(end[:-1], log.begin))
    if len(end) > 1 and end[-1] == begin[-1]:
        # Accesses by the kernel at the very end have no time of their own.
        number = np.minimum(number, number[-1] - 1)
    width = max(end_of_log(log) - log.begin, 1) / columns
    return Intervals(number, (begin - log.begin) / width,
                     (end - log.begin) / width)


def end_of_log(log: PageLog) -> int:
    return log.last_time if log.end is None else min(log.end, log.last_time)


def once(interval: Ints, pages: Uints,
         number: Ints) -> Tuple[Ints, Uints]:
    """Drop repeated accesses to a page by parts of one interval; `number` is
    the interval of each part.
    """
    several = (np.bincount(number) > 1)[interval]
    if not several.any():
        return interval, pages
    repeated = np.flatnonzero(several)
    repeated = repeated[np.lexsort((interval[repeated], pages[repeated]))]
    kept = np.ones(len(pages), bool)
    kept[repeated] = is_first(pages[repeated], interval[repeated])
    return interval[kept], pages[kept]


def sums_of_time(slot: Ints, interval: Ints, spans: Intervals,
                 shape: Tuple[int, int]) -> Floats:
    """Add up the time of all pages in each slot and column; a column lasts 1.
    The begin of an interval adds the rest of its column, and 1 to all columns
    behind; its end subtracts the same.
    """
    n_slots, columns = shape
    width = columns + 2         # an interval may end with the last column
    parts, whole = np.zeros((2, n_slots * width))
    for at in range(0, len(slot), MOST_COUNTED):
        group = slice(at, at + MOST_COUNTED)
        number, base = interval[group], slot[group] * width
        for sign, time in ((1, spans.begin), (-1, spans.end)):
            column = time.astype(np.int64)
            place = base + column[number]
            parts += sign * np.bincount(place, (column + 1 - time)[number],
                                        len(parts))
            whole += sign * np.bincount(place + 1, None, len(whole))
    sums: Floats = (parts + np.cumsum(whole)).reshape(n_slots, width)
    return sums[:, :columns]


def heat_map(log: PageLog, request: Request) -> HeatMap:
    """Make the map, of as many cells as the request says."""
    columns, rows, *least = request.cells
    touched = PagesInMap(log, request)
    layout = Layout(touched, rows, least[0] if least else max(rows // 40, 1))
    spans = intervals_of(log, columns)
    shares = {kind: np.zeros((len(layout.n_pages), columns))
              for kind in touched.kinds}
    for batch in batches(log):
        for kind, share in shares.items():
            pages, parts = touched.accesses(batch.accesses, kind)
            interval, pages = once(spans.number[parts], pages, spans.number)
            slot = layout.slot[np.searchsorted(touched.all, pages)]
            share += sums_of_time(slot, interval, spans,
                                  (len(layout.n_pages), columns))
    each = layout.n_pages[:, np.newaxis]
    of_row = layout.row_slot
    return HeatMap(touched.page_szB, log.begin, end_of_log(log), layout.bands,
                   layout.low[of_row], layout.high[of_row],
                   (layout.n_pages / np.bincount(of_row))[of_row], {
                       kind: np.clip(share / each, 0, 1).astype(np.float32)[of_row]
                       for kind, share in shares.items()},
                   touched.counts,
                   [(mark.time, mark.label) for mark in log.marks],
                   log.number("Every"))

# --- The view ----------------------------------------------------------------

def numbers(heat: HeatMap) -> Table:
    """Make a table of the bands, for those who do not see the map."""
    rows: List[Sequence[Datum]] = []
    for band in heat.bands[::-1]:
        parts = [share[band.row:band.end_row]
                 for share in heat.shares.values()]
        used = np.any([part.any(0) for part in parts], 0)
        columns, at = len(used), np.flatnonzero(used)
        name = os.path.basename(band.name) or band.name
        rows.append((
            *(float(np.average(part.mean(1), weights=heat.pages[
                band.row:band.end_row])) for part in parts),
            band.touched * heat.page_szB, int(at[0]) / columns,
            int(at[-1] + 1) / columns, f"{band.first:x}-{band.last:x}",
            name + f" and {band.more} more" if band.more else name))
    return Table("The numbers", columns_from([
        *((f"{name}_average", SHARE, SETS[name]) for name in heat.shares),
        ("accessed", BYTES), ("from", SHARE), ("to", SHARE),
        ("addresses", TEXT), ("mapping", TEXT)], rows), sentences=[
            "Which share of its pages was accessed, on average over the time; "
            "from when, and up to when."])


def view(logs: Sequence[PageLog], request: Request) -> View:
    """Make a map of as many cells as request.cells says."""
    log, = logs
    heat = heat_map(log, request)
    return View("heat", titled("Addresses over time", log),
                [heat, numbers(heat)], heat.page_szB, log.unit,
                notes=[
                    *([] if log.complete else ["TRUNCATED REPORT"]),
                    "gaps cut out",
                    "a column is " + duration(
                        (heat.end - heat.begin) // request.cells[0],
                        log.unit, 3),
                    f"PID {log.pid}"])
