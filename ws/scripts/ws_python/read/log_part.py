# SPDX-License-Identifier: GPL-2.0-or-later
"""Reading a part of a page log: --from and --to."""

import numpy as np

from ws_python.engine.part import cut, part_of_log, timeline
from ws_python.model.log import PageLog
from ws_python.model.span import Span, Timeline, limits
from ws_python.read.files import name_of, opened
from ws_python.read.page_log import LogReader, TooLong, load_log


def load_part(path: str, span: Span) -> PageLog:
    """Of a log in a file.  If all of it is too long, what is behind the part
    is not held.
    """
    try:
        return part_of_log(load_log(path), span)
    except TooLong:
        if span.last is None:
            raise
    line = timeline_of_file(path)
    begin, end = limits(line, span)
    return cut(load_log(path, end), line, begin, end)


def timeline_of_file(path: str) -> Timeline:
    times = [np.zeros(0, np.int64)]
    with opened(path) as file:
        log = LogReader(file, name_of(path), "EFMTU")
        times += [piece.times for piece in log.pieces()]
    ends = np.cumsum(np.concatenate(times))
    return timeline(log, ends)
