# SPDX-License-Identifier: GPL-2.0-or-later
"""Lines of a view as a picture.  Their names and all that is said about them
are in gnuplot's key, above the axes.
"""

from dataclasses import replace
from itertools import islice
from typing import List, NamedTuple, Sequence, Tuple

from ws_python.base.text import VIA, printable, shorten
from ws_python.base.units import BYTES, PAGES, SHARE, byte_size
from ws_python.base.view import Line, Remark, Series, SizeMark, Tag, View
from ws_python.show.gnuplot.axes import (GREY, GRID, LETTER, MOST_X, PALE,
                                         Picture, below, check_size, marks,
                                         place_labels, quote, scale, shade,
                                         size_axes)

MOST_BARS = 4
MOST_THICK = 4              # lines; more of them would hide each other
FEW_POINTS = 60                    # points, which are shown
LEFT, RIGHT, ROW = 112, 130, 24     # pixels of 1280: margins, a line of text
SMALL = 0.8                 # the font of a key of several columns
SIGN, BEFORE = 50, 4.7      # the sign of a line: pixels, and gnuplot's characters
# By the form: pixels that gnuplot takes for the width of a character, and what
# makes a line as high as ROW.
CHARACTER, SPACING = {"svg": 12.6}, {"svg": 0.89}
NOTES, MOST_NOTES = 105, 4  # characters in a line, and lines
LEAST_PIXELS = 100                 # pixels between the axes
MOST_PEAKS = 10             # in a picture
PADDING = 9                 # of a box
BOX_HEIGHT, LIFT = 21, 17       # of a box, and from a point to its middle
Points = List[Tuple[float, ...]]


class Legend(NamedTuple):
    """The text above the axes, with entries for lines and remarks."""
    columns: int
    rows: int
    size: float             # of its font: 1, or less
    height: float           # with the title

    def letters(self) -> int:
        """Count those of an entry that fit."""
        return int((1280 / self.columns - SIGN) / LETTER / self.size)

    def options(self, longest: int, wide: float) -> str:
        """Set gnuplot's.  Its `horizontal` trusts it with the number of columns,
        and its `vertical` with that of the rows.
        """
        if self.columns == 1:
            return "horizontal maxcols 1"
        width = 1255 / self.columns / wide - BEFORE - longest
        return f"vertical maxrows {self.rows} width {width:.1f}"


def legend_of(part: Series, remarks: int, most: float) -> Legend:
    """Lay the key out on at most so many pixels, if it can be."""
    entries = remarks + sum(bool(line.name) for line in part.lines)
    for columns, size in (1, 1), (2, SMALL), (3, SMALL):
        rows = -(-entries // columns)
        legend = Legend(columns, rows, size, ROW * (2 + size * rows))
        if legend.height <= most:
            break
    return legend


def usual_height(part: Series) -> int:
    """Return pixels of which the key has at most a quarter."""
    high = int(legend_of(part, len(part.remarks), 200).height)
    return max(600 + high, 4 * high)


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
                and abs(self.y - other.y) < BOX_HEIGHT)


