# SPDX-License-Identifier: GPL-2.0-or-later
"""A part of a page log: --from and --to."""

from dataclasses import replace

import numpy as np

from ws_python.model.log import PAST_SAMPLE, SAMPLE, Entered, LogData, PageLog
from ws_python.model.span import Span, Timeline, limits, nothing


def timeline(log: LogData, ends: np.ndarray) -> Timeline:
    return Timeline(log.name, log.unit, int(ends[-1]) if len(ends) else 0,
                    log.complete,
                    [(int(ends[mark.part]) if mark.part >= 0 else 0,
                      mark.label) for mark in log.marks])


def part_of_log(log: PageLog, span: Span) -> PageLog:
    """With history; model/log.py says what that is."""
    if not span:
        return log
    line = timeline(log, log.ends)
    return cut(log, line, *limits(line, span))


def cut(log: PageLog, line: Timeline, begin: int, end: int) -> PageLog:
    number = int(np.searchsorted(log.ends, end, "right"))
    first = {kind: found[:number + 1] for kind, found in log.first.items()}
    ends = log.ends[:number]
    part = replace(
        log, begin=begin, end=end, ends=ends,
        instructions=log.instructions[:number],
        flags=np.where((ends <= begin) & (log.flags[:number] & SAMPLE > 0),
                       log.flags[:number] ^ (SAMPLE | PAST_SAMPLE),
                       log.flags[:number]),
        threads=log.threads[:number], first=first,
        pages={kind: found[:first[kind][-1]]
               for kind, found in log.pages.items()},
        entered={kind: Entered(*(column[found.parts < number]
                                 for column in found))
                 for kind, found in log.entered.items()},
        events=[event for event in log.events if event.part < number],
        marks=[mark for mark in log.marks
               if begin <= log.time_of(mark) <= end],
        # It is not the cut that has taken anything of it.
        complete=line.complete or line.end > end)
    if part.first_part == number:
        raise nothing(line, "interval", begin, end)
    return part
