# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the reports of ws, whose format ws/docs/report-format.md describes."""

import re
import sys
from array import array
from fractions import Fraction
from functools import partial
from itertools import islice
from operator import sub
from typing import (Callable, Dict, Iterator, List, Optional, Set, TextIO,
                    Tuple, TypeVar)

from ws_python.base.text import Failure, printable, thread_title
from ws_python.base.units import SETS, byte_size, count, natural
from ws_python.report.compositions import (BLOCKS, FREE, HEAP_SET, MEMORY,
                                           NOT_HEAP, SETS_OF_ORIGINS, WHOSE,
                                           Frame, Kept, Origin)
from ws_python.report.report import (LISTS, OPTIONAL, Entry, Mark, PageList,
                                     Phase, ProfileRow, Report, Stretch, Total,
                                     nonsense)

MAGIC = "Working Set Measurement by valgrind-ws-"
LOG_MAGIC = "Page log by valgrind-ws-"
FORMAT = 3
SUMMARY, PROFILE = "Summary:", "Working set profile:"
ATTACH_NOTE = "note"        # of ws_attach, among the kinds of entries

# Further columns that a table may have.
MORE_COLUMNS = re.compile("(?:new|total)_(?:insn|data|dirty)|mapped|files|"
                          "cold|shared|"
                          "resident|(?:late|window|reading)_us|(?:rss|[pu]ss|swap)_kB")

# No report has a longer line or header: no system takes a longer command.
MOST_CHARACTERS = 1 << 23   # of a line
MOST_KEYS = 1000            # of a header
# A longer report would take minutes, or gigabytes of memory.
MOST_BYTES = 1 << 31
MOST_READ = 5 * 10 ** 6     # lines
MOST_OF_A_SECTION = 10 ** 6         # lines; lists of pages may have more
MOST_FRAMES = 5000          # Valgrind unwinds 500; more may be inlined
WHY_WIDTH = 20              # of the column why, in front of a label

Value = TypeVar("Value")
# Chooses the windows to read, when a report's header is known.
Chooser = Callable[[Report], List[int]]
# Stores the cells of a row, by their columns.  An error means that the row
# makes no sense: IndexError, KeyError, ValueError.
StoreRow = Callable[[Report, Dict[str, str]], None]


class BadRow(Exception):
    """A row that makes no sense."""


def all_windows(report: Report) -> List[int]:
    return report.taus


def whole_lines(stream: TextIO, name: str) -> Iterator[str]:
    """Yield lines without their newlines; omit a last line that has none."""
    left = MOST_BYTES
    for line in iter(lambda: stream.readline(MOST_CHARACTERS), ""):
        left -= len(line)
        if left < 0:
            raise Failure(f"{name}: has more than {byte_size(MOST_BYTES)}")
        if line.endswith("\n"):
            yield line[:-1]
        elif len(line) == MOST_CHARACTERS:
            raise Failure(f"{name}: has a line of more than "
                          f"{MOST_CHARACTERS} characters")


def at_most(number: int, lines: Iterator[str], name: str) -> Iterator[str]:
    """Yield the lines, `number` at most.  Failure: there are more."""
    yield from islice(lines, number)
    if next(lines, None) is not None:
        raise Failure(f"{name}: has more than {count(number)} rows, which are "
                      "not read: let ws take fewer samples, or list no pages")


