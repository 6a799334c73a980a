"""What the test scripts of ws share: where things are, how to run Valgrind,
how to read a report, how to say the result (TAP)."""

from __future__ import annotations

import ctypes
import io
import os
import shutil
import subprocess
import sys
import threading
import traceback
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import (Any, Callable, Iterable, MutableSequence, NamedTuple,
                    NoReturn, Optional, Sequence)

TESTS = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(TESTS.parent / 'scripts'))

from ws_python.base.text import Failure  # noqa: E402
from ws_python.report import reader  # noqa: E402
from ws_python.report.compositions import Compositions, Kept  # noqa: E402
from ws_python.report.reader import read_rows  # noqa: E402
from ws_python.report.report import LISTS  # noqa: E402

ROOT = Path(os.environ.get('WS_ROOT', TESTS.parent.parent)).resolve()
TREE = Path(os.environ.get('WS_TREE', ROOT / 'build' / 'tree')).resolve()
VALGRIND = os.environ.get('WS_VALGRIND', str(TREE / 'vg-in-place'))
SYSTEM = '/usr/bin/python3'
BUILD = Path(os.environ.get('WS_BUILD', ROOT / 'build' / 'tests')).resolve()


# --- TAP ------------------------------------------------------------------

class Tap:
    """Numbers the results and knows whether any of them was bad. Several
    threads may have results."""

    def __init__(self) -> None:
        self.count = 0
        self.failed = 0
        self.lock = threading.Lock()

    def ok(self, good: bool, name: str, *notes: str) -> bool:
        """One result; the notes are printed when it is a bad one."""
        with self.lock:
            self.count += 1
            if not good:
                self.failed += 1
            print(f'{"ok" if good else "not ok"} {self.count} - {name}')
            if not good:
                for note in notes:
                    self.say(note)
            sys.stdout.flush()
        return good

    def equal(self, got: object, want: object, name: str) -> bool:
        return self.ok(got == want, name, f'got:  {got!r}', f'want: {want!r}')

    def skip(self, name: str, reason: str) -> None:
        self.count += 1
        print(f'ok {self.count} - {name} # SKIP {reason}', flush=True)

    def part(self, function: Callable[..., None], *args: object) -> None:
        """A part of a suite: if it raises an error, it has failed, and the
        suite goes on."""
        try:
            function(self, *args)
        except Exception:   # pylint: disable=broad-except
            self.ok(False, function.__name__, traceback.format_exc())

    @staticmethod
    def say(text: str) -> None:
        for line in text.splitlines():
            print('# ' + line)

    def done(self) -> NoReturn:
        print(f'1..{self.count}')
        sys.exit(1 if self.failed else 0)


def suite(*parts: Callable[..., None], args: Sequence[object] = (),
          files: Optional[dict[str, str]] = None, skip: str = '') -> NoReturn:
    """Run the parts of a suite, or say why it is skipped. A part is called
    with a Tap and as many of these as it takes: a directory with these files,
    and the arguments."""
    tap = Tap()
    if skip:
        tap.skip('all', skip)
        parts = ()
    for part in parts:
        given: list[object] = []
        if part.__code__.co_argcount > 1:
            where = scratch(f'{Path(sys.argv[0]).stem}/{part.__name__}')
            for name, text in (files or {}).items():
                (where / name).parent.mkdir(exist_ok=True)
                (where / name).write_text(text)
            given = [where, *args][:part.__code__.co_argcount - 1]
        tap.part(part, *given)
    tap.done()


# --- building and running -------------------------------------------------

def scratch(name: str) -> Path:
    """An empty directory of that name below the scratch directory."""
    path = BUILD / name
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def runs_32_bits() -> bool:
    """Whether there is a ws for such programs, which is one, and runs here."""
    for tool in (TREE / '.in_place').glob('ws-x86-*'):
        try:
            subprocess.run([tool], stderr=subprocess.DEVNULL)
        except OSError:
            continue
        return True
    return False


