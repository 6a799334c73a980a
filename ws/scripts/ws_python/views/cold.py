# SPDX-License-Identifier: GPL-2.0-or-later
"""Cold memory: resident, and not accessed for some time."""

from typing import List, Sequence

import numpy as np

from ws_python.base.text import Failure, printable
from ws_python.base.units import (BYTES, COUNT, SHARE, TEXT, TIME, exact_time,
                                  noun, pages_and_size)
from ws_python.base.view import Column, Shown, Table, View, columns_from
from ws_python.pagelog.idle import Gaps, Idle, spans_of
from ws_python.pagelog.layer_parts import (by_sample, in_sample, large_layers,
                                           over_time)
from ws_python.pagelog.layers import (LayerSteps, ShownSample, page_size_of,
                                      sample_of, times_of_samples, wanted_sets,
                                      window_of)
from ws_python.pagelog.log import PageLog
from ws_python.pagelog.maps import Maps
from ws_python.pagelog.ranges import Ints, is_first, picked, sums_by
from ws_python.pagelog.stretches import Stays
from ws_python.pagelog.windows import before_samples
from ws_python.report.compositions import Compositions, Origin
from ws_python.report.report import titled
from ws_python.report.request import Request
from ws_python.report.stacks import STACK_PREFIX, Paths, by_known, known_name

MOST_RANGES = 20            # in a table for people


class Cold:
    """The gaps of a log that are longer than a window, by origin."""

    def __init__(self, log: PageLog, request: Request):
        self.log, self.times = log, times_of_samples(log)
        self.tau = window_of(log, request.taus) if request.taus else max(
            [tau for tau in log.taus if tau < log.last_time] or log.taus)
        self.page = page_size_of(log, request.page_szB)
        self.spans = spans_of(log, self.tau)
        kinds = [kind for kind in wanted_sets(log, request.sets)
                 if kind != "dirty" or request.sets == ("dirty",)]
        idle = Idle(log, kinds, self.page, self.spans[0])
        maps = Maps(log, self.page)
        gaps, self.resident = idle.gaps(), idle.resident
        names = maps.of(gaps.pages, gaps.begin)
        chosen = maps.like(request.mapping)
        self.all = picked(gaps, chosen[names])
        first = self.all.unused(log, self.tau)
        long = first < self.all.end
        self.gaps: Gaps = picked(self.all, long)
        # The different owners in mappings, and that of each gap.
        keys, number = np.unique(
            self.gaps.frames * len(maps.names) + names[chosen[names]][long],
            return_inverse=True)
        paths = Paths(Compositions({}, {}, log.frames), by_known)
        parts = [Origin(0, None, frame or None, maps.names[name]) for frame, name
                 in (divmod(key, len(maps.names)) for key in keys.tolist())]
        self.names = [[self.owner(paths, part) for part in parts],
                      [printable(part.mapping) for part in parts]]
        self.first, self.number = first[long], number

    @staticmethod
    def owner(paths: Paths, part: Origin) -> str:
        """Name the program's function that made pages resident."""
        lead = (None if part.mapping.startswith(STACK_PREFIX)
                else paths.lead(part)[0])
        return printable(known_name(lead, False) if lead else part.mapping)

    def layers(self, names: Sequence[str]) -> LayerSteps:
        """Make layers of what has a name in common, and beside them those that
        are accessed again.
        """
        every = {name: k for k, name in enumerate(dict.fromkeys(names))}
        layer = np.array([every[name] for name in names], np.int64)[self.number]
        stays = Stays(self.gaps.pages, layer, self.first, self.gaps.end)
        begin = before_samples(self.log)
        return LayerSteps([*every], self.times, stays, begin, beside=LayerSteps(
            [*every], self.times, picked(stays, self.gaps.again), begin))

    def idle_times(self, at: int) -> Table:
        """Make a table of the pages that have been unused for each time."""
        rows = []
        for span in self.spans:
            unused = (self.all.unused(self.log, span) <= at) & (
                at < self.all.end)
            pages = int(unused.sum())
            rows.append((span, pages, pages / max(int(self.resident[at]), 1),
                         pages * self.page, int(self.all.again[unused].sum())))
        return Table("How long resident memory has been unused", columns_from(
            [("unused", TIME, "unused for"), ("pages", COUNT, noun(self.page)),
             ("share", SHARE, "of resident"), ("bytes", BYTES, "size"),
             ("again", COUNT, "used again")], rows))

    def ranges(self, at: int, most: int) -> Table:
        """Make a table of neighbouring pages with the same owner."""
        now = (self.first <= at) & (at < self.gaps.end)
        gaps, number = picked(self.gaps, now), self.number[now]
        begin = is_first(number, gaps.pages - np.arange(
            len(number)).astype(np.uint64))
        which: Ints = np.cumsum(begin) - 1
        counts = np.bincount(which)
        since = np.zeros(len(counts), np.int64)
        np.maximum.at(since, which, self.log.ends[gaps.begin])
        again = sums_by(which, gaps.again.astype(np.int64), len(counts))
        order = np.argsort(-counts, kind="stable")[:most]
        first, (owners, mappings) = gaps.pages[begin], self.names
        return Table(f"By address: {len(order):,} of {len(counts):,} ranges", [
            Column("address", TEXT, [f"0x{page * self.page:x}" for page
                                     in first[order].tolist()]),
            Column("pages", COUNT, counts[order].tolist(), noun(self.page)),
            Column("bytes", BYTES, (counts[order] * self.page).tolist(), "size"),
            Column("since", TIME, since[order].tolist(), "last used at"),
            Column("again", COUNT, again[order].tolist(), "used again"),
            *(Column(name, TEXT, [names[k] for k in number[begin][order]])
              for name, names in (("mapping", mappings),
                                  ("first used by", owners)))], is_wide=True)


