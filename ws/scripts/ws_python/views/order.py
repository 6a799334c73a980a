# SPDX-License-Identifier: GPL-2.0-or-later
"""An order of functions for the linker, and what it gains."""

import os
import re
from shlex import quote
from typing import Dict, Iterator, List, NamedTuple, Sequence, Tuple

import numpy as np

from ws_python.base.text import Failure, printable, shorten
from ws_python.base.units import (BYTES, MEMORY_SZB, TEXT, byte_size, count,
                                  pages_and_size, size, time_text, window_text)
from ws_python.base.view import Datum, Table, View, columns_from
from ws_python.pagelog.functions import PLAIN, Function, read_functions
from ws_python.pagelog.log import LINE_SZB, PageLog
from ws_python.pagelog.start_up import BeforeMain, before_main
from ws_python.pagelog.used_code import (CodeLines, UsedCode, Windows,
                                         best_order, program_of)
from ws_python.report.report import titled
from ws_python.report.request import Request
from ws_python.report.sizes import nearest_rank

LARGEST_LINE = 64
MOST_LISTED = 10             # functions
LONGEST_SHOWN = 30
COLD_PART = re.compile(r"(.*)\.cold(\.\d+)?")
# The sections that compilers choose by when a function runs.
SECTIONS = (".text.", ".text.hot.", ".text.startup.", ".text.exit.")
UNLIKELY = ".text.unlikely."
NO_START = ("What is touched before main is not known: the log must name main (a "
            "stripped program has no names), and have callers and pages of 4 KiB.")


class Format(NamedTuple):
    """A list that a program reads: lines before, of each function, behind."""
    begin: str
    line: str
    end: str
    has_sections: bool
    link: str           # how to use it


SPLIT = "Compile with -ffunction-sections, link with "
FORMATS = {
    "lld": Format("", "{}\n", "", False, SPLIT + "-fuse-ld=lld "
                  "-Wl,--symbol-ordering-file={0},--no-warn-symbol-ordering"),
    "gold": Format("", "{}\n", "", True, SPLIT + "-fuse-ld=gold "
                   "-Wl,--section-ordering-file={0}"),
    "ld": Format(".text : {\n", "  *({})\n", "}\n", True, SPLIT
                 + "-Wl,--section-ordering-file={0} (GNU ld 2.43 or later)"),
    "bolt": Format("", "{}\n", "", False,
                   "Link with -Wl,--emit-relocs; then llvm-bolt {1} -o "
                   "{1}.bolt --reorder-functions=user --function-order={0}")}


def line_of(log: PageLog) -> int:
    """Return the size of the smallest pieces of code that a log tells apart."""
    return LINE_SZB if log.has_lines else log.page_szB


class Order:
    """The order of a file's functions, from the logs of runs."""

    def __init__(self, logs: Sequence[PageLog], request: Request):
        coarse = [log for log in logs if line_of(log) > LARGEST_LINE]
        if coarse:
            raise Failure(f"{coarse[0].name}: its pages hold many functions; "
                          "run the program with --ws-code-lines=yes")
        files = [program_of(log, request.object) for log in logs]
        self.path = request.object or files[0]
        if not request.object and len({*files}) > 1:
            raise Failure("these are logs of several programs; --object "
                          "chooses the file")
        self.functions = read_functions(self.path)
        self.used = [UsedCode(log, file, CodeLines(self.functions,
                                                   line_of(log)))
                     for log, file in zip(logs, files)]
        self.code = self.used[0].code
        self.has_run = np.any([one.has_run for one in self.used], axis=0)
        self.by_unit: Dict[int, List[Function]] = {}
        for unit, function in zip(self.code.unit.tolist(), self.functions):
            self.by_unit.setdefault(unit, []).append(function)
        units = best_order(self.used)
        plain = np.array([bool(PLAIN.fullmatch(self.by_unit[unit][0].name))
                          for unit in units.tolist()], bool)
        self.units, self.unplaced = units[plain], units[~plain]

    def names(self) -> Iterator[str]:
        """Yield what the linker knows the functions by, in the order."""
        for unit in self.units.tolist():
            yield self.by_unit[unit][0].name

    def sections(self) -> Iterator[str]:
        """Yield the sections that the functions may have, in the order."""
        known = {name for function in self.functions
                 for name in function.aliases}
        for unit in self.units.tolist():
            for name in dict.fromkeys(
                    name for function in self.by_unit[unit]
                    for name in function.aliases if PLAIN.fullmatch(name)):
                cold = COLD_PART.fullmatch(name)
                if cold:
                    yield UNLIKELY + cold[1]
                    continue
                yield from (section + name for section in SECTIONS)
                if f"{name}.cold" not in known:
                    yield UNLIKELY + name

    def text(self, name: str) -> str:
        """Write the order in a format."""
        form = FORMATS[name]
        return form.begin + "".join(map(form.line.format, (
            self.sections() if form.has_sections else self.names()))) + form.end

    # --- The view ------------------------------------------------------------

    def view(self, request: Request) -> View:
        log = self.used[0].log
        link = FORMATS[request.format].link.format(
            *(quote(printable(path)) for path in (
                request.output or "order.txt", self.path)))
        title = titled("An order of functions for the linker", log)
        view = View("order", title, [], MEMORY_SZB, log.unit, notes=[
            f"{link}.", "Functions are moved as a whole, those of one name "
            "together, and only where each has a section of its own. Sizes are "
            "those of all code, also in libraries; ordered ones are predicted."])
        for used in self.used:
            taus = sorted(request.taus or used.log.taus)
            now, then = used.sizes(
                [self.code.offsets, self.code.placed(self.units)], taus)
            view.sentences.append(gain_in_words(used.log, taus, now, then))
            view.parts.append(windows_table(used.log, taus, now, then))
        view.sentences.append(self.what_ran())
        view.sentences += self.warnings()
        before = start_table(self.used[0].log, request.in_full)
        view.sentences += [] if before else [NO_START]
        view.parts += before
        view.parts += self.together(request.in_full)
        view.parts.append(self.never_ran(request.in_full))
        return view

    def what_ran(self) -> str:
        sizes = self.code.ends - self.code.offsets
        ran = sizes[self.has_run]
        return (f"{byte_size(int(ran.sum()))} of {byte_size(int(sizes.sum()))} "
                f"ran: {count(len(ran))} of {count(len(sizes))} functions.")

    def warnings(self) -> Iterator[str]:
        """Say what the order lacks."""
        begin = min(int(one.log.header.get("Start", 0)) for one in self.used)
        if os.path.getmtime(self.path) * 1000 > begin > 0:
            yield (f"{printable(self.path)} has been changed since the run: if "
                   "it is another build, the order is worthless.")
        if len(self.unplaced):
            names = [shorten(self.by_unit[unit][0].name, LONGEST_SHOWN)
                     for unit in self.unplaced.tolist()]
            yield ("The order cannot hold the names of "
                   f"{count(len(names))} functions that ran: "
                   + ", ".join(names[:MOST_LISTED]) + ".")

    def together(self, in_full: bool) -> List[Table]:
        """Make a table of functions that ran and cannot be told from others."""
        rows = sorted(((same[0].name, sum(one.size for one in same),
                        ", ".join(one.source or "(global)" for one in same))
                       for same in (self.by_unit[unit]
                                    for unit in self.units.tolist())
                       if same[1:]), key=lambda row: -row[1])
        return [functions_table("Placed together, for they have one name", rows,
                                in_full)] if rows else []

    def never_ran(self, in_full: bool) -> Table:
        rows = sorted(((one.name, one.size, one.source) for one, has_run
                       in zip(self.functions, self.has_run) if not has_run),
                      key=lambda row: -row[1])
        return functions_table("Never ran in these runs", rows, in_full)


