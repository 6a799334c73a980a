# SPDX-License-Identifier: GPL-2.0-or-later
"""What pictures of layers, in bars or in areas, have in common."""

from typing import List

from ws_python.base.text import printable
from ws_python.show.gnuplot.curves import Curve
from ws_python.show.gnuplot.picture import Picture
from ws_python.show.terminal.layout import cut


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
        return "\u2588" * 3

    def legends(self) -> List[List[str]]:
        """Names, and largest sizes."""
        room = self.medium.code_room // self.side_by_side - 5
        found = []
        for curve in self.curves:
            end = f": at most {self.sized(self.largest(curve))}"
            name = printable(curve.label)
            found.append([cut(name, room - len(end)) + end, name])
        return found
