# SPDX-License-Identifier: GPL-2.0-or-later
"""Compositions of samples for a page: trees of calls, and tables."""

import os
from collections import Counter
from dataclasses import dataclass, replace
from typing import Dict, List, Optional, Sequence, Tuple

from ws_python.base.units import BYTES, COUNT, SHARE, TEXT, exact_time, noun
from ws_python.base.units import pages as number_of
from ws_python.base.units import read_as, size
from ws_python.base.view import Node, Shown, Table, Tree, View, columns_from
from ws_python.report.compositions import HEAP_SET, MEMORY, Compositions, Kept
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

Names = Dict[str, int]      # the number of each, which a page has once


@dataclass
class SampleRow:
    """A sample, how important it is, and what knows its stacks."""
    rank: Tuple[bool, int, int]     # the lowest is first
    kept: Kept
    paths: Paths
    made_of: Optional[Data] = None      # None: there is no room


class Composer:
    """Compositions of samples, each with four trees, while there is room for
    all their nodes.  In this order, with n samples kept in all reports:

        samples             nodes in a tree, within limits
        the largest ones    3 MOST_NODES / 8 n
        peaks                 MOST_NODES / 8 n
        those of page logs    MOST_NODES / 32 n
    """

    def __init__(self, reports: Sequence[Report], wanted: Sequence[str],
                 of_logs: Sequence[Compositions], most: int) -> None:
        """Take at most `most` samples of each report, and all of its log."""
        self.names: Names = {}
        self.reports = reports
        kept = [ranked(report.compositions, wanted) for report in reports]
        self.left_out = [left_out(rows, most) for rows in kept]
        self.rows = [[*rows[:most], *of_log(rows, log)]
                     for rows, log in zip(kept, of_logs)]
        self.compose(sum(map(len, kept)))

    def compose(self, n_kept: int) -> None:
        """Fill in what samples are made of, the most important ones first."""
        room = MOST_NODES
        share = min(max(room // (8 * n_kept or 1), FEWEST_OF_TREE),
                    MOST_OF_TREE)
        rows = [(row, number) for number, rows in enumerate(self.rows)
                for row in rows]
        for row, number in sorted(rows, key=lambda at: (at[0].rank, at[1])):
            is_of_log, is_largest = row.kept.why == ["log"], not row.rank[0]
            trees = trees_of(
                row.kept.origins, row.paths, None, share // 4 if is_of_log
                else 3 * share if is_largest else share)
            nodes = number_of_nodes(trees)
            if nodes <= room:
                room -= nodes
                row.made_of = composition(self.reports[number], row, trees,
                                          self.names)

    def view(self, number: int, file: str) -> Optional[ViewData]:
        """Make a view of a report's samples; those without room lack trees."""
        report, rows = self.reports[number], self.rows[number]
        samples = [row.kept for row in rows]
        if not samples:
            return None
        page, unit = report.page_szB, report.unit
        data = of_page(View("composition", "What it is made of", [
            Table("", columns_from([
                ("", TEXT), ("set", TEXT), ("window", TEXT),
                (f"at ({unit})", COUNT), (noun(page), COUNT), ("size", BYTES),
                ("kept as", TEXT)], [
                    (sample.sign, WORDS[sample.set],
                     exact_time(sample.tau, unit) if sample.tau else "-",
                     sample.time, sample.pages, sample.pages * page,
                     ": ".join(filter(None, [
                         ", ".join(sample.why), sample.label])))
                    for sample in samples]))], page, unit, [CHOOSE_SAMPLE],
            [*unknown(report), *self.left_out[number]]))
        data["parts"][0].update(
            kind="samples", file=file, samples=[{
                    "key": ".".join(map(str, filter(None, [
                        sample.set, sample.time, sample.tau
                        if sample.tau != report.compositions.tau else None]))),
                    "time": sample.time, "pages": sample.pages, "tau": sample.tau,
                    "set": sample.set,
                    "title": cut_for_page(title_of_sample(report, sample)),
                    "command": cut_for_page(command_for(report, sample, file)),
                    "made_of": row.made_of}
                    for row in rows for sample in [row.kept]])
        return data


def command_for(report: Report, sample: Kept, file: str) -> str:
    """Write the command that shows a sample in the terminal."""
    usual = (report.compositions.tau if {*report.windows} == {*report.taus}
             else None)
    name = f"peak.{sample.rank}" if sample.rank else sample.time_name
    if sample.tau not in (None, usual):
        name += f" --tau={sample.tau}"
    return f"ws_print tree --at={name} {file}"


def title_of_sample(report: Report, sample: Kept) -> str:
    others = [name for name in sample.names
              if name != f"{read_as(sample.set)}.peak"]
    title = chosen_of(report, sample, others).title
    return (f"{title}: {number_of(sample.pages, report.page_szB)}, "
            f"{size(sample.pages, report.page_szB)}")


def ranked(compositions: Compositions,
           wanted: Sequence[str]) -> List[SampleRow]:
    """Rank kept samples: first the largest ones, then peaks by rank; among
    equals, the chosen window before others, and data before other sets.
    """
    paths, last = Paths(compositions, by_function), len(compositions.kept) + 1
    rows = []
    for sample in (*compositions.shown(wanted),
                   *compositions.largest_of_others(wanted)):
        if sample.set == HEAP_SET:      # in bytes, in a view of its own
            continue
        is_largest = "largest" in sample.why
        order = 0 if sample.set == "data" else 2 if sample.set in MEMORY else 1
        if sample.tau not in (None, compositions.tau):
            order += 3
        rows.append(SampleRow(
            (not is_largest, 0 if is_largest else sample.rank or last, order),
            sample, paths))
    return sorted(rows, key=lambda row: row.rank)


def of_log(rows: Sequence[SampleRow], log: Compositions) -> List[SampleRow]:
    """Return the samples of a log that a report has not kept."""
    paths = Paths(log, by_function)
    known = {(row.kept.set, row.kept.tau, row.kept.time) for row in rows}
    return [SampleRow((True, MOST_NODES, 0), sample, paths)
            for sample in log.samples.values()
            if (sample.set, sample.tau, sample.time) not in known]


def composition(report: Report, row: SampleRow, trees: Sequence[Tree],
                names: Names) -> Data:
    """Make data of a sample: its trees, and tables."""
    page, sample, whole = report.page_szB, row.kept, max(row.kept.pages, 1)
    tables: List[Shown] = [
        mappings(chosen_of(report, sample), page),
        Table("By function", columns_from([
            ("itself", BYTES), ("%", SHARE), ("with what it calls", BYTES),
            ("%", SHARE), ("function", TEXT)], [
                (own * page, own / whole, every * page, every / whole, name)
                for own, every, name in functions_of(sample, row.paths)[
                    :MOST_FUNCTIONS]]))]
    return {**packed_trees(trees, names), **of_page(View(
        "", "", tables, page, report.unit))}


def number_of_nodes(trees: Sequence[Tree]) -> int:
    return sum(len(tree.nodes) for tree in trees)


def packed_trees(trees: Sequence[Tree], names: Names) -> Data:
    """Make lists with a number for each node.  Its code is a module's number, or
    -1 for none; of code that is not the program's own, -3 minus this number.
    """
    def number(name: str) -> int:
        return names.setdefault(cut_for_page(name), len(names))

    def code(node: Node) -> int:
        module = number(os.path.basename(node.object)) if node.object else -1
        return module if node.is_own else -3 - module

    return {"trees": [{
        "depth": [node.depth for node in tree.nodes],
        "name": [number(node.name) for node in tree.nodes],
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


def functions_of(sample: Kept, paths: Paths) -> List[Tuple[int, int, str]]:
    """Return own pages, pages with those of what it calls, and the name of each
    function, most own pages first.
    """
    own: "Counter[str]" = Counter()
    every: "Counter[str]" = Counter()
    for part in sample.origins:
        names = [name_of(step.frame, False) if step.frame else step.text
                 for step in paths.of(part)]
        own[names[0]] += part.pages
        for name in {*names}:
            every[name] += part.pages
    return sorted(((own[name], pages, name) for name, pages in every.items()),
                  key=lambda row: (-row[0], -row[1], row[2]))
