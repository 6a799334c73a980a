# SPDX-License-Identifier: GPL-2.0-or-later
"""Options, complaints and output that commands share."""

import argparse
import math
import os
import shutil
import sys
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from typing import (Any, Callable, List, Mapping, NamedTuple, NoReturn,
                    Optional, Sequence)

from ws_python import VERSION
from ws_python.base.text import Failure, printable, program_name, warn
from ws_python.report.files import LOG_BYTES, is_page_log, log_of
from ws_python.report.reader import MAGIC
from ws_python.report.span import Span

PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")     # by gzip and zstd


class PlainParser(argparse.ArgumentParser):
    """Complains in printable characters.  Options cannot be abbreviated:
    argparse would then only complain about their values.
    """

    def __init__(self, **more: Any):
        super().__init__(allow_abbrev=False, **more)
        self.known = self._option_string_actions

    def error(self, message: str) -> NoReturn:
        _, is_unknown, words = message.partition("unrecognized arguments: ")
        if is_unknown:
            name = words.partition(" ")[0].partition("=")[0]
            names = [*self.known]
            near = ([one for one in names if one.startswith(name)]
                    or get_close_matches(name, names))
            message = f"there is no {name}" + (
                f"; there is {', '.join(near)}" if near else "")
        super().error(printable(message))


class Command(NamedTuple):
    """A view: what a command makes of files."""
    help: str       # the question that it answers
    files: str      # as help names them, and their numbers
    options: Sequence[Callable[["Parser"], None]]   # each adds some
    run: Callable[[argparse.Namespace], int]        # returns the exit code
    fewest: int = 1
    most: float = math.inf
    note: str = ""      # below the options


Commands = Mapping[str, Command]


class Parser(PlainParser):
    """The parser of a view.  That of the first view, which needs no name, has
    the list of all.
    """

    def __init__(self, commands: Commands, name: str, description: str):
        self.commands, self.name = commands, name
        self.command = commands[name]
        self.is_first = name == next(iter(commands))
        usage = f"{name} [option]... {self.command.files}"
        if self.is_first:
            usage = f"[{name}] [option]... {self.command.files}\n" \
                    "       %(prog)s view [option]... file..."
            description += "\n\nviews:\n" + "\n".join(
                f"  {view:<10} {more.help}"
                for view, more in commands.items()) + (
                "\n\n%(prog)s VIEW --help has the options of a view. A report "
                "may be packed (.gz,\n.zst); - is standard input. PAGE-LOG is "
                "what --ws-page-log of ws wrote; views\nof one also take a report "
                "that names it.")
        else:
            description = self.command.help[0].upper() + self.command.help[1:]
        super().__init__(
            prog=program_name(), usage=f"%(prog)s {usage}",
            description=description, epilog=self.command.note,
            formatter_class=lambda prog: argparse.RawTextHelpFormatter(
                prog, max_help_position=22, width=80))
        if self.is_first:
            self.add_argument("--version", action="version",
                              version=f"%(prog)s (valgrind-ws) {VERSION}")
        self.add_argument("reports", nargs="*", help=argparse.SUPPRESS)
        self.set_defaults(**DEFAULTS, view=name)
        for add in self.command.options:
            add(self)

    def parse(self, words: List[str]) -> argparse.Namespace:
        """Parse options and files in any order; only files follow --."""
        end = [*words, "--"].index("--")
        options = self.parse_intermixed_args(words[:end])
        files = options.reports = [*options.reports, *words[end + 1:]]
        for file in files:
            if file in self.commands and not os.path.exists(file):
                self.error(f"the view comes first: {self.prog} {file} ...")
        if self.is_first and files[1:] and not os.path.exists(files[0]):
            self.check_view(files[0])
        if not files:
            self.error("a file is needed: ws.out.PID, or - for standard input")
        if not self.command.fewest <= len(files) <= self.command.most:
            others = [name for name, command in self.commands.items()
                      if command.most > self.command.most]
            self.error(
                f"{self.name} needs: {self.command.files}; "
                f"{len(files)} given" + (f". Views of more files: "
                                         f"{', '.join(others)}"
                                         if files[1:] and others else ""))
        if files.count("-") > 1:
            self.error("standard input can be read only once")
        if self.command.most == math.inf and files[1:]:
            # A report and its log are of one process.
            logs = {*filter(is_page_log, files)}
            named = {os.path.realpath(log_of(file)) for file in files
                     if logs and file not in logs}
            options.reports = [file for file in files if file not in logs
                               or os.path.realpath(file) not in named]
        options.span = Span(options.first, options.last)
        # People do not see long tables, which take their time.
        options.long = any(getattr(options, form, False)
                           for form in ("csv", "json", "tsv"))
        return options

    def check_view(self, word: str) -> None:
        """Refuse what looks like the name of a view."""
        for program in "ws_print", "ws_plot":
            module = import_module(f"ws_python.cli.{program[3:]}_views")
            if word in module.COMMANDS:
                self.error(f"{word} is a view of {program}: {program} {word} "
                           "...")
        near = get_close_matches(word, self.commands)
        if near:
            self.error(f"there is no view {word}; there is {near[0]}")


