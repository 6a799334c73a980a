# SPDX-License-Identifier: GPL-2.0-or-later
"""One report: the answer, the sizes and a curve, or everything that it has."""

from collections import Counter
from typing import List, Sequence, Tuple

from ws_python.base.text import command, printable
from ws_python.base.units import (BYTES, COUNT, PAGES, SET, SETS, SHARE, TEXT,
                                  TIME, count, exact_time, noun, nouns)
from ws_python.base.units import pages as of_pages
from ws_python.base.units import time_text
from ws_python.base.view import (Axis, Column, Line, Series, Shown, Table, Tag,
                                 View, columns_from)
from ws_python.report.about import (facts_in_words, facts_of, facts_of_reports,
                                    table_of_profile)
from ws_python.report.compositions import HEAP_SET
from ws_python.report.report import (Entry, PageList, Reference, Report,
                                     references, titled)
from ws_python.report.sizes import (SHOWN, STATISTICS, Sizes, end_of, p95_of,
                                    samples_in, sizes_of)

MOST_ROWS_OF_WINDOWS = 4    # in the answer's tables, or else only the first
KEYS = ("Command", "Report", "Page log", "Forked from", "Instructions",
        "Milliseconds", "Part", "Sampled", "No sample", "Windows off",
        "Missed samples", "Not reached")
NOTE = ("peak: the largest sample; bound: no more at any time; total: in the "
        "whole run.")


def view(report: Report, wanted: Sequence[str], everything: bool, top: int,
         width: int, answer: Sequence[str]) -> View:
    """Make the view; lists of `everything` have their first `top` lines."""
    sizes = sizes_of(report, wanted)
    first = [window for window in sizes if window.first]
    drawn = first if everything else [
        window for window in first if window.set == "data"] or first[:1]
    shown = sizes if everything or (
        len(report.taus) <= MOST_ROWS_OF_WINDOWS) else first
    page = report.page_szB
    rows = [(window, page) for window in shown]
    tables = [Table("Working set sizes", [
        *which(shown), *statistics(rows, BYTES, SHOWN)], sentences=[NOTE])]
    if everything:
        tables.insert(0, Table(f"Working set sizes, in {noun(page)}", [
            *which(shown), *statistics(rows, PAGES, SHOWN),
            Column("peak_at", COUNT, [window.peak_time for window in shown],
                   "peak at")]))
    parts: List[Shown] = [
        facts_of([report]), *tables,
        *(curve_in_text(report, window) for window in drawn)]
    if everything:
        parts += details(report, wanted, top)
        if any(name in (report.profile or ()) for name in wanted):
            parts.append(table_of_profile(report, wanted))
    return View("all" if everything else "answer", "",
                [*parts, facts_of_reports([report], wanted)], page, report.unit,
                lines=[*facts_in_words(report, width,
                                       None if everything else KEYS), "",
                       *answer],
                commands=[] if everything else more(report))


def more(report: Report) -> List[str]:
    """Write commands that show more, with what they show, or with options."""
    options = {"ws_print all": ", ".join(
        f"{count(number)} {what}" for number, what in (
            (len(report.phases), "phases"),
            (len(references(report)), "peaks and snapshots"),
            (sum(len(pages.counts) for pages in report.lists.values()),
             "pages in lists"),
            (len(report.taus) if report.taus[MOST_ROWS_OF_WINDOWS:] else 0,
             "windows"),
            (sum(map(len, (report.profile or {}).values())),
             "rows of the profile")) if number) or "everything"}
    if report.compositions.largest(HEAP_SET):
        options["ws_print heap"] = "who keeps the memory; or --at=heap.end"
    if report.compositions.frames:
        options["ws_print tree"] = (
            "or --callers, --by-line, --entries, --at=SAMPLE")
    if report.is_log or "Page log" in report.header:
        options.update({
            "ws_print layers": "or --by=mapping",
            "ws_print enough": "misses of a cache",
            "ws_print pages": "huge pages; or --pagesize=64,4k,2M",
            "ws_plot heat": "which pages, and when; or --from=25%"})
    else:
        options["ws_plot"] = "a picture; or --from=25%"
    if report.is_log:
        options["ws_print answer"] = "with --tau=N"
    file = {"standard input": "-"}.get(report.name, report.name)
    made = [command(*words.split(), file) for words in options]
    room = max(map(len, made))
    return [f"{words:{room}}  # {what}"
            for words, what in zip(made, options.values())]


def statistics(rows: Sequence[Tuple[Sizes, int]], unit: str,
               names: Sequence[str]) -> List[Column]:
    """Make columns of windows and their page sizes: pages, or bytes."""
    return [Column(name, unit, [
        value * page if unit == BYTES and value is not None else value
        for window, page in rows for value in [window.statistic(name)]])
            for name in names]


def which(sizes: Sequence[Sizes]) -> List[Column]:
    return [Column("set", SET, [window.set for window in sizes]),
            Column("tau", COUNT, [window.tau for window in sizes])]


