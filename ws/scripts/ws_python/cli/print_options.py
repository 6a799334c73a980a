# SPDX-License-Identifier: GPL-2.0-or-later
"""The options of ws_print."""

import argparse
import sys
from typing import List

from ws_python.cli.command import Parser, add_span
from ws_python.cli.log_views import add_views
from ws_python.model.sizes import KINDS
from ws_python.model.span import Span
from ws_python.views.calltree import DOWN, UP
from ws_python.views.conditions import Condition, parse_condition

MORE = """\
A tree has pages by the call stacks that brought them into the working set.
What has less than 1 % of them is folded into one row. The number below a curve
is that of a peak, as for --at; with --all, that of an entry in the section
Peaks, marks and snapshots. In a curve, # is below the lowest size in a
column's time, : below the highest. Percentiles are of the samples, by nearest
rank: p95 is the smallest size that is not exceeded by 95 % of them. A peak
between two samples is in none of them: where samples are further apart than
half a window (--ws-every), rather use total, or bound.

Of several reports, those of a tree of processes, the memory that all had at
one time is printed, and a table of the processes. A process is named after the program that did most; small ones share a
row.

A condition of --fail-if is

    set[.tau].statistic operator number[unit]

set        insn, data or dirty; or resident (memory, at most in the run: alone,
           as in 'resident > 105%')
tau        the length of a window: 800000, 10M, or in milliseconds 300ms, 1.5s;
           without it, the shortest that has call stacks and is shorter than the
           run, as the answer of ws_print has
statistic  avg, p1 to p99, peak (the largest of the samples), bound (there
           were no more at any time, between samples either), total
           (different pages in the run), peaks (how many were found)
operator   > >= < <= == !=
unit       pages or lines (also without a unit), B, KiB or k, MiB or M, GiB or
           G, or, with --diff, % of the same in the first report

as in --fail-if 'data.p95 > 110%' --fail-if 'insn.10M.p99 >= 2.5MiB'. With --diff,
a condition that holds is followed by who grew most.

Exit code: 0; 1 if a condition holds; 2 for errors in usage or reports. A
truncated report in which a condition does not hold is an error."""

TREES = {"calls": DOWN, "callers": UP}
# Options about one report, and options that exclude each other.
ABOUT_ONE = ("all", "at", "entries", "tree", "by_line", "rules", "callgrind",
             "folded", "follow")
NAMED = {"conditions": "fail-if"}       # options by another name
EXCLUDED = {
    "follow": ABOUT_ONE[:-1],
    "all": ABOUT_ONE[1:],
    "entries": ("at", "rules"),
    "rules": ("tree", "by_line"),
    "callgrind": ("at", "entries", "tree", "by_line", "rules"),
    "folded": ("tree", "rules"),
    "html": ("diff",)}


OWN_NAMES = {"conditions": "fail_if"}     # where options differ from them


def condition(text: str) -> Condition:
    try:
        return parse_condition(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def kinds(text: str) -> List[str]:
    """Read sets: insn,data -> [insn, data], in the order of reports."""
    words = text.split(",")
    if not set(words) <= set(KINDS):
        raise argparse.ArgumentTypeError(f"{text!r} is not like insn,data")
    return [name for name in KINDS if name in words]


def bounded(low: int, high: int, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10
            and low <= int(text) <= high):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from {low} "
                                         f"to {high}")
    return int(text)


def check_view(parser: Parser, options: argparse.Namespace) -> None:
    """Refuse options for reports that a view of page logs does not have."""
    own = {"code": ("rules", "by_line")}.get(options.view, ())
    for name in (*ABOUT_ONE, "diff", "conditions", "html"):
        if getattr(options, name) and name not in ("at", *own):
            parser.error(f"--{options.view} has no --"
                         + OWN_NAMES.get(name, name).replace("_", "-"))


def check_combinations(parser: Parser, options: argparse.Namespace) -> None:
    """Refuse options that exclude each other, and fill in the sets."""
    given = [f"--{name.replace('_', '-')}" for name in ABOUT_ONE
             if getattr(options, name)]
    others = [f"--{NAMED.get(name, name)}" for name in (
        "diff", "conditions", "json", "csv", "tsv", "html")
              if getattr(options, name)]
    if options.pagesize and options.pagesize[1:]:
        wrong = [*given, *(name for name in others
                           if name not in ("--json", "--csv", "--tsv"))]
        if wrong or len(options.reports) > 1:
            parser.error("several page sizes of one page log are a table"
                         + "".join(f", without {name}" for name in wrong[:1]))
    if options.view:
        check_view(parser, options)
    elif given and (others or len(options.reports) > 1 and given != ["--all"]):
        parser.error(f"{given[0]} is about one report"
                     + "".join(f", without {name}" for name in others[:1]))
    for name, excluded in EXCLUDED.items():
        for other in excluded:
            if getattr(options, name) and getattr(options, other):
                parser.error(f"--{name} has no --{other.replace('_', '-')}")
    options.span = Span(options.first, options.last)
    for name in ("entries", "callgrind"):
        if options.span and getattr(options, name):
            parser.error(f"--{name} is about the whole run: no --from or --to")
    if options.folded:
        options.set = options.set or ["data"]
        if len(options.set) > 1:
            parser.error("a file is of one set: --set=data or --set=insn")
    options.set = options.set or list(KINDS)


