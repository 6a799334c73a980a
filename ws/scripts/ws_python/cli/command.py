# SPDX-License-Identifier: GPL-2.0-or-later
"""Options, complaints and output that commands share."""

import argparse
from difflib import get_close_matches
from typing import Any, List, NoReturn, Optional

from ws_python import VERSION
from ws_python.base.failure import Failure, program_name
from ws_python.base.text import printable
from ws_python.base.units import MS, parse_time
from ws_python.read.files import LOG_MAGIC
from ws_python.read.reports import MAGIC

PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")     # by gzip and zstd


class PlainParser(argparse.ArgumentParser):
    """Complains in printable characters.  Options cannot be abbreviated:
    argparse would then only complain about their values.
    """

    def __init__(self, **more: Any):
        super().__init__(allow_abbrev=False, **more)

    def error(self, message: str) -> NoReturn:
        _, is_unknown, words = message.partition("unrecognized arguments: ")
        if is_unknown:
            name = words.partition(" ")[0].partition("=")[0]
            names = [*self._option_string_actions]
            near = ([one for one in names if one.startswith(name)]
                    or get_close_matches(name, names))
            message = f"there is no {name}" + (
                f"; there is {', '.join(near)}" if near else "")
        super().error(printable(message))


class Parser(PlainParser):
    """The parser of commands that read reports."""

    def __init__(self, **more: Any):
        super().__init__(prog=program_name(),
                         usage="%(prog)s [option]... ws.out.PID...", **more)
        self.add_argument("--version", action="version",
                          version=f"%(prog)s (valgrind-ws) {VERSION}")
        self.add_argument("reports", nargs="*", metavar="ws.out.PID",
                          help="a report, also packed: .gz or .zst; or - for "
                               "standard input")

    def parse(self, words: List[str]) -> argparse.Namespace:
        """Parse options and reports in any order; only reports follow --."""
        end = [*words, "--"].index("--")
        options = self.parse_intermixed_args(words[:end])
        options.reports = [*options.reports, *words[end + 1:]]
        if not options.reports:
            self.error("a report is needed: ws.out.PID, or - for standard "
                       "input")
        if options.reports.count("-") > 1:
            self.error("standard input can be read only once")
        return options


def parse_taus(text: str) -> List[int]:
    """Read 100000,10M or 300ms,1.5s, whatever the unit of the reports."""
    def parse(tau: str) -> int:
        try:
            return parse_time(tau, "instructions")
        except ValueError:
            return parse_time(tau, MS)

    try:
        return [parse(tau) for tau in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not like 100000,10M or "
                                         "300ms,1.5s") from None


def check_output(path: str, option: str) -> None:
    """Refuse to overwrite a report: in "--html a b", a is to be read."""
    try:
        with open(path, "rb") as file:
            begin = file.read(len(MAGIC))
    except OSError:
        return      # there is none, or it cannot be written
    is_log = begin.startswith(LOG_MAGIC)
    if is_log or begin.startswith((MAGIC.encode(), *PACKED)):
        raise Failure(f"{printable(path)}: is a "
                      f"{'page log' if is_log else 'report'}, and not written "
                      f"over. Usage: {program_name()} {option}=FILE "
                      "REPORT...")


def write(content: bytes, output: Optional[str] = None) -> None:
    """Write to a file, or else to standard output."""
    try:
        with open(output or 1, "wb", closefd=bool(output)) as file:
            file.write(content)
    except BrokenPipeError:
        pass        # the reader has seen enough
    except OSError as error:
        raise Failure(f"{printable(output or 'standard output')}: "
                      f"{error.strerror}") from None


def add_span(parser: Parser) -> None:
    """Add --from and --to."""
    for name, store in (("from", "first"), ("to", "last")):
        parser.add_argument(
            f"--{name}", metavar="T", dest=store,
            help="only samples up to this time" if name == "to" else
                 "only samples after this time: 2.5M instructions, 300ms or "
                 "1.5s, 25%% of the run, or the label of a mark or snapshot "
                 "(loaded, or loaded#2 for the second of this name)")
