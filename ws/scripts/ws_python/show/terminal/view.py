# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints a view as text: tables, trees, layers, and curves over time.  Other
curves have tables, too.
"""

from dataclasses import dataclass
from itertools import groupby, takewhile
from textwrap import wrap
from typing import List, Optional, Sequence, Tuple, Union

from ws_python.base.text import cut, printable
from ws_python.base.units import (MS, SET, SHARE, TEXT, TIME, count, in_unit,
                                  noun, short_time, size)
from ws_python.base.view import (SHARED_BY, Column, Layers, Node, Series, Table,
                                 Tree, View)

MOST_TIME_COLUMNS = 6              # columns of a table over time
HEIGHT = 7                  # of a curve
LEAST_SHARE = 100           # a node is folded if it has less than this part
GAP = "..."
MOST_NAMES = 12             # of a chain
ARROWS = (" > ", " < ")
RESTS = ("itself", "no other caller")   # names of pages that no child has


def view_as_text(view: View, width: int) -> List[str]:
    lines = [*filter(None, [view.title]), *view.lines,
             *paragraphs(view.sentences, width)]
    for part in view.parts:
        if isinstance(part, Table) and not part.is_long:
            lines += ["", *table_text(part, view.time_unit, width)]
        elif isinstance(part, Tree):
            lines += ["", *tree_text(part, view.page_szB, width)]
        elif isinstance(part, Layers) and part.x.unit == TIME and part.xs[1:]:
            lines += ["", *layers_text(part.fewer(MOST_TIME_COLUMNS), view,
                                       width)]
        elif isinstance(part, Series) and part.x.unit == TIME and (
                not part.x.is_log):
            lines += ["", *curves_text(part, view, width)]
    if view.notes:
        lines += ["", *paragraphs(view.notes, width)]
    if view.commands:
        lines += ["", "More: " + "\n      ".join(view.commands)]
    return lines if lines[0] else lines[1:]


def paragraphs(sentences: List[str], width: int) -> List[str]:
    return [line for sentence in sentences
            for line in wrap(sentence, width, break_long_words=False,
                             break_on_hyphens=False) or [""]]


def heading(title: str, width: int) -> List[str]:
    return [f"-- {title} ".ljust(width, "-").rstrip()]


def table(names: Sequence[str], rows: Sequence[Sequence[str]],
          width: Optional[int], left: int = 0) -> List[str]:
    """Make a table of numbers; the `left` first columns and the last are texts.
    The last one is cut at the width, unless that is None.
    """
    cells = [names, *rows]
    sizes = [max(len(row[k]) for row in cells) for k in range(len(names))]
    lines = []
    for row in cells:
        line = "  ".join(text.ljust(size) if k < left else text.rjust(size)
                         for k, (text, size)
                         in enumerate(zip(row[:-1], sizes)))
        text = printable(row[-1])
        if width is not None:
            text = cut(text, width - len(line) - 2)
        lines.append(f"{line}  {text}".rstrip())
    return lines


def table_text(part: Table, time_unit: str, width: int) -> List[str]:
    """Print a table, without empty columns if it is one of several alike."""
    columns = [cells_of(column, time_unit) for column in part.columns
               if not part.of or {*column.values} != {None}]
    if not columns or part.columns[-1].unit != TEXT:
        columns.append([""] * (1 + len(part.columns[0].values)))
    names, *rows = zip(*columns)
    left = len([*takewhile(lambda column: column.unit in (TEXT, SET),
                           part.columns[:-1])])
    lines = [*heading(part.title, width), *paragraphs(part.sentences, width)]
    if part.sentences:
        lines.append("")
    return lines + table(names, rows, None if part.is_wide else width, left)


def cells_of(column: Column, time_unit: str) -> List[str]:
    """Write a column and its name, which may be the unit of all values."""
    name = column.title or column.name
    if column.unit == TEXT:
        return [name, *map(str, column.values)]
    if column.unit == SHARE and name == "%":
        return [name, *("-" if value is None else f"{100 * value:.1f}"
                        for value in column.values)]
    return [name, *(in_unit(value, column.unit, time_unit)
                    for value in column.values)]


def curves_text(part: Series, view: View, width: int) -> List[str]:
    """Draw each line; the numbers of its peaks are below."""
    return [row for xs, line in zip(part.xs, part.lines) for row in (
        *heading(part.title or line.name, width),
        *chart([*map(int, xs)], line.values[1:], width, view.time_unit,
               sorted(((int(tag.x), tag.name) for tag in line.tags),
                      key=lambda mark: int(mark[1]))),
        *paragraphs(part.notes, width))]


def layers_text(part: Layers, view: View, width: int) -> List[str]:
    """Print the pages of each layer in these samples, if it has any."""
    rows = [*zip(part.names, part.values)]
    absent = [name for name, values in rows if not any(values)]
    rows.append(("all", [*map(sum, zip(*part.values))]))
    lines = [*heading(f"{part.title}, in {noun(view.page_szB)}: largest "
                      "since the time before", width),
             *table([*(short_time(time, None, view.time_unit)
                       for time in part.times),
                     "" if view.time_unit == MS else view.time_unit],
                    [[*map(count, values), name] for name, values in rows
                     if any(values)], width)]
    if absent:
        lines += paragraphs([f"Only at other times: {', '.join(absent)}."],
                            width)
    return lines


# --- Curves of characters -----------------------------------------------------

def heights_of(times: Sequence[int], values: Sequence[float],
               columns: int, begin: int) -> List[Tuple[float, float]]:
    """Return the lowest and the highest value in each column's time.  A value
    stands for the time since the one before.
    """
    span = times[-1] - begin
    ranges: List[List[float]] = [[] for _ in range(columns)]
    before = 0
    for time, value in zip((time - begin for time in times), values):
        # Spans of time are half-open, like windows: one that ends with a
        # column is in it.
        last = max(-(-time * columns // span) - 1, 0)
        first = min(before * columns // span, last)
        if time:
            for column in range(first, last + 1):
                ends = [value, *ranges[column]]
                ranges[column] = [min(ends), max(ends)]
        before = time
    return [(low, high) for low, high in ranges]


def chart(times: Sequence[int], values: Sequence[float], width: int, unit: str,
          marks: Sequence[Tuple[int, str]]) -> List[str]:
    """Draw lines of this width, and below them as many names of marks as have
    room.  The axis begins at the first time, which has no value.
    """
    begin, *times = times
    top = max(values, default=0)
    if not times or times[-1] <= begin or not top:
        return ["(nothing to draw)"]
    label = f"{top:,}"
    margin = len(label) + 1
    columns = max(width - margin - 1, 10)
    spans = heights_of(times, values, columns, begin)
    lines = []
    for level in range(HEIGHT, 0, -1):
        # A value reaches a level if it exceeds the level below.
        floor = top * (level - 1)
        bars = "".join("#" if low * HEIGHT > floor else
                       ":" if high * HEIGHT > floor else " "
                       for low, high in spans)
        axis = f"{label}^" if level == HEIGHT else "|".rjust(margin)
        lines.append((axis + bars).rstrip())
    lines.append("0+".rjust(margin) + "-" * columns + ">")
    below = [" "] * columns
    for time, text in marks:
        place = max(-(-(time - begin) * columns // (times[-1] - begin)) - 1, 0)
        place = min(place, columns - len(text))
        if set(below[max(place - 1, 0):place + len(text) + 1]) == {" "}:
            below[place:place + len(text)] = text
    if marks:
        lines.append((" " * margin + "".join(below)).rstrip())
    end = f"{times[-1]:,} {unit}"
    start = f"{begin:,}"
    lines.append(" " * (margin - 1) + start
                 + end.rjust(columns + 1 - len(start)))
    return lines


# --- Trees: a line for each node with enough pages, or for a chain of them ---

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


def names_of_chain(chain: Sequence[Node]) -> List[str]:
    """Name the nodes of a chain.  Of code that is not the program's own, and of
    very long chains, only the ends are named.
    """
    ends = (0, len(chain) - 1)
    names: List[str] = []
    for is_told, places in groupby(range(len(chain)), lambda k: (
            k in ends or any(node.is_own for node
                             in chain[max(k - 1, 0):k + 2]))):
        told = [chain[k].name for k in places]
        names += told if is_told or len(told) == 1 else [GAP]
    if len(names) > MOST_NAMES:
        names[MOST_NAMES // 2:-MOST_NAMES // 2] = [GAP]
    return names


def rows_of_tree(tree: Tree) -> List[Row]:
    """Make rows, depth first.  Small siblings are one row; of what threads share,
    those that are a small part of all that is shared.
    """
    nodes, children = tree.nodes, tree.children()
    shared = {k for k in children[0] if nodes[k].name.startswith(SHARED_BY)}
    of_shared = sum(nodes[k].pages for k in shared)
    rows: List[Row] = []
    left: List[Union[Row, Tuple[int, int, int]]] = [(0, 0, nodes[0].pages)]
    while left:
        item = left.pop()
        if isinstance(item, Row):
            if item.pages:
                rows.append(item)
            continue
        depth, at, whole = item
        chain = [at]
        # All is alone.
        while at and len(children[at]) == 1 and (
                nodes[children[at][0]].pages == nodes[at].pages):
            [at] = children[at]
            chain.append(at)
        rows.append(row_of(depth, [nodes[at]],
                           names_of_chain([nodes[k] for k in chain])))
        below = [nodes[k] for k in children[at]]
        wholes = {k: of_shared if k in shared else whole for k in children[at]}
        large = [k for k in children[at]
                 if LEAST_SHARE * nodes[k].pages >= wholes[k]]
        small = [nodes[k] for k in children[at] if k not in large]
        if below:
            left.append(row_of(depth + 1, [nodes[at]], [RESTS[tree.is_up]],
                               below))
        left.append(row_of(depth + 1, small, [f"{count(len(small))} more"]))
        left += [(depth + 1, k, wholes[k]) for k in reversed(large)]
    return rows


def tree_text(tree: Tree, page: int, width: int) -> List[str]:
    """Make a table, with chains in its last column."""
    rows, root = rows_of_tree(tree), tree.nodes[0]
    is_known = root.written is not None
    whole = max(root.pages, 1)
    names = [noun(page), "%", "size", "written"][:4 if is_known else 3]
    numbers = [[count(row.pages), f"{100 * row.pages / whole:.1f}",
                size(row.pages, page), count(row.written)][:len(names)]
               for row in rows]
    room = width - sum(2 + max(map(len, column))
                       for column in zip(names, *numbers))
    cells: List[List[str]] = []
    for row, texts in zip(rows, numbers):
        indent = " " * min(2 * row.depth, width // 3)
        for line in on_lines(row.names, ARROWS[tree.is_up],
                             room - len(indent)):
            cells.append([*texts, indent + line])
            texts = [""] * len(texts)
    return table([*names, ""], cells, width)


def on_lines(names: Sequence[str], arrow: str, room: int) -> List[str]:
    """Lay out the names on as many lines as they need."""
    lines = [cut(names[0], room)]
    for name in (cut(name, room - len(arrow) - 1) for name in names[1:]):
        if len(lines[-1]) + len(arrow + name) <= room:
            lines[-1] += arrow + name
        else:
            lines.append(f" {arrow}{name}")
    return lines
