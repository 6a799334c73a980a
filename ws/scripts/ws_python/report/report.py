# SPDX-License-Identifier: GPL-2.0-or-later
"""The content of a report, as ws/docs/report-format.md describes it; and what
reports and page logs have in common.
"""

import os
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ws_python.base.text import Failure, printable, shorten
from ws_python.base.units import MS, natural
from ws_python.report.compositions import Compositions

OPTIONAL = "dirty"
MOST_WINDOWS = 1000
LONGEST_TITLE = 60          # of a command in a title
# The sets that have lists of pages, by the titles of the lists.
LISTS = {"Code pages:": "insn", "Data pages:": "data"}


@dataclass
class Entry:
    """An entry of the section Sample info."""
    label: Optional[str] = None     # of a snapshot
    note: str = ""              # of ws_attach
    frame: Optional[int] = None     # the innermost frame


@dataclass
class Mark:
    """A mark of the program, or a snapshot."""
    time: int
    label: str
    number: Optional[int] = None    # of its entry; None: it has none
    part: int = -1              # in a page log: that it ends; -1: the start


@dataclass
class Phase:
    """A row of the section Phases.  Pages are by set."""
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
            end if label is None else f'"{printable(label)}"'
            for label, end in ((self.first, "start"), (self.last, "end")))


class Total(NamedTuple):
    """A row of the section Totals, in pages; None: not known."""
    pages: Optional[int]
    anew: Optional[int] = None      # mapped anew, and accessed again
    peaks: Optional[int] = None     # that were detected


class Stretch(NamedTuple):
    """A row of the section Clock: the time since the row before."""
    time: int                   # of its end, in instructions
    ms: int                     # of its end, since the start
    resident: int               # the most pages in it
    # The most of those that no other process has, and of what forks share;
    # 0 if that is not known.
    private: int = 0
    owned: int = 0
    inherited: int = 0
    lost: int = 0


@dataclass
class ProfileRow:
    """A row of the section Working set profile: pages in a window."""
    tau: int
    average: float
    peak: int
    life: Optional[float]       # time per entered page; None: none entered
    note: str
    # None: the window is shorter than the sampling interval.
    entered: Optional[int]
    miss: Optional[float]       # entered pages per time
    median: Optional[int] = None
    p95: Optional[int] = None
    returned: Optional[int] = None  # pages that entered while resident
    until: Optional[int] = None     # the last time; None: the last sample


@dataclass
class PageList:
    """A section Code pages or Data pages: an item per page, the most accessed
    page first.
    """
    announced: int = 0          # the length of the complete list
    counts: "array[int]" = field(default_factory=lambda: array("Q"))
    pages: "array[int]" = field(default_factory=lambda: array("Q"))
    lasts: "array[int]" = field(default_factory=lambda: array("Q"))
    frames: List[Optional[int]] = field(default_factory=list)
    owners: List[str] = field(default_factory=list)     # mappings
    mapped_anew: List[bool] = field(default_factory=list)


class Headed:
    """A file that begins with a header: a report, or a page log."""
    name: str
    header: Dict[str, str]
    marks: List[Mark]
    complete: bool

    def number(self, key: str) -> int:
        """Return a positive number from the header.  Failure: there is none.
        """
        if key not in self.header:
            raise Failure(f"{self.name}: has no {key} in its header")
        return self.positive(key, self.header[key])

    def positive(self, key: str, text: str) -> int:
        """Read a number of the header, which must be positive: views divide by
        such numbers, and take logarithms.
        """
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
        """The unit of time for people, shortened."""
        return MS if self.is_clocked else shorten(
            self.header.get("Time unit", "instructions"), 20)

    @property
    def is_estimate(self) -> bool:
        """ws_attach wrote the report, by the kernel's bits."""
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
        """Choose the window that views show of a run that ended at `end`: the
        shortest one that has call stacks and is shorter than the run, or else
        the shortest.
        """
        ordered = sorted(taus)
        alone = self.header.get("Stacks") == "yes"
        return next((tau for tau in ordered[alone:] if tau < end), ordered[0])


