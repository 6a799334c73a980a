# SPDX-License-Identifier: GPL-2.0-or-later
"""Compositions of samples for a page: trees of calls, and tables."""

import os
from typing import Dict, List, Optional, Sequence, Set, Tuple

from ws_python.base.units import (BYTES, COUNT, SHARE, TEXT, noun, pages
                                  as number_of, size)
from ws_python.model.compositions import (COLD, MEMORY, RESIDENT, Kept, Part,
                                          by_mapping)
from ws_python.model.report import Report, is_estimate, unit_of
from ws_python.model.stacks import Paths, by_function, is_own
from ws_python.model.view import Column, Shown, Table, View
from ws_python.show.html.fit import Data, cut, left_out, of_page, small_enough
from ws_python.views.answer import NAMES
from ws_python.views.calltree import DOWN, UP, Node, tree_of
from ws_python.views.kept import aliases, view_of

MOST_NODES = 200000         # of all trees in a page
ALL_NAMES = {**NAMES, RESIDENT: "resident memory", COLD: "unused memory"}
ABOUT = ("Each page counts for the code that brought it into the working set.",
         "The kernel says which mapping a page is part of, not which code used "
         "it.")
NO_CALLERS = ("Only the function of each access is known; --ws-stacks=yes of "
              "ws adds its callers.")

Rank = Tuple[bool, int, int]


class Names:
    """Numbers for names, each of which a page has once."""

    def __init__(self) -> None:
        self.numbers: Dict[str, int] = {}
        self.known: Dict[str, int] = {}     # of names that are not yet cut

    def number(self, text: str) -> int:
        if text not in self.known:
            self.known[text] = self.numbers.setdefault(cut(text),
                                                       len(self.numbers))
        return self.known[text]


class Composer:
    """Compositions of reports, while there is room: first the largest ones of
    all reports, then the peaks.
    """

    def __init__(self, reports: Sequence[Report], wanted: Sequence[str],
                 most: int) -> None:
        """Take at most `most` samples of each report."""
        self.names, self.room = Names(), MOST_NODES
        self.reports = reports
        self.rows = [ranked(report, wanted) for report in reports]
        paths = [Paths(report.compositions, by_function) for report in reports]
        self.found: Dict[int, Data] = {}
        self.most = most
        too_many: float = float("inf")      # parts
        for _, number, some in sorted(
                ((rank, number, some) for number, rows in enumerate(self.rows)
                 for rank, some in rows[:most]), key=lambda item: item[:2]):
            if len(some.parts) < too_many:
                made = Composition(reports[number], some, paths[number],
                                   self.names, self.room)
                if made.nodes <= self.room:
                    self.room -= made.nodes
                    self.found[id(some)] = made.data()
                else:
                    too_many = len(some.parts)

    def signs(self, number: int) -> List[Tuple[Kept, str]]:
        """Return samples and their signs, the most important first: the number
        as for --at=peak.1, or a letter.
        """
        return [(some, str(some.rank) if some.rank else
                 "max" if "largest" in some.why else "S" if some.label else "i")
                for _, some in self.rows[number][:self.most]]

    def view(self, number: int, file: str) -> Optional[Data]:
        """Make a view of the samples of a report.  Those without room have no
        trees.
        """
        report, signs = self.reports[number], self.signs(number)
        if not signs:
            return None
        page, unit, names = (report.number("Page size"), unit_of(report),
                             aliases(report))
        kept = [some for some, _ in signs]
        numbers = {id(some): key for key, some
                   in report.compositions.samples.items()}
        table = Table("kept samples", [
            Column("", TEXT, [sign for _, sign in signs]),
            Column("set", TEXT, [ALL_NAMES[some.set].lower()
                                 for some in kept]),
            Column(f"at ({unit})", COUNT, [some.time for some in kept]),
            Column(noun(page), COUNT, [some.pages for some in kept]),
            Column("size", BYTES, [some.pages * page for some in kept]),
            Column("kept as", TEXT, [": ".join(filter(None, [
                ", ".join(some.why), some.label])) for some in kept])])
        return small_enough({
            "name": "composition", "title": "What it is made of",
            "page_szB": page, "time_unit": unit, "parts": [{
                **of_page(View("", "", [table], page, unit)),
                "kind": "samples",
                "samples": [{
                    "key": f"{some.set}.{some.time}", "time": some.time,
                    "pages": some.pages, "set": some.set,
                    "title": title_of(report, some,
                                      names.get(numbers[id(some)], ())),
                    "command": "ws_print tree --at=" + (
                        f"peak.{some.rank}" if some.rank else str(some.time))
                    + f" {file}"} for some in kept]}],
            "sentences": [ABOUT[is_estimate(report)] + " Choose a sample here, "
                          "or a number in the curve, which shows more of them "
                          "when it is zoomed."],
            "notes": [NO_CALLERS] * (
                report.header.get("Stacks") == "no"
                and not is_estimate(report))
            + [*left_out(self.rows[number], self.most)]})

    def trees(self, number: int) -> List[Optional[Data]]:
        """Return what the samples of a report consist of."""
        return [self.found.get(id(some))
                for _, some in self.rows[number][:self.most]]


