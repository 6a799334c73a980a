# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture of the view `mappings` for several processes."""

import argparse
from collections import Counter
from typing import Any, Hashable, List, Sequence

import numpy as np

from ws_python.base.failure import Failure
from ws_python.base.text import shorten
from ws_python.base.units import large
from ws_python.engine.families import Family, Moment
from ws_python.model.log import PageLog
from ws_python.model.report import SETS
from ws_python.show.gnuplot.log_layers_picture import LayersPicture, short
from ws_python.show.gnuplot.media import Image
from ws_python.show.gnuplot.picture import CHOICES, Picture
from ws_python.show.gnuplot.stacked_bars import Bar, StackedBars

NAME_ROOM = 16              # below a bar


def about(moment: Moment) -> str:
    shared = moment.shared
    return (f"{moment.title}, {large(int(shared.rss.sum()))} pages, "
            f"{large(shared.pages)} different ones")


def left_out(family: Family) -> List[str]:
    """A note, if there are any without a sample."""
    names = [name for k, name in enumerate(family.short_names())
             if k not in family.sampled()]
    return ["without a sample: " + " ".join(names)] * bool(names)


class ProcessAreas(LayersPicture):
    """Of all together, over time."""
    noun = "Working set by mapping"
    nouns = "Working sets by mapping"
    what = "mappings"
    since = " since the first process began"

    def __init__(self, family: Family, options: argparse.Namespace):
        super().__init__(family.logs, options)
        self.family = family
        self.about = about(family.moments()[0])
        self.tau = family.images[0].mapped.tau
        layers = family.over_time()
        self.show(layers, family.page, 0, int(layers.times[-1]))

    def notes(self) -> List[str]:
        return [f"{self.medium.tau} = {self.duration(self.tau)}", self.about,
                "a page counts in each", *left_out(self.family),
                *self.about_runs()]


class ProcessBars(StackedBars):
    """A bar for each process, the largest first."""
    noun = "Working set by mapping"
    nouns = "Working sets by mapping"

    def __init__(self, family: Family, options: argparse.Namespace):
        # What is asked of reports here, logs have, too.
        reports: List[Any] = [*family.logs]
        logs = family.logs
        super().__init__(reports, options)
        self.family = family
        self.pages = [self.family.page] * len(logs)
        self.page = self.family.page
        if not self.bytes:
            self.scales = [1] * len(logs)
        self.moment = self.family.moments()[0]
        self.make_bars(Image.most_bars)
        names = short(self.family.names)
        self.make_layers(int, lambda numbers: names[numbers[0]] if len(
            numbers) == 1 else f"{len(numbers)} more mappings")
        self.medium = Image(options, self.lines_of(len(self.layers)), 0,
                           not self.bytes)
        self.scale()

    def make_bars(self, most: int) -> None:
        """Above each, what it has for itself."""
        family, shared = self.family, self.moment.shared
        uss, rss = (family.in_cells(column)
                    for column in (shared.uss, shared.rss))
        order = np.argsort(-rss.sum(1), kind="stable")
        order = order[rss.sum(1)[order] > 0].tolist()
        if not order:
            raise Failure("no process has such pages in a sample")
        self.hidden = len(order[most:])
        self.bars = []
        for place, process in enumerate(order[:most], 1):
            pages: "Counter[Hashable]" = Counter({
                name: int(rss[process, name])
                for name in np.flatnonzero(rss[process]).tolist()})
            self.bars.append(Bar(
                f"USS {self.size(self.scales[0] * int(uss[process].sum()))}",
                shorten(family.program_of(process), NAME_ROOM),
                place, pages))
        self.right = len(self.bars) + 1

    def extras(self) -> List[str]:
        return self.axis("processes; USS: pages of this one alone")

    def notes(self) -> List[str]:
        hidden = [f"{self.hidden} more processes"] * bool(self.hidden)
        return [about(self.moment), *hidden, *left_out(self.family),
                *self.about_runs()]


def processes_picture(logs: Sequence[PageLog],
                      options: argparse.Namespace) -> Picture:
    """Without a common clock there is no time of all."""
    wanted = [SETS[kind] for kind in CHOICES[options.what or "all"]
              if kind in SETS]
    family = Family(logs, options, wanted)
    return (ProcessAreas if family.clocked else ProcessBars)(family, options)
