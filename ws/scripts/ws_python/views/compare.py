# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares two runs side by side, and finds the code whose memory grew."""

from dataclasses import dataclass
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from ws_python.base.text import VIA, Failure
from ws_python.base.units import (BYTES, CHANGE, COUNT, GROWTH, NAMES, PERCENT,
                                  SET, SETS, TEXT, Number, count, exact_time,
                                  noun)
from ws_python.model.about import facts_in_words, facts_of
from ws_python.model.compositions import RESIDENT, Kept
from ws_python.model.report import Report
from ws_python.model.sizes import (STATISTICS, instructions_of, limit_of,
                                   resident_of, sizes_of, windows_to_say)
from ws_python.model.stacks import (Paths, Share, by_known, by_known_name,
                                    origins_of)
from ws_python.model.tree import trees_of
from ws_python.model.view import Column, Shown, Table, View, columns_from

# Keys that must be the same in reports whose pages are compared or added.
HEADER: Dict[str, Callable[[Report], object]] = {
    "Page size": lambda report: report.page_szB,
    "Time unit": lambda report: report.unit}


MOST_SHOWN = 10
SHOWN_TO_PEOPLE = "p50", "p95", "peak"    # to people, as the answer has them
MOMENTS = ("The runs may be at other work when the sample of a window is "
           "largest: what differs need not have changed.")
AS_WIDE = ("A function is as wide as its pages in the second run. Red ones "
           "grew, and blue ones shrank: the stronger the colour, the more.")
SetWindow = Tuple[str, int]     # a set and its window; 0: resident memory


@dataclass
class Difference:
    """The values of one number; None: not in the report."""
    set: str
    tau: int
    statistic: str
    first: Optional[Number]
    second: Optional[Number]

    @property
    def change(self) -> Optional[Number]:
        if self.first is None or self.second is None:
            return None
        return self.second - self.first

    @property
    def percent(self) -> Optional[float]:
        """The change in percent; None: there was nothing before."""
        if self.change is None or not self.first:
            return 0.0 if self.change == 0 else None
        return float(100 * self.change / self.first)


Growth = Tuple[List[str], Difference]   # names of the code, and pages


def compared_columns(found: Sequence[Difference], szB: int = 0) -> List[Column]:
    """Make columns of pages; given their size, of bytes."""
    units = (BYTES, BYTES, GROWTH) if szB else (COUNT, COUNT, CHANGE)
    return columns_from(
        [*zip(("first", "second", "change"), units), ("percent", PERCENT, "%")],
        [(*(None if value is None else value * (szB or 1)
            for value in (d.first, d.second, d.change)), d.percent)
         for d in found])


def comparable(reports: Sequence[Report]) -> None:
    """Check that reports count the same things.  Failure: they do not."""
    for key, of in HEADER.items():
        # A cut may have taken the key, and then all numbers.
        known = [report for report in reports if key in report.header]
        for report in known[1:]:
            if of(report) != of(known[0]):
                raise Failure(f"{report.name}: {key} {of(report)}, but "
                              f"{of(known[0])} in {known[0].name}")


def windows_of(first: Report, second: Report) -> List[int]:
    """Return the windows for people, if both have one of these; or all."""
    return [tau for tau in windows_to_say(second)
            if tau in first.windows] or second.windows


def differences(first: Report, second: Report, wanted: Sequence[str],
                is_long: bool) -> Table:
    """Make a table of the sets and windows that both reports have; for people,
    of some windows and statistics.
    """
    others = {(some.set, some.tau): some for some in sizes_of(second, wanted)}
    every = [Difference("", 0, "instructions", instructions_of(first),
                        instructions_of(second))] * is_long
    every += [Difference(RESIDENT, 0, name, of(first), of(second)) for name, of
              in (("peak", resident_of), ("limit", limit_of))]
    every += [Difference(some.set, some.tau, name, some.statistic(name),
                         others[some.set, some.tau].statistic(name))
              for some in sizes_of(first, wanted)
              if (some.set, some.tau) in others
              and (is_long or some.tau in windows_of(first, second))
              for name in (STATISTICS if is_long else SHOWN_TO_PEOPLE)
              if name != "total" or some.first]
    # Estimates have neither bound nor resident memory.
    found = [d for d in every if d.statistic != "bound" and d.set != RESIDENT
             or d.first is not None or d.second is not None]
    return Table(
        "Differences" + f", in {noun(first.page_szB)}" * is_long,
        [*columns_from(
            [("set", SET), ("tau", TEXT), ("statistic", TEXT)],
            [(d.set or "run", (count(d.tau) if is_long else exact_time(
                d.tau, second.unit)) if d.tau else "-", d.statistic)
             for d in found]),
         *compared_columns(found, 0 if is_long else first.page_szB)])