def compile_c(output: Path, sources: Sequence[str], *flags: str) -> bool:
    """Compile sources of this directory. False: the compiler cannot."""
    compiler = shutil.which('cc') or 'gcc'
    done = subprocess.run(
        [compiler, '-o', str(output), f'-I{TREE}/include',
         *(str(TESTS / source) for source in sources), *flags],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        Tap.say(done.stderr)
    return done.returncode == 0


def compile_asm(output: Path, source: str, *flags: str) -> bool:
    """A program of a *.S file: static, no libc, at fixed addresses."""
    return compile_c(output, [source], *flags, '-nostdlib', '-static',
                     '-no-pie', '-Wl,--build-id=none')


def compiled(where: Path, source: str, *flags: str, name: str = '') -> Path:
    """A program of ours, which has the name of its source if it is given none."""
    path = where / (name or Path(source).stem)
    good = (compile_asm(path, source) if source.endswith('.S')
            else compile_c(path, [source], '-O2', *flags))
    if not good:
        raise SystemExit(f'Bail out! cannot compile {source}')
    return path


MORE_ENV: dict[str, str] = {}    # what a suite adds


def client_env() -> dict[str, str]:
    """An environment in which a program does the same in each run."""
    # LD_PRELOAD comes first because Valgrind appends it otherwise. It would
    # then be followed by the kernel's random bytes for the process, and the
    # loader reads its strings up to three bytes too far.
    return {'LD_PRELOAD': '', 'PATH': '/usr/bin:/bin', 'LC_ALL': 'C',
            'TZ': 'UTC', 'PYTHONHASHSEED': '0', 'PERL_HASH_SEED': '0',
            'PERL_PERTURB_KEYS': '0', **MORE_ENV}


def fix_addresses() -> bool:
    """Have the kernel put all processes that start from now on at the same
    addresses. Valgrind leaves the stack of 32-bit programs where it was put.
    False: that is not allowed here."""
    addr_no_randomize = 0x0040000
    personality = ctypes.CDLL(None).personality
    now = personality(0xffffffff)
    return now != -1 and personality(now | addr_no_randomize) != -1


@dataclass
class Done:
    """A finished run."""
    code: int        # negative: killed by that signal
    out: bytes
    err: str


def recounted(args: Iterable[object]) -> list[str]:
    """The same arguments for Valgrind. If the tool is ws, it counts everything
    once more, without its fast paths, unwinds the stacks that it reuses, and
    ends with an error if there is any difference."""
    words = [str(arg) for arg in args]
    if '--tool=ws' in words:
        behind = words.index('--tool=ws') + 1
        words[behind:behind] = ['--ws-recount=yes', '--ws-check-stacks=yes']
    return words


def run(argv: Sequence[object], cwd: Optional[Path] = None,
        **env: str) -> Done:
    """Run a program; output is captured through pipes."""
    done = subprocess.run([*map(str, argv)], cwd=cwd, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=300, env={**client_env(), **env})
    return Done(done.returncode, done.stdout,
                done.stderr.decode('utf-8', 'replace'))


def valgrind(args: Sequence[object], cwd: Optional[Path] = None) -> Done:
    """Run Valgrind with these arguments."""
    return run([VALGRIND, *recounted(args)], cwd)


EVERY = 1000


def ws(*options: object) -> list[str]:
    """The command that measures a program; it is the same in all runs."""
    return [VALGRIND,
            *recounted(['--tool=ws', f'--ws-every={EVERY}', *options])]


def vgdb(prefix: str, pid: int, *command: str) -> str:
    """What a run answers to a monitor command."""
    return run([TREE / 'coregrind' / 'vgdb', prefix, f'--pid={pid}',
                *command]).out.decode()


class Usage(NamedTuple):
    """What a run of Valgrind has used."""
    status: int
    seconds: float    # of the processor
    memory: int       # at most, in KiB


# A process is said to have had at least the memory of the one it was forked
# from: this one is small.
_METER = """
import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[
    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
_, status, usage = os.wait4(pid, 0)
print(status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
"""


def measure(args: Sequence[object], cwd: Path) -> Usage:
    """Run Valgrind with these arguments; what it prints is thrown away."""
    done = subprocess.run(
        [sys.executable, '-I', '-S', '-c', _METER, VALGRIND, *map(str, args)],
        cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        env=client_env(), check=True)
    status, seconds, memory = done.stdout.split()
    return Usage(int(status), float(seconds), int(memory))


# --- reports --------------------------------------------------------------

class BadReport(Exception):
    """The file is not what ws/docs/report-format.md says."""


def demand(good: bool, *what: object) -> None:
    """It is so in every good report."""
    if not good:
        raise BadReport(': '.join(map(str, what)))


class InfoEntry(NamedTuple):
    """An entry of the section Sample info."""
    refs: int
    loc: Optional[list[str]]    # places, innermost first
    label: Optional[str]        # not None: a snapshot
    stack: list[str]            # lines, without their indentation
    sets: str = ''              # in which a peak begins: insn, data, insn+data


def place_of(frame: Any) -> str:
    """In few letters: x.c:40, f, prog:0x4011DC or 0x4011DC."""
    path, address = os.path.basename(frame.object), f'0x{frame.address:X}'
    if frame.file:
        return os.path.basename(frame.file) + (
            '' if frame.line is None else f':{frame.line}')
    return frame.function or (f'{path}:{address}' if path else address)


class PageEntry(NamedTuple):
    """A line of the section Code pages or Data pages."""
    count: int
    page: int
    last: int       # the sample up to which it was last accessed, or the end
    where: str      # the code of the first access, '' if it is not given
    owner: str      # heap, stack of thread 1, anonymous, name of a file
    anew: bool      # it was mapped anew


class Report:
    """What ws_python has read; and what the scripts have no need of."""

    def __init__(self, text: str) -> None:
        # newline: a carriage return ends no line.
        read = self.read = reader.read_report(
            io.StringIO(text, newline='\n'), 'report', full=True)
        self.composition = read.compositions
        # None for a row without info.
        info = dict(read.info)
        self.info = [info.get(row) for row in range(len(read.columns['t']))]
        self.refs = Counter(number for number in [
            *info.values(), *(mark.number for mark in read.marks)]
            if number is not None)
        self.rows_of_info = rows_of(text, 'Sample info', 'label')
        sets = {int(row['info']): row['set'].strip('-')
                for row in self.rows_of_info}
        self.infos = [InfoEntry(
            self.refs[number], [*map(place_of, read.compositions.chain(
                entry.frame))] if stack else None,
            entry.label, [f'{"by" if k else "at"} {words}' for k, words
                          in enumerate(stack)], sets[number])
            for number, entry in sorted(read.entries.items())
            for stack in [read.stack(entry.frame)]]
        self.pages = {title.split()[0]: [PageEntry(*entry) for entry in zip(
            found.counts, found.pages, found.lasts,
            [''.join(read.stack(frame)[:1]) for frame in found.frames],
            found.owners, found.mapped_anew)]
            for title, name in LISTS.items()
            for found in [read.lists.get(name)] if found is not None}
        self.other_frames = {entry.frame for entry in read.entries.values()}
        for found in read.lists.values():
            self.other_frames.update(found.frames)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.read, name)

    every = property(lambda self: self.number('Every'))
    tau = property(lambda self: self.number('Tau'))
    samples = property(lambda self: max(len(self.columns['t']) - 1, 0))
    # Of a complete report: the time at the end.
    end = property(lambda self: int(self.summary[
        'Milliseconds' if self.is_clocked else 'Instructions']))

    @property
    def sets(self) -> list[str]:
        """Of which working sets are reported."""
        return ['insn', 'data'] + ['dirty'] * ('WSS_dirty' in self.columns)

    @property
    def rows(self) -> list[tuple[int, int, int]]:
        """t, WSS_insn and WSS_data."""
        return list(zip(*map(self.columns.get, ('t', 'WSS_insn', 'WSS_data'))))

    def wss(self, name: str, tau: int) -> MutableSequence[int]:
        """The column of a set and a length of the window."""
        return self.columns[self.column(name, tau)]

    def total(self, name: str) -> int:
        """How many pages of a set were accessed in the whole run."""
        return self.totals[name].pages

    def peaks(self) -> tuple[int, ...]:
        """How many there were, in code and in data."""
        return tuple(self.totals[name].peaks for name in ('insn', 'data'))

    def not_reached(self) -> list[int]:
        """The times of --ws-info-at that come after the last sample."""
        times = self.summary.get('Not reached')
        return [*map(int, times.split(','))] if times else []


