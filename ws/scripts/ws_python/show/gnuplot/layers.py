# SPDX-License-Identifier: GPL-2.0-or-later
"""Layers of a view as a picture: stacked areas over time, or bars."""

from typing import List, Sequence

from ws_python.base.text import cut, printable
from ws_python.base.units import PAGES, TEXT, count, noun
from ws_python.base.view import Axis, Layers, View
from ws_python.show.gnuplot.axes import (COLOURS, GREY, MOST_X, below, quote,
                                         scale, size_axes)

MOST_DRAWN = 1000           # that one can tell apart
LONGEST_ENTRY, LONGEST_LINE = 42, 80
MUCH = 1.05                 # of the highest sum is shown
SMALL_LETTER, SWATCH, TICS = 0.008, 0.024, 0.075   # widths, of the picture's
LEAST_KEY = 16              # characters: its title
# At the right, where gnuplot would take twice the room that it needs.  The
# names of bars begin far to the left of these.
KEY = ("set lmargin at screen {left}", "set rmargin at screen {end:.3f}",
       "set key at screen {key:.3f},graph 1 left top vertical reverse Left "
       "noenhanced samplen 1 spacing 1.2 font ',{font:.1f}'")


def layers_script(part: Layers, view: View, name: str,
                  font: float) -> List[str]:
    """Return all but the terminal and the title."""
    is_bars = part.x.unit == TEXT
    shown = part if is_bars else part.fewer(MOST_DRAWN)
    bounds: List[List[int]] = []
    below_it = [0] * len(shown.xs)
    for values in shown.values:
        below_it = [low + high for low, high in zip(below_it, values)]
        bounds.append(below_it)
    top = MUCH * (max((max(bound) for bound in bounds), default=0) or 1)
    style = ("boxes fillstyle solid" if is_bars
             else "filledcurves y=0 fillstyle solid noborder")
    data, plots = [], []
    # The upper ones first, as in the key: what is below is drawn over them.
    for number in reversed(range(len(shown.names))):
        rest = shown.has_rest and number + 1 == len(shown.names)
        colour = GREY if rest else COLOURS[number]
        block = f"${name}{number}"
        data += [f"{block} << END", *drawn_steps(shown, bounds[number]), "END"]
        plots.append(f"{block} with {style} linecolor '{colour}' title "
                     + quote(entry_of(part, number)))
    # Axes of all parts are below each other.
    begin = 1 - SWATCH - SMALL_LETTER * max([LEAST_KEY, *(
        len(entry_of(one, number)) for one in view.of(Layers)
        for number in range(len(one.names)))])
    key = [line.format(left=0.13 if is_bars else 0.085, font=0.86 * font,
                       end=begin - TICS, key=begin) for line in KEY]
    return [*key, *axes(part, view, top), *data, "plot "
            + ", ".join(plots or ["NaN notitle"])]


def drawn_steps(part: Layers, values: Sequence[int]) -> List[str]:
    """Return the points of steps: a sample is of the time before it."""
    if part.x.unit == TEXT:
        return [f"{place} {value}" for place, value in enumerate(values)]
    return [f"{x} {value}" for begin, end, value
            in zip([part.begin, *part.xs], part.xs, values)
            for x in (begin, end)]


def entry_of(part: Layers, number: int) -> str:
    size = f": {count(max(part.values[number], default=0))}"
    return cut(printable(part.names[number]), LONGEST_ENTRY - len(size)) + size


def axes(part: Layers, view: View, top: float) -> List[str]:
    lines = [f'set key title "{noun(view.page_szB)} at most" left',
             *size_axes(Axis("", PAGES), 0, top, view), "unset y2label",
             below(part.x, part.notes, LONGEST_LINE, view)]
    if part.x.unit == TEXT:
        names = ", ".join(f"{quote(printable(str(name)))} {place}"
                          for place, name in enumerate(part.xs))
        return [*lines, f"set xrange [-1:{len(part.xs)}]", "set boxwidth 0.8",
                f"set xtics nomirror scale 0 rotate by 40 right ({names})"]
    return [*lines, *scale("x", part.x, part.begin,
                           max(part.times[-1], part.begin + 1), MOST_X,
                           view.time_unit)]
