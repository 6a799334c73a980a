# SPDX-License-Identifier: GPL-2.0-or-later
"""The mappings and functions of pages in a list."""

import re
from dataclasses import dataclass
from typing import Callable, Dict, List, Optional, Set

from ws_python.model.lists import PageList
from ws_python.model.report import Report
from ws_python.model.sizes import end_of


def function_of(place: str) -> str:
    """Remove line and address, which edits elsewhere in the file change:
    at f (x.c:10) -> f (x.c); x.c:10 -> x.c
    """
    place = re.sub("^(?:at |by )?(?:0x[0-9A-Fa-f]+: )?", "", place.strip())
    return re.sub(r":[0-9]+(\)?)$", r"\1", place)


@dataclass
class Share:
    """The pages of a set that share a mapping or a function."""
    name: str
    pages: int = 0
    accesses: int = 0
    last: Optional[int] = None  # how many are in the last working set


def last_working_set(report: Report, found: PageList) -> Optional[Set[int]]:
    """Return the lines of the last working set in a list of pages.

    A page that was mapped anew has several lines; the latest counts.  Times in
    a list are rounded up to samples, and lengthen the window by as much.
    """
    end = end_of(report)
    if end is None:
        return None
    latest: Dict[int, int] = {}
    for line, page in enumerate(found.pages):
        before = latest.get(page, line)
        if ((found.lasts[before], found.mapped_anew[before])
                <= (found.lasts[line], found.mapped_anew[line])):
            latest[page] = line
    tau = report.number("Tau")
    return {line for line in latest.values() if found.lasts[line] > end - tau}


def shares(report: Report, found: PageList, names: List[str],
           key: Callable[[str], str] = str) -> List[Share]:
    """Group the lines of a list by their names, the most pages first."""
    window = last_working_set(report, found)
    keys = {name: key(name) for name in set(names)}
    sums: Dict[str, Share] = {}
    for line, name in enumerate(names):
        share = sums.setdefault(keys[name], Share(
            keys[name], last=None if window is None else 0))
        share.pages += 1
        share.accesses += found.counts[line]
        if window is not None and share.last is not None:
            share.last += line in window
    return sorted(sums.values(), key=lambda s: (-s.pages, -s.accesses, s.name))


def by_mapping(report: Report, found: PageList) -> List[Share]:
    return shares(report, found, found.owners)


def by_function(report: Report, found: PageList) -> List[Share]:
    """Group pages by the function of the first access; [] if not known."""
    if not any(found.places):
        return []
    return shares(report, found, found.places, function_of)