class Lines:
    """A series in an image that is 1280 pixels wide, and is then enlarged.
    Its panel begins at `low` and has a `share` of the image's height; verdicts
    stand under it if there is room.
    """

    def __init__(self, part: Series, view: View, picture: Picture,
                 size: Tuple[int, int], font: float,
                 panel: Tuple[float, float], verdicts: Sequence[str]):
        self.view, self.refs, self.size = view, picture.refs, size
        self.low, self.share = panel
        self.verdicts = verdicts
        self.height = self.share * 1280 * size[1] / size[0]
        self.font, self.form, self.longest = font, picture.form, 0
        self.factor = 100 if part.y.unit == SHARE else 1
        right = RIGHT if part.y.unit == PAGES else 40
        self.width = 1280 - LEFT - right
        self.left, self.end = LEFT / 1280, 1 - right / 1280
        self.part = replace(part, lines=[
            replace(line, values=[]) if line.is_hidden else line
            for line in part.lines], xs=[
                [] if line.is_hidden else xs
                for line, xs in zip(part.lines, part.xs)])
        self.data: List[str] = []
        self.plots: List[str] = []
        self.set_size()
        self.signs = place_labels(
            part.marks, lambda time: self.place(Tag(time, 0, ""))[0],
            self.width)
        self.boxes = self.place_tags()

    def set_size(self) -> None:
        """Choose the margins, and the ranges of the axes."""
        part = self.part
        notes = min(len(", ".join(part.notes)) // NOTES + 2, MOST_NOTES)
        self.below = ROW * (2.6 + notes) / self.height
        keys = [legend_of(part, number, self.height / 4)
                for number in range(len(part.remarks) + 1)]
        room = (1 - self.below) * self.height - LEAST_PIXELS
        check_size(self.size, (keys[0].height + LEAST_PIXELS
                               + self.below * self.height) / self.share)
        if ROW * len(self.verdicts) > room - keys[0].height:
            self.verdicts = []
        room = min(room - ROW * len(self.verdicts), self.height / 4)
        self.below += ROW * len(self.verdicts) / self.height
        number = max(number for number, key in enumerate(keys)
                     if not number or key.height <= room)
        self.remarks, self.key = part.remarks[:number], keys[number]
        self.above = self.key.height / self.height
        self.inner = self.height * (1 - self.above - self.below)
        self.bars = part.lengths[:MOST_BARS]
        row = min(30 / self.inner, 0.12)
        self.head = row * (len(self.bars) + bool(part.marks)
                           + bool(part.remarks))
        xs = [x for xs in part.xs for x in (*xs[:1], *xs[-1:])]
        self.low_x, self.high_x = min(xs, default=0), max(xs, default=1)
        if part.x.is_log:
            self.low_x, self.high_x = self.low_x / 1.05, self.high_x * 1.05
        elif self.low_x == self.high_x:
            self.high_x += max((length for length, _ in self.bars), default=1)
        ys = [self.factor * value for line in part.lines for values in
              (line.values, line.high, line.low) for value in values]
        top = max(ys, default=0) or 1
        if part.y.unit == SHARE:
            top = 100
        if part.y.is_log:
            self.bottom = min(filter(None, ys), default=top) / 1.5
            self.top = max(top * 1.5, 10 * self.bottom)
        else:
            self.top = top * 1.02 / (1 - self.head)
            self.bottom = -self.top / 100   # a line of 0 is to be seen

    def place(self, tag: Tag) -> Tuple[float, float]:
        """Return pixels from the lower left corner."""
        return ((tag.x - self.low_x) / (self.high_x - self.low_x) * self.width,
                (self.factor * tag.y - self.bottom) / (
                    self.top - self.bottom) * self.inner)

    def place_tags(self) -> List[Box]:
        """Place the tags that the key explains, the highest first: at their
        points, or beside or above where there is room.
        """
        every = sorted(((tag, remark.line) for remark in self.remarks
                        for tag in self.part.lines[remark.line].tags
                        if tag.name in remark.names.split(",")),
                       key=lambda sign: (-sign[0].y, sign[0].x, sign[1]))
        boxes: List[Box] = []
        for tag, line in every[:MOST_PEAKS]:
            x, y = self.place(tag)
            half = (len(tag.name) * LETTER + PADDING) / 2
            end = self.width - half
            box = Box(line, tag, min(max(x, half), end), y + LIFT, 2 * half)
            near = (box._replace(x=box.x + far * right, y=box.y + far * up)
                    for far in range(0, int(self.width), 3)
                    for right, up in ((0, 1), (1, 0), (-1, 0)))
            boxes += [*islice((place for place in near if half <= place.x <= end
                               and place.y <= [*boxes, box][0].y
                               and not any(map(place.meets, boxes))), 1)]
        return boxes

    def on_axis(self, values: Sequence[float]) -> List[float]:
        """Return places of values; a logarithmic axis has no 0."""
        return [max(self.factor * value, self.bottom) if self.part.y.is_log
                else self.factor * value for value in values]

    # --- Lines -------------------------------------------------------------

    def plot(self, points: Sequence[Tuple[object, ...]], style: str) -> None:
        name = f"$line{len(self.plots)}"
        self.data += [f"{name} << END", *(" ".join(map(str, point))
                                          for point in points), "END"]
        self.plots.append(f"{name} with {style}")

    def draw(self) -> List[str]:
        drawn = []
        for line, xs in zip(self.part.lines, self.part.xs):
            # There may be more samples than pixels.
            xs, line = line.fewer(xs, -(-len(xs) // int(self.width)))
            points: Points = [*zip(xs, self.on_axis(line.values))]
            band: Points = [*zip(xs, self.on_axis(line.low),
                                 self.on_axis(line.high))]
            area: Points = ([(x, 0, y) for x, y in points] if line.is_area
                            else [])
            filled: List[Tuple[Points, float]] = [(area, 0.25), (band, 0.4)]
            for edges, dense in filled:
                if len(edges) > 1:
                    self.plot(edges, f"filledcurves linecolor '{colour(line)}' "
                              f"fillstyle transparent solid {dense} noborder "
                              "notitle")
            drawn.append((line, points))
        crowded = sum(bool(line.name) for line, _ in drawn) > MOST_THICK
        for line, points in drawn:
            self.draw_line(line, points, 1 if not line.name else
                           1.5 if crowded else 2)
        for box in self.boxes:
            self.plot([(box.tag.x, self.factor * box.tag.y)],
                      "points pointtype 7 linecolor "
                      f"'{colour(self.part.lines[box.line])}' notitle")
        return [*self.data, "plot " + ", ".join(
            [*self.plots, *map(self.explained, self.remarks)]
            or ["NaN notitle"])]

    def draw_line(self, line: Line, points: Points, width: float) -> None:
        """Draw a line, thin and dotted where it is less certain."""
        hue = f"linecolor '{colour(line)}'"
        end = len(points) - line.limited
        for number, weak in ((line.uncertain, points[:line.uncertain + 1]),
                             (line.limited, points[max(end - 1, 0):])):
            if number and len(weak) > 1:
                self.plot(weak, f"lines linewidth 1.5 {hue} dashtype '.' "
                          "notitle")
        kind = ("points pointtype 7" if len(points) == 1 else
                "linespoints pointtype 7 pointsize 0.6"
                if len(points) < FEW_POINTS and not (line.dash or line.uncertain)
                else "lines")
        most = line.about.partition(", ")[0]
        name = self.fitting(*(f"{line.name}: {about}" for about in (
            line.about, most, most.replace("largest sample ", "")) if about),
                            line.name)
        certain: Sequence[Tuple[object, ...]] = points[
            line.uncertain:max(end, 1)]
        self.plot(certain or [(self.low_x, "NaN")],
                  f"{kind} linewidth {width} {hue} "
                  f"dashtype {line.dash + 1} "
                  + (f"title {quote(name)}" if line.name else "notitle"))

    def explained(self, remark: Remark) -> str:
        text = f"{remark.names}:  {remark.text}"
        text = self.fitting(text, text.partition(VIA)[0])
        hue = colour(self.part.lines[remark.line])
        return (f"NaN with points pointtype 5 pointsize 1.5 linecolor '{hue}' "
                f"title {quote(text)}")

    def fitting(self, *texts: str) -> str:
        """Return the first text that the key has room for, or cut the last."""
        room = self.key.letters()
        fits = next((text for text in map(printable, texts)
                     if len(text) <= room), shorten(printable(texts[-1]), room))
        self.longest = max(self.longest, len(fits))
        return fits

    # --- All else ----------------------------------------------------------

    def script(self, title: str) -> List[str]:
        drawn = self.draw()
        return [
            "set key at screen 0.01,screen "
            f"{self.low + 0.99 * self.share} left top "
            f"{self.key.options(self.longest, CHARACTER.get(self.form, 11.9))} Left "
            "reverse noenhanced samplen 2 spacing "
            f"{SPACING.get(self.form, 1.1)} font ',{self.font * self.key.size}' "
            f"title {title} left font ',{self.font * 1.4}'",
            f"set lmargin at screen {self.left}",
            f"set rmargin at screen {self.end}",
            "set tmargin at screen "
            f"{self.low + self.share * (1 - self.above)}",
            f"set bmargin at screen {self.low + self.share * self.below}",
            f"set grid linetype 1 linecolor '{GRID}'",
            *scale("x", self.part.x, self.low_x, self.high_x, MOST_X,
                   self.view.time_unit),
            *size_axes(self.part.y, self.bottom, self.top, self.view,
                       self.inner),
            *self.lengths(), *marks(
                self.signs, self.width,
                1 - (30 * len(self.bars) + 12) / self.inner, "boxed front"),
            *self.references(),
            *self.numbers(), below(self.part.x, self.notes(), NOTES,
                                   self.view, self.verdicts), *drawn]

    def notes(self) -> List[str]:
        """Return the notes of the series, and what has no place."""
        counts = [("peaks", len(self.boxes), sum(
                      remark.names.count(",") + 1
                      for remark in self.part.remarks)),
                  ("labels", sum(bool(text) for _, text, _ in self.signs),
                   sum(bool(label) for _, label in self.part.marks))]
        notes = [*(f"{shown} of {whole} {what} shown"
                   for what, shown, whole in counts if shown < whole),
                 *self.part.notes]
        for fits, what in ((True, "outside the axis"),
                           (False, "for pages of other sizes")):
            names = [mark.name for mark in self.refs if not self.shows(mark)
                     and self.is_of_these_pages(mark) == fits]
            if names:
                notes.append(f"{what}: {', '.join(names)}")
        return [shorten(printable(", ".join(notes)),
                        MOST_NOTES * NOTES * 9 // 10)]

    def lengths(self) -> List[str]:
        """Draw bars of these lengths, with their names."""
        lines = []
        for number, (length, name) in enumerate(self.bars):
            height = 1 - (30 * number + 16) / self.inner
            end = min(self.low_x + length, self.high_x)
            is_cut = end < self.low_x + length
            if is_cut:
                name += ", longer than the run"
            lines += [
                f"set arrow from {self.low_x},graph {height} to {end},"
                f"graph {height} {'nohead' if is_cut else 'heads'} size "
                "screen 0.005,90 linewidth 2 linecolor '#000000'",
                f"set label {quote(name)} "
                + (f"at graph 0.5,graph {height} center boxed front"
                   if end > (self.low_x + self.high_x) / 2 else
                   f"at {end},graph {height} left offset character 1,0 front")]
        return lines

    def at(self, size: int) -> float:
        """Return the place of a size in bytes on its axis."""
        return size / self.view.page_szB if self.part.y.unit == PAGES else size

    def is_of_these_pages(self, mark: SizeMark) -> bool:
        """Tell if what this size holds are pages like those of the lines."""
        # Several sizes of pages have an axis in bytes.
        return not mark.page_szB or (mark.page_szB == self.view.page_szB
                                    and self.part.y.unit != BYTES)

    def shows(self, mark: SizeMark) -> bool:
        low, high = ((self.low_x, self.high_x) if self.part.x.unit == BYTES
                     else (self.bottom, self.top))
        return low < self.at(mark.szB) < high and self.is_of_these_pages(mark)

    def references(self) -> List[str]:
        """Draw lines across at sizes to compare with."""
        is_x, lines = self.part.x.unit == BYTES, []
        for mark in filter(self.shows, self.refs):
            name, size = mark.name, mark.szB
            at, text = self.at(size), printable(f"{name} {byte_size(size)}")
            ends = (f"from {at},graph 0 to {at},graph 1" if is_x else
                    f"from graph 0,first {at} to graph 1,first {at}")
            place = (f"{at},graph 0.98 right rotate offset character -0.7,0"
                     if is_x else f"graph 0,first {at} left offset "
                     "character 1,0.5 front")
            lines += [f"set arrow {ends} nohead dashtype 4 linecolor '{GREY}'",
                      f"set label {quote(text)} at {place} "
                      f"textcolor '{GREY}'"]
        return lines

    def numbers(self) -> List[str]:
        """Write the names of peaks in boxes."""
        lines = ["set style textbox opaque noborder margins 0.5,0"]
        for number, box in enumerate(self.boxes, 1):
            hue = colour(self.part.lines[box.line])
            at = f"graph {box.x / self.width},graph {box.y / self.inner}"
            lines += [
                f"set object {number} rectangle center {at} size graph "
                f"{(box.width - 3) / self.width},graph "
                f"{(BOX_HEIGHT - 3) / self.inner} front fillcolor "
                f"'{hue}' fillstyle solid border linecolor '{hue}'",
                f"set label {quote(box.tag.name)} at {at} center front font "
                f"',{0.8 * self.font}' textcolor '#FFFFFF'"]
        return lines


def colour(line: Line) -> str:
    return PALE if line.hue < 0 else shade(line.hue, line.pale)
