# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages for a browser: the views in them."""

from argparse import Namespace
from dataclasses import replace
from typing import List, Optional, Sequence

from ws_python.base.text import Failure
from ws_python.base.units import NAMES
from ws_python.base.view import Finding, View
from ws_python.cli.log_views import HEAT_CELLS, largest_of_log, view_of
from ws_python.report.compositions import Compositions
from ws_python.report.report import Headed, Report, samples_of
from ws_python.report.sizes import KINDS, work_of
from ws_python.show.html.fit import LONGEST_NAME, cut_for_page
from ws_python.show.html.page import page_with
from ws_python.show.html.payload import comparison, payload
from ws_python.views import curve, enough, processes, summary
from ws_python.views.answer import answer, memory
from ws_python.views.compare import Comparison

ANSWER_WIDTH = 130          # characters of a line of the answer
MOST_PAGES = 100            # of lists, and mappings
MANY_LOGS = 16              # from here on, maps have half of the columns
VIEWS_OF_LOG = ("heat", "mapping", "code", "thread", "pages", "enough")
PARTS_OF_TIME = 32          # in all logs, each with its largest sample


def views_of(report: Report, wanted: Sequence[str],
             log: Optional[Headed] = None,
             options: Namespace = Namespace()) -> List[View]:
    """Make the views of a report, and of its log with these options; the
    answer is first.
    """
    of_report = Namespace(log=False, no_info=False, tau=report.windows,
                          set=[name for name in KINDS if name in wanted])
    found = [summary.view(report, wanted, False, 0, ANSWER_WIDTH,
                          answer(report, wanted, ANSWER_WIDTH))]
    if samples_of(report, "t"):
        found.append(curve.view([report], of_report))
    if report.end is not None:      # a part has a profile of its windows
        report = replace(report, profile=enough.profile_of_windows(report))
    if any(map((report.profile or {}).get, wanted)):
        found.append(enough.view([report], of_report))
    tables = [*summary.details(report, wanted, MOST_PAGES)]
    if tables:
        found.append(View("tables", "Tables", tables, report.page_szB,
                          report.unit))
    if log:
        found += of_logs([log], VIEWS_OF_LOG, options)
    return found


def of_logs(logs: Sequence[Headed], names: Sequence[str],
            options: Namespace) -> List[View]:
    """Make views of logs; the last one says which there are not."""
    found: List[View] = []
    missing: List[str] = []
    for name in names:
        try:
            found.append(view_of(logs, Namespace(**{
                **vars(options), "view": name})))
        except Failure as failure:
            if name == options.decisive and options.mapping:
                raise       # no mapping has this name
            missing.append(f"Not in this page: {failure}")
    if found:
        found[-1].notes += missing
    return found


def logs_of(reports: Sequence[Report], logs: Sequence[Headed]
            ) -> List[Optional[Headed]]:
    """Find each report's log: that of the same process and command."""
    found: List[Optional[Headed]] = [None] * len(reports)
    for log in logs:
        place = next((
            place for place, report in enumerate(reports)
            if found[place] is None and all(
                report.header.get(key) == log.header.get(key)
                for key in ("PID", "Command"))), None)
        if place is None:
            pid, command = (cut_for_page(log.header.get(key, "?"))
                            for key in ("PID", "Command"))
            names = ", ".join(report.name for report in reports)
            raise Failure(f"{log.name}: is of process {pid}, {command}: of it, "
                          f"there is no report among {names}")
        found[place] = log
    return found


def page_of_reports(reports: Sequence[Report], logs: Sequence[Headed],
                    options: Namespace, verdicts: Sequence[Finding]) -> str:
    """Make a page; processes that did the most work are first."""
    wanted = [name for name in NAMES if name in options.set]
    reports = sorted(reports, key=work_of, reverse=True)
    columns, rows = HEAT_CELLS
    options = Namespace(**{
        **vars(options), "at": None, "tau": options.tau and options.tau[:1],
        "decisive": "process" if logs[1:] else "heat",
        "cells": (columns >> (len(logs) // MANY_LOGS).bit_length(), rows)})
    together = [processes.view(reports, wanted, True, LONGEST_NAME, memory)
                ] if reports[1:] else []
    if logs[1:]:
        together += of_logs(logs, ["process"], options)
    of_reports = logs_of(reports, logs)
    return page_with(payload(
        reports, (views_of(report, wanted, log, options)
                  for report, log in zip(reports, of_reports)),
        [largest_of_log(log, report, wanted, [report.main],
                        max(PARTS_OF_TIME // len(logs), 2))
         if log else Compositions()
         for report, log in zip(reports, of_reports)],
        together, wanted, verdicts))


def page_of_two(reports: Sequence[Report], options: Namespace,
                verdicts: Sequence[Finding]) -> str:
    """Make a page of two reports that are compared."""
    found = Comparison(*reports, options.set)
    return page_with(comparison(reports, found.view(ANSWER_WIDTH, False),
                                found.graphs(), verdicts))
