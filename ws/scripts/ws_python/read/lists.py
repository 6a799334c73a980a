# SPDX-License-Identifier: GPL-2.0-or-later
"""Reading lists of pages."""

import re
from typing import Dict, Iterator

from ws_python.base.fields import BadRow, natural
from ws_python.model.lists import LISTS, PageList

# What a page is part of; functions and files may have brackets in their names.
KNOWN_OWNER = re.compile(r"(?:(.+?) )?\[((?:heap|stack of thread |anonymous|"
                         r"shared memory|not mapped|/).*?)"
                         r"(, mapped anew)?\]")
ANY_OWNER = re.compile(r"(?:(.+) )?\[(.*?)(, mapped anew)?\]")


def read_pages(lines: Iterator[str], lists: Dict[str, PageList], title: str
               ) -> None:
    """Read a section with this title up to its end, if it is a list of pages
    and the first one of its set.
    """
    match = re.fullmatch(r"(\w+) pages \(([0-9]{1,20}) entries\):", title)
    if not match or LISTS.get(match[1], "") in ("", *lists):
        return
    found = lists[LISTS[match[1]]] = PageList(int(match[2]))
    once: Dict[str, str] = {}
    names = next(lines, "").split()
    for line in lines:
        if line == "--":
            return
        try:
            cells = dict(zip(names, line.split(None, len(names) - 1)))
            text = cells["information"]
            said = KNOWN_OWNER.fullmatch(text) or ANY_OWNER.fullmatch(text)
            if not (said and re.fullmatch("0x[0-9a-f]{1,16}", cells["page"])):
                raise ValueError
            found.counts.append(natural(cells["count"]))
            found.lasts.append(natural(cells["last"]))
        except (KeyError, OverflowError, ValueError):
            raise BadRow(line) from None
        found.pages.append(int(cells["page"], 16))
        place, owner = said[1] or "", said[2]
        found.places.append(once.setdefault(place, place))
        found.owners.append(once.setdefault(owner, owner))
        found.mapped_anew.append(said[3] is not None)
