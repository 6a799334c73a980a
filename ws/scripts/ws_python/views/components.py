# SPDX-License-Identifier: GPL-2.0-or-later
"""The components of a program, by rules, and the pages of each."""

from collections import Counter
from typing import List, Optional, Sequence, Tuple

from ws_python.base.units import count, noun, pages as of_pages, size
from ws_python.model.compositions import Part
from ws_python.model.report import Report
from ws_python.model.rules import NO_RULE, Component, Rules
from ws_python.model.stacks import Paths, by_function
from ws_python.show.terminal.layout import heading, table
from ws_python.views.calltree import share
from ws_python.views.kept import View

Number = Optional[int]      # of a component; None: no rule matches


def components(report: Report, views: Sequence[View], rules: Rules,
               width: int) -> List[str]:
    """A table for each view; a component's numbers include those below it.
    Their names are the user's own, and not cut.
    """
    page = report.number("Page size")
    paths = Paths(report.compositions, by_function)
    lines: List[str] = []
    for view in views:
        of_run = report.compositions.entered.get(view.set, [])
        entered = sums(of_run, "pages", rules, paths)
        pages = sums(view.parts, "pages", rules, paths)
        written = sums(view.parts, "written", rules, paths)
        whole = sum(part.pages for part in of_run)
        rows: List[Tuple[Number, str]] = [
            (one.number, "  " * one.depth + one.name)
            for one in rules.components]
        if pages[None] or entered[None]:
            rows.append((None, NO_RULE))
        # Of a part of the run, nobody knows what has entered.
        known = report.end is None
        lines += [*heading(f"{view.title}: {of_pages(view.pages, page)}"
                           + f"; {count(whole)} entered in the run" * known,
                           width),
                  *table([noun(page), "%", "size"]
                         + ["written"] * view.written
                         + ["entered", "%"] * known + ["component"],
                         [[count(pages[number]),
                           share(pages[number], view.pages),
                           size(pages[number], page)]
                          + [count(written[number])] * view.written
                          + [count(entered[number]),
                             share(entered[number], whole)] * known + [name]
                          for number, name in rows], None), ""]
    return lines[:-1]


def sums(parts: Sequence[Part], what: str, rules: Rules,
         paths: Paths) -> "Counter[Number]":
    """Of pages or written pages; those below a component count for it."""
    own = own_sums(parts, what, rules, paths)
    found = Counter({None: own[None]})
    for component in rules.components:
        one: Optional[Component] = component
        while one is not None:
            found[one.number] += own[component.number]
            one = one.parent
    return found


def own_sums(parts: Sequence[Part], what: str, rules: Rules,
             paths: Paths) -> "Counter[Number]":
    """The same, but each part counts once."""
    found: "Counter[Number]" = Counter()
    for part in parts:
        one = rules.place(paths.of(part), part)
        found[one and one.number] += getattr(part, what) or 0
    return found