def read_report(stream: TextIO, name: str, choose: Chooser = all_windows,
                full: bool = False) -> Report:
    """Read a report, complete or cut off anywhere behind its first line.
    Failure: it is none, or makes no sense.

    The report keeps t, info and the sizes for the chosen windows; with `full`,
    all columns, and the lists of pages.  A line counts only with its newline:
    a number of a killed run's last row may lack digits.
    """
    lines = at_most(MOST_READ, whole_lines(stream, name), name)
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
            times = report.columns["t"]
            report.spans = array("Q", map(sub, times, [0, *times]))
        elif line in (SUMMARY, *ROWS) and line not in titles and (
                full or line not in LISTS):
            titles.add(line)
            read_section(lines, report, line)
        last = line or last
    report.complete = last == "End of report"
    if report.marks and not report.marks[-1].label:     # the end of the run
        report.marks.pop()
        report.phases[-1].last = None
    for name, pages in report.lists.items():
        # A complete report has all pages.
        total = report.totals.get(name, Total(0))
        pages.announced = max(len(pages.counts), 0 if report.complete else
                              (total.pages or 0) + (total.anew or 0))
    wrong = report.compositions.finish(
        report.complete, report.main,
        {entry.frame for entry in report.entries.values()})
    if wrong:
        raise Failure(f"{name}: {wrong} in its compositions makes no sense")
    return report


def address(text: str) -> int:
    if not re.fullmatch("0x[0-9a-f]{1,16}", text):
        raise ValueError
    return int(text, 16)


def fraction(text: str) -> float:
    """Read a decimal number."""
    if not re.fullmatch(r"[0-9]{1,20}(\.[0-9]{1,20})?", text):
        raise ValueError
    return float(text)


def optional(read: Callable[[str], Value], text: str) -> Optional[Value]:
    """Read a value, or None for "-"."""
    return None if text == "-" else read(text)


def read_rows(lines: Iterator[str], last: str,
              store: Callable[[Dict[str, str]], None],
              padded: int = 0) -> None:
    """Store the cells of each row up to "--", by the names in the first line.

    The last column, `last`, is a text: it begins one blank behind the column
    before, which is padded to `padded` characters, and reaches to the end of
    the line.  If `last` is "", no column has blanks.
    """
    names: List[str] = []
    for line in lines:
        if line == "--":
            return
        if not names:
            names = line.split()
            continue
        words = line.split(None, max(len(names) - 2, 0) if last else -1)
        try:
            if last and names[-1] != last or len(words) != len(names) - bool(
                    last):
                raise ValueError
            if last:    # the last word begins with the column before
                rest = words[-1]
                words[-1] = rest.partition(" ")[0]
                words.append(rest[max(len(words[-1]), padded) + 1:])
            store(dict(zip(names, words)))
        except (IndexError, KeyError, ValueError):
            raise BadRow(line) from None


def read_pairs(lines: Iterator[str], pairs: Dict[str, str], what: str) -> bool:
    """Read keys and values up to "--".  The first value of a key counts.
    Return False if a cut has taken the end.
    """
    left = MOST_CHARACTERS
    for line in lines:
        if line == "--":
            return True
        left -= len(line)
        if len(pairs) == MOST_KEYS or left < 0:
            raise Failure(f"{what} has no end")
        key, _, value = line.partition(":")
        pairs.setdefault(printable(key), printable(value.strip()))
    return False


def read_header(lines: Iterator[str], name: str,
                known: int = FORMAT) -> Dict[str, str]:
    """Read the header.  Failure: its format is not `known`."""
    header: Dict[str, str] = {}
    if read_pairs(lines, header, f"{name}: its header"):
        header.setdefault("Format", "none")
    version = header.get("Format", str(known))  # a cut may have taken it
    if not re.fullmatch("[0-9]{1,9}", version):
        raise Failure(f"{name}: has no valid Format line")
    if int(version) != known:
        raise Failure(f"{name}: has format {version}; only format {known} is "
                      "known here")
    return header


def read_table(lines: Iterator[str], report: Report, full: bool) -> None:
    """Append the rows of the table, up to an empty line, to report.columns; with
    `full`, those of MORE_COLUMNS, too.
    """
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


def read_section(lines: Iterator[str], report: Report, title: str) -> None:
    if title == SUMMARY:
        read_pairs(lines, report.summary, f"{report.name}: its summary")
        return
    # A section without rows exists, too.
    if title in LISTS:
        report.lists[LISTS[title]] = PageList()
    else:
        lines = at_most(MOST_OF_A_SECTION, lines, report.name)
    if title == PROFILE:
        report.profile = {}
    last, store = ROWS[title]
    try:
        read_rows(lines if last else filter(None, lines), last,
                  partial(store, report),
                  WHY_WIDTH if store is store_kept else 0)
    except BadRow as row:
        raise nonsense(report, f"a row of its {title[:-1].lower()}",
                       str(row)) from None


