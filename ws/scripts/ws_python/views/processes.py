# SPDX-License-Identifier: GPL-2.0-or-later
"""The processes of a tree: their memory at one time, by the clock, and the
sizes of their working sets.
"""

import os
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, chain
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from ws_python.base.text import clip, shorten
from ws_python.base.units import (BYTES, COUNT, MS, PAGES, SETS, SHARE, TEXT,
                                  TIME, byte_size, count, exact_time, noun,
                                  nouns)
from ws_python.base.units import pages as number_of
from ws_python.base.units import short_time
from ws_python.base.view import (Axis, Datum, Layers, Line, Series, Shown,
                                 Table, View, columns_from)
from ws_python.report.about import facts_of, facts_of_reports
from ws_python.report.compositions import (FILES_AND_CODE, RESIDENT, UNSHARED,
                                           Compositions, Kept, Origin,
                                           by_mapping)
from ws_python.report.estimate import table_of_held
from ws_python.report.forks import (Held, at_least, knows_shared, lives_of,
                                    parents_of, shared_once)
from ws_python.report.processes import (ADDED_COLUMNS, LARGEST, NOT_ADDED,
                                        SMALL_PROCESS, Process, counted,
                                        file_names, in_one_window, parent_of,
                                        process_names, processes_in_words,
                                        processes_of, values_of)
from ws_python.report.report import Report, commands_of
from ws_python.report.sizes import limit_of, main_sizes, summary_number
from ws_python.report.stacks import Paths, by_known, percent, shares_in

Say = Callable[[Report, int], List[str]]    # what one needs, in such a width

MOST_IN_TABLE = 8
MOST_WRITERS = 5
FILE_ROOM = 20              # of a file's name
ABOUT_SHARED = (
    "A page that processes share, of a file or after a fork, counts for each "
    "that has accessed it: the view layers, of their page logs, has the pages "
    "of files that they share; --ws-dirty=yes tells what they share after a "
    "fork. A forked process begins with none. These are times under ws: "
    "natively, processes may overlap otherwise.")
SHARED_ONCE = (
    "A page that processes share after a fork counts once, for the one that "
    "had it first. A page of a file counts for each that has accessed it since "
    "then. These are times under ws: natively, processes may overlap "
    "otherwise.")
LEFT_TO_HEIRS = "left to forked processes by one that has lost it"
UNFINISHED = ("TRUNCATED: the process was killed or is not over. When it "
              "ended is not known: it counts with its largest sample, until "
              "the last of the others ends.")
NAMED = ("A process is named after the program that did most of its work; the "
         "view all has a row for each report.")
TOTAL = ("The total is what the processes would have if all ran at one time, "
         "and of the peaks an upper limit. A page that they share counts for "
         "each of them.")
NO_CLOCK = ("Instructions of different processes have no common clock, so "
            "there is no total of working sets over time. With "
            "--ws-time-unit=ms, there is one.")
NO_TIMES = ("There is no total over time: a report does not say when it "
            "begins, or has no rows.")


def view(reports: Sequence[Report], wanted: Sequence[str], everything: bool,
         width: int, say: Say) -> View:
    """Make the view; with `everything`, each report has a row.  `say` describes
    the largest process.
    """
    in_window = in_one_window(reports)
    processes = processes_of(in_window)
    held = table_of_held(reports)
    if held:
        # A set of which nothing was accessed has no table.
        wanted = [name for name in wanted if any(
            any(report.columns.get(report.column(name, report.main), ()))
            for report in in_window)]
    parts: List[Shown] = [
        *filter(None, [held]),
        *(sizes_table(in_window, processes, name, everything) for name in wanted
          if any(main_sizes(report, [name]) for report in reports)),
        *totals(in_window, wanted), facts_of_reports(reports, wanted)]
    notes = []
    if len(processes) < len(reports) and not everything:
        notes.append(NAMED)
    if wanted:
        notes.append(TOTAL)
    if wanted and not any(isinstance(part, Series) for part in parts):
        notes.append(NO_TIMES if all(
            report.is_clocked for report in reports) else NO_CLOCK)
    lines: List[str] = []
    if has_clock(reports):
        lines, table, layers = resident(reports, width, say)
        parts[:0] = [table, layers]
        notes.insert(0, SHARED_ONCE if knows_shared(reports) else ABOUT_SHARED)
        if not all(report.complete for report in reports):
            notes.insert(0, UNFINISHED)
    return View("processes", "", [facts_of(reports), *parts],
                largest_page(reports), MS if lines else reports[0].unit,
                notes=notes, lines=lines)


def largest_page(reports: Sequence[Report]) -> int:
    return max(report.page_szB for report in reports)


# --- Resident memory, by the clock ------------------------------------------

