# SPDX-License-Identifier: GPL-2.0-or-later
"""The view `mappings` of several page logs in the terminal and as a table: what
processes share, and which of them.
"""

import argparse
import textwrap
from collections import Counter
from typing import List, Sequence

import numpy as np

from ws_python.base.failure import Failure
from ws_python.base.text import printable, shorten
from ws_python.base.units import MS, count, nouns, pages as of_pages
from ws_python.engine.families import Family, Moment
from ws_python.engine.sharing import Sharing
from ws_python.model.log import PageLog
from ws_python.show.data.export import Value
from ws_python.show.gnuplot.log_layers_picture import short
from ws_python.show.terminal.layout import heading, table
from ws_python.show.terminal.log_tables import MOST_ROWS, Table, over_time

MOST_COMMON = 10            # rows of what is shared
NAME_ROOM = 30              # of a mapping there,
BEFORE = 10                 # and what else is in front of processes
ABOUT = [
    "USS: pages that no other process has here. PSS: shared pages count in "
    "parts, so",
    "that the total is of different pages. RSS: all. These are working sets, "
    "not what",
    "the kernel keeps in memory. Pages of files at one offset are one page, "
    "if they",
    "were not written."]
UNKNOWN_WRITES = [
    "Where a log does not say what was written (--ws-dirty=yes of ws), all "
    "data in",
    "writable memory counts as written: as the process's own."]
NO_CLOCK = [
    "Instructions of different processes have no common clock: these samples "
    "are not of",
    "one time. With --ws-time-unit=ms, they are."]


def family_of(logs: Sequence[PageLog],
              options: argparse.Namespace) -> Family:
    if options.at is not None:
        raise Failure("--at is about one page log; of several, --mappings "
                      "shows the largest samples")
    return Family(logs, options, options.set)


def process_text(logs: Sequence[PageLog],
                 options: argparse.Namespace) -> List[str]:
    family, width = family_of(logs, options), options.width
    lines: List[str] = []
    for moment in family.moments():
        lines += about_moment(family, moment, width)
        if moment.name == "largest":
            lines += [*by_mapping(family, moment.shared, width), ""]
            lines += [] if family.clocked else [*NO_CLOCK, ""]
    if family.clocked:
        layers = family.over_time()
        lines += over_time(layers, (0, int(layers.times[-1])), MS,
                           "all processes ", "mappings", family.page, width)
    known = all(log.header.get("Dirty") == "yes" for log in logs)
    return [*lines, *ABOUT, *UNKNOWN_WRITES * (not known)]


def about_moment(family: Family, moment: Moment, width: int) -> List[str]:
    """Who has how much, who has nothing, and who shares what."""
    absent = family.absent(moment)
    gone = sum(map(len, absent.values()))
    shown = f"{family.n_processes - gone} of " * bool(gone)
    names = family.short_names()
    lines = [*heading(f"{nouns(family.page)} of {shown}{family.n_processes} "
                      f"process{'es' * (family.n_processes != 1)} "
                      f"{moment.title}", width),
             *by_process(family, moment.shared, width)]
    for why, some in absent.items():
        lines += textwrap.wrap(
            f"Left out, {why}: " + ", ".join(names[k] for k in some) + ".",
            width)
    return [*lines, "", *in_common(family, moment.shared, names, width)]


def in_common(family: Family, shared: Sharing, names: Sequence[str],
              width: int) -> List[str]:
    """What several processes have, for certain."""
    mappings = short(family.names)
    present = np.flatnonzero(family.in_cells(shared.rss).sum(1)).tolist()
    programs = [family.program_of(k) for k in present]
    rows = []
    for one in shared.common[:MOST_COMMON]:
        name = shorten(printable(mappings[one.name]), NAME_ROOM)
        rows.append([count(one.pages), f"{name}: " + who(
            [names[k] for k in one.processes],
            [family.program_of(k) for k in one.processes], programs,
            width - len(name) - BEFORE)])
    rest = shared.common[MOST_COMMON:]
    if rest:
        rows.append([count(sum(one.pages for one in rest)),
                     "other pages, or by others"])
    return [*table(["pages", "shared by these, and no others"], rows, width),
            ""] if rows else []


def who(names: Sequence[str], programs: Sequence[str], every: Sequence[str],
        room: int) -> str:
    """These of all processes: by name, or how many of each program."""
    if len(names) == len(every) > 2:
        return f"all {len(every)}"
    text = ", ".join(names)
    if len(text) > room:
        text = ", ".join(
            name if number == 1 else f"{number} {name}"
            if number == every.count(name)
            else f"{number} of {every.count(name)} {name}"
            for name, number in Counter(programs).items())
    return textwrap.shorten(text, room, placeholder=" ...")


def parts(pages: float) -> str:
    return f"{pages:,.1f}"


def by_process(family: Family, shared: Sharing, width: int) -> List[str]:
    """The largest USS first; small ones share a row."""
    uss, pss, rss, forked = (
        family.in_cells(column).sum(1)
        for column in (shared.uss, shared.pss, shared.rss, shared.forked))
    some = bool(forked.any())
    order = [int(k) for k in np.lexsort((-rss, -uss)) if rss[k]]
    shown = order if len(order) <= MOST_ROWS + 1 else order[:MOST_ROWS]

    def row(these: Sequence[int], name: str) -> List[str]:
        numbers = [count(int(column[these].sum()))
                   for column in (uss, rss, forked)]
        return [numbers[0], parts(pss[these].sum()), numbers[1],
                *numbers[2:] * some, name]

    rows = [row([k], family.process_name(k, width)) for k in shown]
    rest = order[len(shown):]
    if rest:
        rows.append(row(rest, f"{len(rest)} more"))
    rows.append(row(order, "total"))
    lines = table(["USS", "PSS", "RSS", *["by fork"] * some, "process"], rows,
                  width)
    if some:
        lines += ["By fork: of USS, what may be shared with the parent. If "
                  "all is, there are in all",
                  f"{of_pages(shared.least, family.page)}; if none is, "
                  f"{of_pages(shared.pages, family.page)}."]
    return lines


def by_mapping(family: Family, shared: Sharing, width: int) -> List[str]:
    pss, rss = (family.in_cells(column)
                for column in (shared.pss, shared.rss))
    order = [int(k) for k in np.lexsort((-rss.sum(0), -pss.sum(0)))
             if rss[:, k].any()]
    rows = [[parts(pss[:, k].sum()), count(int(rss[:, k].sum())),
             count(int((rss[:, k] > 0).sum())), family.names[k]]
            for k in order[:MOST_ROWS]]
    rest = order[MOST_ROWS:]
    if rest:
        rows.append([parts(pss[:, rest].sum()), count(int(rss[:, rest].sum())),
                     count(int((rss[:, rest] > 0).any(1).sum())),
                     f"{len(rest)} more"])
    return table(["PSS", "RSS", "processes", "mapping"], rows, width)


def process_rows(logs: Sequence[PageLog],
                 options: argparse.Namespace) -> Table:
    """A row for each moment, process and mapping."""
    family = family_of(logs, options)
    found: List[List[Value]] = []
    for moment in family.moments():
        shared = moment.shared
        for cell in np.flatnonzero(shared.rss):
            process, name = divmod(int(cell), len(family.names))
            found.append([
                moment.name, family.pids[process],
                printable(family.names[name]), int(shared.uss[cell]),
                round(float(shared.pss[cell]), 3), int(shared.rss[cell]),
                int(shared.forked[cell])])
    return ["when", "pid", "mapping", "uss", "pss", "rss", "forked"], found
