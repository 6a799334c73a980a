# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables, headings and lists in the terminal."""

import re
from typing import List, Optional, Sequence

from ws_python.base.text import printable, shorten

PLACE = re.compile(r" \([^()]*\)$")    # of a function


def heading(title: str, width: int) -> List[str]:
    return [f"-- {title} ".ljust(width, "-").rstrip()]


def table(names: Sequence[str], rows: Sequence[Sequence[str]],
          width: Optional[int], left: int = 0) -> List[str]:
    """Make a table of numbers, with texts in `left` columns on the left, and
    in the last one, where they are cut at the width, if there is one.
    """
    cells = [names, *rows]
    sizes = [max(len(row[k]) for row in cells) for k in range(len(names))]
    lines = []
    for row in cells:
        line = "  ".join(text.ljust(size) if k < left else text.rjust(size)
                         for k, (text, size)
                         in enumerate(zip(row[:-1], sizes)))
        text = printable(row[-1])
        if width is not None:
            text = cut(text, width - len(line) - 2)
        lines.append(f"{line}  {text}".rstrip())
    return lines


def cut(text: str, room: int) -> str:
    """Cut a text to the room.  Paths keep their ends, which differ; functions,
    f (x.c:40), lose their places first.
    """
    if len(text) > room:
        text = PLACE.sub("", text)
    if text.startswith("/") and len(text) > max(room, 12):
        return "..." + text[3 - max(room, 12):]
    return shorten(text, room)


def joined(names: Sequence[str], arrow: str, room: int) -> str:
    """Join names on one line; without places if there is no room."""
    lines = [f" {arrow} ".join(names), f" {arrow} ".join(
        PLACE.sub("", name) for name in names)]
    return lines[0] if len(lines[0]) <= room else shorten(lines[1], room)


def led(names: Sequence[str], room: int) -> str:
    """Name the lead, and its callee (via) if there is room."""
    line = " via ".join(names)
    return line if len(line) <= room else joined(names[:1], "", room)
