# SPDX-License-Identifier: GPL-2.0-or-later
"""The command ws_attach: its options, and what it prints in the end."""

import argparse
import re
import sys
from typing import List, Optional, Sequence, Tuple

from ws_python import VERSION
from ws_python.attach.kernel_pages import has_soft_dirty
from ws_python.attach.run import Run, announce
from ws_python.attach.watch import Plan
from ws_python.base.text import Failure, command, printable, program_name, warn
from ws_python.base.units import MS, parse_time
from ws_python.cli.command import PlainParser
from ws_python.cli.output import write
from ws_python.report.files import load_report
from ws_python.report.sizes import KINDS
from ws_python.show.terminal.view import view_as_text
from ws_python.views import processes
from ws_python.views.answer import answer, memory

DESCRIPTION = """\
Measure the working set of a process that runs, without Valgrind: the pages
that it has referenced in the last tau milliseconds, every so many
milliseconds, as the kernel tells. It is an estimate. The report is one of ws:
ws_print and ws_plot show it, also while it grows."""

EPILOG = """\
The process is never stopped, and runs on when ws_attach ends: when the process
exits, after --for, or at Ctrl-C. You must own the process, or be root. Measure
a process only once at a time. The chapter on ws in Valgrind's manual says what
the kernel's bits do not tell, and what it costs to clear and read them."""

WIDTH = 80                  # of the report in the end
MOST_MS = 10 ** 10          # 115 days
FOREVER_MS = 10 ** 12


def positive_ms(text: str) -> int:
    try:
        value = parse_time(text, MS)
    except ValueError:
        value = 0
    if not 0 < value <= MOST_MS:
        raise argparse.ArgumentTypeError(
            f"{printable(text)!r} is not like 500, 500ms or 1.5s")
    return value


def positive_s(text: str) -> int:
    """Read seconds, or a time with a unit; return milliseconds."""
    return positive_ms(f"{text}s" if re.fullmatch("[0-9.]+", text) else text)


def parse_plan(words: List[str]) -> Plan:
    """Parse the command line.  All times are milliseconds."""
    parser = PlainParser(
        prog=program_name(), usage="%(prog)s [option]... PID",
        description=DESCRIPTION, epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--version", action="version",
        version=f"%(prog)s (valgrind-ws) {VERSION}")
    add("pid", metavar="PID", type=int, help="the number of the process")
    add("--every", type=positive_ms, metavar="MS",
        help="the time from sample to sample: 500, 500ms, 1.5s (default: 1s; "
             "with --profile, two and a half times tau)")
    add("--tau", type=positive_ms, metavar="MS",
        help="the length of the window, not more than --every (default: the "
             "same as --every; with --profile, 1s)")
    add("--for", type=positive_s, metavar="S", dest="length",
        default=FOREVER_MS,
        help="how long to measure: 60, 1.5s (default: until the process "
             "exits, or Ctrl-C)")
    add("--out", metavar="FILE", default="ws.out.attach.%p",
        help="the report, a new file; %%p is the process ID (default: "
             "ws.out.attach.%%p)")
    add("--profile", action="store_true",
        help="shorter windows, too, one after another: tau/2, tau/4 and so "
             "on, for the working set profile")
    add("--tree", action="store_true",
        help="measure its children, too, each in a report of its own, also "
             "those that begin meanwhile")
    add("--no-flush", action="store_true",
        help="do not empty the processors' TLBs, nor find out what was "
             "written: cheaper for the process, but pages that it uses all "
             "the time may be missed")
    given = parser.parse_args(words)
    flushes = not given.no_flush
    every, tau = times_of(given.every, given.tau, given.profile)
    plan = Plan(given.pid, every, tau, given.length, given.out, given.profile,
                given.tree, flushes, flushes and has_soft_dirty())
    check(parser, plan)
    return plan


def times_of(every: Optional[int], tau: Optional[int],
             profile: bool) -> Tuple[int, int]:
    """Fill in missing ones of --every and --tau."""
    if profile:
        # tau + tau/2 + ..., and the gaps between them.
        tau = tau or 2 * (every or 2500) // 5 or 1
        every = every or 5 * tau // 2
    every = every or tau or 1000
    return every, tau or every


def check(parser: PlainParser, plan: Plan) -> None:
    """Refuse contradictions."""
    if plan.pid < 1:
        parser.error("the number of a process is 1 at least")
    if plan.tau > plan.every:
        parser.error(
            f"--tau={plan.tau} is longer than --every={plan.every}: the "
            "kernel has one bit for each page, so a window must end before "
            "the next one begins")
    if plan.tree and "%p" not in plan.out:
        parser.error("--tree: the name in --out needs %p: each process "
                     "has its own report")


def reports_in_short(paths: Sequence[str]) -> str:
    """What the reports say, in short."""
    reports = [load_report(path, full=True) for path in paths]
    lines = (view_as_text(processes.view(reports, ["data"], False, WIDTH,
                                         memory), WIDTH) if reports[1:]
             else answer(reports[0], [*KINDS], WIDTH))
    return "\n".join([*lines, "", f"More: {command('ws_print', *paths)}", ""])


def main() -> int:
    plan = parse_plan(sys.argv[1:])
    try:
        run = Run(plan)
        announce(plan)
        run.run()
        if run.lost:
            return 1
        write(reports_in_short(run.paths).encode(errors="replace"))
    except Failure as failure:
        warn(failure)
        return 2
    return 0
