# SPDX-License-Identifier: GPL-2.0-or-later
"""One report on a page, whatever its size."""

from typing import List, Sequence

from ws_python.answer import answer
from ws_python.calltree import DOWN, short_rows, tree_of, tree_text
from ws_python.layout import count, heading, wrapped
from ws_python.reports import Report, references
from ws_python.sizes import sizes_of
from ws_python.stacks import Paths, by_function
from ws_python.summary import about, curve, size_tables
from ws_python.text import shorten
from ws_python.views import largest

MOST_LINES = 60
HEIGHT = 8                  # of the curve
LEAST_ROWS = 3              # of a tree, with the names of its columns
KEYS = ("Command", "Report", "Instructions", "Milliseconds", "Sampled",
        "No sample")


def short(report: Report, wanted: Sequence[str], width: int) -> List[str]:
    """The answer, the sizes, a curve, and two short trees."""
    lines = [shorten(line, width) for line in about(report, width, KEYS)]
    lines += [""] + answer(report, wanted, width)
    sizes = [some for some in sizes_of(report, wanted) if some.first]
    lines += ["", *heading("Working set sizes", width),
              *size_tables(report, sizes, width)]
    peaks = [*enumerate(report.compositions.peaks(), 1)]    # as for --at
    drawn = [some for some in sizes if some.set == "data"] or sizes[:1]
    for some in drawn:
        lines += ["", *heading(f"{some.set}: pages over time, "
                               f"tau={count(some.tau)}", width)]
        lines += curve(report, some, width, [
            (peak.time, number) for number, peak in peaks
            if peak.set == some.set], HEIGHT)
    last = ["", *more(report, width)]
    return lines + trees(report, wanted, width,
                         MOST_LINES - len(lines) - len(last)) + last


def more(report: Report, width: int) -> List[str]:
    """What the options would show."""
    there = [(len(report.phases), "phases"),
             (len(references(report)), "peaks and snapshots"),
             (sum(len(found.counts) for found in report.lists.values()),
              "pages in lists"),
             (sum(map(len, (report.profile or {}).values())),
              "rows of the profile")]
    options = ["--all (" + ", ".join(
        f"{count(number)} {what}" for number, what in there if number) + ")"]
    if report.compositions.kept:
        options = ["--tree", "--tree=callers", "--by-line", "--at=peak.1",
                   "--entries", "--rules=FILE", *options]
    return ["More: " + wrapped(options, 6, width)]


def trees(report: Report, wanted: Sequence[str], width: int,
          room: int) -> List[str]:
    """Of what the largest sample of each set is made of."""
    lines: List[str] = []
    paths = Paths(report.compositions, by_function)
    views = largest(report, wanted)
    for number, view in enumerate(views):
        rows = (room - len(lines)) // (len(views) - number) - 3
        lines += ["", *heading(view.title, width)]
        lines += tree_text(short_rows(tree_of(view.parts, paths, DOWN),
                                      max(rows, LEAST_ROWS), DOWN),
                           report.number("Page size"), width, view.written,
                           DOWN, False)
    return lines
