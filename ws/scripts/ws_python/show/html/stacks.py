# SPDX-License-Identifier: GPL-2.0-or-later
"""Compositions of samples for a page: each name and each stack once."""

from typing import Dict, List, Optional, Sequence, Tuple

from ws_python.base.text import printable, shorten
from ws_python.model.compositions import COLD, MEMORY, RESIDENT, Kept, Part
from ws_python.model.report import Report
from ws_python.model.stacks import Paths, Step, by_function, name_of
from ws_python.views.answer import NAMES
from ws_python.views.kept import aliases, view_of

MOST_CHARACTERS = 900000    # of all compositions in a page
LONGEST_NAME = 300
ROW = 15                    # characters of a part or node, about
ALL_NAMES = {**NAMES, RESIDENT: "resident memory", COLD: "unused memory"}

Data = Dict[str, object]
Rank = Tuple[bool, int, int]


class Table:
    """Numbers for repeated values; the last numbers can be undone."""

    def __init__(self) -> None:
        self.numbers: Dict[object, int] = {}
        self.values: List[object] = []

    def number(self, key: object, value: object) -> int:
        found = self.numbers.setdefault(key, len(self.values))
        if found == len(self.values):
            self.values.append(value)
        return found

    def cut(self, length: int) -> None:
        while len(self.numbers) > length:
            self.numbers.popitem()
        del self.values[length:]


def cut(text: str) -> str:
    """Make a text printable, and short enough for a page."""
    return printable(shorten(text, LONGEST_NAME))


class Names(Table):
    """A table with each name once."""

    def name(self, text: str) -> int:
        text = cut(text)
        return self.number(text, text)


class Composer:
    """Compositions of reports, while they have room: first the largest ones of
    all reports, then the peaks.
    """

    def __init__(self, reports: Sequence[Report], wanted: Sequence[str],
                 most: int) -> None:
        """Take at most `most` samples of each report, the most important
        first.
        """
        self.names = Names()
        self.room = MOST_CHARACTERS
        self.stacks = [Stacks(report, self.names) for report in reports]
        self.rows = [rows_of(report, wanted)[:most] for report in reports]
        for _, number, some, row in sorted(
                ((rank, number, some, row)
                 for number, rows in enumerate(self.rows)
                 for rank, some, row in rows), key=lambda item: item[:2]):
            row["parts"] = self.parts(self.stacks[number], some)

    def of_report(self, number: int) -> Data:
        """Return the compositions of a report.  A node is a pair of a node,
        its caller, and a place; a part has a node, a mapping, and its pages.
        Samples without room have no parts.
        """
        stacks = self.stacks[number]
        return {"kept": [row for _, _, row in self.rows[number]],
                "nodes": stacks.nodes.values, "places": stacks.places.values}

    def parts(self, stacks: "Stacks",
              some: Kept) -> Optional[List[List[int]]]:
        if ROW * len(some.parts) > self.room:
            return None
        before = [(table, len(table.values)) for table
                  in (self.names, stacks.nodes, stacks.places)]
        start = len(self.names.values)
        parts = [[stacks.node(part), self.names.name(part.mapping),
                  part.pages] for part in some.parts]
        size = ROW * (len(parts) + sum(
            len(table.values) - length for table, length in before)) + sum(
            len(str(name)) for name in self.names.values[start:])
        if size > self.room:
            for table, length in before:
                table.cut(length)
            return None
        self.room -= size
        return parts


def title_of(report: Report, some: Kept, names: Sequence[str]) -> str:
    """Title a sample; a page names the sets otherwise than options do."""
    others = [name for name in names if name != f"{some.set}.peak"]
    title = view_of(report, some, others).title
    return ALL_NAMES[some.set].lower() + title[len(some.set):]


def rows_of(report: Report,
            wanted: Sequence[str]) -> List[Tuple[Rank, Kept, Data]]:
    """Make rows of all kept samples: the largest of each set first, data before
    others, then peaks by their ranks.
    """
    names = aliases(report)
    found = report.compositions
    last = len(found.kept) + 1
    rows: List[Tuple[Rank, Kept, Data]] = []
    for number, some in found.samples.items():
        if some.set in (*MEMORY, *(wanted if number in found.kept else ())):
            is_largest = "largest" in some.why
            rank = (not is_largest, 0 if is_largest else some.rank or last,
                    (some.set != "data") + (some.set in MEMORY))
            rows.append((rank, some, {
                "set": some.set, "time": some.time, "pages": some.pages,
                "why": cut(", ".join(some.why)), "label": cut(some.label),
                "largest": "largest" in some.why,
                "title": title_of(report, some, names.get(number, ())),
                "peak": some.rank or None}))
    return sorted(rows, key=lambda row: row[0])


class Stacks:
    """A tree of all stacks of a report, from the outermost frames; a place is
    a function, its name, and its name with a line.
    """

    def __init__(self, report: Report, names: Names):
        self.names = names
        self.paths = Paths(report.compositions, by_function)
        self.functions: Dict[object, int] = {}
        self.places, self.nodes = Table(), Table()

    def node(self, part: Part) -> int:
        node = -1
        for step in reversed(self.paths.of(part)):
            pair = (node, self.place(step))
            node = self.nodes.number(pair, pair)
        return node

    def place(self, step: Step) -> int:
        frame = step.frame
        key = step.key if frame is None else (*step.key, frame.file,
                                              frame.line)
        found = self.places.numbers.get(key)
        if found is None:
            names = ((step.text, step.text) if frame is None
                     else (name_of(frame, False), name_of(frame)))
            found = self.places.number(key, (
                self.functions.setdefault(step.key, len(self.functions)),
                *map(self.names.name, names)))
        return found
