# SPDX-License-Identifier: GPL-2.0-or-later
"""The misses of an LRU memory, by its size.

First accesses do not count, as no memory saves them.  Rates are per million
instructions, which every log has: a program that waits misses nothing.
"""

from typing import List, Sequence, Tuple

import numpy as np

from ws_python.base.text import Failure
from ws_python.base.units import (BYTES, COUNT, RATE, YES, byte_size, count,
                                  in_unit, moment, pages_and_size)
from ws_python.base.view import Axis, Column, Line, Series, Shown, Table, View
from ws_python.pagelog.distances import BLIND, Returning, distances
from ws_python.pagelog.layers import page_size_of
from ws_python.pagelog.log import PageLog
from ws_python.pagelog.mapped import Lives
from ws_python.pagelog.ranges import Floats, Ints, sums_by
from ws_python.pagelog.stream import Batch, batches
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


class Locality:
    """The misses of a set of a log's pages, in three arrays: the fewest, the
    simulated and the most ones, by the size of the memory, up to the size that
    is enough.
    """
    def __init__(self, log: PageLog, name: str, page_szB: int):
        self.name, self.page, self.log = name, page_szB, log
        self.returning = Returning(log, name.split("+"), page_szB)
        self.first = 0              # accesses
        self.in_part = np.zeros(log.n_parts, np.int64)
        # Accesses by their distance, at first.
        self.misses = [np.zeros(0, np.int64)] * 3

    def add(self, batch: Batch) -> None:
        """Add the accesses of the next batch."""
        found = self.returning.add(batch)
        self.in_part += sums_by(found.parts, found.counts, len(self.in_part))
        low, high = distances(found)
        # Parts before the first one have filled the memory.
        inside, again = found.parts >= self.log.first_part, found.before >= 0
        self.first += int(found.counts[inside & ~again].sum())
        some = inside & again
        self.misses = [more_by(sums, far[some], found.counts[some])
                       for sums, far in zip(self.misses, (
                           low, (low + high) // 2, high))]

    def finish(self) -> None:
        """Make misses of distances, when all batches are added."""
        instructions, in_part = (some[self.log.first_part:] for some in (
            self.log.instructions, self.in_part))
        self.end = int(instructions.sum())
        # A memory with room for all pages of a part misses each of them at
        # most once in the part; for larger parts, the log does not tell.
        self.certain = int(in_part.max())
        in_larger = np.cumsum(np.bincount(in_part, instructions)[::-1])[::-1]
        self.least = max(int((in_larger * BLIND > self.end).sum()) - 1, 1)
        # The least memory that certainly misses nothing.
        self.enough = max(len(self.misses[2]), self.certain, 1)
        self.misses = [
            np.cumsum(np.pad(far, (0, self.enough + 1 - len(far)))[::-1])[::-1]
            for far in self.misses]

    @property
    def sizes(self) -> Ints:
        """Sizes of memories: powers of two, and sizes half way between them,
        up to the first that is enough.
        """
        powers = 1 << np.arange((self.enough - 1).bit_length() + 1)
        sizes: Ints = np.unique(np.append(powers, 3 * powers // 2))
        most = int(sizes[sizes >= self.enough][0])
        return sizes[(sizes >= self.least) & (sizes <= most)]

    def steps(self, number: int) -> Ints:
        """Return at most `number` sizes, for a logarithmic axis."""
        sizes: Ints = np.geomspace(self.least, self.enough, number
                                   ).round().astype(np.int64)
        return np.unique(sizes)

    def rate(self, misses: Ints) -> Floats:
        """Return misses per million instructions."""
        return misses * (MILLION / self.end)

    def curves(self, sizes: Ints) -> List[Floats]:
        """Return low, middle and high misses per million instructions."""
        return [self.rate(one[np.minimum(sizes, self.enough)])
                for one in self.misses]


def localities(log: PageLog, request: Request
               ) -> Tuple[List[Locality], Lives]:
    """Measure the wanted sets, two sets also together, and all their pages."""
    if request.mapping:
        raise Failure("a memory is for all mappings: enough has no --mapping")
    some = [name for name in MEMORIES if name in request.sets]
    if not some:
        raise Failure("a memory has pages that are only read, too: there is "
                      "no locality of dirty data")
    if not log.instructions[log.first_part:].any():
        raise Failure(f"{log.name}: has no instructions")
    page_szB = page_size_of(log, request.page_szB)
    found = [Locality(log, name, page_szB)
             for name in some + [TOGETHER] * (len(some) > 1)]
    lives = Lives(log, found[-1].name.split("+"), page_szB)
    for batch in batches(log):
        for one in found:
            one.add(batch)
        lives.add(batch)
    for one in found:
        one.finish()
    return found, lives


def more_by(sums: Ints, keys: Ints, weights: Ints) -> Ints:
    """Add to sums by key, which become more if keys do."""
    found = sums_by(keys, weights, len(sums))
    found[:len(sums)] += sums
    return found


def view(logs: Sequence[PageLog], request: Request) -> View:
    log = logs[0]
    found, lives = localities(log, request)
    parts: List[Shown] = [curves_of(found), *map(table_of, found)]
    return View("enough", titled("Misses of an LRU memory", log), parts,
                found[0].page, log.unit, notes=[
                    *never_again(log, found[-1], lives),
                    *[ALMOST] * any(one.least < one.certain for one in found),
                    ORDER])


def never_again(log: PageLog, one: Locality, lives: Lives) -> List[str]:
    """Tell how much of the most memory was not needed any more."""
    at, most, done = lives.most()
    if not most or log.end is not None or not log.complete:
        return []
    when = moment(int(log.ends[at]), int(log.ends[-1]), log.unit)
    return [f"At {when}, {byte_size(most * one.page)} ({MEMORIES[one.name]}) "
            "were accessed and still mapped: nearly the most. "
            f"{byte_size(done * one.page)} of them ({100 * done / most:.0f} %) "
            "were never accessed again."]


def curves_of(found: Sequence[Locality]) -> Series:
    """Make curves from the least size on, with bounds."""
    lines, xs = [], []
    for hue, one in enumerate(found):
        sizes = one.steps(POINTS)
        low, middle, high = (rates.tolist() for rates in one.curves(sizes))
        xs.append((sizes * one.page).tolist())
        lines.append(Line(
            MEMORIES[one.name], middle, low, high,
            int((sizes < one.certain).sum()), hue=hue,
            about=f"first accesses: {first_rate(one)} per million"))
    return Series(
        "Misses of an LRU memory",
        Axis("size of the memory", BYTES, True),
        Axis("misses per million instructions", RATE, True), xs, lines,
        ["simulated, from low to high", "without first accesses"])


def table_of(one: Locality) -> Table:
    sizes = one.sizes
    rates = [np.round(rate, 3).tolist() for rate in one.curves(sizes)]
    return Table(f"Misses of an LRU memory: {MEMORIES[one.name]}", [
        Column("pages", COUNT, sizes.tolist()),
        Column("bytes", BYTES, (sizes * one.page).tolist(), "size"),
        *(Column(name, RATE, rate, title) for name, rate, title in zip(
            ("low", "middle", "high"), rates, ("", "simulated", ""))),
        Column("certain", YES, (sizes >= one.certain).astype(int).tolist(),
               "bounds hold")],
        {"set": one.name}, [*in_words(one), *limits_in_words(one)])


def in_words(one: Locality) -> List[str]:
    """Tell the misses of the least memory that is certain, and of those with
    few of them.
    """
    sizes = one.sizes[one.sizes >= one.certain]
    lows, _, highs = one.curves(sizes)
    lines = []
    for k in sorted({int(np.argmax(highs <= share * highs[0]))
                     for share in SAID_SHARES}):
        size, low, high = int(sizes[k]), lows[k], highs[k]
        rates = dict.fromkeys(in_unit(rate, RATE, "") for rate in (low, high))
        lines.append(f"With {byte_size(size * one.page)}: " + (
            f"{' to '.join(rates)} misses per million instructions."
            if high else "none but first accesses."))
    return lines


def first_rate(one: Locality) -> str:
    return in_unit(one.first * MILLION / one.end, RATE, "")


def limits_in_words(one: Locality) -> List[str]:
    """Explain the limits of the numbers."""
    sentences = [
        f"Without first accesses ({count(one.first)}, {first_rate(one)} per "
        "million instructions), which no memory saves.",
        f"From {pages_and_size(one.certain, one.page)} on, low and high hold: "
        "no part of the log has more."]
    if one.least > 1:
        sentences.append(
            f"Memories of less than {pages_and_size(one.least, one.page)} are "
            "left out, for parts of the log have more: a log with a smaller "
            "--ws-every has them.")
    return sentences
