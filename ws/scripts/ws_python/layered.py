# SPDX-License-Identifier: GPL-2.0-or-later
"""What pictures of layers, in bars or in areas, have in common."""

from typing import List

from ws_python.curves import Curve
from ws_python.layout import PLACE, cut
from ws_python.picture import Picture
from ws_python.text import printable

LEAST_NAME = 16             # characters that a name has room for


class Layered(Picture):
    """Subclasses have a layer for each curve."""
    side_by_side = 2

    def largest(self, curve: Curve) -> int:
        """Its largest size, in units of the left axis."""
        raise NotImplementedError

    def lines_of(self, curves: int) -> int:
        """Of a heading with so many."""
        return 3 - -curves // self.side_by_side

    def sample(self, number: int, curve: Curve) -> str:
        return self.medium.fill_sample(number)

    def legends(self) -> List[List[str]]:
        """Names and largest sizes: all with a unit, or none of them if there
        is no room.  Very small pictures have names alone.
        """
        room = self.medium.code_room // self.side_by_side - 5
        sizes = [self.largest(curve) for curve in self.curves]
        names = [printable(curve.label) for curve in self.curves]
        least = [min(len(PLACE.sub("", name)), LEAST_NAME) for name in names]
        for show in (self.sized, self.size):
            ends = [f": at most {show(some)}" for some in sizes]
            if all(one + len(end) <= room for one, end in zip(least, ends)):
                break
        return [[cut(name, room - len(end)) + end, name]
                for name, end in zip(names, ends)]