def functions_table(title: str, rows: Sequence[Tuple[str, int, str]],
                    in_full: bool) -> Table:
    whole = byte_size(sum(szB for _, szB, _ in rows))
    return Table(f"{title}: {count(len(rows))} functions, {whole}", columns_from(
        [("bytes", BYTES, "size"), ("source", TEXT), ("function", TEXT)],
        [(szB, shorten(printable(source), LONGEST_SHOWN), printable(name))
         for name, szB, source in rows[:None if in_full else MOST_LISTED]]),
        {"what": title})


def gain_in_words(log: PageLog, taus: Sequence[int], now: Windows,
             then: Windows) -> str:
    """Tell what is gained in the window that views show."""
    k = taus.index(log.window(taus, log.last_time))
    before, after = (size(nearest_rank(some.ordered[k], 50), MEMORY_SZB)
                     for some in (now, then))
    return (f"Code used within {time_text(taus[k], log.unit)} (median): "
            f"{before} now, {after} with this order (predicted); in the whole "
            f"run: {size(now.total, MEMORY_SZB)}, "
            f"{size(then.total, MEMORY_SZB)}.")


def windows_table(log: PageLog, taus: Sequence[int], now: Windows,
             then: Windows) -> Table:
    """Make a table of windows, and of the run."""
    rows: List[Sequence[Datum]] = [(window_text(tau, log.unit)[4:], *(
        nearest_rank(ordered, rank) * MEMORY_SZB
        for ordered in (now.ordered[k], then.ordered[k])
        for rank in (50, 95, 100))) for k, tau in enumerate(taus)]
    rows.append(("whole run", *2 * (None,), now.total * MEMORY_SZB, *2 * (None,),
                 then.total * MEMORY_SZB))
    return Table(f"Code used within a window: {log.name}", columns_from(
        [("window", TEXT), ("median", BYTES), ("p95", BYTES),
         ("maximum", BYTES), ("ordered_median", BYTES, "ordered: median"),
         ("ordered_p95", BYTES, "p95"), ("ordered_maximum", BYTES, "maximum")],
        rows), {"log": log.name})


def start_table(log: PageLog, in_full: bool) -> List[Table]:
    """Make a table of the pages touched before main, if the log has these."""
    time, touched = before_main(log)
    if not touched:
        return []
    every = BeforeMain(*map(sum, zip(*touched.values())))
    own = touched.get(program_of(log, None), every)
    linker, symbols, tables, relocated, of_pie = (
        pages_and_size(number, log.page_szB) for number in (
            *every[1:], own.tables + own.relocated))
    rows = sorted(touched.items(), key=lambda row: -row[1].pages)
    return [Table(
        f"Before main: {pages_and_size(every.pages, log.page_szB)} within "
        f"{time_text(time, log.unit)}", columns_from([
            *((name, BYTES, title) for name, title in zip(
                BeforeMain._fields, ("size", "linker", "symbols", "relocations",
                                  "relocated"))), ("mapping", TEXT)],
            [(*(number * log.page_szB for number in row), printable(name))
             for name, row in [*rows[:None if in_full else MOST_LISTED],
                               ("all", every)]]), {}, [
            f"The dynamic linker was the first to touch {linker}: -static "
            f"saves most of them, -static-pie {tables} fewer.",
            f"It read {symbols} of symbols: less if libraries export less "
            "(-fvisibility=hidden), or bind their own (-Wl,-Bsymbolic).",
            f"It relocated {relocated}, of which each process has a copy. "
            f"-no-pie saves {of_pie} at most."
        ] if every.linker else [])]
