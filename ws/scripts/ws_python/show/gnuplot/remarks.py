# SPDX-License-Identifier: GPL-2.0-or-later
"""The numbers at curves over time, and the labels above them: of peaks, of
entries of the section Sample info, and of marks.
"""

from bisect import bisect_right
from dataclasses import dataclass
from math import inf
from typing import Dict, List, Optional, Sequence, Tuple, Union

from ws_python.base.text import printable, shorten
from ws_python.model.report import Entry, Mark
from ws_python.show.gnuplot.curves import Curve, Point, Points, Range
from ws_python.show.gnuplot.media import GREY, Image
from ws_python.show.gnuplot.peaks import MOST_PEAKS, Peak
from ws_python.show.gnuplot.picture import quote

WHITE = "#FFFFFF"
MOST_BARS = 4       # more of them are closer together


@dataclass
class Flag(Point):
    """A row with info."""
    number: int
    entry: Entry

    @property
    def key(self) -> Tuple[int, int]:
        """What it has in common with rows that refer to the same entry."""
        return self.curve, self.number


@dataclass
class FlaggedCurve(Curve):
    """A curve over time; the first one of a report has its marks."""
    band: List[Range]           # about its points
    peak: Optional[int]         # None: there is no row
    peaks: List[Peak]
    flags: List[Flag]
    marks: List[Mark]

    @property
    def tops(self) -> Points:
        """What a number may hide."""
        return [(time, high) for time, _, high in self.band] or self.points


@dataclass
class Box:
    """The number of a flag, or those of peaks that have no room side by side,
    above the first of them; the middle and the width in pixels.
    """
    points: Union[List[Flag], List[Peak]]
    text: str
    x: float
    y: float
    width: float

    @property
    def point(self) -> Point:
        return self.points[0]


@dataclass
class Sign:
    """A label above a line at the time of a mark; its left end in pixels."""
    mark: Mark
    colour: str
    text: str
    left: float
    lane: Optional[int]         # a row above the curves; None: only a line


def in_short(names: Sequence[str]) -> str:
    """2,3,4,5,8 is 2-5,8; not all are numbers."""
    spans: List[List[str]] = []
    for name in sorted(names, key=lambda name: (not name.isdecimal(),
                                                len(name), name)):
        if (spans and name.isdecimal()
                and int(name) == int(spans[-1][-1]) + 1):
            spans[-1].append(name)
        else:
            spans.append([name])
    return ",".join(f"{span[0]}-{span[-1]}" if span[2:] else ",".join(span)
                    for span in spans)


