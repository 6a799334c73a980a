# SPDX-License-Identifier: GPL-2.0-or-later
"""Compositions of samples for a page: trees of calls, and tables."""

import os
from collections import Counter, defaultdict
from dataclasses import replace
from typing import (DefaultDict, Dict, List, NamedTuple, Optional, Sequence,
                    Tuple)

from ws_python.base.units import BYTES, COUNT, SHARE, TEXT, exact_time, noun
from ws_python.base.units import pages as number_of
from ws_python.base.units import read_as, size
from ws_python.base.view import Node, Shown, Table, Tree, View, columns_from
from ws_python.report.compositions import MEMORY, Compositions, Kept
from ws_python.report.kept import WORDS, chosen_of, mappings
from ws_python.report.report import Report
from ws_python.report.stacks import Paths, by_function, name_of
from ws_python.report.tree import MOST_OF_TREE, trees_of, unknown
from ws_python.show.html.fit import (Data, ViewData, cut_for_page, left_out,
                                     of_page)

MOST_NODES = 300000         # of all trees in a page
FEWEST_OF_TREE = 100
CHOOSE_SAMPLE = ("Choose a sample here, or a number in the curve, which shows "
                 "more of them when it is zoomed.")

MOST_FUNCTIONS = 200        # in a table

Names = DefaultDict[str, int]


def numbering() -> Names:
    """Make a table that numbers names, each of which a page has once."""
    found: Names = defaultdict(int)
    found.default_factory = found.__len__
    return found


class SampleRow(NamedTuple):
    """A sample, how important it is, and what knows its stacks."""
    rank: Tuple[bool, int, int]
    kept: Kept
    paths: Paths


class Composer:
    """Compositions of reports, while there is room: first the largest ones of
    all reports, then the peaks, then those of their page logs.
    """

    def __init__(self, reports: Sequence[Report], wanted: Sequence[str],
                 of_logs: Sequence[Compositions], most: int) -> None:
        """Take at most `most` samples of each report, and all of its log."""
        self.names, self.room = numbering(), MOST_NODES
        self.reports, self.most = reports, most
        every = [ranked(report.compositions, wanted) for report in reports]
        self.left_out = [left_out(rows, most) for rows in every]
        self.rows = [[*rows[:most], *of_log(rows, found)]
                     for rows, found in zip(every, of_logs)]
        self.found: Dict[int, Data] = {}
        # Largest samples get more of them than peaks, and those of logs less.
        size = min(max(MOST_NODES // (8 * sum(map(len, every)) or 1),
                       FEWEST_OF_TREE), MOST_OF_TREE)
        for rank, number, row in sorted(
                ((row.rank, number, row) for number, rows
                 in enumerate(self.rows) for row in rows),
                key=lambda item: item[:2]):
            trees = trees_of(row.kept.parts, row.paths, None, size // 4 if (
                row.kept.why == ["log"]) else size if rank[0] else 3 * size)
            if number_of_nodes(trees) <= self.room:
                self.room -= number_of_nodes(trees)
                self.found[id(row.kept)] = composition(
                    reports[number], row, trees, self.names)

    def view(self, number: int, file: str) -> Optional[ViewData]:
        """Make a view of the samples of a report.  Those without room have no
        trees.
        """
        report, kept = self.reports[number], [row.kept for row
                                              in self.rows[number]]
        if not kept:
            return None
        page, unit = report.page_szB, report.unit
        found = of_page(View("composition", "What it is made of", [
            Table("", columns_from([
                ("", TEXT), ("set", TEXT), ("window", TEXT),
                (f"at ({unit})", COUNT), (noun(page), COUNT), ("size", BYTES),
                ("kept as", TEXT)], [
                    (some.sign, WORDS[some.set], exact_time(some.tau, unit)
                     if some.tau else "-", some.time, some.pages,
                     some.pages * page, ": ".join(filter(None, [
                         ", ".join(some.why), some.label])))
                    for some in kept]))], page, unit, [CHOOSE_SAMPLE],
            [*unknown(report), *self.left_out[number]]))
        found["parts"][0].update(
            kind="samples", file=file, has_log=any(
                some.why == ["log"] for some in kept), samples=[{
                    "key": ".".join(map(str, filter(None, [
                        some.set, some.time, some.tau
                        if some.tau != report.compositions.tau else None]))),
                    "time": some.time, "pages": some.pages, "set": some.set,
                    "title": cut_for_page(title_of_sample(report, some)),
                    "command": cut_for_page(command_for(report, some, file)),
                    "made_of": self.found.get(id(some))} for some in kept])
        return found


