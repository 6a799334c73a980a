# SPDX-License-Identifier: GPL-2.0-or-later
"""A view as a picture: its layers, or its first series.  Key and titles are
gnuplot's.
"""

import argparse
from typing import List, Sequence, Tuple

from ws_python.base.failure import Failure
from ws_python.base.text import printable
from ws_python.base.units import BYTES, SHARE, byte_size
from ws_python.model.view import Axis, Line, Series, View
from ws_python.show.gnuplot.curves import COLOURS
from ws_python.show.gnuplot.layers import layers_script
from ws_python.show.gnuplot.media import FORMS, GREY
from ws_python.show.gnuplot.picture import quote

ABOVE = 1.5                 # of the largest value on a logarithmic axis


def script_of(view: View, options: argparse.Namespace) -> str:
    """Its layers, one above the other, or its first series."""
    layers, series = view.layers(), view.series()
    title = options.title if options.title is not None else view.title
    title = quote(printable(title)) + " noenhanced"
    head = ["set encoding utf8", *terminal_of(options, max(len(layers), 1)),
            "set key outside top center horizontal reverse Left noenhanced",
            f"set border {11 if layers else 3} linecolor '{GREY}'"]
    if series:
        return "\n".join([*head, f"set title {title}",
                          *series_script(series, options)]) + "\n"
    if not layers:
        raise Failure(f"{printable(view.title)}: there is nothing to draw")
    panels = [line for number, part in enumerate(layers) for line in (
        f"set title {quote(printable(part.title))} noenhanced",
        *layers_script(part, view, options, f"panel{number}_"))]
    return "\n".join([
        *head, f"set multiplot layout {len(layers)},1 title {title}", *panels,
        "unset multiplot"]) + "\n"


def series_script(series: Series, options: argparse.Namespace) -> List[str]:
    lowest = min((value for line in series.lines for value in line.values
                  if value), default=1) / ABOVE
    data: List[str] = []
    plots: List[str] = []

    def plot(rows: Sequence[Tuple[float, ...]], style: str) -> None:
        name = f"$data{len(plots)}"
        data.extend([f"{name} << END", *(" ".join(map(str, row))
                                         for row in rows), "END"])
        plots.append(f"{name} with {style}")

    def on_axis(values: Sequence[float]) -> List[float]:
        """A logarithmic one has no 0."""
        factor = 100 if series.y.unit == SHARE else 1
        return [max(value, lowest) if series.y.is_log else factor * value
                for value in values]

    bounded = [(number, xs, line) for number, (xs, line)
               in enumerate(zip(series.xs, series.lines)) if line.low]
    for number, xs, line in bounded:
        plot([*zip(xs, on_axis(line.low), on_axis(line.high))],
             f"filledcurves linecolor '{COLOURS[number]}' "
             "fillstyle transparent solid 0.25 noborder notitle")
    for number, (xs, line) in enumerate(zip(series.xs, series.lines)):
        draw_line(plot, [*zip(xs, on_axis(line.values))], line,
                  COLOURS[number])
    return ["set autoscale xfix", "set grid linetype 1 linecolor '#E4E4E4'",
            *lines_at(series, options.refs),
            *axis("x", series.x, series.notes), *axis("y", series.y), *data,
            "plot " + ", ".join(plots)]


def draw_line(plot, points: List[Tuple[float, ...]], line: Line,
              colour: str) -> None:
    """Dotted where it is less certain."""
    weak = points[:line.uncertain + 1] if line.uncertain else []
    if len(weak) > 1:
        plot(weak, f"lines linewidth 2 linecolor '{colour}' dashtype '.' "
             "notitle")
    kind = "lines" if len(points) > 1 else "points pointtype 7"
    plot(points[max(len(weak) - 1, 0):] or points,
         f"{kind} linewidth 2 linecolor '{colour}' "
         f"title {quote(printable(line.name))}")


def terminal_of(options: argparse.Namespace, panels: int) -> List[str]:
    width, height = options.size or (1280, 360 + 360 * panels)
    driver, font, line, _ = FORMS[options.form]
    inch = 96 if options.form == "pdf" else 1
    return [f"set terminal {driver} size {width / inch},{height / inch} font "
            f"'sans-serif,{font * width / 1280}' linewidth "
            f"{line * width / 1280}"]


def axis(name: str, one: Axis, notes: Sequence[str] = ()) -> List[str]:
    lines = [f"set {name}label "
             + quote("\n".join([one.title, *[", ".join(notes)] * bool(notes)]))]
    if one.unit == BYTES:
        lines.append(f"set format {name} '%.0b %BB'")
    elif one.unit == SHARE:
        lines += [f"set format {name} '%.0f %%'", f"set {name}range [0:102]"]
    if one.is_log:
        lines.append(f"set logscale {name} {2 if one.unit == BYTES else 10}")
    return lines


def lines_at(series: Series, refs: Sequence[Tuple[str, int]]) -> List[str]:
    """Lines across, with their names, which are drawn upwards."""
    if series.x.unit != BYTES:
        return []
    low, high = (some(some(xs) for xs in series.xs) for some in (min, max))
    outside = [name for name, size in refs if not low < size < high]
    series.notes += ["outside the axis: " + " ".join(outside)] * bool(outside)
    return [line for name, size in refs if name not in outside for line in (
        f"set arrow from {size},graph 0 to {size},graph 1 nohead dashtype 4 "
        f"linecolor '{GREY}'",
        f"set label {quote(f'{printable(name)} {byte_size(size)}')} at {size},"
        f"graph 0.98 right rotate offset character -0.7,0 textcolor '{GREY}' "
        "noenhanced")]