@dataclass
class Report(Headed):
    """What the scripts use of a report.  Sizes are in pages."""
    name: str
    header: Dict[str, str]      # printable
    windows: List[int] = field(default_factory=list)    # those to show
    columns: Dict[str, "array[int]"] = field(default_factory=dict)
    # The time that each row stands for: since the row before.
    spans: "array[int]" = field(default_factory=lambda: array("Q"))
    # Rows with info, and the entry's number; a cut may have taken the entry.
    info: List[Tuple[int, int]] = field(default_factory=list)
    marks: List[Mark] = field(default_factory=list)
    phases: List[Phase] = field(default_factory=list)
    entries: Dict[int, Entry] = field(default_factory=dict)
    compositions: Compositions = field(default_factory=Compositions)
    # By the set; None: the section is not there.
    profile: Optional[Dict[str, List[ProfileRow]]] = None
    # The most resident pages: of insn, data, both.
    resident: Dict[str, int] = field(default_factory=dict)
    clock: List[Stretch] = field(default_factory=list)
    threads: List[str] = field(default_factory=list)    # titles
    summary: Dict[str, str] = field(default_factory=dict)   # printable
    totals: Dict[str, Total] = field(default_factory=dict)  # by the set
    # By the set: the first window never had more pages, between samples either.
    bounds: Dict[str, int] = field(default_factory=dict)
    lists: Dict[str, PageList] = field(default_factory=dict)    # by the set
    complete: bool = False  # False: its writer was killed, or is still at work
    can_be_asked: bool = False  # incomplete, and its process runs here
    begin: int = 0              # --from
    end: Optional[int] = None   # --to; None: the report is of the whole run
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
        """Return the frame with this number and its callers in words; [] if
        unknown.
        """
        known = self.compositions
        return [frame.words for frame in known.chain(
            number if number in known.frames else None)]

    def column(self, name: str, tau: int) -> str:
        """Name the column of a set and a window."""
        first = tau == self.number("Tau")
        return f"WSS_{name}" + ("" if first else f"_{tau}")


def nonsense(run: Headed, what: str, line: str) -> Failure:
    """Make the message for a line that cannot be read."""
    return Failure(f"{run.name}: {what} makes no sense: "
                   + shorten(printable(line), 60))


def command_of(run: Headed, width: int) -> str:
    """Return the command, or else the file's name, without directory."""
    program, blank, rest = run.header.get("Command", "").partition(" ")
    command = os.path.basename(program) + blank + rest
    return shorten(printable(command or os.path.basename(run.name)), width)


def titled(what: str, run: Headed) -> str:
    """Title a view of a run."""
    return f"{what}: {command_of(run, LONGEST_TITLE)}"


def no_written(run: Headed) -> Failure:
    """Make the message for a report or a log without written pages."""
    return Failure(f"{run.name}: does not say which pages were written; the "
                   "option --ws-dirty=yes of ws adds them")


def distinct_arguments(runs: Sequence[Sequence[str]]) -> List[Sequence[str]]:
    """Shorten the arguments of several runs of a program, so that they still
    tell the runs apart:

        all arguments       without shared words    the first of these
        -O2 -c a.c -o a.o   a.c a.o                 a.c
        -O2 -c b.c -o b.o   b.c b.o                 b.c
    """
    if not runs[1:]:
        return [*runs]
    shared = set(runs[0]).intersection(*runs[1:])
    own = [tuple(word for word in dict.fromkeys(words) if word not in shared)
           for words in runs]
    enough = next(n for n in range(1, 2 + max(map(len, own)))
                  if len({words[:n] for words in own}) == len({*own}))
    return [words[:enough] or every for words, every in zip(own, runs)]


def commands_of(runs: Sequence[Headed], width: int) -> List[str]:
    """Return each run's command, without words that it shares with all other
    runs of its program.
    """
    commands = [command_of(run, 5 * width).split(" ") for run in runs]
    arguments: Dict[str, List[Sequence[str]]] = {}
    for program, *words in commands:
        arguments.setdefault(program, []).append(words)
    shorter = {program: iter(distinct_arguments(every))
               for program, every in arguments.items()}
    return [shorten(" ".join([program, *next(shorter[program])]), width)
            for program, *_ in commands]


# A time, and its row in the table; None: it has no row.
Reference = Tuple[int, Optional[int]]


def references(report: Report) -> Dict[int, List[Reference]]:
    """Return the times that refer to each entry of Sample info, by its number.
    """
    by_entry: Dict[int, List[Reference]] = {}
    for row, number in report.info:
        by_entry.setdefault(number, []).append((report.columns["t"][row], row))
    for mark in report.marks:
        if mark.number is not None:
            by_entry.setdefault(mark.number, []).append((mark.time, None))
    return dict(sorted(by_entry.items()))


def after_start(report: Report) -> int:
    """Return the index of the first row that is not at the start."""
    return bisect_right(report.columns["t"], report.begin)


def number_of_samples(report: Report) -> int:
    return len(report.columns["t"]) - after_start(report)


def every_of(report: Report) -> Tuple[int, int]:
    """Return the sampling interval at the first and at the last sample, for it
    may grow.  Without samples, return that of the header twice.
    """
    spans = report.spans[after_start(report):] or [report.number("Every")]
    return spans[0], spans[-1]


def every_in_words(report: Report, in_words: Callable[[int, str], str]) -> str:
    """Write the sampling interval: 100,000 to 6.4 M instructions."""
    *first, last = dict.fromkeys(in_words(every, report.unit)
                                 for every in every_of(report))
    return " to ".join([*(words.partition(" instr")[0] for words in first),
                        last])
