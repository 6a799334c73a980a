# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture of the view `threads`."""

from typing import List, Tuple

import numpy as np

from ws_python.engine.layers import Group, Layers, group_of
from ws_python.model.log import PageLog
from ws_python.show.gnuplot.log_layers_picture import OneLog
from ws_python.views.log_threads import Threads

MOST_PRIVATE = 7            # threads with an area of their own
MUCH = 10                   # a window of so many runs of threads has many


class Picture(OneLog):
    """What is private to threads, and above that what they share."""
    noun = "Working set by thread"
    what = "threads"

    def find(self, log: PageLog) -> Tuple[Layers, int, int]:
        self.found = Threads(log, self.options)
        return self.found.parts, self.found.tau, self.found.page

    def groups_of(self, layers: Layers, total: np.ndarray) -> List[Group]:
        """In the order of threads, and of how many share."""
        peak = layers.sizes().peak
        number = len(self.found.numbers)
        private = np.argsort(-peak[:number], kind="stable").tolist()
        shown = [*sorted(private[:MOST_PRIVATE]), *range(number, len(peak))]
        small = [k for k in private[MOST_PRIVATE:] if peak[k]]
        groups = [Group(layers.names[k], [k]) for k in shown if peak[k]]
        if small:
            groups.append(group_of(layers, small, self.what
                                   )._replace(rest=True))
        return groups

    def about(self) -> List[str]:
        run = self.found.slice
        return [*[f"a thread runs {self.count(run, 3)} at a time"]
                * (self.tau < MUCH * run),
                "alone: accessed by no other in the window"]
