# SPDX-License-Identifier: GPL-2.0-or-later
"""The views of ws_plot, and their options."""

import argparse
import re
from math import ceil
from typing import Dict, List, Tuple

from ws_python.base.machine import sizes_of_machine
from ws_python.base.text import warn
from ws_python.base.units import MEMORY_SZB, parse_size
from ws_python.base.view import SizeMark
from ws_python.cli.command import Command, Parser
from ws_python.cli.options import (LOG, REPORT, add_by, add_line, add_mapping,
                                   add_page_size, add_rules, add_sets, add_span,
                                   add_tau, option, switch)

MACHINE = "machine"


def parse_refs(text: str) -> List[SizeMark]:
    """Read "machine,L2=1MiB"; machine means all of sizes_of_machine()."""
    sizes: Dict[str, SizeMark] = {}
    for word in text.split(","):
        name, equal, size = (part.strip() for part in word.partition("="))
        if name == MACHINE and not equal:
            sizes.update((mark.name, mark) for mark in sizes_of_machine())
            if not any(name.startswith("L") for name in sizes):
                warn("this machine tells no caches; --refs=L2=1MiB names them")
        elif name and size:
            try:
                sizes[name] = SizeMark(
                    name, ceil(parse_size(size)),
                    MEMORY_SZB if name.startswith("TLB") else 0)
            except ValueError as error:
                raise argparse.ArgumentTypeError(str(error)) from None
        else:
            raise argparse.ArgumentTypeError(
                f"{word!r} is neither like L2=1MiB nor {MACHINE}")
    return sorted(sizes.values(), key=lambda mark: mark.szB)


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
    parser.add_argument("-o", dest="output", metavar="FILE",
                        help="a .png, .svg or .pdf (default: VIEW-ws.out."
                             "PID.png,\nbeside the first file)")
    parser.add_argument("--title", help="instead of the command")
    parser.add_argument("--size", type=parse_pixels, metavar="WxH",
                        help="in pixels (default: 1280x720, or higher); 96 "
                             "per inch")


add_no_info = switch("--no-info", "without peaks, labels and origins")
add_log_axis = option("--log", action="store_true", dest="log_axis",
                      help="a logarithmic axis of sizes")
add_refs = option("--refs", type=parse_refs,
                  metavar="NAME=SIZE[,...]",
                  help="lines at sizes: L2=1MiB,TLB=8MiB; machine: its caches")
add_needed_rules = option(
    "--rules", metavar="FILE", required=True,
    help="components, as sqlite3.rules; see man ws_print")

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
                     "pictures", note=ABOUT_PICTURES),
    "tree": Command("which components the kept samples consist of", REPORT,
                    (add_needed_rules, *DRAWN_OF_REPORTS),
                    "pictures", most=1),
    "heat": Command("which addresses were accessed when", LOG, DRAWN_OF_LOG,
                    "pictures", most=1),
    "layers": Command("what fills the working set over time, by code, "
                      "mapping, thread", f"{LOG}...",
                      (add_by, add_line, add_rules, add_tau, *DRAWN_OF_LOG),
                      "pictures"),
    "enough": Command("how much memory is enough, and for how long",
                      f"{REPORT}... or {LOG}",
                      (add_log_axis, add_refs, *DRAWN_OF_REPORTS),
                      "pictures"),
    "pages": Command("how full huge pages would be", LOG,
                     (add_tau, *DRAWN_OF_LOG), "pictures", most=1),
    "processes": Command("what the processes of a tree need, each and "
                         "together", f"{REPORT} {REPORT}...",
                         (add_picture,), "pictures", fewest=2)}