def rows_of(text: str, title: str, last: str = '') -> list[dict[str, str]]:
    """The cells of each row of a section, whose last column may be a text."""
    found: list[dict[str, str]] = []
    read_rows(iter(text.partition(f'\n{title}:\n')[2].split('\n')[:-1]), last,
              found.append)
    return found


def read_report(path: Path, truncated: bool = False) -> Report:
    return parse_report(path.read_text('utf-8', 'replace'), truncated)


def parse_report(text: str, truncated: bool = False) -> Report:
    """Read a report, and check all that can be known of it without knowing
    the program. A truncated one may end anywhere, even within a line, which
    does not count then; of such a one, rows are checked."""
    if truncated:
        text = text[:text.rfind('\n') + 1]
    try:
        report = Report(text)
        demand(report.complete or truncated, 'no end')
        _check_table(report)
        if report.complete:
            _check_late(report)
            _check_clock(report)
            _check_composition(report)
            _check_infos(report)
            for kind in report.pages:
                _check_pages(report, kind)
    except (Failure, LookupError, OverflowError, ValueError) as problem:
        raise BadReport(repr(problem)) from problem
    return report


def _check_table(report: Report) -> None:
    """What is true of the first rows of any table. (What its columns, the
    profile and the phases say, pagelog.test counts from a page log.)"""
    demand(not any(value for name, column in report.columns.items()
                   if name not in ('mapped', 'shared') for value in column[:1]),
           'the first row is not 0')
    demand(all(report.columns.get('mapped', ())), 'nothing is mapped')
    used = dict.fromkeys(report.info)
    used.pop(None, None)
    # The others are those of snapshots, which have no rows.
    demand([*used] == sorted(used) and (not report.complete or sorted(
        report.refs) == [*range(len(report.refs))]), 'info: order', used)


