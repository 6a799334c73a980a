# SPDX-License-Identifier: GPL-2.0-or-later
"""Lists of pages: the sections Code pages and Data pages of a report."""

from array import array
from dataclasses import dataclass, field
from typing import List

# The sets of which there are lists, by the titles of these.
LISTS = {"Code": "insn", "Data": "data"}


@dataclass
class PageList:
    """A section Code pages or Data pages, the most accessed page first."""
    announced: int              # how many there are in a complete list
    counts: "array[int]" = field(default_factory=lambda: array("Q"))
    pages: "array[int]" = field(default_factory=lambda: array("Q"))
    lasts: "array[int]" = field(default_factory=lambda: array("Q"))
    # There are few different ones; each is kept once.
    places: List[str] = field(default_factory=list)     # "" if not given
    owners: List[str] = field(default_factory=list)
    mapped_anew: List[bool] = field(default_factory=list)
