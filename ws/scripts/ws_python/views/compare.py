# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares two runs side by side."""

from collections import Counter
from dataclasses import dataclass
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from ws_python.base.failure import Failure
from ws_python.base.units import Number, count, noun
from ws_python.model.compositions import RESIDENT
from ws_python.model.report import Phase, Report, unit_of
from ws_python.model.sizes import (STATISTICS, instructions_of, resident_of,
                                   sizes_of)
from ws_python.show.terminal.layout import heading, table
from ws_python.views.summary import about

# Keys that must be the same in reports whose pages are compared or added.
HEADER: Dict[str, Callable[[Report], object]] = {
    "Page size": lambda report: report.number("Page size"),
    "Time unit": unit_of}


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


def comparable(reports: Sequence[Report]) -> None:
    """Check that reports count the same things.  Failure: they do not."""
    for key, of in HEADER.items():
        # A cut may have taken the key, and then all numbers.
        known = [report for report in reports if key in report.header]
        for report in known[1:]:
            if of(report) != of(known[0]):
                raise Failure(f"{report.name}: {key} {of(report)}, but "
                              f"{of(known[0])} in {known[0].name}")


def differences(first: Report, second: Report,
                wanted: Sequence[str]) -> List[Difference]:
    """Return the differences of sets and windows that both reports have."""
    others = {(some.set, some.tau): some for some in sizes_of(second, wanted)}
    every = [Difference(RESIDENT, 0, "peak", resident_of(first),
                        resident_of(second))]
    every += [Difference(some.set, some.tau, name, some.statistic(name),
                         others[some.set, some.tau].statistic(name))
              for some in sizes_of(first, wanted)
              if (some.set, some.tau) in others for name in STATISTICS
              if name != "total" or some.first]
    # Estimates have neither bound nor resident memory.
    return [d for d in every if d.statistic != "bound" and d.set != RESIDENT
            or d.first is not None or d.second is not None]


def phases_by_name(report: Report) -> Dict[Tuple[str, int], Phase]:
    """Map names, numbered among equal ones, to phases."""
    seen: "Counter[str]" = Counter()
    found: Dict[Tuple[str, int], Phase] = {}
    for phase in report.phases:
        seen[phase.name] += 1
        found[phase.name, seen[phase.name]] = phase
    return found


def phase_differences(first: Report, second: Report, wanted: Sequence[str]
                      ) -> List[Tuple[Phase, Difference]]:
    """Return the differences of phases that both reports have."""
    others = phases_by_name(second)
    found: List[Tuple[Phase, Difference]] = []
    for key, one in phases_by_name(first).items():
        if key not in others:
            continue
        other = others[key]
        found.append((one, Difference("", 0, "instructions", one.instructions,
                                      other.instructions)))
        found += [(one, Difference(name, 0, statistic, before[name],
                                   after[name]))
                  for name in wanted if name in one.pages
                  and name in other.pages
                  for statistic, before, after in (
                      ("pages", one.pages, other.pages),
                      ("avg", one.averages, other.averages),
                      ("max", one.largest, other.largest))]
    return found


def comparison(first: Report, second: Report, wanted: Sequence[str],
               width: int) -> List[str]:
    lines: List[str] = []
    for title, report in (("First run", first), ("Second run", second)):
        lines += heading(title, width) + about(report, width) + [""]
    lines += heading(f"Differences, in {noun(first.number('Page size'))}", width)
    rows = [["run", "", "instructions", count(instructions_of(first)),
             count(instructions_of(second)), *change_of(Difference(
                 "", 0, "", instructions_of(first), instructions_of(second))),
             ""]]
    rows += [[d.set, count(d.tau or None), d.statistic, count(d.first),
              count(d.second), *change_of(d), ""]
             for d in differences(first, second, wanted)]
    lines += table(["set", "tau", "statistic", "first", "second", "change",
                    "%", ""], rows, width, left=1)
    for report, other in ((first, second), (second, first)):
        only = [count(tau) for tau in report.windows
                if tau not in other.windows]
        if only:
            lines += [f"only {report.name} has the windows "
                      + ", ".join(only)]
    both = phase_differences(first, second, wanted)
    if both:
        lines += [""] + heading("Phases of both", width)
        lines += table(
            ["set", "statistic", "first", "second", "change", "%", "phase"],
            [[d.set or "run", d.statistic, count(d.first), count(d.second),
              *change_of(d), phase.name] for phase, d in both], width, left=1)
    return lines


def change_of(difference: Difference) -> Tuple[str, str]:
    change, percent = difference.change, difference.percent
    sign = "+" if change is not None and change > 0 else ""
    return (sign + count(change),
            "-" if percent is None else f"{percent + 0:+.1f}")
