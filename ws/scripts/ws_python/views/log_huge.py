# SPDX-License-Identifier: GPL-2.0-or-later
"""The fill of possible huge pages (Haria's figures 7 to 15), their cost, and
their savings.
"""

import argparse
from typing import List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ws_python.base.failure import Failure
from ws_python.base.text import printable
from ws_python.base.units import (BYTES, COUNT, NAMES, RATE, SHARE, TEXT,
                                  byte_size, count, exact_time, in_unit,
                                  moment, noun, pages, time_text)
from ws_python.engine.distances import misses
from ws_python.engine.fill import LargePages
from ws_python.engine.layers import (sample_at, samples_of, wanted_sets,
                                     window_of)
from ws_python.engine.stretches import sizes, stays
from ws_python.model.log import PageLog
from ws_python.model.report import titled
from ws_python.model.view import Axis, Column, Line, Series, Table, View

USUAL_SZB = 1 << 21
MEMORY_SZB = 4096       # a page, in most systems
ENTRIES = 1536          # of a TLB
MOST_MAPPINGS = 10
COLUMNS = ("accessed", "written", "valid")
UNKNOWN = (
    "A huge page is possible where {szB} from a multiple of {szB} on are "
    "mapped without a gap: as one mapping, with the same permissions, and of "
    "a file, from a multiple of {szB} on in it, too.",
    "Of files, Linux makes huge pages only of code, with "
    "CONFIG_READ_ONLY_THP_FOR_FS, or in tmpfs and hugetlbfs.",
    "Addresses are those under Valgrind; without it, mappings may begin and "
    "end elsewhere.",
    "Misses are those of an LRU memory, as in the view enough, without first "
    "accesses; with huge pages, as if all of memory had them. Many processors "
    "have fewer TLB entries for huge pages.")


class Advice(NamedTuple):
    """Advice about huge pages for a mapping, or for all: averages, or a
    sample.
    """
    name: str
    small: float            # accessed pages of the log's size
    large: float            # huge pages that contain them
    possible: float         # how many of these could be huge
    inside: float           # accessed pages in these
    touched: float          # those, and others that are resident there


def summed(some: Sequence[Advice]) -> List[float]:
    return [sum(column) for column in zip([0] * 5, *(one[1:] for one in some))]


