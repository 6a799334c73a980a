# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds places for names at points of lines, in pixels."""

from dataclasses import dataclass, replace
from math import inf
from typing import Callable, List, Sequence, Tuple

from ws_python.base.text import printable, shorten
from ws_python.model.view import Line, Tag
from ws_python.show.gnuplot.axes import LETTER

MOST_PEAKS = 10             # in a picture
PADDING = 9                 # of a box
HEIGHT, LIFT = 21, 17       # of a box, and from a point to its middle
LONGEST_LABEL, DISTANCE = 24, 12    # of marks: characters, and pixels


@dataclass
class Box:
    """The names of tags of a line, at the first of them."""
    line: int
    tags: List[Tag]
    x: float
    y: float

    @property
    def text(self) -> str:
        return ",".join(sorted((tag.name for tag in self.tags),
                               key=lambda name: (len(name), name)))

    @property
    def width(self) -> float:
        return len(self.text) * LETTER + PADDING

    def meets(self, other: "Box") -> bool:
        """Tell if they overlap."""
        return (abs(self.x - other.x) < (self.width + other.width) / 2
                and abs(self.y - other.y) < HEIGHT)


def place_tags(lines: Sequence[Line],
               place: Callable[[Tag], Tuple[float, float]],
               width: float, height: float) -> List[Box]:
    """Place as many as there is room for, the highest first."""
    every = sorted(((tag, number) for number, line in enumerate(lines)
                    for tag in line.tags), key=lambda some: (
                        -some[0].y, some[0].x, some[1]))
    boxes: List[Box] = []
    for tag, line in every[:MOST_PEAKS]:
        x, y = place(tag)
        boxes = with_box(Box(line, [tag], x, y + LIFT), boxes, width, height)
    return boxes


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


def with_box(box: Box, boxes: List[Box], width: float,
             height: float) -> List[Box]:
    """Add a box: if need be above those of other lines, or its name to a box
    of its line.
    """
    box.x = min(max(box.x, box.width / 2), width - box.width / 2)
    rivals = [other for other in boxes if box.meets(other)]
    own = [other for other in rivals if other.line == box.line]
    if own:
        both = replace(own[0], tags=[*own[0].tags, *box.tags])
        found = with_box(both, [other for other in boxes
                                if other is not own[0]], width, height)
        placed, before = (sum(len(one.tags) for one in some)
                          for some in (found, boxes))
        return found if placed > before else boxes
    while rivals:
        # A bit more, for rounding must not make them rivals again.
        box.y = max(rival.y for rival in rivals) + HEIGHT + 0.01
        if box.y > height - HEIGHT / 2:
            return boxes
        rivals = [other for other in boxes if box.meets(other)]
    return [*boxes, box]
