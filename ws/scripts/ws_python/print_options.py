# SPDX-License-Identifier: GPL-2.0-or-later
"""The options of ws_print."""

import argparse
import sys
from typing import List

from ws_python.calltree import DOWN, UP
from ws_python.command import Parser
from ws_python.conditions import Condition, parse_condition
from ws_python.reports import program_name
from ws_python.sizes import KINDS

MORE = """\
A tree has pages by the call stacks that brought them into the working set.
What has less than 1 % of them is folded into one row. The number below a curve
is that of a peak, as for --at; with --all, that of an entry in the section
Peaks, marks and snapshots. In a curve, # is below the lowest size in a
column's time, : below the highest. Percentiles are of the samples, by nearest
rank: p95 is the smallest size that is not exceeded by 95 % of them. kB, MB and
GB are of 1024.

Of several reports, those of a tree of processes, a table of the processes is
printed.

A condition of --fail-if is

    set[.tau].statistic operator number[unit]

set        insn, data or dirty
tau        the length of a window, if it is not the first one
statistic  avg, peak, total (different pages in the run), peaks (number of
           peaks that were found), or p1 to p99
operator   > >= < <= == !=
unit       pages (also without a unit), B, kB, MB, GB, or, with --diff, % of
           the same in the first report

as in --fail-if 'data.p95 > 110%' --fail-if 'insn.800000.peak >= 2.5MB'.

Exit code: 0; 1 if a condition holds; 2 for errors in usage or reports. A
truncated report in which a condition does not hold is an error."""

TREES = {"calls": DOWN, "callers": UP}
# What is about one report, and what cannot be asked for with what.
ABOUT_ONE = ("all", "at", "entries", "tree", "by_line", "rules", "callgrind",
             "massif", "folded")
EXCLUDED = {
    "all": ABOUT_ONE[1:],
    "entries": ("at", "rules"),
    "rules": ("tree", "by_line"),
    "callgrind": ("at", "entries", "tree", "by_line", "rules"),
    "massif": ("at", "entries", "tree", "by_line", "rules"),
    "folded": ("tree", "rules")}


def condition(text: str) -> Condition:
    try:
        return parse_condition(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def kinds(text: str) -> List[str]:
    """insn,data -> [insn, data], in the order of reports."""
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


def check_combinations(parser: Parser, options: argparse.Namespace) -> None:
    """What is about the compositions of one report."""
    given = [f"--{name.replace('_', '-')}" for name in ABOUT_ONE
             if getattr(options, name)]
    others = [f"--{name}" for name in ("diff", "matrix", "conditions", "json",
                                       "csv") if getattr(options, name)]
    if given and (others or len(options.reports) > 1):
        parser.error(f"{given[0]} is about one report"
                     + "".join(f", without {name}" for name in others[:1]))
    for name, excluded in EXCLUDED.items():
        for other in excluded:
            if getattr(options, name) and getattr(options, other):
                parser.error(f"--{name} has no --{other.replace('_', '-')}")
    if options.massif or options.folded:
        options.set = options.set or ["data"]
        if len(options.set) > 1:
            parser.error("a file is of one set: --set=data or --set=insn")
    options.set = options.set or list(KINDS)


def add_compositions(parser: Parser) -> None:
    """What a set is made of."""
    parser.add_argument("--all", action="store_true",
                        help="all sections of a report, however long")
    parser.add_argument("--at", metavar="SAMPLE",
                        help="what this sample is made of: data.peak, "
                             "insn.peak, peak.1 (the highest of all peaks), "
                             "peak.2 and so on, a time, or the label of a "
                             "snapshot")
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
                             "and python3.rules come with ws_print")


def add_forms(parser: Parser) -> None:
    """For other programs."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--callgrind", action="store_true",
                      help="entries and largest composition for "
                           "callgrind_annotate and KCachegrind")
    form.add_argument("--massif", action="store_true",
                      help="curve and compositions of one set, data without "
                           "--set, for ms_print and massif-visualizer")
    form.add_argument("--folded", action="store_true",
                      help="stacks of one set, data without --set, for flame "
                           "graphs and speedscope")
    form.add_argument("--json", action="store_true",
                      help="everything for other programs")
    form.add_argument("--csv", action="store_true",
                      help="the same, a line for each value; with --matrix, "
                           "the matrix alone")


def parse_options() -> argparse.Namespace:
    parser = Parser(
        prog=program_name(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Print what reports of valgrind --tool=ws say: how much "
                    "memory a program needs at\nonce, when, and which code "
                    "needs it. Without options, on a page of 60 lines.",
        epilog=MORE)
    parser.add_argument("reports", nargs="+", metavar="ws.out.PID",
                        help="a report, or - for standard input")
    parser.add_argument("--diff", action="store_true",
                        help="compare two reports; the first one is from "
                             "before a change")
    parser.add_argument("--fail-if", action="append", default=[],
                        type=condition, metavar="COND", dest="conditions",
                        help="exit with code 1 if this holds, in the second "
                             "report of --diff or in any report; may be given "
                             "several times")
    parser.add_argument("--matrix", action="store_true",
                        help="pages by mapping and process, from lists of "
                             "pages (--ws-list-pages=yes of ws)")
    add_compositions(parser)
    add_forms(parser)
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
    options = parser.parse_args(
        ["--tree=calls" if word == "--tree" else word
         for word in sys.argv[1:end]] + sys.argv[end:])
    if options.reports.count("-") > 1:
        parser.error("standard input can be read only once")
    if options.diff and len(options.reports) != 2:
        parser.error("--diff needs two reports")
    if options.diff and options.matrix:
        parser.error("--diff has no --matrix")
    check_combinations(parser, options)
    for one in options.conditions:
        if one.unit == "%" and not options.diff:
            parser.error(f"--fail-if {one.text}: % needs --diff")
    return options