class Huge:
    """The view of a log."""
    def __init__(self, log: PageLog, options: argparse.Namespace):
        self.szB = options.pagesize or USUAL_SZB
        # A TLB knows no lines.
        self.log, self.small_szB = log, (
            MEMORY_SZB if log.page_szB < MEMORY_SZB < self.szB
            else log.page_szB)
        if self.szB <= log.page_szB:
            raise Failure(f"{log.name}: its pages have "
                          f"{byte_size(log.page_szB)}: pages needs larger "
                          "ones, by --pagesize")
        self.tau = window_of(log, options.tau)
        self.times = samples_of(log)
        self.sets = sets_of(log, options)
        self.found = LargePages(log, self.sets, self.tau, self.small_szB,
                                self.szB, options.mapping)
        self.each = self.found.each
        if not len(self.found.pages):
            raise nothing(log, options.mapping)
        self.at = (self.largest() if options.at is None
                   else sample_at(log, self.times, options.at, self.tau,
                                  self.small_szB))
        self.moment = exact_time(int(self.times[self.at]), log.unit)
        self.why = ", the largest sample" if options.at is None else ""
        self.columns = [name for name in COLUMNS
                        if name != "written" or "dirty" in self.sets]

    def largest(self) -> int:
        """Return the sample with the most pages."""
        fill = self.found.fill
        return int(sizes(fill, len(self.times), fill.values[0]).argmax())

    def span(self, at_sample: bool) -> Tuple[int, int]:
        """Return the range of samples: the chosen one, or all."""
        return (self.at, self.at + 1) if at_sample else (0, len(self.times))

    def histogram(self, name: str, at_sample: bool) -> np.ndarray:
        """Count huge pages by the number of their pages that are accessed,
        written or valid, at all of these samples together.
        """
        fill = self.found.fill
        values = fill.values[COLUMNS.index(name)]
        if name == "valid":     # these are bytes
            values = np.minimum(values // self.small_szB, self.each)
        return np.bincount(values, fill.during(*self.span(at_sample)),
                           self.each + 1).astype(np.int64)

    def advice(self, at_sample: bool) -> List[Advice]:
        """Make advice by mapping, the largest savings first."""
        first, end = self.span(at_sample)
        names, kinds = self.found.maps.names, self.found.kinds
        fill, whole = self.found.by_name, self.found.by_kind
        can = (whole.values[1] == self.szB) & kinds.fits[whole.keys]
        lasts = fill.during(first, end)
        can_last = whole.during(first, end) * can
        columns = [np.bincount(keys, weights, len(names)) / (end - first)
                   for keys, weights in (
                       (fill.keys, lasts * fill.values[0]), (fill.keys, lasts),
                       (kinds.names[whole.keys], can_last),
                       (kinds.names[whole.keys], can_last * whole.values[0]),
                       (kinds.names[whole.keys], can_last * whole.values[2]))]
        return sorted((Advice(name, *map(float, row))
                       for name, *row in zip(names, *columns) if row[0]),
                      key=lambda one: (one.possible - one.inside, -one.small))

    def of_all(self, at_sample: bool) -> Advice:
        """Make advice for all; a huge page may lie in several mappings."""
        first, end = self.span(at_sample)
        small, _, *more = summed(self.advice(at_sample))
        large = self.found.fill.during(first, end).sum() / (end - first)
        return Advice("", small, float(large), *more)


def sets_of(log: PageLog, options: argparse.Namespace) -> List[str]:
    """Choose the sets; with data, written pages are counted, too."""
    wanted = wanted_sets(log, options)
    is_known = "data" in wanted and log.has_dirty
    return list(dict.fromkeys([*wanted, *["dirty"] * is_known]))


def nothing(log: PageLog, mapping: Optional[str]) -> Failure:
    return Failure(f"{log.name}: no page{' of such a mapping' * bool(mapping)}"
                   " is in the windows of its samples")

# --- The view ----------------------------------------------------------------

def view(logs: Sequence[PageLog], options: argparse.Namespace) -> View:
    log = logs[0]
    huge = Huge(log, options)
    szB = byte_size(huge.szB)
    return View(
        "huge", titled(f"What huge pages of {szB} would cost and save", log),
        [shares(huge), by_mapping(huge), classes(huge), histograms(huge)],
        huge.small_szB, log.unit, [
            verdict(huge, kind, options.tlb) for kind in ("data", "insn")
            # A TLB is for all mappings.
            if kind in huge.sets and not options.mapping],
        [one.format(szB=szB) for one in UNKNOWN])


def verdict(huge: Huge, kind: str, entries: int) -> str:
    """Tell if a set fits the TLB, its misses, and what huge pages cost."""
    whose, entries = (("this machine's", entries) if entries
                      else ("a usual", ENTRIES))
    log, small = huge.log, huge.small_szB
    most = sizes(stays(log, kind, huge.tau, small), len(huge.times)).max()
    rates = [in_unit(misses(log, [kind], szB, entries) if len(np.unique(
        huge.found.ever[0] // (szB // small))) > entries else 0, RATE, "")
             for szB in (small, huge.szB)]
    resident, more = huge.found.cost(kind == "insn")
    when = moment(int(huge.times[more.argmax()]), int(log.ends[-1]), log.unit)
    return (
        f"{NAMES[kind]} {'fits' if most <= entries else 'does not fit'} {whose}"
        f" TLB of {pages(entries, small)} ({byte_size(entries * small)}): at "
        f"most {byte_size(int(most) * small)} in a window of "
        f"{time_text(huge.tau, log.unit)}, and {rates[0]} misses per million "
        f"instructions; {rates[1]} with huge pages. These "
        + (f"keep up to {byte_size(int(more.max()))} more resident (at {when})"
           f", and raise the peak from {byte_size(int(resident.max()))} to "
           f"{byte_size(int((resident + more).max()))}." if more.any()
           else "would take no more memory."))


def by_mapping(huge: Huge) -> Table:
    """Make a table of what huge pages would cost and save."""
    found = huge.advice(True)
    more = found[MOST_MAPPINGS:]
    rows = [*found[:MOST_MAPPINGS],
            *[Advice(f"{len(more)} more", *summed(more))] * bool(more),
            huge.of_all(True)._replace(name="all"),
            huge.of_all(False)._replace(name="all, on average")]
    small = noun(huge.small_szB)
    return Table(f"By mapping, at {huge.moment}{huge.why}", [
        *(Column(name, COUNT, [exact(getattr(one, key)) for one in rows], title)
          for name, key, title in (
              ("pages", "small", small), ("huge", "large", "huge"),
              ("possible", "possible", "possible"),
              ("instead", "inside", "instead of"))),
        *(Column(name, BYTES, [
            a * one.possible * huge.szB + b * one.touched * huge.small_szB
            for one in rows], name) for name, a, b in (
                ("size", 1, 0), ("touched", 0, 1), ("more", 1, -1))),
        Column("mapping", TEXT, [printable(one.name) for one in rows])], {}, [
            f"The {small} that are in the window, and the huge pages that "
            "contain them. Each possible one is one TLB entry instead of those "
            "still mapped. What was accessed of their size, in the window or "
            "before, is resident anyway (touched); the rest is more memory."])


def exact(value: float) -> float:
    """Return a whole number as such: it is a count, and no average."""
    return int(value) if value == int(value) else value


def shares(huge: Huge) -> Series:
    """Make the curve of the share of huge pages with at most x pages, by x, in
    steps.
    """
    xs, lines = [], []
    for name in huge.columns:
        found = huge.histogram(name, False)
        sums = (np.cumsum(found) / found.sum()).tolist()
        points = [(0, sums[0])]
        for size, value in enumerate(sums[1:], 1):
            if value > points[-1][1] or size == huge.each:
                points += [(size, points[-1][1]), (size, value)]
        xs.append([size for size, _ in points])
        lines.append(Line(f"{name}: {legend(huge, found)}",
                          [value for _, value in points], hue=len(lines)))
    small = huge.small_szB
    return Series(
        "How full they would be",
        Axis(f"{noun(small)} of {byte_size(small)} in a huge page", COUNT),
        Axis("share of huge pages, at most so full", SHARE), xs, lines,
        [f"pages of {byte_size(huge.szB)} in a window of "
         f"{time_text(huge.tau, huge.log.unit)}, over all samples"])


def legend(huge: Huge, found: np.ndarray) -> str:
    """Tell the median and the ends."""
    whole = int(found.sum())
    median = int(np.searchsorted(2 * np.cumsum(found), whole))
    ends = [f"{100 * found[end] / whole:.1f} % have {what}"
            for end, what in ((0, "none"), (huge.each, f"all {huge.each}"))
            if found[end]]
    # Otherwise, the ends tell that.
    half = [f"half have at most {median}"] * (0 < median < huge.each)
    return ", ".join(half + ends)


def columns_of(huge: Huge) -> List[Tuple[str, bool]]:
    """Name the lines: averages over the run, and the sample."""
    return [(name, at_sample) for at_sample in (False, True)
            for name in huge.columns]


def histograms(huge: Huge) -> Table:
    columns = [Column("of_pages", COUNT, [*range(huge.each + 1)])]
    for name, at_sample in columns_of(huge):
        found = huge.histogram(name, at_sample)
        samples = len(huge.times)
        columns.append(
            Column(f"{name}_at_sample", COUNT, found.tolist()) if at_sample
            else Column(f"{name}_average", COUNT,
                        (np.round(found / samples, 6) if samples > 1
                         else found).tolist()))
    return Table("Huge pages by how full they are", columns, is_long=True)


def limits_of(each: int) -> List[int]:
    """Return the begins of classes of fill: 0, 1, 2, 8, 32, 128, 256, 512."""
    return sorted({0, 1, 2, each} | {each // part for part in (2, 4, 16, 64)
                                     if each // part > 1})


def classes(huge: Huge) -> Table:
    """Make a table of huge pages by fill."""
    first = limits_of(huge.each)
    last = [*(begin - 1 for begin in first[1:]), huge.each]
    found = [np.add.reduceat(huge.histogram(*column), first)
             for column in columns_of(huge)]
    rows = [k for k in range(len(first)) if any(one[k] for one in found)]
    names = [str(first[k]) if first[k] == last[k] else f"{first[k]}-{last[k]}"
             for k in rows]
    whole, average = (huge.of_all(at_sample).large
                      for at_sample in (True, False))
    return Table(
        "How full they would be",
        [Column("of_pages", TEXT, names, f"of {huge.each}"),
         *(Column(f"{name}{'_at_sample' * at_sample}", SHARE,
                  (one[rows] / one.sum()).tolist(),
                  f"{name}{'' if at_sample else ' avg'}")
           for (name, at_sample), one in zip(columns_of(huge), found))], {}, [
            f"In a window of {time_text(huge.tau, huge.log.unit)}, "
            f"{count(exact(average))} huge pages of {byte_size(huge.szB)} are "
            f"accessed on average (avg), and {count(exact(whole))} at "
            f"{huge.moment}"
            f"{huge.why}. So many of them have so many {noun(huge.small_szB)} "
            f"of {byte_size(huge.small_szB)} that were accessed"
            f"{', or written,' * ('written' in huge.columns)} in the window, "
            "or are mapped (valid):"])
