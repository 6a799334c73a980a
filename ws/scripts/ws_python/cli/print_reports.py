# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers ws_print answer, all and processes, and judges reports."""

import time
from typing import TYPE_CHECKING, List, NamedTuple, Sequence

from ws_python.base.later import Later
from ws_python.base.text import Failure, printable
from ws_python.base.view import View
from ws_python.cli.output import check_output, show, shown, write
from ws_python.cli.reading import load_one
from ws_python.cli.request import CommandLine, Misuse
from ws_python.report.files import name_of_file
from ws_python.report.report import Report
from ws_python.show.terminal.view import heading
from ws_python.views import summary
from ws_python.views.answer import answer, memory

if TYPE_CHECKING:
    from ws_python.cli import trend
    from ws_python.show.data import junit
    from ws_python.views import conditions, processes
    from ws_python.views.conditions import Loaded, Verdict
else:
    junit = Later("ws_python.show.data.junit")
    trend = Later("ws_python.cli.trend")
    conditions = Later("ws_python.views.conditions")
    processes = Later("ws_python.views.processes")


class Outcome(NamedTuple):
    """Reports, and what their conditions say."""
    reports: List[Report]
    verdicts: "List[Verdict]"

    def lines(self, width: int) -> List[str]:
        if not self.verdicts:
            return []
        return heading("Conditions", width) + [
            line for verdict in self.verdicts for line in verdict.lines()]

    def put_into(self, view: View) -> View:
        if self.verdicts:
            view.parts.insert(0, conditions.table_of_verdicts(self.verdicts))
        return view

    def code(self) -> int:
        """Return the exit code."""
        return int(any(verdict.failed for verdict in self.verdicts))


def comparable(reports: Sequence[Report]) -> None:
    """Check that reports count the same things.  Failure: they do not."""
    for key, name in (("Page size", "page_szB"), ("Time unit", "unit")):
        # A cut may have taken the key, and then all numbers.
        known = [(getattr(report, name), report) for report in reports
                 if key in report.header]
        for value, report in known[1:]:
            if value != known[0][0]:
                raise Failure(f"{report.name}: {key} {value}, but "
                              f"{known[0][0]} in {known[0][1].name}")


def load(line: CommandLine) -> "List[Loaded]":
    """Load all reports.  One that fails has its Failure in its place; if they
    cannot be compared, each has that.
    """
    loaded: "List[Loaded]" = []
    for path in line.files:
        try:
            loaded.append((name_of_file(path), load_one(path, line)))
        except Failure as failure:
            loaded.append((name_of_file(path), failure))
    try:
        comparable([report for _, report in loaded
                    if isinstance(report, Report)])
    except Failure as failure:
        return [(name, failure) for name, _ in loaded]
    return loaded


def check_conditions(line: CommandLine) -> None:
    for name, text in ("junit", line.junit), ("hint", line.hint):
        if text and not line.conditions:
            raise Misuse(f"--{name} is about conditions: it needs --fail-if")
    for condition in line.conditions:
        if condition.unit == "%" and line.view != "compare":
            raise Misuse(f"--fail-if {condition.text}: % needs the view "
                         "compare")


def judged_reports(line: CommandLine) -> Outcome:
    """Load all reports, and judge them; --junit writes also what is wrong."""
    begin = time.monotonic()
    check_conditions(line)
    loaded = load(line)
    reports = [report for _, report in loaded if isinstance(report, Report)]
    is_diff = line.view == "compare"
    together = None
    if line.conditions and len(loaded) == len(reports) > 1 and not is_diff:
        together = processes.together(reports)
    judged = [] if not line.conditions else conditions.judge_all(
        line.conditions, loaded, is_diff, together, printable(line.hint))
    if line.junit:
        check_output(line.junit, "--junit=FILE")
        write(junit.junit([(condition.text, name, result)
                           for condition, name, result in judged],
                          time.monotonic() - begin), line.junit)
    for *_, result in (*loaded, *judged):
        if isinstance(result, Failure):
            raise result
    return Outcome(reports, [verdict for *_, verdict in judged
                            if not isinstance(verdict, Failure)])


def view_of_reports(reports: Sequence[Report], line: CommandLine) -> View:
    in_full = line.view == "all"
    if reports[1:]:
        return processes.view(reports, line.sets, in_full, line.width, memory)
    return summary.view(reports[0], line.sets, in_full, line.top, line.width,
                        answer(reports[0], line.sets, line.width))


def run(line: CommandLine) -> int:
    if line.benchmark_json and line.conditions:
        raise Misuse("--benchmark-json has no verdicts: use --fail-if alone")
    if line.statistics and not line.benchmark_json:
        raise Misuse("--stat is about --benchmark-json")
    judged = judged_reports(line)
    if line.benchmark_json:
        show(trend.trend(judged.reports, line.statistics))
        return 0
    view = judged.put_into(view_of_reports(judged.reports, line))
    show(shown(view, line, judged.lines(line.width)))
    return judged.code()
