# SPDX-License-Identifier: GPL-2.0-or-later
"""The processes of a run: their total over time, and whose pages are part of
what.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Dict, List, Optional, Sequence, Tuple

from ws_python.chart import chart
from ws_python.layout import heading, table
from ws_python.places import mapping_pages
from ws_python.processes import first_sizes
from ws_python.reports import Report, is_clocked
from ws_python.sizes import KINDS
from ws_python.text import shorten
from ws_python.units import count, noun, nouns
from ws_python.units import pages as number_of

NO_CLOCK = ("Instructions of different processes have no common clock, so there"
            " is no total", "over time. With --ws-time-unit=ms, there is one.")


@dataclass
class Moment:
    """From its time up to the next one's."""
    time: int                   # milliseconds since the first process began
    processes: int = 0
    pages: Dict[str, int] = field(default_factory=dict)


def total_over_time(reports: Sequence[Report],
                    wanted: Sequence[str]) -> List[Moment]:
    """Empty if there is no common clock."""
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
            column = report.columns[report.column(KINDS[name],
                                                  report.windows[0])]
            one = name == wanted[0]
            now = 0
            change(start + report.begin, one, name, 0)
            # A sample's size is that of the time that ends with it.
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
    """Over all the time; None: there is none."""
    length = total[-1].time - total[0].time
    return Fraction(sum(
        value * (after.time - moment.time) for value, moment, after
        in zip(values, total, total[1:])), length) if length else None


def total_text(total: Sequence[Moment], reports: Sequence[Report],
               wanted: Sequence[str], width: int) -> List[str]:
    if not all(map(is_clocked, reports)):
        return [*NO_CLOCK]
    if not total:
        return ["There is no total over time: a report does not say when it "
                "begins, or has no", "rows."]
    page = max(report.number("Page size") for report in reports)
    lines: List[str] = []
    for name in wanted:
        if name in total[-1].pages:
            values = [moment.pages.get(name, 0) for moment in total]
            best = max(range(len(total)), key=values.__getitem__)
            lines += [*heading(f"{name}: {nouns(page)} of all processes over time",
                               width),
                      # The chart's values are of the time before.
                      *chart([moment.time for moment in total], [0] + values,
                             width, "ms"),
                      f"Average: {count(average(total, values))} {noun(page)}; "
                      f"largest: {number_of(values[best], page)} at "
                      f"{count(total[best].time)} ms, in "
                      f"{count(total[best].processes)} processes", ""]
    return lines[:-1]


Cell = Tuple[int, Optional[int]]    # pages of the run, of the last window


@dataclass
class Matrix:
    """Pages by mapping and process."""
    names: List[str]            # of the processes
    rows: List[Tuple[str, List[Cell]]]

    def table(self, last: bool) -> List[Tuple[str, List[int]]]:
        """One number of each cell, without rows of zeros."""
        rows = [(name, [(cell[1] or 0) if last else cell[0]
                        for cell in cells]) for name, cells in self.rows]
        return [row for row in sorted(rows, key=lambda r: (-sum(r[1]), r[0]))
                if any(row[1])]

    @property
    def kinds(self) -> Dict[str, bool]:
        """What can be shown: the last window only if all reports know it."""
        known = all(cell[1] is not None for _, cells in self.rows
                    for cell in cells)
        return {**({"last": True} if known and self.rows else {}),
                "all": False}


def process_names(reports: Sequence[Report]) -> List[str]:
    """An image that was executed has the PID of the one before."""
    pids = [report.header.get("PID", "?") for report in reports]
    return [pid if pids.count(pid) == 1 else f"{pid}#{pids[:k].count(pid) + 1}"
            for k, pid in enumerate(pids)]


def matrix_of(reports: Sequence[Report], wanted: Sequence[str]) -> Matrix:
    found = [mapping_pages(report, list(wanted)) for report in reports]
    names = process_names(reports)
    # A process without pages has none of any mapping.
    absent = [(0, None if None in [last for _, last in some.values()] else 0)
              for some in found]
    owners = {owner for some in found for owner in some}
    return Matrix(names, [(owner, [some.get(owner, none) for some, none
                                   in zip(found, absent)])
                          for owner in sorted(owners)])


def matrix_text(matrix: Matrix, reports: Sequence[Report],
                wanted: Sequence[str], width: int) -> List[str]:
    """As many processes side by side as there is room for."""
    if not matrix.rows:
        return ["No report has lists of pages; --ws-list-pages=yes of ws adds "
                "them."]
    lines: List[str] = []
    sets = " or ".join(name for name in wanted
                       if any(name in report.lists for report in reports))
    for kind, last in matrix.kinds.items():
        rows = matrix.table(last)
        if lines:
            lines.append("")
        lines += heading(f"Pages ({sets}) " + (
            "in the last working set" if last else "of the whole run")
            + ", by mapping and process", width)
        step = max((width - 40) // 9, 1)
        for start in range(0, len(matrix.names), step):
            end = start + step
            cells = [[*(count(n) if n else "." for n in row[start:end]),
                      count(sum(row)), name] for name, row in rows
                     if any(row[start:end])]
            sums = [sum(row[k] for _, row in rows)
                    for k in range(len(matrix.names))]
            cells.append([*map(count, sums[start:end]), count(sum(sums)),
                          "total"])
            if start:
                lines.append("")
            lines += table([*(shorten(name, 12) for name
                              in matrix.names[start:end]), "all", "mapping"],
                           cells, width)
    return lines
