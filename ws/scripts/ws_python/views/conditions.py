# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges conditions that shall not hold: --fail-if 'data.p95 > 110%'."""

import operator
import re
from dataclasses import dataclass
from fractions import Fraction
from shlex import quote
from typing import List, Optional, Sequence, Tuple, Union

from ws_python.base.text import VIA, Failure, cut, printable
from ws_python.base.units import (COUNT, READ_AS, SIZES_READ, TEXT, YES, Number,
                                  count, exact_time, pages_and_size,
                                  parse_any_time, parse_time, short_time)
from ws_python.base.view import Table, columns_from
from ws_python.report.compositions import (LIVE_AT_END, OF_HEAP, RESIDENT,
                                           live_of, unit_szB)
from ws_python.report.growth import (BothReports, Deciding, SetWindow, deciding,
                                     growth_between, owners_of, share_code,
                                     title_of_window)
from ws_python.report.kept import heap_at
from ws_python.report.report import Report
from ws_python.report.sizes import (OF_RUN, is_percentile, limit_of, no_sample,
                                    resident_of, sizes_of)

OPERATORS = {">": operator.gt, ">=": operator.ge, "<": operator.lt,
             "<=": operator.le, "==": operator.eq, "!=": operator.ne}
FULL_UNITS = {"k": "KiB", "K": "KiB", "M": "MiB", "G": "GiB"}
MEANT = {**READ_AS, "memory": RESIDENT}
OF_MEMORY = {RESIDENT: resident_of, "limit": limit_of}
MOST_GROWTHS = 3            # with a verdict
LONGEST_GROWTH = 60         # of their names
NOT_GROWN = ": what differs need not have grown."
PAGE_NAMES = ("", "page", "pages", "line", "lines")
# The window is one of the report's, or else that of the answer; % is of the
# same number in the first report of compare, and no unit means pages.
GRAMMAR = re.compile(
    r"\s*(?:(?P<memory>memory|resident|limit|live(\.end)?)|"
    r"(?P<set>insn|data|dirty|code|written)"
    r"(\.(?P<tau>[0-9]{1,20}(\.[0-9]{1,9})? ?[A-Za-z]{0,2}))?"
    r"\.(?P<statistic>avg|peaks|peak|bound|total|p[1-9][0-9]?))"
    r"\s*(?P<operator>>=|<=|==|!=|>|<)"
    r"\s*(?P<number>[0-9]{1,20}(\.[0-9]{1,9})?)\s*"
    r"(?P<unit>%|[A-Za-z]*)\s*")


@dataclass(frozen=True)
class Condition:
    """A condition, as the user wrote it."""
    text: str
    set: str                    # or resident, limit, live, live.end
    tau: Optional[str]          # with its suffix, if it has one
    statistic: str
    operator: str
    number: Fraction
    unit: str                   # "" for pages, or for a number of peaks

    @property
    def name(self) -> str:
        """The number that is compared."""
        return self.text.partition(self.operator)[0].strip()


@dataclass
class Verdict:
    """The result of a condition for a report."""
    condition: Condition
    report: Report
    value: Number               # pages, or peaks
    limit: Number
    failed: bool                # the condition holds, and shall not
    first: Optional[Report]     # that of compare
    hint: str                   # of the user, for those who see that it failed

    def line(self) -> str:
        def show(value: Number) -> str:
            return (count(value) if self.condition.statistic == "peaks"
                    else pages_and_size(value, unit_szB(
                        self.condition.set, self.report.page_szB)))

        return (f"{'FAILED' if self.failed else 'passed'}  "
                f"{self.condition.text}: {show(self.value)}, compared with "
                f"{show(self.limit)}: {self.report.name}")

    def lines(self) -> List[str]:
        """Print the verdict; if it failed, with growth and the user's hint."""
        more = self.who_grew(self.first) if self.failed and self.first else []
        if self.failed and self.hint:
            more.append(f"Hint: {self.hint}")
        return [self.line(), *(f"        {line}" for line in more)]

    def who_grew(self, first: Report) -> List[str]:
        """Tell whose pages grew most in the samples that decide."""
        both, key = (first, self.report), key_of(self.condition, self.report)
        name, unit = self.condition.statistic, self.report.unit
        if key[0] == RESIDENT:
            key = owners_of(both), 0
        page = unit_szB(key[0], self.report.page_szB)
        before, now = (deciding(report, key, name) for report in both)
        if not before or not now:
            return []
        growths = growth_between(both, (before.kept, now.kept))
        grown = [f"+{pages_and_size(d.change, page)}  "
                 + cut(VIA.join(names), LONGEST_GROWTH)
                 for names, d in growths[:MOST_GROWTHS]
                 if d.change and d.change > 0]
        which, at, lines = "the largest sample", "", []
        if is_percentile(name):
            at = " (at {} before, {} now)".format(*(
                short_time(kept.time, None, unit)
                for kept in (before.kept, now.kept)))
            which = f"the sample at {name}"
            if any(sample.kept.time != sample.time
                   for sample in (before, now)):
                which = f"the kept sample nearest to {name}"
                times = sorted({before.time, now.time})
                lines = [f"{name} itself is at {before.time:,} before, "
                         f"{now.time:,} now: --ws-info-at="
                         f"{','.join(map(str, times))} of ws keeps these."]
        title = f"Who grew most in {title_of_window(key, unit, which)}{at}:"
        if grown:
            grown.insert(0, title)
        return [*grown, *lines, *apart(both, (before, now))]


