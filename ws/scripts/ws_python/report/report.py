# SPDX-License-Identifier: GPL-2.0-or-later
"""The content of a report; ws/docs/report-format.md has the format."""

import os
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from fractions import Fraction
from typing import (Callable, Dict, List, NamedTuple, Optional, Protocol,
                    Sequence, Tuple)

from ws_python.base.text import Failure, printable, shorten
from ws_python.base.units import MS, natural
from ws_python.report.compositions import Compositions

OPTIONAL = "dirty"
MOST_WINDOWS = 1000
LONGEST_TITLE = 60          # of a command in a title
# The sets that have lists, by the titles of these.
LISTS = {"Code pages:": "insn", "Data pages:": "data"}


@dataclass
class Entry:
    """An entry of the section Sample info."""
    label: Optional[str] = None     # of a snapshot
    note: str = ""              # of ws_attach
    frame: Optional[int] = None     # the innermost one


@dataclass
class Mark:
    """A mark of the program, or a snapshot."""
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
        """A printable name: "a" to "b"."""
        return " to ".join(
            other if label is None else f'"{printable(label)}"'
            for label, other in ((self.first, "start"), (self.last, "end")))


class Total(NamedTuple):
    """A row of the section Totals, in pages; None: not known."""
    pages: Optional[int]
    anew: Optional[int] = None      # mapped anew, and accessed again
    peaks: Optional[int] = None     # of the detector


class Stretch(NamedTuple):
    """A row of the section Clock; it begins at the end of the row before."""
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
    returned: Optional[int] = None  # entered while they were resident
    until: Optional[int] = None     # it was counted; None: the last sample


@dataclass
class PageList:
    """A section Code pages or Data pages, the most accessed page first."""
    announced: int = 0          # the length of the complete list
    counts: "array[int]" = field(default_factory=lambda: array("Q"))
    pages: "array[int]" = field(default_factory=lambda: array("Q"))
    lasts: "array[int]" = field(default_factory=lambda: array("Q"))
    frames: List[Optional[int]] = field(default_factory=list)
    # There are few different texts; each is kept once.
    owners: List[str] = field(default_factory=list)
    mapped_anew: List[bool] = field(default_factory=list)


class AnyMark(Protocol):
    """A mark of a report, or of a page log."""
    @property
    def time(self) -> int:
        ...

    @property
    def label(self) -> str:
        ...


class Headed:
    """A file that begins with a header: a report, or a page log."""
    name: str
    header: Dict[str, str]
    marks: Sequence[AnyMark]
    complete: bool

    def number(self, key: str) -> int:
        """Return a positive number from the header."""
        if key not in self.header:
            raise Failure(f"{self.name}: has no {key} in its header")
        return self.positive(key, self.header[key])

    def positive(self, key: str, text: str) -> int:
        """Read a number that others divide by, or take the logarithm of."""
        try:
            value = natural(text)
            if not value:
                raise ValueError
        except ValueError:
            raise nonsense(self, f"{key} in its header", text) from None
        return value

    @property
    def pid(self) -> str:
        return self.header.get("PID", "?")

    @property
    def page_szB(self) -> int:
        return self.number("Page size")

    @property
    def is_clocked(self) -> bool:
        """Times are milliseconds."""
        return self.header.get("Time unit") == "milliseconds"

    @property
    def unit(self) -> str:
        """The unit of time, shortened."""
        return MS if self.is_clocked else shorten(
            self.header.get("Time unit", "instructions"), 20)

    @property
    def is_estimate(self) -> bool:
        """It is of ws_attach, which only knows the kernel's bits."""
        return "Source" in self.header

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

    def window(self, taus: Sequence[int], end: int) -> int:
        """Choose the shortest window with call stacks that is shorter than the
        run, or else the shortest.
        """
        ordered = sorted(taus)
        alone = self.header.get("Stacks") == "yes"
        return next((tau for tau in ordered[alone:] if tau < end), ordered[0])


