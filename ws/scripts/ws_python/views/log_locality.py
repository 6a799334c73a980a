# SPDX-License-Identifier: GPL-2.0-or-later
"""How many pages an LRU memory misses, by its size.

All is without first accesses, which no memory saves, and per million
instructions, which every log has: while a program waits, it misses nothing.
"""

import argparse
from textwrap import wrap
from typing import List, Sequence, Tuple, Union

import numpy as np

from ws_python.base.failure import Failure
from ws_python.base.units import byte_size, count, noun, nouns, pages
from ws_python.engine.distances import Returns, accesses, distances, returns
from ws_python.engine.layers import page_size_of
from ws_python.model.log import PageLog
from ws_python.model.report import command_of
from ws_python.show.terminal import layout

MILLION = 1000000
TOGETHER = "insn+data"          # one memory for both
NAMES = {"data": "data", "insn": "code", TOGETHER: "code and data together"}
NOT_FOR_IT = ("at", "tau", "mapping", "average", "log", "bytes", "no_info")
BLIND = 100                     # that part of the time may be in larger parts
ALMOST = ("~: certain but for parts of the log that have more pages than the "
          "memory, which take less than 1 % of the time.")
ORDER = ("A log does not know in which order pages were accessed within a part "
         "of it: low and high are for the best order and the worst, and "
         "simulated is half way between them. Where these are far apart, as "
         "for a loop that just does not fit, believe high.")
MOST_SAID = 5

Row = List[Union[str, int, float]]


