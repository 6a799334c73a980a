# SPDX-License-Identifier: GPL-2.0-or-later
"""Which functions of a program or library each interval of a page log executed;
an order of them in which few pages have the code used at a time; and these
pages.

The log has lines of 64 bytes or less.  A line belongs to the functions that
overlap it.  In an interval, a function was executed if a line was that it has
alone, or a line that it shares and that no such function explains.
"""

from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ws_python.base.text import Failure
from ws_python.base.units import MEMORY_SZB
from ws_python.pagelog.functions import Function
from ws_python.pagelog.log import CODE_LINES, FILE, PageLog
from ws_python.pagelog.maps import Maps
from ws_python.pagelog.ranges import (Bools, Floats, Ints, Uints, range_of_each,
                                      split_runs)
from ws_python.pagelog.stream import Batch, batches, without_repeats
from ws_python.pagelog.stretches import Stretches, sizes
from ws_python.pagelog.windows import by_page, intervals, sample_spans

EXECUTE = 1                 # a permission
STEP = 4                    # between the shares of time of two classes
MOST_ALIGNED = 64
OTHER = 1 << 60             # plus pages that keep their places


class Places(NamedTuple):
    """Code that was executed, by function: from here to there in it, in which
    part; and pages of other code.
    """
    functions: Ints
    begins: Ints
    ends: Ints
    parts: Ints
    pages: Uints            # of 4 KiB
    page_parts: Ints


class CodeLines:
    """The functions of a file, and the lines that they overlap."""

    def __init__(self, functions: Sequence[Function], line_szB: int):
        self.functions, self.line_szB = functions, line_szB
        self.offsets, self.ends = (np.array(column, np.int64) for column in zip(
            *((function.offset, function.end) for function in functions)))
        # Functions of one name get one place: they are a unit.
        units: Dict[str, int] = {}
        self.unit = np.array([units.setdefault(function.name, len(units))
                              for function in functions])
        self.n_units = len(units)
        first = self.offsets // line_szB
        number = (self.ends - 1) // line_szB - first + 1
        # For each pair of a function and a line:
        self.function = range_of_each(number)
        line = split_runs(first, number)
        self.begin, self.end = (edge - self.offsets[self.function] for edge in (
            np.maximum(line * line_szB, self.offsets[self.function]),
            np.minimum((line + 1) * line_szB, self.ends[self.function])))
        self.base = int(line[0])
        # The first pair of each line, and of one behind the last.
        self.first = np.searchsorted(
            line, np.arange(self.base, int(line[-1]) + 3))
        alone = self.first[:-1][np.diff(self.first) == 1]
        self.has_own = np.bincount(self.function[alone],
                                   minlength=len(functions)) > 0

    def executed(self, lines: Ints, times: Ints) -> Tuple[Ints, Ints, Bools]:
        """Return pairs that were executed, and the index of the access to each;
        and which accesses are to no function.
        """
        at = np.clip(lines - self.base, -1, len(self.first) - 2)
        at[at < 0] = len(self.first) - 2
        number = self.first[at + 1] - self.first[at]
        own, shared = np.flatnonzero(number == 1), np.flatnonzero(number > 1)
        pairs = self.first[at[own]]
        known = np.unique(self.function[pairs] << 32 | times[own])
        number_of_shared = number[shared]
        some = split_runs(self.first[at[shared]], number_of_shared)
        access = np.repeat(shared, number_of_shared)
        line = range_of_each(number_of_shared)
        is_known = np.isin(self.function[some] << 32 | times[access], known)
        is_small = ~self.has_own[self.function[some]]
        explained, has_small = (np.bincount(line, is_it, len(shared)) > 0
                                for is_it in (is_known, is_small))
        counts = is_known | ~explained[line] & (is_small | ~has_small[line])
        return (np.concatenate([pairs, some[counts]]),
                np.concatenate([own, access[counts]]), number == 0)

    def placed(self, units: Ints) -> Ints:
        """Return the offset of each function if these units come first."""
        rank = np.full(self.n_units, len(units))
        rank[units] = np.arange(len(units))
        order = np.argsort(rank[self.unit], kind="stable")
        align = 1
        while align < MOST_ALIGNED and (
                np.mean(self.offsets % (2 * align) == 0) > 0.9):
            align *= 2
        room = -(self.offsets - self.ends)[order] // -align * -align
        places = np.zeros(len(order), np.int64)
        places[order] = np.cumsum(room) - room + self.offsets[0]
        return places


class Windows(NamedTuple):
    """The sizes of windows at samples, and of the run, in pages."""
    ordered: List[List[Tuple[int, int]]]    # see report/sizes.py
    total: int


