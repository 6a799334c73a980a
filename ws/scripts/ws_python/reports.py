# SPDX-License-Identifier: GPL-2.0-or-later
"""Reading the reports of ws; their format is in ws/docs/report-format.md."""

import os
import re
import sys
from array import array
from dataclasses import dataclass, field
from typing import Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from ws_python.text import printable, shorten

MAGIC = "Working Set Measurement by valgrind-ws-"
NEWEST_FORMAT = 1
# What the sets are called by people, and in reports.
SETS = {"data": "data", "instructions": "insn", "dirty data": "dirty"}
OPTIONAL = "dirty data"


class Failure(Exception):
    """Something the user must be told; ends the script with code 1."""


def warn(message: object) -> None:
    print(f"{os.path.basename(sys.argv[0])}: {message}", file=sys.stderr)


@dataclass
class Entry:
    """An entry of the section Sample info."""
    places: str = "-"           # the call stack, "-" for none
    label: Optional[str] = None     # only marks and snapshots have one

    @property
    def legend(self) -> str:
        """What the number stands for."""
        return "" if self.places == "-" or self.label is not None else (
            self.places)


@dataclass
class ProfileRow:
    """A row of the section Working set profile."""
    tau: int
    average: float
    peak: int
    life: Optional[float]       # None: no page was missing
    note: str


@dataclass
class Report:
    """What is wanted of one report."""
    name: str
    header: Dict[str, str]
    windows: List[int] = field(default_factory=list)    # those that are wanted
    columns: Dict[str, "array[int]"] = field(default_factory=dict)
    # Rows with info, and the entry's number; a cut may have taken the entry.
    info: List[Tuple[int, int]] = field(default_factory=list)
    entries: Dict[int, Entry] = field(default_factory=dict)
    # By the set's name in reports; None: the section is not there.
    profile: Optional[Dict[str, List[ProfileRow]]] = None
    complete: bool = False  # False: its writer was killed, or is still at work

    def number(self, key: str) -> int:
        """The number that a header value begins with; 0 for none."""
        match = re.match("[0-9]{1,20}", self.header.get(key, ""))
        return int(match.group()) if match else 0

    @property
    def taus(self) -> List[int]:
        """The lengths of all windows."""
        return [self.number("Tau"), *map(int, re.findall(
            r"\b[0-9]{1,20}\b", self.header.get("Further taus", "")))]

    def column(self, kind: str, tau: int) -> str:
        """The name of the column of a set and a window."""
        first = tau == self.number("Tau")
        return f"WSS_{SETS[kind]}" + ("" if first else f"_{tau}")


# Which windows of a report are wanted, when its header is known.
Chooser = Callable[[Report], List[int]]


def all_windows(report: Report) -> List[int]:
    return report.taus


def read_report(stream: Iterator[str], name: str,
                choose: Chooser = all_windows) -> Report:
    """Read a report, complete or cut off anywhere behind its first line.

    Of the table, t, info and the sizes for the chosen windows are kept.  A
    line counts only when its newline is there: what a killed run left of its
    last row may look like a smaller number.
    """
    lines = (line[:-1] for line in stream if line.endswith("\n"))
    if not next(lines, "").startswith(MAGIC):
        raise Failure(f"{name}: is not a report of valgrind's ws tool")

    report = Report(name, read_header(lines, name))
    report.windows = choose(report)
    report.columns = {"t": array("Q"), **{
        report.column(kind, tau): array("Q") for tau in report.windows
        for kind in SETS if kind != OPTIONAL}}
    last = ""
    for line in lines:
        if line == "Working sets:" and not report.columns["t"]:
            read_table(lines, report)
        elif line == "Sample info:" and not report.entries:
            read_entries(lines, report.entries)
        elif line == "Working set profile:" and not report.profile:
            report.profile = {}
            read_profile(lines, report)
        last = line or last
    report.complete = last == "End of report"
    return report


