# SPDX-License-Identifier: GPL-2.0-or-later
"""The processes of a run: reports of their programs, and their names."""

import os
import re
from dataclasses import dataclass, replace
from itertools import chain
from typing import Dict, List, Optional, Sequence, Tuple, TypeVar

from ws_python.base.units import Number, count
from ws_python.report.report import Headed, Report, command_of
from ws_python.report.sizes import Sizes, instructions_of, main_sizes, work_of

ADDED_COLUMNS = ("avg", "p95", "peak", "total")
NOT_ADDED = ("p95",)        # has no sum
# The number of a process's program in a report's name, with the extension.
PROGRAM_NUMBER = re.compile(r"\.[0-9]{1,9}(\.(?=[^./]*[^0-9./])[^./]*)?$")
SMALL_PROCESS = 100         # with less than 1/100 of the work, it is small
LARGEST = 10                # processes that are never small
File = TypeVar("File", bound=Headed)


def in_one_window(reports: Sequence[Report]) -> List[Report]:
    """Reduce reports to the window that views show of the largest process.  If
    a report lacks this window, each is reduced to its own.
    """
    tau = max(reports, key=work_of).main
    common = all(tau in report.windows for report in reports)
    return [replace(report, windows=[tau if common else report.main])
            for report in reports]


@dataclass
class Process:
    """The programs that one process executed, one after another."""
    images: List[Report]

    @property
    def main(self) -> Report:
        """The program that did the most work."""
        return max(self.images, key=work_of)

    @property
    def complete(self) -> bool:
        return all(image.complete for image in self.images)

    @property
    def instructions(self) -> Optional[int]:
        known = [number for number in map(instructions_of, self.images)
                 if number is not None]
        return sum(known) if known else None

    @property
    def work(self) -> int:
        return sum(map(work_of, self.images))

    def sizes(self, name: str) -> Optional[Sizes]:
        """Return the sizes of a set over the samples of all programs.  The
        pages of a program are gone when the next program begins.
        """
        of_images = [sizes for image in self.images
                     for sizes in main_sizes(image, [name]).values()]
        if not of_images:
            return None
        peaks = [sizes.peak for sizes in of_images if sizes.peak is not None]
        pages = [sizes.pages for sizes in of_images if sizes.pages is not None]
        return replace(
            of_images[0], peak=max(peaks, default=None),
            ordered=sorted(chain(*(sizes.ordered for sizes in of_images))),
            pages=sum(pages) if len(pages) == len(of_images) else None)


def grouped_by_process(files: Sequence[File]) -> List[List[File]]:
    """Group reports or logs by process.  The file of its first program is
    called ws.out.PID or PID.ws, that of the next program ws.out.PID.1 or
    PID.1.ws.  PIDs alone do not suffice: the kernel uses them again, and
    containers have the same ones.
    """
    def key(file: File) -> Tuple[str, str]:
        return (file.pid,
                re.sub(r"\.(gz|zst)$", "", os.path.normpath(file.name)))

    known = {key(file) for file in files}
    groups: Dict[Tuple[str, str], List[File]] = {}
    for file in files:
        pid, name = key(file)
        first = pid, PROGRAM_NUMBER.sub(r"\1", name)
        groups.setdefault(first if first in known else (pid, name),
                          []).append(file)
    return [*groups.values()]


def processes_of(reports: Sequence[Report]) -> List[Process]:
    return [*map(Process, grouped_by_process(reports))]


def processes_in_words(number: int) -> str:
    return f"{count(number)} {'process' if number == 1 else 'processes'}"


def process_names(reports: Sequence[Report]) -> List[str]:
    """Name reports by PIDs; programs of one process get PID#1, PID#2."""
    pids = [report.pid for report in reports]
    return [pid if pids.count(pid) == 1 else f"{pid}#{pids[:k].count(pid) + 1}"
            for k, pid in enumerate(pids)]


def parent_of(images: Sequence[Headed]) -> Optional[str]:
    """Return a process's parent; only its first program's file has that."""
    return next((image.header["Parent PID"] for image in images
                 if "Parent PID" in image.header), None)


def title_of_processes(files: Sequence[Headed], width: int) -> str:
    """Return the number of processes, and the command of the first process."""
    processes = grouped_by_process(files)
    pids = {file.header.get("PID") for file in files}
    first = next((images for images in processes
                  if parent_of(images) not in pids), processes[0])
    command = command_of(first[0], width)
    return (f"{count(len(processes))} processes: {command}" if processes[1:]
            else command)


def file_names(reports: Sequence[Report]) -> Dict[str, str]:
    """Map names to names without directories, if these remain different."""
    names = [report.name for report in reports]
    short = [os.path.basename(name) for name in names]
    return dict(zip(names, short if len({*short}) == len({*names}) else names))


def counted(processes: Sequence[Process]) -> bool:
    """True if the instructions of any process are known."""
    return any(process.instructions is not None for process in processes)


def values_of(process: Process, name: str) -> List[Optional[Number]]:
    sizes = process.sizes(name)
    return [process.instructions, *(
        None if sizes is None else sizes.statistic(column)
        for column in ADDED_COLUMNS)]
