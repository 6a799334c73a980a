# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers ws_print layers, heat, enough, pages and order."""

from ws_python.base.text import Failure
from ws_python.base.view import View
from ws_python.cli.output import check_output, show, shown, write
from ws_python.cli.reading import load_part, logs, path_of
from ws_python.cli.request import CommandLine, Misuse
from ws_python.report.files import is_page_log, log_of
from ws_python.report.report import Report
from ws_python.report.span import restrict
from ws_python.views import enough, summary


def profiled(path: str, line: CommandLine) -> Report:
    """Load a report with the profile of the wanted part."""
    in_part = bool(line.span)
    part = load_part(path_of(path, line), line,
                     lambda report: report.taus if in_part else [],
                     of_profile=in_part)
    if in_part:
        part.profile = enough.profile_of_windows(part)
    return part


def enough_view(line: CommandLine) -> View:
    """Make the view enough; for a single report, with the misses of its log."""
    path, *others = line.files
    log = log_of(path)
    has_misses = not others and line.sets != ("dirty",) and is_page_log(log)
    if has_misses:
        logs.whole_log(log)         # this may restart the script
    view = enough.view([profiled(path, line) for path in line.files], line)
    if has_misses:
        misses = logs.view_of("enough", [logs.part_of(log, line)], line)
        view.sentences += misses.sentences
        view.parts += misses.parts
        view.notes += misses.notes
    if not view.parts:
        raise Failure("there is nothing to show")
    return view


def pages_of_sizes(line: CommandLine) -> View:
    """Make a table of page sizes and windows."""
    if line.at or line.mapping:
        raise Misuse("a table of several page sizes has no --at or --mapping")
    log = logs.whole_log(path_of(line.files[0], line))
    return summary.by_page_size([
        restrict(report, line.span) for report in logs.reports_of_log(
            log, line, wanted=line.sets)], line.sets)


def order_view(line: CommandLine) -> View:
    """Make the view order, and write the order."""
    if line.output:
        check_output(line.output, "order -o FILE")
    order = logs.order_of(logs.load_logs(line), line)
    view = order.view(line)
    if line.output:
        write(order.text(line.format).encode(), line.output)
    return view


def run(line: CommandLine) -> int:
    show(shown(enough_view(line) if line.view == "enough"
               else order_view(line) if line.view == "order"
               else pages_of_sizes(line) if line.page_sizes[1:]
               else logs.view_of(line.view, logs.load_logs(line), line), line))
    return 0