def add_compositions(parser: Parser) -> None:
    """Add the options for compositions."""
    parser.add_argument("--all", action="store_true",
                        help="all sections of a report, however long; of "
                             "several, a row for each")
    parser.add_argument("--at", metavar="SAMPLE",
                        help="what this sample is made of: data.peak, "
                             "insn.peak, peak.1 (the highest of all peaks), "
                             "peak.2 and so on, a time, or the label of a "
                             "snapshot; of a page log with a view, data.peak, "
                             "insn.peak, any time, a part like 25%%, or the "
                             "label of a mark")
    parser.add_argument("--entries", action="store_true",
                        help="instead of a sample's pages, all that entered "
                             "the working set in the run")
    parser.add_argument("--tree", choices=[*TREES],
                        help="as a tree of calls: from main downwards "
                             "(calls, the default), or from the functions "
                             "that made the accesses to their callers")
    parser.add_argument("--by-line", action="store_true",
                        help="trees of lines instead of functions")
    parser.add_argument("--rules", metavar="FILE",
                        help="components instead of functions; sqlite3.rules "
                             "comes with ws_print")


def add_forms(parser: Parser) -> None:
    """Add the options that write for other programs."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--callgrind", action="store_true",
                      help="entries and largest composition for "
                           "callgrind_annotate and KCachegrind")
    form.add_argument("--folded", action="store_true",
                      help="stacks of one set, data without --set, for flame "
                           "graphs and speedscope")
    form.add_argument("--html", metavar="FILE",
                      help="a page for a browser, in one file: curve, "
                           "compositions, profile, processes; of page logs, "
                           "or with those of the same runs beside the "
                           "reports, addresses and mappings over time, "
                           "phases, huge pages")
    form.add_argument("--json", action="store_true",
                      help="everything for other programs: rows, phases, "
                           "compositions, profile, conditions")
    form.add_argument("--csv", action="store_true",
                      help="the table: a line for each sample, with all "
                           "columns of the report; of several reports, the "
                           "process is in the first one")
    form.add_argument("--tsv", action="store_true",
                      help="the same with tabs, as gnuplot reads it: plot "
                           "'FILE' using 't':'WSS_data'")


def parse_options() -> argparse.Namespace:
    parser = Parser(
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Print what reports of valgrind --tool=ws say: how much "
                    "memory a program needs at\nonce, when, and which code "
                    "needs it. Without options, on a page of 60 lines.",
        epilog=MORE)
    parser.add_argument("--follow", action="store_true",
                        help="while the program runs, draw its curve as it "
                             "grows, until the run ends; in a pipe, print a "
                             "line per second")
    parser.add_argument("--diff", action="store_true",
                        help="compare two reports, and say who grew; the one "
                             "that is named first is from before a change")
    parser.add_argument("--fail-if", action="append", default=[],
                        type=condition, metavar="COND", dest="conditions",
                        help="exit with code 1 if this holds, in the second "
                             "report of --diff or in any report; may be given "
                             "several times")
    parser.add_argument("--junit", metavar="FILE",
                        help="write what --fail-if has found to this file, in "
                             "the format that CI systems read")
    add_compositions(parser)
    add_forms(parser)
    add_views(parser, pictures=False)
    add_span(parser)
    parser.add_argument("--set", type=kinds, metavar="SET[,SET]",
                        help="only these sets: insn, data, dirty")
    parser.add_argument("--top", type=lambda text: bounded(0, 999999999, text),
                        default=10, metavar="N",
                        help="with --all, how many of the hottest pages, "
                             "mappings and functions (default: 10)")
    parser.add_argument("--width", type=lambda text: bounded(60, 1000, text),
                        default=80, metavar="N",
                        help="of what is printed, in characters (default: 80)")
    # --tree alone must not take the name of a report.
    end = (sys.argv + ["--"]).index("--")
    options = parser.parse(
        ["--tree=calls" if word == "--tree" else word
         for word in sys.argv[1:end]] + sys.argv[end:])
    if options.diff and len(options.reports) != 2:
        parser.error("--diff needs two reports")
    check_combinations(parser, options)
    if options.follow and options.reports[0] == "-":
        parser.error("--follow needs the name of a report")
    if options.junit and not options.conditions:
        parser.error("--junit is about conditions: it needs --fail-if")
    for one in options.conditions:
        if one.unit == "%" and not options.diff:
            parser.error(f"--fail-if {one.text}: % needs --diff")
    return options
