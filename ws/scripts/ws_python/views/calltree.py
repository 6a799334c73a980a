# SPDX-License-Identifier: GPL-2.0-or-later
"""Trees of call stacks, and the pages that they brought in."""

from dataclasses import dataclass, field
from itertools import groupby
from typing import (Callable, Dict, Iterable, List, NamedTuple, Optional,
                    Sequence, Tuple, Union)

from ws_python.base.units import count, noun, size
from ws_python.model.compositions import Frame, Part
from ws_python.model.stacks import Paths, Step, is_own, name_of
from ws_python.show.terminal.layout import joined, table


class Way(NamedTuple):
    """In which direction a tree grows."""
    callers: bool
    arrow: str
    rest: str                   # pages of a node that none below it has


DOWN = Way(False, ">", "itself")            # from main
UP = Way(True, "<", "no other caller")      # from the accesses


GAP = "..."
MOST_NAMES = 12             # of a chain


@dataclass
class Node:
    """A function, a line, or what there is instead of a stack."""
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
        """One of those that are merged here."""
        if step.frame is not None:
            self.lines[step.frame.file, step.frame.line] = None

    def sorted(self) -> "List[Node]":
        """The children, the largest one first."""
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


# Lines of a chain, for an arrow and so many characters.
Layout = Callable[[Sequence[str], str, int], List[str]]


@dataclass
class Row:
    """A line of a tree: a chain of nodes, or several that are folded."""
    depth: int
    pages: int
    written: int
    names: List[str]


def chain_from(node: Node) -> List[Node]:
    """With those that have all its pages, and no others, below it."""
    chain = [node]
    while len(chain[-1].children) == 1:
        below = next(iter(chain[-1].children.values()))
        if below.pages != node.pages:
            break
        chain.append(below)
    return chain


def names_of(chain: Sequence[Node]) -> List[str]:
    """Of code that is not the program's own, where it begins and ends; of very
    many frames, the first and last ones.
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
    """A row of what is left of a node's pages, if there are any."""
    pages = node.pages - sum(child.pages for child in shown)
    written = node.written - sum(child.written for child in shown)
    return [Row(depth, pages, written, [name])] if pages else []


def rows_of(root: Node, least: int, way: Way,
            rests: bool = True) -> List[Row]:
    """Depth first; siblings of less than so many pages are one row, or none
    if there shall be no rests.
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
        if rests:
            small = count(len(children) - len(large))
            below += rest_of(inner, large, f"{small} more", depth + 1)
        if rests and children:
            below += rest_of(node, children, way.rest, depth + 1)
        left += reversed(below)
    return rows


def short_tree(root: Node, page: int, width: int, written: bool,
               most: int) -> List[str]:
    """As many of the largest as there is room for, the root at least, on a
    line each.
    """
    for percent in range(1, 102):
        rows = rows_of(root, hundredths(root.pages, percent), DOWN, False)
        if len(rows) < most:
            break
    return tree_text(rows, page, width, written, DOWN, on_one_line)


def hundredths(pages: int, percent: int) -> int:
    """Rounded up."""
    return -(-pages * percent // 100)


def share(pages: int, whole: int) -> str:
    """In percent."""
    return f"{100 * pages / max(whole, 1):.1f}"


def tree_text(rows: Sequence[Row], page: int, width: int, written: bool,
              way: Way, lay_out: Layout) -> List[str]:
    """A table; in its last column are chains."""
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
        for line in lay_out(row.names, way.arrow, room - len(indent)):
            cells.append([*some, indent + line])
            some = [""] * len(some)
    return table([*names, ""], cells, width)


def on_one_line(names: Sequence[str], arrow: str, room: int) -> List[str]:
    """Of a long chain the ends."""
    return [joined(names if len(names) < 4 else [names[0], "...", names[-1]],
                   arrow, room)]


def on_lines(names: Sequence[str], arrow: str, room: int) -> List[str]:
    """The names on as many lines as they need."""
    lines = [names[0]]
    for name in names[1:]:
        more = f" {arrow} {name}"
        if len(lines[-1]) + len(more) <= room:
            lines[-1] += more
        else:
            lines.append(f" {more}")
    return lines
