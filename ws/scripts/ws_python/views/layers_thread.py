# SPDX-License-Identifier: GPL-2.0-or-later
"""Layers by thread, and the pages that threads share.  A page is private to a
thread if no other thread has accessed it in the window.
"""

from typing import Sequence, Tuple

import numpy as np

from ws_python.base.units import SHARE, in_unit, time_text
from ws_python.base.view import Layers as ShownLayers
from ws_python.base.view import View
from ws_python.pagelog.layer_parts import (about_window, all_samples, group_of,
                                           in_sample, over_time)
from ws_python.pagelog.layers import (Group, LayerSteps, no_large_pages,
                                      page_size_of, sample_of, sets_with_pages,
                                      times_of_samples, window_of)
from ws_python.pagelog.log import PageLog
from ws_python.pagelog.maps import Maps
from ws_python.pagelog.ranges import Ints, is_first, stacked
from ws_python.pagelog.steps import StepColumn, steps_of
from ws_python.pagelog.stream import PageTable, batches
from ws_python.pagelog.stretches import Stays, Stretches
from ws_python.pagelog.threads import TURNS, advice, slice_of, threads_of
from ws_python.pagelog.windows import before_samples
from ws_python.report.report import titled
from ws_python.report.request import Request

BOTH = 1 << 32              # joins two numbers in one
MORE = 4                    # threads that share a page, and more of them
MOST_PRIVATE = 7            # threads with a layer of their own
ABOUT_THREADS = (
    "The second table has each page once. Valgrind runs one thread at a time, "
    "here {slice} on average: windows that are not much longer see few threads, "
    "and little of what they share.{advice} Numbers of threads that have ended "
    "are used again: with the same name, they count as one thread.")


