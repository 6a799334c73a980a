# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints one report for people."""

from operator import itemgetter
from typing import Dict, List, Optional, Sequence, Tuple

from ws_python.base.text import printable, shorten
from ws_python.base.units import (count, exact_time, noun, nouns,
                                  pages as number_of, size)
from ws_python.model.lists import LISTS, PageList
from ws_python.model.places import Share, by_function, by_mapping
from ws_python.model.report import (Entry, Reference, Report, is_clocked,
                                    is_estimate, references, samples_of,
                                    unit_of)
from ws_python.model.sizes import (KINDS, SHOWN, Sizes, anew_of, end_of,
                                   instructions_of, no_sample, percentile_of,
                                   sizes_of, timing)
from ws_python.show.terminal.chart import HEIGHT, chart
from ws_python.show.terminal.layout import heading, table, wrapped
from ws_python.show.terminal.view import table_text
from ws_python.views import enough
from ws_python.views.answer import answer

TIMINGS = ("Late", "Window", "Reading")     # in the summary

NOTE = ("peak: the largest sample; bound: no more at any time; total: in the "
        "whole run.")


def everything(report: Report, wanted: Sequence[str], top: int,
               width: int) -> List[str]:
    """Make all sections that this report has data for."""
    sizes = sizes_of(report, wanted)
    lines = heading("Summary", width) + about(report, width)
    lines += [""] + answer(report, wanted, width)
    lines += [""] + heading("Working set sizes", width)
    lines += size_tables(report, sizes, width)
    for some in sizes:
        if some.first:
            lines += [""] + heading(curve_title(report, some), width)
            lines += curve(report, some, width, [
                (found[0][0], number)
                for number, found in references(report).items()])
    if report.phases:
        lines += [""] + heading("Phases", width)
        lines += phases(report, wanted, width)
    if references(report):
        lines += [""] + heading("Peaks, marks and snapshots", width)
        lines += entries(report, wanted, width)
    for name in wanted:
        if name in report.lists:
            lines += pages(report, name, top, width)
    if any(name in (report.profile or ()) for name in wanted):
        lines += [""] + table_text(enough.table_of(report, wanted),
                                   unit_of(report), width)
    return lines


def about(report: Report, width: int,
          only: Optional[Sequence[str]] = None) -> List[str]:
    """Print facts of the run: all keys, or only some."""
    header, unit = report.header, unit_of(report)
    keys: Dict[str, Optional[str]] = {
        "Command": shorten(header.get("Command", "-"), 5 * width),
        "Page log" if report.is_log else "Report": report.name + (
            "" if report.complete else " (TRUNCATED: its run was killed or is "
            "not over)"),
        "PID": header.get("PID", "-") + (
            f", forked from {header['Parent PID']}"
            if "Parent PID" in header else ""),
        "Instructions": None if is_estimate(report) else count(
            instructions_of(report))}
    if is_clocked(report):
        keys["Milliseconds"] = count(end_of(report))
    if report.end is not None:
        keys["Instructions"] = keys["Milliseconds"] = None  # of the whole run
        keys["Part"] = part_of(report)
    every = report.number("Every")
    samples = len(samples_of(report, "t"))
    keys["Sampled"] = f"every {exact_time(every, unit)}, {count(samples)} samples"
    keys["Windows"] = "tau = " + wrapped(
        [count(tau) for tau in report.taus], 24, width) + f" {unit}"
    keys["Page size"] = f"{count(report.number('Page size'))} B"
    anew = anew_of(report)
    keys["Mapped anew"] = (f"{anew['insn']}/{anew['data']} pages (insn/data)"
                           if anew else None)
    keys["Source"] = header.get("Source")
    keys["No sample"] = no_sample(report)
    for key in TIMINGS:
        found = timing(report, key)
        keys[f"{key} avg/max"] = found and f"{found[0]}/{found[1]} us"
    for key in ("Windows off", "Missed samples"):
        keys[key] = report.summary.get(key)
    peaks = [report.totals[name].peaks for name in LISTS.values()
             if name in report.totals]
    if None not in peaks:
        keys["Peaks insn/data"] = "/".join(map(str, peaks)) or None
    keys["Not reached"] = report.summary.get("Not reached")
    return [f"{key + ':':<18}{value}" for key, value in keys.items()
            if value is not None and (only is None or key in only)]


def part_of(report: Report) -> str:
    """Name a part of a run: from 2 to 3 of 10 instructions."""
    unit, whole = unit_of(report), end_of(report)
    return f"from {count(report.begin)} to {count(report.end)}" + (
        f" of {count(whole)}" if whole else "") + f" {unit}"


