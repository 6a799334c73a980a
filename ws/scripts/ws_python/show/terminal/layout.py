# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables, headings and lists in the terminal."""

from typing import List, Optional, Sequence

from ws_python.base.text import cut, printable


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