class Threads:
    """The view of a log."""
    def __init__(self, log: PageLog, request: Request):
        # History may have threads that a part of the run lacks.
        self.names, self.thread = threads_of(log)
        self.log, self.mapping = log, request.mapping
        self.tau, self.slice = window_of(log, request.taus), slice_of(
            log, self.thread)
        self.page = page_size_of(log, request.page_szB)
        self.times = times_of_samples(log)
        self.instructions = np.bincount(
            self.thread[log.first_part:], log.instructions[log.first_part:],
            len(self.names))
        self.own, self.parts, self.shared = self.make_layers(
            sets_with_pages(log, request.sets))
        self.whole = self.parts.whole()
        self.at = sample_of(log, self.whole, request.at, self.tau, self.page)

    def rows(self) -> LayerSteps:
        """Return a row for each thread; before the first, its number is 0."""
        there = np.flatnonzero(self.own.sizes().peak).tolist()
        return self.own.grouped([Group(self.own.names[k], [k]) for k in there])

    def work(self) -> str:
        """Tell which threads execute most instructions."""
        shares = self.instructions / max(int(self.instructions.sum()), 1)
        largest = np.argsort(-shares, kind="stable")[:MOST_PRIVATE].tolist()
        return "Of all instructions, " + ", ".join(
            f"{in_unit(shares[k], SHARE, '')} are of {self.own.names[k]}"
            for k in largest if shares[k]) + "."

    def make_layers(self, sets: Sequence[str]
                    ) -> Tuple[LayerSteps, LayerSteps, LayerSteps]:
        """Make layers of all pages of each thread; of pages of each thread alone,
        and pages by the number of threads that share them; and the latter with
        a single layer for pages of one thread alone.
        """
        threads = self.names
        number = len(threads)
        stays = self.accesses(sets)
        pages, thread = np.divmod(stays.pages.astype(np.int64), number)
        own = stays._replace(layers=thread)
        # The number of threads, and the sum of their places.
        steps = steps_of([StepColumn(pages, stays.first, stays.end,
                                     BOTH + thread)], len(self.times))
        by, thread = np.divmod(steps.values[0], BOTH)
        by = np.minimum(by, MORE)
        shared = [f"shared by {k}" for k in range(2, MORE)] + [
            f"shared by {MORE} or more"]
        alone = by == 1
        parts = Stays(steps.keys.astype(np.uint64), np.where(alone, thread, number + by - 2),
                      steps.first, steps.end)
        begin = before_samples(self.log)
        in_own = LayerSteps(threads, self.times, own, begin, beside=LayerSteps(
            threads, self.times, Stays(
                parts.pages[alone], parts.layers[alone], parts.first[alone],
                parts.end[alone]), begin), touched=self.touched)
        in_parts = LayerSteps([f"{name} alone" for name in threads] + shared,
                              self.times, parts, begin)
        return in_own, in_parts, in_parts.grouped([
            Group("of one thread alone", [*range(number)]),
            *(Group(name, [k]) for k, name in enumerate(shared, number))])

    def accesses(self, sets: Sequence[str]) -> Stays:
        """Return stretches in the windows of threads.  Their pages are keys:
        page * number of threads + place of the thread.
        """
        log, maps = self.log, Maps(self.log, self.page)
        wanted = maps.like(self.mapping)
        number = len(self.names)
        of_threads = [Stretches(log, self.tau) for _ in range(number)]
        touched = [PageTable() for _ in range(number)]
        for batch in batches(log):
            pages, parts = batch.by_page(sets, self.page // log.page_szB)
            if not wanted.all():
                matching = wanted[maps.of(pages, parts)]
                pages, parts = pages[matching], parts[matching]
            of = self.thread[parts]
            for k in np.unique(of).tolist():
                own, at = pages[of == k], parts[of == k]
                of_threads[k].add(
                    batch, own, at,
                    lambda _, uses, k=k: np.full(len(uses.seen), k))
                own = own[at >= log.first_part]
                touched[k].put(own[is_first(own)], np.zeros(
                    int(is_first(own).sum()), np.int64))
        self.touched = np.array([len(table.pages) for table in touched])
        joint = stacked([stretches.within() for stretches in of_threads])
        if not len(joint.pages):
            raise no_large_pages(log, self.mapping)
        which = np.unique(joint.pages, return_inverse=True)[1]
        keys: Ints = which * number + joint.layers
        return joint._replace(pages=keys.astype(np.uint64))

# --- The view ----------------------------------------------------------------

def view(logs: Sequence[PageLog], request: Request) -> View:
    log = logs[0]
    threads = Threads(log, request)
    return View(
        "threads", titled("Working sets of threads", log),
        [in_sample(threads.at.in_words(""), [threads.rows()], threads.at,
                   "thread", "alone"),
         in_sample("What they share", [threads.shared],
                   threads.at, "threads", ""), of_each(threads), *([all_samples(
            threads.rows(), ["t", "thread", "pages", "alone"], {})]
            if request.in_full else [])],
        threads.page, log.unit, [threads.work()], [ABOUT_THREADS.format(
            slice=time_text(threads.slice, log.unit),
            advice=advice(log, threads.tau, threads.slice))])


def of_each(threads: Threads) -> ShownLayers:
    """Make layers in the order of threads, then of shared pages."""
    parts, number = threads.parts, len(threads.names)
    peak = parts.sizes().peak
    private = np.argsort(-peak[:number], kind="stable").tolist()
    alone = [*sorted(private[:MOST_PRIVATE]), *range(number, len(peak))]
    small = [k for k in private[MOST_PRIVATE:] if peak[k]]
    groups = [Group(parts.names[k], [k]) for k in alone if peak[k]]
    if small:
        groups.append(group_of(parts, small, "threads")._replace(rest=True))
    log = threads.log
    notes = [about_window(log, threads.tau)]
    if threads.tau < TURNS * threads.slice:
        notes.append(
            f"a thread runs {time_text(threads.slice, log.unit)} at a time")
    return over_time("What threads have, over time", parts, groups, log.begin,
                     [*notes, "alone: accessed by no other in the window"])