def view(logs: Sequence[PageLog], request: Request) -> View:
    log = logs[0]
    cold = Cold(log, request)
    owners, mappings = map(cold.layers, cold.names)
    sample = sample_of(log, owners.whole(), request.at, cold.tau, cold.page)
    if not len(cold.gaps.pages):
        raise Failure(f"{log.name}: no resident page was unused for "
                      f"{exact_time(cold.tau, log.unit)}; --tau=N is shorter")
    at = sample.number
    parts: List[Shown] = [
        cold.idle_times(at),
        *(in_sample(f"By {title}", [by_sample(layers, at, what)], sample, title,
                    "again")
          for title, layers, what in (("origin", owners, "functions"),
                                      ("mapping", mappings, "mappings"))),
        over_time("Unused memory by function, over time", owners,
                  large_layers(owners, "functions"), log.begin, []),
        cold.ranges(at, len(cold.first) if request.in_full else MOST_RANGES)]
    return View("cold", titled("Unused memory", log), parts, cold.page, log.unit,
                [cold_in_words(cold, sample)], [
        "Resident: accessed, and neither unmapped nor discarded since. A page "
        "belongs to the code that made it resident, and to the mapping of its "
        "last access. used again: before the end of the run, or of the mapping."])


def cold_in_words(cold: Cold, sample: ShownSample) -> str:
    """Say how much is cold, and whether it was of use."""
    at, pages = sample.number, sample.pages
    now = (cold.first <= at) & (at < cold.gaps.end)
    never = pages - int(cold.gaps.again[now].sum())
    return (f"At {exact_time(int(cold.times[at]), cold.log.unit)}, "
            f"{pages_and_size(pages, cold.page)} of "
            f"{pages_and_size(int(cold.resident[at]), cold.page)} resident had "
            f"been unused for {exact_time(cold.tau, cold.log.unit)} or longer; "
            f"{pages_and_size(never, cold.page)} were never used again.")
