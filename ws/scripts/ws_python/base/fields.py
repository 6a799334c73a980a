# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers, and rows of tables whose last column is a text."""

import re
from typing import Callable, Dict, Iterator, List, Optional, TypeVar

Value = TypeVar("Value")


class BadRow(Exception):
    """A row that makes no sense."""


def natural(text: str) -> int:
    """Read a number of digits alone, of 64 bits; int() would accept more."""
    if not (text.isdecimal() and text.isascii()) or len(text) > 20 or (
            int(text) >= 1 << 64):
        raise ValueError
    return int(text)


def address(text: str) -> int:
    if not re.fullmatch("0x[0-9a-f]{1,16}", text):
        raise ValueError
    return int(text, 16)


def fraction(text: str) -> float:
    """Read a number that may have digits behind a point."""
    if not re.fullmatch(r"[0-9]{1,20}(\.[0-9]{1,20})?", text):
        raise ValueError
    return float(text)


def optional(read: Callable[[str], Value], text: str) -> Optional[Value]:
    """Read a value, or None for "-"."""
    return None if text == "-" else read(text)


def read_rows(lines: Iterator[str], last: str,
              store: Callable[[Dict[str, str]], None],
              padded: int = 0) -> None:
    """Store the cells of each row up to "--", by the names in the first line.

    The last column must be called `last`, or there are numbers only if that is
    "".  It begins one blank behind the column before, which is padded to
    `padded` characters, and reaches to the end of the line.
    """
    names: List[str] = []
    for line in lines:
        if line == "--":
            return
        if not names:
            names = line.split()
            continue
        words = line.split(None, max(len(names) - 2, 0) if last else -1)
        try:
            if last and names[-1] != last or len(words) != len(names) - bool(
                    last):
                raise ValueError
            if last:    # words end with the column before, and that
                rest = words[-1]
                words[-1] = rest.partition(" ")[0]
                words.append(rest[max(len(words[-1]), padded) + 1:])
            store(dict(zip(names, words)))
        except (IndexError, KeyError, ValueError):
            raise BadRow(line) from None
