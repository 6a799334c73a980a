# SPDX-License-Identifier: GPL-2.0-or-later
"""The views of ws_print.

What few views need is imported by these, as each module costs milliseconds.
"""

import argparse
import time
from typing import Callable, List, Sequence, Tuple, Union

from ws_python.base.text import Failure, printable
from ws_python.base.view import View
from ws_python.cli.command import Command, Parser, check_output, write
from ws_python.cli.log_views import (enough_view, has_windows, largest_of_log,
                                     load_part, log_view, logs_beside, part_of,
                                     path_of, reports_of_log, samples_of_log,
                                     whole_log)
from ws_python.cli.options import (LOG, REPORT, add_at, add_by, add_forms,
                                   add_line, add_mapping, add_page_size,
                                   add_rules, add_sets, add_span, add_tau,
                                   add_width, number, option, parse_at,
                                   parse_page_sizes, parse_sets, switch)
from ws_python.report.files import is_page_log, log_of, name_of_file
from ws_python.report.kept import Chosen, chosen
from ws_python.report.report import Headed, Report, no_written
from ws_python.report.sizes import is_percentile
from ws_python.report.span import restrict
from ws_python.report.stacks import Paths, by_function, by_line
from ws_python.show.terminal.view import heading, view_as_text
from ws_python.views import summary
from ws_python.views.answer import answer, memory
from ws_python.views.conditions import (Loaded, Verdict, judge_all,
                                        parse_condition, table_of_verdicts)

# --- Options of a view ------------------------------------------------------

add_conditions = option(
    "--fail-if", action="append", default=[], type=parse_condition,
    metavar="COND", dest="conditions",
    help="exit with 1 if so: 'memory > 20MiB', 'data.10M.p95 > 90',\nin "
         "compare 'memory > 105%%'; repeatable; see man ws_print")
add_hint = option("--hint", metavar="TEXT", default="",
                  help="a sentence of yours, printed where --fail-if holds")
add_junit = option("--junit", metavar="FILE",
                   help="write what --fail-if found for CI systems")
add_callers = switch(
    "--callers", "from accesses to their callers, not from main downwards")
add_one_set = option("--set", type=parse_sets, default=["data"], metavar="SET",
                     help="data (the default), code, written")
add_top = option("--top", type=number(0, 999999999), metavar="N",
                 help="so many hottest pages, functions... (default: 10)")
add_page_sizes = option(
    "--pagesize", type=parse_page_sizes, metavar="BYTES[,...]",
    help="huge pages of this size (default: 2M); a table of\nseveral: "
         "64,4k,2M")
add_output = option("-o", dest="output", metavar="FILE", required=True,
                    help="write the page to this file (needed)")
add_page = option("-o", dest="output", metavar="FILE",
                  help="write a page for a browser, with graphs of what grew")


