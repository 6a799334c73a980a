# SPDX-License-Identifier: GPL-2.0-or-later
"""Text that can be printed, and that fits; messages to the user."""

import os
import re
import sys
from functools import lru_cache
from shlex import quote
from shutil import which
from time import process_time

VIA = " mostly via "        # between a function and what it calls
PLACE = re.compile(r" \([^()]*\)$")    # of a function
PATIENCE = 3                # seconds of work without a sign
CLEAR_LINE = "\r\x1b[K"


class Failure(Exception):
    """A message to the user; it ends the script."""


@lru_cache(maxsize=None)
def warn(message: object) -> None:
    """Print a message; say the same only once."""
    progress(1, 1, "")      # A message has a line of its own.
    print(f"{program_name()}: {message}", file=sys.stderr)


def progress(done: int, whole: int, what: str) -> None:
    """Show on a terminal how much has been read, if this takes long; once all
    has been, nothing.
    """
    # Python has no stderr if that is closed.
    if sys.stderr and sys.stderr.isatty() and process_time() > PATIENCE:
        text = f"{cut(what, 50)}: {100 * done // whole} % read"
        sys.stderr.write(CLEAR_LINE + text * (done < whole))
        sys.stderr.flush()


def program_name() -> str:
    return printable(os.path.basename(sys.argv[0]))


def command(script: str, *words: str) -> str:
    """Write a command for a shell; a script out of PATH is beside this one."""
    beside = os.path.join(os.path.dirname(sys.argv[0]) or os.curdir, script)
    return " ".join(quote(printable(word)) for word in (
        script if which(script) else beside, *words))


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


def clip(text: str, width: int) -> str:
    """Cut the end off a label that is too long: people choose how it begins."""
    return text if len(text) <= width else text[:width - 3] + "..."


def cut(text: str, room: int) -> str:
    """Cut a text to the room.  Paths keep their ends, which differ; functions,
    f (x.c:40) mostly via g (x.c:60), lose what they call, then their places.
    """
    if len(text) > room:
        text = text.partition(VIA)[0]
    if len(text) > room:
        text = PLACE.sub("", text)
    if text.startswith("/") and len(text) > max(room, 12):
        return "..." + text[3 - max(room, 12):]
    return shorten(text, room)
