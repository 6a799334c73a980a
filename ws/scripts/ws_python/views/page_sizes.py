# SPDX-License-Identifier: GPL-2.0-or-later
"""The working sets of one run in pages of several sizes."""

from typing import List, Optional, Sequence, Tuple

from ws_python.base.text import shorten
from ws_python.base.units import Number, byte_size, count, large, size
from ws_python.model.report import Report, unit_of
from ws_python.model.sizes import PERCENTILES, Sizes, sizes_of
from ws_python.show.data.export import Value, plain_number
from ws_python.show.terminal.layout import heading, table
from ws_python.views.summary import about

SHOWN = ("avg", "p50", "p95", "peak", "total")
STATISTICS = ("avg", *(f"p{percent}" for percent in PERCENTILES), "peak",
              "total")
KEYS = ("Command", "Page log", "Instructions", "Milliseconds", "Part",
        "Sampled", "No sample")


def each(reports: Sequence[Report],
         wanted: Sequence[str]) -> List[Tuple[Sizes, int]]:
    """By set, then window, then page size."""
    found = [(some, report.number("Page size")) for report in reports
             for some in sizes_of(report, wanted)]
    return sorted(found, key=lambda one: (wanted.index(one[0].set),
                                          reports[0].taus.index(one[0].tau),
                                          one[1]))


def statistic(some: Sizes, name: str) -> Optional[Number]:
    """The total is that of all windows."""
    return some.pages if name == "total" else some.statistic(name)


def size_text(reports: Sequence[Report], wanted: Sequence[str],
              width: int) -> List[str]:
    """In pages, and in bytes."""
    lines = [shorten(line, width) for line in about(reports[0], width, KEYS)]
    for title, shown in (
            ("pages", lambda number, page: count(number)), ("bytes", size)):
        lines += ["", *heading(f"Working set sizes in {title}", width)]
        lines += table(
            ["set", "tau", "page size", *SHOWN, ""],
            [[some.set, large(some.tau), byte_size(page),
              *(shown(statistic(some, name), page) for name in SHOWN), ""]
             for some, page in each(reports, wanted)], width, left=1)
    return [*lines, f"tau in {unit_of(reports[0])}; peak: the largest sample; "
            "total: in the whole run."]


def size_rows(reports: Sequence[Report], wanted: Sequence[str]
              ) -> Tuple[List[str], List[List[Value]]]:
    """In pages."""
    return ["set", "tau", "page_size", *STATISTICS], [
        [some.set, some.tau, page, *(plain_number(statistic(some, name))
                                     for name in STATISTICS)]
        for some, page in each(reports, wanted)]
