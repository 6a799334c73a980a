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
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import (Any, Callable, Iterable, Iterator, NamedTuple, Optional,
                    Sequence)

import wslib

from ws_python.report.compositions import Compositions, Kept

SETS = ('insn', 'data', 'dirty')

F_SETPIPE_SZ = 1031    # the fcntl module has a name for it from 3.10 on


class Change(NamedTuple):
    """A page enters a working set, or leaves it, at a sample."""
    t: int
    set: str
    page: int    # address of its first byte
    insn: int    # it enters by this one; 0: it leaves


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
    grows: bool = False            # T; the rows that are left are compared

    @property
    def taus(self) -> str:
        """As --ws-tau takes them."""
        return ','.join(map(str, (self.tau, *self.more_taus)))

    def __str__(self) -> str:
        return (f'T={self.every} tau={self.taus} pagesize={self.pagesize}'
                + ' dirty' * self.dirty + ' list' * self.list_pages
                + f' entries {self.stacks} {self.peaks}' * self.entries
                + ' growing' * self.grows
                + ' '.join(['', *self.vex]))

    def counted(self) -> list[str]:
        """As ws_count takes it."""
        return [str(self.every), self.taus, str(self.pagesize),
                'yes' if self.entries else 'no']

    def options(self, times: Sequence[int] = ()) -> list[str]:
        """With times of --ws-info-at, if entries are to be compared."""
        every = 'auto' if self.grows else self.every
        options = [f'--ws-every={every}', f'--ws-tau={self.taus}',
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
        return sorted({max(t, 1) for t in (
            1, self.end // 3, self.end // 2, self.end - 1,
            *(one.t for ones in self.held.values() for one in ones[:1]))})


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
    with open(path, encoding='utf-8') as lines:
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
                wrong += compare_compositions(report, config, truth)
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
    wrong = differences('end', [report.end], [truth.end])
    times = report.columns['t']
    rows = [row for row, t in enumerate(truth.times)
            if not config.grows or t in times]
    wrong += differences('t', times, [truth.times[row] for row in rows])
    if config.grows and len(rows) == len(truth.times):
        wrong.append('T did not grow')
    for tau, sizes in zip(report.taus, truth.sizes):
        for name, want in zip(sets, sizes):
            wrong += differences(f'WSS_{name}, tau={tau}',
                                 report.wss(name, tau),
                                 [want[row] for row in rows])
    wrong += differences('total', [*map(report.total, sets)],
                         truth.totals[:len(sets)])
    for name, new in zip(SETS, truth.new):    # total_* are sums of these
        wrong += differences(f'new_{name}', report.columns[f'new_{name}'], [
            sum(new[before + 1:row + 1])
            for before, row in zip([-1, *rows], rows)])
    for listed, want_pages in zip(report.pages.values(), truth.pages):
        # Two are of one address if it was mapped anew.
        uses: dict[int, Use] = {}
        for entry in listed:
            before = uses.get(entry.page, Use(0, 0))
            uses[entry.page] = Use(before.count + entry.count,
                                   max(before.last, entry.last))
        wrong += differences('pages', uses, want_pages)
    return wrong


# --- what enters, and what is kept ----------------------------------------

DEFAULT_PEAKS = 10

# Of each set, its pages and the instructions by which they entered.
Sets = dict[str, dict[int, int]]


def at(changes: Iterable[Change], t: int) -> Sets:
    """At a sample."""
    inside: Sets = {name: {} for name in ('insn', 'data', 'dirty')}
    for one in changes:
        if one.t > t:
            break
        if one.insn:
            inside[one.set][one.page] = one.insn
        else:
            del inside[one.set][one.page]
    return inside


# Pages, and if that is asked for, how many of them were written.
Pages = tuple[int, Optional[int]]


def shares(inside: Sets, name: str, with_written: bool) -> dict[int, Pages]:
    """What a set consists of, by instruction."""
    written: Counter[int] = Counter(
        insn for page, insn in inside['data'].items()
        if page in inside['dirty'])
    return {insn: (pages, written[insn] if with_written and name == 'data'
                   else None)
            for insn, pages in Counter(inside[name].values()).items()}


def differences(what: str, got: Any, want: Any) -> list[str]:
    """Of dictionaries, or of lists."""
    if not isinstance(want, dict):
        got, want = dict(enumerate(got)), dict(enumerate(want))
    bad = [key for key in {**want, **got} if got.get(key) != want.get(key)]
    return [f'{what}: {len(bad)} of {len(want)} differ, the first is '
            + ' '.join(f'{part:#x}' if isinstance(part, int) else str(part)
                       for part in (key if isinstance(key, tuple) else [key]))
            + f': {got.get(key)}, expected {want.get(key)}' for key in bad[:1]]


def address(found: Compositions, frame: Optional[int]) -> int:
    """Of the instruction that made the access; 0 if nobody knows."""
    return 0 if frame is None else found.frames[frame].address


def entered(found: Compositions, tau: int) -> Counter[tuple[str, int]]:
    """How many pages, by set and address of the code."""
    counts: Counter[tuple[str, int]] = Counter()
    for (name, window), parts in found.entries.items():
        for part in parts if window == tau else []:
            counts[name, address(found, part.frame)] += part.pages
    return counts


def compare_window(report: wslib.Report, config: Config, tau: int,
                   changes: list[Change], held: list[Change]) -> list[str]:
    """What can be known of it without the truth, wslib has seen."""
    found = report.composition
    folded = {name for (name, window), some in found.entries.items()
              if window == tau and any(part.folded for part in some)}
    got = entered(found, tau)
    wrong = differences('entered', {key: got[key] for key in got
                                    if key[0] not in folded}, Counter(
        (one.set, one.insn) for one in changes
        if one.insn and one.set not in {'dirty', *folded}))
    for kept in found.samples.values():
        if kept.tau != tau:
            continue
        inside = (at([one for one in held if one.t == kept.time], kept.time)
                  if wslib.is_snapshot(kept) else at(changes, kept.time))
        wrong += differences(f'{kept.set} at {kept.time}', parts(found, kept),
                             shares(inside, kept.set, config.dirty))
    return wrong


def parts(found: Compositions, kept: Kept) -> dict[int, Pages]:
    """What a report says that a set consists of, by instruction."""
    sums: dict[int, Pages] = {}
    for share in kept.origins:
        insn = address(found, share.frame)
        pages, written = sums.get(insn, (0, None))
        sums[insn] = (pages + share.pages, None if share.written is None
                      else share.written + (written or 0))
    return sums


# --- which samples are kept -------------------------------------------------

def _has_ground(height: int, others: Iterable[int], highest: int) -> bool:
    """Going that way, a ground comes before anything above `highest`."""
    for other in others:
        if other > highest:
            return False
        if 4 * other <= 3 * height:
            return True
    return False


def tops(sizes: Sequence[int]) -> list[int]:
    """The rows with a peak, straight from its definition
    (ws/docs/report-format.md): it stands out by a quarter of its height. The
    first row is that of t = 0, whose size is 0; of equal ones with no ground in
    between, the first one counts."""
    return [row for row, height in enumerate(sizes) if height > 0
            and _has_ground(height, (sizes[n] for n in range(row - 1, -1, -1)),
                            height - 1)
            and _has_ground(height, (sizes[n] for n in
                                     range(row + 1, len(sizes))), height)]


def highest(sizes: Sequence[int], count: int) -> list[int]:
    """So many of the peaks, in the order of time; of equal ones the earlier."""
    found = sorted(tops(sizes), key=lambda row: (-sizes[row], row))
    return sorted(found[:count])


def kept(report: wslib.Report, tau: int, peaks: int,
         times: Iterable[int]) -> Iterator[tuple[str, int, str]]:
    """Which samples a report must keep, and why. The table is known to be
    right."""
    every = report.every
    for name in ('insn', 'data'):
        sizes = report.wss(name, tau)
        largest = [sizes.index(max(sizes))] * any(sizes)
        for why, rows in (('largest', largest),
                          ('peak', highest(sizes, peaks)),
                          ('info-at', {-(-t // every) for t in times})):
            yield from ((name, row * every, why) for row in rows
                        if row < len(sizes))


def compare_kept(report: wslib.Report, tau: int, peaks: int,
                 truth: Truth) -> list[str]:
    return differences('kept', Counter(
        (one.set, one.time, 'snapshot' if one.label else why)
        for one in report.composition.samples.values()
        for why in one.why if one.tau == tau), Counter([
            *kept(report, tau, peaks, truth.times_to_keep),
            *((name, t, 'snapshot') for t in {
                one.t for ones in truth.held.values() for one in ones}
              for name in ('insn', 'data'))]))


def compare_compositions(report: wslib.Report, config: Config,
                         truth: Truth) -> list[str]:
    wrong = []
    for number, tau in enumerate(report.taus):
        # One that repeats a shorter one, which has all of the run, is not said.
        if any(truth.end <= other < tau for other in report.taus):
            continue
        wrong += compare_window(report, config, tau,
                                truth.changes.get(number, []),
                                truth.held.get(number, []))
        wrong += compare_kept(report, tau, DEFAULT_PEAKS
                              if config.peaks is None else config.peaks, truth)
    return wrong
