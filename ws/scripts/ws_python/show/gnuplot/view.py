# SPDX-License-Identifier: GPL-2.0-or-later
"""A view as a picture: its series, or its layers, one above the other."""

import signal
import subprocess
from textwrap import wrap
from typing import List, Tuple

from ws_python.base.text import Failure, printable, shorten
from ws_python.base.view import Layers, Series, View
from ws_python.show.gnuplot.axes import GREY, Picture, quote
from ws_python.show.gnuplot.layers import layers_script
from ws_python.show.gnuplot.series import NOTES, ROW, Lines, usual_height

# By the ending of a file: gnuplot's driver, a font size and a line width that
# look alike in all forms.
FORMS = {"png": ("pngcairo", 14, 1),
         "pdf": ("pdfcairo fontscale 1", 10.5, 2),
         "svg": ("svg dynamic background '#FFFFFF'", 18, 1)}
TITLE_ROOM = 90

def terminal_of(picture: Picture, width: int, height: int
            ) -> Tuple[List[str], float]:
    """Begin a script: its terminal, and the size of its font."""
    driver, font, line = FORMS[picture.form]
    zoom = width / 1280
    inch = 96 if picture.form == "pdf" else 1
    return ["set encoding utf8",
            f"set terminal {driver} size {width / inch},{height / inch} font "
            f"'sans-serif,{font * zoom}' linewidth {line * zoom} noenhanced"
            ], font * zoom


def script_of(view: View, picture: Picture) -> str:
    """Draw the series of a view, or else its layers."""
    layers, series = view.of(Layers), view.of(Series)
    title = picture.title_of(view)
    heights = [*map(usual_height, series)] or [
        360 + 360 * max(len(layers), 1)]
    verdicts = [text for sentence in view.sentences
                for text in wrap(printable(sentence), NOTES)]
    if series:
        heights[-1] += ROW * len(verdicts)
    width, height = picture.size or (1280, sum(heights))
    head, font = terminal_of(picture, width, height)
    border = f"set border 11 linecolor '{GREY}'"
    if series:
        panels, low = [], 1.0
        for number, (part, high) in enumerate(zip(series, heights)):
            share = high / sum(heights)
            low = max(low - share, 0)
            name = short_title(part.title if number else title)
            if number:
                panels.append("reset")
            panels += [
                border, *Lines(part, view, picture, (width, height), font,
                               (low, share), [] if number + 1 < len(series)
                               else verdicts).script(name)]
        if series[1:]:
            head.append("set multiplot")
        return "\n".join([*head, *panels]) + "\n"
    if not layers:
        raise Failure(f"{printable(view.title)}: there is nothing to draw")
    panels = [line for number, part in enumerate(layers) for line in (
        f"set title {quote(printable(part.title))} noenhanced",
        *layers_script(part, view, f"panel{number}_", font),
        "unset label")]
    # A title of gnuplot's own, here empty, stands in the middle.
    large = f"font ',{font * 1.4}'"
    return "\n".join([
        *head, border, f"set label {short_title(title)} at screen 0.01,screen "
        f"{1 - 24 / height:.4f} left noenhanced {large}",
        f"set multiplot layout {len(layers)},1 title ' ' {large}", *panels,
        "unset multiplot"]) + "\n"


def short_title(title: str) -> str:
    return quote(shorten(printable(title), TITLE_ROOM))


def run_gnuplot(script: str) -> bytes:
    """Let gnuplot draw, without the user's own settings."""
    try:
        result = subprocess.run(["gnuplot", "-d"], stdout=subprocess.PIPE,
                                input=script.encode(errors="replace"),
                                stderr=subprocess.PIPE, check=False)
    except OSError as error:
        raise Failure(f"gnuplot cannot be run: {error.strerror}; Debian has "
                      "it in the package gnuplot-nox") from None
    if result.returncode or not result.stdout:
        message = result.stderr.decode(errors="replace").strip()
        code = result.returncode
        end = (f"status {code}" if code >= 0
               else f"killed by {signal.strsignal(-code)}")
        raise Failure(f"gnuplot failed, {end}: "
                      + (printable(message[-200:]) or "it says nothing"))
    return result.stdout