class Locality:
    """Of a set of a log's pages.  Misses by simulation are arrays, by the size
    of the memory, up to the one that is enough.
    """
    def __init__(self, log: PageLog, name: str, page_szB: int):
        self.name, self.page = name, page_szB
        found = accesses(log, name.split("+"), page_szB)
        start, n_parts = log.first_part, log.n_parts
        self.end = int(log.instructions[start:].sum())
        # A memory that has room for all pages of a part misses each of them
        # once in it at most; of larger parts, the log does not know.
        in_part = np.bincount(found.parts, minlength=n_parts)[start:]
        self.certain = int(in_part.max())
        in_larger = np.cumsum(np.bincount(
            in_part, log.instructions[start:])[::-1])[::-1]
        self.least = max(int((in_larger * BLIND > self.end).sum()) - 1, 1)
        self.simulate(returns(found, n_parts), start, n_parts)

    def simulate(self, some: Returns, start: int, n_parts: int) -> None:
        """What comes before the part `start` is in the memory already."""
        low, high = distances(some, n_parts)
        inside, again = some.parts >= start, some.before >= 0
        self.first = int(some.counts[inside & ~again].sum())
        counts = some.counts[inside & again]
        low, high = low[inside & again], high[inside & again]
        # The least memory that certainly misses nothing.
        self.enough = max(int(high.max(initial=0)) + 1, self.certain, 1)
        self.low, self.middle, self.high = (
            np.cumsum(np.bincount(far, counts, self.enough + 1)[::-1])[::-1]
            for far in (low, (low + high) // 2, high))

    @property
    def sizes(self) -> np.ndarray:
        """Of memories: powers of two, and what is half way between them, up to
        the first that is enough.
        """
        powers = 1 << np.arange((self.enough - 1).bit_length() + 1)
        some = np.unique(np.append(powers, 3 * powers // 2))
        return some[(some >= self.least)
                    & (some <= some[some >= self.enough][0])]

    def steps(self, number: int) -> np.ndarray:
        """So many sizes, or less, on a logarithmic axis."""
        return np.unique(np.geomspace(self.least, self.enough, number
                                      ).round().astype(np.int64))

    def rate(self, misses: np.ndarray) -> np.ndarray:
        """Per million instructions."""
        return misses * (MILLION / self.end)

    def curves(self, sizes: np.ndarray) -> List[np.ndarray]:
        """Low, middle, high: misses per million instructions."""
        return [self.rate(one[np.minimum(sizes, self.enough)])
                for one in (self.low, self.middle, self.high)]


def localities(log: PageLog, names: Sequence[str],
               options: argparse.Namespace) -> List[Locality]:
    """Of the sets that are wanted; of two, of both together, too."""
    for name in NOT_FOR_IT:
        if getattr(options, name, None):
            raise Failure(f"--locality has no --{name.replace('_', '-')}")
    some = [name for name in NAMES if name in names]
    if not some:
        raise Failure("a memory has pages that are only read, too: there is "
                      "no locality of dirty data")
    if not log.instructions[log.first_part:].any():
        raise Failure(f"{log.name}: has no instructions")
    page_szB = page_size_of(log, options.pagesize)
    return [Locality(log, name, page_szB)
            for name in some + [TOGETHER] * (len(some) > 1)]


def table(logs: Sequence[PageLog],
          options: argparse.Namespace) -> Tuple[List[str], List[Row]]:
    rows: List[Row] = []
    for one in localities(logs[0], options.set, options):
        for size, *rates in zip(one.sizes.tolist(), *one.curves(one.sizes)):
            rows.append([one.name, size, size * one.page,
                         *(round(float(rate), 3) for rate in rates),
                         int(size >= one.certain)])
    return ["set", "pages", "bytes", "low", "middle", "high", "certain"], rows


def text(logs: Sequence[PageLog], options: argparse.Namespace) -> List[str]:
    width = options.width
    found = localities(logs[0], options.set, options)
    lines = [command_of(logs[0], width), ""]
    for one in found:
        lines += text_of(one, width) + [""]
    notes = [*[ALMOST] * any(one.least < one.certain for one in found),
             ORDER]
    return lines + [line for note in notes for line in wrap(note, width)]


def in_words(one: Locality) -> List[str]:
    """What a few memories miss."""
    sizes = one.sizes[one.sizes >= one.certain]
    some = np.unique(sizes[np.linspace(0, len(sizes) - 1, MOST_SAID
                                       ).round().astype(int)])
    lines = []
    for size, low, _, high in zip(some.tolist(), *one.curves(some)):
        rates = dict.fromkeys([rate_text(low), rate_text(high)])
        lines.append(f"With {byte_size(size * one.page)}: " + (
            f"{' to '.join(rates)} misses per million instructions."
            if high else "none but first accesses."))
    return lines


def text_of(one: Locality, width: int) -> List[str]:
    rows = [[count(size), byte_size(size * one.page), rate_text(low),
             rate_text(middle),
             rate_text(high) + ("~" if size < one.certain else " "), ""]
            for size, low, middle, high in zip(
                one.sizes.tolist(), *one.curves(one.sizes))]
    return [*layout.heading(f"Misses of an LRU memory: {NAMES[one.name]}",
                            width),
            *in_words(one), "", *wrap(" ".join(about(one)), width), "",
            *layout.table([noun(one.page), "size", "low", "simulated",
                           "high ", ""], rows, width)]


def rate_text(rate: float) -> str:
    return f"{rate:,.1f}" if rate >= 1 else f"{rate:.2g}"


def about(one: Locality) -> List[str]:
    """What one has to know of the numbers."""
    def size(number: int) -> str:
        return f"{pages(number, one.page)} ({byte_size(number * one.page)})"

    sentences = [
        f"The table has misses per million instructions, of {nouns(one.page)}. "
        f"First accesses are left out ({count(one.first)}, "
        f"{rate_text(float(one.rate(one.first)))} per million): no memory "
        "saves them.",
        f"From {size(one.certain)} on, low and high are certain: no part of "
        "the log has more."]
    if one.least > 1:
        sentences.append(
            f"Memories of less than {size(one.least)} are left out, for parts "
            "of the log have more: a log with a smaller --ws-every has them.")
    return sentences
