# SPDX-License-Identifier: GPL-2.0-or-later
"""Text that can be printed, and that fits."""

def printable(text: str) -> str:
    """Escape what some terminals cannot print: \\n, \\x1b, \\u202e."""
    return text if text.isprintable() else "".join(
        c if c.isprintable() else escaped(c) for c in text)


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
