"""A program in a terminal of our own, and what it shows there."""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import subprocess
import termios
import time
from pathlib import Path
from typing import Callable


class Terminal:
    """Understands home, newline, and what erases."""

    def __init__(self, command: list[object], cwd: Path, columns: int,
                 lines: int, **env: str):
        self.master, inner = os.openpty()
        self.resize(columns, lines)
        self.process = subprocess.Popen(
            [*map(str, command)], cwd=cwd, stdin=inner, stdout=inner,
            stderr=inner, start_new_session=True, env=env,
            # It is this one that Ctrl-C comes from.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(inner)
        self.output = b''       # all of it
        self.screen: list[str] = []

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ,
                    struct.pack('HHHH', lines, columns, 0, 0))

    def press(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def read(self, seconds: float) -> bool:
        """What there is; False: nothing came, or nothing will come."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            found = os.read(self.master, 65536)
        except OSError:         # nobody has it open any more
            return False
        self.output += found
        return bool(found)

    def show(self) -> list[str]:
        """The lines, without blanks at their ends."""
        screen, row, column = [''], 0, 0
        for text in re.findall(r'\x1b\[[0-9;?]*[A-Za-z]|[^\x1b]',
                               self.output.decode('utf-8', 'replace')):
            if text == '\x1b[H':
                row = column = 0
            elif text == '\x1b[2J':
                screen = ['' for _ in screen]
            elif text == '\x1b[K':
                screen[row] = screen[row][:column]
            elif text == '\x1b[J':
                screen = [*screen[:row], screen[row][:column]]
            elif text == '\r':
                column = 0
            elif text == '\n':
                row += 1
                screen += [''] * (row + 1 - len(screen))
            else:
                line = screen[row].ljust(column)
                screen[row] = line[:column] + text + line[column + 1:]
                column += len(text)
        return [line.rstrip() for line in screen]

    def until(self, seen: Callable[[list[str]], bool],
              seconds: float = 20) -> list[str]:
        """The first screen that is so, or the last one."""
        end = time.monotonic() + seconds
        while not seen(self.show()) and time.monotonic() < end:
            if not self.read(0.1) and self.process.poll() is not None:
                break
        return self.show()

    def close(self) -> int:
        """The exit code, when it has ended or must."""
        try:
            code = self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        while self.read(0):
            pass
        os.close(self.master)
        return code
