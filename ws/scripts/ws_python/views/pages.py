# SPDX-License-Identifier: GPL-2.0-or-later
"""The fill of possible huge pages (Haria's figures 7 to 15), their cost, and
their savings.
"""

import itertools
from typing import List, NamedTuple, Sequence, Tuple

import numpy as np

from ws_python.base.text import Failure, printable
from ws_python.base.units import (BYTES, COUNT, MEMORY_SZB, NAMES, RATE, SHARE,
                                  TEXT, byte_size, count, exact_time, in_unit,
                                  noun, pages, plain, time_text)
from ws_python.base.view import Axis, Column, Line, Series, Table, View
from ws_python.pagelog.distances import BLIND, Tlb
from ws_python.pagelog.huge_pages import Fill, LargePages
from ws_python.pagelog.layers import (no_large_pages, sample_at,
                                      sets_with_pages, times_of_samples,
                                      window_of)
from ws_python.pagelog.log import PageLog
from ws_python.pagelog.ranges import Ints
from ws_python.pagelog.stream import batches
from ws_python.pagelog.stretches import sizes
from ws_python.pagelog.windows import sample_spans
from ws_python.report.report import titled
from ws_python.report.request import Request

USUAL_SZB = 1 << 21
ENTRIES = 1536          # of a TLB
FEW_MISSES = 100        # TLB misses per million instructions: up to 1 % of the
                        # time, for each takes 10 to 100 cycles
MANY_MISSES = 10000
MOST_MAPPINGS = 10
UNORDERED = "unknown misses (more pages in one interval: use a smaller --ws-every)"
FILLED = ("accessed", "written", "valid")
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
    """Numbers of a mapping, or of all, in a sample or on average."""
    name: str
    small: float            # accessed pages of the log's size
    large: float            # huge pages that contain them
    possible: float         # how many of these could be huge
    inside: float           # accessed pages in these
    touched: float          # those, and others that are resident there


def sum_of_advice(rows: Sequence[Advice]) -> List[float]:
    return [sum(column) for column in zip([0] * 5, *(row[1:] for row in rows))]


