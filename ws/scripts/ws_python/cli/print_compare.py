# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers ws_print compare."""

from dataclasses import replace
from typing import TYPE_CHECKING, List

from ws_python.base.later import Later
from ws_python.base.units import SETS
from ws_python.base.view import Series, View
from ws_python.cli.output import check_output, show, shown, write
from ws_python.cli.print_reports import judged_reports
from ws_python.cli.request import CommandLine, Misuse
from ws_python.report.report import number_of_samples
from ws_python.report.request import Request
from ws_python.views import curve
from ws_python.views.compare import Comparison

if TYPE_CHECKING:
    from ws_python.show.html import page, payload
else:
    page = Later("ws_python.show.html.page")
    payload = Later("ws_python.show.html.payload")


def run(line: CommandLine) -> int:
    if line.samples[2:] or not line.files[1:] and not line.samples[1:]:
        raise Misuse("compare needs two reports, or one and --at twice")
    if line.samples and line.conditions:
        raise Misuse("--fail-if is about whole runs: without --at")
    judged = judged_reports(line)
    first, second = reports = (judged.reports * 2)[:2]
    both = Comparison(first, second, line.sets, (line.samples * 2)[:2])
    lines = judged.lines(line.width)
    if line.output is None:
        show(shown(judged.put_into(both.view(line.width, line.in_full)), line,
                   lines))
        return judged.code()
    check_output(line.output, "compare -o FILE")
    if line.in_full:
        raise Misuse("-o writes a page: no --json, --csv or --tsv")
    write(page.page_with(payload.comparison(
        reports, both.view(payload.ANSWER_WIDTH, False), curves_of_both(both),
        both.graphs(), judged.verdicts)).encode(errors="replace"), line.output)
    show("".join(f"{text}\n" for text in lines))
    return judged.code()


def curves_of_both(both: Comparison) -> List[View]:
    """Make a view of both runs from their beginnings, a series for each set,
    in the shortest window that people are told of.
    """
    tau = both.windows[-1]
    runs = [replace(report, windows=[tau], header={
        key: text for key, text in report.header.items() if key != "Start"})
        for report in both.both]
    if both.is_one or len({run.unit for run in runs}) > 1 or not all(
            map(number_of_samples, runs)):
        return []
    sets = [name for name in SETS if name in both.wanted and all(
        run.column(name, tau) in run.columns for run in runs)]
    views = [curve.view(runs, Request((name,), (tau,), no_info=True))
             for name in sets]
    return [replace(views[0], parts=[
        replace(part, title=both.title(name, tau))
        for name, view in zip(sets, views) for part in view.of(Series)])
        ] if views else []
