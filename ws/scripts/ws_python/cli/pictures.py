# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers ws_plot.

Reading, reducing and describing happen in Python; gnuplot only draws.
"""

import os
from dataclasses import replace
from typing import List

from ws_python.base.text import Failure, printable
from ws_python.base.view import HeatMap, View
from ws_python.cli.output import begin_of, write
from ws_python.cli.print_logs import enough_view
from ws_python.cli.reading import load_part, logs
from ws_python.cli.request import CommandLine, Misuse
from ws_python.report.processes import title_of_processes
from ws_python.report.report import LONGEST_TITLE, Report
from ws_python.show.gnuplot.axes import Picture
from ws_python.show.gnuplot.view import FORMS, run_gnuplot, script_of
from ws_python.views import components, curve, processes

PNG = b"\x89PNG\r\n\x1a\n"      # what such a file begins with


# --- What is read -----------------------------------------------------------

def load_drawn(path: str, line: CommandLine) -> Report:
    """Load what a picture needs of a report, which may be large."""
    def choose(report: Report) -> List[int]:
        if line.view in ("tree", "processes"):
            return []
        return curve.choose_windows(report, line.taus)

    report = load_part(path, line, choose, full=line.view == "curve"
                       and not line.files[1:])
    if report.is_log:
        report.windows = choose(report)
    return report


def load_reports(line: CommandLine) -> List[Report]:
    reports = [load_drawn(path, line) for path in line.files]
    for tau in line.taus:
        if not any(tau in report.windows for report in reports):
            raise Failure(f"no report has a window of {tau}")
    return reports


# --- Pictures ---------------------------------------------------------------

def view_of_line(line: CommandLine, picture: Picture) -> View:
    if line.view == "curve":
        return curve.view(load_reports(line), line)
    if line.view == "tree":
        report, = load_reports(line)
        return components.view(report, line.sets, line.rules or "")
    if line.view == "enough":
        return enough_view(line)
    if line.view == "processes":
        return processes_view(line)
    pagelogs = logs.load_logs(line)
    if line.view == "heat":
        line = replace(line, cells=logs.picture_cells(pagelogs[0], line, picture))
    return logs.view_of(line.view, pagelogs, line)


def processes_view(line: CommandLine) -> View:
    """Make the view of resident memory, which has a clock of its own."""
    reports = [load_drawn(path, line) for path in line.files]
    if not processes.has_clock(reports):
        raise Failure("these reports have no clock in common, as those of "
                      "--trace-children=yes have")
    return processes.memory_view(
        reports, title_of_processes(reports, LONGEST_TITLE), LONGEST_TITLE)


def name_beside(line: CommandLine) -> str:
    """Name a picture without -o: not ws.out.*, which are the reports."""
    first, *others = line.files
    if first == "-":
        raise Failure("standard input has no name to put a picture beside: "
                      "use -o FILE")
    folder, name = os.path.split(first)
    more = f"+{len(others)}" if others else ""
    return os.path.join(folder, f"{line.view}-{name}{more}.png")


def write_beside(picture: bytes, path: str) -> None:
    """Write a picture, over none but another picture.  A link is replaced, not
    followed: others can foresee this name.
    """
    begin = begin_of(path)
    if begin and not begin.startswith(PNG):
        raise Failure(f"{printable(path)}: is no picture, and not written "
                      "over: use -o FILE")
    try:
        write(picture, path, os.path.abspath)
    except Failure as failure:
        raise Failure(f"{failure}; -o FILE writes elsewhere") from None
    write(f"{'wrote over' if begin else 'wrote'} {printable(path)}\n"
          .encode(errors="replace"))


def run(line: CommandLine) -> int:
    path = line.output or name_beside(line)
    picture = Picture(os.path.splitext(path)[1][1:].lower(), line.title,
                      line.size, line.refs)
    if picture.form not in FORMS:
        raise Misuse(f"argument -o: {path}: must end in .png, .svg or .pdf")
    view = view_of_line(line, picture)
    drawn = run_gnuplot(logs.script_of_map(view, picture) if view.of(HeatMap)
                        else script_of(view, picture))
    if picture.form == "svg":
        # This ends a section that there is none of; gnuplot lets it pass.
        drawn = drawn.replace(b"]]>", b"]]&gt;")
    if line.output:
        write(drawn, path)
    else:
        write_beside(drawn, path)
    return 0
