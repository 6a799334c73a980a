# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages for a browser: the views in them."""

from argparse import Namespace
from dataclasses import replace
from typing import List, Sequence

from ws_python.base.units import NAMES
from ws_python.cli.log_views import view_of
from ws_python.model.report import Headed, Report, samples_of
from ws_python.model.sizes import KINDS, work_of
from ws_python.model.view import Finding, View
from ws_python.show.html.fit import LONGEST_NAME
from ws_python.show.html.page import page_of, page_with
from ws_python.show.html.payload import comparison
from ws_python.views import curve, enough, processes, summary
from ws_python.views.answer import answer, memory
from ws_python.views.compare import Comparison

ANSWER_WIDTH = 130          # characters of a line of the answer
MOST_PAGES = 100            # of lists, and mappings


def views_of(report: Report, wanted: Sequence[str]) -> List[View]:
    """Make the views of a report, the answer first."""
    options = Namespace(log=False, no_info=False, tau=report.windows,
                        set=[name for name in KINDS if name in wanted])
    found = [summary.view(report, wanted, False, 0, ANSWER_WIDTH,
                          answer(report, wanted, ANSWER_WIDTH))]
    if samples_of(report, "t"):
        found.append(curve.view([report], options))
    if report.end is not None:      # a part has a profile of its windows
        report = replace(report, profile=enough.profile_of_windows(report))
    if any(map((report.profile or {}).get, wanted)):
        found.append(enough.view([report], options))
    tables = [*summary.details(report, wanted, MOST_PAGES)]
    if tables:
        found.append(View("tables", "Tables", tables, report.page_szB,
                          report.unit))
    return found


def page_of_reports(reports: Sequence[Report], logs: Sequence[Headed],
                    options: Namespace, verdicts: Sequence[Finding]) -> str:
    """Make a page; processes that did the most work are first."""
    wanted = [name for name in NAMES if name in options.set]
    reports = sorted(reports, key=work_of, reverse=True)
    together = processes.view(reports, wanted, True, LONGEST_NAME,
                              memory) if reports[1:] else None
    return page_of(reports, [views_of(report, wanted) for report in reports],
                   together, verdicts, logs, options, view_of)


def page_of_two(reports: Sequence[Report], options: Namespace,
                verdicts: Sequence[Finding]) -> str:
    """Make a page of two reports that are compared."""
    found = Comparison(*reports, options.set)
    return page_with(comparison(reports, found.view(ANSWER_WIDTH, False),
                                found.graphs(), verdicts))