def _check_late(report: Report) -> None:
    """The summary says what the table does."""
    if report.samples and report.is_clocked:
        late = report.columns['late_us'][1:]
        mean, most = (report.summary[f'Late {what} us']
                      for what in ('avg', 'max'))
        demand(int(most) == max(late) and abs(
            int(mean) - sum(late) / len(late)) < 1, 'Late', mean, most)


def _check_clock(report: Report) -> None:
    """It knows the most that was resident, and the end of the run."""
    times = [span.time for span in report.clock]
    demand(0 < len(times) <= 1000 and report.resident['both'] == max(
        span.resident for span in report.clock) and (
            report.is_clocked or times == sorted(times)
            and times[-1] == report.end), 'clock', report.clock)


def _check_composition(report: Report) -> None:
    """The sections from Kept samples to Stacks go with each other, the table
    and the profile. (That samples are the sums of their parts, and callers come
    first, ws_python demands.)"""
    found, times = report.composition, report.columns['t']
    most, has_stacks = report.resident['both'], report.header['Stacks'] != 'no'
    sizes = {**{(name, tau): dict(zip(times, report.wss(name, tau)))
                for name in report.sets for tau in report.taus},
             **{(name, None): dict(zip(times, report.columns[name]))
                for name in ('resident', 'cold')}}
    for one in found.samples.values():
        if one.set == 'unshared':   # no row tells how many
            continue
        if one.set == 'heap':       # the largest is so to a hundredth
            demand('largest' not in one.why or 0 <= most - one.pages
                   // report.page_szB <= most // 100 + 1, 'heap', one.pages)
            continue
        size = sizes[one.set, one.tau].get(one.time)
        dirty = sizes.get(('dirty', one.tau))
        if one.set == 'cold':    # the largest: since the window is that one
            demand(is_snapshot(one) or one.pages == size, one)
        elif one.set == 'resident':
            demand('largest' not in one.why or one.pages == most, one)
            demand('info-at' not in one.why or one.pages == size, one)
        elif not is_snapshot(one):
            demand(one.pages == size and one.written in (
                None, dirty and dirty.get(one.time)), 'pages', one)
    used = with_callers(found, {frame for part in found.origins()
                                for frame in (part.frame, part.lead)})
    for one in map(found.frames.__getitem__, used):
        # Without stacks, there are only functions that were inlined.
        demand(has_stacks or not one.cut and (
            one.caller is None or found.frames[one.caller].address
            == one.address), 'stack', one)
    demand(used | with_callers(found, report.other_frames)
           == {*found.frames}, 'frames')
    for (name, tau), parts in found.entries.items():
        entered = sum(part.pages for part in parts)
        for row in report.profile[name]:
            demand(row.tau != tau or row.entered in (None, entered),
                   'entered', name, entered, row)


def is_snapshot(kept: Kept) -> bool:
    return kept.why == ['snapshot']


def with_callers(found: Compositions, frames: Iterable[Optional[int]]
                 ) -> set[int]:
    numbers: set[int] = set()
    for frame in frames:
        while frame is not None and frame not in numbers:
            numbers.add(frame)
            frame = found.frames[frame].caller
    return numbers


ENDED = 'no stack: the process had ended'


def _check_infos(report: Report) -> None:
    """One for each number of the table and of the phases: with a stack, and
    of a phase with a label, too."""
    demand([(row['info'], row['refs']) for row in report.rows_of_info] == [
        (str(number), str(count)) for number, count
        in sorted(report.refs.items())], 'refs')
    for number, info in enumerate(report.infos):
        demand((info.label is None) == (number in report.info), 'label', info)
        demand(info.sets == '' or info.label is None
               and 'Peak window' in report.header, 'sets', info)
        if info.loc is None:
            # Samples may be due when the clock is read at the end.
            demand(info.stack == [ENDED] and info.label is None
                   and report.is_clocked, 'no stack', info)
        else:
            demand(bool(info.stack), 'stack', info)


def _check_pages(report: Report, kind: str) -> None:
    pages = report.pages[kind]
    name = 'insn' if kind == 'Code' else 'data'
    demand(len(pages) == report.total(name) + report.totals[name].anew, kind,
           len(pages))
    demand(pages == sorted(pages, key=lambda page: (-page.count, page.page))
           and len({page.where == '' for page in pages}) < 2, kind, 'order')
    firsts = {page.page for page in pages if not page.anew}
    demand(len(pages) == len(firsts) + sum(page.anew for page in pages)
           and firsts == {page.page for page in pages}, kind,
           'the wrong ones were mapped anew')
    times = {*report.columns['t'], report.end}
    for page in pages:
        demand(page.count > 0 and page.page % report.page_szB == 0
               and page.last in times, page)


def run_ws(options: Iterable[object], program: Sequence[object], where: Path,
           prepare: Optional[Callable[[Path], None]] = None) -> Report:
    """Run a program under ws in a fresh directory and read its report."""
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir(parents=True)
    home = where / 'cwd'
    home.mkdir()
    if prepare is not None:
        prepare(home)
    report = where / 'report'
    with open(where / 'stdout', 'wb') as out, \
            open(where / 'stderr', 'wb') as err:
        done = subprocess.run(
            [VALGRIND, *recounted(['--tool=ws', f'--log-file={where}/log',
                                   f'--ws-out-file={report}', *options,
                                   *program])],
            cwd=home, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            env=client_env(), timeout=600)
    if not report.exists():
        log = (where / 'log').read_text() if (where / 'log').exists() else ''
        raise BadReport(f'no report; exit code {done.returncode}: {log}'
                        + (where / 'stderr').read_text())
    return read_report(report)


def read_all(tap: Tap, name: str, home: Path) -> list[tuple[Path, Report]]:
    """All files of a directory; they must be complete reports. The reader
    has seen to the rows: one each T."""
    found, bad = [], []
    for path in sorted(home.iterdir()):
        try:
            found.append((path, read_report(path)))
        except BadReport as problem:
            bad.append(f'{path.name}: {problem}')
    tap.ok(not bad, f'{name}: complete reports', *bad)
    return found
