# SPDX-License-Identifier: GPL-2.0-or-later
"""The numbers at curves over time, and the labels above them."""

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from math import inf
from typing import Dict, List, Optional, Sequence, Tuple

from ws_python.curves import Curve
from ws_python.media import GREY, Medium
from ws_python.picture import quote
from ws_python.reports import Entry, Mark
from ws_python.text import printable, shorten

MOST_BARS = 4       # more of them are closer together


@dataclass
class Flag:
    """A row with info, in units of the axes."""
    curve: int                  # the number of its curve
    time: int
    value: int
    number: int
    entry: Entry

    @property
    def key(self) -> Tuple[int, int]:
        """What it has in common with rows that refer to the same entry."""
        return self.curve, self.number


@dataclass
class FlaggedCurve(Curve):
    """A curve over time; the first one of a report has its marks."""
    peak: Optional[float]       # None: there is no row
    flags: List[Flag]
    marks: List[Mark]


@dataclass
class Box:
    """A number above its point; the middle and the width in pixels."""
    flag: Flag
    text: str
    x: float
    y: float
    width: float


@dataclass
class Sign:
    """A label above a line at the time of a mark; its left end in pixels."""
    mark: Mark
    colour: str
    text: str
    left: float
    lane: Optional[int]         # a row above the curves; None: only a line