def command_for(report: Report, some: Kept, file: str) -> str:
    """Write the command that shows a sample in the terminal.  A report that is
    limited to some windows does not tell which one it shows otherwise.
    """
    usual = (report.compositions.tau if {*report.windows} == {*report.taus}
             else None)
    return "ws_print tree --at=" + (
        f"peak.{some.rank}" if some.rank else some.time_name) + (
        f" --tau={some.tau}" * (some.tau not in (None, usual))) + f" {file}"


def title_of_sample(report: Report, some: Kept) -> str:
    """Title a sample."""
    others = [name for name in some.names if name != f"{read_as(some.set)}.peak"]
    title = chosen_of(report, some, others).title
    return (f"{title}: {number_of(some.pages, report.page_szB)}, "
            f"{size(some.pages, report.page_szB)}")


def ranked(found: Compositions, wanted: Sequence[str]) -> List[SampleRow]:
    """Rank all kept samples: the largest of each set first, data before others
    and the chosen window before others, then peaks by their ranks.
    """
    paths, last = Paths(found, by_function), len(found.kept) + 1
    rows = []
    for some in (*found.shown(wanted), *found.largest_of_others(wanted)):
        is_largest = "largest" in some.why
        rows.append(SampleRow((
            not is_largest, 0 if is_largest else some.rank or last,
            (some.set != "data") + (some.set in MEMORY)
            + 3 * (some.tau not in (None, found.tau))), some, paths))
    return sorted(rows, key=lambda row: row.rank)


def of_log(rows: Sequence[SampleRow], found: Compositions) -> List[SampleRow]:
    """Return the samples of a log that a report has not kept."""
    paths = Paths(found, by_function)
    known = {(row.kept.set, row.kept.tau, row.kept.time) for row in rows}
    return [SampleRow((True, MOST_NODES, 0), some, paths)
            for some in found.samples.values()
            if (some.set, some.tau, some.time) not in known]


def composition(report: Report, row: SampleRow, trees: Sequence[Tree],
                names: Names) -> Data:
    """Make data of a sample: its trees, and tables."""
    page, some, whole = report.page_szB, row.kept, max(row.kept.pages, 1)
    tables: List[Shown] = [
        mappings(chosen_of(report, some), page),
        Table("By function", columns_from([
            ("itself", BYTES), ("%", SHARE), ("with what it calls", BYTES),
            ("%", SHARE), ("function", TEXT)], [
                (own * page, own / whole, every * page, every / whole, name)
                for own, every, name in functions_of(some, row.paths)[
                    :MOST_FUNCTIONS]]))]
    return {**packed_trees(trees, names), **of_page(View(
        "", "", tables, page, report.unit))}


def number_of_nodes(trees: Sequence[Tree]) -> int:
    return sum(len(tree.nodes) for tree in trees)


def packed_trees(trees: Sequence[Tree], names: Names) -> Data:
    """Make lists, with a number for each node.  Its code is that of a module, -1
    is none; from -2 downwards, the same for what is not the program's own.
    """
    def code(node: Node) -> int:
        module = names[cut_for_page(os.path.basename(
            node.object))] if node.object else -1
        return module if node.is_own else -3 - module

    return {"trees": [{
        "depth": [node.depth for node in tree.nodes],
        "name": [names[cut_for_page(node.name)] for node in tree.nodes],
        "pages": [node.pages for node in tree.nodes],
        "code": [*map(code, tree.nodes)], "before": tree.before}
        for tree in trees]}


def graph_of(view: View, names: Names, fits: bool) -> ViewData:
    """Make data of a view whose trees show one thing in several ways."""
    data = of_page(replace(view, parts=view.of(Table)))
    if fits:
        data["parts"].insert(0, {"kind": "tree", "title": "",
                                 **packed_trees(view.of(Tree), names)})
    else:
        data["notes"].append("There was no room in this page for the graph.")
    return data


def functions_of(some: Kept, paths: Paths) -> List[Tuple[int, int, str]]:
    """Return functions, those with most pages of their own first: own pages,
    pages with what they call, and the name.
    """
    own: "Counter[str]" = Counter()
    every: "Counter[str]" = Counter()
    for part in some.parts:
        names = [name_of(step.frame, False) if step.frame else step.text
                 for step in paths.of(part)]
        own[names[0]] += part.pages
        for name in {*names}:
            every[name] += part.pages
    return sorted(((own[name], pages, name) for name, pages in every.items()),
                  key=lambda row: (-row[0], -row[1], row[2]))
