# SPDX-License-Identifier: GPL-2.0-or-later
"""The working sets of threads, and what they share: a page is private to a
thread if no other thread has accessed it in the window.
"""

import argparse
from typing import List, Sequence, Tuple

import numpy as np

from ws_python.base.failure import Failure
from ws_python.base.units import count, noun, size, tic, time_text
from ws_python.engine.layers import (PERCENT, Layers, Stretch, page_size_of,
                                     sample_of, samples_of, window_of)
from ws_python.engine.maps import Maps
from ws_python.engine.steps import Column, steps_of
from ws_python.engine.uses import accesses_of
from ws_python.engine.windows import Stays, stays_of
from ws_python.model.log import PageLog
from ws_python.model.report import command_of
from ws_python.show.terminal.layout import heading, table as as_table
from ws_python.show.terminal.log_tables import title_of
from ws_python.views.log_huge import WIDTH, nothing, sets_of, share, wrapped

BOTH = 1 << 32              # of two numbers in one, where the second ends
MORE = 4                    # threads that share a page, and more of them
MOST_ROWS = 20
TURNS = 10                  # of threads that a window should have
SAID = ("The second table has each page once. Valgrind runs one thread at a "
        "time, here {slice} on average: windows that are not much longer see "
        "few threads, and little of what they share.{advice} Numbers of threads that "
        "have ended are used again, so a number may be of several threads, "
        "one after the other.")


class Threads:
    """The view of a log."""
    def __init__(self, log: PageLog, options: argparse.Namespace):
        if log.header.get("Threads") != "yes":
            raise Failure(f"{log.name}: does not tell threads apart; the "
                          "option --ws-threads=yes of ws does")
        self.log, self.mapping = log, options.mapping
        self.tau = window_of(log, options.tau)
        self.page = page_size_of(log, options.pagesize)
        self.times = samples_of(log)
        # Also those that only the time before a part of the run has.
        self.numbers, self.thread = np.unique(log.threads, return_inverse=True)
        self.instructions = np.bincount(
            self.thread[log.first_part:], log.instructions[log.first_part:],
            len(self.numbers))
        self.make_layers(sets_of(log, options))
        # Before the first thread begins, its number is 0.
        self.there = np.flatnonzero(self.own.sizes().peak).tolist()
        self.at = sample_of(log, self.whole, getattr(options, "at", None),
                            self.tau, self.page)

    @property
    def slice(self) -> int:
        """How long a thread runs before another one does, on average."""
        some = self.log.threads[self.log.first_part:][
            self.log.instructions[self.log.first_part:] > 0]
        return int((self.log.ends[-1] - self.log.begin) // (
            1 + np.count_nonzero(some[1:] != some[:-1])))

    def make_layers(self, sets: Sequence[str]) -> None:
        """Of threads: all their pages, `own`, and those of nobody else; of
        numbers of threads: what is shared by so many.
        """
        threads = [f"thread {number}" for number in self.numbers]
        number = len(threads)
        found = self.accesses(sets)
        pages, thread = np.divmod(found.pages, number)
        self.own = Layers(threads, self.times,
                          Stretch(thread, found.first, found.end))
        # How many threads, and the sum of their places: of one, its place.
        steps = steps_of([Column(pages, found.first, found.end,
                                 BOTH + thread)], len(self.times))
        by, thread = np.divmod(steps.values[0], BOTH)
        by = np.minimum(by, MORE)
        shared = [f"shared by {k}" for k in range(2, MORE)] + [
            f"shared by {MORE} or more"]
        self.parts = Layers(
            [f"{name} alone" for name in threads] + shared, self.times,
            Stretch(np.where(by == 1, thread, number + by - 2), steps.first,
                    steps.end))
        self.shared = self.parts.grouped(np.maximum(
            np.arange(number + MORE - 1) - (number - 1), 0),
            ["of one thread alone", *shared])
        self.whole = self.parts.whole()

    def accesses(self, sets: Sequence[str]) -> Stays:
        """In the windows of a thread; instead of pages, keys of a page and a
        thread, whose place among all is the rest.
        """
        log = self.log
        found, parts = accesses_of(log, sets, self.page)
        if self.mapping:
            maps = Maps(log)
            some = np.array([self.mapping in name for name in maps.names])[
                maps.of(found, parts, self.page)]
            found, parts = found[some], parts[some]
        which = np.zeros(len(found), np.uint64)
        np.cumsum(found[1:] != found[:-1], out=which[1:])
        which *= np.uint64(len(self.numbers))
        which += self.thread[parts].astype(np.uint64)
        seen = stays_of(log, which, parts, self.tau)
        if not len(seen.pages):
            raise nothing(log, self.mapping)
        return seen._replace(pages=seen.pages.astype(np.int64))