def changes_of(spans: Iterable[Held]) -> "Counter[int]":
    """Return by how much the sum of the spans changes, by the time."""
    changes: "Counter[int]" = Counter()
    for span in spans:
        changes[span.begin] += span.size
        changes[span.end] -= span.size
    return changes


def sums_at(changes: "Counter[int]", times: Sequence[int]) -> List[int]:
    """Return the sum from each of these times on; each change has its own."""
    return [*accumulate(changes[time] for time in times)]


def largest_sum(processes: Sequence[Sequence[Held]]) -> int:
    """Return the time of the largest sum."""
    changes = changes_of(chain(*processes))
    times = sorted(changes)
    sums = sums_at(changes, times)
    return times[sums.index(max(sums))]


def sizes_at(processes: Sequence[Sequence[Held]], time: int) -> List[int]:
    """Return the bytes of each process at a time."""
    return [next((span.size for span in spans
                  if span.begin <= time < span.end), 0) for spans in processes]


def has_clock(reports: Sequence[Report]) -> bool:
    """False for estimates, and for parts of runs."""
    return all(report.number("Start") and not report.is_estimate
               and not report.begin and report.end is None
               and (report.clock or not report.complete)
               for report in reports)


def lifetimes(processes: Sequence[Sequence[Held]], names: Sequence[str],
              page: int) -> Layers:
    """Stack the largest processes, by their begin, and the sum of others."""
    order = sorted(range(len(processes)), key=lambda k: -max(
        span.size for span in processes[k]))
    shown = order if len(order) <= MOST_IN_TABLE else order[:MOST_IN_TABLE - 1]
    rest = order[len(shown):]
    shown = sorted(shown, key=lambda k: processes[k][0].begin)
    groups, labels = [[k] for k in shown], [names[k] for k in shown]
    if rest:
        groups.append(rest)
        labels.append(f"{count(len(rest))} other programs")
    changes = [changes_of(
        span._replace(size=-(-span.size // page))
        for k in group for span in processes[k]) for group in groups]
    times = sorted({*chain(*changes)})
    return Layers(
        "Resident memory over time", Axis("time", TIME),
        [time - times[0] for time in times[1:]], labels,
        [sums_at(change, times[:-1]) for change in changes],
        has_rest=bool(rest))


def clocks_of(reports: Sequence[Report]) -> List[List[Held]]:
    """Return the bytes of each process over time.  If the reports know what is
    shared after forks, that counts once, and further spans have what only
    forked processes may still have.
    """
    lives = lives_of(reports)
    if knows_shared(reports):
        return shared_once(lives)
    return [life.spans([row.resident for row in life.rows]) for life in lives]


def limit_at_least(reports: Sequence[Report]) -> Optional[int]:
    """Return the limit, in pages, if forked processes share all that can be;
    None: none was forked, or it is known what they share.
    """
    lives = lives_of(reports)
    if knows_shared(reports) or not any(
            parent is not None for parent in parents_of(lives)):
        return None
    least = at_least(lives)
    return limit_of(at_once(reports, sizes_at(least, largest_sum(least))))


def together(reports: Sequence[Report]) -> Optional[Report]:
    """Return most_together; None: the reports have no clock."""
    return (most_together(reports, clocks_of(reports)) if has_clock(reports)
            else None)


def most_together(reports: Sequence[Report],
                  processes: Sequence[Sequence[Held]]) -> Report:
    """Return a report of all processes when they have most; or, if that needs a
    higher limit, when the process with the highest limit has most.
    """
    highest, _ = max(zip(processes, reports),
                     key=lambda pair: limit_of(pair[1]) or 0)
    most, other = (at_once(reports, sizes_at(processes, time)) for time in (
        largest_sum(processes), max(highest, key=lambda span: span.size).begin))
    limit, of_other = limit_of(most), limit_of(other)
    if limit is None or of_other is None or of_other <= limit:
        return most
    return replace(other, resident=most.resident)


def at_once(reports: Sequence[Report], sizes: Sequence[int]) -> Report:
    """Return a report of processes that have these bytes.  The page cache has a
    file once, and no more than all processes' caches.  What files have is not
    known if a process was killed.
    """
    pages = sum(sizes) // reports[0].page_szB
    there = [report for report, size in zip(reports, sizes) if size]
    mosts = [report.compositions.largest(RESIDENT) for report in there]
    caches = [cache for cache in (summary_number(report, "Cached pages")
                                  for report in there) if cache is not None]
    files: Dict[str, int] = {}
    for name, most, _ in (row for kept in mosts if kept
                          for row in by_mapping(kept.origins)):
        files[name] = max(most, files.get(name, 0))
    kept = Kept(RESIDENT, None, 0, pages, None, ["largest"], "", [
        Origin(most, None, None, name) for name, most in files.items()])
    cached = kept.uses()[FILES_AND_CODE]
    if len(caches) == len(there):
        cached = min(cached, sum(caches))
    return replace(
        reports[0], name="all processes", summary={"Cached pages": str(cached)},
        complete=all(report.complete for report in reports),
        resident={"both": pages},
        compositions=Compositions({} if None in mosts else {0: kept}))


def resident(reports: Sequence[Report], width: int,
             say: Say) -> Tuple[List[str], Table, Layers]:
    """Say the most at one time, in a table, too, and make layers over time."""
    processes = clocks_of(reports)
    begin = min(spans[0].begin for spans in processes)
    end = max(spans[-1].end for spans in processes)
    time = largest_sum(processes)
    sizes = sizes_at(processes, time)
    # What is cut loses its end: PIDs, which tell processes apart, come first.
    names = [("" if report.complete else "TRUNCATED ") + f"{pid} {command}"
             for report, pid, command in zip(reports, process_names(
                 reports), commands_of(reports, 5 * width))]
    names += [LEFT_TO_HEIRS] * (len(processes) - len(reports))
    there = sorted(((size, name) for size, name in zip(sizes, names) if size),
                   key=lambda row: -row[0])
    if len(there) > MOST_IN_TABLE + 1:
        rest = there[MOST_IN_TABLE:]
        there[MOST_IN_TABLE:] = [(sum(size for size, _ in rest),
                                  f"{count(len(rest))} other programs")]
    whole = sum(sizes)
    page = largest_page(reports)
    layers = lifetimes(processes, names, page)
    largest = max(range(len(reports)), key=lambda k: max(
        span.size for span in processes[k]))
    alone = reports[largest]
    return [f"At most {byte_size(whole)} resident at one time, at "
            f"{short_time(time - begin, end - begin, MS)}: in "
            + processes_in_words(sum(size > 0 for size in sizes[:len(reports)])),
            *limit_in_words(reports, processes, page),
            *files_in_words(reports, sizes), *unshared_in_words(reports, width),
            shorten(f"The largest one alone, {os.path.basename(alone.name)}: "
                    + names[largest], width), *say(alone, width)], Table(
        "Resident memory of all processes, by the clock", columns_from([
            ("bytes", BYTES, "size"), ("share", SHARE, "%"),
            ("process", TEXT)], [(size, size / max(whole, 1), name)
                                 for size, name in there])), layers


def limit_in_words(reports: Sequence[Report],
                   processes: Sequence[Sequence[Held]], page: int) -> List[str]:
    most = limit_of(most_together(reports, processes))
    if not most:
        return []
    least = limit_at_least(reports)
    limit = byte_size(most * page)
    if least is not None and byte_size(least * page) != limit:
        limit = f"between {byte_size(least * page)} and {limit}"
    limit = (f"Limit for all of them: {limit} "
             "(resident, each file once more, 3 % for the kernel); ")
    if knows_shared(reports):
        return [limit + "what they share after a fork counts once"]
    if least is None:
        return [limit + "what they share counts for each"]
    return [limit + "--ws-dirty=yes tells what they share after a fork"]


def files_in_words(reports: Sequence[Report], sizes: Sequence[int]
                   ) -> List[str]:
    """Estimate how much is pages of files that the kernel has once for several
    programs.  A program is taken to have as large a part of each file's as of
    all of its memory.
    """
    parts: Dict[str, List[float]] = {}
    for report, size, parent in zip(reports, sizes,
                                    parents_of(lives_of(reports))):
        most = report.compositions.largest(RESIDENT)
        if most and size and parent is None:
            for name, pages, _ in by_mapping(most.origins):
                if name.startswith("/"):
                    parts.setdefault(name, []).append(min(
                        size * pages / most.pages, pages * report.page_szB))
    again = int(sum(sum(part) - max(part) for part in parts.values()))
    return [f"About {byte_size(again)} of it is pages of files that several "
            "programs have: the kernel has them once"] if again else []


def unshared_in_words(reports: Sequence[Report], width: int) -> List[str]:
    """Say which functions wrote to pages that were shared up to then, so that
    these are there twice.
    """
    sizes: "Counter[str]" = Counter()
    for report in reports:
        kept = report.compositions.largest(UNSHARED)
        if kept:
            for share in shares_in(kept, Paths(report.compositions, by_known)):
                sizes[share.names[0]] += share.pages * report.page_szB
    whole = sum(sizes.values())
    return [f"Unshared by writes after a fork: {byte_size(whole)}:", *(
        clip(f"   {percent(size, whole):3} %  {name}", width)
        for name, size in sizes.most_common(MOST_WRITERS)
        if 100 * size >= whole)] if whole else []


def memory_view(reports: Sequence[Report], title: str, width: int) -> View:
    """Make a view of memory alone; the reports have a clock."""
    said, table, layers = resident(reports, width, lambda *_: [])
    return View("resident", title, [layers, table], largest_page(reports), MS,
                said[:2])


# --- Sizes ------------------------------------------------------------------

def folded_processes(processes: Sequence[Process]) -> int:
    """Return how many processes, the largest first, have a row."""
    work = [process.work for process in processes]
    large = sum(count * SMALL_PROCESS >= sum(work) for count in work)
    shown = max(large, LARGEST)
    # A row for one more process can be its own.
    return shown if shown + 1 < len(work) else len(work)


def sizes_table(reports: Sequence[Report], processes: Sequence[Process],
                name: str, everything: bool) -> Table:
    """Make a set's table: larger processes, or all reports, and their sums."""
    rows = ([Process([report]) for report in reports] if everything
            else sorted(processes, key=lambda process: -process.work))
    shown = len(rows) if everything else folded_processes(rows)
    known = [*(["instructions"] if counted(rows) else []), *ADDED_COLUMNS]
    values = [values_of(process, name)[-len(known):] for process in rows]

    def sums(rows: Sequence[Sequence[Datum]]) -> List[Datum]:
        columns = [[cell for cell in cells if cell is not None]
                   for cells in zip(*rows)]
        return [sum(cells) if cells and column not in NOT_ADDED else None
                for column, cells in zip(known, columns)]

    names, commands = file_names(reports), commands_of(
        [process.main for process in rows], 400)
    lines: List[Sequence[Datum]] = [
        (shorten(names[row.main.name], FILE_ROOM),
         *([parent_of(row.images) or "-"] if everything else []), *cells,
         command if row.complete else f"TRUNCATED {command}")
        for row, cells, command in zip(rows[:shown], values, commands)]
    if rows[shown:]:
        lines.append((f"{count(len(rows) - shown)} more", *sums(values[shown:]),
                      "< 1 % each"))
    lines.append(("total", *([""] if everything else []), *sums(values), ""))
    taus = shorten(", ".join(exact_time(tau, reports[0].unit) for tau in sorted(
        {report.main for report in reports})), 40)
    return Table(
        f"{SETS[name]}: {nouns(largest_page(reports))} in "
        f"{processes_in_words(len(processes))}, tau={taus}", columns_from([
            ("report", TEXT), *([("parent", TEXT)] if everything else []),
            *((column, PAGES if column in ADDED_COLUMNS else COUNT)
              for column in known), ("command", TEXT)], lines))


# --- The total over time ----------------------------------------------------

def totals(reports: Sequence[Report], wanted: Sequence[str]) -> List[Series]:
    """Make a curve of each set's sum since the first process began, if the
    processes have a common clock.
    """
    begins = [report.number("Start") for report in reports]
    if not all(begin and report.is_clocked and report.columns["t"]
               for begin, report in zip(begins, reports)):
        return []
    alive: List[Held] = []
    spans: Dict[str, List[Held]] = {}
    for report, begin in zip(reports, begins):
        times = [begin - min(begins) + time
                 for time in (report.begin, *report.columns["t"])]
        alive.append(Held(times[0], times[-1], 1))
        for name in main_sizes(report, wanted):
            # A sample stands for the time that ends with it.
            spans.setdefault(name, []).extend(map(
                Held, times, times[1:],
                report.columns[report.column(name, report.windows[0])]))
    processes = changes_of(alive)
    pages = {name: changes_of(spans[name]) for name in wanted if name in spans}
    every = sorted({*processes, *(time for change in pages.values()
                                  for time in change if change[time])})
    return [curve_of_total(name, every, sums_at(change, every),
                           sums_at(processes, every), largest_page(reports))
            for name, change in pages.items()]


def curve_of_total(name: str, times: Sequence[int], values: Sequence[int],
                   processes: Sequence[int], page: int) -> Series:
    """Make the curve of a set's sum, with its average over all the time."""
    best, length = values.index(max(values)), times[-1] - times[0]
    average = Fraction(sum(value * (after - time) for value, time, after in zip(
        values, times, times[1:])), length) if length else None
    return Series(
        f"{SETS[name]}: {nouns(page)} of all processes over time",
        Axis("time", TIME), Axis("working set size", PAGES), [times],
        # A curve's values stand for the time before.
        [Line(SETS[name], [0, *values[:-1]], hue=[*SETS].index(name))], [
            f"Average: {count(average)} {noun(page)}; largest: "
            f"{number_of(values[best], page)} at {count(times[best])} ms, in "
            + processes_in_words(processes[best])])
