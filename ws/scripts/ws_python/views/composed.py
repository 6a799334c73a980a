# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints compositions of samples, and entries of a run, for people."""

from typing import List, Sequence

from ws_python.base.units import count, noun, pages as of_pages, size
from ws_python.model.compositions import by_mapping
from ws_python.model.report import Report, is_estimate
from ws_python.model.stacks import Key, Paths
from ws_python.show.terminal.layout import heading, table
from ws_python.views.calltree import (Way, hundredths, rows_of, share,
                                      tree_of, tree_text)
from ws_python.views.kept import View

NO_CALLERS = ("Only the function of each access is known; --ws-stacks=yes of "
              "ws adds its callers.")
NO_CODE = "The kernel says of which mapping a page is, not which code used it."


def composition(report: Report, views: Sequence[View], way: Way, key: Key,
                width: int) -> List[str]:
    """Print a table by mapping and a tree; each has all pages of the view."""
    page = report.number("Page size")
    paths = Paths(report.compositions, key)
    lines: List[str] = []
    for view in views:
        root = tree_of(view.parts, paths, way)
        lines += [*heading(f"{view.title}: {of_pages(view.pages, page)}",
                           width),
                  *mappings(view, page, width), "",
                  *tree_text(rows_of(root, hundredths(view.pages, 1), way),
                             page, width, view.written, way), ""]
    if is_estimate(report):
        return [*lines, NO_CODE]
    if report.header.get("Stacks") == "no":
        return [*lines, NO_CALLERS]
    return lines[:-1]


def mappings(view: View, page: int, width: int) -> List[str]:
    return table(
        [noun(page), "%", "size"] + ["written"] * view.written + ["mapping"],
        [[count(pages), share(pages, view.pages), size(pages, page)]
         + [count(written)] * view.written + [name]
         for name, pages, written in by_mapping(view.parts)], width)
