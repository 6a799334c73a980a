# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds the code whose memory has grown from one run to another."""

from typing import Dict, List, Sequence, Tuple

from ws_python.base.units import count, exact_time, noun
from ws_python.model.compositions import RESIDENT, Kept
from ws_python.model.origins import Share, origins_of
from ws_python.model.report import SETS, Report, unit_of
from ws_python.model.stacks import Paths, by_known
from ws_python.show.terminal.layout import heading, table
from ws_python.views.compare import Difference, change_of

MOST_SHOWN = 10
Growth = Tuple[List[str], Difference]   # names of the code, and pages
Key = Tuple[str, int]       # a set and its window; resident memory has none


def kept_of(report: Report, wanted: Sequence[str]) -> Dict[Key, Kept]:
    """Find the samples to compare: resident memory when it was largest, and
    the largest samples of each window.
    """
    keys = [(RESIDENT, 0), *(
        (name, tau) for name in SETS.values() if name in wanted
        for tau in sorted(report.windows, reverse=True))]
    found = {key: report.compositions.largest(*key) for key in keys}
    return {key: some for key, some in found.items() if some}


def by_name(kept: Kept, paths: Paths) -> Dict[str, Share]:
    """Add up shares with equal names.  Names have no line: an edit elsewhere
    in the file changes it.
    """
    found: Dict[str, Share] = {}
    for share in origins_of(kept, paths):
        if found.setdefault(share.name, share) is not share:
            found[share.name].pages += share.pages
    return found


def growths(first: Report, second: Report,
            wanted: Sequence[str]) -> Dict[Key, List[Growth]]:
    """Compare samples that both reports have, the largest growth first."""
    reports = (first, second)
    kept = [kept_of(report, wanted) for report in reports]
    paths = [Paths(report.compositions, by_known) for report in reports]
    found: Dict[Key, List[Growth]] = {}
    for key in kept[0]:
        if key in kept[1]:
            before, after = (by_name(some[key], path)
                             for some, path in zip(kept, paths))
            found[key] = sorted(
                ((share.names, Difference(*key, "largest", *(
                    some[name].pages if name in some else 0
                    for some in (before, after))))
                 for name, share in {**before, **after}.items()),
                key=lambda growth: (-(growth[1].change or 0), growth[0]))
    return found


def title_of(key: Key, report: Report) -> str:
    name, tau = key
    return "resident memory" if name == RESIDENT else (
        f"the largest sample of {name} in {exact_time(tau, unit_of(report))}")


def growth_text(first: Report, second: Report, wanted: Sequence[str],
                width: int) -> List[List[str]]:
    """Show the largest changes, and the sum of the others."""
    parts: List[List[str]] = []
    for key, found in growths(first, second, wanted).items():
        changed = sorted((one for one in found if one[1].change),
                         key=lambda growth: -abs(growth[1].change or 0))
        if changed:
            rest = [one for one in found if one not in changed[:MOST_SHOWN]]
            rows = [*changed[:MOST_SHOWN], *[summed("others", rest)] * bool(rest),
                    summed("all", found)]
            parts.append([*heading(f"Who grew: {title_of(key, second)}, in "
                                   + noun(first.number("Page size")), width),
                          *table(["first", "second", "change", "%", ""], [
                              [count(d.first), count(d.second), *change_of(d),
                               " via ".join(names)] for names, d in rows], width)])
    return parts


def summed(name: str, found: Sequence[Growth]) -> Growth:
    return [name], Difference("", 0, "", sum(d.first or 0 for _, d in found),
                              sum(d.second or 0 for _, d in found))
