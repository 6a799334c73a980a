# SPDX-License-Identifier: GPL-2.0-or-later
"""Compositions of samples for a page: trees of calls, and tables."""

import os
import re
from collections import defaultdict
from dataclasses import replace
from typing import DefaultDict, Dict, List, Optional, Sequence, Tuple

from ws_python.base.units import (BYTES, COUNT, SHARE, TEXT, noun,
                                  pages as number_of, read_as, size)
from ws_python.model.compositions import MEMORY, Kept
from ws_python.model.kept import WORDS, chosen_of, mappings
from ws_python.model.report import Report
from ws_python.model.stacks import Paths, by_function
from ws_python.model.tree import trees_of, unknown
from ws_python.model.view import Node, Shown, Table, Tree, View, columns_from
from ws_python.show.html.fit import Data, cut_for_page, left_out, of_page

MOST_NODES = 200000         # of all trees in a page
CHOOSE_SAMPLE = ("Choose a sample here, or a number in the curve, which shows "
                 "more of them when it is zoomed.")

Rank = Tuple[bool, int, int]
Names = DefaultDict[str, int]


def numbering() -> Names:
    """Make a table that numbers names, each of which a page has once."""
    found: Names = defaultdict(int)
    found.default_factory = found.__len__
    return found


class Composer:
    """Compositions of reports, while there is room: first the largest ones of
    all reports, then the peaks.
    """

    def __init__(self, reports: Sequence[Report], wanted: Sequence[str],
                 most: int) -> None:
        """Take at most `most` samples of each report."""
        self.names, self.room = numbering(), MOST_NODES
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
                trees = trees_of(some.parts, paths[number], most=self.room)
                if trees:
                    self.room -= number_of_nodes(trees)
                    self.found[id(some)] = composition(reports[number], some,
                                                       trees, self.names)
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
        page, unit = report.page_szB, report.unit
        found = of_page(View("composition", "What it is made of", [
            Table("", columns_from([
                ("", TEXT), ("set", TEXT), (f"at ({unit})", COUNT),
                (noun(page), COUNT), ("size", BYTES), ("kept as", TEXT)], [
                    (sign, WORDS[some.set], some.time, some.pages,
                     some.pages * page, ": ".join(filter(None, [
                         ", ".join(some.why), some.label])))
                    for some, sign in signs]))], page, unit, [CHOOSE_SAMPLE], [
                        *unknown(report),
                        *left_out(self.rows[number], self.most)]))
        found["parts"][0].update(kind="samples", samples=[{
            "key": f"{some.set}.{some.time}", "time": some.time,
            "pages": some.pages, "set": some.set,
            "title": cut_for_page(title_of_sample(report, some)),
            "command": cut_for_page("ws_print tree --at=" + (
                f"peak.{some.rank}" if some.rank else some.time_name)
                + f" {file}"), "made_of": self.found.get(id(some))}
            for some, _ in signs])
        return found


def title_of_sample(report: Report, some: Kept) -> str:
    """Title a sample."""
    others = [name for name in some.names if name != f"{read_as(some.set)}.peak"]
    title = chosen_of(report, some, others).title
    return (f"{title}: {number_of(some.pages, report.page_szB)}, "
            f"{size(some.pages, report.page_szB)}")


def ranked(report: Report, wanted: Sequence[str]) -> List[Tuple[Rank, Kept]]:
    """Rank all kept samples: the largest of each set first, data before
    others, then peaks by their ranks.
    """
    found = report.compositions
    last, rows = len(found.kept) + 1, []
    for some in found.shown(wanted):
        is_largest = "largest" in some.why
        rows.append(((not is_largest, 0 if is_largest
                      else some.rank or last,
                      (some.set != "data") + (some.set in MEMORY)), some))
    return sorted(rows, key=lambda row: row[0])


def composition(report: Report, some: Kept, trees: Sequence[Tree],
                names: Names) -> Data:
    """Make data of a sample: its trees, and tables."""
    page, whole = report.page_szB, max(some.pages, 1)
    tables: List[Shown] = [
        mappings(chosen_of(report, some), page),
        Table("By function", columns_from([
            ("itself", BYTES), ("%", SHARE), ("with what it calls", BYTES),
            ("%", SHARE), ("function", TEXT)], [
                (own * page, own / whole, every * page, every / whole, name)
                for name, own, every in functions_of(trees[0])]))]
    return {**packed_trees(trees, names), **of_page(View(
        "", "", tables, page, report.unit))}


def number_of_nodes(trees: Sequence[Tree]) -> int:
    return sum(len(tree.nodes) for tree in trees)


def packed_trees(trees: Sequence[Tree], names: Names) -> Data:
    """Make lists, with a number for each node.  Its code is that of a module;
    -1: none, and from -2 downwards, one that is not the program's own.
    """
    def code(node: Node) -> int:
        module = names[cut_for_page(os.path.basename(
            node.object))] if node.object else -1
        return module if node.is_own else -2 - module

    return {"trees": [{
        "depth": [node.depth for node in tree.nodes],
        "name": [names[cut_for_page(node.name)] for node in tree.nodes],
        "pages": [node.pages for node in tree.nodes],
        "code": [*map(code, tree.nodes)], "before": tree.before}
        for tree in trees]}


def graph_of(view: View, names: Names, fits: bool) -> Data:
    """Make data of a view whose trees show one thing in several ways."""
    data = of_page(replace(view, parts=view.of(Table)))
    if fits:
        data["parts"].insert(0, {"kind": "tree", "title": "",
                                 **packed_trees(view.of(Tree), names)})
    else:
        data["notes"].append("There was no room in this page for the graph.")
    return data


def functions_of(tree: Tree) -> List[List]:
    """Return functions: name, own pages, and pages with what they call; the
    largest first.  The outermost call of a function that calls itself has all
    its pages.
    """
    found: Dict[str, List] = {}
    above: List[str] = []
    for node in tree.nodes[1:]:
        del above[node.depth - 1:]
        name = re.sub(r":[0-9]+\)$", ")", node.name)
        row = found.setdefault(name, [name, 0, 0])
        row[1] += node.pages
        if above:
            found[above[-1]][1] -= node.pages
        if name not in above:
            row[2] += node.pages
        above.append(name)
    return sorted(found.values(), key=lambda row: -row[1])
