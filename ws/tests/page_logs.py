"""Page logs by hand, and programs that need numpy for reading them."""

from __future__ import annotations

import importlib.util
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable, Sequence

SYSTEM = '/usr/bin/python3'


def need_numpy() -> None:
    """To be called before anything else: Debian's numpy is for Debian's
    Python."""
    if not importlib.util.find_spec('numpy') and sys.executable != SYSTEM:
        os.execv(SYSTEM, [SYSTEM, *sys.argv])


def number(value: int) -> bytes:
    found = b''
    while value > 127:
        found += bytes([value & 127 | 128])
        value >>= 7
    return found + bytes([value])


def numbers(values: Iterable[int]) -> bytes:
    return b''.join(map(number, values))


def deltas(pages: Sequence[int]) -> list[int]:
    pages = sorted(pages)
    return [b - a for a, b in zip([0, *pages], pages)]


def record(letter: str, *fields: int, text: str = '') -> bytes:
    body = numbers(fields) + text.encode()
    return letter.encode() + number(len(body)) + body


ENDS, SAMPLE, AGAIN = 1, 2, 4


@dataclass
class Log:
    """Made of the calls of its methods, in the order of time."""
    every: int = 100
    tau: int = 100
    page_szB: int = 4096
    unit: str = 'instructions'
    dirty: bool = False
    threads: bool = False
    header: dict[str, object] = field(default_factory=dict)
    body: bytes = b''
    entering: tuple[dict[int, int], dict[int, int]] = ({}, {})
    texts: list[str] = field(default_factory=list)
    n_frames: int = 0

    def part(self, time: int, insn: Sequence[int] = (),
             data: Sequence[int] = (), dirty: Sequence[int] = (),
             flags: int = ENDS | SAMPLE, thread: int = 0) -> Log:
        """So long; pages are numbers."""
        sets = [] if flags & AGAIN else [*map(deltas, (insn, data, dirty))]
        if any(self.entering):
            self.put_entries((insn, data))
        self.body += record('I', time, time, flags, thread,
                            *(map(len, sets) if sets else (0, 0, 0)),
                            *(d for one in sets for d in one))
        return self

    def entries(self, insn: dict[int, int], data: dict[int, int]) -> Log:
        """Frames by pages, of the next part."""
        self.entering = (insn, data)
        return self

    def put_entries(self, sets: Sequence[Sequence[int]]) -> None:
        values = [*map(len, self.entering)]
        for pages, one in zip(sets, self.entering):
            before = frame = 0
            for place, page in enumerate(sorted(pages)):
                if page in one:
                    step = one[page] - frame
                    values += [place - before,
                               2 * step if step >= 0 else -2 * step - 1]
                    before, frame = place, one[page]
        self.body += record('E', *values)
        self.entering = ({}, {})

    def frame(self, caller: int, text: str, line: int = 0,
              address: int = 0x1000, is_cut: bool = False) -> Log:
        """function|file|object"""
        names = [*text.split('|'), '', ''][:3]
        for name in names:
            if name not in self.texts:
                self.texts.append(name)
                self.body += record('T', text=name)
        self.n_frames += 1
        self.body += record('F', self.n_frames - caller if caller else 0,
                            is_cut, address, line,
                            *(self.texts.index(name) + 1
                              for name in names))
        return self

    def map(self, address: int, size: int, kind: int = 0,
            permissions: int = 6, offset: int = 0, device: int = 0,
            inode: int = 0, thread: int = 0, file: str = '') -> Log:
        self.body += record('M', address, size, kind, permissions, offset,
                            device, inode, thread, text=file)
        return self

    def unmap(self, address: int, size: int) -> Log:
        self.body += record('U', address, size)
        return self

    def mark(self, label: str) -> Log:
        self.body += record('L', text=label)
        return self

    def end(self, time: int) -> Log:
        self.body += record('Z', time, time)
        return self

    def bytes(self) -> bytes:
        header = {'Format': 1, 'Command': './prog', 'PID': 17,
                  'Page size': f'{self.page_szB} B', 'Time unit': self.unit,
                  'Every': self.every, 'Tau': self.tau, 'Stacks': 'yes',
                  'Dirty': 'yes' if self.dirty else 'no',
                  'Threads': 'yes' if self.threads else 'no', **self.header}
        lines = ''.join(f'{key + ":":15} {value}\n'
                        for key, value in header.items())
        return (f'Page log by valgrind-ws-0.1\n{lines}--\n'.encode()
                + self.body)

    def write(self, path: Path) -> Path:
        path.write_bytes(self.bytes())
        return path
