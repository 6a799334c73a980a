# SPDX-License-Identifier: GPL-2.0-or-later
"""What a report says; its format is in ws/docs/report-format.md."""

import os
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from ws_python.base.failure import Failure
from ws_python.base.fields import within
from ws_python.base.text import printable, shorten
from ws_python.base.units import MS
from ws_python.model.compositions import Compositions
from ws_python.model.lists import PageList

# What the sets are called by people, and in reports.
SETS = {"data": "data", "code": "insn", "dirty data": "dirty"}
OPTIONAL = "dirty data"
UNITS = {"milliseconds": MS}
MOST_WINDOWS = 1000


@dataclass
class Entry:
    """An entry of the section Sample info."""
    places: str = "-"           # the call stack, "-" for none
    label: Optional[str] = None     # of a snapshot
    sets: str = ""              # of a peak: insn, data, insn+data
    frame: Optional[int] = None     # the innermost one
    stack: List[str] = field(default_factory=list)  # as Valgrind prints it

    @property
    def legend(self) -> str:
        """What the number stands for."""
        return "" if self.places == "-" else self.places


@dataclass
class Mark:
    """A moment that the program has named, or a snapshot."""
    time: int
    label: str
    number: Optional[int]       # of its entry; None: it has none


@dataclass
class Phase:
    """A row of the section Phases; sizes are by the set's name."""
    start: int
    end: int
    instructions: int
    samples: int
    pages: Dict[str, int]
    averages: Dict[str, Optional[Fraction]]     # None: without samples
    largest: Dict[str, Optional[int]]
    first: Optional[str]        # label of the mark before; None: the start
    last: Optional[str]         # of the mark that ends it; None: the run's end

    @property
    def name(self) -> str:
        """Printable."""
        return " to ".join(
            other if label is None else f'"{printable(label)}"'
            for label, other in ((self.first, "start"), (self.last, "end")))


class Total(NamedTuple):
    """A row of the section Totals, in pages; None: it is not known."""
    pages: Optional[int]
    anew: Optional[int] = None      # mapped anew, and accessed again
    peaks: Optional[int] = None     # of the detector


@dataclass
class Resident:
    """A row of the section Resident, in pages."""
    most: int
    time: int                   # when there were as many for the first time
    end: int


class Stretch(NamedTuple):
    """A row of the section Clock: from the end of the one before."""
    time: int
    ms: int                     # since the start
    resident: int               # the most pages


@dataclass
class ProfileRow:
    """A row of the section Working set profile."""
    tau: int
    average: float
    peak: int
    life: Optional[float]       # None: no page was missing
    note: str
    # None: the window is shorter than the sampling interval.
    entered: Optional[int]
    miss: Optional[float]
    median: Optional[int] = None
    p95: Optional[int] = None
    returned: Optional[int] = None  # of those that entered: were resident


class Headed:
    """What begins with a header: a report, or a page log."""
    name: str
    header: Dict[str, str]

    def number(self, key: str) -> int:
        """The positive number that is a value in the header."""
        if key not in self.header:
            raise Failure(f"{self.name}: has no {key} in its header")
        return self.positive(key, self.header[key])

    def positive(self, key: str, text: str) -> int:
        """It is divided by, and has a logarithm."""
        try:
            value = within(text)
            if not value:
                raise ValueError
        except ValueError:
            raise nonsense(self, f"{key} in its header", text) from None
        return value

    @property
    def taus(self) -> List[int]:
        """The lengths of all windows, each once."""
        key = "Further taus"
        words = self.header.get(key, "").replace(",", " ").split()
        if len(words) >= MOST_WINDOWS:
            raise Failure(f"{self.name}: has more than {MOST_WINDOWS:,} "
                          "windows")
        return list(dict.fromkeys([self.number("Tau"), *(
            self.positive(key, word) for word in words)]))


