# SPDX-License-Identifier: GPL-2.0-or-later
"""The processes of a run, in a table."""

import os
import re
from dataclasses import dataclass, replace
from itertools import chain
from typing import Dict, List, Optional, Sequence, Tuple

from ws_python.base.text import shorten
from ws_python.base.units import Number, count, exact_time, nouns
from ws_python.model.report import Report, command_of, commands_of, unit_of
from ws_python.model.sizes import Sizes, instructions_of, sizes_of, work_of
from ws_python.show.terminal.layout import heading, table

COLUMNS = ("avg", "p95", "peak", "total")
PERCENTILES = ("p95",)      # they cannot be added
SMALL = 100                 # a process with less than 1/100 of the work,
LARGEST = 10                # unless it is one of the ten largest
NAME_ROOM = 20              # of a file's name


def first_sizes(report: Report, wanted: Sequence[str]) -> Dict[str, Sizes]:
    """Return the sizes in the first window, by the set."""
    return {some.set: some for some in sizes_of(report, wanted) if some.first}


@dataclass
class Process:
    """The programs that one process executed, one after another."""
    images: List[Report]

    @property
    def main(self) -> Report:
        """The program that did the most work."""
        return max(self.images, key=work_of)

    @property
    def parent(self) -> Optional[str]:
        """Its PID; only the first program's report has it."""
        return next((image.header["Parent PID"] for image in self.images
                     if "Parent PID" in image.header), None)

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
        """Return the sizes over the samples of all programs; the pages of one
        are gone when the next begins.
        """
        found = [some[name] for some in (first_sizes(image, [name])
                                         for image in self.images) if some]
        if not found:
            return None
        peaks = [some.peak for some in found if some.peak is not None]
        pages = [some.pages for some in found if some.pages is not None]
        return replace(
            found[0], peak=max(peaks, default=None),
            ordered=sorted(chain(*(some.ordered for some in found))),
            pages=sum(pages) if len(pages) == len(found) else None)


def numbered(name: str) -> Tuple[str, Optional[int], str]:
    """Split a report's name, as ws makes it, into the name before the number,
    the number, and the extension.
    """
    end = re.search(r"(?<=[^/])\.(?=[^./]*[^0-9./])[^./]*$", name)
    stem, extension = (name[:end.start()], end[0]) if end else (name, "")
    match = re.fullmatch(r"(.*)\.([0-9]{1,9})", stem)
    return ((match[1], int(match[2]), extension) if match
            else (stem, None, extension))


def processes_of(reports: Sequence[Report]) -> List[Process]:
    """Group reports by process.  The first program's report is ws.out.PID or
    PID.ws, the next one's ws.out.PID.1 or PID.1.ws.  PIDs alone do not tell:
    they are used again, and are the same in all containers.
    """
    def key(report: Report) -> Tuple[str, str]:
        return (report.header.get("PID", "?"),
                re.sub(r"\.(gz|zst)$", "", os.path.normpath(report.name)))

    known = {key(report) for report in reports}
    found: Dict[Tuple[str, str], Process] = {}
    for report in reports:
        pid, name = key(report)
        stem, _, extension = numbered(name)
        first = (pid, stem + extension)
        found.setdefault(first if first in known else (pid, name),
                         Process([])).images.append(report)
    return [*found.values()]


def process_names(reports: Sequence[Report]) -> List[str]:
    """Name reports by PIDs; programs of one process get PID#1, PID#2."""
    pids = [report.header.get("PID", "?") for report in reports]
    return [pid if pids.count(pid) == 1 else f"{pid}#{pids[:k].count(pid) + 1}"
            for k, pid in enumerate(pids)]


def by_work(processes: Sequence[Process]) -> List[Process]:
    """Sort processes by their work, the most first."""
    return sorted(processes, key=lambda one: -one.work)


