# SPDX-License-Identifier: GPL-2.0-or-later
"""The runs in a picture: which have a curve of their own, and their names."""

import os
from dataclasses import dataclass
from typing import List, Sequence

from ws_python.base.text import shorten
from ws_python.base.units import byte_size, noun
from ws_python.model.processes import SMALL
from ws_python.model.report import (Report, after_start, command_of,
                                    is_clocked, is_estimate)
from ws_python.model.sizes import work_of

COMMAND_ROOM = 30       # a command and a file's name need so much at least


@dataclass
class Run:
    """A report, and when it begins on the axis of time."""
    report: Report
    page: int                   # its size
    begin: int
    name: str = ""

    @property
    def work(self) -> int:
        return work_of(self.report)

    def largest(self, kind: str) -> int:
        """The largest sample of a set and any window, in bytes."""
        return self.page * max(
            (value for tau in self.report.windows
             for value in self.report.columns.get(
                 self.report.column(kind, tau), ())[after_start(self.report):]
             ), default=0)


@dataclass
class Cast:
    """All runs, those with curves of their own in the order of the reports."""
    shown: List[Run]
    others: List[Run]
    aligned: bool               # whether they begin when they began

    def name(self, width: int) -> None:
        runs = self.shown + self.others
        for run, name in zip(runs, names_of(
                [run.report for run in runs], [run.page for run in runs],
                width)):
            run.name = name

    @property
    def measure(self) -> str:
        """Of what a share is one."""
        return ("the memory that is used"
                if all(is_estimate(run.report) for run in self.shown)
                else "instructions")

    @property
    def share(self) -> float:
        """Of all work, in percent: that of the others."""
        total = sum(run.work for run in self.shown + self.others)
        return 100 * sum(run.work for run in self.others) / (total or 1)


def cast_of(reports: Sequence[Report], pages: Sequence[int], kind: str,
            most: int) -> Cast:
    """The largest have curves of their own: so many, and none that executes
    hardly anything, for a build has a hundred of these.
    """
    begins = [report.number("Start") for report in reports]
    aligned = len(reports) > 1 and all(
        begin and is_clocked(report)
        for begin, report in zip(begins, reports))
    runs = [Run(report, page, begin - min(begins) if aligned else 0)
            for report, page, begin in zip(reports, pages, begins)]
    enough = sum(run.work for run in runs) / SMALL
    large = sorted((run for run in runs if run.work >= enough),
                   key=lambda run: -run.largest(kind))[:most]
    if len(large) + 1 >= len(runs):     # the others need a line, too
        large = runs
    apart = set(map(id, large))
    return Cast([run for run in runs if id(run) in apart],
                [run for run in runs if id(run) not in apart], aligned)


def pid_of(report: Report) -> str:
    return report.header.get("PID", "?")


def of_processes(reports: Sequence[Report]) -> bool:
    """Whether the files are named after PIDs, and not by a person."""
    return all(pid_of(report) in os.path.basename(report.name)
               for report in reports)


def names_of(reports: Sequence[Report], pages: Sequence[int],
             width: int) -> List[str]:
    """What tells them apart: commands and PIDs where files are named after
    PIDs, otherwise the names of the files.
    """
    files = [os.path.basename(report.name) for report in reports]
    pids = map(pid_of, reports)
    commands = [command_of(report, width) for report in reports]
    names = [f"{command} (PID {pid})" for command, pid in zip(commands, pids)]
    if not of_processes(reports) or len(set(names)) < len(names):
        names = [shorten(file if files.count(file) == 1 else report.name,
                         width) for report, file in zip(reports, files)]
        if len(set(commands)) > 1 and width >= COMMAND_ROOM:
            names = [shorten(f"{name}: {command}", width)
                     for name, command in zip(names, commands)]
    if len(set(pages)) > 1:
        names = [f"{name}, {noun(page)} of {byte_size(page)}"
                 for name, page in zip(names, pages)]
    if len({*map(is_estimate, reports)}) > 1:
        names = [name + ", kernel" * is_estimate(report)
                 for report, name in zip(reports, names)]
    return [name + ("" if report.complete else " TRUNCATED")
            for name, report in zip(names, reports)]
