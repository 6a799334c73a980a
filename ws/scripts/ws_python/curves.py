# SPDX-License-Identifier: GPL-2.0-or-later
"""Curves, their colours, and the tics of axes."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import count
from math import ceil, floor, log10
from typing import Callable, List, Sequence, Tuple

from ws_python.text import binary

# Okabe and Ito's palette, which colour-blind people can tell apart, without
# its yellow, which nobody can see on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9",
           "#000000")


@dataclass
class Curve:
    """One line of the picture, in units of the left axis."""
    label: str
    colour: str
    dash: int                   # 0: none
    points: List[Tuple[int, float]]


@dataclass
class Point:
    """One of a curve that has a box above it, in units of the axes."""
    curve: int                  # the number of its curve
    time: int
    value: int


def shade(colour: int, rank: int, ranks: int) -> str:
    """A colour of the palette, the paler the higher the rank."""
    code = COLOURS[colour % len(COLOURS)]
    pale = 0.8 * rank / ranks
    parts = (int(code[k:k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(c + (255 - c) * pale):02X}" for c in parts)


def reduce_points(times: Sequence[int], values: Sequence[int],
                  columns: int) -> List[Tuple[int, int]]:
    """Keep the first, last, lowest and highest sample per column of pixels.

    The line through these covers the same pixels as the line through all.
    """
    if len(times) <= 4 * columns:
        return list(zip(times, values))
    first, span = times[0], times[-1] - times[0]
    keep: List[int] = []
    start = 0
    for column in range(1, columns + 1):
        end = bisect_right(times, first + span * column // columns, start)
        part = values[start:end]
        if part:
            keep += sorted({start, start + part.index(min(part)),
                            start + part.index(max(part)), end - 1})
        start = end
    return [(times[i], values[i]) for i in keep]


def literal(value: float) -> str:
    """For gnuplot, whose integers have 64 bits."""
    return str(value if value < 1 << 63 else float(value))


def tics(top: float, most: int, show: Callable[[float], str]) -> str:
    """Round numbers from 0 to top in gnuplot's syntax."""
    base, factors = (2, (1,)) if show is binary else (10, (1, 2, 5))
    step = next(factor * base ** power for power in count()
                for factor in factors if factor * base ** power * most >= top)
    return "nomirror scale 0.5 (" + ", ".join(
        f"'{show(value)}' {literal(value)}"
        for value in range(0, int(top) + 1, step)) + ")"


def log_tics(low: float, high: float, most: int,
             show: Callable[[float], str]) -> str:
    """The same for a logarithmic axis; what has no room for a label is a
    small tic.
    """
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    # From 1 to 2 and from 5 to 10 are 0.3 decades.
    room = log10(high / low) / most
    step = max(ceil(room), 1)
    factors = (1, 2, 5) if room <= 0.3 else (1,)
    labels = [factor * 10 ** power for power in decades if power % step == 0
              for factor in factors]
    small = [factor * 10 ** power for power in decades
             for factor in (range(1, 10) if step == 1 else (1,))]
    return "nomirror scale 0.5,0.25 (" + ", ".join(
        [f"'{show(value)}' {literal(value)}" for value in labels
         if low <= value <= high]
        + [f"'' {literal(value)} 1" for value in small
           if value not in labels and low <= value <= high]) + ")"
