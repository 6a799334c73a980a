# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers ws_print page: a page for a browser, and the views in it."""

import os
from dataclasses import replace
from typing import TYPE_CHECKING, List, Optional, Sequence, Tuple

from ws_python.base.text import Failure, warn
from ws_python.base.units import NAMES
from ws_python.base.view import Shown, View
from ws_python.cli.output import check_output, show, write
from ws_python.cli.print_reports import Outcome, judged_reports
from ws_python.cli.reading import logs, require_numpy
from ws_python.cli.request import CommandLine, Misuse
from ws_python.report.compositions import HEAP_SET, Compositions
from ws_python.report.files import is_page_log, log_of
from ws_python.report.report import Report, number_of_samples
from ws_python.report.request import Request
from ws_python.report.sizes import KINDS, work_of
from ws_python.show.html.fit import LONGEST_NAME, cut_for_page
from ws_python.show.html.page import page_with
from ws_python.show.html.payload import ANSWER_WIDTH, payload
from ws_python.views import curve, enough, heap, processes, summary
from ws_python.views.answer import answer, memory

if TYPE_CHECKING:
    from ws_python.pagelog.log import PageLog

MOST_PAGES = 100            # of lists, and mappings
MANY_LOGS = 16              # from here on, maps have half of the columns
VIEWS_OF_LOG = ("heat", "mapping", "code", "thread", "pages", "enough")
LAYERS_KEPT = 60            # of which the page shows those of a range
OWNERS = 128                # parts of the time in the heat map that have them
PARTS_OF_TIME = 32          # in all logs, each with its largest sample


def logs_beside(line: CommandLine) -> Tuple[List[str], List["PageLog"]]:
    """Split the files into reports and logs, with the logs that reports name.
    Without any report, the logs are the reports, too.
    """
    given = [*filter(is_page_log, line.files)]
    reports = [path for path in line.files if path not in given]
    paths = {os.path.realpath(path): path for path in (
        *(log_of(path) for path in reports), *given) if path not in reports}
    if not paths:
        return reports, []
    try:
        require_numpy()
    except Failure as failure:
        if given:
            raise
        warn(f"this page is without page logs: {failure}")
        return reports, []
    return reports or given, [logs.part_of(path, line)
                              for path in paths.values()]


def views_of(report: Report, wanted: Sequence[str],
             log: Optional["PageLog"] = None, request: Request = Request(),
             decisive: str = "") -> List[View]:
    """Make the views of a report, the answer first, and those of its log."""
    of_report = Request(sets=(*(kind for kind in KINDS if kind in wanted),),
                        taus=(*report.windows,))
    views = [summary.view(report, wanted, False, 0, ANSWER_WIDTH,
                          answer(report, wanted, ANSWER_WIDTH))]
    if number_of_samples(report):
        views.append(curve.view([report], of_report))
    if report.compositions.largest(HEAP_SET):
        views.append(heap.graph(report, MOST_PAGES))
    if report.end is not None:      # a part has a profile of its windows
        report = replace(report, profile=enough.profile_of_windows(report))
    if any(map((report.profile or {}).get, wanted)):
        views.append(enough.view([report], of_report))
    tables: List[Shown] = [*summary.details(report, wanted, MOST_PAGES)]
    if tables:
        views.append(View("tables", "Tables", tables, report.page_szB,
                          report.unit))
    return views + (of_logs([log], VIEWS_OF_LOG, decisive, request)
                    if log else [])


def of_logs(pagelogs: Sequence["PageLog"], names: Sequence[str], decisive: str,
            request: Request) -> List[View]:
    """Make views of logs; the last one notes which failed, and why.  Failure:
    the `decisive` one has failed, since no mapping has the wanted name.
    """
    views: List[View] = []
    missing: List[str] = []
    for name in names:
        try:
            views.append(logs.view_of(name, pagelogs, request))
        except Failure as failure:
            if name == decisive and request.mapping:
                raise
            missing.append(f"Not in this page: {failure}")
    if views:
        views[-1].notes += missing
    return views


def logs_of(reports: Sequence[Report], pagelogs: Sequence["PageLog"]
            ) -> List[Optional["PageLog"]]:
    """Find each report's log: that of the same process and command."""
    of_reports: List[Optional["PageLog"]] = [None] * len(reports)
    for log in pagelogs:
        place = next((
            place for place, report in enumerate(reports)
            if of_reports[place] is None and all(
                report.header.get(key) == log.header.get(key)
                for key in ("PID", "Command"))), None)
        if place is None:
            pid, command = (cut_for_page(log.header.get(key, "?"))
                            for key in ("PID", "Command"))
            names = ", ".join(report.name for report in reports)
            raise Failure(f"{log.name}: is of process {pid}, {command}: of it, "
                          f"there is no report among {names}")
        of_reports[place] = log
    return of_reports


def page_of_reports(judged: Outcome, pagelogs: Sequence["PageLog"],
                    line: CommandLine) -> str:
    """Make a page; processes that did the most work are first."""
    wanted = [name for name in NAMES if name in line.sets]
    reports = sorted(judged.reports, key=work_of, reverse=True)
    columns, rows = line.cells
    request = replace(
        line, at=None, taus=line.taus[:1], most_layers=LAYERS_KEPT, owners=OWNERS,
        cells=(columns >> (len(pagelogs) // MANY_LOGS).bit_length(), rows))
    together = []
    if reports[1:]:
        together.append(processes.view(reports, wanted, True, LONGEST_NAME,
                                       memory))
    # One of several logs may lack a mapping that another one has.
    decisive = "process" if pagelogs[1:] else "heat"
    if pagelogs[1:]:
        together += of_logs(pagelogs, ["process"], decisive, request)
    of_reports = logs_of(reports, pagelogs)
    return page_with(payload(
        reports, (views_of(report, wanted, log, request, decisive)
                  for report, log in zip(reports, of_reports)),
        [logs.largest_of_log(log, report, wanted, [report.main],
                             max(PARTS_OF_TIME // len(pagelogs), 2))
         if log else Compositions()
         for report, log in zip(reports, of_reports)],
        together, wanted, judged.verdicts,
        lambda view, room: logs.data_of_map(view, room)))


def run(line: CommandLine) -> int:
    """Write the page; print the verdicts."""
    paths, pagelogs = logs_beside(line)
    if line.mapping and not pagelogs:
        raise Misuse("--mapping is about page logs; there is none")
    judged = judged_reports(replace(line, files=(*paths,)))
    check_output(line.output or "", "page -o FILE")
    page = page_of_reports(judged, pagelogs, line)
    write(page.encode(errors="replace"), line.output)
    show("".join(f"{text}\n" for text in judged.lines(line.width)))
    return judged.code()
