# SPDX-License-Identifier: GPL-2.0-or-later
"""One report on a page, whatever its size."""

from typing import Dict, List, Sequence

from ws_python.base.text import shorten
from ws_python.base.units import count
from ws_python.model.report import Report, references
from ws_python.model.sizes import sizes_of
from ws_python.model.stacks import Paths, by_function
from ws_python.show.terminal.layout import heading, wrapped
from ws_python.views.answer import answer
from ws_python.views.calltree import DOWN, short_tree, tree_of
from ws_python.views.kept import largest
from ws_python.views.summary import about, curve, curve_title, size_tables

MOST_LINES = 60
MOST_WINDOWS = 4            # in its tables, or else only the first
CODE_LINES = 6              # of its tree, if there is data, too
HEIGHT = 7                  # of the curve, if the trees have so many lines
LEAST_TREES = 17
KEYS = ("Command", "Report", "Page log", "Instructions", "Milliseconds",
        "Part", "Sampled", "No sample", "Windows off",
        "Missed samples")


def short(report: Report, wanted: Sequence[str], width: int) -> List[str]:
    """The answer, the sizes, a curve, and two short trees."""
    lines = [shorten(line, width) for line in about(report, width, KEYS)]
    lines += [""] + answer(report, wanted, width)
    sizes = [some for some in sizes_of(report, wanted) if some.first]
    few = len(report.taus) <= MOST_WINDOWS
    lines += ["", *heading("Working set sizes", width), *size_tables(
        report, sizes_of(report, wanted) if few else sizes, width)]
    drawn = [some for some in sizes if some.set == "data"] or sizes[:1]
    height = max(2, min(HEIGHT, MOST_LINES - LEAST_TREES - len(lines)))
    for some in drawn:
        lines += ["", *heading(curve_title(report, some), width)]
        lines += curve(report, some, width, [
            (peak.time, peak.rank) for peak in report.compositions.peaks()
            if peak.set == some.set], height)
    last = ["", *more(report, width)]
    return lines + trees(report, wanted, width,
                         MOST_LINES - len(lines) - len(last)) + last


def more(report: Report, width: int) -> List[str]:
    """Name views and options that show more."""
    there = [(len(report.phases), "phases"),
             (len(references(report)), "peaks and snapshots"),
             (sum(len(found.counts) for found in report.lists.values()),
              "pages in lists"),
             (len(report.taus) if len(report.taus) > MOST_WINDOWS else 0,
              "windows"),
             (sum(map(len, (report.profile or {}).values())),
              "rows of the profile")]
    found = [f"{count(number)} {what}" for number, what in there if number]
    views = [" ".join(["all", *[f"({', '.join(found)})"] * bool(found)])]
    if report.compositions.frames:
        views = ["tree", "tree --callers", "tree --by-line",
                   *(f"tree --at=peak.{peak.rank}" for peak
                     in report.compositions.peaks()[:1]),
                   "tree --entries", "tree --rules=FILE", *views]
    if report.is_log:
        views = ["layers", "layers --by=mapping", "enough", "pages",
                   "pages --pagesize=64,4k,2M", "--tau=N", "--from=25%",
                   *views]
    views[0] = f"ws_print {views[0]}"
    return ("More: " + wrapped(views, 6, width)).split("\n")


def trees(report: Report, wanted: Sequence[str], width: int,
          room: int) -> List[str]:
    """Of what the largest sample of each set is made of."""
    page = report.number("Page size")
    paths = Paths(report.compositions, by_function)
    found = [(view, tree_of(view.parts, paths, DOWN))
             for view in largest(report, wanted)]
    room -= 2 * len(found)      # titles
    texts: Dict[str, List[str]] = {}
    for view, root in reversed(found):
        last = view is found[0][0]      # data, which has the rest
        texts[view.set] = short_tree(
            root, page, width, view.written,
            room if last else min(room // 2, CODE_LINES))
        room -= len(texts[view.set])
    return [line for view, _ in found for line in (
        "", *heading(view.title, width), *texts[view.set])]
