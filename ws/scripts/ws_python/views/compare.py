# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares two runs side by side, and finds the code whose memory grew."""

from dataclasses import replace
from typing import Dict, List, Sequence

from ws_python.base.text import VIA
from ws_python.base.units import (BYTES, CHANGE, COUNT, GROWTH, MS, NAMES,
                                  PERCENT, SET, TEXT, Real, count, exact_time,
                                  large, noun, short_time)
from ws_python.base.view import Column, Table, View, columns_from
from ws_python.report.about import facts_in_words, facts_of
from ws_python.report.compositions import RESIDENT, unit_szB
from ws_python.report.growth import (Change, Growth, SetWindow, growth_between,
                                     largest_of_both, memory_between,
                                     title_of_window)
from ws_python.report.kept import WORDS
from ws_python.report.report import Report, titled
from ws_python.report.sizes import (STATISTICS, end_of, instructions_of,
                                    limit_of, resident_of, sizes_of,
                                    windows_to_say)
from ws_python.report.stacks import Paths, by_known_name
from ws_python.report.tree import trees_of

MOST_SHOWN = 10
SHOWN_TO_PEOPLE = "p50", "p95", "peak"    # to people, as the answer has them
MOMENTS = ("The runs may be doing different work when they use most memory: "
           "what differs need not have changed.")
MUCH_MORE = 1.25
OTHER_WORK = ("The runs executed {} and {} instructions: windows of the same "
              "length do not cover the same work.")
OTHER_ARGUMENTS = ("The runs had different arguments: they may have done "
                   "different work.")
AS_WIDE = ("A function is as wide as its pages in the sample that has more of "
           "them. Red ones grew, and blue ones shrank: the stronger the colour, "
           "the more.")


def size_of_growth(growth: Growth) -> Real:
    change = growth[1].change or 0
    return max(change, -change)


def sum_of_growth(name: str, growths: Sequence[Growth]) -> Growth:
    return [name], Change(sum(d.first or 0 for _, d in growths),
                          sum(d.second or 0 for _, d in growths))