class Remarks:
    """Finds a place for all of them."""

    def __init__(self, medium: Image, curves: Sequence[FlaggedCurve],
                 span: Tuple[float, float], bars: int, several: bool):
        """For an axis of time, and with so many bars above the curves, if
        there is room; for curves of one report or several.
        """
        self.medium, self.curves, self.several = medium, curves, several
        self.left, self.length = span[0], span[1] - span[0]
        self.rows_in_all = medium.inner_height / medium.row_height
        self.bar_height = 1 if bars <= MOST_BARS else medium.tight   # in rows
        self.bars = min(bars, max(
            1, int(0.5 * self.rows_in_all / self.bar_height)))
        self.named = [(mark, curve.colour if several else GREY)
                      for curve in curves for mark in curve.marks]
        self.numbered = [flag for curve in curves for flag in curve.flags]
        self.all_peaks = sorted(
            (peak for curve in curves for peak in curve.peaks),
            key=lambda peak: (-peak.value, peak.time, peak.curve))
        self.peaks = self.all_peaks[:MOST_PEAKS]
        self.make_room()
        self.boxes = self.place_boxes()

    def make_room(self) -> None:
        """Place what has rows of its own above the curves: the bars of the
        taus, labels, and the numbers at the highest peaks.
        """
        runs = min(len({point.curve for point
                        in [*self.numbered, *self.peaks]}), 3)
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
        return (((time - self.left) / self.length + 0.01) / 1.01
                * self.medium.inner_width)

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

    def box_at(self, points: Union[List[Flag], List[Peak]],
               text: str) -> Box:
        """The box above the first of these points."""
        size = len(text) * self.medium.letter + self.medium.padding
        x = min(max(self.across(points[0].time), size / 2),
                self.medium.inner_width - size / 2)
        bottom = self.row * self.medium.below
        y = (points[0].value / self.top + bottom) / (1 + bottom)
        y = y * self.medium.inner_height + self.medium.lift
        return Box(points, text, x, y, size)

    def box_of_flag(self, flag: Flag) -> Box:
        return self.box_at([flag], self.tag(flag))

    def box_of_peaks(self, peaks: List[Peak]) -> Box:
        return self.box_at(peaks, self.tag_of_peaks(peaks))

    def hides(self, box: Box) -> bool:
        """Whether the box covers a higher part of its own curve."""
        points = self.curves[box.point.curve].tops
        reach = box.width / 2 / self.medium.inner_width * self.length
        start = bisect_right(points, (box.point.time - reach, inf))
        end = bisect_right(points, (box.point.time + reach, inf))
        under = self.medium.lift - self.medium.box_height / 2
        under *= self.top / self.medium.inner_height
        return any(value > box.point.value + under
                   for _, value in points[start:end])

    def place_peaks(self) -> List[Box]:
        """As many as fit, the highest first: side by side, in one box with
        its neighbour, below their points, or with all that are near.
        """
        boxes: List[Box] = []
        for peak in self.peaks:
            below = self.box_of_peaks([peak])
            below.y -= 2 * self.medium.lift
            free = (below.y > self.medium.box_height / 2
                    and not self.rivals(below, boxes, 0))
            boxes = (self.merged(peak, boxes, 1)
                     or ([*boxes, below] if free else None)
                     or self.merged(peak, boxes, len(boxes)) or boxes)
        return boxes

    def merged(self, peak: Peak, boxes: List[Box],
               most: int) -> Optional[List[Box]]:
        """With a peak, which may share a box with those of its curve in so
        many others; None: it has no room.
        """
        peaks, others = [peak], boxes
        for _ in range(most + 1):
            box = self.box_of_peaks(sorted(
                peaks, key=lambda one: (-one.value, one.time)))
            near = [other for other in self.rivals(box, others, 0)
                    if other.point.curve == peak.curve][:1]
            if not near:
                return others + [box] if self.fits(box, others, 0) else None
            peaks += [one for one in near[0].points if isinstance(one, Peak)]
            others = [other for other in others if other is not near[0]]
        return None

    def place_boxes(self) -> List[Box]:
        """Those of peaks, then as many numbers as fit, the highest first.

        Those that hide a part of the curve come last, with some distance.
        """
        best: Dict[Tuple[int, int], Flag] = {}
        for flag in self.numbered:      # the highest in a column of pixels
            column = (flag.curve, int(self.across(flag.time)))
            if flag.value > best.setdefault(column, flag).value:
                best[column] = flag
        boxes = self.place_peaks()
        for hides, box in sorted(
                ((self.hides(box), box)
                 for box in map(self.box_of_flag, best.values())),
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
            rivals = self.rivals(box, boxes, distance)
            if not rivals:
                return True
            if any(other.point.curve == box.point.curve for other in rivals):
                return False
            # A bit more, for rounding must not make them rivals again.
            box.y = max(rival.y for rival in rivals) + height + 0.01
            if box.y > ceiling:
                return False

    def rivals(self, box: Box, boxes: Sequence[Box],
               distance: float) -> List[Box]:
        """Those that a box would cover; its own curve's want a distance."""
        found = []
        for other in boxes:
            room = (distance if other.point.curve == box.point.curve else 0)
            if (abs(box.x - other.x) < (box.width + other.width) / 2 + room
                    and abs(box.y - other.y) < self.medium.box_height + room):
                found.append(other)
        return found

    def tag(self, flag: Flag) -> str:
        """What tells an entry from the others in the picture."""
        return str(flag.number)

    def tag_of_peaks(self, peaks: Sequence[Peak]) -> str:
        return in_short([peak.name for peak in peaks])

    def hidden(self) -> List[str]:
        """How much had no place."""
        labels = [sign for sign in self.signs if sign.lane is not None]
        named = [mark for mark, _ in self.named if mark.label]
        shown = [point for box in self.boxes for point in box.points]
        flags = [point for point in shown if isinstance(point, Flag)]
        return [f"{some} of {len(every)} {what} shown"
                for some, every, what in (
                    (len(shown) - len(flags), self.all_peaks, "peaks"),
                    (len(flags), self.numbered, "numbers"),
                    (len(labels), named, "labels"))
                if some < len(every)]

    def lines(self) -> List[str]:
        """Numbers at their points, labels above the curves."""
        lines = []
        for number, box in enumerate(self.boxes, 1):
            place = (f"graph {box.x / self.medium.inner_width},"
                     f"graph {box.y / self.medium.inner_height}")
            colour = self.curves[box.point.curve].colour
            inside = colour if isinstance(box.point, Peak) else WHITE
            text = WHITE if inside == colour else colour
            lines += [*self.medium.frame(number, place, box.width, colour,
                                         inside),
                      f"set label {quote(box.text)} at {place} center front "
                      f"{self.medium.small_style()} textcolor '{text}'"]
        for sign in self.signs:
            if sign.lane is not None:
                lines += [f"set label {quote(sign.text)} at "
                          f"graph {sign.left / self.medium.inner_width},"
                          f"graph {self.lane(sign.lane)} left boxed front "
                          f"{self.medium.small_style()} textcolor "
                          f"'{sign.colour}'"]
        return lines
