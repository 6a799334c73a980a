# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws the composition of the kept samples, by components."""

import argparse
import os
from dataclasses import dataclass
from typing import Hashable, List, Sequence

from ws_python.base.failure import Failure
from ws_python.base.text import printable
from ws_python.model.compositions import Kept
from ws_python.model.report import SETS, Report
from ws_python.model.rules import Rules, load_rules
from ws_python.model.stacks import Paths, by_function
from ws_python.show.gnuplot.media import Image
from ws_python.show.gnuplot.peaks import names_of
from ws_python.show.gnuplot.picture import quote
from ws_python.show.gnuplot.stacked_bars import Bar, StackedBars
from ws_python.views.components import NO_RULE, own_sums
from ws_python.views.kept import no_samples


@dataclass
class KeptBar(Bar):
    """A kept sample."""
    kept: Kept


class ComponentPicture(StackedBars):
    """A bar for each kept sample."""
    noun = "Components of the working set"
    bars: Sequence[KeptBar]

    def __init__(self, reports: List[Report], options: argparse.Namespace):
        super().__init__(reports, options)
        self.report = reports[0]
        self.rules = load_rules(options.rules)
        self.kinds = self.chosen([
            kind for kind in SETS if any(
                some.set == SETS[kind]
                for some in self.report.compositions.kept.values())])
        if self.report.is_log:
            raise no_samples(self.report)
        if not self.kinds:
            raise Failure(f"{self.report.name}: keeps no such samples: it is "
                          "older, was cut off, or has no sample")
        self.bars = self.make_bars(Image.most_bars)
        self.make_layers(
            lambda number: -1 if number is None else number,
            lambda numbers: component_name(self.rules, numbers))
        self.medium = Image(options, self.lines_of(len(self.layers)), 0,
                           not self.bytes)
        self.scale()

    def make_bars(self, most: int) -> List[KeptBar]:
        """Choose the highest samples: sets side by side, each in the order of
        time.
        """
        found = self.report.compositions
        paths = Paths(found, by_function)
        names = {id(some): name for name, some in names_of(self.report)}
        wanted = [SETS[kind] for kind in self.kinds]
        every = sorted((some for some in found.kept.values()
                        if some.set in wanted),
                       key=lambda some: (-some.pages, some.time))
        self.hidden = len(every[most:])
        shown = every[:most]
        bars: List[KeptBar] = []
        for name in wanted:
            place = bars[-1].place + 2 if bars else 1
            bars += [KeptBar(names.get(id(some), printable(some.label)),
                             self.tic(some.time, 3), place + k,
                             own_sums(some.parts, "pages", self.rules, paths),
                             some)
                     for k, some in enumerate(sorted(
                         (some for some in shown if some.set == name),
                         key=lambda some: some.time))]
        self.right = bars[-1].place + 1
        return bars

    def extras(self) -> List[str]:
        """Set the axis, and the names of the sets."""
        lines = self.axis("samples in the order of time "
                          f"({self.unit}), not to scale")
        for kind in self.kinds:
            places = [bar.place for bar in self.bars
                      if bar.kept.set == SETS[kind]]
            if places:
                half = (len(kind) + 1) * self.medium.letter / self.pitch / 2
                x = min(max((places[0] + places[-1]) / 2, half),
                        self.right - half)
                lines.append(f"set label {quote(kind)} at {x},"
                             f"graph {1 - 0.6 * self.row} center front")
        return lines

    def notes(self) -> List[str]:
        notes = [f"rules: {printable(os.path.basename(self.options.rules))}"]
        if self.hidden:
            every = len(self.bars) + self.hidden
            notes[:0] = [f"{len(self.bars)} of {every} samples shown"]
        return notes + self.about_runs()


def component_name(rules: Rules, numbers: List[Hashable]) -> str:
    if len(numbers) > 1:
        return f"{len(numbers)} more components"
    if numbers[0] is None:
        return NO_RULE
    return rules.own_name(rules.components[numbers[0]])
