# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes views over time as a trace in Chrome's JSON format, as Perfetto opens
it: a counter track for each line and each layer, and lanes of slices.

The format counts microseconds.  One stands for 1,000 instructions, so that a
second is a billion, about what a processor executes in a second.
"""

import json
from itertools import chain, groupby
from typing import Dict, Iterator, List, NamedTuple, Sequence, Tuple

from ws_python.base.units import MS, TIME
from ws_python.base.view import Layers, Series, View

Event = Dict[str, object]
IN_A_US = 1000              # instructions
SCALES = {MS: (0.001, "1 ms of the trace is 1 ms")}     # units in a us
SCALE = IN_A_US, f"1 us of the trace is {IN_A_US:,} instructions"


class Slice(NamedTuple):
    """Something that lasts; slices in a lane do not overlap."""
    lane: str
    begin: int
    end: int
    name: str
    about: Dict[str, object]


def trace(process: str, pid: int, unit: str, views: Sequence[View],
          slices: Sequence[Slice]) -> str:
    """Write a trace of a process: the parts of views over time, in bytes."""
    per_us, scale = SCALES.get(unit, SCALE)
    names = [("process_name", 0, f"{process} ({scale})")]
    events: List[Event] = [
        {"ph": "C", "name": name, "ts": time / per_us, "args": values}
        for view in views for name, time, values in counters(view)]
    for number, (lane, one) in enumerate(lanes(slices), 1):
        names.append(("thread_name", number, lane))
        events += [{"ph": "X", "name": name, "tid": number, "args": about,
                    "ts": begin / per_us, "dur": (end - begin) / per_us}
                   for _, begin, end, name, about in one]
    events += [{"ph": "M", "name": name, "tid": number, "args": {"name": text}}
               for name, number, text in names]
    return json.dumps({
        "traceEvents": [{"pid": pid, **event} for event in events],
        "displayTimeUnit": "ns",
        "otherData": {"scale": scale, "command": process}}) + "\n"


def counters(view: View) -> Iterator[Tuple[str, float, Dict[str, float]]]:
    """Yield the name of a group of tracks, a time, and the bytes of each, where
    any of them changes.
    """
    groups: List[Tuple[str, Sequence[float], Sequence[str],
                       Sequence[Sequence[float]]]] = [
        (line.name, xs, ["bytes"], [line.values])
        for part in view.of(Series) if part.x.unit == TIME
        for xs, line in zip(part.xs, part.lines)] + [
        (part.title, part.times, part.names, part.values)
        for part in view.of(Layers) if part.x.unit == TIME]
    for title, times, names, values in groups:
        before = None
        for time, *now in zip(times, *values):
            if now != before:
                yield title, time, dict(zip(names, (
                    value * view.page_szB for value in now)))
            before = now


def lanes(slices: Sequence[Slice]) -> Iterator[Tuple[str, List[Slice]]]:
    """Yield slices by lane; those that overlap others are in further lanes."""
    for name, group in groupby(slices, lambda one: one.lane):
        rows: List[List[Slice]] = []
        for one in sorted(group, key=lambda one: one.begin):
            row = next((row for row in rows if row[-1].end <= one.begin), None)
            if row is None:
                rows.append([one])
            else:
                row.append(one)
        yield from zip(chain([name], (f"{name} ({k})" for k in range(
            2, len(rows) + 1))), rows)
