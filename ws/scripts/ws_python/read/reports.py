# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the reports of ws; ws/docs/report-format.md has their format."""

import re
from array import array
from fractions import Fraction
from typing import Callable, Dict, Iterator, List, Optional, Set, TextIO

from ws_python.base.failure import Failure
from ws_python.base.fields import (BadRow, fraction, natural, optional,
                                   read_rows)
from ws_python.base.text import printable
from ws_python.base.units import SETS
from ws_python.model.compositions import Compositions
from ws_python.model.lists import LISTS, PageList
from ws_python.model.report import (OPTIONAL, Entry, Mark, Phase,
                                    ProfileRow, Report, Resident, Stretch,
                                    Total, nonsense)
from ws_python.read import compositions as read_compositions

MAGIC = "Working Set Measurement by valgrind-ws-"
LOG_MAGIC = "Page log by valgrind-ws-"
FORMAT = 3
ATTACH_NOTE = "note"        # of ws_attach, among the kinds of entries

# Further columns that a table may have.
MORE_COLUMNS = re.compile("(?:new|total)_(?:insn|data|dirty)|mapped|files|"
                          "cold|"
                          "resident|(?:late|window|reading)_us|(?:rss|pss|swap)_kB")

# A longer line or header belongs to no report; it is not read to its end, if
# it has one. No system takes a command longer than such a line.
MOST_CHARACTERS = 1 << 23   # of a line
MOST_KEYS = 1000            # of a header


# Chooses the windows to read, when a report's header is known.
Chooser = Callable[[Report], List[int]]


# Reads a section of a report, up to its end.
ReadSection = Callable[[Iterator[str], Report], None]


def all_windows(report: Report) -> List[int]:
    return report.taus


def whole_lines(stream: TextIO, name: str) -> Iterator[str]:
    """Yield lines without their newlines; omit a last line that has none."""
    for line in iter(lambda: stream.readline(MOST_CHARACTERS), ""):
        if line.endswith("\n"):
            yield line[:-1]
        elif len(line) == MOST_CHARACTERS:
            raise Failure(f"{name}: has a line of more than "
                          f"{MOST_CHARACTERS} characters")


def read_report(stream: TextIO, name: str, choose: Chooser = all_windows,
                full: bool = False) -> Report:
    """Read a report, complete or cut off anywhere behind its first line.

    The report keeps t, info and the sizes for the chosen windows; with `full`,
    all columns, and the lists of pages.  A line counts only with its newline:
    the last row of a killed run may look like a smaller number.
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
        elif line in SECTIONS and line not in titles and (
                full or line not in LISTS):
            titles.add(line)
            read_section(lines, report, line)
        last = line or last
    report.complete = last == "End of report"
    wrong = (report.compositions.finish(report.complete, report.main)
             or name_stacks(report))
    if wrong:
        raise Failure(f"{name}: {wrong} in its compositions makes no sense")
    return report


def read_header(lines: Iterator[str], name: str,
                known: int = FORMAT) -> Dict[str, str]:
    """Read the lines up to "--"."""
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
    """Read the lines up to "--"."""
    for line in lines:
        if line == "--":
            return
        if len(report.summary) == MOST_KEYS:
            raise Failure(f"{report.name}: its summary has no end")
        key, _, value = line.partition(":")
        report.summary.setdefault(printable(key), printable(value.strip()))


def read_section(lines: Iterator[str], report: Report, title: str) -> None:
    try:
        SECTIONS[title](lines, report)
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
    """Make a phase of a row and the labels of the marks at its ends."""
    sets = [name for name in SETS if name in cells]

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


def read_entries(lines: Iterator[str], report: Report) -> None:
    """Read the section Sample info up to its end."""
    def store(cells: Dict[str, str]) -> None:
        entry = Entry(sets=optional(str, cells["set"]) or "",
                      frame=optional(natural, cells["frame"]))
        if cells["kind"] == ATTACH_NOTE:
            entry.places = cells["label"]
        elif cells["kind"] == "snapshot":
            entry.label = cells["label"]
        report.entries[natural(cells["info"])] = entry

    read_rows(lines, "label", store)


def name_stacks(report: Report) -> str:
    """Name the stacks of entries and lists, now that the frames are known.
    Return the name of what is missing, or "".
    """
    known = report.compositions.frames
    for entry in report.entries.values():
        if entry.frame in known:
            frames = report.compositions.chain(entry.frame)
            entry.places = "|".join(frame.place for frame in frames)
            entry.stack = [f"{'by' if number else 'at'} {frame.words}"
                           for number, frame in enumerate(frames)]
        elif entry.frame is not None and report.complete:
            return "a stack that is not there"
    for name, found in report.lists.items():
        # A complete report has all pages.
        total = report.totals.get(name, Total(0))
        found.name_places(known, 0 if report.complete else
                          (total.pages or 0) + (total.anew or 0))
    return ""


def list_reader(name: str) -> ReadSection:
    def read(lines: Iterator[str], report: Report) -> None:
        report.lists[name] = PageList()
        read_compositions.read_pages(lines, report.lists[name])
    return read


def composition_reader(read: Callable[[Iterator[str], Compositions], None]
                       ) -> ReadSection:
    return lambda lines, report: read(lines, report.compositions)


def number_reader(store: Callable[[Report, Dict[str, str]], None]) -> ReadSection:
    """Make a reader of a table of numbers."""
    return lambda lines, report: read_rows(
        filter(None, lines), "", lambda cells: store(report, cells))


def read_size(report: Report, cells: Dict[str, str]) -> None:
    bound = optional(natural, cells["bound"])
    if bound is not None:
        report.bounds.setdefault(cells["set"], bound)


def read_total(report: Report, cells: Dict[str, str]) -> None:
    report.totals[cells["set"]] = Total(*(
        optional(natural, cells.get(name, "-")) for name
        in ("pages", "anew", "peaks")))


def read_resident(report: Report, cells: Dict[str, str]) -> None:
    report.resident[cells["set"]] = Resident(
        natural(cells["most"]), natural(cells["t"]), natural(cells["end"]))


def read_stretch(report: Report, cells: Dict[str, str]) -> None:
    report.clock.append(Stretch(*(natural(cells[name]) for name
                                  in ("t", "ms", "resident"))))
    if report.clock[-1].ms < (report.clock[-2].ms if report.clock[1:] else 0):
        raise ValueError


def read_profile(lines: Iterator[str], report: Report) -> None:
    report.profile = {}
    number_reader(read_profile_row)(lines, report)


def read_profile_row(report: Report, cells: Dict[str, str]) -> None:
    assert report.profile is not None
    rows = report.profile.setdefault(cells["set"], [])
    rows.append(profile_row(cells))
    # At least 1: they get logarithms.
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


# By their titles.
SECTIONS: Dict[str, ReadSection] = {
    "Summary:": read_summary, "Sizes:": number_reader(read_size),
    "Totals:": number_reader(read_total),
    "Resident:": number_reader(read_resident),
    "Working set profile:": read_profile, "Phases:": read_phases,
    "Sample info:": read_entries, "Clock:": number_reader(read_stretch),
    **{title: composition_reader(read)
       for title, read in read_compositions.SECTIONS.items()},
    **{title: list_reader(name) for title, name in LISTS.items()}}