class Remarks:
    """Finds a place for all of them."""

    def __init__(self, medium: Medium, curves: Sequence[FlaggedCurve],
                 right: float, bars: int, several: bool):
        """For an axis of time up to the right, and with so many bars above the
        curves, if there is room; for curves of one report or several.
        """
        self.medium, self.curves, self.right = medium, curves, right
        self.several = several
        self.rows_in_all = medium.inner_height / medium.row_height
        self.bar_height = 1 if bars <= MOST_BARS else medium.tight   # in rows
        self.bars = min(bars, max(
            1, int(0.5 * self.rows_in_all / self.bar_height)))
        self.named = [(mark, curve.colour if several else GREY)
                      for curve in curves for mark in curve.marks]
        self.numbered = [flag for curve in curves for flag in curve.flags]
        self.make_room()
        self.boxes = self.place_boxes()

    def make_room(self) -> None:
        """Place what has rows of its own above the curves: the bars of the
        taus, labels, and the numbers at the highest peaks.
        """
        runs = min(len({flag.curve for flag in self.numbered}), 3)
        rows = self.bars * self.bar_height + 0.3
        rows += 0.75 * runs + 0.4 if runs else 0
        self.signs = self.place_signs(
            max(1, min(3, int((0.6 * self.rows_in_all - rows) / 0.7) - 1)))
        self.lanes = max([sign.lane + 1 for sign in self.signs
                          if sign.lane is not None], default=0)
        rows += 0.7 * self.lanes
        self.row = min(1 / self.rows_in_all, 0.6 / (rows + 0.7))
        peak = max([curve.peak or 0 for curve in self.curves] + [1])
        self.top = peak / (1 - self.row * rows)

    def across(self, time: int) -> float:
        """Pixels from the left axis to a time."""
        return (time / self.right + 0.01) / 1.01 * self.medium.inner_width

    def bar(self, number: int) -> float:
        """The height of a bar."""
        return 1 - self.row * self.bar_height * (number + 0.6)

    def lane(self, number: float) -> float:
        """The height of a lane for labels."""
        return 1 - self.row * (self.bars * self.bar_height
                               + 0.7 * number + 0.45)

    def place_signs(self, most: int) -> List[Sign]:
        """As many labels as fit into a few lanes, but no text twice at almost
        the same time; an empty one is only a line.
        """
        lanes = [(0.0, "")] * most
        signs: List[Sign] = []
        for mark, colour in sorted(self.named, key=lambda pair: pair[0].time):
            text = shorten(
                printable(mark.label),
                min(24, int(self.medium.inner_width / self.medium.letter / 2)))
            size = len(text) * self.medium.letter + self.medium.padding
            x = self.across(mark.time)
            left = max(min(x, self.medium.inner_width - size), 1)
            free = [lane for lane, (end, _) in enumerate(lanes) if end <= left]
            if text and free and not any(text == other and left < end
                                         for end, other in lanes):
                lanes[free[0]] = (left + size, text)
                signs.append(Sign(mark, colour, text, left, free[0]))
            elif not signs or x >= self.medium.sign_distance + self.across(
                    signs[-1].mark.time):
                signs.append(Sign(mark, colour, text, left, None))
        return signs

    def box_at(self, flag: Flag) -> Box:
        """The box above a flag's point."""
        text = self.medium.box.format(self.tag(flag))
        size = len(text) * self.medium.letter + self.medium.padding
        x = min(max(self.across(flag.time), size / 2),
                self.medium.inner_width - size / 2)
        bottom = self.row * self.medium.below
        y = (flag.value / self.top + bottom) / (1 + bottom)
        y = y * self.medium.inner_height + self.medium.lift
        return Box(flag, text, x, y, size)

    def hides(self, box: Box) -> bool:
        """Whether the box covers a higher part of its own curve."""
        points = self.curves[box.flag.curve].points
        reach = box.width / 2 / self.medium.inner_width * self.right
        start = bisect_right(points, (box.flag.time - reach, inf))
        end = bisect_right(points, (box.flag.time + reach, inf))
        under = self.medium.lift - self.medium.box_height / 2
        under *= self.top / self.medium.inner_height
        return any(value > box.flag.value + under
                   for _, value in points[start:end])

    def place_boxes(self) -> List[Box]:
        """As many numbers as fit, the highest first.

        Those that hide a part of the curve come last, with some distance.
        """
        best: Dict[Tuple[int, int], Flag] = {}
        for flag in self.numbered:      # the highest in a column of pixels
            column = (flag.curve, int(self.across(flag.time)))
            if flag.value > best.setdefault(column, flag).value:
                best[column] = flag
        boxes: List[Box] = []
        for hides, box in sorted(
                ((self.hides(box), box)
                 for box in map(self.box_at, best.values())),
                key=lambda pair: (pair[0], -pair[1].y, pair[1].x)):
            distance = self.medium.box_height / 2 if hides else 0
            if self.fits(box, boxes, distance):
                boxes.append(box)
        return boxes

    def fits(self, box: Box, boxes: Sequence[Box], distance: float) -> bool:
        """Whether a box has room, if need be upon the boxes of other runs."""
        height = self.medium.box_height
        ceiling = (self.lane(self.lanes - 0.5) * self.medium.inner_height
                   - height / 2)
        while True:
            rivals = []
            for other in boxes:
                own = other.flag.curve == box.flag.curve
                room = distance if own else 0
                if (abs(box.x - other.x) < (box.width + other.width) / 2 + room
                        and abs(box.y - other.y) < height + room):
                    if own:
                        return False
                    rivals.append(other)
            if not rivals:
                return True
            # A bit more, for rounding must not make them rivals again.
            box.y = max(rival.y for rival in rivals) + height + 0.01
            if box.y > ceiling:
                return False

    def tag(self, flag: Flag) -> str:
        """What tells an entry from the others in the picture."""
        return self.medium.tag(flag.number,
                               flag.curve if self.several else None)

    def hidden(self) -> List[str]:
        """How much had no place."""
        labels = [sign for sign in self.signs if sign.lane is not None]
        named = [mark for mark, _ in self.named if mark.label]
        return [f"{len(shown)} of {len(flags)} {what} shown"
                for shown, flags, what in (
                    (self.boxes, self.numbered, "numbers"),
                    (labels, named, "labels"))
                if len(shown) < len(flags)]

    def legend(self, row: int) -> List[Tuple[int, int, str, str]]:
        """Lines of the heading with call stacks."""
        tags = [(f"[{self.tag(flag)}]", flag) for flag in self.explained()]
        wide = max([len(tag) + 1 for tag, _ in tags] + [4])
        texts = []
        for line, (tag, flag) in enumerate(tags, row):
            texts += [(line, 0, tag,
                       f"textcolor '{self.curves[flag.curve].colour}'"),
                      (line, wide, shorten(printable(flag.entry.legend),
                                           self.medium.code_room - wide), "")]
        return texts

    def explained(self) -> List[Flag]:
        """A flag for each entry in the legend: those with the most rows, and
        among equals those shown, the highest first.
        """
        rows = Counter(flag.key for flag in self.numbered)
        flags: Dict[Tuple[int, int], Flag] = {}
        for flag in [box.flag for box in self.boxes] + self.numbered:
            if flag.entry.legend:
                flags.setdefault(flag.key, flag)
        most = sorted(flags.values(), key=lambda flag: -rows[flag.key])
        return sorted(most[:self.medium.legends], key=lambda flag: flag.key)

    def lines(self) -> List[str]:
        """Numbers at their points, labels above the curves."""
        lines = []
        for number, box in enumerate(self.boxes, 1):
            place = (f"graph {box.x / self.medium.inner_width},"
                     f"graph {box.y / self.medium.inner_height}")
            colour = self.curves[box.flag.curve].colour
            lines += [*self.medium.frame(number, place, box.width, colour),
                      f"set label {quote(box.text)} at {place} center front "
                      f"{self.medium.small_style()} textcolor '{colour}'"]
        for sign in self.signs:
            if sign.lane is not None:
                lines += [f"set label {quote(sign.text)} at "
                          f"graph {sign.left / self.medium.inner_width},"
                          f"graph {self.lane(sign.lane)} left boxed front "
                          f"{self.medium.small_style()} textcolor "
                          f"'{sign.colour}'"]
        return lines
