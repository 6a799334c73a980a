# SPDX-License-Identifier: GPL-2.0-or-later
"""Curves, their colours, and the tics of axes."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import count
from math import ceil, floor, log
from typing import Callable, List, Sequence, Tuple

from ws_python.base.units import size_tic

# Okabe and Ito's palette, which colour-blind people can tell apart, without
# its yellow, which nobody can see on white; the last three are as far from
# these as any.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9",
           "#000000", "#0000FF", "#662200", "#7766FF")

Points = List[Tuple[float, float]]
# A time, and the lowest and the highest value about it.
Range = Tuple[float, float, float]


@dataclass
class Curve:
    """One line of the picture, in units of the left axis."""
    label: str
    colour: str
    dash: int                   # 0: none
    points: Points


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


def reduced(times: Sequence[int], values: Sequence[int], columns: int,
            first: int = 0) -> Tuple[Points, List[Range]]:
    """A line through all points; or, of more points than columns of pixels,
    the mean and the range of those in each column, from the first row on: at
    its middle, and at both of its ends.

    A range includes the last point before, so that ranges hang together: they
    cover the same pixels as a line through all.
    """
    if len(times) <= columns or len(times) <= first:
        return list(zip(times, values)), []
    start, span = times[first], times[-1] - times[first]
    line: Points = []
    band: List[Range] = []
    for column in range(columns):
        end = bisect_right(times, start + span * (column + 1) // columns,
                           first)
        part = values[first:end]
        if part:
            joined = values[max(first - 1, 0):end] if band else part
            left, right = (start + span * k / columns
                           for k in (column, column + 1))
            line.append(((left + right) / 2, sum(part) / len(part)))
            band += [(x, min(joined), max(joined)) for x in (left, right)]
        first = end
    return line, band


def literal(value: float) -> str:
    """For gnuplot, whose integers have 64 bits."""
    return str(value if value < 1 << 63 else float(value))


def tics(top: float, most: int, show: Callable[[float], str],
         low: int = 0) -> str:
    """Round numbers up to top in gnuplot's syntax."""
    base, factors = (2, (1,)) if show is size_tic else (10, (1, 2, 5))
    step = next(factor * base ** power for power in count()
                for factor in factors
                if factor * base ** power * most >= top - low)
    if base == 2 and 5 * (top // step * step) < 4 * top:
        step = max(step // 2, 1)    # the last one is far below the top
    return "nomirror scale 0.5 (" + ", ".join(
        f"'{show(value)}' {literal(value)}"
        for value in range(-(-low // step) * step, int(top) + 1, step)) + ")"


def log_tics(low: float, high: float, most: int,
             show: Callable[[float], str]) -> str:
    """The same for a logarithmic axis; what has no room for a label is a
    small tic.
    """
    base, factors, within = ((2, (1,), (1,)) if show is size_tic else
                             (10, (1, 2, 5), range(1, 10)))
    powers = range(floor(log(low, base)), ceil(log(high, base)) + 1)
    # From 1 to 2 and from 5 to 10 are 0.3 decades.
    room = log(high / low, base) / most
    step = max(ceil(room), 1)
    factors = factors if room <= 0.3 else (1,)
    labels = [factor * base ** power for power in powers if power % step == 0
              for factor in factors]
    small = [factor * base ** power for power in powers
             for factor in (within if step == 1 else (1,))]
    return "nomirror scale 0.5,0.25 (" + ", ".join(
        [f"'{show(value)}' {literal(value)}" for value in labels
         if low <= value <= high]
        + [f"'' {literal(value)} 1" for value in small
           if value not in labels and low <= value <= high]) + ")"
