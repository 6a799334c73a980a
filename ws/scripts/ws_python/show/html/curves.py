# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes curves for a page, with few numbers for a run of any length."""

from typing import Dict, List, Optional, Sequence, Tuple

from ws_python.model.compositions import FILES, RESIDENT
from ws_python.model.report import Report, samples_of
from ws_python.model.sizes import KINDS
from ws_python.views.process_total import Moment

MOST_OF_A_CURVE = 16000     # points: more than a screen has, to be zoomed
MOST_IN_ALL = 64000
FEWEST = 100                # with very many processes

Curve = Tuple[str, Optional[int]]       # a set and a window
# Curves beside working sets, which are small against these, and their columns.
MEMORY: Dict[Curve, Tuple[str, ...]] = {
    ("touched", None): ("total_insn", "total_data"),
    (RESIDENT, None): (RESIDENT,), ("mapped", None): ("mapped",),
    (FILES, None): (FILES,)}


def points_for(curves: int) -> int:
    """Return the points of each curve, if there are `curves` of them."""
    return max(FEWEST, min(MOST_OF_A_CURVE, MOST_IN_ALL // max(curves, 1)))


def curves(report: Report, wanted: Sequence[str],
           most: int) -> Dict[str, object]:
    """Make curves.  Each point stands for `per` samples, the last one for the
    rest.  It has the time of its last sample, and the smallest, mean and
    largest size: deltas, in tenths of pages for the mean.
    """
    times: Sequence[int] = []
    found: Dict[Curve, Sequence[int]] = {}
    names = {(name, tau): (report.column(KINDS[name], tau),)
             for name in wanted for tau in report.windows}
    for curve, columns in {**names, **MEMORY}.items():
        if all(column in report.columns for column in columns):
            times = samples_of(report, "t")
            found[curve] = [*map(sum, zip(*(samples_of(report, column)
                                            for column in columns)))]
    return points(times, found, most)


def total(moments: Sequence[Moment], wanted: Sequence[str],
          tau: int) -> Optional[Dict[str, object]]:
    """Make the curve of several processes, if they have a common clock.  As in
    a report, a size stands for the time that ends with it.
    """
    if not moments:
        return None
    return points([moment.time for moment in moments[1:]], {
        (name, tau): [moment.pages[name] for moment in moments[:-1]]
        for name in wanted if all(name in moment.pages for moment in moments)},
        MOST_OF_A_CURVE // 4)


def points(times: Sequence[int], sizes: Dict[Curve, Sequence[int]],
           most: int) -> Dict[str, object]:
    per = max(-(-len(times) // most), 1)
    return {"per": per, "samples": len(times),
            "times": runs(deltas([*times[per - 1::per],
                                  *times[-1:] * (len(times) % per > 0)])),
            "curves": [{"set": name, "tau": tau, **(
                {"size": deltas(values)} if per == 1 else bands(values, per))}
                for (name, tau), values in sizes.items()]}


def bands(values: Sequence[int], per: int) -> Dict[str, List[int]]:
    lows, means, highs = [], [], []
    for start in range(0, len(values), per):
        part = values[start:start + per]
        lows.append(min(part))
        highs.append(max(part))
        means.append((20 * sum(part) + len(part)) // (2 * len(part)))
    return {"mean": deltas(means), "low": deltas(lows), "high": deltas(highs)}


def deltas(values: Sequence[int]) -> List[int]:
    return [value - before for before, value in zip([0, *values], values)]


def runs(values: Sequence[int]) -> List[List[int]]:
    """Join equal values, as most intervals are: 5 5 5 7 -> [5, 3] [7, 1]."""
    found: List[List[int]] = []
    for value in values:
        if found and found[-1][0] == value:
            found[-1][1] += 1
        else:
            found.append([value, 1])
    return found
