# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers ws_print tree, folded, cold and heap."""

from dataclasses import replace
from typing import List, Tuple

from ws_python.base.text import Failure
from ws_python.base.view import View
from ws_python.cli.output import show, shown
from ws_python.cli.reading import has_windows, load_one, logs, path_of
from ws_python.cli.request import CommandLine, Misuse
from ws_python.report.files import is_page_log, log_of, name_of_file
from ws_python.report.kept import Chosen, chosen
from ws_python.report.report import Report
from ws_python.report.rules import load_rules
from ws_python.report.stacks import Paths, by_function, by_line
from ws_python.show.data.view import folded
from ws_python.views import components, heap

ALLOCATED = ("Named is who first used a page, not who allocated it: ws_print heap "
             "says that, with what is cold, of a report with --ws-heap=yes.")


def load_kept(line: CommandLine) -> Tuple[Report, List[Chosen]]:
    """Load a report and its chosen samples; from its page log if they are of a
    part of the run, or if the report has not kept them.
    """
    if line.span and line.entries:
        raise Misuse("--entries is about the whole run: no --from or --to")
    if line.taus[1:]:
        raise Misuse("a sample has one window: --tau=N")
    path = line.files[0]
    log = log_of(path)
    has_log = is_page_log(log)
    if line.by and not has_log:
        raise Failure(f"{name_of_file(path)}: only a page log tells threads "
                      "apart (--ws-page-log and --ws-threads=yes of ws)")
    if has_log and not line.entries and (
            log == path or line.by or line.span and line.at is None
            or line.taus and not has_windows(path, line)):
        return logs.samples_of_log(log, line)
    report = load_one(path, line)
    try:
        return report, chosen(report, line.sets, line.at, line.entries)
    except Failure:
        if not has_log or not (line.at or "")[:1].isdigit():
            raise
    return logs.samples_of_log(log, line)


def tree(line: CommandLine) -> View:
    if line.rules and (line.callers or line.by_line or line.entries):
        raise Misuse("--rules has both, sample and entries, of components: "
                     "no --entries, --callers or --by-line")
    if line.by and (line.rules or line.entries):
        raise Misuse("--by=thread is about samples: no --rules or --entries")
    if line.by and line.sets == ("dirty",):
        return logs.contended_of_log(log_of(line.files[0]), line)
    report, samples = load_kept(line)
    if line.rules:
        return components.tables(report, samples, load_rules(line.rules))
    view = components.calls(report, samples, line.callers,
                            by_line if line.by_line else by_function)
    if line.by:
        more = logs.contended_of_log(log_of(line.files[0]), line).parts
        view.parts = [*more, *view.parts] if line.csv else [*view.parts, *more]
    return view


def unused_memory(line: CommandLine) -> View:
    """Make the view of a page log; of a report without one, the kept sample."""
    at = (line.at or "peak").rpartition("unused.")[2]
    if is_page_log(log_of(line.files[0])):
        line = replace(line, at=None if at == "peak" else at)
        view = logs.view_of("cold", logs.load_logs(line), line)
        return replace(view, notes=[*view.notes, ALLOCATED])
    if line.mapping:
        raise Misuse("--mapping is about page logs; there is none")
    path_of(line.files[0], line)    # the report has one window, and one size
    view = tree(replace(line, at=f"unused.{at}"))
    return replace(view, name="cold", notes=[
        *view.notes, ALLOCATED, "A page log (--ws-page-log=FILE of ws) adds since when, for "
        "any --tau, by address, and what was used again."])


def folded_text(line: CommandLine) -> str:
    if line.sets[1:]:
        raise Misuse("folded is about one set: --set=data or --set=code")
    report, samples = load_kept(line)
    return folded(samples[0].origins, Paths(
        report.compositions, by_line if line.by_line else by_function))


def heap_of(line: CommandLine) -> View:
    report = load_one(line.files[0], line)
    return heap.view(report, line.at or "peak", line.top, line.width,
                     line.in_full)


VIEWS = {"tree": tree, "cold": unused_memory, "heap": heap_of}


def run(line: CommandLine) -> int:
    show(folded_text(line) if line.view == "folded"
         else shown(VIEWS[line.view](line), line))
    return 0
