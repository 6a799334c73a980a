# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints a view as text: tables, trees, layers, and curves over time.  Other
curves have tables, too.
"""

from itertools import takewhile
from textwrap import wrap
from typing import List

from ws_python.base.units import (MS, SET, SHARE, TEXT, TIME, count, in_unit,
                                  moment, noun)
from ws_python.model.view import Column, Layers, Series, Table, Tree, View
from ws_python.show.terminal.chart import chart
from ws_python.show.terminal.layout import heading, table
from ws_python.show.terminal.tree import tree_text

MOST_TIMES = 6              # columns of a table over time


def view_as_text(view: View, width: int) -> List[str]:
    lines = [*[view.title] * bool(view.title), *view.lines,
             *paragraphs(view.sentences, width)]
    for part in view.parts:
        if isinstance(part, Table) and not part.is_long:
            lines += ["", *table_text(part, view.time_unit, width)]
        elif isinstance(part, Tree):
            lines += ["", *tree_text(part, view.page_szB, width)]
        elif isinstance(part, Layers) and part.x.unit == TIME and part.xs[1:]:
            lines += ["", *layers_text(part.fewer(MOST_TIMES), view, width)]
        elif isinstance(part, Series) and part.x.unit == TIME and (
                not part.x.is_log):
            lines += ["", *curves_text(part, view, width)]
    if view.notes:
        lines += ["", *paragraphs(view.notes, width)]
    return lines if lines[0] else lines[1:]


def paragraphs(sentences: List[str], width: int) -> List[str]:
    return [line for sentence in sentences
            for line in wrap(sentence, width, break_long_words=False,
                             break_on_hyphens=False) or [""]]


def table_text(part: Table, time_unit: str, width: int) -> List[str]:
    """Print a table; texts are in the first columns, and in the last.  One of
    several that are alike may know nothing of a column.
    """
    columns = [cells_of(column, time_unit) for column in part.columns
               if not part.of or {*column.values} != {None}]
    if not columns or part.columns[-1].unit != TEXT:
        columns.append([""] * (1 + len(part.columns[0].values)))
    names, *rows = zip(*columns)
    left = len([*takewhile(lambda column: column.unit in (TEXT, SET),
                           part.columns[:-1])])
    return [*heading(part.title, width), *paragraphs(part.sentences, width),
            *[""] * bool(part.sentences), *table(names, rows, None if part.is_wide else width,
                                          left)]


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
        *chart(xs[1:], line.values[1:], width, view.time_unit,
               sorted(((tag.x, tag.name) for tag in line.tags),
                      key=lambda mark: int(mark[1])), begin=xs[0]),
        *paragraphs(part.notes, width))]


def layers_text(part: Layers, view: View, width: int) -> List[str]:
    """Print the pages of each layer in these samples."""
    sums = [*map(sum, zip(*part.values))]
    return [*heading(f"{part.title}, in {noun(view.page_szB)}: largest "
                     "since the time before", width),
            *table([*(moment(time, None, view.time_unit) for time in part.xs),
                    view.time_unit * (view.time_unit != MS)],
                   [[*map(count, values), name] for name, values in zip(
                       [*part.names, "all"], [*part.values, sums])], width)]