# Views are asked for all of these, also if they have no such option.
DEFAULTS = {name: None for name in (
    "at", "rules", "mapping", "pagesize", "tau", "title", "first", "last",
    "output", "cells")}
DEFAULTS.update(dict.fromkeys(("by_line", "entries", "log"), False),
                refs=(), top=10)


def place_of_view(commands: Commands, words: Sequence[str]) -> int:
    """Find the first word that is neither an option nor an option's value.
    --set data tree FILE has a view, too.
    """
    at, valued = 0, {
        option for name in commands if words and words[0].startswith("-")
        for option, action in Parser(commands, name, "").known.items()
        if action.nargs != 0}
    while at < len(words) and words[at].startswith("-"):
        at += 1 + (words[at] in valued)
    return at


def run_command(commands: Commands, description: str) -> int:
    """Do what the command line says; return the exit code."""
    words = sys.argv[1:]
    at = place_of_view(commands, words)
    name = next(iter(commands))
    if words[at:] and words[at] in commands and "--" not in words[:at]:
        name = words.pop(at)
    parser = Parser(commands, name, description)
    options = parser.parse(words)
    options.wrong = parser.error        # for what argparse cannot check
    try:
        return commands[name].run(options)
    except Failure as failure:
        warn(failure)
    except MemoryError:
        warn("there is not enough memory for these files")
    return 2


def begin_of(path: str) -> bytes:
    """Read the first bytes of a file, if there is one; no pipe has any yet."""
    with suppress(OSError), open(
            path if os.path.isfile(path) else os.devnull, "rb") as file:
        return file.read(len(MAGIC))
    return b""


def check_output(path: str, option: str) -> None:
    """Refuse to overwrite a report: in "page -o a b", a may be a report."""
    begin = begin_of(path)
    is_log = begin.startswith(LOG_BYTES)
    if is_log or begin.startswith((MAGIC.encode(), *PACKED)):
        raise Failure(f"{printable(path)}: is a "
                      f"{'page log' if is_log else 'report'}, and not written "
                      f"over. Usage: {program_name()} {option} REPORT...")


def write(content: bytes, output: Optional[str] = None,
          real: Callable[[str], str] = os.path.realpath) -> None:
    """Write to a file, or else to standard output.  A file is whole, or what it
    was: where it may be replaced, its content is first written beside it.
    """
    path = real(output or "")
    folder = os.path.dirname(path)
    is_there = os.path.exists(path) and not os.path.islink(path)
    beside = os.path.join(folder, f".ws-{os.urandom(4).hex()}")
    if not output or not os.access(folder, os.W_OK) or is_there and not (
            os.path.isfile(path) and os.access(path, os.W_OK)):
        beside = ""         # it is a pipe, or a device, or cannot be replaced
    try:
        with open(beside or output or 1, "xb" if beside else "wb",
                  closefd=bool(output)) as file:
            file.write(content)
        if beside and is_there:
            shutil.copymode(path, beside)
        if beside:
            os.replace(beside, path)
    except BrokenPipeError:
        pass        # the reader has seen enough
    except OSError as error:
        raise Failure(f"{printable(output or 'standard output')}: "
                      f"{error.strerror}") from None
    finally:
        with suppress(OSError):
            os.unlink(beside)
