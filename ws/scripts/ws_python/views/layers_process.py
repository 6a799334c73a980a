# SPDX-License-Identifier: GPL-2.0-or-later
"""Layers by process, of several page logs: the pages that processes share, and
the processes that share them.
"""

import textwrap
from collections import Counter
from fractions import Fraction
from typing import List, Sequence

import numpy as np

from ws_python.base.text import Failure, printable, shorten
from ws_python.base.units import COUNT, TEXT, large, noun, nouns
from ws_python.base.view import (Axis, Datum, Layers, Shown, Table, View,
                                 columns_from)
from ws_python.pagelog.families import Family, Occasion
from ws_python.pagelog.layer_parts import (MOST_LAYERS, MOST_ROWS, about_window,
                                           base_names, large_layers, over_time)
from ws_python.pagelog.log import PageLog
from ws_python.pagelog.sharing import Sharing
from ws_python.report.processes import processes_in_words, title_of_processes
from ws_python.report.request import Request

MOST_PROCESSES = 26
MOST_COMMON = 10            # rows of shared pages
LONGEST = 60                # of names
MAPPING_ROOM = 30              # of a mapping in front of processes
LONGEST_BELOW = 16          # of a name below a bar
ABOUT_SHARES = (
    "USS: pages that no other process has here. PSS: shared pages count in "
    "parts, so that the total is of different pages. RSS: all. These are "
    "working sets, not what the kernel keeps in memory. Pages of files at one "
    "offset are one page, if they were not written; all others are a "
    "process's own, also after a fork.")
UNKNOWN_WRITES = (
    "Where a log does not say what was written (--ws-dirty=yes of ws), all "
    "data in writable memory counts as written: as the process's own.")
BY_INSTRUCTIONS = (
    "Instructions of different processes have no common clock: these samples "
    "are not of one time. With --ws-time-unit=ms, they are.")


def view(logs: Sequence[PageLog], request: Request) -> View:
    if request.at is not None:
        raise Failure("--at is about one page log; the layers "
                      "of several show the largest samples")
    family = Family(logs, request)
    moments = family.occasions()
    known = all(log.has_dirty for log in logs)
    parts: List[Shown] = []
    for moment in moments:
        parts += [by_process(family, moment),
                  *pages_in_common(family, moment.shared)]
        if moment is moments[0]:
            parts.append(memory_by_mapping(family, moment))
    picture = all_together if family.clocked else bars
    parts.append(picture(family, moments[0]))
    if request.in_full:
        parts.append(every_cell(family, moments))
    return View(
        "mappings",
        f"Working sets by mapping: {title_of_processes(logs, LONGEST)}",
        parts, family.page, logs[0].unit,
        [] if family.clocked else [BY_INSTRUCTIONS],
        [ABOUT_SHARES] if known else [ABOUT_SHARES, UNKNOWN_WRITES])


def pages_in_common(family: Family, shared: Sharing) -> List[Table]:
    """Make the table of pages that several processes share."""
    mappings, names = base_names(family.names), family.short_names()
    present = np.flatnonzero(family.in_cells(shared.rss).sum(1)).tolist()
    programs = [family.program_of(k) for k in present]
    rows = []
    for common in shared.common[:MOST_COMMON]:
        name = shorten(printable(mappings[common.name]), MAPPING_ROOM)
        rows.append((common.pages, f"{name}: " + who(
            [names[k] for k in common.processes],
            [family.program_of(k) for k in common.processes], programs)))
    rest = shared.common[MOST_COMMON:]
    if rest:
        rows.append((sum(common.pages for common in rest),
                     f"other {noun(family.page)}, or by others"))
    if not rows:
        return []
    return [Table("What several have", columns_from([
        ("pages", COUNT, noun(family.page)),
        ("shared by these, and no others", TEXT)], rows))]


def who(names: Sequence[str], programs: Sequence[str],
        every: Sequence[str]) -> str:
    """Name processes, or count them by program."""
    if len(names) == len(every) > 2:
        return f"all {len(every)}"
    text = ", ".join(names)
    if len(text) > LONGEST:
        text = ", ".join(
            name if number == 1 else f"{number} {name}"
            if number == every.count(name)
            else f"{number} of {every.count(name)} {name}"
            for name, number in Counter(programs).items())
    return textwrap.shorten(text, LONGEST, placeholder=" ...")


def in_parts(pages: float) -> Fraction:
    return Fraction(float(pages)).limit_denominator(1000)


