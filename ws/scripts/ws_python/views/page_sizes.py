# SPDX-License-Identifier: GPL-2.0-or-later
"""The working sets of one run in pages of several sizes."""

from typing import List, Optional, Sequence, Tuple

from ws_python.base.units import BYTES, COUNT, SET, Number, time_text
from ws_python.model.report import Report, titled, unit_of
from ws_python.model.sizes import PERCENTILES, Sizes, end_of, sizes_of
from ws_python.model.view import Column, Table, View

STATISTICS = ("avg", *(f"p{percent}" for percent in PERCENTILES), "peak",
              "total")
NOT_IN_BYTES = ("p90", "p99")       # there is no room


def page_sizes(reports: Sequence[Report], wanted: Sequence[str]) -> View:
    """Make tables in bytes and pages, by set, window and page size."""
    first = reports[0]
    found = sorted(
        ((some, report.number("Page size")) for report in reports
         for some in sizes_of(report, wanted)),
        key=lambda one: (wanted.index(one[0].set),
                         first.taus.index(one[0].tau), one[1]))
    return View("page_sizes", titled("Working sets in pages of several sizes",
                                     first),
                [in_bytes(found), in_pages(found)],
                first.number("Page size"), unit_of(first),
                [about(first)],
                [f"tau in {unit_of(first)}; peak: the largest sample; total: "
                 "in the whole run."])


def about(report: Report) -> str:
    """Name the run, or the part of it."""
    unit = unit_of(report)
    end = end_of(report) if report.end is None else report.end
    times = [time_text(time, unit) for time in (report.begin, end)
             if time is not None]
    return f"{report.name}: from {' to '.join(times)}"


def statistic(some: Sizes, name: str) -> Optional[Number]:
    """Return a statistic; all windows have the same total."""
    return some.pages if name == "total" else some.statistic(name)


def which(found: Sequence[Tuple[Sizes, int]]) -> List[Column]:
    return [Column("set", SET, [some.set for some, _ in found]),
            Column("tau", COUNT, [some.tau for some, _ in found]),
            Column("page_size", BYTES, [page for _, page in found],
                   "page size")]


def in_bytes(found: Sequence[Tuple[Sizes, int]]) -> Table:
    return Table("Working set sizes in bytes", which(found) + [
        Column(name, BYTES, [
            None if value is None else value * page
            for some, page in found for value in [statistic(some, name)]])
        for name in STATISTICS if name not in NOT_IN_BYTES])


def in_pages(found: Sequence[Tuple[Sizes, int]]) -> Table:
    return Table("Working set sizes in pages", which(found) + [
        Column(name, COUNT, [statistic(some, name) for some, _ in found])
        for name in STATISTICS])