def title_of(report: Report, some: Kept, names: Sequence[str]) -> str:
    """Title a sample; a page names the sets otherwise than options do."""
    others = [name for name in names if name != f"{some.set}.peak"]
    title = view_of(report, some, others).title
    page = report.number("Page size")
    return (ALL_NAMES[some.set].lower() + title[len(some.set):]
            + f": {number_of(some.pages, page)}, {size(some.pages, page)}")


def ranked(report: Report, wanted: Sequence[str]) -> List[Tuple[Rank, Kept]]:
    """Rank all kept samples: the largest of each set first, data before
    others, then peaks by their ranks.
    """
    found = report.compositions
    last, rows = len(found.kept) + 1, []
    for number, some in found.samples.items():
        if some.set in (*MEMORY, *(wanted if number in found.kept else ())):
            is_largest = "largest" in some.why
            rows.append(((not is_largest, 0 if is_largest
                          else some.rank or last,
                          (some.set != "data") + (some.set in MEMORY)), some))
    return sorted(rows, key=lambda row: row[0])


class Composition:
    """A sample's trees: from main and from the accesses, as they are and below
    mappings.  A tree is a list of four numbers for each node, in the order in
    which one reads it: depth, name, pages, module; -1: none, and from -2
    downwards, one that is not the program's own.
    """

    def __init__(self, report: Report, some: Kept, paths: Paths, names: Names,
                 room: int) -> None:
        """Make all trees, if they may fit into so many nodes."""
        self.report, self.some, self.names = report, some, names
        self.trees: List[List[int]] = []
        for way in (DOWN, UP):
            tree = tree_of(some.parts, paths, way)
            if way == DOWN:
                self.down = tree
            self.trees.append(self.listed([(0, "all", tree)]))
            # A tree below mappings has no fewer nodes than the one without.
            self.nodes = 2 * sum(map(len, self.trees)) // 4
            if self.nodes > room:
                return
        mapped: Dict[str, List[Part]] = {}
        for part in some.parts:
            mapped.setdefault(part.mapping, []).append(part)
        self.trees += [self.listed([(0, "all", Node(None, some.pages)), *(
            (1, name, tree_of(mapped[name], paths, way))
            for name, _, _ in by_mapping(some.parts))])
            for way in (DOWN, UP)]
        self.nodes = sum(map(len, self.trees)) // 4

    def listed(self, roots: Sequence[Tuple[int, str, Node]]) -> List[int]:
        """List trees one after another; they may be deeper than Python's own
        calls.
        """
        found: List[int] = []
        left = [*reversed(roots)]
        while left:
            depth, name, node = left.pop()
            frame = node.frame
            module = self.names.number(os.path.basename(frame.object)) if (
                frame and frame.object) else -1
            found += [depth, self.names.number(name), node.pages,
                      module if not frame or is_own(
                          frame.function, frame.file, frame.object)
                      else -2 - module]
            left += [(depth + 1, child.name, child)
                     for child in reversed(node.sorted())]
        return found

    def data(self) -> Data:
        page = self.report.number("Page size")
        whole = max(self.some.pages, 1)
        found = by_mapping(self.some.parts)
        held = [pages for _, pages, _ in found]
        functions = sorted(functions_of(self.down).values(),
                           key=lambda row: -row[1])
        tables: List[Shown] = [Table("By mapping", [
            Column(noun(page), COUNT, held),
            Column("%", SHARE, [pages / whole for pages in held]),
            Column("size", BYTES, [pages * page for pages in held]),
            Column("mapping", TEXT, [name for name, _, _ in found])]),
            Table("By function", [
                *(column for title, place in (
                    ("itself", 1), ("with what it calls", 2))
                  for column in (
                      Column(title, BYTES, [row[place] * page
                                            for row in functions]),
                      Column("%", SHARE, [row[place] / whole
                                          for row in functions]))),
                Column("function", TEXT, [row[0] for row in functions])])]
        return {"trees": self.trees, **of_page(View(
            "", "", tables, page, unit_of(self.report)))}


def functions_of(root: Node) -> Dict[str, List]:
    """Return functions: name, own pages, and pages with what they call.  The
    outermost call of a function that calls itself has all its pages.
    """
    found: Dict[str, List] = {}
    above: Set[str] = set()
    left: List[object] = [*root.children.values()]
    while left:
        node = left.pop()
        if isinstance(node, str):
            above.discard(node)         # what it calls is done
            continue
        row = found.setdefault(node.name, [node.name, 0, 0])
        row[1] += node.pages - sum(child.pages for child
                                   in node.children.values())
        if node.name not in above:
            row[2] += node.pages
            above.add(node.name)
            left.append(node.name)
        left += node.children.values()
    return found
