# SPDX-License-Identifier: GPL-2.0-or-later
"""Axes, whose tics are round numbers with our prefixes, colours, texts, and
marks.
"""

import itertools
import re
from dataclasses import dataclass, replace
from math import ceil, floor, inf, log
from textwrap import wrap
from typing import Callable, List, Optional, Sequence, Tuple

from ws_python.base.text import Failure, clip, printable
from ws_python.base.units import (BYTES, MS, PAGES, SHARE, TIME, byte_size,
                                  count, noun, size_tic, tic, time_text)
from ws_python.base.view import Axis, SizeMark, View

MOST_X, MOST_Y = 10, 10     # tics
LETTER = 9.6                # width of a character
LONGEST_LABEL, DISTANCE = 24, 12    # of marks: characters, and pixels
LEAST_WIDTH = 320           # pixels, to read anything

# Okabe and Ito's palette, which colour-blind people can tell apart, without
# its yellow, which nobody can see on white; the last three are as far from
# these as any.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9",
           "#000000", "#0000FF", "#662200", "#7766FF")
GREY, PALE, GRID = "#666666", "#AAAAAA", "#E4E4E4"


@dataclass(frozen=True)
class Picture:
    """The wanted picture."""
    form: str                   # the ending of a file
    title: Optional[str] = None     # None: the view's
    size: Optional[Tuple[int, int]] = None      # in pixels
    refs: Sequence[SizeMark] = ()

    def title_of(self, view: View) -> str:
        return view.title if self.title is None else self.title


def check_size(size: Tuple[int, int], high: float) -> None:
    """Refuse sizes that are too small; `high` is for 1280 pixels in width."""
    width, height = size
    wide = max(width, LEAST_WIDTH)
    needed = ceil(high * wide / 1280)
    if width < wide or height < needed:
        raise Failure(f"{width}x{height} pixels are too few for this picture: "
                      f"it needs {wide}x{needed}, better 1280x720")


def quote(text: str) -> str:
    """Make a gnuplot string, in which only the ends of lines are special."""
    plain_text = re.sub(r'[\\"`]', lambda c: f"\\{ord(c[0]):o}", text)
    return '"' + plain_text.replace("\n", "\\n") + '"'


def shade(colour: int, pale: float) -> str:
    """Mix a colour of the palette with white."""
    return "#" + "".join(f"{round(part + (255 - part) * pale):02X}" for part
                         in parts_of(COLOURS[colour % len(COLOURS)]))


def parts_of(colour: str) -> bytes:
    """Split a colour into red, green and blue."""
    return bytes.fromhex(colour[1:])


def literal(value: float) -> str:
    """Write a number for gnuplot, whose integers have 64 bits."""
    return str(value if value < 1 << 63 else float(value))


def scale(name: str, axis: Axis, low: float, high: float, most: int,
          time_unit: str) -> List[str]:
    """Set the range and the tics of an axis, `most` of them at most."""
    show: Callable[[float], str] = tic
    if axis.unit == BYTES:
        show = size_tic
    elif axis.unit == TIME and time_unit == MS:
        show = ms_tic
    lines = [f"set {name}range [{literal(low)}:{literal(high)}]"]
    if axis.is_log and axis.unit in (BYTES, PAGES):
        return [*lines, f"set logscale {name} 2", f"set {name}tics nomirror "
                + powers(low, high, most,
                         count if axis.unit == PAGES else show)]
    if axis.is_log:
        known = axis.unit == TIME and show is tic
        return [*lines, f"set logscale {name}", f"set {name}tics nomirror",
                f"set format {name} '{'%.0s %c' if known else '%g'}'"]
    if axis.unit == SHARE:
        return [*lines, f"set {name}tics nomirror",
                f"set format {name} '%.0f %%'"]
    return [*lines, f"set {name}tics "
            + tics(high, most, show, max(ceil(low), 0))]


def size_axes(axis: Axis, low: float, top: float, view: View,
              room: float = inf) -> List[str]:
    """Set the axis of sizes: pages at the left and bytes at the right.  Its name
    is the unit alone if there is no `room`, in pixels, for more.
    """
    page = view.page_szB
    unit = {PAGES: f"{noun(page)} of {byte_size(page)}",
            BYTES: "bytes"}.get(axis.unit, "")
    name = f"{axis.title} ({unit})" if axis.title and unit else (
        axis.title or unit)
    if len(name) * LETTER > room:
        name = unit
    lines = [*scale("y", axis, low, top, MOST_Y, view.time_unit),
             f"set ylabel {quote(name)}"]
    if axis.unit == PAGES:
        lines += [*scale("y2", replace(axis, unit=BYTES), low * page,
                         top * page, MOST_Y, view.time_unit),
                  "set y2label 'bytes'"]
    return lines


def below(axis: Axis, notes: Sequence[str], room: int, view: View,
          verdicts: Sequence[str] = ()) -> str:
    """Name the axis of x, and write the notes, and lines of verdicts."""
    # Tics in milliseconds have their unit, but for logarithmic ones.
    title = axis.title
    if axis.unit == TIME and (view.time_unit != MS or axis.is_log):
        title += f" ({view.time_unit})"
    return "set xlabel " + quote("\n".join(
        [title, *wrap(", ".join(notes), room), *verdicts]))


def ms_tic(value: float) -> str:
    return time_text(int(value), MS) if value else "0"


def tics(top: float, most: int, show: Callable[[float], str],
         low: int = 0) -> str:
    """Write round numbers up to top in gnuplot's syntax."""
    base, factors = (2, (1,)) if show is size_tic else (10, (1, 2, 5))
    step = next(factor * base ** power for power in itertools.count()
                for factor in factors
                if factor * base ** power * most >= top - low)
    if base == 2 and 5 * (top // step * step) < 4 * top:
        step = max(step // 2, 1)    # the last one is far below the top
    return "nomirror scale 0.5 (" + ", ".join(
        f"'{show(value)}' {literal(value)}"
        for value in range(-(-low // step) * step, int(top) + 1, step)) + ")"


def powers(low: float, high: float, most: int,
           show: Callable[[int], str]) -> str:
    """Write powers of two."""
    values = [2 ** k for k in range(ceil(log(max(low, 1), 2)),
                                    floor(log(max(high, 1), 2)) + 1)]
    return "(" + ", ".join(f"'{show(value)}' {value}" for value
                           in values[::len(values) // most + 1]) + ")"


# --- Marks -------------------------------------------------------------------

def marks(signs: Sequence[Tuple[float, str, float]], width: float,
          height: float, style: str) -> List[str]:
    """Draw upward lines with these labels."""
    lines = []
    for time, text, left in signs:
        lines.append(f"set arrow from {time},graph 0 to {time},graph {height} "
                     f"nohead front dashtype 2 linecolor '{GREY}'")
        if text:
            lines.append(f"set label {quote(text)} at graph {left / width},"
                         f"graph {height} left {style} textcolor '{GREY}'")
    return lines


def place_labels(marks: Sequence[Tuple[float, str]],
                 place: Callable[[float], float],
                 width: float) -> List[Tuple[float, str, float]]:
    """Choose upward lines, and labels with their begin where there is room."""
    signs: List[Tuple[float, str, float]] = []
    free, last = 0.0, -inf
    for time, label in sorted(marks):
        x = place(time)
        text = clip(printable(label), LONGEST_LABEL)
        left = min(x, width - len(text) * LETTER)
        if text and left >= free:
            free = left + (len(text) + 1) * LETTER
        else:
            text = ""
        if text or x >= last + DISTANCE:
            signs.append((time, text, left))
            last = x
    return signs