def size_tables(report: Report, sizes: Sequence[Sizes],
                width: int) -> List[str]:
    """Make tables of the sizes in pages, and in bytes."""
    page = report.number("Page size")
    names = ["set", "tau", *SHOWN]
    lines = table(
        [*names, "peak at", ""],
        [[some.set, count(some.tau),
          *(count(some.statistic(name)) for name in SHOWN),
          count(some.peak_time), ""] for some in sizes], width, left=1)
    lines += [""] + table(
        [*names, ""],
        [[some.set, count(some.tau),
          *(size(some.statistic(name), page) for name in SHOWN), ""]
         for some in sizes], width, left=1)
    return lines + [NOTE]


def curve_title(report: Report, sizes: Sizes) -> str:
    return (f"{sizes.set}: {nouns(report.number('Page size'))} over time, tau="
            + exact_time(sizes.tau, unit_of(report)))


def curve(report: Report, sizes: Sizes, width: int,
          marks: Sequence[Tuple[int, int]], height: int = HEIGHT) -> List[str]:
    """Draw a curve; if marks lack room, the lowest numbers remain."""
    return chart(report.columns["t"], report.columns[report.column(
        KINDS[sizes.set], sizes.tau)], width, unit_of(report),
        sorted(marks, key=itemgetter(1)), height, report.begin)


def phases(report: Report, wanted: Sequence[str], width: int) -> List[str]:
    """Make a table of phases: their pages, and sizes of their samples."""
    return table(
        ["set", "start", "instructions", noun(report.number("Page size")),
         "avg", "p95", "max", "phase"],
        [[name, count(phase.start), count(phase.instructions),
          count(phase.pages[name]),
          count(phase.averages[name]), count(percentile_of(report, phase, name)),
          count(phase.largest[name]), phase.name]
         for name in wanted for phase in report.phases if name in phase.pages],
        width, left=1)


def entries(report: Report, wanted: Sequence[str], width: int) -> List[str]:
    """Print each entry with its first times, and its stack."""
    lines: List[str] = []
    for number, some in references(report).items():
        entry = report.entries.get(number)
        what = ("no entry: the report is truncated" if entry is None else
                f"label: {printable(entry.label)}" if entry.label is not None
                else "call stack" if entry.places != "-" else "no call stack")
        lines += [f"[{number:>4}] {shorten(what, 5 * width)}"]
        lines += ["       t = " + wrapped(
            [place(report, wanted, one) for one in some[:3]]
            + ([f"... ({count(len(some))} times)"] if some[3:] else []),
            11, width)]
        lines += ["       " + shorten(printable(line), 5 * width)
                  for line in stack_lines(entry)]
    return lines


def stack_lines(entry: Optional[Entry]) -> List[str]:
    """Return the stack as Valgrind prints it; of a cut report, places."""
    if entry is None:
        return []
    return entry.stack or [
        ("at " if k == 0 else "by ") + place for k, place
        in enumerate(entry.places.split("|")) if place != "-"]


def place(report: Report, wanted: Sequence[str], one: Reference) -> str:
    """Print a time, and the sizes of its row."""
    time, row = one
    if row is None:
        return count(time)
    tau = report.windows[0]
    values = [(name, report.columns.get(report.column(KINDS[name], tau)))
              for name in wanted]
    return f"{count(time)} (" + " ".join(
        f"{name} {count(column[row])}" for name, column in values
        if column) + ")"


def pages(report: Report, name: str, top: int, width: int) -> List[str]:
    """Print the hottest pages, and totals by mapping and function."""
    found, page = report.lists[name], report.number("Page size")
    length = len(found.counts)
    more = "" if length == found.announced else (
        f"; {count(found.announced - length)} more are cut off")
    lines = [""] + heading(
        f"{name}: hottest of {number_of(length, page)}{more}", width)
    lines += table(["count", "page", "last", "[part of] first access"],
                   [[count(found.counts[k]), f"0x{found.pages[k]:x}",
                     count(found.lasts[k]), information(found, k)]
                    for k in range(min(top, length))], width)
    lines += [""] + heading(f"{name}: {noun(page)} by what they are part of", width)
    lines += share_table(by_mapping(report, found), noun(page), top, width)
    functions = by_function(report, found)
    if functions:
        lines += [""] + heading(
            f"{name}: {noun(page)} by the function of their first access", width)
        lines += share_table(functions, noun(page), top, width)
    return lines


def information(found: PageList, line: int) -> str:
    where = found.places[line]
    owner = found.owners[line].rpartition("/")[2]
    return f"[{owner}{', mapped anew' if found.mapped_anew[line] else ''}] {where}"


def share_table(shares: Sequence[Share], what: str, top: int,
                width: int) -> List[str]:
    """Make a table of the first shares, and the sum of all."""
    whole = sum(share.pages for share in shares)
    lasts = [share.last for share in shares]
    total = Share(f"in all {count(len(shares))}", whole,
                  sum(share.accesses for share in shares),
                  None if None in lasts else sum(last or 0 for last in lasts))
    return table(
        [what, "%", "in last window", "accesses", ""],
        [[count(s.pages), f"{100 * s.pages / max(whole, 1):.1f}", count(s.last),
          count(s.accesses), s.name] for s in (*shares[:top], total)], width)
