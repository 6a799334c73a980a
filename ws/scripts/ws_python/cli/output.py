# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes what commands answer."""

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Callable, Optional, Sequence

from ws_python.base.later import Later
from ws_python.base.text import Failure, printable, program_name
from ws_python.base.view import View
from ws_python.cli.request import CommandLine
from ws_python.report.files import LOG_BYTES
from ws_python.report.reader import MAGIC
from ws_python.show.terminal.view import view_as_text

if TYPE_CHECKING:
    from ws_python.show.data import view as data
else:
    data = Later("ws_python.show.data.view")

PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")     # by gzip and zstd


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
    """Write to a file, or else to standard output.  A file that may be replaced
    is written beside, and then renamed: it is never half written.
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
            os.chmod(beside, stat.S_IMODE(os.stat(path).st_mode))
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


def show(text: str) -> None:
    write(text.encode(errors="replace"))


def shown(view: View, line: CommandLine, more: Sequence[str] = ()) -> str:
    """Write a view; in words, `more` follows."""
    if line.in_full:
        return data.view_as_json(view) if line.json else data.view_as_csv(
            view, "," if line.csv else "\t")
    if more:
        more = ["", *more]
    return "\n".join([*view_as_text(view, line.width), *more, ""])
