# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages that a program touches before main, and what dynamic linking needs
of these.
"""

import re
from typing import Dict, NamedTuple, Tuple

import numpy as np

from ws_python.base.text import Failure
from ws_python.base.units import MEMORY_SZB
from ws_python.pagelog.functions import readelf, sections_of
from ws_python.pagelog.log import FILE, Entered, PageLog
from ws_python.pagelog.maps import Maps
from ws_python.pagelog.ranges import Bools, Ints, Uints, picked, stacked
from ws_python.pagelog.stream import batches
from ws_python.report.sizes import KINDS

LINKER = re.compile(r"/ld(64|-[^/]*)?\.so[^/]*$")       # the dynamic one
SYMBOLS = re.compile(r"\.dyn(sym|str)|\.(gnu\.)?hash|\.gnu\.version.*")
NEITHER, HAS_SYMBOLS, HAS_TABLES, IS_RELOCATED = range(4)


class BeforeMain(NamedTuple):
    """Numbers of pages that were touched before main."""
    pages: int
    linker: int             # of these, which the dynamic linker touched first
    symbols: int            # of these, which it read
    tables: int             # of relocations, which it read
    relocated: int          # which it wrote


def before_main(log: PageLog) -> Tuple[int, Dict[str, BeforeMain]]:
    """Return a time by which main was called, and what was touched before, by
    mapping: nothing if the log does not know callers, main, or pages of memory.
    """
    in_main, is_linker = np.zeros((2, len(log.frames) + 1), bool)
    for number, frame in log.frames.items():
        in_main[number] = frame.function == "main" or in_main[frame.caller or 0]
        is_linker[number] = LINKER.search(frame.object) is not None
    entered, main = entered_before(log, in_main)
    if (log.page_szB < MEMORY_SZB or log.header.get("Stacks") == "no"
            or main == log.n_parts):
        return 0, {}
    pages, first = np.unique(entered.pages, return_index=True)
    by_linker = is_linker[entered.frames[first]]
    maps, touched = Maps(log), {}
    names = maps.of(pages, entered.parts[first])
    for number in np.unique(names).tolist():
        here = names == number
        kinds = linking_of(log, maps.names[number], pages[here & by_linker])
        touched[maps.names[number]] = BeforeMain(
            int(here.sum()), len(kinds),
            *np.bincount(kinds, minlength=4)[1:].tolist())
    return int(log.ends[main]), touched


def entered_before(log: PageLog, in_main: Bools) -> Tuple[Entered, int]:
    """Return the entries before main, in the order of time, and the part in
    which main was called.
    """
    nothing = np.zeros(0, np.int64)
    found = [Entered(nothing, nothing.astype(np.uint64), nothing)]
    main = log.n_parts
    for batch in batches(log, "") if in_main.any() else ():
        entered = stacked([batch.entered[kind] for kind in KINDS[:2]])
        is_main = in_main[entered.frames]
        main = int(entered.parts[is_main].min(initial=main))
        found.append(picked(entered, ~is_main & (entered.parts <= main)))
        if main < batch.end:
            break
    entered = stacked(found)
    return picked(entered, np.argsort(entered.parts, kind="stable")), main


def linking_of(log: PageLog, file: str, pages: Uints) -> Ints:
    """Return what pages of a file are to the dynamic linker, by sections."""
    base = next((event.address for event in log.events if event.mapping and (
        event.mapping.kind, event.mapping.file, event.mapping.offset
        ) == (FILE, file, 0)), None)
    try:
        sections = [section for section in sections_of(readelf(file))
                    if "A" in section.flags]
    except Failure:         # it is no ELF file
        sections = []
    if base is None or not sections:
        return np.zeros(len(pages), np.int64)
    kinds = np.array([
        HAS_SYMBOLS if SYMBOLS.fullmatch(one.name) else
        HAS_TABLES if one.name.startswith(".rel") else
        IS_RELOCATED if "W" in one.flags else NEITHER for one in sections])
    base += sections[0].offset - sections[0].address
    first, szB = np.array([(one.address + base, one.size)
                           for one in sections]).T[:, :, None]
    begins = pages.astype(np.int64) * log.page_szB
    inside = (np.minimum(first + szB, begins + log.page_szB)
              - np.maximum(first, begins))
    return np.where(inside.max(0) > 0, kinds[inside.argmax(0)], NEITHER)
