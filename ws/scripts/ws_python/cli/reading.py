# SPDX-License-Identifier: GPL-2.0-or-later
"""Loads what a command line asks for: reports, and page logs as reports.

Page logs need numpy, which is loaded when they are wanted, and at no other
place: `logs` stands for the module cli/logs.py.
"""

import importlib.util
import os
import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Sequence

from ws_python.base.text import Failure
from ws_python.report.files import (header_lines, is_page_log, load_report,
                                    log_for, name_of_file)
from ws_python.report.reader import Chooser, all_windows
from ws_python.report.report import Report
from ws_python.report.request import Request
from ws_python.report.span import restrict

SYSTEM = "/usr/bin/python3"     # Debian's numpy is for this one


def require_numpy() -> None:
    """Restart the script under the system's Python if only that has numpy.
    The script must not have read standard input, or written, before.
    """
    if importlib.util.find_spec("numpy"):
        return
    if sys.executable != SYSTEM and os.path.exists(SYSTEM) and not (
            subprocess.call([SYSTEM, "-I", "-c", "import numpy"],
                            stderr=subprocess.DEVNULL)):
        os.execv(SYSTEM, [SYSTEM, "-I", *sys.argv])
    raise Failure("views of a page log need numpy, which Debian has in the "
                  f"package python3-numpy; {sys.executable} -I (which leaves "
                  "out PYTHONPATH and ~/.local) does not find it")


class WhenNeeded:
    """The module, from its first use on."""

    def __getattr__(self, name: str) -> Any:
        require_numpy()
        return getattr(import_module("ws_python.cli.logs"), name)


if TYPE_CHECKING:
    from ws_python.cli import logs as logs
else:
    logs = WhenNeeded()


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
