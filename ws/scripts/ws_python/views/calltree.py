# SPDX-License-Identifier: GPL-2.0-or-later
"""Trees of call stacks and the pages that they brought in: what samples, or the
entries of a run, are made of.
"""

from dataclasses import replace
from typing import List, Sequence

from ws_python.base.units import pages
from ws_python.model.kept import Chosen, mappings
from ws_python.model.report import Report, unit_of
from ws_python.model.stacks import Key, Paths
from ws_python.model.tree import tree_of, unknown
from ws_python.model.view import Shown, View


def view(report: Report, chosen: Sequence[Chosen], is_up: bool,
         key: Key) -> View:
    """Make a table by mapping and a tree; each has all pages of a sample."""
    page = report.number("Page size")
    paths = Paths(report.compositions, key)
    parts: List[Shown] = []
    for one in chosen:
        of = {"set": one.set}
        parts += [replace(mappings(one, page), of=of, title=(
            f"{one.title}: {pages(one.pages, page)}")),
            replace(tree_of(one.parts, paths, is_up), of=of)]
    return View("tree", "", parts, page, unit_of(report),
                notes=unknown(report))