def largest_by_window(report: Report, wanted: Sequence[str]
                      ) -> Dict[SetWindow, Kept]:
    """Find what to compare: the largest samples of memory and each window."""
    keys = [(RESIDENT, 0), *(
        (name, tau) for name in SETS if name in wanted
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


def only_in(some: Dict[str, Share], other: Dict[str, Share]) -> Dict[str, str]:
    """Return names that only one run has, by the functions in them."""
    found: Dict[str, List[str]] = {}
    for name in some.keys() - other.keys():
        found.setdefault(name.rpartition(" (")[0], []).append(name)
    return {function: names[0] for function, names in found.items()
            if function and not names[1:]}


def follow_moves(before: Dict[str, Share], after: Dict[str, Share]) -> None:
    """Give functions that went to another file the name of now."""
    gone, new = only_in(before, after), only_in(after, before)
    for function in gone.keys() & new.keys():
        before[new[function]] = before.pop(gone[function])


def growths(first: Report, second: Report,
            wanted: Sequence[str]) -> Dict[SetWindow, List[Growth]]:
    """Compare samples that both reports have, the largest growth first."""
    reports = (first, second)
    kept = [largest_by_window(report, wanted) for report in reports]
    paths = [Paths(report.compositions, by_known) for report in reports]
    found: Dict[SetWindow, List[Growth]] = {}
    for key in kept[0]:
        if key in kept[1]:
            before, after = (by_name(some[key], path)
                             for some, path in zip(kept, paths))
            follow_moves(before, after)
            found[key] = sorted(
                ((share.names, Difference(*key, "largest", *(
                    some[name].pages if name in some else 0
                    for some in (before, after))))
                 for name, share in {**before, **after}.items()),
                key=lambda growth: (-(growth[1].change or 0), growth[0]))
    return found


def title_of_window(key: SetWindow, report: Report) -> str:
    name, tau = key
    return "resident memory" if name == RESIDENT else (
        f"the largest sample of {SETS[name]} in {exact_time(tau, report.unit)}")


def view(first: Report, second: Report, wanted: Sequence[str], width: int,
         is_long: bool) -> View:
    """Make a view of the numbers, and of who_grew()."""
    taus = second.windows if is_long else windows_of(first, second)
    shown = {key: table for key, table in who_grew(
        first, second, wanted, is_long).items()
             if key[0] == RESIDENT or key[1] in taus}
    parts: List[Shown] = [
        facts_of([first, second]), differences(first, second, wanted, is_long),
        *shown.values()]
    facts = [facts_in_words(report, width) for report in (first, second)]
    both = [line for line in facts[0] if line in facts[1]]
    notes = [MOMENTS] * any(tau for _, tau in shown)
    notes += [f"Only {report.name} has the windows {', '.join(taus)}."
              for report, other in ((first, second), (second, first))
              for taus in [[count(tau) for tau in report.windows
                            if tau not in other.windows]] if taus]
    return View("compare", "", parts, first.page_szB, second.unit, notes=notes,
                lines=[line for title, lines in zip(
                    ("First run", "Second run"), facts) for line in (
                    title, *(line for line in lines if line not in both), "")]
                + ["Both", *both])


def graphs(first: Report, second: Report,
           wanted: Sequence[str]) -> List[View]:
    """Make a view of each sample that has changed, with trees of both runs."""
    kept = [largest_by_window(report, wanted) for report in (first, second)]
    paths = [Paths(report.compositions, by_known_name)
             for report in (first, second)]
    return [View(f"{key[0]}-{key[1]}", f"{NAMES[key[0]]} in "
                 + exact_time(key[1], second.unit) if key[1]
                 else "Resident memory", [
        *trees_of(kept[1][key].parts, paths[1], (kept[0][key].parts,
                                                 paths[0])), table],
                 first.page_szB, second.unit, [AS_WIDE, *[MOMENTS] * bool(key[1])])
            for key, table in who_grew(first, second, wanted, False).items()]


def who_grew(first: Report, second: Report, wanted: Sequence[str],
             is_long: bool) -> Dict[SetWindow, Table]:
    """Make tables of the largest changes, and the sum of the others."""
    tables: Dict[SetWindow, Table] = {}
    for key, found in growths(first, second, wanted).items():
        changed = sorted((one for one in found if one[1].change),
                         key=lambda growth: -abs(growth[1].change or 0))
        if changed:
            rest = [one for one in found if one not in changed[:MOST_SHOWN]]
            rows = [*changed[:MOST_SHOWN], *[sum_of_growth("others", rest)]
                    * bool(rest), sum_of_growth("all", found)]
            tables[key] = Table(
                f"Who grew: {title_of_window(key, second)}"
                + f", in {noun(first.page_szB)}" * is_long,
                [*compared_columns([d for _, d in rows],
                                   0 if is_long else first.page_szB),
                 Column("origin", TEXT, [VIA.join(names)
                                         for names, _ in rows])])
    return tables


def sum_of_growth(name: str, found: Sequence[Growth]) -> Growth:
    return [name], Difference("", 0, "", sum(d.first or 0 for _, d in found),
                              sum(d.second or 0 for _, d in found))
