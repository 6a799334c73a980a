# SPDX-License-Identifier: GPL-2.0-or-later
"""Whose the pages of a kept sample are: functions of the program, and mappings.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Dict, List, Tuple

from ws_python.base.text import printable
from ws_python.model.compositions import Kept
from ws_python.model.stacks import Paths, by_known, known_name, way_to


@dataclass
class Share:
    """Pages that have a function of the program, or a mapping, in common."""
    name: str
    pages: int = 0
    lines: "Counter[str]" = field(default_factory=Counter)
    vias: "Counter[str]" = field(default_factory=Counter)

    @property
    def names(self) -> List[str]:
        """With a line, and what lies between, if it is so for most pages."""
        return [self.most(self.lines) or self.name,
                *filter(None, [self.most(self.vias)])]

    def most(self, names: "Counter[str]") -> str:
        return next((name for name, pages in names.items()
                     if 2 * pages > self.pages), "")


def shares_of(kept: Kept, paths: Paths) -> List[Tuple[int, List[str]]]:
    """Pages, and whose they are, the most pages first."""
    return sorted(((share.pages, share.names)
                   for share in origins_of(kept, paths)),
                  key=lambda share: (-share[0], share[1]))


def origins_of(kept: Kept, paths: Paths) -> List[Share]:
    """By mapping are the pages of a stack, and code, most of which is entered
    once from each place.  ws_summary.c has the same rule.
    """
    shares: Dict[object, Share] = {}
    for part in kept.parts:
        lead, via = ((None, None) if kept.set == "insn" else paths.lead(part))
        mapping = printable(part.mapping.rpartition("/")[2])
        share = shares.setdefault(
            by_known(lead) if lead else part.mapping,
            Share(known_name(lead, False) if lead else mapping))
        share.pages += part.pages
        if lead:
            share.lines[known_name(lead)] += part.pages
        if via:
            share.vias[way_to(via)] += part.pages
    return [*shares.values()]


def percent(part: int, whole: int) -> int:
    """Rounded."""
    return (200 * part + whole) // (2 * whole)
