# SPDX-License-Identifier: GPL-2.0-or-later
"""One report on a page, whatever its size."""

from typing import Dict, List, Sequence

from ws_python.answer import answer
from ws_python.calltree import DOWN, Row, short_rows, tree_of, tree_text
from ws_python.layout import count, heading, wrapped
from ws_python.reports import Report, references
from ws_python.sizes import sizes_of
from ws_python.stacks import Paths, by_function
from ws_python.summary import about, curve, size_tables
from ws_python.text import shorten
from ws_python.views import largest

MOST_LINES = 60
HEIGHT = 7                  # of the curve
TITLES = 3                  # lines of a tree that are no rows
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
    options = [f"{count(number)} {what}" for number, what in there if number]
    if options:
        options[0] = f"(with {options[0]}"
        options[-1] += ")"
    options[:1] = [" ".join(["--all", *options[:1]])]
    if report.compositions.kept:
        options = ["--tree", "--tree=callers", "--by-line", "--at=peak.1",
                   "--entries", "--rules=FILE", *options]
    return ("More: " + wrapped(options, 6, width)).split("\n")


def trees(report: Report, wanted: Sequence[str], width: int,
          room: int) -> List[str]:
    """Of what the largest sample of each set is made of."""
    paths = Paths(report.compositions, by_function)
    views = [(view, tree_of(view.parts, paths, DOWN))
             for view in largest(report, wanted)]
    room -= len(views) * TITLES
    # What a small tree does not need, a large one gets.
    found: Dict[str, List[Row]] = {}
    for number, (view, root) in enumerate(
            sorted(views, key=lambda pair: len(short_rows(pair[1], room)))):
        found[view.set] = short_rows(root, room // (len(views) - number))
        room -= len(found[view.set])
    lines: List[str] = []
    for view, _ in views:
        lines += ["", *heading(view.title, width)]
        lines += tree_text(found[view.set], report.number("Page size"), width,
                           view.written, DOWN, False)
    return lines