def title_of(reports: Sequence[Report], width: int) -> str:
    """Return the number of processes, and the command of the first one, which
    no other one forked.
    """
    processes = processes_of(reports)
    pids = {report.header.get("PID") for report in reports}
    first = next((one for one in processes if one.parent not in pids),
                 processes[0])
    command = command_of(first.images[0], width)
    return (f"{count(len(processes))} processes: {command}" if processes[1:]
            else command)


def file_names(reports: Sequence[Report]) -> Dict[str, str]:
    """Map names to names without directories, if these remain different."""
    names = [report.name for report in reports]
    short = [*map(os.path.basename, names)]
    return dict(zip(names, short if len({*short}) == len({*names})
                    else names))


def counted(processes: Sequence[Process]) -> bool:
    """True if any process has counted instructions."""
    return any(process.instructions is not None for process in processes)


def values_of(process: Process, name: str) -> List[Optional[Number]]:
    some = process.sizes(name)
    return [process.instructions, *(
        None if some is None else some.statistic(column)
        for column in COLUMNS)]


def sums(values: Sequence[Sequence[Optional[Number]]]) -> List[str]:
    """Sum up the cells of several processes."""
    known = [[number for number in column if number is not None]
             for column in zip(*values)]
    return ["-" if column in PERCENTILES or not some else count(sum(some))
            for column, some in zip(("", *COLUMNS)[-len(known):], known)]


def folded(processes: Sequence[Process]) -> int:
    """Return how many processes, the largest first, have a row."""
    work = [process.work for process in processes]
    large = sum(one * SMALL >= sum(work) for one in work)
    shown = max(large, LARGEST)
    # A row for one more process can be its own.
    return shown if shown + 1 < len(work) else len(work)


def process_rows(processes: Sequence[Process], name: str, names: Dict[str, str],
                 width: int, parents: bool) -> List[List[str]]:
    """Make rows of all processes with parents, or of the larger ones."""
    values = [values_of(process, name) for process in processes]
    if not counted(processes):
        values = [row[1:] for row in values]
    shown = len(processes) if parents else folded(processes)
    more = [""] * parents
    rows = []
    commands = commands_of([process.main for process in processes], 5 * width)
    for process, numbers, command in zip(processes[:shown], values, commands):
        main = process.main
        rows.append([
            shorten(names[main.name], NAME_ROOM),
            *[process.parent or "-"] * parents,
            *map(count, numbers),
            "TRUNCATED " * (not process.complete) + command])
    if processes[shown:]:
        rows.append([f"{count(len(processes) - shown)} more",
                     *sums(values[shown:]), "< 1 % each"])
    rows.append(["total", *more, *sums(values), ""])
    return rows


def process_table(reports: Sequence[Report], wanted: Sequence[str], width: int,
                  everything: bool) -> List[str]:
    """Make a table for each set: the larger processes, or with `everything`
    all reports, and their sums.
    """
    processes = processes_of(reports)
    number = count(len(processes))
    if everything:
        processes = [Process([report]) for report in reports]
    else:
        processes = by_work(processes)
    names = file_names(reports)
    page = max(report.number("Page size") for report in reports)
    unit = unit_of(reports[0])
    taus = ", ".join(exact_time(tau, unit) for tau in sorted(
        {report.windows[0] for report in reports}))
    lines: List[str] = []
    for name in wanted:
        if any(first_sizes(report, [name]) for report in reports):
            lines += heading(f"{name}: {nouns(page)} in {number} processes, "
                             "tau=" + shorten(taus, 40), width)
            lines += table(
                ["report", *["parent"] * everything,
                 *["instructions"] * counted(processes), *COLUMNS,
                 "command"], process_rows(processes, name, names, width,
                                          everything), width, left=1) + [""]
    if len(processes) < len(reports):
        lines += ["A process is named after the program that did most of its "
                  "work; the view all", "has a row for each report."]
    return lines + [
        "The total is what the processes would have if all ran at one time, "
        "and of the", "peaks an upper limit. A page that they share counts for "
        "each of them."]
