# SPDX-License-Identifier: GPL-2.0-or-later
"""The view `mappings` of several page logs: what processes share."""

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Sequence, Tuple

import numpy as np

from ws_python.export import Value
from ws_python.layout import heading, table
from ws_python.log_layers import Layers, Stretch
from ws_python.log_mapped import mapped_of
from ws_python.log_sharing import Image, Sharing, sharing
from ws_python.log_tables import MOST_ROWS, Table
from ws_python.processes import processes_of
from ws_python.reports import Failure, commands_of, is_clocked
from ws_python.text import printable, shorten
from ws_python.units import MS, count, exact_time, nouns
from ws_python.units import pages as of_pages

if TYPE_CHECKING:
    from ws_python.page_log import PageLog


@dataclass
class Moment:
    """What is compared."""
    name: str                   # in tables
    title: str
    shared: Sharing


class Family:
    """All images of all processes, and who has forked whom."""

    def __init__(self, logs: Sequence["PageLog"],
                 options: argparse.Namespace, wanted: Sequence[str]):
        self.logs = logs
        if len({log.page_szB for log in logs}) > 1 or len(
                {log.unit for log in logs}) > 1:
            raise Failure("the logs have different page sizes or time units")
        reports: List[Any] = [*logs]    # headers and names are the same
        processes = processes_of(reports)
        process = {id(log): k for k, one in enumerate(processes)
                   for log in one.images}
        self.n_processes = len(processes)
        self.pids = [one.images[0].header.get("PID", "?")
                     for one in processes]
        # What a process ends as tells more than what forked it.
        self.commands = commands_of([one.images[-1] for one in processes], 400)
        names: Dict[str, int] = {}
        files: Dict[Tuple[int, int], int] = {}
        self.images: List[Image] = []
        for log in logs:
            mapped = mapped_of(log, options, wanted)
            self.images.append(Image(
                mapped, len(self.images), process[id(log)],
                numbers_of(mapped.maps.names, names),
                numbers_of(mapped.maps.files, files)))
        self.totals = [one.mapped.layers.whole().at(
            0, np.arange(len(one.mapped.times))) for one in self.images]
        self.names = [*names]
        self.page = self.images[0].mapped.page
        self.link()

    def in_cells(self, column: np.ndarray) -> np.ndarray:
        """By process and name."""
        return np.resize(column, (self.n_processes, len(self.names)))

    def process_name(self, process: int, width: int) -> str:
        return shorten(f"{self.pids[process]} {self.commands[process]}", width)

    def link(self) -> None:
        """Whom each was forked from: of the images of that process the last
        one that began before, or else the first with the same command.
        """
        for one in self.images:
            header = one.mapped.log.header
            before = [other for other in self.images if other is not one
                      and other.mapped.log.header.get("PID")
                      == header.get("Parent PID", "-")
                      and one not in other.ancestors
                      and start_of(other) <= start_of(one)]
            if before:
                parent = max(before, key=lambda other: (
                    start_of(other), other.mapped.log.header.get("Command")
                    == header.get("Command")))
                self.adopt(one, [parent, *parent.ancestors])

    def adopt(self, one: Image, ancestors: List[Image]) -> None:
        """Those that it has forked before have these, too."""
        for other in self.images:
            if one in other.ancestors:
                other.ancestors += ancestors
        one.ancestors = ancestors

    @property
    def clocked(self) -> bool:
        return all(is_clocked(log) and start_of(one) for log, one
                   in zip(self.logs, self.images))

    def ends_of(self, one: Image) -> np.ndarray:
        """The times of its samples since the first process began, and before
        them that from which on the first one is: a sample is of the time that
        ends with it.
        """
        return start_of(one) - min(map(start_of, self.images)) + np.append(
            one.mapped.log.begin, one.mapped.times)

    def over_time(self) -> Layers:
        """Of all together, by mapping, at each time at which one has a sample:
        what processes share counts for each.
        """
        times = np.unique(np.concatenate([self.ends_of(one)[1:]
                                          for one in self.images]))
        found = []
        for one in self.images:
            ends = np.searchsorted(times, self.ends_of(one), "right")
            some = one.mapped.layers.found
            found.append(Stretch(one.names[some.layers], ends[some.first],
                                 ends[some.end]))
        return Layers(self.names, times, Stretch(
            *map(np.concatenate, zip(*found))))

    def at_once(self) -> Tuple[int, List[Image], List[int]]:
        """When the sum of all is the largest, those that run then, and their
        samples.
        """
        layers = self.over_time()
        sums = layers.whole().at(0, np.arange(len(layers.times)))
        time = int(layers.times[np.argmax(sums)])
        running = [(one, int(np.searchsorted(self.ends_of(one), time)) - 1)
                   for one in self.images]
        running = [(one, k) for one, k in running
                   if 0 <= k < len(one.mapped.times)]
        return time, [one for one, _ in running], [k for _, k in running]

    def largest(self) -> Tuple[List[Image], List[int]]:
        """Of each process the image with the largest sample, and that."""
        best: Dict[int, Image] = {}
        for one in self.images:
            if not len(one.mapped.times):
                continue
            if one.process not in best or self.totals[one.number].max() > (
                    self.totals[best[one.process].number].max()):
                best[one.process] = one
        images = [*best.values()]
        return images, [int(self.totals[one.number].argmax())
                        for one in images]

    def moments(self) -> List[Moment]:
        """The largest samples, and the whole run."""
        shape = (len(self.images), len(self.names))
        if self.clocked:
            time, images, samples = self.at_once()
            title = f"at {exact_time(time, MS)}, when their sum is largest"
        else:
            images, samples = self.largest()
            title = "in the largest sample of each"
        return [Moment("largest", title, sharing(images, samples, *shape)),
                Moment("run", "in the whole run", sharing(
                    self.images, [None] * len(self.images), *shape))]


