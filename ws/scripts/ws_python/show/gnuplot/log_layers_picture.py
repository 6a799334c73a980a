# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures of what working sets consist of, over time: stacked areas."""

import argparse
import os
from dataclasses import dataclass
from typing import Any, List, Sequence, Tuple

import numpy as np

from ws_python.engine.layers import Group, Layers, fold, samples_of, total_of
from ws_python.model.log import PageLog
from ws_python.show.gnuplot.curves import COLOURS, Curve, tics
from ws_python.show.gnuplot.layered import Layered
from ws_python.show.gnuplot.media import GREY, Image
from ws_python.show.gnuplot.picture import quote
from ws_python.show.terminal.log_tables import averages, places

MOST_LAYERS = 7             # without the rest
MOST_LEFT = 0.1             # of the area, for the rest


@dataclass
class Area(Curve):
    """A layer, or all that are small."""
    peak: int                   # the largest sample, in pages
    values: np.ndarray          # in each column of the picture


class LayersPicture(Layered):
    """Subclasses call what there is to be drawn by show()."""
    what = "layers"             # several of them
    since = ""                  # when the time begins
    curves: List[Area]

    def __init__(self, logs: Sequence[PageLog], options: argparse.Namespace):
        # What is asked of reports here, logs have, too.
        reports: List[Any] = [*logs]
        super().__init__(reports, options)

    def show(self, layers: Layers, page: int, begin: int, end: int) -> None:
        """In pages of this size."""
        self.pages, self.page = [page], page
        self.left, self.right = begin, max(end, begin + 1)
        every, total = np.arange(len(layers.times)), total_of(layers)
        groups = self.groups_of(layers, total)
        self.medium = Image(self.options, self.lines_of(len(groups)), 0,
                                not self.bytes)
        self.columns, samples = self.samples_of(layers.times, total)
        sums = total[samples]
        shown = layers.grouped(places(groups, len(layers.names)),
                               short([group.name for group in groups]))
        values = [shown.at(k, every) for k in range(len(groups))]
        self.curves = [
            Area(name, GREY if group.rest else COLOURS[place], 0, [],
                 int(one.max()), one[samples])
            for place, (name, group, one) in enumerate(zip(
                shown.names, groups, values))]
        self.row = self.medium.row_height / self.medium.inner_height
        self.top = self.scale * (int(sums.max()) or 1) * 1.05

    @property
    def scale(self) -> int:
        return self.page if self.bytes else 1

    def groups_of(self, layers: Layers, total: np.ndarray) -> List[Group]:
        """Those that take most of the picture, or of its highest point; the
        steadiest are at the bottom.  As many as possible are alone, as long as
        little is left for the rest.
        """
        average = averages(layers)
        highest = layers.at_sample(int(np.argmax(total)))
        weights = sum(some / max(some.sum(), 1) for some in (average, highest))
        order = np.argsort(-weights, kind="stable")
        order = order[weights[order] > 0].tolist()
        choices = [fold(layers, order, weights, 0, (alone, MOST_LAYERS - alone),
                        self.what)
                   for alone in reversed(range(MOST_LAYERS + 1))]
        left = [sum(average[group.members].sum() for group in found
                    if group.rest) / max(average.sum(), 1)
                for found in choices]
        found = next((some for some, share in zip(choices, left)
                      if share <= MOST_LEFT), choices[int(np.argmin(left))])
        return sorted(found, key=lambda group: (
            group.rest, -average[group.members].sum()))

    def samples_of(self, times: np.ndarray, total: np.ndarray
                   ) -> Tuple[np.ndarray, np.ndarray]:
        """Where columns are, and the sample that each one shows: the largest
        of those in its time, or else the next, for a sample is of the time
        before it.
        """
        number = self.medium.inner_width
        wide = (self.right - self.left) / number
        edges = self.left + wide * np.arange(number + 1)
        first = np.searchsorted(times, edges[:-1], "right")
        end = np.searchsorted(times, edges[1:], "right")
        there = first < len(times)
        first, end = first[there], np.maximum(end, first + 1)[there]
        middles = (edges[:-1] + wide / 2)[there]
        # The largest of each, and of several the first one.
        order = np.lexsort((np.arange(len(times)), -total))
        rank = np.empty(len(times), np.int64)
        rank[order] = np.arange(len(times))
        best = np.minimum.reduceat(np.append(rank, len(times)),
                                   np.stack([first, end], 1).ravel())[::2]
        return middles, order[best]

    def draw(self) -> None:
        """The upper ones first: what is below them is drawn over them."""
        low = np.zeros(len(self.columns), np.int64)
        bounds = []
        for curve in self.curves:
            low = low + curve.values
            bounds.append(low)
        for number in reversed(range(len(self.curves))):
            high = self.scale * bounds[number]
            self.plot([(x, 0, top) for x, top in zip(self.columns.tolist(),
                                                     high.tolist())],
                      self.medium.fill_style(self.curves[number],
                                             "filledcurves"))

    def extras(self) -> List[str]:
        room = 0.01 * (self.right - self.left)
        return [f"set xrange [{self.left}:{self.right + room}]",
                "set xtics " + tics(self.right, self.most_tics(), self.tic,
                                    self.left),
                f"set xlabel {quote(f'time ({self.unit}){self.since}')}",
                "unset grid"]

    def largest(self, curve: Curve) -> int:
        assert isinstance(curve, Area)
        return curve.peak * self.scale


class OneLog(LayersPicture):
    """Of one log; subclasses say which layers, and notes of them."""

    def __init__(self, logs: Sequence[PageLog], options: argparse.Namespace):
        super().__init__(logs, options)
        log = logs[0]
        samples_of(log)
        layers, self.tau, page = self.find(log)
        self.show(layers, page, log.begin, int(log.ends[-1]))

    def find(self, log: PageLog) -> Tuple[Layers, int, int]:
        """Layers, their window and the size of their pages."""
        raise NotImplementedError

    def about(self) -> List[str]:
        raise NotImplementedError

    def notes(self) -> List[str]:
        return [f"{self.medium.tau} = {self.duration(self.tau)}",
                *self.about(), *self.about_runs()]


def short(names: Sequence[str]) -> List[str]:
    """Files without their directories, where they are not called the same."""
    files = [os.path.basename(name) if name.startswith("/") else name
             for name in names]
    return [file if files.count(file) == 1 else name
            for file, name in zip(files, names)]