def by_page_size(reports: Sequence[Report], wanted: Sequence[str]) -> View:
    """Make tables in bytes and pages, by set, window and page size."""
    first = reports[0]
    unit = first.unit
    end = end_of(first) if first.end is None else first.end
    rows = sorted(
        ((window, report.page_szB) for report in reports
         for window in sizes_of(report, wanted)),
        key=lambda row: (wanted.index(row[0].set),
                         first.taus.index(row[0].tau), row[1]))
    return View(
        "page_sizes", titled("Working sets in pages of several sizes", first),
        [Table(f"Working set sizes in {what}", [
            *which([window for window, _ in rows]),
            Column("page_size", BYTES, [page for _, page in rows],
                   "page size"),
            *statistics(rows, of, [name for name in names if name != "bound"])])
         for what, of, names in (("bytes", BYTES, SHOWN),
                                 ("pages", COUNT, STATISTICS))],
        first.page_szB, unit, [f"{first.name}: from " + " to ".join(
            time_text(time, unit) for time in (first.begin, end)
            if time is not None)],
        [f"tau in {unit}; peak: the largest sample; total: in the whole run."])


def curve_in_text(report: Report, sizes: Sizes) -> Series:
    """Make the curve of a set, with the ranks of its peaks."""
    times, values = samples_in(report, sizes.set, sizes.tau)
    begin = max([report.begin, *(time for time in report.columns["t"]
                                 if time < times[0])]) if times else 0
    line = Line(sizes.set, [*values[:1], *values], tags=[
        Tag(peak.time, peak.pages, str(peak.rank))
        for peak in report.compositions.peaks() if peak.set == sizes.set])
    return Series(f"{SETS[sizes.set]}: {nouns(report.page_szB)} over time, tau="
                  + exact_time(sizes.tau, report.unit), Axis("time", TIME),
                  Axis("working set size", PAGES), [[begin, *times]],
                  [line])


def details(report: Report, wanted: Sequence[str], top: int) -> List[Table]:
    """Make the tables of phases, entries, and lists of pages."""
    tables: List[Table] = []
    if report.phases:
        tables.append(phases(report, wanted))
    if references(report):
        tables.append(entries(report, wanted))
    if report.threads and report.end is None:
        tables.append(Table("Threads", [
            Column("thread", TEXT, report.threads)]))
    for name in wanted:
        if name in report.lists:
            tables += hottest_pages(report, name, top)
    return tables


def phases(report: Report, wanted: Sequence[str]) -> Table:
    """Make a table of phases: their pages, and sizes of their samples."""
    return Table("Phases", columns_from([
        ("set", SET), ("start", COUNT), ("instructions", COUNT),
        ("samples", COUNT), ("pages", PAGES, noun(report.page_szB)),
        ("avg", PAGES), ("p95", PAGES), ("max", PAGES), ("phase", TEXT)], [
            (name, phase.start, phase.instructions, phase.samples,
             phase.pages[name], phase.averages[name],
             p95_of(report, phase, name), phase.largest[name], phase.name)
            for name in wanted for phase in report.phases
            if name in phase.pages]), is_wide=True)


def entries(report: Report, wanted: Sequence[str]) -> Table:
    """Make a table of peaks, marks and snapshots, with their first times."""
    return Table("Peaks, marks and snapshots", columns_from([
        ("info", COUNT), ("times", COUNT), ("first", TEXT),
        ("call stack, or label", TEXT)], [
            (number, len(times), place(report, wanted, times[0]),
             " < ".join(filter(None, [
                 "" if entry.label is None else f'"{printable(entry.label)}"',
                 *map(printable, report.stack(entry.frame)
                      or [entry.note])])))
            for number, times in references(report).items()
            for entry in [report.entries.get(number, Entry())]]))


def place(report: Report, wanted: Sequence[str], at: Reference) -> str:
    """Tell a time, and the sizes of its row."""
    time, row = at
    if row is None:
        return count(time)
    values = [(name, report.columns.get(report.column(
        name, report.windows[0]))) for name in wanted]
    return f"{count(time)} (" + " ".join(
        f"{SETS[name]} {count(column[row])}" for name, column in values
        if column) + ")"


def hottest_pages(report: Report, name: str, top: int) -> List[Table]:
    """Make tables of the hottest pages, and by mapping."""
    pages, page = report.lists[name], report.page_szB
    length = len(pages.counts)
    more_there = "" if length == pages.announced else (
        f"; {count(pages.announced - length)} more are cut off")
    shown = range(min(top, length))
    return [Table(f"{SETS[name]}: hottest of {of_pages(length, page)}"
                  + more_there, columns_from([
        ("count", COUNT), ("page", TEXT, noun(page, 1)), ("last", COUNT),
        ("[part of] first access", TEXT)], [
            (pages.counts[k], f"0x{pages.pages[k]:x}", pages.lasts[k],
             f"[{pages.owners[k].rpartition('/')[2]}"
             + (", mapped anew] " if pages.mapped_anew[k] else "] ")
             + "".join(report.stack(pages.frames[k])[:1])) for k in shown])),
            by_part(f"{SETS[name]}: {noun(page)} by what they are part of",
                    pages, noun(page), top)]


def by_part(title: str, listed: PageList, what: str, top: int) -> Table:
    """Make a table of the pages by what they are part of, and their sum."""
    pages = Counter(listed.owners)
    accesses: "Counter[str]" = Counter()
    for name, number in zip(listed.owners, listed.counts):
        accesses[name] += number
    names = sorted(pages, key=lambda name: (-pages[name], -accesses[name],
                                            name))
    whole = len(listed.owners)
    rows: List[Tuple[int, int, str]] = [
        *((pages[name], accesses[name], name) for name in names[:top]),
        (whole, sum(listed.counts), f"in all {count(len(names))}")]
    return Table(title, columns_from([
        ("pages", PAGES, what), ("share", SHARE, "%"), ("accesses", COUNT),
        ("name", TEXT, " ")], [
            (number, number / max(whole, 1), n_accesses, name)
            for number, n_accesses, name in rows]))