def by_process(family: Family, moment: Occasion) -> Table:
    """Make a table, the largest USS first; small processes share a row."""
    shared, absent = moment.shared, family.absent(moment)
    uss, rss = (family.in_cells(column).sum(1)
                for column in (shared.uss, shared.rss))
    pss = family.in_cells(shared.pss).sum(1)
    order = [int(k) for k in np.lexsort((-rss, -uss)) if rss[k]]
    shown = order if len(order) <= MOST_ROWS + 1 else order[:MOST_ROWS]
    rest = order[len(shown):]
    rows = [*(([k], shorten(
        f"{family.pids[k]} {family.commands[k]}", LONGEST)) for k in shown),
            *([(rest, f"{len(rest)} more")] if rest else []),
            (order, "total")]
    names, gone = family.short_names(), sum(map(len, absent.values()))
    sentences = [f"Left out, {why}: {', '.join(names[k] for k in group)}."
                 for why, group in absent.items()]
    there = f"{family.n_processes - gone} of " if gone else ""
    return Table(
        f"{nouns(family.page)} of {there}"
        f"{processes_in_words(family.n_processes)} " + moment.title, columns_from([
            ("USS", COUNT), ("PSS", COUNT), ("RSS", COUNT), ("process", TEXT)], [
                (int(uss[group].sum()), in_parts(pss[group].sum()),
                 int(rss[group].sum()), name)
                for group, name in rows]), {}, sentences)


def memory_by_mapping(family: Family, moment: Occasion) -> Table:
    pss = family.in_cells(moment.shared.pss)
    rss = family.in_cells(moment.shared.rss)
    order = [int(k) for k in np.lexsort((-rss.sum(0), -pss.sum(0)))
             if rss[:, k].any()]
    rest = order[MOST_ROWS:]
    rows = [*(([k], printable(family.names[k])) for k in order[:MOST_ROWS]),
            *([(rest, f"{len(rest)} more")] if rest else [])]
    return Table("By mapping", columns_from([
        ("PSS", COUNT), ("RSS", COUNT), ("processes", COUNT),
        ("mapping", TEXT)], [
            (in_parts(pss[:, group].sum()), int(rss[:, group].sum()),
             int((rss[:, group] > 0).any(1).sum()), name)
            for group, name in rows]))


def notes(family: Family, moment: Occasion) -> List[str]:
    """Make the notes of a picture."""
    lost = [name for k, name in enumerate(family.short_names())
            if k not in family.sampled()]
    return [about_window(family.logs[0], family.images[0].mapped.tau),
            f"{moment.title}: {large(int(moment.shared.rss.sum()))} pages, "
            f"{large(moment.shared.pages)} different ones",
            *(["without a sample: " + " ".join(lost)] if lost else [])]


def all_together(family: Family, moment: Occasion) -> Layers:
    """Make layers over time; a shared page counts for each process."""
    layers = family.over_time()
    return over_time("All processes, over time", layers,
                     large_layers(layers, "mappings"), 0,
                     [*notes(family, moment), "a page counts in each",
                      "time 0: the first process began"])


def bars(family: Family, moment: Occasion) -> Layers:
    """Make a bar for each process, the largest first: they have no common time.
    """
    uss, rss = (family.in_cells(column)
                for column in (moment.shared.uss, moment.shared.rss))
    order = [k for k in np.argsort(-rss.sum(1), kind="stable").tolist()
             if rss[k].any()]
    if not order:
        raise Failure("no process has such pages in a sample")
    rss = rss[order[:MOST_PROCESSES]]
    large_first = [k for k in np.argsort(-rss.sum(0), kind="stable").tolist()
                   if rss[:, k].any()]
    most = MOST_LAYERS[0]
    groups = [[k] for k in large_first[:most]]
    if large_first[most:]:
        groups.append(large_first[most:])
    names = base_names([*map(printable, family.names)])
    more = [f"{len(order) - MOST_PROCESSES} more processes"] if (
        len(order) > MOST_PROCESSES) else []
    return Layers(
        "Each process", Axis("processes; USS: pages of this one alone", TEXT),
        [shorten(family.commands[k], LONGEST_BELOW)
         + (f" {family.pids[k]}" if family.commands.count(
             family.commands[k]) > 1 else "")
         + f": USS {large(int(uss[k].sum()))}" for k in order[:MOST_PROCESSES]],
        [f"{len(group)} more mappings" if group[1:] else names[group[0]]
         for group in groups],
        [rss[:, group].sum(1).tolist() for group in groups], 0,
        len(groups) > most, [*notes(family, moment), *more])


def every_cell(family: Family, moments: Sequence[Occasion]) -> Table:
    """Make a table for programs: by moment, process and mapping."""
    rows: List[Sequence[Datum]] = []
    for moment in moments:
        shared = moment.shared
        for cell in np.flatnonzero(shared.rss):
            process, name = divmod(int(cell), len(family.names))
            rows.append((
                moment.name, family.pids[process],
                printable(family.names[name]), int(shared.uss[cell]),
                round(float(shared.pss[cell]), 3), int(shared.rss[cell])))
    return Table("All processes and mappings", columns_from([
        ("when", TEXT), ("pid", TEXT), ("mapping", TEXT), ("uss", COUNT),
        ("pss", COUNT), ("rss", COUNT)], rows), is_long=True)