class Comparison:
    """Two reports, compared in some sets; or two samples of memory, by their
    names, of reports that may be the same.
    """

    def __init__(self, first: Report, second: Report, wanted: Sequence[str],
                 at: Sequence[str] = ()):
        self.both, self.wanted = (first, second), wanted
        self.page, self.unit = first.page_szB, second.unit
        # The windows for people, if both have one of these; or all.
        self.windows = [tau for tau in windows_to_say(second)
                        if tau in first.windows] or second.windows
        self.samples = (memory_between(self.both, at) if at
                        else largest_of_both(self.both, wanted))
        self.is_one = first is second

    def differences(self, is_long: bool) -> Table:
        """Make a table of the windows that both have; for people, of a few."""
        first, second = (
            {(window.set, window.tau): window
             for window in sizes_of(report, self.wanted)}
            for report in self.both)
        rows = []
        if is_long:
            rows.append(("", 0, "instructions",
                         Change(*map(instructions_of, self.both))))
        rows += [(RESIDENT, 0, name, Change(*map(of, self.both))) for name, of
                 in (("peak", resident_of), ("limit", limit_of))]
        rows += [(*key, name, Change(window.statistic(name),
                                     second[key].statistic(name)))
                 for key, window in first.items() if key in second
                 and (is_long or window.tau in self.windows)
                 for name in (STATISTICS if is_long else SHOWN_TO_PEOPLE)
                 if name != "total" or window.first]
        # Estimates have neither bound nor resident memory.
        rows = [(name, tau, statistic, d) for name, tau, statistic, d in rows
                if statistic != "bound" and name != RESIDENT
                or d != Change(None, None)]
        return self.table("Differences", self.page, columns_from(
            [("set", SET), ("tau", TEXT), ("statistic", TEXT)],
            [(name or "run", (count(tau) if is_long else exact_time(
                tau, self.unit)) if tau else "-", statistic)
             for name, tau, statistic, _ in rows]),
            [row[-1] for row in rows], [], is_long)

    def who_grew(self, is_long: bool) -> Dict[SetWindow, Table]:
        """Make tables of the largest changes, and the sum of the others."""
        tables: Dict[SetWindow, Table] = {}
        for key, samples in self.samples.items():
            growths = growth_between(self.both, samples)
            changed = sorted((growth for growth in growths if growth[1].change),
                             key=size_of_growth, reverse=True)
            shown = changed[:MOST_SHOWN]
            rest = [growth for growth in growths if growth not in shown]
            if changed:
                rows = [*shown]
                if rest:
                    rows.append(sum_of_growth("others", rest))
                rows.append(sum_of_growth("all", growths))
                tables[key] = self.table(
                    f"Who grew: {title_of_window(key, self.unit)}",
                    unit_szB(key[0], self.page), [],
                    [d for _, d in rows], [Column("origin", TEXT, [
                        VIA.join(names) for names, _ in rows])], is_long)
                tables[key].sentences = [self.moments(key)]
        return tables

    def moments(self, key: SetWindow) -> str:
        """Say when the samples were taken that a table compares."""
        first, second = (short_time(
            sample.time, None if self.is_one else end_of(report), self.unit)
                         for report, sample in zip(self.both, self.samples[key]))
        unit = "" if self.unit == MS else f" {self.unit}"
        if self.is_one:
            return f"From {first} to {second}{unit}."
        return f"At {first}{unit} in the first run, at {second} in the second."

    def table(self, title: str, page: int, left: Sequence[Column],
              changes: Sequence[Change], right: Sequence[Column],
              is_long: bool) -> Table:
        """Make a table of changes in bytes; the long one is in pages."""
        factor = 1 if is_long else page
        unit, change = (COUNT, CHANGE) if is_long else (BYTES, GROWTH)
        if is_long:
            title += f", in {noun(page)}"
        return Table(title, [
            *left, *columns_from(
                [("first", unit), ("second", unit), ("change", change),
                 ("percent", PERCENT, "%")],
                [(*(None if value is None else value * factor
                    for value in (d.first, d.second, d.change)), d.percent)
                 for d in changes]), *right])

    def view(self, width: int, is_long: bool) -> View:
        """Make a view of the numbers, and of who grew."""
        first, second = self.both
        if self.is_one:
            return View("compare", titled("What grew", first), [
                *self.who_grew(is_long).values()], self.page, self.unit)
        taus = second.windows if is_long else self.windows
        shown = {key: table for key, table in self.who_grew(is_long).items()
                 if not key[1] or key[1] in taus}
        facts = [facts_in_words(report, width) for report in self.both]
        both = [line for line in facts[0] if line in facts[1]]
        arguments = {report.header.get("Command", "").partition(" ")[2]
                     for report in self.both}
        notes = [OTHER_ARGUMENTS] if len(arguments) > 1 else []
        work = [instructions_of(report) or 0 for report in self.both]
        if max(work) > MUCH_MORE * min(work) > 0:
            notes.append(OTHER_WORK.format(*map(large, work)))
        if shown:
            notes.append(MOMENTS)
        notes += [f"Only {report.name} has the windows {', '.join(taus)}."
                  for report, other in ((first, second), (second, first))
                  for taus in [[count(tau) for tau in report.windows
                                if tau not in other.windows]] if taus]
        return View("compare", "", [
            facts_of(self.both), self.differences(is_long), *shown.values()],
            self.page, self.unit, notes=notes, lines=[
                line for title, lines in zip(("First run", "Second run"), facts)
                for line in (title, *(line for line in lines
                                      if line not in both), "")
                ] + ["Both", *both])

    def title(self, name: str, tau: int) -> str:
        return (f"{NAMES[name]} in {exact_time(tau, self.unit)}" if tau
                else WORDS[name].capitalize())

    def graphs(self) -> List[View]:
        """Make a view of each sample, with trees of both; only those that have
        changed have tables.
        """
        before, after = (Paths(report.compositions, by_known_name)
                         for report in self.both)
        tables = self.who_grew(False)
        return [View(
            f"{key[0]}-{key[1]}", self.title(*key),
            # The sentence is above the graph, not in the table that unfolds.
            [*trees_of(second.origins, after, (first.origins, before)),
             *(replace(tables[of], sentences=[]) for of in [key]
               if of in tables)],
            unit_szB(key[0], self.page), self.unit, [
                AS_WIDE, self.moments(key), *([] if self.is_one else [MOMENTS])])
            for key, (first, second) in self.samples.items()]
