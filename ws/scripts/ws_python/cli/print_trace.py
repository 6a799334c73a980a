# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers ws_print trace: a process over time, for Perfetto."""

from typing import Dict, List, Optional

from ws_python.base.text import Failure, warn
from ws_python.base.units import NAMES, size, window_text
from ws_python.base.view import View
from ws_python.cli.output import check_output, write
from ws_python.cli.print_page import PARTS_OF_TIME, logs_beside, logs_of
from ws_python.cli.reading import load_one, logs
from ws_python.cli.request import CommandLine, Misuse
from ws_python.report.compositions import Kept
from ws_python.report.kept import WORDS
from ws_python.report.report import (Report, command_of, every_of,
                                     number_of_samples)
from ws_python.report.request import Request
from ws_python.show.data.trace import Slice, trace
from ws_python.views import curve
from ws_python.views.answer import shares_in_words

LAYERS = ("mapping", "code")    # views of a log
LONGEST_OWNER = 130         # characters


def owners(report: Report, kept: Optional[Kept],
           what: str = "") -> Dict[str, object]:
    """Say whose pages a sample has."""
    words = shares_in_words(report, kept, LONGEST_OWNER)
    return {f"{what}first used by": [" ".join(text.split()) for text in words]
            } if words else {}


def slices(report: Report, wanted: List[str]) -> List[Slice]:
    """Make slices of phases, and of samples that are kept: their windows."""
    page, samples = report.page_szB, report.compositions.samples.values()
    found = []
    for phase in report.phases:
        inside = [kept for kept in samples if kept.set == "data"
                  and phase.start < kept.time <= phase.end]
        most = max(inside, key=lambda kept: kept.pages, default=None)
        found.append(Slice("phases", phase.start, phase.end, phase.name, {
            **{NAMES[name]: size(pages, page)
               for name, pages in phase.pages.items()},
            **owners(report, most, "largest kept data, ")}))
    for kept in sorted(samples, key=lambda kept: (kept.set, kept.tau or 0)):
        if not kept.pages or kept.set in NAMES and kept.set not in wanted:
            continue
        lane = "kept: " + WORDS[kept.set] + (
            f", {window_text(kept.tau, report.unit)}" if kept.tau else "")
        found.append(Slice(
            lane, max(kept.time - (kept.tau or every_of(report)[1]), 0),
            kept.time, f"{size(kept.pages, page)} ({kept.names[0]})",
            owners(report, kept)))
    return found


def run(line: CommandLine) -> int:
    paths, pagelogs = logs_beside(line)
    if paths[1:] or pagelogs[1:]:
        raise Misuse("a trace is of one process: a report, and its page log")
    check_output(line.output or "", "trace -o FILE")
    report = load_one(paths[0], line)
    wanted = [name for name in NAMES if name in line.sets]
    views: List[View] = []
    if number_of_samples(report):
        views.append(curve.view([report], Request(
            sets=line.sets, taus=(*report.windows,))))
    for log in filter(None, logs_of([report], pagelogs)):
        for name in LAYERS:
            try:
                views.append(logs.view_of(name, [log], line))
            except Failure as failure:
                warn(f"not in the trace: {failure}")
        if report.is_log:
            report.compositions = logs.largest_of_log(
                log, report, wanted, report.windows, PARTS_OF_TIME)
    pid = int(report.pid[:9]) if report.pid[:9].isdecimal() else 0
    write(trace(command_of(report, LONGEST_OWNER), pid, report.unit, views,
                slices(report, wanted)).encode(), line.output)
    return 0
