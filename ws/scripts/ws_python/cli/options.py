# SPDX-License-Identifier: GPL-2.0-or-later
"""Options that several views of ws_print or ws_plot have.

Each add_*() adds some of them to the parser of a view.
"""

import argparse
import os
import re
from glob import glob
from math import ceil
from typing import Any, Callable, Dict, List

from ws_python.base.text import warn
from ws_python.base.units import READ_AS, parse_any_time, parse_size, read_as
from ws_python.base.view import SizeMark
from ws_python.cli.command import Parser
from ws_python.report.sizes import KINDS, MEMORY_SZB

AXES = ("code", "mapping", "thread", "process")     # of the view layers
REPORT, LOG = "ws.out.PID", "PAGE-LOG"              # files, as help names them
MACHINE = "machine"
CACHES = "/sys/devices/system/cpu/cpu0/cache/index*"
# By AMD's family, and the sum that Linux tells: the entries for pages of 4 KiB
# of the second-level TLBs of data and of code (CPUID 0x80000006).
ZEN, ZEN_3 = 23, 25
TLBS = {(ZEN, 2560): (1536, 1024), (ZEN, 3072): (2048, 1024),
        (ZEN_3, 2560): (2048, 512), (ZEN_3, 3584): (3072, 512)}


def parse_taus(text: str) -> List[int]:
    """Read 100000,10M or 300ms,1.5s, whatever the unit of the reports."""
    try:
        return [*map(parse_any_time, text.split(","))]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not like 100000,10M or "
                                         "300ms,1.5s") from None


def parse_page_size(text: str) -> int:
    """Read a page size: 64, 4k, 2M."""
    match = re.fullmatch("([0-9]{1,10})([kKMG]?)", text)
    value = int(match[1]) << 10 * " KMG".index(match[2].upper() or " "
                                               ) if match else 0
    if not 16 <= value <= 1 << 30 or value & (value - 1):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a power of two from 16 to 1G, like 64 or 2M")
    return value


def parse_page_sizes(text: str) -> List[int]:
    return [*dict.fromkeys(map(parse_page_size, text.split(",")))]


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


def parse_refs(text: str) -> List[SizeMark]:
    """Read "machine,L2=1MiB"; machine means all that of_machine() finds."""
    found: Dict[str, SizeMark] = {}
    for word in text.split(","):
        name, equal, size = (part.strip() for part in word.partition("="))
        if name == MACHINE and not equal:
            found.update((one.name, one) for one in of_machine())
            if not any(name.startswith("L") for name in found):
                warn("this machine tells no caches; --refs=L2=1MiB names them")
        elif name and size:
            try:
                found[name] = SizeMark(name, ceil(parse_size(size)),
                                        MEMORY_SZB * name.startswith("TLB"))
            except ValueError as error:
                raise argparse.ArgumentTypeError(str(error)) from None
        else:
            raise argparse.ArgumentTypeError(
                f"{word!r} is neither like L2=1MiB nor {MACHINE}")
    return sorted(found.values(), key=lambda ref: ref.szB)


def text_of_file(path: str) -> str:
    """Read a file of Linux; "" if there is none."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def tlb_entries() -> Dict[str, int]:
    """Return the entries of the second-level TLB for each set; {}: unknown."""
    text = text_of_file("/proc/cpuinfo")
    family, both = (int(found[1]) if found else 0 for found in (
        re.search(rf"^{key}\s*: ([0-9]{{1,9}})", text, re.MULTILINE)
        for key in ("cpu family", "TLB size")))
    return dict(zip(("data", "insn"), TLBS.get((family, both), ())))


def of_machine() -> List[SizeMark]:
    """Ask Linux for the sizes; not every processor reports its TLB."""
    found: List[SizeMark] = []
    for cache in sorted(glob(CACHES)):
        kind, level, size, line = (text_of_file(f"{cache}/{name}") for name in (
            "type", "level", "size", "coherency_line_size"))
        match = re.fullmatch("([0-9]{1,9})K ([0-9]{1,9})", f"{size} {line}")
        if match and kind != "Instruction":
            found.append(SizeMark(f"L{level}", int(match[1]) << 10,
                                   int(match[2])))
    sizes = {"TLB (level 2)": tlb_entries().get("data", 0) * MEMORY_SZB,
             "RAM": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")}
    return found + [SizeMark(name, size, MEMORY_SZB)
                    for name, size in sizes.items() if size]


def number(low: int, high: int) -> Callable[[str], int]:
    """Make a function that reads a number within these bounds."""
    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) < 10
                and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(
                f"{text!r} is no number from {low} to {high}")
        return int(text)

    return read


def option(*names: str, **more: Any) -> Callable[[Parser], None]:
    """Make a function that adds an option."""
    def add(parser: Parser) -> None:
        parser.add_argument(*names, **more)

    return add


def switch(name: str, text: str) -> Callable[[Parser], None]:
    return option(name, action="store_true", help=text)


add_line = switch("--by-line", "lines instead of functions")
add_sets = option("--set", type=parse_sets, default=[*KINDS],
                  metavar="SET[,SET]",
                  help="only these sets: data, code, written")
add_width = option("--width", type=number(60, 1000), default=80, metavar="N",
                   help="characters in a line (default: 80)")
add_tau = option("--tau", type=parse_taus, metavar="N[,...]",
                 help="these windows; of a log, multiples of its --ws-every")
add_page_size = option(
    "--pagesize", type=parse_page_size, metavar="BYTES",
    help="of a log: as if ws had run with these, larger pages")
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
add_refs = option("--refs", type=parse_refs, default=[],
                  metavar="NAME=SIZE[,...]",
                  help="lines at sizes: L2=1MiB,TLB=8MiB; machine: its caches")


def add_span(parser: Parser) -> None:
    parser.add_argument("--from", metavar="T", dest="first",
                        help="only samples after this time: 2.5M, 300ms, "
                             "25%%, a label")
    parser.add_argument("--to", metavar="T", dest="last",
                        help="only samples up to this time")


def add_forms(parser: Parser) -> None:
    form = parser.add_mutually_exclusive_group()
    for name, text in (("json", "everything, for other programs"),
                       ("csv", "the table, for spreadsheets"),
                       ("tsv", "the same with tabs, for gnuplot")):
        form.add_argument(f"--{name}", action="store_true", help=text)