class UsedCode:
    """The executed code of a log."""

    def __init__(self, log: PageLog, file: str, code: CodeLines):
        self.log, self.code = log, code
        self.kind = CODE_LINES if log.has_lines else "insn"
        self.maps = Maps(log, code.line_szB)
        self.is_file = np.array([name == file for name in self.maps.names])
        self.interval, ends = intervals(log)
        last = int(self.interval.max(initial=-1)) + 1
        self.lengths = np.diff(np.minimum(ends[:last], log.last_time),
                               prepend=0)
        self.has_run = np.zeros(len(code.functions), bool)
        pairs = [np.unique(self.unit_times(batch)) for batch in batches(log)]
        self.units, self.times = np.divmod(np.concatenate(
            [np.zeros(0, np.int64), *pairs]), 1 << 32)

    def unit_times(self, batch: Batch) -> Ints:
        """Return the pairs of a unit and an interval that executed it."""
        places = self.places(batch)
        self.has_run[places.functions] = True
        return (self.code.unit[places.functions] << 32
                | self.interval[places.parts])

    def places(self, batch: Batch) -> Places:
        size, maps = self.code.line_szB, self.maps
        pages, parts = batch.by_page([self.kind], 1)
        regions = maps.regions(pages, parts)
        inside = self.is_file[maps.name[regions]]
        shift = maps.shift[regions[inside]]
        lines = (pages[inside].astype(np.int64) * size + shift) // size
        inside_parts = parts[inside]
        pairs, access, is_none = self.code.executed(
            lines, self.interval[inside_parts])
        others = ~inside
        others[inside] = is_none
        return Places(self.code.function[pairs], self.code.begin[pairs],
                      self.code.end[pairs], inside_parts[access],
                      pages[others] // np.uint64(MEMORY_SZB // size),
                      parts[others])

    def shares(self) -> Floats:
        """Return for each unit the share of time in intervals that execute it.
        """
        shares = 1.0 * np.bincount(
            self.units, self.lengths[self.times], self.code.n_units)
        return shares / max(float(self.lengths.sum()), 1.0)

    def sizes(self, offsets: Sequence[Ints], taus: Sequence[int]
              ) -> List[Windows]:
        """Return the pages with code in each window, and their numbers in the
        run, for each layout: offsets of the functions.
        """
        held = [[Stretches(self.log, tau) for tau in taus] for _ in offsets]
        touched = [np.zeros(0, np.uint64) for _ in offsets]
        for batch in batches(self.log):
            places = self.places(batch)
            for k, at in enumerate(offsets):
                begins = at[places.functions] + places.begins
                ends = at[places.functions] + places.ends - 1
                two = begins // MEMORY_SZB != ends // MEMORY_SZB
                moved = np.concatenate([begins, ends[two]]) // MEMORY_SZB
                pages, parts = without_repeats(*by_page(
                    np.concatenate([moved.astype(np.uint64) + np.uint64(OTHER),
                                    places.pages]),
                    np.concatenate([places.parts, places.parts[two],
                                    places.page_parts])))
                touched[k] = np.union1d(touched[k], pages)
                for some in held[k]:
                    some.add(batch, pages, parts,
                             lambda _, uses: np.zeros(len(uses.seen), np.int64))
        spans = sample_spans(self.log)
        return [Windows([sorted(zip(
            sizes(some.first, some.end, len(spans)).tolist(), spans.tolist()))
            for some in (one.within() for one in stretches)], len(pages))
            for stretches, pages in zip(held, touched)]


def program_of(log: PageLog, wanted: Optional[str]) -> str:
    """Return the name of the mapped program, or of a file that ends like the
    wanted one.  Failure: there is none.
    """
    name = wanted and "/" + wanted.rpartition("/")[2]
    for event in log.events:
        mapping = event.mapping
        if mapping and mapping.kind == FILE and (
                mapping.permissions & EXECUTE) and (
                not name or mapping.file.endswith(name)):
            return mapping.file
    raise Failure(f"{log.name}: no code of {wanted or 'a program'} is mapped")


def best_order(used: Sequence[UsedCode]) -> Ints:
    """Return the units that were executed: those that run most of the time
    first, in classes, each a quarter as often as the one before; in each class
    by the first use.  (Orders by count or by first use alone gave larger
    windows; balanced partitioning smaller ones up to 1 M, larger ones from
    10 M on, and at the start.)
    """
    share = np.mean([one.shares() for one in used], axis=0)
    first = np.full(len(share), 1 << 62)
    for number, one in enumerate(used):
        np.minimum.at(first, one.units, (number << 32) + one.times)
    units = np.flatnonzero(first < 1 << 62)
    classes = np.floor(-np.log(np.maximum(share[units], 1e-300)) / np.log(STEP))
    ordered: Ints = units[np.lexsort((first[units], classes))]
    return ordered