def apart(both: BothReports, samples: Sequence[Deciding]) -> List[str]:
    """Say that these samples do different work, and what to type next."""
    files = [quote(report.name) for report in both]
    before, now = ([*dict.fromkeys(phase.name for phase in (
        sample.phase, sample.other) if phase)] for sample in samples)
    phase = samples[1].phase
    if before and phase and len({*before, *now}) > 1:
        ends = [f"--{name}={quote(printable(label))} " for name, label in (
            ("from", phase.first), ("to", phase.last)) if label is not None]
        return [f"These are different phases, {' and '.join(before)} before, "
                f"{' and '.join(now)} now{NOT_GROWN}",
                f"Next: ws_print compare {''.join(ends)}{' '.join(files)}"]
    if share_code(both, [sample.kept for sample in samples]):
        return []
    return [f"These have no code in common{NOT_GROWN}", *(
        f"Next: ws_print tree --at={sample.kept.time_name} {file}"
        for sample, file in zip(samples, files))]


# The name of a report, and the report, or the reason why it cannot be read.
Loaded = Tuple[str, Union[Report, Failure]]
Judged = Tuple[Condition, str, Union[Verdict, Failure]]


def parse_condition(text: str) -> Condition:
    """Read a condition.  Failure: the text is none."""
    match = GRAMMAR.fullmatch(text)
    if match is None:
        raise Failure(
            f"{text!r} is not like limit > 1GiB, data.p95 > 110% or "
            "data.10M.peak <= 3MiB; it begins with memory (resident), limit, "
            "live, live.end, data, code or written; numbers of the last three "
            "are avg, p1 to p99, peak, bound, total and peaks")
    tau, unit = match["tau"], FULL_UNITS.get(match["unit"], match["unit"])
    if unit != "%" and unit not in (*PAGE_NAMES, *SIZES_READ):
        raise Failure(f"{text!r}: {unit} is no unit; 3MiB is a size, 3000 is "
                      "a number of pages")
    if tau and match["statistic"] in OF_RUN:
        raise Failure(f"{text!r}: {match['statistic']} is of the run, not of "
                      "a window")
    if unit == "%" and match["operator"][0] == ">" and 0 < float(match["number"]) < 50:
        raise Failure(f"{text!r}: % is of the first report's number; 105% is what "
                      "has grown by 5 %")
    if match["statistic"] == "peaks" and unit not in ("", "%"):
        raise Failure(f"{text!r}: peaks have no unit")
    try:
        is_window = not tau or parse_any_time(tau) > 0
    except ValueError:
        is_window = False
    if not is_window:
        raise Failure(f"{text!r}: {tau} is no window")
    name = match["set"] or match["memory"]
    return Condition(printable(text.strip()), MEANT.get(name, name), tau,
                     match["statistic"] or "peak", match["operator"],
                     Fraction(match["number"]),
                     "" if unit in PAGE_NAMES else unit)


def tau_of(condition: Condition, report: Report) -> int:
    """Return the window of the condition."""
    if condition.tau is None:
        return (report.number("Tau") if condition.statistic in OF_RUN
                else report.main)
    try:
        return parse_time(condition.tau, report.unit)
    except ValueError as error:
        raise Failure(f"{report.name}: {condition.text}: {error}") from None