class Sums:
    """Sums over samples."""
    def __init__(self, pages: LargePages):
        self.pages = pages
        self.samples = self.large = 0
        # Large pages by the number of their small pages, at all samples.
        self.fill = {name: np.zeros(pages.each + 1, np.int64)
                     for name in FILLED}
        # The numbers of an Advice but `large`, which add up, by name.
        self.by_name = np.zeros((5, len(pages.maps.names)))

    def add(self, fill: Fill, first: int, end: int, clock: Ints) -> None:
        """Add samples, counted from the first of the fill on."""
        pages, whole, kinds = self.pages, fill.by_kind, self.pages.kinds
        self.samples += int(clock[end] - clock[first])
        lasts = fill.all.during(first, end, clock)
        self.large += int(lasts.sum())
        small, written, mapped_szB = fill.all.values
        mapped = np.minimum(mapped_szB // pages.small_szB, pages.each)
        for name, values in zip(FILLED, (small, written, mapped)):
            self.fill[name] += np.bincount(values, lasts, pages.each + 1
                                           ).astype(np.int64)
        inside, szB, touched = whole.values
        lasts = fill.by_name.during(first, end, clock)
        can = whole.during(first, end, clock) * (
            (szB == pages.szB) & kinds.fits[whole.keys])
        for row, keys, weights in zip(
                self.by_name,
                2 * [fill.by_name.keys] + 3 * [kinds.names[whole.keys]],
                (lasts * fill.by_name.values[0], lasts, can, can * inside,
                 can * touched)):
            row += np.bincount(keys, weights, len(row))

    def advice(self) -> List[Advice]:
        """Make advice by mapping, the largest savings first."""
        return sorted((Advice(name, *row) for name, *row in zip(
            self.pages.maps.names, *(self.by_name / self.samples).tolist())
            if row[0]), key=lambda row: (row.possible - row.inside, -row.small))

    def of_all(self, name: str) -> Advice:
        """Make advice for all; a huge page may lie in several mappings."""
        small, _, *more = sum_of_advice(self.advice())
        return Advice(name, small, self.large / self.samples, *more)


class Huge:
    """The view of a log."""
    def __init__(self, log: PageLog, request: Request):
        self.szB = request.page_szB or USUAL_SZB
        # A TLB knows no lines.
        self.log, self.small_szB = log, (
            MEMORY_SZB if log.page_szB < MEMORY_SZB < self.szB
            else log.page_szB)
        if self.szB <= log.page_szB:
            raise Failure(f"{log.name}: its pages have "
                          f"{byte_size(log.page_szB)}: pages needs larger "
                          "ones, by --pagesize")
        self.tau = window_of(log, request.taus)
        self.times = times_of_samples(log)
        self.sets = sets_with_pages(log, request.sets)
        self.pages = LargePages(log, self.sets, self.tau, self.small_szB,
                                self.szB, request.mapping)
        self.each = self.pages.each
        self.is_largest = request.at is None
        self.at = 0 if request.at is None else sample_at(
            log, self.times, request.at, self.tau, self.small_szB)
        self.is_known = bool(request.tlb)
        self.entries = request.tlb or {"data": ENTRIES, "insn": ENTRIES}
        # A TLB is for all mappings: small pages, and huge ones.
        self.tlbs = {kind: [
            Tlb(log, kind, szB, self.tau, self.entries[kind])
            for szB in (self.small_szB, self.szB)]
            for kind in ("data", "insn")
            if kind in self.sets and not request.mapping}
        self.run, self.sample = self.read()
        if not self.run.large:
            raise no_large_pages(log, request.mapping)
        self.moment = exact_time(int(self.times[self.at]), log.unit)
        self.why = ", the largest sample" if self.is_largest else ""
        self.columns = [name for name in FILLED
                        if name != "written" or "dirty" in self.sets]

    def read(self) -> Tuple[Sums, Sums]:
        """Return the sums over the run, and those of the sample."""
        most, run, sample = -1, Sums(self.pages), Sums(self.pages)
        spans = sample_spans(self.log)
        clock = np.append(0, np.cumsum(spans // max(spans.min(), 1)))
        for batch in batches(self.log):
            for tlb in itertools.chain(*self.tlbs.values()):
                tlb.add(batch)
            fill = self.pages.add(batch)
            if not fill:
                continue
            run.add(fill, 0, fill.number, clock[fill.first:])
            counts = sizes(fill.all.first, fill.all.end, fill.number,
                           fill.all.values[0])
            at = (int(counts.argmax()) if self.is_largest
                  else self.at - fill.first)
            if 0 <= at < fill.number and counts[at] > most:
                most, self.at = int(counts[at]), fill.first + at
                sample = Sums(self.pages)
                sample.add(fill, at, at + 1, np.arange(fill.number + 1))
        return run, sample

# --- The view ----------------------------------------------------------------

def view(logs: Sequence[PageLog], request: Request) -> View:
    log = logs[0]
    huge = Huge(log, request)
    szB = byte_size(huge.szB)
    return View(
        "huge", titled(f"What huge pages of {szB} would cost and save", log),
        [shares(huge), cost_by_mapping(huge), classes(huge), histograms(huge)],
        huge.small_szB, log.unit, [
            verdict(huge, kind) for kind in huge.tlbs],
        [sentence.format(szB=szB) for sentence in UNKNOWN])


def verdict(huge: Huge, kind: str) -> str:
    """Tell if a set fits the TLB, and its misses."""
    whose = ("this machine's" if huge.is_known else "a usual") + (
        " second-level TLB of")
    log, small, entries = huge.log, huge.small_szB, huge.entries[kind]
    most = huge.tlbs[kind][0].most
    instrs = int(log.instructions[log.first_part:].sum())
    rates = [1e6 * tlb.misses / max(instrs, 1) for tlb in huge.tlbs[kind]]
    small_rate, huge_rate = (
        in_unit(rate, RATE, "") if tlb.blind_instrs * BLIND <= instrs else ""
        for rate, tlb in zip(rates, huge.tlbs[kind]))
    misses = f"{small_rate} misses per million instructions" + (
        "" if not rates[0] else ", too few to matter" if rates[0] < FEW_MISSES
        else f", {plain(rates[0] / 1000, 2)} to {plain(rates[0] / 100, 2)} % "
        "of the time" if rates[0] <= MANY_MISSES else ", most of the time")
    return (
        f"{NAMES[kind]} {'fits' if most <= entries else 'does not fit'} {whose}"
        f" {pages(entries, small)} ({byte_size(entries * small)}): at "
        f"most {byte_size(most * small)} in a window of "
        f"{time_text(huge.tau, log.unit)}, and "
        f"{misses if small_rate else UNORDERED}; "
        f"{huge_rate or 'unknown'} if all pages were huge.")


def cost_by_mapping(huge: Huge) -> Table:
    """Make a table of what huge pages would cost and save."""
    advice = huge.sample.advice()
    rows, more = advice[:MOST_MAPPINGS], advice[MOST_MAPPINGS:]
    if more:
        rows.append(Advice(f"{len(more)} more", *sum_of_advice(more)))
    rows += [huge.sample.of_all("all"), huge.run.of_all("all, average")]
    small = noun(huge.small_szB)
    return Table(f"By mapping, at {huge.moment}{huge.why}", [
        *(Column(name, COUNT, [exact(getattr(row, key)) for row in rows], title)
          for name, key, title in (
              ("pages", "small", small), ("huge", "large", "huge"),
              ("possible", "possible", "possible"),
              ("instead", "inside", "instead of"))),
        *(Column(name, BYTES, [
            a * row.possible * huge.szB + b * row.touched * huge.small_szB
            for row in rows], name) for name, a, b in (
                ("size", 1, 0), ("touched", 0, 1), ("more", 1, -1))),
        Column("mapping", TEXT, [printable(row.name) for row in rows])], {}, [
            f"The {small} that are in the window, and the huge pages that "
            "contain them. Each possible one is one TLB entry instead of those "
            "still mapped. What was accessed of their size, in the window or "
            "before, is resident anyway (touched); the rest is more memory."])


def exact(value: float) -> float:
    """Return a whole number as such: it is a count, and no average."""
    return int(value) if value == int(value) else value


def shares(huge: Huge) -> Series:
    """Make steps: the share of huge pages with at most x pages, by x."""
    xs: List[Sequence[float]] = []
    lines: List[Line] = []
    for name in huge.columns:
        counts = huge.run.fill[name]
        sums = (np.cumsum(counts) / counts.sum()).tolist()
        points = [(0, sums[0])]
        for size, value in enumerate(sums[1:], 1):
            if value > points[-1][1] or size == huge.each:
                points += [(size, points[-1][1]), (size, value)]
        xs.append([size for size, _ in points])
        lines.append(Line(f"{name}: {legend(huge, counts)}",
                          [value for _, value in points], hue=len(lines)))
    small = huge.small_szB
    return Series(
        "How full they would be",
        Axis(f"{noun(small)} of {byte_size(small)} in a huge page", COUNT),
        Axis("share of huge pages, at most so full", SHARE), xs, lines,
        [f"pages of {byte_size(huge.szB)} in a window of "
         f"{time_text(huge.tau, huge.log.unit)}, over all samples"])


def legend(huge: Huge, counts: Ints) -> str:
    """Tell the median and the ends."""
    whole = int(counts.sum())
    median = int(np.searchsorted(2 * np.cumsum(counts), whole))
    ends = [f"{100 * counts[end] / whole:.1f} % have {what}"
            for end, what in ((0, "none"), (huge.each, f"all {huge.each}"))
            if counts[end]]
    if 0 < median < huge.each:      # otherwise, the ends tell that
        ends.insert(0, f"half have at most {median}")
    return ", ".join(ends)


def shown_columns(huge: Huge) -> List[Tuple[str, bool, Ints]]:
    """Return the name of each column, whether it is of the sample, or else of the
    run, and its number of huge pages by how many pages they have.
    """
    return [(name, sums is huge.sample, sums.fill[name])
            for sums in (huge.run, huge.sample) for name in huge.columns]


def histograms(huge: Huge) -> Table:
    samples = huge.run.samples
    return Table("Huge pages by how full they are", [
        Column("of_pages", COUNT, [*range(huge.each + 1)]),
        *(Column(f"{name}_at_sample", COUNT, counts.tolist()) if at_sample
          else Column(f"{name}_average", COUNT, (
              np.round(counts / samples, 6) if samples > 1 else counts).tolist())
          for name, at_sample, counts in shown_columns(huge))], is_long=True)


def classes(huge: Huge) -> Table:
    """Make a table of huge pages by fill."""
    # 0, 1, 2, 8, 32, 128, 256 and 512 of 512.
    first = sorted({0, 1, 2, huge.each} | {
        huge.each // part for part in (2, 4, 16, 64) if huge.each // part > 1})
    last = [*(begin - 1 for begin in first[1:]), huge.each]
    columns = [(name, at_sample, np.add.reduceat(counts, first))
               for name, at_sample, counts in shown_columns(huge)]
    rows = [k for k in range(len(first))
            if any(counts[k] for *_, counts in columns)]
    names = [str(first[k]) if first[k] == last[k] else f"{first[k]}-{last[k]}"
             for k in rows]
    whole, average = (count(exact(sums.large / sums.samples))
                      for sums in (huge.sample, huge.run))
    written = ", or written," if "written" in huge.columns else ""
    return Table(
        "How full they would be",
        [Column("of_pages", TEXT, names, f"of {huge.each}"),
         *(Column(f"{name}_at_sample" if at_sample else name, SHARE,
                  (counts[rows] / max(counts.sum(), 1)).tolist(),
                  name if at_sample else f"{name} avg")
           for name, at_sample, counts in columns)], {}, [
            f"Huge pages of {byte_size(huge.szB)} in a window of "
            f"{time_text(huge.tau, huge.log.unit)}: {average} on "
            f"average (avg), and {whole} at {huge.moment}"
            f"{huge.why}. So many of them have so many {noun(huge.small_szB)} "
            f"of {byte_size(huge.small_szB)} that were accessed"
            f"{written} in the window, or are mapped (valid):"])
