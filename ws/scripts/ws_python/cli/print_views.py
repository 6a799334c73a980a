# SPDX-License-Identifier: GPL-2.0-or-later
"""The views of ws_print: their options, and the modules that answer."""

from typing import TYPE_CHECKING, List

from ws_python.base.later import Later
from ws_python.cli.command import Command, Parser
from ws_python.cli.options import (LOG, REPORT, add_at, add_by, add_by_thread,
                                   add_forms, add_line, add_mapping,
                                   add_page_in, add_page_size, add_rules,
                                   add_sets, add_span, add_tau, add_width,
                                   number, option, parse_at, parse_page_sizes,
                                   parse_sets, parsed, switch)

if TYPE_CHECKING:
    from ws_python.cli import trend
    from ws_python.views import conditions
    from ws_python.views.conditions import Condition
else:
    trend = Later("ws_python.cli.trend")
    conditions = Later("ws_python.views.conditions")


def read_condition(text: str) -> "Condition":
    return conditions.parse_condition(text)


def read_statistics(text: str) -> "List[Condition]":
    return trend.parse_statistics(text)


add_conditions = option(
    "--fail-if", action="append", type=parsed(read_condition),
    metavar="COND", dest="conditions",
    help="exit with 1 if so: 'memory > 20MiB', 'data.10M.p95 > 90',\nin "
         "compare 'memory > 105%%'; repeatable; see man ws_print")
add_hint = option("--hint", metavar="TEXT",
                  help="a sentence of yours, printed where --fail-if holds")
add_junit = option("--junit", metavar="FILE",
                   help="write what --fail-if found for CI systems")
add_statistics = option(
    "--stat", action="extend", type=parsed(read_statistics), metavar="STAT",
    dest="statistics", help="for --benchmark-json, as in --fail-if (default: "
                            "resident,\nlimit,data.10M.p95,code.10M.p95)")
add_callers = switch(
    "--callers", "from accesses to their callers, not from main downwards")
add_one_set = option("--set", type=parse_sets, default=["data"], dest="sets",
                     metavar="SET", help="data (the default), code, written")
add_top = option("--top", type=number(0, 999999999), metavar="N",
                 help="so many hottest pages, functions... (default: 10)")
add_page_sizes = option(
    "--pagesize", type=parse_page_sizes, dest="page_sizes",
    metavar="BYTES[,...]",
    help="huge pages of this size (default: 2M); a table of\nseveral: "
         "64,4k,2M")
add_output = option("-o", dest="output", metavar="FILE", required=True,
                    help="write the page to this file (needed)")
add_moment = option("--at", metavar="T", type=parse_at,
                    help="a time, 25%%, or the label of a mark (default: when "
                         "most\nis unused)")
add_trace = option("-o", dest="output", metavar="FILE",
                   help="write the trace to this file, not to standard output")
add_page = option("-o", dest="output", metavar="FILE",
                  help="write a page for a browser, with graphs of what grew")

add_samples = option("--at", metavar="SAMPLE", type=parse_at, action="append",
                     dest="samples",
                     help="memory then, not at its most; twice, of one report: "
                          "what\ngrew in between: a time, the label of a "
                          "snapshot")

LINKERS = ("lld", "gold", "ld", "bolt")
add_object = option("--object", metavar="FILE",
                    help="of a library, or of the program at another place")
add_format = option("--format", choices=LINKERS, metavar="LINKER",
                    help="lld (the default), gold, ld, or bolt")
add_order = option("-o", dest="output", metavar="FILE",
                   help="write the order to this file")


def add_kept(parser: Parser) -> None:
    """Add the moment that a view of a report shows."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--at", metavar="SAMPLE", type=parse_at,
                       help="this sample: data.peak (default: of each set), "
                            "peak.1 (the\nhighest), resident.peak, unused.peak, "
                            "unshared.peak,\na time, resident.TIME, or the "
                            "label of a snapshot")
    group.add_argument("--entries", action="store_true",
                       help="all pages that entered in the run, not a "
                            "sample's")


add_sample = option("--at", metavar="SAMPLE", type=parse_at,
                    help="the heap at this moment: heap.peak (default), heap.end, "
                         "heap.TIME,\nheap.LABEL of a snapshot")
AS_REPORT = (add_tau, add_page_size)    # of a page log
OF_TEXT = (add_sets, add_span, add_width)
CONDITIONS = (add_conditions, add_hint, add_junit)
OF_REPORTS = (*CONDITIONS, add_forms, *OF_TEXT, *AS_REPORT)
OF_LOG = (add_mapping, add_forms, *OF_TEXT)
COMMANDS = {
    "answer": Command("how much memory is needed, how hot it is, and whose",
                      f"{REPORT}...", (add_statistics, *OF_REPORTS),
                      "print_reports"),
    "all": Command("everything that a report has", f"{REPORT}...",
                   (add_top, *OF_REPORTS), "print_reports"),
    "tree": Command("whose pages they are at a moment, as a tree of calls",
                    f"{REPORT} or {LOG}",
                    (add_kept, add_by_thread, add_callers, add_line, add_rules,
                     add_tau, add_forms, *OF_TEXT), "print_stacks", most=1),
    "heap": Command("who keeps the memory, and how much of it is used",
                    REPORT, (add_sample, add_top, add_forms, add_width),
                    "print_stacks", most=1),
    "layers": Command("what fills it, by code, mapping, thread; what "
                      "processes share", f"{LOG}...",
                      (add_by, add_line, add_rules, add_at, add_tau,
                       add_page_size, *OF_LOG), "print_logs"),
    "heat": Command("which addresses were accessed when, in numbers", LOG,
                    (add_page_size, *OF_LOG), "print_logs", most=1),
    "enough": Command("how much memory is enough, and for how long",
                      f"{REPORT} or {LOG}",
                      (add_page_size, add_page_in, add_forms, *OF_TEXT),
                      "print_logs", most=1),
    "cold": Command("which resident memory is unused, since when, and whose",
                    f"{REPORT} or {LOG}",
                    (add_moment, add_tau, add_page_size, *OF_LOG), "print_stacks",
                    most=1),
    "pages": Command("whether other sizes of pages would help", LOG,
                     (add_page_sizes, add_at, add_tau, *OF_LOG),
                     "print_logs", most=1),
    "order": Command("an order of functions for the linker, and what it "
                     "gains", f"{LOG}...", (
                         add_object, add_format, add_order, add_tau, add_forms,
                         add_width), "print_logs"),
    "processes": Command("what the processes of a tree need, each and "
                         "together", f"{REPORT} {REPORT}...", OF_REPORTS,
                         "print_reports", fewest=2),
    "compare": Command("what grew between two reports", "OLD [NEW]",
                       (add_page, add_samples, *OF_REPORTS), "print_compare",
                       most=2),
    "page": Command("all of this as a page for a browser, in one file",
                    f"-o FILE {REPORT}... [{LOG}...]",
                    (add_output, *CONDITIONS, add_mapping, *OF_TEXT,
                     *AS_REPORT), "print_page"),
    "trace": Command("all of this over time, for Perfetto",
                     f"{REPORT} [{LOG}]", (add_trace, add_sets, add_span),
                     "print_trace", most=2),
    "folded": Command("stacks and their pages, for flame graphs, speedscope",
                      f"{REPORT} or {LOG}",
                      (add_kept, add_line, add_one_set, add_tau, add_span),
                      "print_stacks", most=1)}
