# SPDX-License-Identifier: GPL-2.0-or-later
"""Reading the reports of ws; their format is in ws/docs/report-format.md."""

import os
import re
import sys
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from typing import (Callable, Dict, Iterator, List, NamedTuple, Optional,
                    Sequence, Set, TextIO, Tuple)

from ws_python import compositions
from ws_python.compositions import Compositions
from ws_python.fields import (BadRow, fraction, natural, optional,
                              read_rows, within)
from ws_python.lists import PageList, read_pages
from ws_python.text import printable, shorten
from ws_python.units import MS

MAGIC = "Working Set Measurement by valgrind-ws-"
LOG_MAGIC = "Page log by valgrind-ws-"
FORMAT = 2
# What the sets are called by people, and in reports.
SETS = {"data": "data", "code": "insn", "dirty data": "dirty"}
OPTIONAL = "dirty data"
PHASES = "Phases:"
SECTIONS = {PHASES, *compositions.SECTIONS}

# What else a table may have.
MORE_COLUMNS = re.compile("(?:new|total)_(?:insn|data|dirty)|mapped|files|"
                          "cold|"
                          "resident|(?:late|window|reading)_us|(?:rss|pss|swap)_kB")

UNITS = {"milliseconds": MS}

# What is longer is no report, and not read to its end; it may have none. No
# system takes a command that is longer than such a line.
MOST_CHARACTERS = 1 << 23   # of a line
MOST_KEYS = 1000            # of a header
MOST_WINDOWS = 1000


class Failure(Exception):
    """Something the user must be told; ends the script."""


def warn(message: object) -> None:
    print(f"{program_name()}: {message}", file=sys.stderr)


def program_name() -> str:
    return printable(os.path.basename(sys.argv[0]))


@dataclass
class Entry:
    """An entry of the section Sample info."""
    places: str = "-"           # the call stack, "-" for none
    label: Optional[str] = None     # of a snapshot
    sets: str = ""              # of a peak: insn, data, insn+data
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
        text = self.header[key]
        return self.positive(key, text[:-2] if text.endswith(" B") else text)

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
    # Printable, without the lines of further windows.
    summary: Dict[str, str] = field(default_factory=dict)
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


# Which windows of a report are wanted, when its header is known.
Chooser = Callable[[Report], List[int]]


def all_windows(report: Report) -> List[int]:
    return report.taus


def whole_lines(stream: TextIO, name: str) -> Iterator[str]:
    """Without their newlines, and without a last line that has none."""
    for line in iter(lambda: stream.readline(MOST_CHARACTERS), ""):
        if line.endswith("\n"):
            yield line[:-1]
        elif len(line) == MOST_CHARACTERS:
            raise Failure(f"{name}: has a line of more than "
                          f"{MOST_CHARACTERS} characters")


def read_report(stream: TextIO, name: str, choose: Chooser = all_windows,
                full: bool = False) -> Report:
    """Read a report, complete or cut off anywhere behind its first line.

    Of the table, t, info and the sizes for the chosen windows are kept; if it
    is to be read in full, all columns, and the lists of pages.  A line
    counts only when its newline is there: what a killed run left of its last
    row may look like a smaller number.
    """
    lines = whole_lines(stream, name)
    title = stream.readline(len(MAGIC))
    if title.startswith(LOG_MAGIC):
        raise Failure(f"{name}: is a page log, which is read from a file, by "
                      "its name")
    if title != MAGIC or next(lines, None) is None:
        raise Failure(f"{name}: is not a report of valgrind's ws tool")
    report = Report(name, read_header(lines, name))
    report.windows = choose(report)
    report.compositions.tau = report.number("Tau")
    report.columns = {"t": array("Q"), **{
        report.column(kind, tau): array("Q") for tau in report.windows
        for kind in SETS if kind != OPTIONAL}}
    last = ""
    titles: Set[str] = set()    # of sections; the first of each counts
    for line in lines:
        if line == "Working sets:" and not report.columns["t"]:
            read_table(lines, report, full)
        elif line.startswith("Instructions:") and not report.summary:
            read_summary(chain([line], lines), report)
        elif line in SECTIONS and line not in titles:
            titles.add(line)
            read_section(lines, report, line)
        elif line == "Sample info:" and not report.entries:
            read_entries(lines, report.entries)
        elif line == "Resident:" and not report.resident:
            read_numbers(lines, report, "resident memory", read_resident)
        elif line == "Clock:" and not report.clock:
            read_numbers(lines, report, "clock", read_stretch)
        elif line == "Working set profile:" and not report.profile:
            report.profile = {}
            read_numbers(lines, report, "profile", read_profile_row)
        elif full and line.endswith(" entries):"):
            read_list(lines, report, line)
        last = line or last
    report.complete = last == "End of report"
    wrong = report.compositions.finish(report.complete, report.main)
    if wrong:
        raise Failure(f"{name}: {wrong} in its compositions makes no sense")
    return report