# --- What is printed ---------------------------------------------------------

def table(logs: Sequence[PageLog], options: argparse.Namespace
          ) -> Tuple[List[str], List[List[int]]]:
    """A row for each sample."""
    found = Threads(logs[0], options)
    every = np.arange(len(found.times))
    names, columns = ["t", "all"], [found.times, found.whole.at(0, every)]
    for k in range(MORE):
        names.append(f"by_{k + 1}" + "_or_more" * (k + 1 == MORE))
        columns.append(found.shared.at(k, every))
    for k in found.there:
        names += [f"{name}_{found.numbers[k]}" for name in ("thread", "alone")]
        columns += [found.own.at(k, every), found.parts.at(k, every)]
    return names, np.stack(columns, axis=1).tolist()


def text(logs: Sequence[PageLog], options: argparse.Namespace) -> List[str]:
    log, width = logs[0], options.width
    found = Threads(log, options)
    number = len(found.there)
    return [
        command_of(log, width), "",
        *heading(f"Working sets of {number} thread{'s' * (number != 1)}",
                 width),
        title_of(log, "", found.tau, found.whole, found.at, found.page), "",
        *of_threads(found), "", *heading("What they share", width),
        *of_shared(found), "", *wrapped(SAID.format(
            slice=time_text(found.slice, log.unit), advice=advice(found)),
            width)]


def advice(found: Threads) -> str:
    """Another window, if this one has few turns."""
    if found.tau >= TURNS * found.slice:
        return ""
    better = tic(TURNS * found.slice, 1).replace(" ", "")
    return f" Here, --tau={better} would see more."


def of_threads(found: Threads) -> List[str]:
    """Those with the largest sets; p95 and peak are of all pages of one."""
    own, alone = found.own.at_sample(found.at), found.parts.at_sample(found.at)
    sizes, parts = found.own.sizes(), found.parts.sizes()
    shown = sorted(found.there, key=lambda k: -sizes.peak[k])[:MOST_ROWS]
    done = int(found.instructions.sum())
    rows = [[count(int(found.numbers[k])),
             share(int(found.instructions[k]), done), count(int(own[k])),
             count(int(alone[k])), count(sizes.average[k]),
             count(parts.average[k]), count(int(sizes.p95[k])),
             count(int(sizes.peak[k])), ""] for k in sorted(shown)]
    more = len(found.there) - len(shown)
    return as_table(["thread", "instructions", noun(found.page), "alone",
                     "avg", "avg alone", f"p{PERCENT}", "peak", ""],
                    rows, WIDTH) + [f"{more} more with smaller ones: --csv "
                                   "has them"] * bool(more)


def of_shared(found: Threads) -> List[str]:
    """By how many threads."""
    whole = int(found.whole.at_sample(found.at)[0])
    now, sizes = found.shared.at_sample(found.at), found.shared.sizes()
    rows = [[count(int(now[k])), share(int(now[k]), whole),
             size(int(now[k]), found.page), count(sizes.average[k]),
             count(int(sizes.p95[k])), count(int(sizes.peak[k])), name]
            for k, name in enumerate(found.shared.names)]
    return as_table([noun(found.page), "%", "size", "avg", f"p{PERCENT}",
                     "peak", ""], rows, WIDTH)
