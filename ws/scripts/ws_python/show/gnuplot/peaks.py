# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds the peaks of curves over time."""

from dataclasses import dataclass
from typing import List, Tuple

from ws_python.model.compositions import Kept
from ws_python.model.origins import percent, shares_of
from ws_python.model.report import Report
from ws_python.model.stacks import Paths
from ws_python.show.gnuplot.curves import Point

MOST_PEAKS = 10             # in a picture
MAXIMUM = "max"             # the largest sample of a set, if that is no peak


@dataclass
class Peak(Point):
    """A peak, or the largest sample."""
    name: str
    size: int                   # in bytes
    kept: Kept
    paths: Paths                # of its report

    @property
    def share(self) -> Tuple[int, List[str]]:
        """The largest share in percent, and its code; 0: not known."""
        shares = shares_of(self.kept, self.paths)
        if not shares:
            return 0, []
        pages, names = shares[0]
        return percent(pages, self.kept.pages), names


def names_of(report: Report) -> List[Tuple[str, Kept]]:
    """Return peaks by their numbers, as in ws_print's --at=peak.1, and the
    largest samples.
    """
    found = report.compositions
    peaks = [(str(some.rank), some) for some in found.peaks()]
    return peaks + [(MAXIMUM, some) for some in found.kept.values()
                    if "largest" in some.why and "peak" not in some.why]


def peaks_on(report: Report, name: str, tau: int) -> List[Tuple[str, Kept]]:
    """Return the peaks of a set in a window; only the chosen one has any."""
    return [(number, some) for number, some in names_of(report)
            if some.set == name and tau == report.compositions.tau]