def read_header(lines: Iterator[str], name: str,
                known: int = FORMAT) -> Dict[str, str]:
    """The lines up to "--"."""
    header: Dict[str, str] = {}
    for line in lines:
        if line == "--":
            header.setdefault("Format", "none")
            break
        if len(header) == MOST_KEYS:
            raise Failure(f"{name}: its header has no end")
        key, _, value = line.partition(":")
        header.setdefault(key, printable(value.strip()))
    version = header.get("Format", str(known))  # a cut may have taken it
    if not re.fullmatch("[0-9]{1,9}", version):
        raise Failure(f"{name}: has no valid Format line")
    if int(version) != known:
        raise Failure(f"{name}: has format {version}; only format {known} is "
                      "known here")
    return header


def read_table(lines: Iterator[str], report: Report, full: bool) -> None:
    """Append the rows up to the next empty line to the report."""
    columns = report.columns
    names = next(lines, " ".join(columns)).split()
    for column in columns:
        if column not in names:
            raise Failure(f"{report.name}: its table has no column {column}")
    more = [report.column(OPTIONAL, tau) for tau in report.windows]
    if full:
        more += filter(MORE_COLUMNS.fullmatch, names)
    for column in more:
        if column in names:
            columns[column] = array("Q")
    wanted = [(names.index(column), store.append)
              for column, store in columns.items()]
    info = names.index("info") if "info" in names else None
    before = 0
    for row, line in enumerate(lines):
        fields = line.split()
        if not fields:
            return
        try:
            for place, append in wanted:
                append(natural(fields[place]))
            if info is not None and fields[info] != "-":
                report.info.append((row, natural(fields[info])))
            if len(fields) != len(names) or columns["t"][-1] < before:
                raise ValueError
            before = columns["t"][-1]
        except (IndexError, OverflowError, ValueError):
            raise nonsense(report, f"row {row + 1} of its table",
                           line) from None


def read_summary(lines: Iterator[str], report: Report) -> None:
    """The lines up to "--"; of further windows, all is in the table."""
    for line in lines:
        if line == "--":
            return
        if len(report.summary) == MOST_KEYS:
            raise Failure(f"{report.name}: its summary has no end")
        key, _, value = line.partition(":")
        if ", tau=" not in key:
            report.summary.setdefault(printable(key),
                                      printable(value.strip()))


def nonsense(report: Headed, what: str, line: str) -> Failure:
    return Failure(f"{report.name}: {what} makes no sense: "
                   + shorten(printable(line), 60))


def read_section(lines: Iterator[str], report: Report, title: str) -> None:
    try:
        if title == PHASES:
            read_phases(lines, report)
        else:
            compositions.SECTIONS[title](lines, report.compositions)
    except BadRow as row:
        raise nonsense(report, f"a row of its {title[:-1].lower()}",
                       str(row)) from None


