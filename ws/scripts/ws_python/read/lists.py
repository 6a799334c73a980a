# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads lists of pages."""

from typing import Dict, Iterator

from ws_python.base.fields import address, optional, read_rows, within
from ws_python.model.lists import PageList


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
