# SPDX-License-Identifier: GPL-2.0-or-later
"""The misses of an LRU memory, by its size.

First accesses do not count, as no memory saves them.  Rates are per million
instructions, which every log has: a program that waits misses nothing.
"""

from typing import Dict, List, Sequence, Tuple

import numpy as np

from ws_python.base.text import Failure
from ws_python.base.units import (BYTES, COUNT, MEMORY_SZB, RATE, SHARE, YES,
                                  byte_size, count, in_unit, noun,
                                  pages_and_size)
from ws_python.base.view import Axis, Column, Line, Series, Shown, Table, View
from ws_python.pagelog.distances import BLIND, Returning, Returns, distances
from ws_python.pagelog.layers import page_size_of
from ws_python.pagelog.log import PageLog
from ws_python.pagelog.maps import Maps
from ws_python.pagelog.ranges import Floats, Ints, count_pairs, sums_by
from ws_python.pagelog.stream import Batch, PageTable, batches
from ws_python.report.report import titled
from ws_python.report.request import Request

MILLION = 1000000
TOGETHER = "insn+data"          # one memory for both
MEMORIES = {"data": "data", "insn": "code", TOGETHER: "code and data together"}
ALMOST = ("Where bounds need not hold, parts of the log have more pages than "
          "the memory, in less than 1 % of the time.")
ORDER = ("A log does not know in which order pages were accessed within a part "
         "of it: low and high are for the best order and the worst; simulated "
         "takes the middle for each access. Where low and high are far apart, "
         "as for a loop that just does not fit, believe high.")
SAID_SHARES = (1, 0.5, 0.1, 0.01, 0)    # of the misses with the least memory
POINTS = 400                # of a curve
# A run that takes longer by the last of these, or more, thrashes.
SAID_COSTS = (0, 0.05, 0.25, 1)
PER_SECOND = 1000000000     # instructions, about, natively
NEAR = (1 << 32) - 2        # more than any part