def value_in(condition: Condition, report: Report) -> Number:
    tau = tau_of(condition, report)
    value: Optional[Number] = None
    if condition.set in OF_MEMORY:
        value = OF_MEMORY[condition.set](report)
    elif condition.set in OF_HEAP:
        value = live_of(heap_at(report, "end" if condition.set == LIVE_AT_END
                                else "peak")).pages
    else:
        for sizes in sizes_of(report, [condition.set]):
            if sizes.tau == tau:
                value = sizes.statistic(condition.statistic)
    if value is None:
        why = no_sample(report)
        windows = ", ".join(exact_time(window, report.unit)
                            for window in report.windows)
        raise Failure(f"{report.name}: does not say {condition.name}"
                      + (f", no sample: {why}" if why else
                         ": it is of the run, not of a part"
                         if report.end is not None
                         and (condition.set in OF_MEMORY
                              or condition.statistic in OF_RUN) else
                         ": no such window lies in this part"
                         if tau in report.windows and report.begin else
                         "" if tau in report.windows else
                         f"; its windows: {windows}"))
    return value


def key_of(condition: Condition, report: Report) -> SetWindow:
    """Choose the set to search for growth; for totals, resident memory."""
    if condition.set in OF_MEMORY or condition.statistic == "total":
        return RESIDENT, 0
    if condition.set in OF_HEAP:
        return condition.set, 0
    return condition.set, tau_of(condition, report)


def same_window(condition: Condition, report: Report, first: Report) -> None:
    """Check that both have one window, if the condition names none."""
    taus = [exact_time(tau_of(condition, run), run.unit)
            for run in (report, first)]
    if key_of(condition, report)[1] and taus[0] != taus[1]:
        raise Failure(f"{report.name}: {condition.text}: its window is "
                      f"{taus[0]}, but {taus[1]} in {first.name}; a condition "
                      "can name a window: data.10M.p95")


def judge(condition: Condition, report: Report, first: Optional[Report],
          hint: str) -> Verdict:
    """Compare exactly.  The first report is that of compare."""
    value = value_in(condition, report)
    used = [report]
    if condition.unit == "%":
        assert first is not None
        used.append(first)
        same_window(condition, report, first)
        limit = condition.number * value_in(condition, first) / 100
    elif condition.unit:
        page = unit_szB(condition.set, report.page_szB)
        if not page:
            raise Failure(f"{report.name}: does not say its page size")
        limit = condition.number * SIZES_READ[condition.unit] / page
    else:
        limit = condition.number
    holds = OPERATORS[condition.operator](value, limit)
    cut = [run.name for run in used if not run.complete]
    if cut and not holds:
        # A run that died early shall not pass.
        raise Failure(f"{cut[0]}: is truncated, so nobody knows whether "
                      f"{condition.text} holds in the end")
    return Verdict(condition, report, value,
                   limit if limit.denominator > 1 else int(limit), holds,
                   first, hint)


def judge_all(conditions: Sequence[Condition], loaded: Sequence[Loaded],
              diff: bool, together: Optional[Report],
              hint: str) -> List[Judged]:
    """Judge each report; conditions on memory judge the report of all processes
    `together`, if any.  With `diff`, the first report is only compared with.
    """
    first = loaded[0][1] if diff else None
    judged: List[Judged] = []
    for condition in conditions:
        for name, report in ([(together.name, together)]
                             if together and condition.set in OF_MEMORY
                             else loaded[diff:]):
            verdict: Union[Verdict, Failure]
            try:
                if isinstance(report, Failure):
                    raise report
                if isinstance(first, Failure) and condition.unit == "%":
                    raise first
                verdict = judge(condition, report,
                                first if isinstance(first, Report) else None,
                                hint)
            except Failure as failure:
                verdict = failure
            judged.append((condition, name, verdict))
    return judged


def table_of_verdicts(verdicts: Sequence[Verdict]) -> Table:
    """Make a table for programs; values are pages, or peaks."""
    return Table("Conditions", columns_from([
        ("condition", TEXT), ("report", TEXT), ("value", COUNT),
        ("limit", COUNT), ("holds", YES)], [
            (verdict.condition.text, verdict.report.name, verdict.value,
             verdict.limit, int(verdict.failed))
            for verdict in verdicts]), is_long=True)
