# SPDX-License-Identifier: GPL-2.0-or-later
"""Options that several views of ws_print or ws_plot have.

Each add_*() adds some of them to the parser of a view.
"""

import argparse
import re
from typing import Any, Callable, List, TypeVar

from ws_python.base.text import Failure
from ws_python.base.units import (READ_AS, US_READ, number_with, parse_any_time,
                                  read_as)
from ws_python.cli.command import Parser
from ws_python.report.sizes import KINDS

AXES = ("code", "mapping", "thread", "process")     # of the view layers, and
AXES_OF_TREE = ("thread",)
REPORT, LOG = "ws.out.PID", "PAGE-LOG"              # files, as help names them


def parse_taus(text: str) -> List[int]:
    """Read 100000,10M or 300ms,1.5s, whatever the unit of the reports."""
    try:
        return [*map(parse_any_time, text.split(","))]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not like 100000,10M or "
                                         "300ms,1.5s") from None


def parse_seconds(text: str) -> float:
    """Read a short time: 5us, 0.1ms -> seconds."""
    try:
        return float(number_with(text, US_READ, "100us or 8ms") / 1000000)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def parse_page_size(text: str) -> List[int]:
    """Read a page size: 64, 4k, 2M."""
    match = re.fullmatch("([0-9]{1,10})([kKMG]?)", text)
    value = int(match[1]) << 10 * " KMG".index(match[2].upper() or " "
                                               ) if match else 0
    if not 16 <= value <= 1 << 30 or value & (value - 1):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a power of two from 16 to 1G, like 64 or 2M")
    return [value]


def parse_page_sizes(text: str) -> List[int]:
    return [*dict.fromkeys(size for word in text.split(",")
                           for size in parse_page_size(word))]


def parse_sets(text: str) -> List[str]:
    """Read sets: code,data -> [insn, data], in the order of reports."""
    words = [READ_AS.get(word, word) for word in text.split(",")]
    if not set(words) <= set(KINDS):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not like code,data; sets are data, code (insn), "
            "written (dirty)")
    return [name for name in KINDS if name in words]


def parse_at(text: str) -> str:
    """Read the name of a sample: insn.peak -> code.peak."""
    name, _, rest = text.partition(".")
    return f"{read_as(name)}.peak" if rest == "peak" else text


def number(low: int, high: int) -> Callable[[str], int]:
    """Make a function that reads a number within these bounds."""
    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) < 10
                and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(
                f"{text!r} is no number from {low} to {high}")
        return int(text)

    return read


Read = TypeVar("Read")


def parsed(parse: Callable[[str], Read]) -> Callable[[str], Read]:
    """Make a function whose failures argparse says."""
    def read(text: str) -> Read:
        try:
            return parse(text)
        except Failure as failure:
            raise argparse.ArgumentTypeError(str(failure)) from None

    return read


def option(*names: str, **more: Any) -> Callable[[Parser], None]:
    """Make a function that adds an option."""
    def add(parser: Parser) -> None:
        parser.add_argument(*names, **more)

    return add


def switch(name: str, text: str) -> Callable[[Parser], None]:
    return option(name, action="store_true", help=text)


add_line = switch("--by-line", "lines instead of functions")
add_sets = option("--set", type=parse_sets, dest="sets", metavar="SET[,SET]",
                  help="only these sets: data, code, written")
add_width = option("--width", type=number(60, 1000), metavar="N",
                   help="characters in a line (default: 80)")
add_tau = option("--tau", type=parse_taus, dest="taus", metavar="N[,...]",
                 help="these windows; of a log, multiples of its --ws-every")
add_page_size = option(
    "--pagesize", type=parse_page_size, dest="page_sizes", metavar="BYTES",
    help="of a log: as if ws had run with these, larger pages")
add_page_in = option("--page-in", type=parse_seconds, metavar="TIME",
                     help="what a page-in takes: 5us (zram), 100us (SSD; the\n"
                          "default), 8ms (disk)")
add_mapping = option("--mapping", metavar="NAME",
                     help="only mappings whose name has this: heap, libc")
add_at = option("--at", metavar="T", type=parse_at,     # of a page log
                help="this sample: data.peak (default), code.peak, a time, "
                     "25%%,\nor the label of a mark")
add_rules = option("--rules", metavar="FILE",
                   help="components instead of functions: sqlite3.rules")
add_by = option("--by", choices=AXES, metavar="WHAT",
                help="code that brought pages in (default), mapping, thread,\n"
                     "or process (default for several logs)")

add_by_thread = option(
    "--by", choices=AXES_OF_TREE, metavar="WHAT",
    help="thread: of a log, what each has, and what they share")


def add_span(parser: Parser) -> None:
    parser.add_argument("--from", metavar="T", dest="first",
                        help="only samples after this time: 2.5M, 300ms, "
                             "25%%, a label")
    parser.add_argument("--to", metavar="T", dest="last",
                        help="only samples up to this time")


def add_forms(parser: Parser) -> None:
    form = parser.add_mutually_exclusive_group()
    forms = [("json", "everything, for other programs"),
             ("csv", "the table, for spreadsheets"),
             ("tsv", "the same with tabs, for gnuplot")]
    if parser.is_first:
        forms.append(("benchmark-json", "statistics for github-action-benchmark"))
    for name, text in forms:
        form.add_argument(f"--{name}", action="store_true", help=text)
