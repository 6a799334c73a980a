# SPDX-License-Identifier: GPL-2.0-or-later
"""Opens reports: plain files, files packed by gzip or zstd, standard input."""

import io
import os
import re
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Dict, Iterator

from ws_python.base.later import Later
from ws_python.base.text import Failure, printable, warn
from ws_python.report.reader import LOG_MAGIC, Chooser, all_windows, read_report
from ws_python.report.report import Report

if TYPE_CHECKING:
    import subprocess
else:
    subprocess = Later("subprocess")

LOG_BYTES = LOG_MAGIC.encode()
MOST_OF_A_HEADER = 1 << 16


@contextmanager
def unpacked(path: str, name: str, program: str) -> Iterator[IO[bytes]]:
    """Unpack by a program, because Python has no module for zstd."""
    with open(path, "rb") as packed:
        try:
            unpack = subprocess.Popen([program, "-dcq"], stdin=packed,
                                      stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE)
        except OSError as reason:
            raise Failure(
                f"{name}: {program} cannot be run: {reason.strerror}; Debian "
                f"has it in the package {program}") from None
    with unpack:
        assert unpack.stdout is not None and unpack.stderr is not None
        try:
            yield unpack.stdout
        finally:
            # If not all has been read, this ends the program by a signal.
            unpack.stdout.close()
            error = unpack.stderr.read().decode(errors="replace").strip()
            if unpack.wait() > 0 and error:
                error = re.sub(r"(?s).*stdin(\*\\ ?)?: ", "", error)
                raise Failure(f"{name}: cannot be unpacked: {printable(error)}"
                              ) from None


def name_of_file(path: str) -> str:
    return "standard input" if path == "-" else printable(path)


@contextmanager
def opened(path: str) -> Iterator[IO[bytes]]:
    """Open a file, or standard input for "-".  Failure: it cannot be opened,
    or read to the end.
    """
    program = {".gz": "gzip", ".zst": "zstd"}.get(os.path.splitext(path)[1])
    is_given = path == "-"
    try:
        if program:
            with unpacked(path, name_of_file(path), program) as stream:
                yield stream
        else:
            with open(0 if is_given else path, "rb",
                      closefd=not is_given) as file:
                yield file
    except OSError as error:
        raise Failure(f"{name_of_file(path)}: {error.strerror}") from None


def warn_of_cut(what: str, name: str, number: str) -> None:
    """Warn that a file is incomplete; `number` says how much is there."""
    warn(f"{name}: truncated {what} (its run was killed, is not over, or had "
         f"a full disk); {number}")


def is_page_log(path: str) -> bool:
    """Look at a file's first bytes.  False for standard input, which can be
    read only once, and for files that cannot be read.
    """
    try:
        if path == "-" or not os.path.isfile(path):
            return False
        with opened(path) as file:
            return file.read(len(LOG_BYTES)) == LOG_BYTES
    except Failure:
        return False


def log_of(path: str) -> str:
    """Return the path of the page log that a report names, or of a namesake
    beside the report, if it is of the same process; or else the report's path.
    """
    header = {} if path == "-" else header_lines(path)
    log = header.get("Page log", "")
    for place in (os.path.join(os.path.dirname(path), os.path.basename(log)),
                  log):
        if log and is_page_log(place) and (
                header_lines(place).get("PID") == header.get("PID")):
            return place
    return path


def header_lines(path: str) -> Dict[str, str]:
    """Read a header without checks; {} if the file cannot be read."""
    try:
        with opened(path) as file:
            text = file.read(MOST_OF_A_HEADER).decode(errors="surrogateescape")
    except Failure:
        return {}
    pairs = [line.partition(":") for line in
             text.partition("\n--\n")[0].split("\n")]
    return {key: value.strip() for key, _, value in pairs}


def can_be_asked(pid: str) -> bool:
    """Tell by its program whether a process of ours runs under ws."""
    try:
        program = os.readlink(f"/proc/{int(pid)}/exe")  # a zombie has none
    except (OSError, ValueError):
        return False
    return re.search(r"/ws-[^/]*-linux( \(deleted\))?$", program) is not None


def load_report(path: str, choose: Chooser = all_windows,
                full: bool = False) -> Report:
    """Read the report in a file, as read_report; standard input for "-"."""
    name = name_of_file(path)
    with opened(path) as file:
        # newline: a carriage return ends no line.
        lines = io.TextIOWrapper(file, encoding="utf-8", errors="replace",
                                 newline="\n")
        report = read_report(lines, name, choose, full)
    if not report.complete:
        report.can_be_asked = can_be_asked(report.header.get("PID", ""))
        warn_of_cut("report", name, f"rows: {len(report.columns['t'])}")
    return report


def log_for(path: str, what: str) -> str:
    """Return the path of a page log: the file, or the log that the report in
    it names.  Failure: there is no log, which `what` needs.
    """
    path = log_of(path)
    if not is_page_log(path):
        raise Failure(f"{name_of_file(path)}: is not a page log, and names "
                      f"none that is there; {what} needs one: "
                      "--ws-page-log=FILE of ws")
    return path
