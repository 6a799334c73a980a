# SPDX-License-Identifier: GPL-2.0-or-later
"""Loads what a command line asks for: reports, and page logs as reports.

Page logs need numpy: `logs` stands for the module cli/logs.py, which is loaded
when a log is wanted.
"""

import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Sequence

from ws_python.base.later import Later
from ws_python.base.text import Failure
from ws_python.cli.request import CommandLine
from ws_python.report.files import (header_lines, is_page_log, load_report,
                                    log_for, name_of_file)
from ws_python.report.reader import Chooser, all_windows
from ws_python.report.report import Report, no_written
from ws_python.report.request import Request
from ws_python.report.sizes import is_percentile
from ws_python.report.span import restrict

if TYPE_CHECKING:
    import subprocess
else:
    subprocess = Later("subprocess")

SYSTEM = "/usr/bin/python3"     # Debian's numpy is for this one


def require_numpy() -> None:
    """Restart the script under the system's Python if only that has numpy.
    The script must not have read standard input, or written, before.
    """
    if find_spec("numpy"):
        return
    if sys.executable != SYSTEM and os.path.exists(SYSTEM) and not (
            subprocess.call([SYSTEM, "-I", "-c", "import numpy"],
                            stderr=subprocess.DEVNULL)):
        os.execv(SYSTEM, [SYSTEM, "-I", *sys.argv])
    raise Failure("views of a page log need numpy, which Debian has in the "
                  f"package python3-numpy; {sys.executable} -I (which leaves "
                  "out PYTHONPATH and ~/.local) does not find it")


if TYPE_CHECKING:
    from ws_python.cli import logs as logs
else:
    logs = Later("ws_python.cli.logs", require_numpy)


def load_part(path: str, request: Request, choose: Chooser = all_windows,
              full: bool = False, of_profile: bool = False) -> Report:
    """Load the wanted part of a report, or of the one that a log makes."""
    return restrict(
        logs.reports_of_log(logs.whole_log(path), request, of_profile)[0]
        if is_page_log(path) else load_report(path, choose, full), request.span)


def has_windows(path: str, request: Request) -> bool:
    """Tell if a report has all windows of --tau."""
    if path == "-" or request.page_sizes or not request.taus:
        return False
    known: Sequence[int] = Report(name_of_file(path), header_lines(path)).taus
    return {*request.taus} <= {*known} and not is_page_log(path)


def path_of(path: str, request: Request) -> str:
    """Find the log if the request needs one."""
    if request.taus or request.page_sizes:
        return log_for(path, "--tau" if request.taus else "--pagesize")
    return path


def load_one(path: str, line: CommandLine) -> Report:
    if not has_windows(path, line):
        path = path_of(path, line)
    report = load_part(path, line, lambda report: [*line.taus] or report.taus,
                       full=True)
    if line.sets == ("dirty",) and not any(
            name.startswith("WSS_dirty") for name in report.columns):
        raise no_written(report)
    if report.is_log and line.view == "compare":
        report.compositions = logs.largest_of_log(
            logs.part_of(path, line), report, line.sets, report.windows, 1,
            [int(condition.statistic[1:]) for condition in line.conditions
             if is_percentile(condition.statistic)])
    return report
