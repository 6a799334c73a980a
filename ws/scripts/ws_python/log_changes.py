# SPDX-License-Identifier: GPL-2.0-or-later
"""The view `changes`: phases, and what enters with each."""

import argparse
import os
import re
import textwrap
from typing import List, Sequence, Tuple

from ws_python.export import Value
from ws_python.layout import heading
from ws_python.layout import table as table_of
from ws_python.log_phases import HIGH, Changes, Phase
from ws_python.page_log import PageLog
from ws_python.reports import command_of
from ws_python.text import printable, shorten
from ws_python.units import count, exact_time, noun


def remark(number: int, phase: Phase) -> str:
    return ", ".join([f"{phase.same + 1} again"] * (phase.same != number)
                     + ["changing"] * phase.is_changing)


def largest_of(names: List[Tuple[str, int]], room: int) -> str:
    """23 heap, 4 libc.so.6, 7 others: as many as there is room for, and one
    at least.
    """
    short = [re.sub(r" \([^()]*\)$", "", os.path.basename(printable(name))
                    or name) for name, _ in names]
    texts = [f"{count(number)} {shorten(name, room - 30)}"
             for name, (_, number) in zip(short, names)]
    for shown in range(len(texts), 0, -1):
        rest = sum(number for _, number in names[shown:])
        line = ", ".join(texts[:shown] + [f"{count(rest)} others"] * bool(
            rest))
        if len(line) <= room:
            break
    return line


def text(logs: Sequence[PageLog], options: argparse.Namespace) -> List[str]:
    log, width = logs[0], options.width
    found = Changes(log, options)
    name = noun(found.page_szB)
    lines = [shorten(command_of(log, width), width), "", *heading(
        f"Phases, by windows of {exact_time(found.length, log.unit)}", width)]
    lines += table_of(
        ["phase", "begin", log.unit, "avg", "peak", name, "entered", "alike",
         ""],
        [[str(k + 1), count(phase.begin), count(phase.end - phase.begin),
          count(phase.average), count(phase.peak), count(phase.touched),
          count(phase.entered), "-" if phase.like_before is None
          else f"{100 * phase.like_before:.0f} %", remark(k, phase)]
         for k, phase in enumerate(found.phases)], width)
    for title, of_phase in (("mapping", "mappings"), ("function", "code")):
        rows = [f"{k + 1:5}  {largest_of(names, width - 7)}"
                for k, names in enumerate(getattr(phase, of_phase)
                                          for phase in found.phases) if names]
        if rows:
            lines += ["", *heading(f"What entered, by {title}", width), *rows]
    sets = " and ".join({"insn": "code", "dirty": "written pages"}.get(
        kind, kind) for kind in found.sizes)
    return [*lines, "", *textwrap.wrap(
        f"A phase begins where the {name} of the window before and of the one "
        f"after have less than {100 * HIGH:.0f} % in common. avg and peak are "
        f"sizes of the working set of {sets}, "
        f"tau={exact_time(found.tau, log.unit)}; {name}: in the whole phase; "
        "entered: not in the phase before; alike: what most of its windows "
        "have and most of that one's have, as part of all; changing: so often "
        "that there are no phases of two windows.", width)]


def table(logs: Sequence[PageLog], options: argparse.Namespace
          ) -> Tuple[List[str], List[List[Value]]]:
    found = Changes(logs[0], options)
    return ["phase", "begin", "end", "instructions", "avg", "peak", "pages",
            "entered", "alike", "again", "changing", "by_mapping",
            "by_function"], [
        [k + 1, phase.begin, phase.end, phase.instructions,
         round(float(phase.average), 1), phase.peak, phase.touched,
         phase.entered, None if phase.like_before is None
         else round(phase.like_before, 3),
         None if phase.same == k else phase.same + 1,
         int(phase.is_changing), *(
             "|".join(f"{number} {printable(name)}" for name, number in some)
             for some in (phase.mappings, phase.code))]
        for k, phase in enumerate(found.phases)]
