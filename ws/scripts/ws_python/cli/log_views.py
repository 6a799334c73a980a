# SPDX-License-Identifier: GPL-2.0-or-later
"""The views of page logs, and the one of reports and their logs.

Each is a module with a function view(logs, options) that makes a View
(base/view.py).  They need numpy, and are loaded when they are wanted.
"""

import argparse
import importlib.util
import os
import subprocess
import sys
from functools import lru_cache
from importlib import import_module
from typing import Any, List, Sequence, Tuple

from ws_python.base.text import Failure, warn
from ws_python.base.view import View
from ws_python.cli.options import AXES, tlb_entries
from ws_python.report.compositions import Compositions
from ws_python.report.files import (header_lines, is_page_log, load_report,
                                    log_of, name_of_file)
from ws_python.report.kept import Chosen
from ws_python.report.reader import Chooser, all_windows
from ws_python.report.report import Headed, Report
from ws_python.report.span import restrict

SYSTEM = "/usr/bin/python3"     # Debian's numpy is for this one
HEAT_CELLS = 1024, 400      # columns and rows of a heat map
MODULES = {"enough": "misses", **{by: f"layers_{by}" for by in AXES}}


def log_view(options: argparse.Namespace) -> View:
    """Make the view of page logs, or of those that reports name."""
    return view_of(load_logs(options), options)


def enough_view(options: argparse.Namespace) -> View:
    """Make the view enough.  That of one report has the misses of its log,
    too; written pages have none.
    """
    from ws_python.views import enough

    log, path = None, log_of(options.reports[0])
    if not options.reports[1:] and options.set != ["dirty"] and (
            is_page_log(path)):
        log = whole_log(path)       # this may restart the script
    found = enough.view([profiled(path, options) for path in options.reports],
                        options)
    if log:
        misses = view_of([part_of(path, options)], options)
        found.parts += misses.parts
        found.notes += misses.notes
    if not found.parts:
        raise Failure("there is nothing to show")
    return found


def profiled(path: str, options: argparse.Namespace) -> Report:
    """Load a report with the profile of the wanted part."""
    from ws_python.views.enough import profile_of_windows

    in_part = bool(options.span)
    part = load_part(path_of(path, options), options,
                     lambda report: report.taus if in_part else [],
                     of_profile=in_part)
    if in_part:
        part.profile = profile_of_windows(part)
    return part


def load_part(path: str, options: argparse.Namespace,
              choose: Chooser = all_windows, full: bool = False,
              **more: Any) -> Report:
    """Load the wanted part of a report, or of the one that a log makes."""
    return restrict(reports_of_log(whole_log(path), options, **more)[0]
                    if is_page_log(path) else load_report(path, choose, full),
                    options.span)


def view_of(logs: Sequence[Headed], options: argparse.Namespace) -> View:
    name = options.view
    if name == "layers":
        name = options.by or ("process" if logs[1:] else "code")
        if name != "process" and logs[1:]:
            raise Failure(f"layers by {name} are of one page log")
        if name == "code" and options.mapping:
            raise Failure("--mapping needs --by=mapping, thread or process")
        if name != "code" and (options.rules or options.by_line):
            raise Failure("--rules and --by-line need --by=code")
    if name == "pages":
        options.tlb = tlb_entries()
    if name == "heat":
        options.cells = options.cells or HEAT_CELLS
    return import_module(f"ws_python.views.{MODULES.get(name, name)}").view(
        logs, options)


def samples_of_log(path: str, options: argparse.Namespace
                   ) -> Tuple[Report, List[Chosen]]:
    """Return what samples of a log consist of, and a report of their stacks."""
    log = part_of(path, options)
    from ws_python.views.layers_code import samples

    return samples(log, options)


def largest_of_log(log: Any, report: Report, wanted: Sequence[str],
                   taus: Sequence[int], parts: int = 1,
                   percents: Sequence[int] = ()) -> Compositions:
    """Return the largest sample in each of so many parts of a log's time, and
    those at percentiles.
    """
    from ws_python.views.layers_code import largest_in_parts

    return largest_in_parts(log, report, wanted, taus, parts, percents)


def load_logs(options: argparse.Namespace) -> List[Headed]:
    """Load the wanted part of each log, or of that which a report names."""
    paths = [log_for(path, options.view) for path in options.reports]
    return [part_of(path, options) for path in paths]


@lru_cache(maxsize=None)
def whole_log(path: str) -> Any:
    """Load a page log, a PageLog, once."""
    require_numpy()
    from ws_python.pagelog.reader import load_log

    return load_log(path)


def part_of(path: str, options: argparse.Namespace) -> Any:
    """Load the wanted part of a page log.  Windows of its samples lie in it,
    unless a sample is chosen.
    """
    log = whole_log(path)
    from ws_python.pagelog.layers import window_of
    from ws_python.pagelog.windows import part_of_log, without_reaching_back

    part = part_of_log(log, options.span)
    return without_reaching_back(part, window_of(part, (options.tau or [])[:1])
                                 ) if part.begin and not options.at else part


def logs_beside(options: argparse.Namespace) -> List[Headed]:
    """Load the logs for a page: those that its reports name, and those among
    its reports, which remain reports only if there is no other.
    """
    given = [*filter(is_page_log, options.reports)]
    reports = [path for path in options.reports if path not in given]
    paths = {os.path.realpath(path): path for path in (
        *(log_of(path) for path in reports), *given) if path not in reports}
    if not paths:
        return []
    try:
        require_numpy()
    except Failure as failure:
        if given:
            raise
        warn(f"this page is without page logs: {failure}")
        return []
    options.reports = reports or given
    return [part_of(path, options) for path in paths.values()]


def log_for(path: str, what: str) -> str:
    """Find the log that `what` is about, be it the one that a report names."""
    path = log_of(path)
    if not is_page_log(path):
        raise Failure(f"{name_of_file(path)}: is not a page log, and names "
                      f"none that is there; {what} needs one: "
                      "--ws-page-log=FILE of ws")
    return path


def has_windows(path: str, options: argparse.Namespace) -> bool:
    """Tell if a report has all windows of --tau."""
    if path == "-" or options.pagesize or not options.tau:
        return False
    known = Report(name_of_file(path), header_lines(path)).taus
    return {*options.tau} <= {*known} and not is_page_log(path)


def path_of(path: str, options: argparse.Namespace) -> str:
    """Find the log if options need one."""
    needs = next((name for name in ("tau", "pagesize")
                  if getattr(options, name)), None)
    return log_for(path, f"--{needs}") if needs else path


def reports_of_log(log: Any, options: argparse.Namespace,
                   **more: Any) -> List[Report]:
    """Make a report of the log for each page size."""
    from ws_python.pagelog.as_report import make_reports

    sizes = options.pagesize or ()
    return make_reports(log, options.tau or (),
                        [sizes] if isinstance(sizes, int) else sizes, **more)


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
