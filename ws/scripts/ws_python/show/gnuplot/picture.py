# SPDX-License-Identifier: GPL-2.0-or-later
"""What all pictures have in common: heading, legend, and axis of sizes."""

import argparse
from typing import Callable, Collection, List, Optional, Sequence, Tuple

from ws_python.base.failure import Failure
from ws_python.base.text import printable, shorten
from ws_python.base.units import byte_size, pages, plain, size, tic
from ws_python.model.compositions import FILES
from ws_python.model.processes import processes_of
from ws_python.model.report import (Report, command_of, is_estimate,
                                    time_unit, unit_of)
from ws_python.model.runs import CHOICES, of_processes
from ws_python.show.gnuplot.axes import GREY, quote
from ws_python.show.gnuplot.curves import Curve
from ws_python.show.gnuplot.media import Image

WARNING = "#B22222"


def fitting(texts: Sequence[str], room: int) -> str:
    """The first that there is room for; if there is none, a part of one."""
    return next((text for text in texts if len(text) <= room),
                shorten(texts[-1], room))


class Picture:
    """Turns reports into a script for gnuplot."""
    noun = "Working set"
    nouns = ""                  # unless that has an s
    size_name = "working set size"
    heading_at = "graph 0,graph 1"  # its left end, and what is below it
    low: Optional[float] = None     # where a logarithmic axis begins
    # Subclasses provide these:
    medium: Image
    curves: Sequence[Curve]
    top: float                  # the largest size on the axis
    row: float                  # of text, as part of the height

    def __init__(self, reports: List[Report], options: argparse.Namespace):
        self.reports, self.options = reports, options
        if len({time_unit(report) for report in reports}) > 1:
            raise Failure("the reports have different time units")
        self.unit = unit_of(reports[0])
        self.pages = [report.number("Page size") or 4096 for report in reports]
        self.page = self.pages[0]
        # There is no right axis if the left one shows bytes.
        self.bytes = options.bytes or len(set(self.pages)) > 1
        self.scales = self.pages if self.bytes else [1] * len(reports)
        self.data: List[str] = []
        self.plots: List[str] = []

    def chosen(self, kinds: Collection[str]) -> List[str]:
        """Those kinds of sets that the user wants."""
        return [kind for kind in CHOICES[self.options.what or "all"]
                if kind in kinds]

    @property
    def many(self) -> bool:
        """Of so many runs, data alone is drawn, unless the user wants more."""
        return self.options.what is None and len(self.reports) > 2

    def dash(self, kind: str) -> int:
        """With several reports, the colours are for these."""
        return (CHOICES[self.options.what or "all"].index(kind)
                if len(self.reports) > 1 else 0)

    def script(self) -> str:
        self.draw()
        return "\n".join([
            "set encoding utf8", "unset key", *self.medium.setup(),
            *self.heading(), *self.size_axis(), *self.extras(), *self.data,
            "plot " + (", ".join(self.plots) or "NaN")]) + "\n"

    def draw(self) -> None:
        """Plot all lines; the last ones are in front."""
        raise NotImplementedError

    def plot(self, points: Sequence[Tuple[float, ...]], style: str) -> None:
        name = f"$line{len(self.plots)}"
        self.data += [f"{name} << END", *(" ".join(map(str, point))
                                          for point in points), "END"]
        self.plots.append(f"{name} with {style}")

    def extras(self) -> List[str]:
        """The other axis, and what else is to be set."""
        raise NotImplementedError

    def legend(self, curve: Curve) -> List[str]:
        """What is said of a curve; if there is no room, the next is tried."""
        raise NotImplementedError

    def heading(self) -> List[str]:
        """Title, notes and legend, line by line from the top."""
        cut = not all(report.complete for report in self.reports)
        texts = [(0, 0, self.title(), self.medium.title_style()),
                 (1, 0, self.all_notes(cut),
                  f"textcolor '{WARNING if cut else GREY}'")]
        for row, curve in enumerate(self.curves, 2):
            texts += [(row, 0, self.medium.sample(curve),
                       f"textcolor '{curve.colour}'"),
                      (row, 4, fitting(self.legend(curve),
                                       self.medium.room - 4), "")]
        texts += self.more_legend(len(self.curves) + 2)
        return [f"set label {quote(text[:self.medium.room - column])} "
                f"at {self.heading_at} left "
                f"offset character {column},{self.medium.above(row)} {style}"
                for row, column, text, style in texts]

    def more_legend(self, row: int) -> List[Tuple[int, int, str, str]]:
        """From this row on: row, column, text and style."""
        return []

    def title(self) -> str:
        if self.options.title is not None:
            return printable(self.options.title)
        # Its letters are larger.
        room = self.medium.room * 7 // 10 - len(self.noun)
        commands = {command_of(report, room) for report in self.reports}
        runs = len(self.reports)
        if runs == 1:
            return f"{self.noun} of {min(commands)}"
        what = f"{runs} runs"
        if of_processes(self.reports):
            # One that executes several programs has a report of each.
            number = len(processes_of(self.reports))
            what = (f"{number} processes" if number == runs else
                    f"{runs} programs in {number} "
                    + ("process" if number == 1 else "processes"))
        return (f"{self.nouns or self.noun + 's'} of {what}"
                + (f" of {min(commands)}" if len(commands) == 1 else ""))

    def all_notes(self, cut: bool) -> str:
        """What one has to know of the reports, as far as there is room."""
        notes = ["TRUNCATED REPORT"] if cut else []
        notes += self.notes()
        while len(", ".join(notes)) > self.medium.room and len(notes) > 1:
            notes.pop()
        return printable(", ".join(notes))

    def notes(self) -> List[str]:
        """The most important first."""
        raise NotImplementedError

    def about_runs(self) -> List[str]:
        estimates = all(map(is_estimate, self.reports))
        notes = ["an estimate by the kernel, of private memory"] * estimates
        if estimates and len(self.reports) == 1:
            report = self.reports[0]
            files = report.compositions.largest(FILES)
            if files:
                held = size(files.pages, report.number("Page size"))
                notes += [f"files: at most {held} more"]
        if len(self.reports) == 1:
            header = self.reports[0].header
            notes += [f"PID {header.get('PID', '?')}"]
            if "Parent PID" in header:
                notes += [f"forked by PID {header['Parent PID']}"]
        every = {report.number("Every") for report in self.reports} - {0}
        if len(every) == 1:
            notes += [f"a sample every {self.duration(every.pop())}"]
        return notes

    @property
    def tic(self) -> Callable[..., str]:
        """What makes a number of a time."""
        return plain if self.unit == "ms" else tic

    def count(self, time: float, digits: int = 6) -> str:
        """1.5 M, or 1500 ms: without the name of the unit if it is long."""
        return self.tic(time, digits) + (" ms" if self.unit == "ms" else "")

    def duration(self, time: float, digits: int = 6) -> str:
        """1.5 M instructions, or 1500 ms."""
        return self.count(time, digits) + (
            "" if self.unit == "ms" else f" {self.unit}")

    @property
    def bottom(self) -> float:
        """Below 0, for a curve that is 0 is to be seen above the border."""
        return -self.row * self.top * self.medium.below

    def size(self, value: float) -> str:
        """A value of the left axis."""
        return byte_size(value) if self.bytes else f"{round(value, 1):,}"

    def sizes(self, size: int) -> List[str]:
        """The same in pages and bytes, and shorter."""
        if self.bytes:
            return [byte_size(size)]
        short = byte_size(size * self.page)
        return [f"{pages(size, self.page)} ({short})", short]

    def most_tics(self) -> int:
        """How many tics the axis below has room for."""
        return max(self.medium.width // self.medium.tic_room[0], 2)
