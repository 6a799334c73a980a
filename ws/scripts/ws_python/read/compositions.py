# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the sections Kept samples, Composition, Entries and Stacks, and lists
of pages.
"""

from typing import Dict, Iterator

from ws_python.base.fields import (address, natural, optional, read_rows,
                                   within)
from ws_python.model.compositions import (MEMORY, SETS_OF_PARTS, Compositions,
                                          Frame, Kept, Part)
from ws_python.model.lists import PageList

WHY_WIDTH = 20              # of the column why, in front of a label
# In a stack: Valgrind unwinds 500, and each may have inlined ones.
MOST_FRAMES = 5000


def set_of(cells: Dict[str, str]) -> str:
    if cells["set"] not in SETS_OF_PARTS:
        raise ValueError
    return cells["set"]


def read_kept(lines: Iterator[str], found: Compositions) -> None:
    def store(cells: Dict[str, str]) -> None:
        number = natural(cells["sample"])
        is_memory = cells["set"] in MEMORY
        tau = cells.get("tau", "-" if is_memory else str(found.tau))
        if number in found.samples or is_memory != (tau == "-"):
            raise ValueError
        found.samples[number] = Kept(
            cells["set"] if is_memory else set_of(cells),
            optional(within, tau), within(cells["t"]),
            within(cells["pages"]), optional(within, cells["written"]),
            cells["why"].split(","), cells["label"])

    read_rows(lines, "label", store, WHY_WIDTH)


def read_parts(lines: Iterator[str], found: Compositions) -> None:
    def store(cells: Dict[str, str]) -> None:
        part = Part(within(cells["pages"]), optional(within, cells["written"]),
                    optional(within, cells["frame"]), cells["mapping"])
        if (part.written or 0) > part.pages:
            raise ValueError
        found.samples[natural(cells["sample"])].parts.append(part)

    read_rows(lines, "mapping", store)


def read_entered(lines: Iterator[str], found: Compositions) -> None:
    def store(cells: Dict[str, str]) -> None:
        of = set_of(cells), within(cells.get("tau", str(found.tau)))
        found.entries.setdefault(of, []).append(Part(
            within(cells["entered"]), None, optional(within, cells["frame"]),
            cells["mapping"], cells.get("folded") == "yes"))

    read_rows(lines, "mapping", store)


def read_stacks(lines: Iterator[str], found: Compositions) -> None:
    frames = found.frames

    def store(cells: Dict[str, str]) -> None:
        number, caller = natural(cells["frame"]), cells["caller"]
        outer = None if caller in ("-", "?") else natural(caller)
        # A caller stands before its callees, so there is no circle.
        depth = 1 + (0 if outer is None else frames[outer].depth)
        function, file, path = cells["place"].split("|")
        if number in frames or depth > MOST_FRAMES:
            raise ValueError
        frames[number] = Frame(
            outer, caller == "?", address(cells["address"]),
            optional(within, cells["line"]), function, file, path, depth)

    read_rows(lines, "place", store)


def read_pages(lines: Iterator[str], found: PageList) -> None:
    """Read the rows of a list; name_places() names its places later."""
    once: Dict[str, str] = {}

    def store(cells: Dict[str, str]) -> None:
        found.counts.append(within(cells["count"]))
        found.lasts.append(within(cells["last"]))
        found.pages.append(address(cells["page"]))
        found.frames.append(optional(within, cells["frame"]))
        owner = cells["mapping"]
        found.owners.append(once.setdefault(owner, owner))
        found.mapped_anew.append(cells["anew"] == "yes")

    read_rows(lines, "mapping", store)


# By their titles.
SECTIONS = {"Kept samples:": read_kept, "Composition:": read_parts,
            "Entries:": read_entered, "Stacks:": read_stacks}
