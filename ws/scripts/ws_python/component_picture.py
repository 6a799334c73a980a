# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture of what the kept samples consist of, by components."""

import argparse
import os
from collections import Counter
from dataclasses import dataclass
from typing import List, Type

from ws_python.components import NO_RULE, Number, own_sums
from ws_python.compositions import Kept
from ws_python.curves import COLOURS, Curve
from ws_python.media import GREY, Medium
from ws_python.peaks import names_of
from ws_python.picture import Picture, quote
from ws_python.reports import SETS, Failure, Report
from ws_python.rules import Rules, load_rules
from ws_python.stacks import Paths, by_function
from ws_python.text import printable, shorten

MOST_PARTS = 7              # of a bar, without the rest


@dataclass
class Bar:
    """A kept sample."""
    kept: Kept
    name: str                   # above it
    place: int                  # from the left, from 1
    pages: "Counter[Number]"    # of each component


@dataclass
class Layer(Curve):
    """A part of all bars; of several components, if there are too many."""
    numbers: List[Number]


class ComponentPicture(Picture):
    """A bar for each kept sample."""
    noun = "Components of the working set"
    side_by_side = 2

    def __init__(self, reports: List[Report], options: argparse.Namespace,
                 form: Type[Medium]):
        super().__init__(reports, options)
        self.report = reports[0]
        self.rules = load_rules(options.rules)
        self.kinds = self.chosen([
            kind for kind in SETS if any(
                some.set == SETS[kind]
                for some in self.report.compositions.kept.values())])
        if not self.kinds:
            raise Failure(f"{self.report.name}: keeps no such samples: it is "
                          "older, was cut off, or has no sample")
        self.bars = self.make_bars(form.most_bars)
        self.curves = self.layers = self.make_layers()
        self.medium = form(options, 3 - -len(self.layers)
                           // self.side_by_side, 0, not self.bytes)
        self.row = self.medium.row_height / self.medium.inner_height
        # Room for names and captions.
        self.top = (max(self.height(bar) for bar in self.bars) or 1) / (
            1 - min(2 * self.row, 0.5))

    def make_bars(self, most: int) -> List[Bar]:
        """Sets side by side, each in the order of time; so many of the
        highest.
        """
        found = self.report.compositions
        paths = Paths(found, by_function)
        names = {id(some): name for name, some in names_of(self.report)}
        wanted = [SETS[kind] for kind in self.kinds]
        every = sorted((some for some in found.kept.values()
                        if some.set in wanted),
                       key=lambda some: (-some.pages, some.time))
        self.hidden = len(every[most:])
        shown = every[:most]
        bars: List[Bar] = []
        for name in wanted:
            place = bars[-1].place + 2 if bars else 1
            bars += [Bar(some, names.get(id(some), printable(some.label)),
                         place + k,
                         own_sums(some.parts, "pages", self.rules, paths))
                     for k, some in enumerate(sorted(
                         (some for some in shown if some.set == name),
                         key=lambda some: some.time))]
        self.right = bars[-1].place + 1
        return bars

    def make_layers(self) -> List[Layer]:
        """The largest component is at the bottom."""
        pages = sum((bar.pages for bar in self.bars), Counter())
        numbers = sorted(pages, key=lambda number: (
            -pages[number], -1 if number is None else number))
        groups = [[number] for number in numbers[:MOST_PARTS]]
        if numbers[MOST_PARTS:]:
            groups.append(numbers[MOST_PARTS:])
        return [Layer(component_name(self.rules, group),
                      (*COLOURS, GREY)[place], 0, [], group)
                for place, group in enumerate(groups)]

    def size_of(self, bar: Bar, layers: List[Layer]) -> int:
        """Of some layers in a bar, in units of the left axis."""
        return self.scales[0] * sum(bar.pages[number] for layer in layers
                                    for number in layer.numbers)

    def height(self, bar: Bar) -> int:
        return self.size_of(bar, self.layers)

    def draw(self) -> None:
        pixel = (self.right / self.medium.inner_width,
                 self.top / self.medium.inner_height)
        for number in reversed(range(len(self.layers))):
            layer = self.layers[number]
            points = []
            for bar in self.bars:
                low = self.size_of(bar, self.layers[:number])
                high = low + self.size_of(bar, [layer])
                if high > low:
                    points += self.medium.fill(bar.place, low, high, pixel)
            self.plot(points, self.medium.fill_style(number, layer))

    def extras(self) -> List[str]:
        """The axis of time, a name above each bar, and those of the sets."""
        pitch = self.medium.inner_width / self.right
        lines = [f"set xrange [0:{self.right}]", "set boxwidth 0.8",
                 f"set xtics {self.times(pitch)}", "set grid noxtics",
                 f"set xlabel {quote(f'time ({self.unit})')}"]
        for bar in self.bars:
            if len(bar.name) * self.medium.letter <= pitch:
                y = (self.height(bar)
                     + self.medium.lift / self.medium.inner_height * self.top)
                lines.append(f"set label {quote(bar.name)} at {bar.place},{y} "
                             f"center front {self.medium.small_style()}")
        for kind in self.kinds:
            places = [bar.place for bar in self.bars
                      if bar.kept.set == SETS[kind]]
            if places:
                half = (len(kind) + 1) * self.medium.letter / pitch / 2
                x = min(max((places[0] + places[-1]) / 2, half),
                        self.right - half)
                lines.append(f"set label {quote(kind)} at {x},"
                             f"graph {1 - 0.6 * self.row} center front")
        return lines

    def times(self, pitch: float) -> str:
        """Below the bars, as far as they do not overlap."""
        end, texts = 0.0, []
        for bar in self.bars:
            text = self.tic(bar.kept.time, 3)
            half = (len(text) + 1) * self.medium.letter / pitch / 2
            if bar.place - half < end:
                text = ""
            else:
                end = bar.place + half
            texts.append(f"'{text}' {bar.place}")
        return (f"nomirror scale 0 ({', '.join(texts)}) "
                + self.medium.small_style())

    def sample(self, number: int, curve: Curve) -> str:
        return self.medium.fill_sample(number)

    def legend(self, curve: Curve) -> str:
        """The name, and its largest size."""
        assert isinstance(curve, Layer)
        most = max(self.size_of(bar, [curve]) for bar in self.bars)
        name, text = printable(curve.label), f": at most {self.size(most)}"
        room = self.medium.room // self.side_by_side - 5 - len(text)
        if not self.bytes and len(name) + len(" pages") <= room:
            text += " pages"
        return shorten(name, room) + text

    def notes(self) -> List[str]:
        notes = [f"rules: {printable(os.path.basename(self.options.rules))}"]
        if self.hidden:
            every = len(self.bars) + self.hidden
            notes[:0] = [f"{len(self.bars)} of {every} samples shown"]
        return notes + self.about_runs()


def component_name(rules: Rules, numbers: List[Number]) -> str:
    if len(numbers) > 1:
        return f"{len(numbers)} more components"
    if numbers[0] is None:
        return NO_RULE
    one = rules.components[numbers[0]]
    above = any(other.parent is one for other in rules.components)
    return one.name + " itself" * above
