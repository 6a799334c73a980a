# SPDX-License-Identifier: GPL-2.0-or-later
"""The mappings of pages in a list."""

from dataclasses import dataclass
from typing import Dict, List, Optional, Set

from ws_python.model.lists import PageList
from ws_python.model.report import Report
from ws_python.model.sizes import end_of


@dataclass
class Share:
    """The pages of a set that share a mapping."""
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


def by_mapping(report: Report, found: PageList) -> List[Share]:
    """Group the lines of a list, the most pages first."""
    window = last_working_set(report, found)
    sums: Dict[str, Share] = {}
    for line, name in enumerate(found.owners):
        share = sums.setdefault(name, Share(
            name, last=None if window is None else 0))
        share.pages += 1
        share.accesses += found.counts[line]
        if window is not None and share.last is not None:
            share.last += line in window
    return sorted(sums.values(), key=lambda s: (-s.pages, -s.accesses, s.name))
