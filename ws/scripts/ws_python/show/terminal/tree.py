# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints trees of calls: a line for each node that has enough pages, and for
nodes that have the same ones.
"""

from dataclasses import dataclass
from itertools import groupby
from typing import List, Sequence, Tuple, Union

from ws_python.base.units import count, noun, size
from ws_python.model.view import Node, Tree
from ws_python.show.terminal.layout import table

LEAST = 100                 # a node is folded if it has less than this part
GAP = "..."
MOST_NAMES = 12             # of a chain
ARROWS = (" > ", " < ")
RESTS = ("itself", "no other caller")   # names of pages that no child has


@dataclass
class Row:
    """A line of a tree: a chain of nodes, or several folded ones."""
    depth: int
    pages: int
    written: int
    names: List[str]


def row_of(depth: int, nodes: Sequence[Node], names: List[str],
           without: Sequence[Node] = ()) -> Row:
    """Make a row of the pages that some nodes have, and others do not."""
    pages, written = (sum(getattr(node, what) or 0 for node in nodes)
                      - sum(getattr(node, what) or 0 for node in without)
                      for what in ("pages", "written"))
    return Row(depth, pages, written, names)


def names_of(chain: Sequence[Node]) -> List[str]:
    """Name the nodes of a chain.  Code that is not the program's own has its
    ends only, and so has a very long chain.
    """
    ends = (0, len(chain) - 1)
    names: List[str] = []
    for is_told, some in groupby(range(len(chain)), lambda k: (
            k in ends or any(node.is_own for node
                             in chain[max(k - 1, 0):k + 2]))):
        told = [chain[k].name for k in some]
        names += told if is_told or len(told) == 1 else [GAP]
    if len(names) > MOST_NAMES:
        names[MOST_NAMES // 2:-MOST_NAMES // 2] = [GAP]
    return names


def rows_of(tree: Tree) -> List[Row]:
    """Make rows, depth first.  Small siblings are one row."""
    nodes, children = tree.nodes, tree.children()
    rows: List[Row] = []
    left: List[Union[Row, Tuple[int, int]]] = [(0, 0)]
    while left:
        item = left.pop()
        if isinstance(item, Row):
            if item.pages:
                rows.append(item)
            continue
        depth, at = item
        chain = [at]
        # All is alone.
        while at and len(children[at]) == 1 and (
                nodes[children[at][0]].pages == nodes[at].pages):
            [at] = children[at]
            chain.append(at)
        rows.append(row_of(depth, [nodes[at]],
                           names_of([nodes[k] for k in chain])))
        below = [nodes[k] for k in children[at]]
        large = [k for k in children[at]
                 if LEAST * nodes[k].pages >= nodes[0].pages]
        small = below[len(large):]
        if below:
            left.append(row_of(depth + 1, [nodes[at]], [RESTS[tree.is_up]],
                               below))
        left.append(row_of(depth + 1, small, [f"{count(len(small))} more"]))
        left += [(depth + 1, k) for k in reversed(large)]
    return rows


def tree_text(tree: Tree, page: int, width: int) -> List[str]:
    """Make a table, with chains in its last column."""
    rows, root = rows_of(tree), tree.nodes[0]
    is_known = root.written is not None
    numbers = [[count(row.pages), f"{100 * row.pages / max(root.pages, 1):.1f}",
                size(row.pages, page)] + [count(row.written)] * is_known
               for row in rows]
    names = [noun(page), "%", "size"] + ["written"] * is_known
    room = width - sum(2 + max(map(len, column))
                       for column in zip(names, *numbers))
    cells: List[List[str]] = []
    for row, some in zip(rows, numbers):
        indent = " " * min(2 * row.depth, width // 3)
        for line in on_lines(row.names, ARROWS[tree.is_up],
                             room - len(indent)):
            cells.append([*some, indent + line])
            some = [""] * len(some)
    return table([*names, ""], cells, width)


def on_lines(names: Sequence[str], arrow: str, room: int) -> List[str]:
    """Lay out the names on as many lines as they need."""
    lines = [names[0]]
    for name in names[1:]:
        if len(lines[-1]) + len(arrow + name) <= room:
            lines[-1] += arrow + name
        else:
            lines.append(f" {arrow}{name}")
    return lines
