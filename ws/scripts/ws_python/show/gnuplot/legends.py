# SPDX-License-Identifier: GPL-2.0-or-later
"""What the numbers at curves stand for: lines above the picture."""

from collections import Counter
from itertools import accumulate
from typing import Dict, List, Sequence, Tuple

from ws_python.base.text import printable, shorten
from ws_python.base.units import byte_size
from ws_python.show.gnuplot.peaks import Peak
from ws_python.show.gnuplot.remarks import Flag, Remarks
from ws_python.show.terminal.layout import led

MOST_GROUPS = 4         # of peaks of several reports: the curves need room
# Row, column, text and style.
Text = Tuple[int, int, str, str]


def explained_peaks(peaks: Sequence[Peak], several: bool) -> List[List[Peak]]:
    """Those of a set, in all reports, whose largest shares are the same
    code's; of several reports, so many groups.
    """
    groups: Dict[Tuple[str, Tuple[str, ...]], List[Peak]] = {}
    for peak in peaks:
        groups.setdefault((peak.kept.set, tuple(peak.share[1])),
                          []).append(peak)
    return list(groups.values())[:MOST_GROUPS if several else None]


def legend(remarks: Remarks, row: int) -> List[Text]:
    """From this row on: peaks, then call stacks."""
    groups = explained_peaks(remarks.peaks, remarks.several)[
        :remarks.medium.legends]
    return (of_peaks(remarks, row, groups)
            + of_flags(remarks, row + len(groups),
                       remarks.medium.legends - len(groups)))


def of_peaks(remarks: Remarks, row: int,
             groups: Sequence[List[Peak]]) -> List[Text]:
    """In columns: the boxes, the size, the share and whose it is."""
    medium = remarks.medium
    cells = []
    texts: List[Text] = []
    for line, group in enumerate(groups, row):
        curves: Dict[int, List[Peak]] = {}
        for peak in group:
            curves.setdefault(peak.curve, []).append(peak)
        tags = [remarks.tag_of_peaks(some) for some in curves.values()]
        texts += [(line, len(" ".join(["", *tags[:k]])), tag,
                   f"textcolor '{remarks.curves[curve].colour}'")
                  for k, (curve, tag) in enumerate(zip(curves, tags))]
        cells.append((
            " ".join(tags),
            between([byte_size(size) for size
                     in sorted(peak.size for peak in group)]),
            between([f"{share} %" if share else "" for share
                     in sorted(peak.share[0] for peak in group)])))
    ends = [*accumulate(2 + max(map(len, column)) for column in zip(*cells))]
    for line, (group, (_, *columns)) in enumerate(zip(groups, cells), row):
        names = led(group[0].share[1], medium.code_room - ends[2])
        texts += [(line, end, text, "") for end, text
                  in zip(ends, (*columns, names))]
    return texts


def between(texts: Sequence[str]) -> str:
    """The first and the last one: 1.2 to 3 MiB."""
    low, high = texts[0], texts[-1]
    if low == high:
        return low
    number, blank, unit = low.partition(" ")
    return f"{number if high.endswith(blank + unit) else low} to {high}"


def of_flags(remarks: Remarks, row: int, most: int) -> List[Text]:
    """So many of the call stacks."""
    room = remarks.medium.code_room
    tags = [(f"[{remarks.tag(flag)}]", flag)
            for flag in explained(remarks, most)]
    wide = max([len(tag) + 1 for tag, _ in tags] + [4])
    texts = []
    for line, (tag, flag) in enumerate(tags, row):
        texts += [(line, 0, tag,
                   f"textcolor '{remarks.curves[flag.curve].colour}'"),
                  (line, wide, shorten(printable(flag.entry.legend),
                                       room - wide), "")]
    return texts


def explained(remarks: Remarks, room: int) -> List[Flag]:
    """A flag for each entry in the legend: those with the most rows, and
    among equals those shown, the highest first.
    """
    rows = Counter(flag.key for flag in remarks.numbered)
    flags: Dict[Tuple[int, int], Flag] = {}
    for flag in [point for box in remarks.boxes for point in box.points
                 if isinstance(point, Flag)] + remarks.numbered:
        if flag.entry.legend:
            flags.setdefault(flag.key, flag)
    most = sorted(flags.values(), key=lambda flag: -rows[flag.key])
    return sorted(most[:room], key=lambda flag: flag.key)
