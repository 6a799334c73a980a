# SPDX-License-Identifier: GPL-2.0-or-later
"""What all pictures have in common: heading, legend, and axis of sizes."""

import argparse
import re
from typing import Callable, Collection, List, Sequence, Tuple

from ws_python.curves import Curve, tics
from ws_python.media import GREY, Medium
from ws_python.reports import (OPTIONAL, Failure, Report, command_of,
                               time_unit, unit_of)
from ws_python.text import binary, decimal, plain, printable

CHOICES = {"all": ("data", "instructions", OPTIONAL),
           "both": ("data", "instructions"), "data": ("data",),
           "insn": ("instructions",), "dirty": (OPTIONAL,)}
WARNING = "#B22222"


def quote(text: str) -> str:
    """A gnuplot string, in which nothing is special."""
    return '"' + re.sub(r'[\\"`]', lambda c: f"\\{ord(c[0]):o}", text) + '"'


class Picture:
    """Turns reports into a script for gnuplot."""
    noun = "Working set"
    size_name = "working set size"
    side_by_side = 1            # curves in a line of the legend
    # Subclasses provide these:
    medium: Medium
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
        return [kind for kind in CHOICES[self.options.what] if kind in kinds]

    def dash(self, kind: str) -> int:
        """With several reports, the colours are for these."""
        return (CHOICES[self.options.what].index(kind)
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

    def plot(self, points: Sequence[Tuple[float, float]], style: str) -> None:
        name = f"$line{len(self.plots)}"
        self.data += [f"{name} << END", *(f"{x} {y}" for x, y in points),
                      "END"]
        self.plots.append(f"{name} with {style}")

    def extras(self) -> List[str]:
        """The other axis, and what else is to be set."""
        raise NotImplementedError

    def legend(self, curve: Curve) -> str:
        raise NotImplementedError

    def sample(self, number: int, curve: Curve) -> str:
        """What a curve looks like, for the legend."""
        return self.medium.sample(number, curve)

    def heading(self) -> List[str]:
        """Title, notes and legend, line by line from the top."""
        cut = not all(report.complete for report in self.reports)
        texts = [(0, 0, self.title(), self.medium.title_style()),
                 (1, 0, self.all_notes(cut),
                  f"textcolor '{WARNING if cut else GREY}'")]
        wide = self.medium.room // self.side_by_side
        for number, curve in enumerate(self.curves):
            row, place = divmod(number, self.side_by_side)
            texts += [(row + 2, place * wide,
                       self.sample(number, curve),
                       f"textcolor '{curve.colour}'"),
                      (row + 2, place * wide + 4, self.legend(curve), "")]
        texts += self.more_legend(len(self.curves) + 2)
        return [f"set label {quote(text[:self.medium.room - column])} "
                "at graph 0,graph 1 left "
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
        return (f"{self.noun}s of {runs} runs"
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
        notes = []
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
        return plain if self.unit == "ms" else decimal

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

    def size_axis(self) -> List[str]:
        """Pages at the left and bytes at the right, or bytes at the left."""
        high = max(self.medium.height // self.medium.tic_room[1], 2)
        bottom, top = self.bottom, self.top
        lines = [f"set yrange [{bottom}:{top}]"]
        if self.bytes:
            return lines + [
                f"set ytics {tics(top, high, binary)}",
                *self.medium.axis_names(self.size_name, "bytes", "")]
        return lines + [
            f"set ytics {tics(top, high, decimal)}",
            f"set y2range [{bottom * self.page}:{top * self.page}]",
            f"set y2tics {tics(top * self.page, high, binary)}",
            *self.medium.axis_names(
                self.size_name, f"pages of {binary(self.page)}", "bytes")]

    def size(self, value: float) -> str:
        """A value of the left axis."""
        return binary(value, 4) if self.bytes else f"{round(value, 1)}"

    def most_tics(self) -> int:
        """How many tics the axis below has room for."""
        return max(self.medium.width // self.medium.tic_room[0], 2)
