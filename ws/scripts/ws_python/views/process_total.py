# SPDX-License-Identifier: GPL-2.0-or-later
"""The working sets of all processes of a run together, over time."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Dict, List, Optional, Sequence

from ws_python.model.processes import first_sizes
from ws_python.model.report import Report, is_clocked


@dataclass
class Moment:
    """The total from its time up to the next moment's."""
    time: int                   # milliseconds since the first process began
    processes: int = 0
    pages: Dict[str, int] = field(default_factory=dict)


def total_over_time(reports: Sequence[Report],
                    wanted: Sequence[str]) -> List[Moment]:
    """Add up reports over time; [] if there is no common clock."""
    begins = [report.number("Start") for report in reports]
    if not all(begin and is_clocked(report) and report.columns["t"]
               for begin, report in zip(begins, reports)):
        return []
    # Changes of the total, by their times.
    changes: Dict[int, Moment] = {}

    def change(time: int, processes: int, name: str, pages: int) -> None:
        moment = changes.setdefault(time, Moment(time))
        moment.processes += processes
        moment.pages[name] = moment.pages.get(name, 0) + pages

    for report, begin in zip(reports, begins):
        start = begin - min(begins)
        times = report.columns["t"]
        for name in first_sizes(report, wanted):
            column = report.columns[report.column(name,
                                                  report.windows[0])]
            one = name == wanted[0]
            now = 0
            change(start + report.begin, one, name, 0)
            # A sample stands for the time that ends with it.
            for before, time, value in zip([report.begin, *times], times,
                                           column):
                if time > before and value != now:
                    change(start + before, 0, name, value - now)
                    now = value
            change(start + times[-1], -one, name, -now)
    total: List[Moment] = []
    for _, moment in sorted(changes.items()):
        if total:
            moment.processes += total[-1].processes
            for name, pages in total[-1].pages.items():
                moment.pages[name] = moment.pages.get(name, 0) + pages
        total.append(moment)
    return total


def average(total: Sequence[Moment],
            values: Sequence[int]) -> Optional[Fraction]:
    """Average over all the time; None: there is no time."""
    length = total[-1].time - total[0].time
    return Fraction(sum(
        value * (after.time - moment.time) for value, moment, after
        in zip(values, total, total[1:])), length) if length else None