def numbers_of(own: Sequence[Any], known: Dict[Any, int]) -> np.ndarray:
    return np.array([known.setdefault(one, len(known)) for one in own],
                    np.int64)


def start_of(image: Image) -> int:
    log = image.mapped.log
    return log.number("Start") if "Start" in log.header else 0


# --- Tables ------------------------------------------------------------------

ABOUT = [
    "USS: pages that no other process has here. PSS: shared pages count in "
    "parts, so",
    "that the total is of different pages. RSS: all. These are working sets, "
    "not what",
    "the kernel keeps in memory. Pages of files at one offset are one page, "
    "if they",
    "were not written."]
UNKNOWN_WRITES = [
    "Logs that do not say what was written (--ws-dirty=yes of ws): all data "
    "that may be."]
NO_CLOCK = [
    "Instructions of different processes have no common clock: these samples "
    "are not of",
    "one time. With --ws-time-unit=ms, they are."]


def process_text(logs: Sequence["PageLog"],
                 options: argparse.Namespace) -> List[str]:
    family = Family(logs, options, options.set)
    lines: List[str] = []
    for moment in family.moments():
        lines += [*heading(f"{nouns(family.page)} of {family.n_processes} "
                           f"processes {moment.title}", options.width),
                  *by_process(family, moment.shared, options.width), ""]
        if moment.name == "largest":
            lines += [*by_mapping(family, moment.shared, options.width), ""]
            lines += [] if family.clocked else [*NO_CLOCK, ""]
    known = all(log.header.get("Dirty") == "yes" for log in logs)
    return [*lines, *ABOUT, *UNKNOWN_WRITES * (not known)]


def parts(pages: float) -> str:
    return f"{pages:,.1f}"


def by_process(family: Family, shared: Sharing, width: int) -> List[str]:
    """The largest USS first; small ones share a row."""
    uss, pss, rss, forked = (
        family.in_cells(column).sum(1)
        for column in (shared.uss, shared.pss, shared.rss, shared.forked))
    some = bool(forked.any())
    order = [int(k) for k in np.lexsort((-rss, -uss)) if rss[k]]
    shown = order if len(order) <= MOST_ROWS + 1 else order[:MOST_ROWS]

    def row(these: Sequence[int], name: str) -> List[str]:
        numbers = [count(int(column[these].sum()))
                   for column in (uss, rss, forked)]
        return [numbers[0], parts(pss[these].sum()), numbers[1],
                *numbers[2:] * some, name]

    rows = [row([k], family.process_name(k, width)) for k in shown]
    rest = order[len(shown):]
    if rest:
        rows.append(row(rest, f"{len(rest)} more"))
    rows.append(row(order, "total"))
    lines = table(["USS", "PSS", "RSS", *["by fork"] * some, "process"], rows,
                  width)
    if some:
        lines += ["By fork: of USS, what may be shared with the parent. If "
                  "all is, there are in all",
                  f"{of_pages(shared.least, family.page)}; if none is, "
                  f"{of_pages(shared.pages, family.page)}."]
    return lines


def by_mapping(family: Family, shared: Sharing, width: int) -> List[str]:
    pss, rss = (family.in_cells(column)
                for column in (shared.pss, shared.rss))
    order = [int(k) for k in np.lexsort((-rss.sum(0), -pss.sum(0)))
             if rss[:, k].any()]
    rows = [[parts(pss[:, k].sum()), count(int(rss[:, k].sum())),
             count(int((rss[:, k] > 0).sum())), family.names[k]]
            for k in order[:MOST_ROWS]]
    rest = order[MOST_ROWS:]
    if rest:
        rows.append([parts(pss[:, rest].sum()), count(int(rss[:, rest].sum())),
                     count(int((rss[:, rest] > 0).any(1).sum())),
                     f"{len(rest)} more"])
    return table(["PSS", "RSS", "processes", "mapping"], rows, width)


def process_rows(logs: Sequence["PageLog"],
                 options: argparse.Namespace) -> Table:
    """A row for each moment, process and mapping."""
    family = Family(logs, options, options.set)
    found: List[List[Value]] = []
    for moment in family.moments():
        shared = moment.shared
        for cell in np.flatnonzero(shared.rss):
            process, name = divmod(int(cell), len(family.names))
            found.append([
                moment.name, family.pids[process],
                printable(family.names[name]), int(shared.uss[cell]),
                round(float(shared.pss[cell]), 3), int(shared.rss[cell]),
                int(shared.forked[cell])])
    return ["when", "pid", "mapping", "uss", "pss", "rss", "forked"], found
