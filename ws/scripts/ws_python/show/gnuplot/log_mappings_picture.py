# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture of the view `mappings`."""

import argparse
from typing import List, Sequence, Tuple

from ws_python.engine.layers import Layers
from ws_python.engine.mapped import mapped_of
from ws_python.model.log import PageLog
from ws_python.model.report import SETS
from ws_python.show.gnuplot.log_layers_picture import OneLog
from ws_python.show.gnuplot.log_processes_picture import processes_picture
from ws_python.show.gnuplot.picture import Picture as DrawnPicture


class Mappings(OneLog):
    """Of one log, over time."""
    noun = "Working set by mapping"
    what = "mappings"

    def find(self, log: PageLog) -> Tuple[Layers, int, int]:
        self.kinds = self.chosen(SETS)
        found = mapped_of(log, self.options,
                          [SETS[kind] for kind in self.kinds])
        return found.layers, found.tau, found.page

    def about(self) -> List[str]:
        return {("data",): ["data"], ("code",): ["code"]}.get(
            tuple(self.kinds), ["a page counts once"])


def Picture(logs: Sequence[PageLog],
            options: argparse.Namespace) -> DrawnPicture:
    """Of one log, or of several processes."""
    return (processes_picture if len(logs) > 1 else Mappings)(logs, options)
