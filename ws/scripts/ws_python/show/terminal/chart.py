# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws a curve of characters."""

from typing import List, Sequence, Tuple

HEIGHT = 7                  # unless there is little room


def columns_of(times: Sequence[int], values: Sequence[int],
               columns: int, begin: int) -> List[Tuple[int, int]]:
    """Return the lowest and the highest value in each column's time.

    A row's value stands for the time since the row before.
    """
    span = times[-1] - begin
    found: List[List[int]] = [[] for _ in range(columns)]
    before = 0
    for time, value in zip((time - begin for time in times), values):
        # Spans of time are half-open, like windows: one that ends with a
        # column is in it.
        last = max(-(-time * columns // span) - 1, 0)
        first = min(before * columns // span, last)
        if time:
            for column in range(first, last + 1):
                some = found[column]
                found[column] = [min([value, *some]), max([value, *some])]
        before = time
    return [(some[0], some[1]) for some in found]


def chart(times: Sequence[int], values: Sequence[int], width: int, unit: str,
          marks: Sequence[Tuple[int, str]] = (),
          height: int = HEIGHT, begin: int = 0) -> List[str]:
    """Draw lines of this width; marks are times with names below them, of
    which the first ones have room.  The axis of time begins at `begin`.
    """
    top = max(values, default=0)
    if not times or times[-1] <= begin or not top:
        return ["(nothing to draw)"]
    label = f"{top:,}"
    margin = len(label) + 1
    columns = max(width - margin - 1, 10)
    spans = columns_of(times, values, columns, begin)
    lines = []
    for level in range(height, 0, -1):
        # A value reaches a level if it exceeds the level below.
        floor = top * (level - 1)
        bars = "".join("#" if low * height > floor else
                       ":" if high * height > floor else " "
                       for low, high in spans)
        axis = f"{label}^" if level == height else "|".rjust(margin)
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
