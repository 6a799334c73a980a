# SPDX-License-Identifier: GPL-2.0-or-later
"""The views of page logs: options, and the modules that answer them.

A view called x is the module views/log_x, with a function view(logs, options)
that makes a View (model/view.py).  These modules need numpy, and are loaded
when they are wanted.
"""

import argparse
import re
from importlib import import_module
from typing import (TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional,
                    Sequence)

from ws_python.base.failure import Failure
from ws_python.cli.command import Parser, parse_taus
from ws_python.cli.numpy_python import require_numpy
from ws_python.model.report import Report
from ws_python.read.files import is_page_log, log_of, name_of

if TYPE_CHECKING:
    from ws_python.model.log import PageLog
    from ws_python.model.view import View


# Options about reports, or other views.
FOREIGN = ("profile", "mapped", "rules", "average", "no_info", "all", "at",
           "entries", "tree", "by_line", "diff", "conditions",
           "callgrind", "folded", "html", "follow")


class Option(NamedTuple):
    help: str
    pictures: bool = True   # for ws_plot, too
    prints: bool = True     # for ws_print
    many: bool = False      # of several logs at once
    refused: Sequence[str] = ()     # options that the view does not have


VIEWS: Dict[str, Option] = {
    "mappings": Option("memory by what is mapped there, in a sample and over "
                       "time; of several processes, what they share",
                       many=True),
    "code": Option("the working set by the functions that brought its pages in, "
                 "or with --rules by components, in a sample and over time"),
    "heat": Option("which addresses were accessed when", prints=False,
                 refused=(*FOREIGN, "tau", "bytes")),
    "huge": Option("how full huge pages would be: what they cost and save"),
    "threads": Option("the working sets of threads, and what they share"),
    "locality": Option("how many pages an LRU memory of some size misses")}
# Options for logs alone, beside views; ws_plot has --tau for reports, too.
FOR_LOGS = ("pagesize", "mapping")


def parse_page_size(text: str) -> int:
    """Read a page size: 64, 4096, 2M."""
    match = re.fullmatch("([0-9]{1,10})([kMG]?)", text)
    value = int(match[1]) << 10 * " kMG".index(match[2] or " ") if match else 0
    if not 16 <= value <= 1 << 30 or value & (value - 1):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a power of two from 16 to 1G, like 64 or 2M")
    return value


def parse_page_sizes(text: str) -> List[int]:
    return [*dict.fromkeys(map(parse_page_size, text.split(",")))]


class Elsewhere(argparse.Action):
    """Refuses a view that only exists as a picture."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        option = self.option_strings[0]
        parser.error(f"{option} is a picture: ws_plot {option} LOG")


def add_views(parser: Parser, pictures: bool) -> None:
    """Add the options of views: those of pictures, or of texts."""
    group = parser.add_argument_group(
        "views of page logs (--ws-page-log of ws), or of the reports that "
        "name them; without a view, a log is shown as the report of its run")
    group.add_argument(
        "--pagesize", type=parse_page_sizes, metavar=(
            "BYTES" if pictures else "BYTES[,...]"),
        help="of larger pages than the log has, as if ws had been run with "
             "them" + ("" if pictures else "; of several sizes, a table"))
    group.add_argument("--mapping", metavar="NAME",
                       help="only in what is mapped under a name that this "
                            "is a part of: heap, stack, libc.so")
    if not pictures:
        group.add_argument(
            "--tau", type=parse_taus, metavar="N[,...]",
            help="these windows, multiples of its intervals (--ws-every), "
                 "instead of those of the run")
    parser.set_defaults(view=None, for_logs=(
        FOR_LOGS if pictures else (*FOR_LOGS, "tau")))
    views = group.add_mutually_exclusive_group()
    for name, view in VIEWS.items():
        if view.pictures if pictures else view.prints:
            views.add_argument(f"--{name}", dest="view", action="store_const",
                               const=name, help=view.help)
        else:
            parser.add_argument(f"--{name}", action=Elsewhere, nargs=0,
                                help=argparse.SUPPRESS)


def log_view(logs: Sequence["PageLog"], options: argparse.Namespace) -> "View":
    """Make the chosen view; for several logs, that of processes."""
    name = "processes" if len(logs) > 1 else options.view
    return import_module(f"ws_python.views.log_{name}").view(logs, options)


def picture_of(view: str) -> Any:
    """Return the class of a picture; None: gnuplot shows the View."""
    return import_module(f"ws_python.show.gnuplot.log_{view}_picture"
                         ).Picture if view == "heat" else None


def load_logs(options: argparse.Namespace) -> Optional[List["PageLog"]]:
    """Load the logs for the chosen view, or those that its reports name; None:
    the files are reports.
    """
    view = options.view
    asked = view or next((name for name in options.for_logs
                          if getattr(options, name)), None)
    if asked:
        options.reports = [log_of(path) for path in options.reports]
    paths = options.reports
    are_logs = [is_page_log(path) for path in paths]
    if asked and not all(are_logs):
        raise Failure(f"{name_of(paths[are_logs.index(False)])}: is not a "
                      f"page log (--ws-page-log of ws); --{asked} is about "
                      "one")
    if any(are_logs):
        require_numpy()
    if not view:
        if options.mapping and not getattr(options, "html", None):
            raise Failure("--mapping needs a view of page logs")
        return None
    for name in VIEWS[view].refused:
        if getattr(options, name, None):
            option = {"conditions": "fail-if"}.get(name, name)
            raise Failure(f"--{view} has no --{option.replace('_', '-')}")
    if len(are_logs) > 1 and not VIEWS[view].many:
        raise Failure(f"--{view} is about one page log")
    if options.pagesize:
        if options.pagesize[1:]:
            raise Failure(f"--{view} is about one page size")
        options.pagesize = options.pagesize[0]
    return parts_of_logs(paths, options)


def parts_of_logs(paths: Sequence[str],
                  options: argparse.Namespace) -> List["PageLog"]:
    # It needs numpy.
    from ws_python.engine.part import part_of_log
    from ws_python.read.page_log import load_log

    return [part_of_log(load_log(path), options.span) for path in paths]


def logs_beside(options: argparse.Namespace) -> List["PageLog"]:
    """Load the logs for a page, and remove them from its reports; without any
    report, they remain reports, too.
    """
    paths = [*filter(is_page_log, options.reports)]
    if not paths:
        return []
    require_numpy()
    if len(paths) < len(options.reports):
        options.reports = [path for path in options.reports
                           if path not in paths]
        options.for_logs = ("pagesize", "tau")  # the map has --mapping
    return parts_of_logs(paths, options)


def reports_of_log(path: str, options: argparse.Namespace,
                   **more: Any) -> List[Report]:
    """Make a report of the log for each page size."""
    # It needs numpy.
    from ws_python.read.log_report import load_reports

    return load_reports(path, options.tau or (), options.pagesize or (),
                        **more)
