# SPDX-License-Identifier: GPL-2.0-or-later
"""The views of ws_plot.

Reading, reducing and describing happen in Python; gnuplot only draws.
"""

import argparse
import os
import re
from functools import partial
from typing import Callable, List, Tuple

from ws_python.base.text import Failure, printable
from ws_python.base.view import View
from ws_python.cli.command import Command, Parser, begin_of, write
from ws_python.cli.log_views import (enough_view, load_logs, load_part,
                                     log_view, view_of)
from ws_python.cli.options import (LOG, REPORT, add_by, add_line, add_mapping,
                                   add_page_size, add_refs, add_rules, add_sets,
                                   add_span, add_tau, option, switch)
from ws_python.report.processes import title_of_processes
from ws_python.report.report import LONGEST_TITLE, Report
from ws_python.show.gnuplot.view import FORMS, run_gnuplot, script_of
from ws_python.views import components, curve, processes

PNG = b"\x89PNG\r\n\x1a\n"      # what such a file begins with


# --- Options of a view ------------------------------------------------------

def parse_pixels(text: str) -> Tuple[int, int]:
    """1280x720 -> (1280, 720)."""
    match = re.fullmatch("([0-9]{1,20})x([0-9]{1,20})", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is not like 1280x720")
    width, height = int(match[1]), int(match[2])
    if not 10 <= min(width, height) <= max(width, height) <= 9999:
        raise argparse.ArgumentTypeError(
            f"{text!r}: width and height must be from 10 to 9999")
    return width, height


def add_picture(parser: Parser) -> None:
    """Add the options of every picture."""
    parser.add_argument("-o", dest="output", metavar="FILE", type=file_name,
                        help="a .png, .svg or .pdf (default: VIEW-ws.out."
                             "PID.png,\nbeside the first file)")
    parser.add_argument("--title", help="instead of the command")
    parser.add_argument("--size", type=parse_pixels, metavar="WxH",
                        help="in pixels (default: 1280x720, or higher); 96 "
                             "per inch")


def form_of(path: str) -> str:
    return os.path.splitext(path)[1][1:].lower()


def file_name(path: str) -> str:
    if form_of(path) not in FORMS:
        raise argparse.ArgumentTypeError(f"{path}: must end in .png, .svg or "
                                         ".pdf")
    return path


add_no_info = switch("--no-info", "without peaks, labels and origins")
add_log_axis = switch("--log", "a logarithmic axis of sizes")


add_needed_rules = option(
    "--rules", metavar="FILE", required=True,
    help="components, as sqlite3.rules; see man ws_print")


# --- What is read -----------------------------------------------------------

def load_drawn(path: str, options: argparse.Namespace) -> Report:
    """Only what is needed of it: it may be large."""
    def choose(report: Report) -> List[int]:
        return [] if options.view in ("tree", "processes") else (
            curve.choose_windows(report, options.tau))

    report = load_part(path, options, choose, full=options.view == "curve"
                       and not options.reports[1:])
    if report.is_log:
        report.windows = choose(report)
    return report


def load_reports(options: argparse.Namespace) -> List[Report]:
    reports = [load_drawn(path, options) for path in options.reports]
    for tau in options.tau or ():
        if not any(tau in report.windows for report in reports):
            raise Failure(f"no report has a window of {tau}")
    return reports


# --- Pictures ---------------------------------------------------------------

def heat_view(options: argparse.Namespace) -> View:
    log, = load_logs(options)
    # These need numpy.
    from ws_python.pagelog.layers import wanted_sets
    from ws_python.show.gnuplot.heat import heat_cells

    options.cells = heat_cells(options, len(wanted_sets(log, options)))
    return view_of([log], options)


def processes_view(options: argparse.Namespace) -> View:
    """Make the view of resident memory, which has a clock of its own."""
    reports = [load_drawn(path, options) for path in options.reports]
    if not processes.has_clock(reports):
        raise Failure("these reports have no clock in common, as those of "
                      "--trace-children=yes have")
    return processes.memory_view(
        reports, title_of_processes(reports, LONGEST_TITLE), LONGEST_TITLE)


def name_beside(options: argparse.Namespace) -> str:
    """Of a picture without -o.  It begins with what is drawn, so that ws.out.*
    are still the reports.
    """
    first, *others = options.reports
    if first == "-":
        raise Failure("standard input has no name to put a picture beside: "
                      "use -o FILE")
    folder, name = os.path.split(first)
    return os.path.join(folder, f"{options.view}-{name}"
                        + f"+{len(others)}" * bool(others) + ".png")


def write_beside(picture: bytes, path: str) -> None:
    """Only over another picture.  A link of this name, which others can tell
    in advance, is replaced, and not followed.
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


def draw(make: Callable[[argparse.Namespace], View],
         options: argparse.Namespace) -> int:
    beside = None if options.output else name_beside(options)
    options.form = form_of(options.output or beside)
    picture = run_gnuplot(script_of(make(options), options))
    if options.form == "svg":
        # This ends a section that there is none of; gnuplot lets it pass.
        picture = picture.replace(b"]]>", b"]]&gt;")
    if beside:
        write_beside(picture, beside)
    else:
        write(picture, options.output)
    return 0


ABOUT_PICTURES = """\
Several reports are laid over each other. A number is that of a peak, as for
ws_print tree --at=peak.1; max is the largest sample of a set if that is no
peak. A vertical line is a mark or snapshot. Longer windows are paler. Needs
gnuplot."""
EVERY = (add_picture, add_span, add_page_size)
DRAWN_OF_REPORTS = (add_sets, *EVERY)
DRAWN_OF_LOG = (add_sets, add_mapping, *EVERY)
COMMANDS = {
    "curve": Command("mapped, resident and working memory over time",
                     f"{REPORT}...",
                     (add_tau, add_no_info, *DRAWN_OF_REPORTS),
                     partial(draw, lambda options: curve.view(
                         load_reports(options), options)), note=ABOUT_PICTURES),
    "tree": Command("which components the kept samples consist of", REPORT,
                    (add_needed_rules, *DRAWN_OF_REPORTS),
                    partial(draw, lambda options: components.view(
                        load_reports(options), options)), most=1),
    "heat": Command("which addresses were accessed when", LOG, DRAWN_OF_LOG,
                    partial(draw, heat_view), most=1),
    "layers": Command("what fills the working set over time, by code, "
                      "mapping, thread", f"{LOG}...",
                      (add_by, add_line, add_rules, add_tau, *DRAWN_OF_LOG),
                      partial(draw, log_view)),
    "enough": Command("how much memory is enough, and for how long",
                      f"{REPORT}... or {LOG}",
                      (add_log_axis, add_refs, *DRAWN_OF_REPORTS),
                      partial(draw, enough_view)),
    "pages": Command("how full huge pages would be", LOG,
                     (add_tau, *DRAWN_OF_LOG), partial(draw, log_view), most=1),
    "processes": Command("what the processes of a tree need, each and "
                         "together", f"{REPORT} {REPORT}...",
                         (add_picture,), partial(draw, processes_view),
                         fewest=2)}
