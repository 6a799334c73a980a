# SPDX-License-Identifier: GPL-2.0-or-later
"""The memory of processes over time, by the clock; what they share after a fork
counts once.

A page that processes share belongs to its owner, the process that had it when
it forked.  When the owner has lost it, by a write or its end, forked processes
may still have it: at most as many such pages as they have inherited.
"""

from bisect import bisect_right
from typing import Dict, List, NamedTuple, Optional, Sequence, Set

from ws_python.report.processes import parent_of
from ws_python.report.report import Report, Stretch


class Held(NamedTuple):
    """Bytes or pages from one time up to another, in milliseconds since 1970."""
    begin: int
    end: int
    size: int


class Life(NamedTuple):
    """A process over time: successive spans, and what its clock says of each."""
    report: Report
    begin: int
    ends: List[int]
    rows: List[Stretch]

    def row_at(self, time: int) -> int:
        """Return the number of the row of a time; after its end, of the last."""
        return min(bisect_right(self.ends, time), len(self.rows) - 1)

    def is_alive(self, time: int) -> bool:
        return self.begin <= time < self.ends[-1]

    def spans(self, sizes: Sequence[int]) -> List[Held]:
        """Return the bytes of each row's pages."""
        return [Held(begin, end, size * self.report.page_szB)
                for begin, end, size in zip(
                    [self.begin, *self.ends], self.ends, sizes)]


def life_of(report: Report, last: int) -> Life:
    """Make spans of a millisecond at least.  A report that is cut off has no
    clock: it counts up to the last time, with its most.
    """
    begin = report.number("Start")
    most = max(report.columns.get("resident", ()), default=0)
    rows = report.clock or [Stretch(0, last - begin, most, most)]
    ends: List[int] = []
    for row in rows:
        ends.append(max(begin + row.ms, (ends[-1] if ends else begin) + 1))
    return Life(report, begin, ends, rows)


def lives_of(reports: Sequence[Report]) -> List[Life]:
    """Return the life of each process; the reports have a clock."""
    last = max(report.number("Start") + sum(row.ms for row in report.clock[-1:])
               for report in reports)
    return [life_of(report, last) for report in reports]


def parents_of(lives: Sequence[Life]) -> List[Optional[int]]:
    """Return the number of the process that forked each one; None: it is not
    known, or none did.
    """
    by_pid: Dict[str, List[int]] = {}
    for k, life in enumerate(lives):
        by_pid.setdefault(life.report.pid, []).append(k)
    # Both times are cut to milliseconds.
    return [next((k for k in by_pid.get(parent_of([life.report]) or "", [])
                  if lives[k].begin <= life.begin <= lives[k].ends[-1]), None)
            for life in lives]


def knows_shared(reports: Sequence[Report]) -> bool:
    """True if the reports know what is shared after a fork."""
    return all("shared" in report.columns for report in reports)


def shared_once(lives: Sequence[Life]) -> List[List[Held]]:
    """Return the bytes of each process, without those of its parent; and for
    each that has forked, what others may have of what it has lost.
    """
    parents = parents_of(lives)
    heirs: List[Set[int]] = [set() for _ in lives]
    for k, parent in enumerate(parents):
        while parent is not None and k not in heirs[parent]:
            heirs[parent].add(k)
            parent = parents[parent]
    of_heirs = [kept_by_heirs(life, [lives[k] for k in sorted(some)])
                for life, some in zip(lives, heirs) if some]
    return [*(life.spans([row.private + row.owned for row in life.rows])
              for life in lives), *filter(None, of_heirs)]


def kept_by_heirs(life: Life, heirs: Sequence[Life]) -> List[Held]:
    """Return how much of what a process has lost may be left: as much as it has
    lost since it forked the first of those that are alive.
    """
    times = sorted({time for each in (life, *heirs)
                    for time in (each.begin, *each.ends)})
    kept = []
    for begin, end in zip(times, times[1:]):
        alive = [heir for heir in heirs if heir.is_alive(begin)]
        if not alive:
            continue
        row = life.rows[life.row_at(begin)]
        # A row has the most of its time; the one before, what was lost then.
        first = life.row_at(min(heir.begin for heir in alive))
        lost = row.lost - (life.rows[first - 1].lost if first else 0)
        if not life.is_alive(begin):
            lost += row.owned
        inherited = sum(heir.rows[heir.row_at(begin)].inherited
                        for heir in alive)
        if min(lost, inherited):
            kept.append(Held(begin, end, min(lost, inherited)
                             * life.report.page_szB))
    return kept


def at_least(lives: Sequence[Life]) -> List[List[Held]]:
    """Return what each process has if it shares as much as can be with the one
    that forked it: all that this had then.
    """
    held = []
    for life, parent in zip(lives, parents_of(lives)):
        shared = 0
        if parent is not None:
            row = lives[parent].rows[lives[parent].row_at(life.begin)]
            shared = row.resident
        held.append(life.spans([max(row.resident - shared, 0)
                                for row in life.rows]))
    return held
