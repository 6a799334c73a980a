# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures of bars that consist of layers."""

from collections import Counter
from dataclasses import dataclass
from typing import Callable, Hashable, List, Sequence

from ws_python.show.gnuplot.curves import COLOURS, Curve
from ws_python.show.gnuplot.layered import Layered
from ws_python.show.gnuplot.media import GREY
from ws_python.show.gnuplot.picture import quote

MOST_PARTS = 7              # of a bar, without the rest


@dataclass
class Bar:
    name: str                   # above it
    below: str                  # on the axis
    place: int                  # from the left, from 1
    pages: "Counter[Hashable]"  # of each part


@dataclass
class Layer(Curve):
    """A part of all bars; or several, if there are too many."""
    numbers: Sequence[Hashable]


class StackedBars(Layered):
    """Subclasses make the bars, then layers, and then choose the medium."""
    bars: Sequence[Bar]
    right: int                  # end of the axis of places

    def make_layers(self, order: Callable[[Hashable], int],
                    name_of: Callable[[List[Hashable]], str]) -> None:
        """The largest part is at the bottom."""
        pages = sum((bar.pages for bar in self.bars), Counter())
        numbers = sorted(pages, key=lambda number: (
            -pages[number], order(number)))
        groups = [[number] for number in numbers[:MOST_PARTS]]
        if numbers[MOST_PARTS:]:
            groups.append(numbers[MOST_PARTS:])
        self.curves = self.layers = [
            Layer(name_of(group), (*COLOURS[:MOST_PARTS], GREY)[place], 0, [],
                  group) for place, group in enumerate(groups)]

    def scale(self) -> None:
        self.row = self.medium.row_height / self.medium.inner_height
        # Room for names and captions.
        self.top = (max(map(self.height, self.bars)) or 1) / (
            1 - min(2 * self.row, 0.5))

    def size_of(self, bar: Bar, layers: List[Layer]) -> int:
        """Of some layers in a bar, in units of the left axis."""
        return self.scales[0] * sum(bar.pages[number] for layer in layers
                                    for number in layer.numbers)

    def height(self, bar: Bar) -> int:
        return self.size_of(bar, self.layers)

    def draw(self) -> None:
        for number in reversed(range(len(self.layers))):
            layer = self.layers[number]
            points = []
            for bar in self.bars:
                low = self.size_of(bar, self.layers[:number])
                high = low + self.size_of(bar, [layer])
                if high > low:
                    points.append((bar.place, high))    # over those above
            self.plot(points, self.medium.fill_style(layer))

    @property
    def pitch(self) -> float:
        """From bar to bar."""
        return self.medium.inner_width / self.right

    def axis(self, name: str) -> List[str]:
        """Its name, what is below the bars, and a name above each."""
        lines = [f"set xrange [0:{self.right}]", "set boxwidth 0.8",
                 f"set xtics {self.below()}", "set grid noxtics",
                 f"set xlabel {quote(name)}"]
        for bar in self.bars:
            if len(bar.name) * self.medium.letter <= self.pitch:
                y = (self.height(bar)
                     + self.medium.lift / self.medium.inner_height * self.top)
                lines.append(f"set label {quote(bar.name)} at {bar.place},{y} "
                             f"center front {self.medium.small_style()}")
        return lines

    def below(self) -> str:
        """Slanting if the texts would overlap otherwise, or only as many as
        there is room for.
        """
        slant = self.medium.slant if max(
            len(bar.below) for bar in self.bars
            ) * self.medium.letter > self.pitch else ""
        end, labels = 0.0, []
        for bar in self.bars:
            text = bar.below
            half = (len(text) + 1) * self.medium.letter / self.pitch / 2
            if bar.place - half < end and not slant:
                text = ""
            else:
                end = bar.place + half
            labels.append(f"{quote(text)} {bar.place}")
        return (f"nomirror scale 0 {slant} ({', '.join(labels)}) "
                + self.medium.small_style())

    def largest(self, curve: Curve) -> int:
        assert isinstance(curve, Layer)
        return max(self.size_of(bar, [curve]) for bar in self.bars)