def store_phase(report: Report, cells: Dict[str, str]) -> None:
    """Store a phase, and the mark that ends it."""
    begin, first = ((report.marks[-1].time, report.marks[-1].label)
                    if report.marks else (0, None))
    mark = Mark(natural(cells["end"]), cells["label"],
                optional(natural, cells["info"]))
    sets = [name for name in SETS if name in cells]

    def tenths(text: str) -> Fraction:
        return Fraction(round(10 * fraction(text)), 10)

    phase = Phase(natural(cells["start"]), mark.time,
                  natural(cells["instructions"]), natural(cells["samples"]),
                  {name: natural(cells[name]) for name in sets},
                  {name: optional(tenths, cells[f"avg_{name}"])
                   for name in sets},
                  {name: optional(natural, cells[f"max_{name}"])
                   for name in sets}, first, mark.label)
    if not begin <= phase.start <= phase.end:
        raise ValueError
    report.phases.append(phase)
    report.marks.append(mark)


def store_entry(report: Report, cells: Dict[str, str]) -> None:
    entry = Entry(frame=optional(natural, cells["frame"]))
    if cells["kind"] == ATTACH_NOTE:
        entry.note = cells["label"]
    elif cells["kind"] == "snapshot":
        entry.label = cells["label"]
    report.entries[natural(cells["info"])] = entry


def store_size(report: Report, cells: Dict[str, str]) -> None:
    bound = optional(natural, cells["bound"])
    if bound is not None:
        report.bounds.setdefault(cells["set"], bound)


def store_total(report: Report, cells: Dict[str, str]) -> None:
    report.totals[cells["set"]] = Total(*(
        optional(natural, cells.get(name, "-")) for name
        in ("pages", "anew", "peaks")))


def store_resident(report: Report, cells: Dict[str, str]) -> None:
    report.resident[cells["set"]] = natural(cells["most"])


def store_stretch(report: Report, cells: Dict[str, str]) -> None:
    report.clock.append(Stretch(
        *(natural(cells[name]) for name in ("t", "ms", "resident")),
        *(natural(cells.get(name, "0"))
          for name in ("private", "owned", "inherited", "lost"))))
    if report.clock[-2:][0].ms > report.clock[-1].ms:
        raise ValueError


def store_thread(report: Report, cells: Dict[str, str]) -> None:
    report.threads.append(thread_title(natural(cells["thread"]),
                                       cells["name"]))


def store_profile(report: Report, cells: Dict[str, str]) -> None:
    assert report.profile is not None
    rows = report.profile.setdefault(cells["set"], [])
    rows.append(ProfileRow(
        natural(cells["tau"]), fraction(cells["avg"]), natural(cells["max"]),
        optional(fraction, cells["life"]), cells["note"],
        optional(natural, cells["entered"]), optional(fraction, cells["miss"]),
        *(optional(natural, cells.get(name, "-"))
          for name in ("p50", "p95", "returned", "until"))))
    if report.columns["t"] and rows[-1].until == report.columns["t"][-1]:
        rows[-1].until = None
    # Ascending from 1, for views take logarithms.
    if rows[-1].tau <= (rows[-2].tau if len(rows) > 1 else 0):
        raise ValueError


# --- Compositions and lists -------------------------------------------------

def set_of(cells: Dict[str, str]) -> str:
    if cells["set"] not in SETS_OF_ORIGINS:
        raise ValueError
    return cells["set"]


