# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers with prefixes, and text that fits."""

from typing import Sequence


def with_prefix(value: float, base: int, units: Sequence[str],
                digits: int) -> str:
    if not value:
        return "0"
    for unit in units:
        text = (f"{value:.{digits}g}" if value < 10 ** digits
                else f"{value:.0f}")
        if float(text) < base or unit == units[-1]:
            break
        value /= base
    return f"{text} {unit}".strip()


def decimal(value: float, digits: int = 6) -> str:
    """12500000 -> 12.5 M."""
    return with_prefix(value, 1000, ("", "k", "M", "G", "T", "P", "E"), digits)


def binary(value: float, digits: int = 6) -> str:
    """1536 -> 1.5 KiB; 1023 KiB need 4 digits."""
    return with_prefix(value, 1024,
                       ("B", "KiB", "MiB", "GiB", "TiB", "PiB"), digits)


def plain(value: float, digits: int = 6) -> str:
    """1500, 12.3: all digits before the point, and some behind it."""
    if isinstance(value, int):
        return str(value)
    whole = len(str(int(value))) if value >= 1 else 0
    text = f"{value:.{max(digits - whole, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def printable(text: str) -> str:
    """One line of text that every terminal can take: \\n, \\x1b, \\u202e."""
    return "".join(c if c.isprintable() else escaped(c) for c in text)


def escaped(character: str) -> str:
    if "\udc80" <= character <= "\udcff":   # a byte of a name; no UTF-8
        character = chr(ord(character) - 0xdc00)
    return character.encode("unicode_escape").decode()


def shorten(text: str, width: int) -> str:
    """Cut the middle out of a text that is too long."""
    width = max(width, 12)
    tail = width // 3
    return text if len(text) <= width else (text[:width - 3 - tail] + "..."
                                            + text[-tail:])
