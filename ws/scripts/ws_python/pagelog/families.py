# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the page logs of several processes: their forks, and their pages
over time.
"""

import os
from dataclasses import dataclass
from typing import Dict, List, Sequence, Set, Tuple, TypeVar

import numpy as np

from ws_python.base.text import Failure, printable
from ws_python.base.units import MS, exact_time
from ws_python.pagelog.layers import LayerSteps
from ws_python.pagelog.log import PageLog
from ws_python.pagelog.mapped import mapped_of_all
from ws_python.pagelog.ranges import Floats, Ints, stacked
from ws_python.pagelog.sharing import Image, ImageAt, Sharing, sharing
from ws_python.pagelog.stretches import Stays
from ws_python.report.processes import grouped_by_process
from ws_python.report.report import commands_of
from ws_python.report.request import Request

Cells = TypeVar("Cells", Ints, Floats)
Shared = TypeVar("Shared", str, Tuple[int, int])


@dataclass
class Occasion:
    """When processes are compared: in a sample of each, or in the whole run."""
    name: str                   # in tables
    title: str
    processes: Set[int]         # those that run then
    shared: Sharing


class Family:
    """All images of all processes, with their ancestors."""

    def __init__(self, logs: Sequence[PageLog], request: Request):
        self.logs = logs
        if len({log.page_szB for log in logs}) > 1 or len(
                {log.unit for log in logs}) > 1:
            raise Failure("the logs have different page sizes or time units")
        processes = grouped_by_process(logs)
        process = {id(log): k for k, images in enumerate(processes)
                   for log in images}
        self.n_processes = len(processes)
        self.pids = [images[0].pid for images in processes]
        # As in reports: the program that did most of the work.
        self.commands = commands_of([max(images, key=lambda log: int(
            log.instructions.sum())) for images in processes], 400)
        names: Dict[str, int] = {}
        files: Dict[Tuple[int, int], int] = {}
        self.images: List[Image] = []
        for mapped in mapped_of_all(logs, request):
            self.images.append(Image(
                mapped, len(self.images), process[id(mapped.log)],
                shared_numbers(mapped.maps.names, names),
                shared_numbers(mapped.maps.files, files)))
        self.totals = [image.mapped.layers.whole().of_layer()
                       for image in self.images]
        self.names = [*names]
        if not self.sampled():
            raise Failure("none of these logs has a sample; --ws-every of ws "
                          "says how often one is taken")
        self.page = self.images[0].mapped.page
        self.link()

    def in_cells(self, column: Cells) -> Cells:
        """Reshape a column of Sharing to a row for each process, and a column
        for each name.
        """
        return column.reshape(self.n_processes, len(self.names))

    def program_of(self, process: int) -> str:
        return printable(os.path.basename(
            self.commands[process].partition(" ")[0]))

    def short_names(self) -> List[str]:
        """Name processes by their programs, and by PID if not unique."""
        names = [*map(self.program_of, range(self.n_processes))]
        return [name if names.count(name) == 1 else f"{name} {pid}"
                for name, pid in zip(names, self.pids)]

    def absent(self, occasion: Occasion) -> Dict[str, List[int]]:
        """Return the processes without pages on an occasion, by reason."""
        reasons: Dict[str, List[int]] = {}
        rss = self.in_cells(occasion.shared.rss).sum(1)
        for process in np.flatnonzero(rss == 0).tolist():
            why = ("without any page then" if process in occasion.processes
                   else "not running then" if process in self.sampled() else
                   "without a sample (over before the first one)")
            reasons.setdefault(why, []).append(process)
        return reasons

    def sampled(self) -> Set[int]:
        """Return the processes that have a sample."""
        return {image.process for image in self.images
                if len(image.mapped.times)}

    def link(self) -> None:
        """Find the parent of each image: the last image of the parent process
        that began before; among equals, an image with the same command.
        """
        for image in self.images:
            header = image.mapped.log.header
            before = [other for other in self.images if other is not image
                      and other.mapped.log.header.get("PID")
                      == header.get("Parent PID", "-")
                      and image not in other.ancestors
                      and start_of(other) <= start_of(image)]
            if before:
                image.parent = max(before, key=lambda other: (
                    start_of(other), other.mapped.log.header.get("Command")
                    == header.get("Command")))

    @property
    def clocked(self) -> bool:
        return all(log.is_clocked and start_of(image) for log, image
                   in zip(self.logs, self.images))

    def ends_of(self, image: Image) -> Ints:
        """Return the times of an image's samples since the first process
        began, after the time at which its first sample begins to count: a
        sample stands for the time that ends with it.
        """
        return start_of(image) - min(map(start_of, self.images)) + np.append(
            image.mapped.log.begin, image.mapped.times)

    def over_time(self) -> LayerSteps:
        """Return the layers of all images together, by mapping, at the times
        of all samples.  A shared page counts for each process.
        """
        times = np.unique(np.concatenate([self.ends_of(image)[1:]
                                          for image in self.images]))
        by_image = []
        for image in self.images:
            ends = np.searchsorted(times, self.ends_of(image), "right")
            stays = image.mapped.stays
            by_image.append(Stays(
                stays.pages, image.names[image.mapped.maps.name[stays.layers]],
                ends[stays.first], ends[stays.end]))
        return LayerSteps(self.names, times, stacked(by_image))

    def at_once(self) -> Tuple[int, List[ImageAt]]:
        """Return the time at which the sum of all is largest, and the images
        that run then, at their samples.
        """
        layers = self.over_time()
        time = int(layers.times[np.argmax(layers.whole().of_layer())])
        samples = [(image, int(np.searchsorted(self.ends_of(image), time)) - 1)
                   for image in self.images]
        return time, [(image, k) for image, k in samples
                      if 0 <= k < len(image.mapped.times)]

    def largest(self) -> List[ImageAt]:
        """Return the largest sample of each process, with its image."""
        best: Dict[int, Image] = {}
        for image in sorted(self.images, key=lambda image: -int(
                self.totals[image.number].max(initial=0))):
            if len(image.mapped.times):
                best.setdefault(image.process, image)
        return [(image, int(self.totals[image.number].argmax()))
                for image in best.values()]

    def occasions(self) -> List[Occasion]:
        """Compare the largest samples, and the whole run."""
        shape = self.n_processes, len(self.names)
        if self.clocked:
            time, images = self.at_once()
            title = f"at {exact_time(time, MS)}, when their sum is largest"
        else:
            images = self.largest()
            title = "in the largest sample of each"
        runs: List[ImageAt] = [(image, None) for image in self.images]
        return [Occasion(name, title, {image.process for image, _ in chosen},
                           sharing(chosen, *shape))
                for name, title, chosen in (
                    ("largest", title, images),
                    ("run", "in the whole run", runs))]


def shared_numbers(own: Sequence[Shared], known: Dict[Shared, int]) -> Ints:
    """Return the numbers of items in all logs; give new items new numbers."""
    return np.array([known.setdefault(item, len(known)) for item in own],
                    np.int64)


def start_of(image: Image) -> int:
    """Return the time of day when an image began, in ms; 0: not known."""
    log = image.mapped.log
    return log.number("Start") if "Start" in log.header else 0
