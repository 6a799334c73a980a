# SPDX-License-Identifier: GPL-2.0-or-later
"""The functions of a program or library, as readelf lists them."""

import os
import re
import shutil
import subprocess
from collections import Counter
from itertools import groupby
from typing import List, NamedTuple, Sequence

from ws_python.base.text import Failure, printable

DEBUG = "/usr/lib/debug/.build-id"
SECTION = re.compile(      # name, address, offset, size, flags
    r" *\[ *\d+\] (\S+) +\w+ +([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+) \w+ +(\w*)")
SYMBOL = re.compile(       # value, size, type, binding, name
    r" *\d+: ([0-9a-f]+) +(\w+) (I?FUNC|FILE) +(\w+) +\w+ +"
    r"(?:\[.*?\] +)?\w+ ([^@]*)")
BUILD_ID = re.compile("Build ID: ([0-9a-f]{2})([0-9a-f]{2,})")
# A name that every format can hold: readelf shows control characters as ^A,
# linkers take * and [ as patterns, and # begins a comment.
PLAIN = re.compile(r"[\w.$-]+")


class Section(NamedTuple):
    """A section of a file."""
    name: str
    address: int
    offset: int         # in the file
    size: int
    flags: str          # A: in memory, W: written, X: code


class Function(NamedTuple):
    """A function, or a symbol of one."""
    offset: int         # in the file
    end: int
    name: str           # the one that tells it best from others
    aliases: Sequence[str]
    source: str         # file, of a local function

    @property
    def size(self) -> int:
        return self.end - self.offset


def readelf(path: str, *options: str) -> str:
    """List sections, and what options say.  Failure: it is no ELF file."""
    program = shutil.which("readelf")
    if not program:
        raise Failure("functions are read by readelf, which Debian has in the "
                      "package binutils")
    ran = subprocess.run(
        [program, "-W", "--sections", *options, os.path.abspath(path)], env={"LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if ran.returncode:
        raise Failure(f"{printable(path)}: readelf finds no functions: "
                      + printable(ran.stderr.decode(errors="replace").strip()))
    return ran.stdout.decode(errors="replace")


def sections_of(listing: str) -> List[Section]:
    return [Section(match[1], int(match[2], 16), int(match[3], 16),
                    int(match[4], 16), match[5])
            for match in map(SECTION.match, listing.splitlines()) if match]


def symbols_of(listing: str, sections: Sequence[Section]) -> List[Function]:
    """Return the symbols of functions in those sections that have code."""
    symbols, source = [], ""
    for line in listing.splitlines():
        match = SYMBOL.match(line)
        if not match:
            continue
        value, size, kind, binding, name = match.groups()
        if kind == "FILE":
            source = name
            continue
        address = int(value, 16)
        for section in sections:
            if "X" in section.flags and (
                    0 <= address - section.address < section.size):
                at = address - section.address + section.offset
                symbols.append(Function(at, at + int(size, 0), name, [name],
                                        source if binding == "LOCAL" else ""))
    return symbols


def read_functions(path: str) -> List[Function]:
    """Return the functions by offset; none overlap.  Failure: the file and its
    debug file have no symbols.
    """
    listing = text = readelf(path, "--notes", "--symbols")
    match = BUILD_ID.search(text)
    debug = match and f"{DEBUG}/{match[1]}/{match[2]}.debug"
    if "'.symtab'" not in text and debug and os.path.exists(debug):
        text = readelf(debug, "--symbols")
    if "'.symtab'" not in text:
        raise Failure(f"{printable(path)}: has no symbols; link it without -s, "
                      "or install its debugging symbols"
                      + (f" ({debug} is not there)" if debug else ""))
    symbols = symbols_of(text, sections_of(listing))
    by_offset = [sorted(same, key=lambda symbol: symbol.name) for _, same in
                 groupby(sorted(symbols), key=lambda symbol: symbol.offset)]
    counts = Counter(name for same in by_offset
                     for name in {symbol.name for symbol in same})
    functions: List[Function] = []
    for same, after in zip(by_offset, [*by_offset[1:], None]):
        end = max(symbol.end for symbol in same)
        if after:
            end = min(end, after[0].offset)
        best = min(same, key=lambda symbol: (counts[symbol.name],
                                             symbol.source))
        if end > best.offset:
            functions.append(Function(best.offset, end, best.name, [
                *dict.fromkeys(symbol.name for symbol in same)], best.source))
    return functions
