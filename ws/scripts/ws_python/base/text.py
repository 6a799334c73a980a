# SPDX-License-Identifier: GPL-2.0-or-later
"""Text that can be printed, and that fits; messages to the user."""

import os
import re
import sys
from functools import lru_cache
from shlex import quote
from time import process_time
from typing import Optional

VIA = " mostly via "        # between a function and what it calls
PLACE = re.compile(r" \([^()]*\)$")    # of a function
LONGEST_FUNCTION = 50       # a longer name loses types and class, as in the C
LONGEST_PARSED = 100000     # a longer name has no parts
TOKENS = re.compile(r"->|::|[ <({>)}]")     # between the parts of a name
OPERATOR = re.compile(r'operator(\(\)|(?=[<>=!+*/%^&|~,(\[ "-]|\Z))')
CLOSURES = ("{", "<lambda")
PATIENCE = 3                # seconds of work before progress is shown
CLEAR_LINE = "\r\x1b[K"


class Failure(Exception):
    """A message to the user; it ends the script."""


@lru_cache(maxsize=None)
def warn(message: object) -> None:
    """Print a message, the same only once."""
    progress(1, 1, "")      # clears its line
    print(f"{program_name()}: {message}", file=sys.stderr)


def progress(done: int, whole: int, what: str) -> None:
    """Show on a terminal how much has been read, if this takes long.  Clear
    the line once all has been read.
    """
    # Python has no stderr if that is closed.
    if sys.stderr and sys.stderr.isatty() and process_time() > PATIENCE:
        text = f"{cut(what, 50)}: {100 * done // whole} % read"
        sys.stderr.write(CLEAR_LINE + (text if done < whole else ""))
        sys.stderr.flush()


def program_name() -> str:
    return printable(os.path.basename(sys.argv[0]))


def command(script: str, *words: str) -> str:
    """Write a command for a shell; a script out of PATH is beside this one."""
    if not any(os.access(os.path.join(folder, script), os.X_OK)
               for folder in os.get_exec_path()):
        script = os.path.join(os.path.dirname(sys.argv[0]) or os.curdir, script)
    return " ".join(quote(printable(word)) for word in (script, *words))


def printable(text: str) -> str:
    """Escape what some terminals cannot print: \\n, \\x1b, \\u202e."""
    return text if text.isprintable() else "".join(
        c if c.isprintable() else escaped(c) for c in text)


def thread_title(number: int, name: str) -> str:
    return f"thread {number}" + (f" ({printable(name)})" if name else "")


def escaped(character: str) -> str:
    if "\udc80" <= character <= "\udcff":   # a byte of a name; no UTF-8
        character = chr(ord(character) - 0xdc00)
    return character.encode("unicode_escape").decode()


def brief_name(function: str, most: int) -> str:
    """Return a function's name without parameters; if it has more than `most`
    characters, without type, class and template arguments, too.  ws_symbols.c
    has the same rule, and explains it.
    """
    if len(function) > LONGEST_PARSED:
        return function
    part = own = depth = 0
    end: Optional[int] = None
    parameters: Optional[int] = None
    for match in TOKENS.finditer(function):
        at, token, after = match.start(), match[0], match.end()
        follows = function[after:after + 1]
        operator = None if depth else OPERATOR.match(function, part)
        if operator:
            at = function.find("(", operator.end())
            end = parameters = at if at >= 0 else None
            break
        if depth:
            depth += (token in "<({") - (token in ">)}")
            if depth == 0:
                if parameters and follows in ("", " "):
                    break
                parameters = None
                end = end if follows in ":(<{ " else None
        elif token == " " and follows == "[":   # [clone ...]
            parameters = at
            break
        elif token in ("::", " "):
            if token == " " or not any(function.startswith(CLOSURES, place)
                                       for place in (part, after)):
                own = after
            part, end = after, None
        elif token in "<({":
            if at > part and function[at - 1] != ".":
                end = end or at
                parameters = at if token == "(" and not function.startswith(
                    "decltype", part) else None
            depth = 1
    name = function[:parameters]
    return name if len(name) <= most else function[own:end or parameters]


def shorten(text: str, width: int) -> str:
    """Cut the middle out of a text that is too long."""
    width = max(width, 12)
    tail = width // 3
    return text if len(text) <= width else (text[:width - 3 - tail] + "..."
                                            + text[-tail:])


def clip(text: str, width: int) -> str:
    """Cut the end off a label that is too long; its beginning says most."""
    return text if len(text) <= width else text[:width - 3] + "..."


def cut(text: str, room: int) -> str:
    """Cut a text to the room.  Paths keep their ends, which differ; functions,
    f (x.c:40) mostly via g (x.c:60), lose what they call, then their types and
    classes, then their places.
    """
    if len(text) > room:
        text = text.partition(VIA)[0]
    if len(text) > room:
        name = PLACE.sub("", text)
        place = text[len(name):]
        if place and ("::" in name or "<" in name):
            name = brief_name(name, room - len(place))
        text = name + place if len(name + place) <= room else name
    if text.startswith("/") and len(text) > max(room, 12):
        return "..." + text[3 - max(room, 12):]
    return shorten(text, room)