class Locality:
    """The fewest, the simulated and the most misses of a set, by the size of the
    memory, up to the size that is enough.
    """
    def __init__(self, log: PageLog, name: str, page_szB: int):
        self.name, self.page, self.log = name, page_szB, log
        self.returning = Returning(log, name.split("+"), page_szB)
        self.first = 0              # accesses
        self.in_part = np.zeros(log.n_parts, np.int64)
        # Accesses by their distance, at first.
        self.misses = [np.zeros(0, np.int64)] * 3

    def add(self, batch: Batch) -> Tuple[Returns, Ints]:
        """Add the accesses of the next batch; return them, and how far they are
        from those before.
        """
        accesses = self.returning.add(batch)
        self.in_part += sums_by(accesses.parts, accesses.counts,
                                len(self.in_part))
        low, high = distances(accesses)
        # Parts before the first one have filled the memory.
        inside = accesses.parts >= self.log.first_part
        again = accesses.before >= 0
        self.first += int(accesses.counts[inside & ~again].sum())
        returns = inside & again
        self.misses = [more_by(sums, far[returns], accesses.counts[returns])
                       for sums, far in zip(self.misses, (
                           low, (low + high) // 2, high))]
        return accesses, (low + high) // 2

    def finish(self) -> None:
        """Make misses of distances, when all batches are added."""
        instructions = self.log.instructions[self.log.first_part:]
        in_part = self.in_part[self.log.first_part:]
        self.end = int(instructions.sum())
        # A memory with room for all pages of a part misses each of them at
        # most once in the part; for larger parts, the log does not tell.
        self.certain = int(in_part.max())
        in_larger = np.cumsum(np.bincount(in_part, instructions)[::-1])[::-1]
        self.least = max(int((in_larger * BLIND > self.end).sum()) - 1, 1)
        # The least memory that certainly misses nothing.
        self.enough = max(len(self.misses[2]), self.certain, 1)
        self.misses = [self.by_size(far) for far in self.misses]

    def by_size(self, far: Ints) -> Ints:
        """Make misses by the size of the memory, up to one that is enough."""
        misses: Ints = np.cumsum(np.pad(
            far, (0, self.enough + 1 - len(far)))[::-1])[::-1]
        return misses

    @property
    def sizes(self) -> Ints:
        """Powers of two, and sizes half way between, up to one that is enough."""
        powers = 1 << np.arange((self.enough - 1).bit_length() + 1)
        sizes: Ints = np.unique(np.append(powers, 3 * powers // 2))
        most = int(sizes[sizes >= self.enough][0])
        return sizes[(sizes >= self.least) & (sizes <= most)]

    def curves(self, sizes: Ints) -> List[Floats]:
        """Return low, middle and high misses per million instructions."""
        return [misses[np.minimum(sizes, self.enough)] * (MILLION / self.end)
                for misses in self.misses]


class PageIns:
    """The page-ins of a memory for code and data, by its size: of anonymous
    pages, and of files, whose first accesses are apart.  A page that is mapped
    anew, or discarded, does not come back.
    """
    def __init__(self, log: PageLog, memory: Locality):
        self.log, self.memory = log, memory
        self.maps, self.lives = (Maps(log, memory.page, apart)
                                 for apart in (True, False))
        self.last = PageTable(2)
        self.first = 0              # accesses to pages of files
        self.far = [np.zeros(0, np.int64)] * 2

    def add(self, batch: Batch, returns: Returns, far: Ints) -> None:
        """Add the accesses of the next batch, and their distances."""
        returning = self.memory.returning
        pages, parts = batch.by_page(returning.kinds, returning.pages_in_one)
        lives = self.lives.regions(pages, parts)
        before, life = self.last.before(pages, parts, lives)
        is_file = self.maps.file[self.maps.regions(pages, parts)] >= 0
        inside = (parts >= self.log.first_part) & (lives > 0)
        back = (before >= 0) & (life == lives)
        self.first += int((inside & is_file & ~back).sum())
        keys = returns.parts << 32 | NEAR - returns.before
        for k, those in enumerate((~is_file, is_file)):
            those &= inside & back
            later, earlier, counts = count_pairs(parts[those], before[those])
            at = np.searchsorted(keys, later << 32 | NEAR - earlier)
            self.far[k] = more_by(self.far[k], far[at], counts)

    def costs(self, page_in: float) -> Tuple[str, Table]:
        """Tell the cost of less memory, in a sentence and by size."""
        memory = self.memory
        sizes, misses = memory.sizes, [*map(memory.by_size, self.far)]
        longer: Floats = (misses[0] + misses[1]) * (
            page_in * PER_SECOND / memory.end)
        steps: Dict[str, float] = {}
        for cost in SAID_COSTS:
            pages = max(int(np.argmax(longer <= cost)), memory.least)
            steps.setdefault(byte_size(pages * memory.page), float(longer[pages]))
        words = "; ".join(f"{size}: " + (
            f"{100 * cost:.1f} % longer" if cost else "none")
            for size, cost in steps.items())
        if longer[memory.least] > SAID_COSTS[-1]:
            words += f"; below {byte_size(pages * memory.page)} it thrashes"
        sizes = np.minimum(sizes, memory.enough)
        return f"Page-ins: {words}.", Table("With less memory", [
            Column("bytes", BYTES, (sizes * memory.page).tolist(), "memory"),
            *(Column(name, COUNT, counts[sizes].tolist())
              for name, counts in zip(("anonymous", "files"), misses)),
            Column("longer", SHARE, longer[sizes].tolist())], sentences=[
                f"By LRU, for {page_in * 1e6:g} us a page-in (--page-in=TIME) and "
                f"{memory.end / PER_SECOND:.2g} s natively, at an instruction a nanosecond. With "
                f"a cold cache, {count(self.first)} pages of files come in "
                "first, with any memory."])


def localities(log: PageLog, request: Request
               ) -> Tuple[List[Locality], PageIns]:
    """Measure the wanted sets, two sets also together, and page-ins."""
    if request.mapping:
        raise Failure("a memory is for all mappings: enough has no --mapping")
    kinds = [name for name in MEMORIES if name in request.sets]
    if not kinds:
        raise Failure("a memory has pages that are only read, too: there is "
                      "no locality of dirty data")
    if not log.instructions[log.first_part:].any():
        raise Failure(f"{log.name}: has no instructions")
    page_szB = page_size_of(log, request.page_szB)
    memories = [Locality(log, name, page_szB)
             for name in (kinds + [TOGETHER] if kinds[1:] else kinds)]
    page_ins = PageIns(log, memories[-1])
    for batch in batches(log):
        for memory in memories:
            accesses = memory.add(batch)
        page_ins.add(batch, *accesses)
    for memory in memories:
        memory.finish()
    return memories, page_ins


def more_by(sums: Ints, keys: Ints, weights: Ints) -> Ints:
    """Add to sums by key, which become more if keys do."""
    more = sums_by(keys, weights, len(sums))
    more[:len(sums)] += sums
    return more


def view(logs: Sequence[PageLog], request: Request) -> View:
    log = logs[0]
    memories, page_ins = localities(log, request)
    parts: List[Shown] = [curves_of(memories), *map(table_of, memories)]
    sentences = []
    if memories[1:] and memories[0].page >= MEMORY_SZB:
        verdict, table = page_ins.costs(request.page_in)
        sentences, parts = [verdict], [table, *parts]
    notes = [ORDER]
    if any(memory.least < memory.certain for memory in memories):
        notes.insert(0, ALMOST)
    return View("enough", titled("Misses of an LRU memory", log), parts,
                memories[0].page, log.unit, sentences, notes)


def curves_of(memories: Sequence[Locality]) -> Series:
    """Make curves from the least size on, with bounds."""
    lines, xs = [], []
    for hue, memory in enumerate(memories):
        sizes = np.unique(np.geomspace(memory.least, memory.enough, POINTS
                                       ).round().astype(np.int64))
        low, middle, high = (rates.tolist() for rates in memory.curves(sizes))
        xs.append((sizes * memory.page).tolist())
        lines.append(Line(
            MEMORIES[memory.name], middle, low, high,
            int((sizes < memory.certain).sum()), hue=hue,
            about=f"first accesses: {first_rate(memory)} per million"))
    return Series(
        "Misses of an LRU memory",
        Axis("size of the memory", BYTES, True),
        Axis("misses per million instructions", RATE, True), xs, lines,
        ["simulated, from low to high", "without first accesses"])


def table_of(memory: Locality) -> Table:
    sizes = memory.sizes
    rates = [np.round(rate, 3).tolist() for rate in memory.curves(sizes)]
    return Table(f"Misses of an LRU memory: {MEMORIES[memory.name]}", [
        Column("pages", COUNT, sizes.tolist(), noun(memory.page)),
        Column("bytes", BYTES, (sizes * memory.page).tolist(), "size"),
        *(Column(name, RATE, rate, title) for name, rate, title in zip(
            ("low", "middle", "high"), rates, ("", "simulated", ""))),
        Column("certain", YES, (sizes >= memory.certain).astype(int).tolist(),
               "bounds hold")],
        {"set": memory.name}, [*in_words(memory), *limits_in_words(memory)])


def in_words(memory: Locality) -> List[str]:
    """Tell the misses of the least memory with bounds, and of larger ones."""
    sizes = memory.sizes[memory.sizes >= memory.certain]
    lows, _, highs = memory.curves(sizes)
    lines = []
    for k in sorted({int(np.argmax(highs <= share * highs[0]))
                     for share in SAID_SHARES}):
        size, low, high = int(sizes[k]), lows[k], highs[k]
        rates = dict.fromkeys(in_unit(rate, RATE, "") for rate in (low, high))
        lines.append(f"With {byte_size(size * memory.page)}: " + (
            f"{' to '.join(rates)} misses per million instructions."
            if high else "none but first accesses."))
    return lines


def first_rate(memory: Locality) -> str:
    return in_unit(memory.first * MILLION / memory.end, RATE, "")


def limits_in_words(memory: Locality) -> List[str]:
    """Explain the limits of the numbers."""
    sentences = [
        f"Without first accesses ({count(memory.first)}, {first_rate(memory)} "
        "per million instructions), which no memory saves.",
        f"From {pages_and_size(memory.certain, memory.page)} on, low and high "
        "hold: no part of the log has more."]
    if memory.least > 1:
        sentences.append(
            "Memories of less than "
            f"{pages_and_size(memory.least, memory.page)} are left out, for "
            "parts of the log have more: a log with a smaller --ws-every has "
            "them.")
    return sentences
