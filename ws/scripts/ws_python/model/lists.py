# SPDX-License-Identifier: GPL-2.0-or-later
"""Lists of pages: the sections Code pages and Data pages of a report."""

from array import array
from dataclasses import dataclass, field
from typing import Dict, List, Optional

from ws_python.model.compositions import Frame

# The sets that have lists, by the titles of these.
LISTS = {"Code pages:": "insn", "Data pages:": "data"}


@dataclass
class PageList:
    """A section Code pages or Data pages, the most accessed page first."""
    announced: int = 0          # the length of the complete list
    counts: "array[int]" = field(default_factory=lambda: array("Q"))
    pages: "array[int]" = field(default_factory=lambda: array("Q"))
    lasts: "array[int]" = field(default_factory=lambda: array("Q"))
    frames: List[Optional[int]] = field(default_factory=list)
    # There are few different texts; each is kept once.
    places: List[str] = field(default_factory=list)     # "" if not given
    owners: List[str] = field(default_factory=list)
    mapped_anew: List[bool] = field(default_factory=list)

    def name_places(self, frames: Dict[int, Frame], announced: int) -> None:
        """Name places, when all stacks and the number of pages are known."""
        names = {number: frames[number].words for number in {*self.frames}
                 if number is not None and number in frames}
        self.places = ["" if number is None else names.get(number, "")
                       for number in self.frames]
        self.announced = max(announced, len(self.counts))
