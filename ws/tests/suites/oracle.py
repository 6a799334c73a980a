"""The oracle: lackey prints every access of a program, ws_count counts the
pages of each window from that, the accesses to each page, and by which
instruction it has come there; and ws must report the same. (The profile and
bounds are for pagelog.test and marks.vgtest to judge, what is resident or cold
for unit/test_sets.c, phases for the recount.)

Both tools must see the same run, so everything that a program can notice is
the same for both: environment, directory (made anew for each run), the kind
of each standard stream. Address space layout is Valgrind's, not the kernel's,
and the same for both (but for 32-bit programs, see wslib.fix_addresses()). Of
random bytes, process ids and the clock we cannot make two alike: a program
whose accesses depend on those is no good here."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional, Sequence

import wslib
import entries    # wslib has told where ws_python is
from entries import Change

SETS = ('insn', 'data', 'dirty')

F_SETPIPE_SZ = 1031    # the fcntl module has a name for it from 3.10 on


class Config(NamedTuple):
    """One way to look at a program."""
    every: int
    tau: int
    pagesize: int = 4096
    dirty: bool = False         # report written pages, too
    list_pages: bool = False    # list all pages, too
    more_taus: tuple[int, ...] = ()
    entries: bool = False       # compare what enters, and what is kept, too
    stacks: str = 'yes'
    peaks: Optional[int] = None    # of which the compositions are kept
    vex: tuple[str, ...] = ()      # how VEX is to make superblocks

    @property
    def taus(self) -> str:
        """As --ws-tau takes them."""
        return ','.join(map(str, (self.tau, *self.more_taus)))

    def __str__(self) -> str:
        return (f'T={self.every} tau={self.taus} pagesize={self.pagesize}'
                + ' dirty' * self.dirty + ' list' * self.list_pages
                + f' entries {self.stacks} {self.peaks}' * self.entries
                + ' '.join(['', *self.vex]))

    def counted(self) -> list[str]:
        """As ws_count takes it."""
        return [str(self.every), self.taus, str(self.pagesize),
                'yes' if self.entries else 'no']

    def options(self, times: Sequence[int] = ()) -> list[str]:
        """With times of --ws-info-at, if entries are to be compared."""
        options = [f'--ws-every={self.every}', f'--ws-tau={self.taus}',
                   f'--ws-pagesize={self.pagesize}', '--ws-syscalls=no',
                   f'--ws-stacks={self.stacks}', *self.vex,
                   # Generated code as users have it, without other calls.
                   '--ws-recount=no']
        if self.entries:
            options.append('--ws-info-at=' + ','.join(map(str, times)))
        if self.peaks is not None:
            options.append(f'--ws-peaks={self.peaks}')
        if self.dirty:
            options.append('--ws-dirty=yes')
        if self.list_pages:
            # Names of places are not ours to judge, and take time to find.
            options += ['--ws-list-pages=yes', '--ws-locations=no']
        return options


class Use(NamedTuple):
    """How a page was used in the whole run."""
    count: int    # accesses
    last: int     # the sample up to which the last one was, or the end


@dataclass
class Truth:
    """What a report must say. Of two of a kind, code is before data, and of
    three, the written pages come last."""
    end: int
    times: list[int]
    sizes: list[list[list[int]]]    # by window, by kind, by row
    new: list[list[int]]            # by kind, by row
    totals: list[int]               # code pages, data pages, written ones
    pages: tuple[dict[int, Use], dict[int, Use]]    # by address
    # By window, if they are to be compared.
    changes: dict[int, list[Change]]
    held: dict[int, list[Change]]    # at snapshots

    @property
    def times_to_keep(self) -> list[int]:
        return sorted({max(t, 1) for t in (1, self.end // 3, self.end // 2,
                                           self.end - 1)})


@dataclass
class Program:
    """A program with all that makes its runs alike."""
    argv: Sequence[object]
    prepare: Optional[Callable[[Path], None]] = None    # fills its directory
    snapshots: tuple[int, ...] = ()    # when it makes them


class TraceError(Exception):
    """The trace could not be made or read."""


def build_counter(where: Path) -> Path:
    counter = where / 'ws_count'
    if not wslib.compile_c(counter, ['ws_count.c'], '-O2'):
        raise TraceError('cannot compile ws_count.c')
    return counter


def read_truth(path: Path) -> Truth:
    end = None
    rows: list[list[int]] = []
    totals: list[int] = []
    pages: tuple[dict[int, Use], dict[int, Use]] = ({}, {})
    changes: dict[int, list[Change]] = {}
    held: dict[int, list[Change]] = {}
    with open(path) as lines:
        for line in lines:
            words = line.split()
            if words[0] in ('insn', 'data'):
                page, count, last = map(int, words[1:])
                pages[words[0] == 'data'][page] = Use(count, last)
            elif words[0] == 'total':
                end, *totals = map(int, words[1:])
            elif words[0] in ('enter', 'leave', 'hold'):
                to = held if words[0] == 'hold' else changes
                to.setdefault(int(words[2]), []).append(Change(
                    int(words[1]), words[3], int(words[4]), int(words[5])))
            else:
                rows.append(list(map(int, words)))
    if end is None:
        raise TraceError(f'{path} has no end')
    columns = list(map(list, zip(*rows)))
    sizes = [columns[n:n + 3] for n in range(3, len(columns), 3)]
    return Truth(end, columns[0], sizes, columns[1:3], totals, pages, changes,
                 held)


def run_lackey(program: Program, trace: Path, where: Path) -> None:
    """Print every access of the program to the trace."""
    home = where / 'cwd'
    home.mkdir()
    if program.prepare is not None:
        program.prepare(home)
    with open(where / 'stdout', 'wb') as out, \
            open(where / 'stderr', 'wb') as err:
        subprocess.run(
            [wslib.VALGRIND, '--tool=lackey', f'--log-file={trace}',
             '--basic-counts=no', '--trace-mem=yes', '--vex-guest-chase=no',
             *map(str, program.argv)],
            cwd=home, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            env=wslib.client_env())


def count_trace(counter: Path, program: Program, configs: Sequence[Config],
                where: Path) -> list[Truth]:
    """Run the program once under lackey. The trace goes through a pipe to the
    counter, which counts for all configurations at once."""
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir(parents=True)
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
    args = [str(counter), ','.join(map(str, program.snapshots)) or '-']
    outputs = []
    for number, config in enumerate(configs):
        outputs.append(where / f'truth.{number}')
        args += [str(outputs[-1]), *config.counted()]
    with subprocess.Popen(args, stdin=reader, stderr=subprocess.PIPE,
                          text=True) as counting:
        os.close(reader)
        try:
            run_lackey(program, fifo, where)
        except OSError as problem:
            raise TraceError(str(problem)) from problem
        finally:
            os.close(writer)    # or the counter would wait for more
        complaint = counting.communicate()[1]
    if counting.returncode != 0:
        raise TraceError(complaint + (where / 'stderr').read_text())
    return list(map(read_truth, outputs))


def check(counter: Path, program: Program, configs: Sequence[Config],
          where: Path) -> list[tuple[Config, int, list[str]]]:
    """Compare ws with the trace. For each configuration: how many rows it
    has, and what is wrong."""
    truths = count_trace(counter, program, configs, where / 'run')
    expected_out = (where / 'run' / 'stdout').read_bytes()
    result = []
    for config, truth in zip(configs, truths):
        try:
            # The same directory as lackey's run had: programs see its name.
            report = wslib.run_ws(
                config.options(truth.times_to_keep), program.argv,
                where / 'run', program.prepare)
            wrong = compare(report, config, truth)
            if config.entries:
                wrong += entries.compare(report, config, truth)
        except (wslib.BadReport, OSError) as problem:
            wrong = [str(problem)]
        else:
            if (where / 'run' / 'stdout').read_bytes() != expected_out:
                wrong.append('the program printed something else')
        if truth.end == 0:
            wrong.append('lackey saw no instruction')
        result.append((config, len(truth.times), wrong))
    return result


def compare(report: wslib.Report, config: Config, truth: Truth) -> list[str]:
    """What is wrong with a complete report. What can be known of it without
    the truth, wslib has checked."""
    sets = SETS[:2 + config.dirty]
    header = {'Page size': str(config.pagesize), 'Every': str(config.every),
              'Tau': str(config.tau),
              'Further taus': config.taus.partition(',')[2] or None}
    asked = header, list(sets), ['Code', 'Data'] * config.list_pages
    got = ({key: report.header.get(key) for key in header}, report.sets,
           list(report.pages))
    if got != asked:
        return [f'report of {got}, expected {asked}']
    wrong = _differences('end', [report.end], [truth.end])
    wrong += _differences('t', report.columns['t'], truth.times)
    for tau, sizes in zip(report.taus, truth.sizes):
        for name, want in zip(sets, sizes):
            wrong += _differences(f'WSS_{name}, tau={tau}',
                                  list(report.wss(name, tau)), want)
    for name, total in zip(sets, truth.totals):
        wrong += _differences(f'total {name}',
                              [report.total(name)], [total])
    for name, new in zip(SETS, truth.new):    # total_* are sums of these
        wrong += _differences(f'new_{name}', report.columns[f'new_{name}'], new)
    for listed, want_pages in zip(report.pages.values(), truth.pages):
        # Two are of one address if it was mapped anew.
        uses: dict[int, Use] = {}
        for entry in listed:
            before = uses.get(entry.page, Use(0, 0))
            uses[entry.page] = Use(before.count + entry.count,
                                   max(before.last, entry.last))
        wrong += _differences('pages', sorted(uses.items()),
                              sorted(want_pages.items()))
    return wrong


def _differences(name: str, got: Sequence[Any],
                 want: Sequence[Any]) -> list[str]:
    bad = [number for number, (a, b) in enumerate(zip(got, want)) if a != b]
    if not bad and len(got) == len(want):
        return []
    return [f'{name}: {len(got)}, expected {len(want)}; {len(bad)} differ',
            *(f'first difference in row {n}: report {got[n]}, expected '
              f'{want[n]}' for n in bad[:1])]