@dataclass
class Report(Headed):
    """The parts of one report that the scripts use."""
    name: str
    header: Dict[str, str]      # printable
    windows: List[int] = field(default_factory=list)    # the chosen ones
    columns: Dict[str, "array[int]"] = field(default_factory=dict)
    # The time that each row stands for: since the row before.
    spans: "array[int]" = field(default_factory=lambda: array("Q"))
    # Rows with info, and the entry's number; a cut may have taken the entry.
    info: List[Tuple[int, int]] = field(default_factory=list)
    marks: List[Mark] = field(default_factory=list)
    phases: List[Phase] = field(default_factory=list)
    entries: Dict[int, Entry] = field(default_factory=dict)
    compositions: Compositions = field(default_factory=Compositions)
    # By the set's name in reports; None: the section is not there.
    profile: Optional[Dict[str, List[ProfileRow]]] = None
    # The most pages: of insn, data, both.
    resident: Dict[str, int] = field(default_factory=dict)
    clock: List[Stretch] = field(default_factory=list)
    summary: Dict[str, str] = field(default_factory=dict)   # printable
    totals: Dict[str, Total] = field(default_factory=dict)  # by the set
    bounds: Dict[str, int] = field(default_factory=dict)    # of first windows
    lists: Dict[str, PageList] = field(default_factory=dict)    # by the set
    complete: bool = False  # False: its writer was killed, or is still at work
    is_going: bool = False      # a process has its PID, if it is not complete
    begin: int = 0          # of a part of the run; `end` is set in parts only
    end: Optional[int] = None
    is_log: bool = False        # it was made from a page log

    def number(self, key: str) -> int:
        """Return a positive number from the header; 0 if it is missing."""
        return super().number(key) if key in self.header else 0

    @property
    def main(self) -> int:
        """The window whose pages views show."""
        times = self.columns.get("t")
        return self.window(self.windows or self.taus,
                           times[-1] if times else 0)

    def stack(self, number: Optional[int]) -> List[str]:
        """Return a frame and its callers in words; nothing if unknown."""
        known = self.compositions
        return [frame.words for frame in known.chain(
            number if number in known.frames else None)]

    def column(self, name: str, tau: int) -> str:
        """Name the column of a set and a window."""
        first = tau == self.number("Tau")
        return f"WSS_{name}" + ("" if first else f"_{tau}")


def nonsense(report: Headed, what: str, line: str) -> Failure:
    return Failure(f"{report.name}: {what} makes no sense: "
                   + shorten(printable(line), 60))


def command_of(run: Headed, width: int) -> str:
    """Return the command, or else the file's name, without directory."""
    program, blank, rest = run.header.get("Command", "").partition(" ")
    command = os.path.basename(program) + blank + rest
    return shorten(printable(command or os.path.basename(run.name)), width)


def titled(what: str, run: Headed) -> str:
    """Title a view of a run."""
    return f"{what}: {command_of(run, LONGEST_TITLE)}"


def no_written(of: Headed) -> Failure:
    """Make the message for a report or a log without written pages."""
    return Failure(f"{of.name}: does not say which pages were written; the "
                   "option --ws-dirty=yes of ws adds them")


def telling(commands: Sequence[Sequence[str]]) -> List[Sequence[str]]:
    """Return as many words of each command of a program as tell them apart:
    of a compiler's, the file that it compiles.
    """
    if not commands[1:]:
        return [*commands]
    shared = set(commands[0]).intersection(*commands[1:])
    own = [tuple(word for word in dict.fromkeys(words) if word not in shared)
           for words in commands]
    enough = next(n for n in range(1, 2 + max(map(len, own)))
                  if len({words[:n] for words in own}) == len({*own}))
    return [words[:enough] or command for words, command in zip(own, commands)]


def commands_of(runs: Sequence[Headed], width: int) -> List[str]:
    """Return each command, without the words that do not tell it from others
    of its program.
    """
    commands = [command_of(run, 5 * width).split(" ") for run in runs]
    by_program: Dict[str, List[int]] = {}
    for k, (program, *_) in enumerate(commands):
        by_program.setdefault(program, []).append(k)
    telling_words = {
        k: [program, *words] for program, numbers in by_program.items()
        for k, words in zip(numbers, telling([commands[k][1:]
                                              for k in numbers]))}
    return [shorten(" ".join(telling_words[k]), width)
            for k in range(len(commands))]


# A time, and its row in the table, if it has one.
Reference = Tuple[int, Optional[int]]


def references(report: Report) -> Dict[int, List[Reference]]:
    """Return the references to each entry, by its number."""
    by_entry: Dict[int, List[Reference]] = {}
    for row, number in report.info:
        by_entry.setdefault(number, []).append((report.columns["t"][row], row))
    for mark in report.marks:
        if mark.number is not None:
            by_entry.setdefault(mark.number, []).append((mark.time, None))
    return dict(sorted(by_entry.items()))


def after_start(report: Report) -> int:
    """Return the number of the first row behind those at the start."""
    return bisect_right(report.columns["t"], report.begin)


def samples_of(report: Report, column: str) -> "array[int]":
    """Return the column's values in all rows but those at the start."""
    return report.columns[column][after_start(report):]


def row_spans(times: Sequence[int]) -> "array[int]":
    """Return the time from each row to the next; of the first one, from 0."""
    return array("Q", (time - before for before, time
                       in zip([0, *times], times)))


def every_of(report: Report) -> Tuple[int, int]:
    """Return the sampling interval at the first and at the last sample; it may
    have grown.  Without samples, that of the header.
    """
    spans = report.spans[after_start(report):] or [report.number("Every")]
    return spans[0], spans[-1]


def every_in_words(report: Report, in_words: Callable[[int, str], str]) -> str:
    """Return the sampling interval: 100,000 to 6.4 M instructions."""
    *first, last = dict.fromkeys(in_words(every, report.unit)
                                 for every in every_of(report))
    return " to ".join([*(words.partition(" instr")[0] for words in first),
                        last])
