# SPDX-License-Identifier: GPL-2.0-or-later
"""Trees of call stacks and the pages that they brought in: what samples, or the
entries of a run, are made of.
"""

from dataclasses import dataclass, field
from itertools import groupby
from typing import (Dict, Iterable, List, NamedTuple, Optional, Sequence,
                    Tuple, Union)

from ws_python.base.units import count, noun, pages as of_pages, size
from ws_python.model.compositions import Frame, Part, by_mapping
from ws_python.model.report import Report, is_estimate
from ws_python.model.stacks import Key, Paths, Step, is_own, name_of
from ws_python.show.terminal.layout import heading, table
from ws_python.views.kept import View


class Way(NamedTuple):
    """The direction in which a tree grows."""
    callers: bool
    arrow: str
    rest: str                   # names pages that no child has


DOWN = Way(False, ">", "itself")            # from main
UP = Way(True, "<", "no other caller")      # from the accesses


NO_CALLERS = ("Only the function of each access is known; --ws-stacks=yes of "
              "ws adds its callers.")
NO_CODE = "The kernel says of which mapping a page is, not which code used it."
GAP = "..."
MOST_NAMES = 12             # of a chain


@dataclass
class Node:
    """A function, a line, or a text in place of a stack."""
    step: Optional[Step] = None     # None: the root
    pages: int = 0
    written: int = 0
    lines: Dict[Tuple[str, Optional[int]], None] = field(default_factory=dict)
    children: "Dict[Tuple[object, ...], Node]" = field(default_factory=dict)

    @property
    def name(self) -> str:
        if self.step is None:
            return "all"
        if self.step.frame is None:
            return self.step.text
        return name_of(self.step.frame, len(self.lines) == 1)

    @property
    def frame(self) -> Optional[Frame]:
        return self.step and self.step.frame

    def add(self, part: Part) -> None:
        self.pages += part.pages
        self.written += part.written or 0

    def child(self, step: Step) -> "Node":
        node = self.children.setdefault(step.key, Node(step))
        node.see(step)
        return node

    def see(self, step: Step) -> None:
        """Record a step that is merged into this node."""
        if step.frame is not None:
            self.lines[step.frame.file, step.frame.line] = None

    def sorted(self) -> "List[Node]":
        """Return the children, the largest first."""
        return sorted(self.children.values(),
                      key=lambda node: (-node.pages, node.name))


def tree_of(parts: Iterable[Part], paths: Paths, way: Way) -> Node:
    root = Node()
    for part in parts:
        steps = paths.of(part)
        root.add(part)
        node = root
        for step in steps if way.callers else reversed(steps):
            node = node.child(step)
            node.add(part)
    return root


@dataclass
class Row:
    """A line of a tree: a chain of nodes, or several folded ones."""
    depth: int
    pages: int
    written: int
    names: List[str]


def chain_from(node: Node) -> List[Node]:
    """Return a node with its descendants that have the same pages."""
    chain = [node]
    while len(chain[-1].children) == 1:
        below = next(iter(chain[-1].children.values()))
        if below.pages != node.pages:
            break
        chain.append(below)
    return chain


def names_of(chain: Sequence[Node]) -> List[str]:
    """Name the frames of a chain.  Code that is not the program's own has its
    ends only, and so has a very long chain.
    """
    own = [not node.frame or is_own(node.frame.function, node.frame.file,
                                    node.frame.object) for node in chain]
    ends = (0, len(chain) - 1)
    names: List[str] = []
    for is_told, some in groupby(range(len(chain)), lambda k: (
            k in ends or any(own[max(k - 1, 0):k + 2]))):
        told = [chain[k].name for k in some]
        names += told if is_told or len(told) == 1 else [GAP]
    if len(names) > MOST_NAMES:
        names[MOST_NAMES // 2:-MOST_NAMES // 2] = [GAP]
    return names


def rest_of(node: Node, shown: Sequence[Node], name: str,
            depth: int) -> List[Row]:
    """Make a row of the pages that the shown children lack, if any."""
    pages = node.pages - sum(child.pages for child in shown)
    written = node.written - sum(child.written for child in shown)
    return [Row(depth, pages, written, [name])] if pages else []


def rows_of(root: Node, least: int, way: Way) -> List[Row]:
    """Make rows, depth first.  Siblings of less than `least` pages are one
    row.
    """
    rows: List[Row] = []
    left: List[Union[Row, Tuple[int, Node]]] = [(0, root)]
    while left:
        item = left.pop()
        if isinstance(item, Row):
            rows.append(item)
            continue
        depth, node = item
        chain = [node] if node is root else chain_from(node)
        rows.append(Row(depth, node.pages, node.written,
                        names_of(chain)))
        node = chain[-1]
        children = node.sorted()
        large = [child for child in children if child.pages >= least]
        inner = Node(None, sum(child.pages for child in children),
                     sum(child.written for child in children))
        below: List[Union[Row, Tuple[int, Node]]] = [
            (depth + 1, child) for child in large]
        small = count(len(children) - len(large))
        below += rest_of(inner, large, f"{small} more", depth + 1)
        if children:
            below += rest_of(node, children, way.rest, depth + 1)
        left += reversed(below)
    return rows


def hundredths(pages: int, percent: int) -> int:
    """Return a percentage, rounded up."""
    return -(-pages * percent // 100)


def share(pages: int, whole: int) -> str:
    """Write a share in percent."""
    return f"{100 * pages / max(whole, 1):.1f}"


def tree_text(rows: Sequence[Row], page: int, width: int, written: bool,
              way: Way) -> List[str]:
    """Make a table, with chains in its last column."""
    whole = rows[0].pages
    numbers = [[count(row.pages), share(row.pages, whole),
                size(row.pages, page)]
               + [count(row.written)] * written for row in rows]
    names = [noun(page), "%", "size"] + ["written"] * written
    room = width - sum(2 + max(map(len, column))
                       for column in zip(names, *numbers))
    cells: List[List[str]] = []
    for row, some in zip(rows, numbers):
        indent = " " * min(2 * row.depth, width // 3)
        for line in on_lines(row.names, way.arrow, room - len(indent)):
            cells.append([*some, indent + line])
            some = [""] * len(some)
    return table([*names, ""], cells, width)


def on_lines(names: Sequence[str], arrow: str, room: int) -> List[str]:
    """Lay out the names on as many lines as they need."""
    lines = [names[0]]
    for name in names[1:]:
        more = f" {arrow} {name}"
        if len(lines[-1]) + len(more) <= room:
            lines[-1] += more
        else:
            lines.append(f" {more}")
    return lines


# --- The view ----------------------------------------------------------------

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