def store_kept(report: Report, cells: Dict[str, str]) -> None:
    compositions, number = report.compositions, natural(cells["sample"])
    is_memory = cells["set"] in MEMORY
    tau = cells.get("tau", "-" if is_memory else str(compositions.tau))
    if number in compositions.samples or is_memory != (tau == "-"):
        raise ValueError
    compositions.samples[number] = Kept(
        cells["set"] if is_memory else set_of(cells),
        optional(natural, tau), natural(cells["t"]),
        natural(cells["pages"]) * (
            report.page_szB if cells["set"] == HEAP_SET else 1),
        optional(natural, cells["written"]), cells["why"].split(","),
        cells["label"])


def store_origin(report: Report, cells: Dict[str, str]) -> None:
    origin = origin_of(cells, "pages", optional(natural, cells["written"]))
    if (origin.written or 0) > origin.pages:
        raise ValueError
    sample = report.compositions.samples[natural(cells["sample"])]
    sample.origins.append(origin)


def store_site(report: Report, cells: Dict[str, str]) -> None:
    """Store blocks of a call stack, or what belongs to no block."""
    site = origin_of(cells, "resident")
    site.heap = {name: natural(value) for name, value in cells.items()
                 if name in ("blocks", "live", "mixed")
                 or name.startswith("hot_")}
    site.mapping = {"": BLOCKS, "heap": FREE, "anonymous": FREE}.get(
        site.mapping, NOT_HEAP)
    sample = report.compositions.samples[natural(cells["sample"])]
    if sample.set != HEAP_SET or any(
            number > site.pages for name, number in site.heap.items()
            if name not in ("blocks", "live")):
        raise ValueError
    sample.origins.append(site)


def origin_of(cells: Dict[str, str], pages: str,
              written: Optional[int] = None) -> Origin:
    return Origin(natural(cells[pages]), written,
                  optional(natural, cells["frame"]), cells["mapping"],
                  cells.get("folded") == "yes",
                  optional(natural, cells.get("lead", "-")))


def store_entered(report: Report, cells: Dict[str, str]) -> None:
    compositions = report.compositions
    key = set_of(cells), natural(cells.get("tau", str(compositions.tau)))
    compositions.entries.setdefault(key, []).append(
        origin_of(cells, "entered"))


def store_frame(report: Report, cells: Dict[str, str]) -> None:
    frames = report.compositions.frames
    assert isinstance(frames, dict)
    number, caller = natural(cells["frame"]), cells["caller"]
    outer = None if caller in ("-", "?") else natural(caller)
    # A caller stands before its callees, so there is no circle.
    depth = 1 + (0 if outer is None else frames[outer].depth)
    function, file, path = (name.replace("\\x7c", "|")
                            for name in cells["place"].split("|"))
    if number in frames or depth > MOST_FRAMES or cells["whose"] not in WHOSE:
        raise ValueError
    frames[number] = Frame(
        outer, caller == "?", address(cells["address"]),
        optional(natural, cells["line"]), function, file, path,
        cells["whose"], depth)


def store_page(name: str, report: Report, cells: Dict[str, str]) -> None:
    rows = report.lists[name]
    rows.counts.append(natural(cells["count"]))
    rows.lasts.append(natural(cells["last"]))
    rows.pages.append(address(cells["page"]))
    rows.frames.append(optional(natural, cells["frame"]))
    rows.owners.append(sys.intern(cells["mapping"]))
    rows.mapped_anew.append(cells["anew"] == "yes")


# By the section's title: its last column, if that is a text; and how to store
# a row.
ROWS: Dict[str, Tuple[str, StoreRow]] = {
    PROFILE: ("", store_profile), "Sizes:": ("", store_size),
    "Totals:": ("", store_total), "Resident:": ("", store_resident),
    "Clock:": ("", store_stretch), "Threads:": ("name", store_thread),
    "Phases:": ("label", store_phase),
    "Sample info:": ("label", store_entry),
    "Kept samples:": ("label", store_kept),
    "Composition:": ("mapping", store_origin), "Heap:": ("mapping", store_site),
    "Entries:": ("mapping", store_entered), "Stacks:": ("place", store_frame),
    **{title: ("mapping", partial(store_page, name))
       for title, name in LISTS.items()}}
