# SPDX-License-Identifier: GPL-2.0-or-later
"""The threads of a page log.  Numbers are used again; a thread has one name, the
last that it had.
"""

from typing import Dict, List, Tuple

import numpy as np

from ws_python.base.text import Failure, thread_title
from ws_python.pagelog.log import PageLog
from ws_python.pagelog.ranges import Ints


def threads_of(log: PageLog) -> Tuple[List[str], Ints]:
    """Return the threads, by number, and the place there of each part's thread.
    Several with the same number and name are one.  Failure: the log does not
    tell threads apart.
    """
    if log.header.get("Threads") != "yes":
        raise Failure(f"{log.name}: does not tell threads apart; the "
                      "option --ws-threads=yes of ws does")
    # By number: the first part of each thread that has it, and its name.
    lives: Dict[int, List[Tuple[int, str]]] = {}
    for part, number, begins, name in log.named:
        known = lives.setdefault(number, [(0, "")])
        if begins:
            known.append((part, name))
        else:
            known[-1] = known[-1][0], name
    names: Dict[str, int] = {}
    places = np.zeros(log.n_parts, np.int64)
    for number in np.unique(log.threads).tolist():
        known = lives.get(number, [(0, "")])
        parts = np.flatnonzero(log.threads == number)
        life = np.searchsorted([first for first, _ in known], parts, "right")
        for k in np.unique(life).tolist():
            title = thread_title(number, known[k - 1][1])
            places[parts[life == k]] = names.setdefault(title, len(names))
    return [*names], places