def add_kept(parser: Parser) -> None:
    """Add the moment that a view of a report shows."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--at", metavar="SAMPLE", type=parse_at,
                       help="this sample: data.peak (default: of each set), "
                            "peak.1 (the\nhighest), resident.peak, unused.peak, a "
                            "time, resident.TIME,\nor the label of a snapshot")
    group.add_argument("--entries", action="store_true",
                       help="all pages that entered in the run, not a "
                            "sample's")


AS_REPORT = (add_tau, add_page_size)    # of a page log


# --- What is read -----------------------------------------------------------

def load_one(path: str, options: argparse.Namespace) -> Report:
    if not has_windows(path, options):
        path = path_of(path, options)
    report = load_part(path, options,
                       lambda report: options.tau or report.taus, full=True)
    if options.set == ["dirty"] and not any(
            name.startswith("WSS_dirty") for name in report.columns):
        raise no_written(report)
    if report.is_log and options.view == "compare":
        report.compositions = largest_of_log(
            part_of(path, options), report, options.set, report.windows,
            percents=[int(one.statistic[1:]) for one in options.conditions
                      if is_percentile(one.statistic)])
    return report


def load(options: argparse.Namespace) -> List[Loaded]:
    """Load all reports; if they cannot be compared, none is there."""
    loaded: List[Loaded] = []
    for path in options.reports:
        try:
            loaded.append((name_of_file(path), load_one(path, options)))
        except Failure as failure:
            loaded.append((name_of_file(path), failure))
    if loaded[1:]:
        from ws_python.views.compare import comparable

        try:
            comparable([one for _, one in loaded if isinstance(one, Report)])
        except Failure as failure:
            return [(name, failure) for name, _ in loaded]
    return loaded


def judged_reports(options: argparse.Namespace
                   ) -> Tuple[List[Report], List[Verdict]]:
    """Load all reports, and judge them; --junit writes also what is wrong."""
    begin = time.monotonic()
    loaded = load(options)
    reports = [one for _, one in loaded if isinstance(one, Report)]
    is_diff = options.view == "compare"
    together = None
    if options.conditions and len(loaded) == len(reports) > 1 and not is_diff:
        from ws_python.views import processes

        together = processes.together(reports)
    found = judge_all(options.conditions, loaded, is_diff, together)
    if options.junit:
        from ws_python.show.data.junit import junit

        check_output(options.junit, "--junit=FILE")
        write(junit([(one.text, *of) for one, *of in found],
                    time.monotonic() - begin), options.junit)
    for *_, one in (*loaded, *found):
        if isinstance(one, Failure):
            raise one
    return reports, [verdict for *_, verdict in found]


def load_kept(options: argparse.Namespace) -> Tuple[Report, List[Chosen]]:
    """Load a report, and what the chosen sample is made of.  Its page log has
    all samples: the largest of a part of the run, those at other times, and in
    other windows.
    """
    if options.span and options.entries:
        options.wrong("--entries is about the whole run: no --from or --to")
    if options.tau and options.tau[1:]:
        options.wrong("a sample has one window: --tau=N")
    path = options.reports[0]
    log = log_of(path)
    has_log = is_page_log(log)
    if has_log and not options.entries and (
            log == path or options.span and options.at is None
            or options.tau and not has_windows(path, options)):
        return samples_of_log(log, options)
    report = load_one(path, options)
    try:
        return report, chosen(report, options.set, options.at, options.entries)
    except Failure:
        if not has_log or not (options.at or "")[:1].isdigit():
            raise
    return samples_of_log(log, options)


# --- Views ------------------------------------------------------------------

def show(text: str) -> None:
    write(text.encode(errors="replace"))


def judged(verdicts: Sequence[Verdict], width: int) -> List[str]:
    return heading("Conditions", width) * bool(verdicts) + [
        line for verdict in verdicts for line in verdict.lines()]


def check_conditions(options: argparse.Namespace) -> None:
    for name in ("junit", "hint"):
        if getattr(options, name) and not options.conditions:
            options.wrong(f"--{name} is about conditions: it needs --fail-if")
    for one in options.conditions:
        one.hint = printable(options.hint)
        if one.unit == "%" and options.view != "compare":
            options.wrong(f"--fail-if {one.text}: % needs the view compare")


def run_reports(options: argparse.Namespace) -> int:
    """Run answer, all, processes, compare and page."""
    check_conditions(options)
    logs = logs_beside(options) if options.view == "page" else []
    if options.mapping and not logs:
        options.wrong("--mapping is about page logs; there is none")
    reports, verdicts = judged_reports(options)
    if options.output:
        write_page(reports, logs, options, verdicts)
    else:
        show(shown(view_of_reports(reports, options, verdicts), options,
                   judged(verdicts, options.width)))
    return int(any(verdict.holds for verdict in verdicts))


def view_of_reports(reports: Sequence[Report], options: argparse.Namespace,
                    verdicts: Sequence[Verdict]) -> View:
    wanted, width = options.set, options.width
    everything = options.view == "all"
    if options.view == "compare":
        from ws_python.views.compare import Comparison

        found = Comparison(*reports, wanted).view(width, options.long)
    elif reports[1:]:
        from ws_python.views import processes

        found = processes.view(reports, wanted, everything, width, memory)
    else:
        found = summary.view(reports[0], wanted, everything, options.top,
                             width, answer(reports[0], wanted, width))
    if verdicts:
        found.parts.insert(0, table_of_verdicts(verdicts))
    return found


def write_page(reports: Sequence[Report], logs: Sequence[Headed],
               options: argparse.Namespace,
               verdicts: Sequence[Verdict]) -> None:
    """The verdicts go to standard output, too."""
    from ws_python.cli.page import page_of_reports, page_of_two

    check_output(options.output, f"{options.view} -o FILE")
    if options.view == "page":
        page = page_of_reports(reports, logs, options, verdicts)
    elif options.long:
        options.wrong("-o writes a page: no --json, --csv or --tsv")
    else:
        page = page_of_two(reports, options, verdicts)
    write(page.encode(errors="replace"), options.output)
    show("".join(f"{line}\n" for line in judged(verdicts, options.width)))


def tree(options: argparse.Namespace) -> View:
    from ws_python.report.rules import load_rules
    from ws_python.views import components

    if options.rules and (options.callers or options.by_line
                          or options.entries):
        options.wrong("--rules has both, sample and entries, of components: "
                      "no --entries, --callers or --by-line")
    report, found = load_kept(options)
    if options.rules:
        return components.tables(report, found, load_rules(options.rules))
    return components.calls(report, found, options.callers,
                            by_line if options.by_line else by_function)


def folded_text(options: argparse.Namespace) -> str:
    from ws_python.show.data.view import folded

    if options.set[1:]:
        options.wrong("folded is about one set: --set=data or --set=code")
    report, found = load_kept(options)
    return folded(found[0].parts, Paths(
        report.compositions, by_line if options.by_line else by_function))


def shown(view: View, options: argparse.Namespace,
          more: Sequence[str] = ()) -> str:
    """Write a view; in words, `more` follows."""
    if options.long:
        from ws_python.show.data.view import view_as_csv, view_as_json

        return view_as_json(view) if options.json else view_as_csv(
            view, "," if options.csv else "\t")
    return "\n".join([*view_as_text(view, options.width),
                      *[""] * bool(more), *more, ""])


def pages_view(options: argparse.Namespace) -> View:
    """Show huge pages, or a table of page sizes and windows."""
    sizes = options.pagesize or [None]
    if not sizes[1:]:
        [options.pagesize] = sizes
        return log_view(options)
    if options.at or options.mapping:
        options.wrong("a table of several page sizes has no --at or --mapping")
    log = whole_log(path_of(options.reports[0], options))
    reports = [restrict(report, options.span) for report in reports_of_log(
        log, options, wanted=options.set)]
    return summary.by_page_size(reports, options.set)


def printed(make: Callable[[argparse.Namespace], Union[str, View]]
        ) -> Callable[[argparse.Namespace], int]:
    """Make a command of a function that makes a text or a view."""
    def show_it(options: argparse.Namespace) -> int:
        made = make(options)
        show(made if isinstance(made, str) else shown(made, options))
        return 0

    return show_it


OF_TEXT = (add_sets, add_span, add_width)
CONDITIONS = (add_conditions, add_hint, add_junit)
OF_REPORTS = (*CONDITIONS, add_forms, *OF_TEXT, *AS_REPORT)
OF_LOG = (add_mapping, add_forms, *OF_TEXT)
COMMANDS = {
    "answer": Command("how much memory is needed, how hot it is, and whose",
                      f"{REPORT}...", OF_REPORTS, run_reports),
    "all": Command("everything that a report has", f"{REPORT}...",
                   (add_top, *OF_REPORTS), run_reports),
    "tree": Command("whose pages they are at a moment, as a tree of calls",
                    f"{REPORT} or {LOG}",
                    (add_kept, add_callers, add_line, add_rules, add_tau,
                     add_forms, *OF_TEXT), printed(tree), most=1),
    "layers": Command("what fills it, by code, mapping, thread; what "
                      "processes share", f"{LOG}...",
                      (add_by, add_line, add_rules, add_at, add_tau,
                       add_page_size, *OF_LOG), printed(log_view)),
    "heat": Command("which addresses were accessed when, in numbers", LOG,
                    (add_page_size, *OF_LOG), printed(log_view), most=1),
    "enough": Command("how much memory is enough, and for how long",
                      f"{REPORT} or {LOG}", (add_page_size, add_forms, *OF_TEXT),
                      printed(enough_view), most=1),
    "pages": Command("whether other sizes of pages would help", LOG,
                     (add_page_sizes, add_at, add_tau, *OF_LOG),
                     printed(pages_view), most=1),
    "processes": Command("what the processes of a tree need, each and "
                         "together", f"{REPORT} {REPORT}...", OF_REPORTS,
                         run_reports, fewest=2),
    "compare": Command("what grew between two reports", "OLD NEW",
                       (add_page, *OF_REPORTS), run_reports, fewest=2, most=2),
    "page": Command("all of this as a page for a browser, in one file",
                    f"-o FILE {REPORT}... [{LOG}...]",
                    (add_output, *CONDITIONS, add_mapping, *OF_TEXT,
                     *AS_REPORT), run_reports),
    "folded": Command("stacks and their pages, for flame graphs, speedscope",
                      f"{REPORT} or {LOG}",
                      (add_kept, add_line, add_one_set, add_tau, add_span),
                      printed(folded_text), most=1)}
