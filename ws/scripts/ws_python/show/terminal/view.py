# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints a view as text: tables, which also have the curves, and layers."""

from textwrap import wrap
from typing import List

from ws_python.base.units import TEXT, TIME, count, in_unit, moment
from ws_python.model.view import Layers, Table, View
from ws_python.show.terminal.layout import heading, table

MOST_TIMES = 6              # columns of a table over time


def view_as_text(view: View, width: int) -> List[str]:
    lines = [view.title, *paragraphs(view.sentences, width)]
    for part in view.parts:
        if isinstance(part, Table) and not part.is_long:
            lines += ["", *table_text(part, view.time_unit, width)]
        elif isinstance(part, Layers) and part.x.unit == TIME and part.xs[1:]:
            lines += ["", *layers_text(part.fewer(MOST_TIMES), view, width)]
    return lines + [""] * bool(view.notes) + paragraphs(view.notes, width)


def paragraphs(sentences: List[str], width: int) -> List[str]:
    return [line for sentence in sentences
            for line in wrap(sentence, width, break_long_words=False,
                             break_on_hyphens=False)]


def table_text(part: Table, time_unit: str, width: int) -> List[str]:
    """Print a table; the last column has texts, if any has."""
    columns = [[column.title or column.name, *(
        str(value) if column.unit == TEXT else
        in_unit(value, column.unit, time_unit)
        for value in column.values)] for column in part.columns]
    if not columns or part.columns[-1].unit != TEXT:
        columns.append([""] * (1 + len(part.columns[0].values)))
    names, *rows = zip(*columns)
    return [*heading(part.title, width), *paragraphs(part.sentences, width),
            *[""] * bool(part.sentences), *table(names, rows, width)]


def layers_text(part: Layers, view: View, width: int) -> List[str]:
    """Print the pages of each layer in these samples."""
    sums = [*map(sum, zip(*part.values))]
    return [*heading(part.title + ": the largest sample up to each time",
                     width),
            *table([*(moment(time, None, view.time_unit) for time in part.xs),
                    view.time_unit],
                   [[*map(count, values), name] for name, values in zip(
                       [*part.names, "all"], [*part.values, sums])], width)]
