# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes parts of a View from layers: a table of a sample, and a picture over
time, with small layers put together.
"""

import os
from typing import Dict, List, Sequence, Tuple

import numpy as np

from ws_python.base import view
from ws_python.base.text import printable
from ws_python.base.units import COUNT, TEXT, TIME, count, time_text
from ws_python.pagelog.layers import PERCENTILE, Group, LayerSteps, ShownSample
from ws_python.pagelog.log import LogData
from ws_python.pagelog.ranges import Floats, Ints, range_of_each, split_runs
from ws_python.report.kept import share_columns

MOST_ROWS = 20              # of a table
MOST_HOMES = 5              # rows for several layers of an object
SMALL_LAYER = 0.01          # of a sample: smaller layers share a row
MOST_LAYERS = 7, 9          # over time, without the rest; if that is large
MOST_LEFT = 0.1             # of all pages over time: a larger rest is large


def fold(layers: LayerSteps, order: Sequence[int], weights: Floats,
         least: float, most: Tuple[int, int], what: str) -> List[Group]:
    """Group layers, in this order, the heaviest first.  The first most[0] at
    most are alone; the others are put together by home, for most[1] homes at
    most; all others are the rest.  Only the rest may weigh less than `least`.
    """
    def weight(members: Sequence[int]) -> float:
        return sum(float(weights[k]) for k in members)

    alone = min(most[0], sum(weights[k] >= least for k in order))
    by_home: Dict[str, List[int]] = {}
    for k in order[alone:]:
        by_home.setdefault(layers.homes[k], []).append(k)
    groups = [Group(layers.names[k], [k]) for k in order[:alone]]
    rest: List[int] = []
    for home, members in sorted(by_home.items(),
                                key=lambda item: -weight(item[1])):
        if home and len(groups) - alone < most[1] and weight(members) >= least:
            groups.append(group_of(layers, members, f"in {home}"))
        else:
            rest += members
    if rest:
        groups.append(group_of(layers, rest, what)._replace(rest=len(rest) > 1))
    return groups


def group_of(layers: LayerSteps, members: List[int], what: str) -> Group:
    """Name a group "3 more mappings", or by its only member."""
    return Group(f"{count(len(members))} more {what}" if members[1:] else
                 layers.names[members[0]], members)


def by_sample(layers: LayerSteps, sample: int, what: str) -> LayerSteps:
    """Sort layers by their size in a sample or on average, whichever is larger,
    the largest first.  Small layers share rows.
    """
    now, sizes_of = layers.at_sample(sample), layers.sizes()
    weights = np.maximum(now, np.array([*map(float, sizes_of.average)]))
    peak = sizes_of.peak
    touched = peak if layers.touched is None else layers.touched
    order = np.lexsort((-touched, -peak, -weights))
    order = order[(peak + touched)[order] > 0]
    return layers.grouped(fold(layers, order.tolist(), weights,
                               max(SMALL_LAYER * int(now.sum()), 1),
                               (MOST_ROWS, MOST_HOMES), what))


def in_sample(title: str, parts: Sequence[LayerSteps], sample: ShownSample,
              what: str, beside: str) -> view.Table:
    """Make a table of layers: sizes in a sample, over all samples, and in the
    run.
    """
    def counts(name: str, arrays: Sequence[Ints]) -> view.Column:
        return view.Column(name, COUNT, np.concatenate(arrays).tolist())

    at, all_sizes = sample.number, [layers.sizes() for layers in parts]
    columns = share_columns(
        np.concatenate([layers.at_sample(at) for layers in parts]).tolist(),
        sample.pages, sample.page_szB)
    second = [layers.beside.at_sample(at) for layers in parts if layers.beside]
    if second:
        columns.append(counts(beside, second))
    columns += [view.Column("avg", COUNT, [size for sizes in all_sizes
                                           for size in sizes.average]),
                counts(f"p{PERCENTILE}", [sizes.p95 for sizes in all_sizes]),
                counts("peak", [sizes.peak for sizes in all_sizes])]
    touched = [layers.touched for layers in parts if layers.touched is not None]
    if touched:
        columns.append(counts("run", touched))
    return view.Table(title, [*columns, view.Column(what, TEXT, [
        printable(name) for layers in parts for name in layers.names])])


def large_layers(layers: LayerSteps, what: str,
                 most_alone: int = 0) -> List[Group]:
    """Group layers for a picture, the largest on average first.  Layers with
    most pages over time or at their peaks are alone, among them the layer with
    the highest peak: as many as possible while the rest is small, and has not
    the highest peak itself; or just `most_alone`.
    """
    sizes = layers.sizes()
    average = np.array([*map(float, sizes.average)])
    weights = sum(pages / max(pages.sum(), 1)
                  for pages in (average, sizes.peak))
    order = np.lexsort((-weights, sizes.peak < sizes.peak.max(initial=0)))
    order = order[weights[order] > 0].tolist()
    if most_alone:
        return fold(layers, order, weights, 0, (most_alone, 0), what)
    choices = [fold(layers, order, weights, 0, (alone, most - alone), what)
               for most in MOST_LAYERS for alone in reversed(range(most + 1))]
    choices.sort(key=lambda groups: max(MOST_LEFT, sum(
        float(average[group.members].sum()) for group in groups if group.rest)
        / max(float(average.sum()), 1)))
    best = next((groups for groups in choices if not hides(layers, groups)),
                choices[0])
    return sorted(best, key=lambda group: (
        group.rest, -float(average[group.members].sum())))


def hides(layers: LayerSteps, groups: Sequence[Group]) -> bool:
    """Tell if there is a rest, and it has the highest peak."""
    if not any(group.rest for group in groups):
        return False
    *shown, rest = layers.grouped(groups).sizes().peak.tolist()
    return bool(rest > max(shown, default=0))


def over_time(title: str, layers: LayerSteps, groups: Sequence[Group],
              begin: int, notes: Sequence[str]) -> view.Layers:
    groups = groups or [Group("nothing", [])]
    shown = layers.grouped(groups)
    return view.Layers(
        title, view.Axis("time", TIME), layers.times.tolist(),
        base_names([*map(printable, shown.names)]),
        [shown.of_layer(k).tolist() for k in range(len(groups))], begin,
        any(group.rest for group in groups), [*notes], [
            printable(layers.homes[group.members[0]])
            if group.members and not group.rest else "" for group in groups])


def all_samples(layers: LayerSteps, names: Sequence[str],
                of: Dict[str, str]) -> view.Table:
    """Make a table for programs: a row for each layer in each sample."""
    which = range_of_each(layers.lasting)
    sample = split_runs(layers.keys % layers.width, layers.lasting)
    layer = layers.keys[which] // layers.width
    order = np.lexsort((layer, sample))
    sample, layer, which = sample[order], layer[order], which[order]
    columns = [layers.times[sample],
               np.array([printable(name.strip()) for name in layers.names],
                        object)[layer], layers.values[1:][which]]
    if layers.beside:
        columns.append(layers.beside.at(layer, sample))
    return view.Table("At all samples", [
        view.Column(name, TEXT if column.dtype == object else COUNT, column)
        for name, column in zip(names, columns)], of, is_long=True)


def about_window(log: LogData, tau: int) -> str:
    return f"window: {time_text(tau, log.unit)}" + (
        "" if log.complete else ", TRUNCATED LOG")


def base_names(names: Sequence[str]) -> List[str]:
    """Remove directories from files, if their names remain different."""
    files = [os.path.basename(name) if name.startswith("/") else name
             for name in names]
    return [file if files.count(file) == 1 else name
            for file, name in zip(files, names)]
