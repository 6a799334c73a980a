# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds places for names at points of lines, in pixels."""

from math import inf
from typing import Callable, List, NamedTuple, Sequence, Tuple

from ws_python.base.text import printable, shorten
from ws_python.model.view import Line, Tag
from ws_python.show.gnuplot.axes import GREY, LETTER, quote

MOST_PEAKS = 10             # in a picture
PADDING = 9                 # of a box
HEIGHT, LIFT = 21, 17       # of a box, and from a point to its middle
LONGEST_LABEL, DISTANCE = 24, 12    # of marks: characters, and pixels


class Box(NamedTuple):
    """The name of a tag of a line, above it."""
    line: int
    tag: Tag
    x: float                    # of its middle
    y: float
    width: float

    def meets(self, other: "Box") -> bool:
        """Tell if they overlap."""
        return (abs(self.x - other.x) < (self.width + other.width) / 2
                and abs(self.y - other.y) < HEIGHT)


def place_tags(lines: Sequence[Line],
               place: Callable[[Tag], Tuple[float, float]],
               room: float) -> List[Box]:
    """Place as many as there is room for, the highest first."""
    every = sorted(((tag, number) for number, line in enumerate(lines)
                    for tag in line.tags), key=lambda some: (
                        -some[0].y, some[0].x, some[1]))
    boxes: List[Box] = []
    for tag, line in every[:MOST_PEAKS]:
        x, y = place(tag)
        width = len(tag.name) * LETTER + PADDING
        box = Box(line, tag, min(max(x, width / 2), room - width / 2),
                  y + LIFT, width)
        if not any(map(box.meets, boxes)):
            boxes.append(box)
    return boxes


def marks(signs: Sequence[Tuple[float, str, float]], width: float,
          height: float, style: str) -> List[str]:
    """Draw upward lines with these labels."""
    return [line for time, text, left in signs for line in (
        f"set arrow from {time},graph 0 to {time},graph {height} nohead front "
        f"dashtype 2 linecolor '{GREY}'",
        *[f"set label {quote(text)} at graph {left / width},graph {height} "
          f"left {style} textcolor '{GREY}'"] * bool(text))]


def place_labels(marks: Sequence[Tuple[float, str]],
                 place: Callable[[float], float],
                 width: float) -> List[Tuple[float, str, float]]:
    """Choose upward lines, and labels with their begin where there is room."""
    found: List[Tuple[float, str, float]] = []
    free, last = 0.0, -inf
    for time, label in sorted(marks):
        x = place(time)
        text = shorten(printable(label), LONGEST_LABEL)
        left = min(x, width - len(text) * LETTER)
        if text and left >= free:
            free = left + (len(text) + 1) * LETTER
        else:
            text = ""
        if text or x >= last + DISTANCE:
            found.append((time, text, left))
            last = x
    return found
