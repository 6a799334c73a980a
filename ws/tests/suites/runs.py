"""Runs of programs with and without ws, and the reports that they leave: what
the suites about processes, threads and ends share."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Optional

import wslib

EVERY = 1000
run = wslib.run
LIBC = 400    # pages: more than the C library and the loader ever touch


def ws(*options: object) -> list[str]:
    """The command that measures a program; it is the same in all runs."""
    return [wslib.VALGRIND,
            *wslib.recounted(['--tool=ws', f'--ws-every={EVERY}', *options])]


def compiled(where: Path, source: str, *flags: str, name: str = '') -> Path:
    """A program of ours, which has the name of its source if it is given none."""
    path = where / (name or Path(source).stem)
    good = (wslib.compile_asm(path, source) if source.endswith('.S')
            else wslib.compile_c(path, [source], '-O2', *flags))
    if not good:
        raise SystemExit(f'Bail out! cannot compile {source}')
    return path


class Life(NamedTuple):
    """A process under one program: it has a report."""
    pid: int
    parent: Optional[int]    # None: it does not begin with a fork
    command: str

    def __str__(self) -> str:
        return f'{self.command} [{self.pid}, child of {self.parent}]'


def life_of(report: wslib.Report) -> Life:
    parent = report.header.get('Parent PID')
    return Life(int(report.header['PID']),
                None if parent is None else int(parent),
                report.header['Command'])


def read_all(tap: wslib.Tap, name: str,
             home: Path) -> list[tuple[Path, wslib.Report]]:
    """All files of a directory; they must be complete reports. The reader
    has seen to the rows: one each T."""
    found, bad = [], []
    for path in sorted(home.iterdir()):
        try:
            found.append((path, wslib.read_report(path)))
        except wslib.BadReport as problem:
            bad.append(f'{path.name}: {problem}')
    tap.ok(not bad, f'{name}: complete reports', *bad)
    return found
