# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a report while its run writes it."""

import os
from typing import IO, Callable, Optional

from ws_python.base.failure import Failure
from ws_python.base.text import printable
from ws_python.model.processes import numbered

LAST = b"End of report\n"


class NewRun(Exception):
    """Another run has begun to write this file."""


class Growing:
    """A stream of the lines that are there, and then of those that come."""

    def __init__(self, path: str, wait: Callable[[], bool]):
        """Follow a file; wait() is true if there may be more."""
        self.path, self.wait = path, wait
        self.file: Optional[IO[bytes]] = None
        self.ended = False

    def close(self) -> None:
        if self.file:
            self.file.close()

    def readline(self, most: int) -> str:
        """Wait until a line is whole, and return it; "" at the end."""
        part = b""
        while not self.ended:
            part += self.read(most - len(part))
            if part.endswith(b"\n") or len(part) == most:
                self.ended = part == LAST
                return part.decode("utf-8", "replace")
            self.ended = not self.wait()
        return ""

    def read(self, most: int) -> bytes:
        try:
            if not self.file:
                self.file = open(self.path, "rb")
            found = self.file.readline(most)
            if not found.endswith(b"\n"):
                self.check()
            return found
        except FileNotFoundError:
            if self.file:
                raise NewRun from None
            return b""          # not yet
        except OSError as error:
            raise Failure(f"{printable(self.path)}: {error.strerror}"
                          ) from None

    def check(self) -> None:
        """Check at the end of the file that it is still the same run's."""
        assert self.file is not None
        mine, there = os.fstat(self.file.fileno()), os.stat(self.path)
        if not os.path.samestat(mine, there) or (
                there.st_size < self.file.tell()):
            raise NewRun


def is_running(pid: str) -> bool:
    """Ask the kernel; True if it does not tell."""
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError, ValueError):
        pass
    return True


def next_report(path: str, pid: str) -> Optional[str]:
    """Find the report of the program that this process has become by execve:
    ws.out.PID.1 follows ws.out.PID, and PID.1.ws follows PID.ws.  An older
    file belongs to another run.
    """
    stem, number, extension = numbered(path)
    if number is not None and str(number) == pid:
        stem, number = f"{stem}.{number}", None
    name = f"{stem}.{(number or 0) + 1}{extension}"
    try:
        newer = os.stat(name).st_mtime >= os.stat(path).st_mtime
    except OSError:
        return None
    return name if newer else None