def read_phases(lines: Iterator[str], report: Report) -> None:
    """Read the section Phases up to its end."""
    marks: List[Mark] = []      # a mark at the end of each row

    def store(cells: Dict[str, str]) -> None:
        mark = Mark(natural(cells["end"]), cells["label"],
                    optional(natural, cells["info"]))
        phase = read_phase(cells, marks[-1].label if marks else None,
                           mark.label)
        if not (marks[-1].time if marks else 0
                ) <= phase.start <= phase.end < 1 << 64:
            raise ValueError
        report.phases.append(phase)
        marks.append(mark)

    read_rows(lines, "label", store)
    if marks and not marks[-1].label:
        marks.pop()
        report.phases[-1].last = None
    report.marks = marks


def read_phase(cells: Dict[str, str], first: Optional[str],
               last: str) -> Phase:
    """A row without its info; the labels of the marks at its ends."""
    sets = [name for name in SETS.values() if name in cells]

    def tenths(text: str) -> Fraction:
        return Fraction(round(10 * fraction(text)), 10)

    return Phase(natural(cells["start"]), natural(cells["end"]),
                 natural(cells["instructions"]), natural(cells["samples"]),
                 {name: natural(cells[name]) for name in sets},
                 {name: optional(tenths, cells[f"avg_{name}"])
                  for name in sets},
                 {name: optional(natural, cells[f"max_{name}"])
                  for name in sets},
                 first, last)


def read_entries(lines: Iterator[str], entries: Dict[int, Entry]) -> None:
    """Read the section Sample info up to its end."""
    entry = Entry()
    for line in lines:
        if line == "--":
            return
        match = re.fullmatch(r"\[ *([0-9]{1,20})\] refs=[0-9]+, "
                             r"(?:set=([a-z+]+), )?loc=(.*?)"
                             "(?:, label=(.*))?", line)
        if match:
            entry = entries[int(match[1])] = Entry(match[3], match[4],
                                                   match[2] or "")
        else:
            entry.stack.append(line.strip())


def read_list(lines: Iterator[str], report: Report, title: str) -> None:
    try:
        read_pages(lines, report.lists, title)
    except BadRow as row:
        raise nonsense(report, "a line of its pages", str(row)) from None


def read_numbers(lines: Iterator[str], report: Report, what: str,
                 store: Callable[[Report, Dict[str, str]], None]) -> None:
    """Store the cells of each row up to "--", by the names in the first line."""
    names: List[str] = []
    for line in lines:
        fields = line.split()
        if line == "--":
            return
        if not names:
            names = fields
        elif fields:
            try:
                if len(fields) != len(names):
                    raise ValueError
                store(report, dict(zip(names, fields)))
            except (KeyError, ValueError):
                raise nonsense(report, f"a row of its {what}", line) from None


def read_resident(report: Report, cells: Dict[str, str]) -> None:
    report.resident[cells["set"]] = Resident(
        natural(cells["most"]), natural(cells["t"]), natural(cells["end"]))


def read_stretch(report: Report, cells: Dict[str, str]) -> None:
    report.clock.append(Stretch(*(natural(cells[name]) for name
                                  in ("t", "ms", "resident"))))
    if report.clock[-1].ms < (report.clock[-2].ms if report.clock[1:] else 0):
        raise ValueError


def read_profile_row(report: Report, cells: Dict[str, str]) -> None:
    assert report.profile is not None
    rows = report.profile.setdefault(cells["set"], [])
    rows.append(profile_row(cells))
    # Not below 1: they get logarithms.
    if rows[-1].tau <= (rows[-2].tau if rows[1:] else 0):
        raise ValueError


def profile_row(cells: Dict[str, str]) -> ProfileRow:
    return ProfileRow(
        natural(cells["tau"]), fraction(cells["avg"]), natural(cells["max"]),
        optional(fraction, cells["life"]), cells["note"],
        optional(natural, cells["entered"]), optional(fraction, cells["miss"]),
        optional(natural, cells.get("p50", "-")),
        optional(natural, cells.get("p95", "-")),
        optional(natural, cells.get("returned", "-")))


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
