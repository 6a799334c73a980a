# SPDX-License-Identifier: GPL-2.0-or-later
"""Cuts a part out of a page log: --from and --to."""

from dataclasses import replace

import numpy as np

from ws_python.model.log import PAST_SAMPLE, SAMPLE, PageLog
from ws_python.model.span import Span, Timeline, limits, nothing


def timeline(log: PageLog) -> Timeline:
    end = int(log.ends[-1]) if log.n_parts else 0
    return Timeline(log.name, log.unit, end, log.complete,
                    [(log.time_of(mark), mark.label) for mark in log.marks])


def part_of_log(log: PageLog, span: Span) -> PageLog:
    """Return the part with its history; model/log.py explains history."""
    if not span:
        return log
    line = timeline(log)
    begin, end = limits(line, span)
    number = int(np.searchsorted(log.ends, end, "right"))
    ends = log.ends[:number]
    part = replace(
        log, begin=begin, end=end, ends=ends,
        instructions=log.instructions[:number],
        flags=np.where((ends <= begin) & (log.flags[:number] & SAMPLE > 0),
                       log.flags[:number] ^ (SAMPLE | PAST_SAMPLE),
                       log.flags[:number]),
        threads=log.threads[:number],
        events=[event for event in log.events if event.part < number],
        marks=[mark for mark in log.marks
               if begin <= log.time_of(mark) <= end],
        # A cut behind the part has taken nothing of it.
        complete=line.complete or line.end > end)
    if part.first_part == number:
        raise nothing(line, "interval", begin, end)
    return part