def read_header(lines: Iterator[str], name: str) -> Dict[str, str]:
    """The lines up to "--"."""
    header: Dict[str, str] = {}
    for line in lines:
        if line == "--":
            header.setdefault("Format", "none")
            break
        key, _, value = line.partition(":")
        header.setdefault(key, value.strip())
    version = header.get("Format", "1")     # a cut may have taken it
    if not re.fullmatch("[0-9]{1,9}", version):
        raise Failure(f"{name}: has no valid Format line")
    if int(version) > NEWEST_FORMAT:
        raise Failure(f"{name}: has format {version}, but only formats up to "
                      f"{NEWEST_FORMAT} are known here")
    return header


def read_table(lines: Iterator[str], report: Report) -> None:
    """Append the rows up to the next empty line to the report."""
    columns = report.columns
    names = next(lines, " ".join(columns)).split()
    for column in columns:
        if column not in names:
            raise Failure(f"{report.name}: its table has no column {column}")
    for tau in report.windows:
        if report.column(OPTIONAL, tau) in names:
            columns[report.column(OPTIONAL, tau)] = array("Q")
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


def natural(text: str) -> int:
    """A number of digits alone; int() would take more."""
    if not text.isdecimal() or len(text) > 20:
        raise ValueError
    return int(text)


def nonsense(report: Report, what: str, line: str) -> Failure:
    return Failure(f"{report.name}: {what} makes no sense: "
                   + shorten(printable(line), 60))


def read_entries(lines: Iterator[str], entries: Dict[int, Entry]) -> None:
    """Read the section Sample info up to its end."""
    for line in lines:
        if line == "--":
            return
        match = re.fullmatch(r"\[ *([0-9]{1,20})\] refs=[0-9]+, loc=(.*?)"
                             "(?:, label=(.*))?", line)
        if match:
            entries[int(match[1])] = Entry(match[2], match[3])


def read_profile(lines: Iterator[str], report: Report) -> None:
    """Read the section Working set profile up to its end."""
    assert report.profile is not None
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
                cells = dict(zip(names, fields))
                rows = report.profile.setdefault(cells["set"], [])
                rows.append(profile_row(cells))
                # Not below 1: they get logarithms.
                if rows[-1].tau <= (rows[-2].tau if rows[1:] else 0):
                    raise ValueError
            except (KeyError, ValueError):
                raise nonsense(report, "a row of its profile", line) from None


def profile_row(cells: Dict[str, str]) -> ProfileRow:
    life = cells["life"]
    return ProfileRow(natural(cells["tau"]), fraction(cells["avg"]),
                      natural(cells["max"]),
                      None if life == "-" else fraction(life), cells["note"])


def fraction(text: str) -> float:
    """A number that may have digits behind a point."""
    if not re.fullmatch(r"[0-9]{1,20}(\.[0-9]{1,20})?", text):
        raise ValueError
    return float(text)


def load_report(path: str, choose: Chooser = all_windows) -> Report:
    """Read the report in a file, or from standard input for "-"."""
    name = "standard input" if path == "-" else printable(path)
    try:
        # newline: a carriage return ends no line.
        with open(0 if path == "-" else path, encoding="utf-8",
                  errors="replace", newline="\n", closefd=path != "-") as file:
            report = read_report(file, name, choose)
    except OSError as error:
        raise Failure(f"{name}: {error.strerror}") from None
    if not report.complete:
        warn(f"{name}: truncated report (its run was killed or is not over); "
             f"rows: {len(report.columns['t'])}")
    return report


def command_of(report: Report, width: int) -> str:
    """The command, or else the file's name, without the directory."""
    program, blank, rest = report.header.get("Command", "").partition(" ")
    command = os.path.basename(program) + blank + rest
    return shorten(printable(command or os.path.basename(report.name)), width)


def labels_of(reports: Sequence[Report], width: int) -> List[str]:
    """Names that tell the reports apart."""
    labels = [f"{command_of(r, width)} (PID {r.header.get('PID', '?')})"
              for r in reports]
    return [(label if labels.count(label) == 1 else shorten(r.name, width))
            + ("" if r.complete else " TRUNCATED")
            for label, r in zip(labels, reports)]


def average_of(report: Report, column: str) -> Optional[float]:
    """The mean of the samples; the rows at 0 and at exit are none.

    Rows of the same time count once.
    """
    every = report.number("Every") or 1
    samples = {time: value for time, value in zip(report.columns["t"],
                                                  report.columns[column])
               if time and time % every == 0}
    return sum(samples.values()) / len(samples) if samples else None