@dataclass
class Report(Headed):
    """What is wanted of one report."""
    name: str
    header: Dict[str, str]      # printable
    windows: List[int] = field(default_factory=list)    # those that are wanted
    columns: Dict[str, "array[int]"] = field(default_factory=dict)
    # Rows with info, and the entry's number; a cut may have taken the entry.
    info: List[Tuple[int, int]] = field(default_factory=list)
    marks: List[Mark] = field(default_factory=list)
    phases: List[Phase] = field(default_factory=list)
    entries: Dict[int, Entry] = field(default_factory=dict)
    compositions: Compositions = field(default_factory=Compositions)
    # By the set's name in reports; None: the section is not there.
    profile: Optional[Dict[str, List[ProfileRow]]] = None
    resident: Dict[str, Resident] = field(default_factory=dict)  # insn, data, both
    clock: List[Stretch] = field(default_factory=list)
    summary: Dict[str, str] = field(default_factory=dict)   # printable
    totals: Dict[str, Total] = field(default_factory=dict)  # by the set
    bounds: Dict[str, int] = field(default_factory=dict)    # of the first window
    lists: Dict[str, PageList] = field(default_factory=dict)    # by the set
    complete: bool = False  # False: its writer was killed, or is still at work
    begin: int = 0          # of a part of the run; end: of nothing but a part
    end: Optional[int] = None
    is_log: bool = False        # it has been made of a page log

    def number(self, key: str) -> int:
        """The same; 0 if it is not there."""
        return super().number(key) if key in self.header else 0

    @property
    def main(self) -> int:
        """The window whose pages are looked at: the shortest with call stacks
        that is shorter than the run, or else the shortest.
        """
        taus = sorted(self.windows or self.taus)
        alone = not self.is_log and self.header.get("Stacks") == "yes"
        times = self.columns.get("t")
        return next((tau for tau in taus[alone:]
                     if times and tau < times[-1]), taus[0])

    def column(self, kind: str, tau: int) -> str:
        """The name of the column of a set and a window."""
        first = tau == self.number("Tau")
        return f"WSS_{SETS[kind]}" + ("" if first else f"_{tau}")


def nonsense(report: Headed, what: str, line: str) -> Failure:
    return Failure(f"{report.name}: {what} makes no sense: "
                   + shorten(printable(line), 60))


def command_of(report: Report, width: int) -> str:
    """The command, or else the file's name, without the directory."""
    program, blank, rest = report.header.get("Command", "").partition(" ")
    command = os.path.basename(program) + blank + rest
    return shorten(printable(command or os.path.basename(report.name)), width)


def no_written(report: Report) -> Failure:
    """What there is to say where the column WSS_dirty is wanted."""
    return Failure(f"{report.name}: its table has no column WSS_dirty; the "
                   "option --ws-dirty=yes of ws adds it")


def commands_of(reports: Sequence[Report], width: int) -> List[str]:
    """Without the words that all commands of a program share: what is left of
    a compiler's tells which file it compiles.
    """
    words = [command_of(report, 5 * width).split(" ") for report in reports]
    by_program: Dict[str, List[Set[str]]] = {}
    for program, *rest in words:
        by_program.setdefault(program, []).append(set(rest))
    shared = {program: set.intersection(*found) if len(found) > 1 else set()
              for program, found in by_program.items()}
    return [shorten(" ".join([program, *([
        word for word in dict.fromkeys(rest)
        if word not in shared[program]] or rest)]), width)
        for program, *rest in words]


def time_unit(report: Report) -> str:
    """As it is in the header."""
    return report.header.get("Time unit", "instructions")


def is_clocked(report: Report) -> bool:
    return time_unit(report) == "milliseconds"


def is_estimate(report: Report) -> bool:
    """By ws_attach, which knows what the kernel knows."""
    return "Source" in report.header


def unit_of(report: Report) -> str:
    """The same, short."""
    unit = time_unit(report)
    return UNITS.get(unit, shorten(unit, 20))

# A time, and the row if it is one of the table.
Reference = Tuple[int, Optional[int]]


def references(report: Report) -> Dict[int, List[Reference]]:
    """By the numbers of entries: what refers to them."""
    found: Dict[int, List[Reference]] = {}
    for row, number in report.info:
        found.setdefault(number, []).append((report.columns["t"][row], row))
    for mark in report.marks:
        if mark.number is not None:
            found.setdefault(mark.number, []).append((mark.time, None))
    return dict(sorted(found.items()))


def after_start(report: Report) -> int:
    """The number of the first row behind those at 0."""
    return bisect_right(report.columns["t"], report.begin)


def samples_of(report: Report, column: str) -> "array[int]":
    """Its values in all rows but those at the start."""
    return report.columns[column][after_start(report):]


def average_of(report: Report, column: str) -> Optional[float]:
    """The mean of the samples."""
    samples = samples_of(report, column)
    return sum(samples) / len(samples) if samples else None
