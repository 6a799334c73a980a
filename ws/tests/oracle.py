"""The oracle: lackey prints every access of a program, ws_count counts the
pages of each window from that, and every row of ws must be the same.

Both tools must see the same run, so everything that a program can notice is
the same for both: environment, directory (made anew for each run), the kind
of each standard stream. Address space layout is Valgrind's, not the kernel's,
and the same for both. Of random bytes, process ids and the clock we cannot
make two alike: a program whose accesses depend on those is no good here."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, NamedTuple, Optional, Sequence

import wslib

F_SETPIPE_SZ = 1031    # the fcntl module has a name for it from 3.10 on


class Config(NamedTuple):
    """One way to look at a program."""
    every: int
    tau: int
    pagesize: int = 4096

    def __str__(self) -> str:
        return f'T={self.every} tau={self.tau} pagesize={self.pagesize}'

    def options(self) -> list[str]:
        return [f'--ws-every={self.every}', f'--ws-tau={self.tau}',
                f'--ws-pagesize={self.pagesize}', '--ws-syscalls=no']


class Truth(NamedTuple):
    """What a report must say."""
    rows: list[wslib.Row]
    totals: tuple[int, int, int]    # instructions, code pages, data pages


@dataclass
class Program:
    """A program with all that makes its runs alike."""
    argv: Sequence[object]
    prepare: Optional[Callable[[Path], None]] = None    # fills its directory


class TraceError(Exception):
    """The trace could not be made or read."""


def build_counter(where: Path) -> Path:
    counter = where / 'ws_count'
    if not wslib.compile_c(counter, ['ws_count.c'], '-O2'):
        raise TraceError('cannot compile ws_count.c')
    return counter


def read_truth(path: Path) -> Truth:
    rows: list[wslib.Row] = []
    with open(path) as lines:
        for line in lines:
            words = line.split()
            if words[0] == 'total':
                return Truth(rows, (int(words[1]), int(words[2]),
                                    int(words[3])))
            rows.append((int(words[0]), int(words[1]), int(words[2])))
    raise TraceError(f'{path} has no end')


def count_trace(counter: Path, program: Program, configs: Sequence[Config],
                where: Path, vex: Sequence[str] = ()) -> list[Truth]:
    """Run the program once under lackey. The trace goes through a pipe to the
    counter, which counts for all configurations at once."""
    shutil.rmtree(where, ignore_errors=True)
    home = where / 'cwd'
    home.mkdir(parents=True)
    if program.prepare is not None:
        program.prepare(home)
    fifo = where / 'trace'
    os.mkfifo(fifo)
    # Both ends are opened before anybody runs, so that nobody waits for ever
    # for a process that could not start.
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(fifo, os.O_WRONLY | os.O_CLOEXEC)
    os.set_blocking(reader, True)
    try:
        fcntl.fcntl(reader, F_SETPIPE_SZ, 1 << 20)
    except OSError:
        pass    # slower, not wrong
    args = [str(counter), '-']
    outputs = []
    for number, config in enumerate(configs):
        outputs.append(where / f'truth.{number}')
        args += [str(outputs[-1]), *map(str, config)]
    with subprocess.Popen(args, stdin=reader, stderr=subprocess.PIPE,
                          text=True) as counting:
        os.close(reader)
        with open(where / 'stdout', 'wb') as out, \
                open(where / 'stderr', 'wb') as err:
            subprocess.run(
                [wslib.VALGRIND, '--tool=lackey', f'--log-file={fifo}',
                 '--basic-counts=no', '--trace-mem=yes',
                 '--vex-guest-chase=no', *vex, *map(str, program.argv)],
                cwd=home, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                env=wslib.client_env())
        os.close(writer)
        complaint = counting.communicate()[1]
    if counting.returncode != 0:
        raise TraceError(complaint + (where / 'stderr').read_text())
    return [read_truth(path) for path in outputs]


def check(counter: Path, program: Program, configs: Sequence[Config],
          where: Path, vex: Sequence[str] = ()
          ) -> list[tuple[Config, int, list[str]]]:
    """Compare ws with the trace. For each configuration: how many rows it
    has, and what is wrong."""
    truths = count_trace(counter, program, configs, where / 'run', vex)
    expected_out = (where / 'run' / 'stdout').read_bytes()
    result = []
    for config, truth in zip(configs, truths):
        try:
            # The same directory as lackey's run had: programs see its name.
            report = wslib.run_ws([*config.options(), *vex], program.argv,
                                  where / 'run', program.prepare)
            wrong = _check_header(report, config)
            wrong += wslib.check_report(report, truth.rows, truth.totals)
        except (wslib.BadReport, OSError) as problem:
            wrong = [str(problem)]
        else:
            if (where / 'run' / 'stdout').read_bytes() != expected_out:
                wrong.append('the program printed something else')
        if truth.totals[0] == 0:
            wrong.append('lackey saw no instruction')
        result.append((config, len(truth.rows), wrong))
    return result


def _check_header(report: wslib.Report, config: Config) -> list[str]:
    want = {'Page size': f'{config.pagesize} B', 'Time unit': 'instructions',
            'Every': str(config.every), 'Tau': str(config.tau),
            'Format': '1'}
    return [f'header: {key}: {report.header.get(key)}, expected {value}'
            for key, value in want.items()
            if report.header.get(key) != value]
