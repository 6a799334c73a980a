# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture of the view `mappings`."""

import argparse
from typing import TYPE_CHECKING, List, Sequence, Type

from ws_python.log_layers import samples_of
from ws_python.log_layers_picture import LayersPicture
from ws_python.log_mapped import mapped_of
from ws_python.log_processes_picture import processes_picture
from ws_python.media import Medium
from ws_python.picture import Picture as DrawnPicture
from ws_python.reports import SETS

if TYPE_CHECKING:
    from ws_python.page_log import PageLog


class OneLog(LayersPicture):
    """Of one log, over time."""
    noun = "Working set by mapping"
    what = "mappings"

    def __init__(self, logs: Sequence["PageLog"], options: argparse.Namespace,
                 form: Type[Medium]):
        super().__init__(logs, options, form)
        samples_of(logs[0])
        self.kinds = self.chosen(SETS)
        self.mapped = mapped_of(logs[0], options,
                                [SETS[kind] for kind in self.kinds])
        log = logs[0]
        self.show(self.mapped.layers, self.mapped.page, log.begin,
                  int(log.ends[-1]))

    def notes(self) -> List[str]:
        what = {("data",): ["data"], ("code",): ["code"]}.get(
            tuple(self.kinds), ["a page counts once"])
        tau = f"{self.medium.tau} = {self.duration(self.mapped.tau)}"
        return [tau, *what, *self.about_runs()]


def Picture(logs: Sequence["PageLog"], options: argparse.Namespace,
            form: Type[Medium]) -> DrawnPicture:
    """Of one log, or of several processes."""
    return (processes_picture if len(logs) > 1 else OneLog)(logs, options,
                                                            form)
