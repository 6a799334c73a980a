# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes a request of a command line, and lets a module answer it."""

import argparse
import math
import os
import sys
from difflib import get_close_matches
from typing import Any, Callable, List, Mapping, NamedTuple, NoReturn, Sequence

from ws_python import VERSION
from ws_python.base.later import Later
from ws_python.base.text import Failure, printable, program_name, warn
from ws_python.cli.request import CommandLine, Misuse
from ws_python.report.files import is_page_log, log_of
from ws_python.report.span import Span


class PlainParser(argparse.ArgumentParser):
    """Complains in printable characters, and expands no abbreviations: argparse
    would then complain only about their values.
    """

    def __init__(self, **more: Any):
        super().__init__(allow_abbrev=False, **more)
        self.known = self._option_string_actions

    def error(self, message: str) -> NoReturn:
        _, is_unknown, words = message.partition("unrecognized arguments: ")
        if is_unknown:
            name = words.partition(" ")[0].partition("=")[0]
            names = [*self.known]
            near = ([known for known in names if known.startswith(name)]
                    or get_close_matches(name, names))
            message = f"there is no {name}" + (
                f"; there is {', '.join(near)}" if near else "")
        super().error(printable(message))


class Command(NamedTuple):
    """A view: what a command makes of files."""
    help: str       # the question that it answers
    files: str      # as help names them, and their numbers
    options: Sequence[Callable[["Parser"], None]]   # each adds some
    module: str     # of cli/: its function run answers, and returns the exit code
    fewest: int = 1
    most: float = math.inf
    note: str = ""      # below the options


Commands = Mapping[str, Command]


class Parser(PlainParser):
    """The parser of a view.  The first view needs no name, and lists all."""

    def __init__(self, commands: Commands, name: str, description: str,
                 others: Mapping[str, str]):
        self.commands, self.name, self.others = commands, name, others
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
            argument_default=argparse.SUPPRESS,
            formatter_class=lambda prog: argparse.RawTextHelpFormatter(
                prog, max_help_position=22, width=80))
        if self.is_first:
            self.add_argument("--version", action="version",
                              version=f"%(prog)s (valgrind-ws) {VERSION}")
        self.add_argument("files", nargs="*", help=argparse.SUPPRESS)
        for add in self.command.options:
            add(self)

    def parse(self, words: List[str]) -> CommandLine:
        """Parse options and files in any order; only files follow --."""
        end = [*words, "--"].index("--")
        given = vars(self.parse_intermixed_args(words[:end]))
        files = [*given.pop("files", ()), *words[end + 1:]]
        for file in files:
            if file in self.commands and not os.path.exists(file):
                self.error(f"the view comes first: {self.prog} {file} ...")
        if self.is_first and files and not (
                "junit" in given or os.path.exists(files[0])):
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
            files = [file for file in files if file not in logs
                     or os.path.realpath(file) not in named]
        span = Span(given.pop("first", None), given.pop("last", None))
        # People do not see long tables, which take their time.
        in_full = any(given.get(form) for form in ("csv", "json", "tsv"))
        given.pop("tsv", None)
        return CommandLine(view=self.name, files=(*files,), span=span,
                           in_full=in_full, **{
                               name: (*value,) if isinstance(value, list)
                               else value for name, value in given.items()})

    def check_view(self, word: str) -> None:
        """Refuse what looks like the name of a view."""
        for program, module in self.others.items():
            if word in Later(f"ws_python.cli.{module}").COMMANDS:
                self.error(f"{word} is a view of {program}: {program} {word} "
                           "...")
        if word.isalpha():
            self.error(f"there is no view or file {word}; views: "
                       + ", ".join(self.commands))


def place_of_view(commands: Commands, words: Sequence[str]) -> int:
    """Find the first word that is no option and no value: --set data tree."""
    at, valued = 0, {
        option for name in commands if words and words[0].startswith("-")
        for option, action in Parser(commands, name, "", {}).known.items()
        if action.nargs != 0}
    while at < len(words) and words[at].startswith("-"):
        at += 1 + (words[at] in valued)
    return at


def run_command(commands: Commands, description: str,
                others: Mapping[str, str]) -> int:
    """Do what the command line says; return the exit code.  `others` has the
    modules of cli/ with the commands of other programs.
    """
    words = sys.argv[1:]
    at = place_of_view(commands, words)
    name = next(iter(commands))
    if words[at:] and words[at] in commands and "--" not in words[:at]:
        name = words.pop(at)
    parser = Parser(commands, name, description, others)
    line = parser.parse(words)
    try:
        return int(Later(f"ws_python.cli.{commands[name].module}").run(line))
    except Misuse as misuse:        # what argparse cannot check
        parser.error(str(misuse))
    except Failure as failure:
        warn(failure)
    except MemoryError:
        warn("there is not enough memory for these files")
    return 2
