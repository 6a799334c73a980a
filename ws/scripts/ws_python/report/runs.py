# SPDX-License-Identifier: GPL-2.0-or-later
"""The runs in a picture: which of them are drawn, their names, and notes."""

import os
from dataclasses import dataclass
from typing import Collection, List, Sequence, Tuple

from ws_python.base.text import Failure, shorten
from ws_python.base.units import (MS, SETS, byte_size, noun, plain, size, tic,
                                  time_text)
from ws_python.report.compositions import FILES
from ws_python.report.processes import (SMALL_PROCESS, processes_in_words,
                                        processes_of)
from ws_python.report.report import (Report, after_start, command_of,
                                     commands_of, every_in_words, every_of)
from ws_python.report.request import Request
from ws_python.report.sizes import lateness, sizes_of, work_of

LONGEST_COMMAND = 60
COMMAND_ROOM = 30       # the least width with a command behind a file's name


@dataclass
class DrawnRun:
    """A report that is drawn, and when it begins on the axis of time."""
    report: Report
    page: int                   # the size of pages in bytes
    name: str
    begin: int

    def largest(self, kind: str) -> int:
        """Return the largest sample of a set in any window, in bytes."""
        return self.page * max((sizes.peak or 0 for sizes in sizes_of(
            self.report, [kind])), default=0)


def runs_of(reports: Sequence[Report], kind: str,
            most: int) -> Tuple[List[DrawnRun], bool]:
    """Choose the largest runs, `most` at most, but none that executes hardly
    anything: a build has a hundred of these.  Return them in the order of the
    reports; and True if the axis of time has their real beginnings, False if
    all begin at 0.
    """
    begins = [report.number("Start") for report in reports]
    aligned = len(reports) > 1 and all(
        begin and report.is_clocked for begin, report in zip(begins, reports))
    runs = [DrawnRun(report, page, name, begin - min(begins) if aligned else 0)
            for report, page, name, begin in zip(
                reports, page_sizes_of(reports), names_of_runs(reports, 34),
                begins)]
    enough = sum(map(work_of, reports)) / SMALL_PROCESS
    large = sorted((run for run in runs if work_of(run.report) >= enough),
                   key=lambda run: -run.largest(kind))[:most]
    chosen = {*map(id, large)}
    return [run for run in runs if id(run) in chosen], aligned


def of_processes(reports: Sequence[Report]) -> bool:
    """Tell if all files are named after PIDs, and not by a person."""
    return all(report.pid in os.path.basename(report.name)
               for report in reports)


def names_of_runs(reports: Sequence[Report], width: int) -> List[str]:
    """Name the runs so that names differ: by commands and PIDs if files are
    named after PIDs, otherwise by files.
    """
    files = [os.path.basename(report.name) for report in reports]
    pids = [report.pid for report in reports]
    commands = commands_of(reports, width)
    names = [f"{command} (PID {pid})" for command, pid in zip(commands, pids)]
    if not of_processes(reports) or len(set(names)) < len(names):
        names = [shorten(file if files.count(file) == 1 else report.name,
                         width) for report, file in zip(reports, files)]
        if len(set(commands)) > 1 and width >= COMMAND_ROOM:
            names = [shorten(f"{name}: {command}", width)
                     for name, command in zip(names, commands)]
    pages = page_sizes_of(reports)
    if len(set(pages)) > 1:
        names = [f"{name}, {noun(page)} of {byte_size(page)}"
                 for name, page in zip(names, pages)]
    if len({report.is_estimate for report in reports}) > 1:
        names = [f"{name}, kernel" if report.is_estimate else name
                 for report, name in zip(reports, names)]
    return [name + ("" if report.complete else " TRUNCATED")
            for name, report in zip(names, reports)]


def wanted_kinds(request: Request,
                 kinds: Collection[str]) -> List[str]:
    """Return those kinds of sets that the user wants."""
    return [name for name in SETS if name in request.sets and name in kinds]


def common_unit(reports: Sequence[Report]) -> str:
    """Return the unit of time of all reports.  Failure: they differ."""
    if len({report.unit for report in reports}) > 1:
        raise Failure("the reports have different time units")
    return reports[0].unit


def page_sizes_of(reports: Sequence[Report]) -> List[int]:
    return [report.page_szB or 4096 for report in reports]


def first_drawn(report: Report) -> int:
    """Return the first row to draw: an estimate has no sample at its start."""
    return after_start(report) if report.is_estimate else 0


def length(time: int, unit: str, digits: int = 6) -> str:
    """Write 1.5 M, or 1500 ms."""
    return (f"{plain(time, digits)} ms" if unit == MS else tic(time, digits))


def duration(time: int, unit: str, digits: int = 6) -> str:
    """Write 1.5 M instructions, or 1500 ms."""
    return length(time, unit, digits) + ("" if unit == MS else f" {unit}")


def title_of(what: str, reports: Sequence[Report]) -> str:
    """Title a picture of runs: Profile: ls; Profiles of 2 runs of ls."""
    commands = {command_of(report, LONGEST_COMMAND) for report in reports}
    number = len(reports)
    if number == 1:
        return f"{what}: {min(commands)}"
    runs = f"{number} runs"
    if of_processes(reports):
        # A process that executes several programs has a report of each.
        processes = len(processes_of(reports))
        runs = processes_in_words(processes)
        if processes < number:
            runs = f"{number} programs in {runs}"
    return f"{what}s of {runs}" + (
        f" of {min(commands)}" if len(commands) == 1 else "")


def about_runs(reports: Sequence[Report]) -> List[str]:
    """Note what limits the figures of the runs, most important first."""
    first, is_alone = reports[0], len(reports) == 1
    notes = []
    if not all(report.complete for report in reports):
        notes += ["TRUNCATED REPORT"]
    if all(report.is_estimate for report in reports):
        notes += ["an estimate by the kernel, of private memory"]
        files = first.compositions.largest(FILES)
        if is_alone and files:
            notes += [
                f"files: at most {size(files.pages, first.page_szB)} more"]
    if is_alone:
        notes += [f"PID {first.pid}"]
        if "Parent PID" in first.header:
            notes += [f"forked by PID {first.header['Parent PID']}"]
    every = {every_in_words(report, duration) for report in reports
             if any(every_of(report))}
    if len(every) == 1:
        notes += [f"a sample every {every.pop()}"]
    return notes


def late_note(reports: Sequence[Report], taus: Sequence[int]) -> List[str]:
    """Note that samples were taken later than a window is long."""
    late = max(most for _, most in (
        lateness(report) or (0, 0) for report in reports))
    if any(1000 * tau < late for tau in taus):
        return [f"samples up to {time_text((late + 500) // 1000, MS)} late, "
                "more than a window"]
    return []
