# SPDX-License-Identifier: GPL-2.0-or-later
"""Conditions that shall not hold: --fail-if 'data.p95 > 110%'.

    condition = set[.tau].statistic operator number[unit]
    set       = insn | data | dirty
    tau       = a window of the report; without it, the first one
    statistic = avg | p1 ... p99 | peak | total | peaks
    operator  = > | >= | < | <= | == | !=
    unit      = % (of the same in the first report of --diff) | pages
                | B | kB | MB | GB (of 1024); without it, pages
"""

import operator
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Optional, Sequence

from ws_python.layout import Number, count, size
from ws_python.reports import Failure, Report
from ws_python.sizes import Sizes, sizes_of
from ws_python.text import printable

OPERATORS = {">": operator.gt, ">=": operator.ge, "<": operator.lt,
             "<=": operator.le, "==": operator.eq, "!=": operator.ne}
UNITS = {"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}
GRAMMAR = re.compile(
    r"\s*(?P<set>insn|data|dirty)(\.(?P<tau>[0-9]{1,20}))?"
    r"\.(?P<statistic>avg|peaks|peak|total|p[1-9][0-9]?)"
    r"\s*(?P<operator>>=|<=|==|!=|>|<)"
    r"\s*(?P<number>[0-9]{1,20}(\.[0-9]{1,9})?)\s*"
    r"(?P<unit>%|pages|B|kB|MB|GB)?\s*")


@dataclass
class Condition:
    """One that was given."""
    text: str
    set: str
    tau: Optional[int]
    statistic: str
    operator: str
    number: Fraction
    unit: str                   # "" for pages, or for a number of peaks

    @property
    def name(self) -> str:
        """What is compared."""
        tau = "" if self.tau is None else f".{self.tau}"
        return f"{self.set}{tau}.{self.statistic}"


@dataclass
class Verdict:
    """What a condition has found in a report."""
    condition: Condition
    report: Report
    value: Number               # pages, or peaks
    limit: Number
    holds: bool

    def line(self) -> str:
        def show(value: Number) -> str:
            return count(value) if self.condition.statistic == "peaks" else (
                f"{count(value)} pages ("
                f"{size(value, self.report.number('Page size'))})")

        return (f"{'FAILED' if self.holds else 'passed'}  "
                f"{self.condition.text}: {show(self.value)}, limit "
                f"{show(self.limit)}: {self.report.name}")


def parse_condition(text: str) -> Condition:
    """ValueError: it is none."""
    match = GRAMMAR.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not like data.p95 > 110%")
    tau, unit = match["tau"], match["unit"] or ""
    if tau and match["statistic"] in ("total", "peaks"):
        raise ValueError(f"{text!r}: {match['statistic']} is of the run, not "
                         "of a window")
    if match["statistic"] == "peaks" and unit not in ("", "%"):
        raise ValueError(f"{text!r}: peaks have no unit")
    return Condition(printable(text.strip()), match["set"],
                     int(tau) if tau else None, match["statistic"],
                     match["operator"], Fraction(match["number"]),
                     "" if unit == "pages" else unit)


def value_in(condition: Condition, report: Report) -> Number:
    def matches(some: Sizes) -> bool:
        return some.first if condition.tau is None else (
            some.tau == condition.tau)

    sizes = next(filter(matches, sizes_of(report, [condition.set])), None)
    value = None if sizes is None else sizes.statistic(condition.statistic)
    if value is None:
        why = report.summary.get("No sample")
        raise Failure(f"{report.name}: does not say {condition.name}"
                      + (f", no sample: {why}" if why else ""))
    return value


def judge(condition: Condition, report: Report,
          first: Optional[Report]) -> Verdict:
    """Compare exactly.  The first report is that of --diff."""
    value = value_in(condition, report)
    used = [report]
    if condition.unit == "%":
        assert first is not None
        used.append(first)
        limit = condition.number * value_in(condition, first) / 100
    elif condition.unit:
        page = report.number("Page size")
        if not page:
            raise Failure(f"{report.name}: does not say its page size")
        limit = condition.number * UNITS[condition.unit] / page
    else:
        limit = condition.number
    holds = OPERATORS[condition.operator](value, limit)
    cut = [one.name for one in used if not one.complete]
    if cut and not holds:
        # A run that died early shall not pass.
        raise Failure(f"{cut[0]}: is truncated, so nobody knows whether "
                      f"{condition.text} holds in the end")
    return Verdict(condition, report, value, limit, holds)


def judge_all(conditions: Sequence[Condition], reports: Sequence[Report],
              first: Optional[Report]) -> Sequence[Verdict]:
    return [judge(condition, report, first) for condition in conditions
            for report in reports]
