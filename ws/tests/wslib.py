"""What the test scripts of ws share: where things are, how to run Valgrind,
how to read a report, how to say the result (TAP)."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
from array import array
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, islice
from pathlib import Path
from typing import (Any, Callable, Iterable, MutableSequence, NamedTuple,
                    NoReturn, Optional, Sequence)

TESTS = Path(__file__).resolve().parent
ROOT = Path(os.environ.get('WS_ROOT', TESTS.parent.parent)).resolve()


def _default_tree() -> Path:
    trees = sorted((ROOT / 'build').glob('valgrind-*/vg-in-place'))
    return trees[-1].parent if trees else ROOT / 'build' / 'valgrind'


TREE = Path(os.environ.get('WS_TREE', _default_tree())).resolve()
VALGRIND = os.environ.get('WS_VALGRIND', str(TREE / 'vg-in-place'))
BUILD = Path(os.environ.get('WS_BUILD', ROOT / 'build' / 'tests')).resolve()


# --- TAP ------------------------------------------------------------------

class Tap:
    """Numbers the results and knows whether any of them was bad."""

    def __init__(self) -> None:
        self.count = 0
        self.failed = 0

    def ok(self, good: bool, name: str, *notes: str) -> bool:
        """One result; the notes are printed when it is a bad one."""
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

    @staticmethod
    def say(text: str) -> None:
        for line in text.splitlines():
            print('# ' + line)

    def done(self) -> NoReturn:
        print(f'1..{self.count}')
        sys.exit(1 if self.failed else 0)


# --- building and running -------------------------------------------------

def scratch(name: str) -> Path:
    """An empty directory of that name below the scratch directory."""
    path = BUILD / name
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def compile_c(output: Path, sources: Sequence[str], *flags: str) -> bool:
    """Compile sources of this directory. False: the compiler cannot."""
    compiler = shutil.which('cc') or 'gcc'
    done = subprocess.run(
        [compiler, '-o', str(output),
         *(str(TESTS / source) for source in sources), *flags],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        Tap.say(done.stderr)
    return done.returncode == 0


def compile_asm(output: Path, source: str, *flags: str) -> bool:
    """A program of a *.S file: static, no libc, at fixed addresses."""
    return compile_c(output, [source], *flags, '-nostdlib', '-static',
                     '-no-pie', '-Wl,--build-id=none')


def client_env() -> dict[str, str]:
    """An environment in which a program does the same in each run."""
    # LD_PRELOAD comes first because Valgrind appends it otherwise. It would
    # then be followed by the kernel's random bytes for the process, and the
    # loader reads its strings up to three bytes too far.
    return {'LD_PRELOAD': '', 'PATH': '/usr/bin:/bin', 'LC_ALL': 'C',
            'TZ': 'UTC', 'PYTHONHASHSEED': '0', 'PERL_HASH_SEED': '0',
            'PERL_PERTURB_KEYS': '0'}


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
    once more, without its fast paths, and ends with an error if there is any
    difference."""
    words = [str(arg) for arg in args]
    if '--tool=ws' in words:
        words.insert(words.index('--tool=ws') + 1, '--ws-recount=yes')
    return words


def valgrind(args: Sequence[object], cwd: Optional[Path] = None,
             stdin: int = subprocess.DEVNULL,
             timeout: float = 300) -> Done:
    """Run Valgrind with these arguments; output is captured through pipes."""
    done = subprocess.run([VALGRIND, *recounted(args)], cwd=cwd, stdin=stdin,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=client_env(), timeout=timeout)
    return Done(done.returncode, done.stdout,
                done.stderr.decode('utf-8', 'replace'))


class Usage(NamedTuple):
    """What a run of Valgrind has used."""
    status: int
    seconds: float    # of the processor
    memory: int       # at most, in KiB


# A process is said to have had at least the memory of the one it was forked
# from: this one is small.
_METER = """
import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
print(status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
"""


def measure(args: Sequence[object], cwd: Path) -> Usage:
    done = subprocess.run(
        [sys.executable, '-I', '-S', '-c', _METER, VALGRIND, *map(str, args)],
        cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        env=client_env(), check=True)
    status, seconds, memory = done.stdout.split()[-3:]
    return Usage(int(status), float(seconds), int(memory))


# --- reports --------------------------------------------------------------

class BadReport(Exception):
    """The file is not what ws/docs/report-format.md says."""


Row = tuple[int, int, int]
Field = Optional[int]    # None: "-"


class InfoEntry(NamedTuple):
    """An entry of the section Sample info."""
    refs: int
    loc: Optional[list[str]]    # places, innermost first
    label: Optional[str]        # not None: a mark or a snapshot
    stack: list[str]            # lines, without their indentation


class PageEntry(NamedTuple):
    """A line of the section Code pages or Data pages."""
    count: int
    page: int
    last: int
    information: str    # the whole, and of this:
    where: str          # the code of the first access, '' if it is not given
    owner: str          # heap, stack of thread 1, anonymous, name of a file
    reused: bool


class ProfileRow(NamedTuple):
    """A row of the section Working set profile, without its set."""
    tau: int
    average: str    # with its one digit behind the point
    maximum: int
    entered: int
    miss: str       # with its six digits behind the point
    life: str       # or -; milliseconds have three digits behind the point
    note: str       # limited, knee, -


class Sizes(NamedTuple):
    """A line of the summary."""
    average: str    # with its one digit behind the point
    peak: int
    total: int

    def __str__(self) -> str:
        return f'{self.average}/{self.peak}/{self.total}'


@dataclass
class Report:
    """What parse_report() has read. It has checked all that can be known
    without knowing the program."""
    header: dict[str, str] = field(default_factory=dict)
    # There may be millions of rows: arrays, where all fields are numbers.
    columns: dict[str, MutableSequence[Any]] = field(default_factory=dict)
    summary: dict[str, str] = field(default_factory=dict)
    profile: dict[str, list[ProfileRow]] = field(default_factory=dict)
    infos: list[InfoEntry] = field(default_factory=list)
    pages: dict[str, list[PageEntry]] = field(default_factory=dict)
    complete: bool = False    # ends in "End of report"

    @property
    def every(self) -> int:
        return int(self.header['Every'])

    @property
    def tau(self) -> int:
        return int(self.header['Tau'])

    @property
    def taus(self) -> list[int]:
        """The lengths of all windows, the first one first."""
        further = self.header.get('Further taus')
        return [self.tau, *map(int, further.split(',') if further else ())]

    @property
    def milliseconds(self) -> bool:
        """That is the unit of time."""
        return self.header['Time unit'] == 'milliseconds'

    @property
    def samples(self) -> int:
        """How many there are."""
        return self.numbers('t')[-1] // self.every

    @property
    def sets(self) -> list[str]:
        """Of which working sets are reported."""
        return ['insn', 'data'] + ['dirty'] * ('WSS_dirty' in self.names)

    @property
    def page_size(self) -> int:
        return int(self.header['Page size'].split()[0])

    @property
    def names(self) -> list[str]:
        """Of the columns."""
        return list(self.columns)

    @cached_property
    def rows(self) -> list[Row]:
        """t, WSS_insn and WSS_data."""
        return list(zip(*map(self.numbers, ('t', 'WSS_insn', 'WSS_data'))))

    @cached_property
    def fields(self) -> list[tuple[Field, ...]]:
        """The rows with all their columns, in the order of these."""
        return list(zip(*self.columns.values()))

    @cached_property
    def table(self) -> list[dict[str, Field]]:
        """The rows with all their columns."""
        return [dict(zip(self.names, row)) for row in self.fields]

    def optional(self, name: str) -> list[Field]:
        """A column that may have no number in some rows."""
        if name not in self.columns and self.columns:
            raise BadReport(f'no column {name}')
        return list(self.columns.get(name, ()))

    def column(self, name: str) -> list[int]:
        """A column that has a number in each row."""
        return list(self.numbers(name))

    def numbers(self, name: str) -> Sequence[int]:
        """The same, but no copy of it."""
        values = self.columns.get(name, array('Q'))
        if not isinstance(values, array):
            raise BadReport(f'column {name}: a row has no number')
        if name not in self.columns and self.columns:
            raise BadReport(f'no column {name}')
        return values

    def wss(self, name: str, tau: int) -> Sequence[int]:
        """The column of a set and a length of the window."""
        return self.numbers(f'WSS_{name}' if tau == self.tau
                            else f'WSS_{name}_{tau}')

    def sampled(self, values: Sequence[int]) -> list[int]:
        """Of a column, what it has at the samples."""
        # Of several rows with the same time, the last one is the sample.
        last = {t: value for t, value in zip(self.numbers('t'), values)}
        return [value for t, value in last.items()
                if t > 0 and t % self.every == 0]

    def knee(self, name: str) -> Optional[int]:
        """The number of the row of the profile with that note."""
        notes = [row.note for row in self.profile[name]]
        return notes.index('knee') if 'knee' in notes else None

    def add_rows(self, lines: Sequence[str]) -> None:
        """Lines that have a field for each column."""
        words = ' '.join(lines).split()
        for number, name in enumerate(self.columns):
            column = words[number::len(self.columns)]
            if '-' in column and isinstance(self.columns[name], array):
                self.columns[name] = list(self.columns[name])
            try:
                self.columns[name].extend(None if word == '-' else int(word)
                                          for word in column)
            except OverflowError:
                raise BadReport(f'column {name}: more than 64 bits') from None

    def sizes(self, kind: str) -> Sizes:
        """Of Insn, Data or Dirty."""
        match = self.matched(f'{kind} avg/peak/total', _SIZES)
        return Sizes(match[1], int(match[2]), int(match[3]))

    def peaks(self) -> tuple[int, int]:
        """How many there were, in code and in data."""
        match = self.matched('Peaks insn/data', _PEAKS)
        return int(match[1]), int(match[2])

    def not_reached(self) -> list[int]:
        """The times of --ws-info-at that come after the last row."""
        if 'Not reached' not in self.summary:
            return []
        match = self.matched('Not reached', _TIMES)
        return [int(word) for word in match[0].split(',')]

    def matched(self, key: str, pattern: re.Pattern[str]) -> re.Match[str]:
        """A value of the summary."""
        match = pattern.match(self.summary.get(key, '(none)'))
        if match is None:
            raise BadReport(f'{key}: {self.summary.get(key, "(none)")}')
        return match


_N = r'(?:0|[1-9][0-9]{0,19})'
_POSITIVE = r'[1-9][0-9]{0,19}'
_KEY = re.compile(rf'([A-Z][A-Za-z/ ]*(?:, tau={_N})?): +(.*)$')
_SIZES = re.compile(rf'({_N}\.[0-9])/({_N})/({_N}) pages '
                    rf'\(({_N})/({_N})/({_N}) kB\)$')
_FURTHER_SIZES = re.compile(rf'({_N}\.[0-9])/({_N}) pages '
                            rf'\(({_N})/({_N}) kB\)$')
_LATE = re.compile(rf'({_N})/({_N}) us$')
_PEAKS = re.compile(rf'({_N})/({_N})$')
_TIMES = re.compile(rf'{_N}(?:, ?{_N})*$')
_KNEE = re.compile(rf'({_N}) kB (hold it at tau=.*)$')
_PROFILE_COLUMNS = ['set', 'tau', 'avg', 'max', 'entered', 'miss', 'life',
                    'note']
_PROFILE = re.compile(rf'(insn|data|dirty) ({_N}) ({_N}\.[0-9]) ({_N}) ({_N}) '
                      rf'({_N}\.[0-9]{{6}}) ({_N}(?:\.[0-9]{{3}})?|-) '
                      r'(limited|knee|-)$')
_INFO = re.compile(rf'\[ *{_N}\] refs=({_N}), loc=(.+?)(?:, label=(.*))?$')
ENDED = 'no stack: the process had ended'
_TITLE_OF_PAGES = re.compile(rf'(Code|Data) pages \(({_N}) entries\):$')
_PAGE = re.compile(rf'({_N}) (0x[0-9a-f]+) ({_N})$')
# The name of a file begins with a slash, and may have brackets and commas.
_INFORMATION = re.compile(r'(?:(.+?) )?\[(heap|stack of thread [1-9][0-9]*|'
                          r'anonymous|shared memory|/.*?)(, reused)?\]$')


class _NoMore(Exception):
    """There is no further line."""


class _Lines:
    """The lines of a report, one after the other."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0
        self.latest = ''
        self.count = 0

    def next(self) -> str:
        if self.pos == len(self.text):
            raise _NoMore
        end = self.text.index('\n', self.pos)
        self.latest = self.text[self.pos:end]
        self.pos = end + 1
        self.count += 1
        return self.latest

    def expect(self, *wanted: str) -> None:
        for want in wanted:
            if self.next() != want:
                raise self.bad(f'expected {want!r}')

    def indented(self) -> list[str]:
        """All indented lines that follow."""
        found = []
        while (line := self.next()).startswith(' '):
            found.append(line.strip())
        self.pos -= len(line) + 1
        self.count -= 1
        return found

    def bad(self, why: str) -> BadReport:
        """Something is wrong with the latest line."""
        return BadReport(f'line {self.count}: {self.latest!r}: {why}')


def parse_report(text: str, truncated: bool = False) -> Report:
    """Read a report, strictly. A truncated one may end anywhere, even within
    a line; such a last piece of a line does not count."""
    if truncated:
        text = text[:text.rfind('\n') + 1]
    elif not text.endswith('\n'):
        raise BadReport('last line has no end')
    if not text.startswith('Working Set Measurement by valgrind-ws-'):
        raise BadReport('no title')
    report = Report()
    lines = _Lines(text)
    lines.next()
    try:
        _parse_header(lines, report)
        _parse_table(lines, report)
        _parse_summary(lines, report)
        _parse_sections(lines, report)
    except _NoMore:
        if not truncated:
            raise BadReport('no end') from None
        _check_table(report)    # as far as it goes
    if lines.pos != len(text):
        raise BadReport('lines after the end')
    return report


def read_report(path: Path, truncated: bool = False) -> Report:
    return parse_report(path.read_text(errors='replace'), truncated)


def sample_times(end: int, every: int) -> list[int]:
    """0, every k*T, and the end (once)."""
    times = list(range(0, end + 1, every))
    if times[-1] != end:
        times.append(end)
    return times


def _parse_keys(lines: _Lines, values: dict[str, str]) -> None:
    while (line := lines.next()) != '--':
        match = _KEY.match(line)
        if match is None:
            raise lines.bad('not a key and its value')
        if match[1] in values:
            raise lines.bad('a second one')
        values[match[1]] = match[2]


def _parse_header(lines: _Lines, report: Report) -> None:
    _parse_keys(lines, report.header)
    for key, pattern in (('Format', '1'), ('Command', '.*'), ('PID', _N),
                         ('Page size', f'{_POSITIVE} B'),
                         ('Time unit', 'instructions|milliseconds'),
                         ('Every', _POSITIVE), ('Tau', _POSITIVE)):
        if re.fullmatch(pattern, report.header.get(key, '(none)')) is None:
            raise BadReport(
                f'header: {key}: {report.header.get(key, "(none)")[:100]}')
    start = report.header.get('Start')
    if ((start is not None) != report.milliseconds
            or re.fullmatch(_POSITIVE, start or '1') is None):
        raise BadReport(f'header: Start: {start}')
    if 'Further taus' in report.header:
        if _TIMES.match(report.header['Further taus']) is None:
            raise BadReport('header: Further taus: '
                            + report.header['Further taus'])
        if len(set(report.taus)) != len(report.taus) or len(report.taus) > 16:
            raise BadReport(f'header: windows: {report.taus}')
    if len({f'Peak {what}' for what in ('window', 'threshold', 'adapt')}
           & set(report.header)) not in (0, 3):
        raise BadReport('header: only some of the keys of peaks')


def _parse_table(lines: _Lines, report: Report) -> None:
    lines.expect('', 'Working sets:')
    names = lines.next().split()
    if (names[:3] != ['t', 'WSS_insn', 'WSS_data']
            or not {'info', 'new_insn', 'new_data', 'total_insn',
                    'total_data'} <= set(names)
            or len(set(names)) != len(names)
            or ('late_us' in names) != report.milliseconds):
        raise lines.bad('names of columns')
    for kind in ('insn', 'data', 'dirty'):
        further = [name for name in names
                   if re.fullmatch(f'WSS_{kind}_[0-9]+', name)]
        taus = report.taus[1:] if f'WSS_{kind}' in names else []
        if further != [f'WSS_{kind}_{tau}' for tau in taus]:
            raise lines.bad(f'names of columns: {further}')
    report.columns = {name: array('Q') for name in names}
    one = f'(?:{_N}|-)'
    pattern = re.compile(f' *{one}(?: +{one}){{{len(names) - 1}}}$')
    rows: list[str] = []
    try:
        while (line := lines.next()) != '':
            if pattern.match(line) is None:
                raise lines.bad(f'not a row of {len(names)} fields')
            rows.append(line)
            if len(rows) == 10000:
                report.add_rows(rows)
                rows.clear()
    finally:
        report.add_rows(rows)
    if not report.numbers('t'):
        raise lines.bad('no row')
    _check_table(report)
    lines.expect('--', '')


def _check_table(report: Report) -> None:
    """What is true of the first rows of any table."""
    times = report.numbers('t')
    if times and times[0] != 0:
        raise BadReport('the first row is not 0')
    if any(t > u for t, u in zip(times, islice(times, 1, None))):
        raise BadReport('time falls')
    for kind in ('insn', 'data'):
        total = report.numbers(f'total_{kind}')
        if any(a != b for a, b in
               zip(total, accumulate(report.numbers(f'new_{kind}')))):
            raise BadReport(f'total_{kind}: not the sum of new_{kind}')
        if total and total[0] != 0:
            raise BadReport('the first row is not 0')
    for kind in report.sets if times else ():
        # Of these, each has no more pages than the next one.
        for tau, longer in zip(sorted(report.taus),
                               [*sorted(report.taus)[1:], None]):
            sizes = report.wss(kind, tau)
            # A millisecond has many times.
            if not report.milliseconds and any(
                    t == u and a != b for t, u, a, b
                    in zip(times, islice(times, 1, None),
                           sizes, islice(sizes, 1, None))):
                raise BadReport(f'WSS_{kind}: two values at the same time')
            there_are = [report.wss('data', tau) if kind == 'dirty'
                         else report.numbers(f'total_{kind}')]
            if longer is not None:
                there_are.append(report.wss(kind, longer))
            if any(size > n for most in there_are
                   for size, n in zip(sizes, most)):
                raise BadReport(f'WSS_{kind}: more pages than there are, '
                                f'tau={tau}')
    if times and report.milliseconds:
        report.numbers('late_us')    # each row has one
    # In the order of their first use.
    numbers = list(dict.fromkeys(number for number in report.optional('info')
                                 if number is not None))
    if numbers != list(range(len(numbers))):
        raise BadReport(f'info: numbers in the order {numbers}')


def _parse_summary(lines: _Lines, report: Report) -> None:
    _parse_keys(lines, report.summary)
    end = report.numbers('t')[-1]
    _check_end(report, end)
    for kind in ('insn', 'data', 'dirty'):
        name = kind.capitalize()
        if kind not in report.sets:
            if any(key.startswith(f'{name} ') for key in report.summary):
                raise BadReport(f'{name}: in the summary alone')
            continue
        for tau in report.taus:
            _check_sizes(report, name, tau)
        if kind == 'dirty':
            continue
        new = sum(report.numbers(f'new_{kind}'))
        if new != report.sizes(name).total:
            raise BadReport(f'{name}: the total is {report.sizes(name).total},'
                            f' the sum of new_{kind} {new}')
        if 'Reused insn/data' not in report.summary:
            _check_beginning(report, kind)
    for key in report.summary:
        if ', tau=' in key and int(key.split('=')[1]) not in report.taus[1:]:
            raise BadReport(f'{key}: there is no such window')
    if 'WSS_dirty' in report.names and \
            report.sizes('Dirty').total > report.sizes('Data').total:
        raise BadReport('Dirty: more pages than there are')
    if ('Peak window' in report.header) != ('Peaks insn/data'
                                            in report.summary):
        raise BadReport('Peaks: in the header or in the summary alone')
    if 'Peak window' in report.header:
        report.peaks()    # it has the right form
    late = report.not_reached()
    if late != sorted(set(late)) or (late and late[0] <= end):
        raise BadReport(f'Not reached: {late}, and the end is {end}')


def _check_end(report: Report, end: int) -> None:
    """What the summary says of time."""
    key = 'Milliseconds' if report.milliseconds else 'Instructions'
    if report.summary.get(key) != str(end):
        raise BadReport(f'{key}: {report.summary.get(key)}, '
                        f'and the last row is at {end}')
    if re.fullmatch(_N, report.summary.get('Instructions', '')) is None:
        raise BadReport('Instructions: '
                        + report.summary.get('Instructions', '(none)'))
    for key in ('Milliseconds', 'Late avg/max'):
        if (key in report.summary) != report.milliseconds:
            raise BadReport(f'{key}: {report.summary.get(key, "(none)")}')
    if report.milliseconds:
        match = report.matched('Late avg/max', _LATE)
        late = report.sampled(report.numbers('late_us')) or [0]
        if (int(match[2]) != max(late)
                or abs(int(match[1]) - sum(late) / len(late)) >= 1):
            raise BadReport(f'Late avg/max: {match[0]}, expected '
                            f'{sum(late) / len(late)}/{max(late)}')


def _check_beginning(report: Report, kind: str) -> None:
    """A window that began before time 0 has all pages, if none was mapped
    anew."""
    for tau in report.taus:
        for t, size, total in zip(report.numbers('t'), report.wss(kind, tau),
                                  report.numbers(f'total_{kind}')):
            if t >= tau:
                break
            if size != total:
                raise BadReport(f'WSS_{kind}: {size} of {total} pages at {t}, '
                                f'tau={tau}')


def _check_sizes(report: Report, kind: str, tau: int) -> None:
    """A line of the summary goes with its column."""
    sizes = report.wss(kind.lower(), tau)
    sampled = report.sampled(sizes)
    peak = max(sampled, default=0) if report.milliseconds else max(sizes)
    # The report rounds to one digit and to whole kB; either way of rounding
    # is right.
    exact: list[float] = [peak]
    if tau == report.tau:
        match = report.matched(f'{kind} avg/peak/total', _SIZES)
        exact.append(int(match[3]))    # of Insn and Data, the caller knows it
        numbers = [5, 6]
        average = 4
    else:
        match = report.matched(f'{kind} avg/peak, tau={tau}', _FURTHER_SIZES)
        numbers = [4]
        average = 3
    if int(match[2]) != peak or exact[-1] < peak:
        raise BadReport(f'{kind}: {match[0]}, expected a peak of {peak}')
    if sampled:
        exact.append(sum(sampled) / len(sampled))
        numbers.append(average)
        if abs(float(match[1]) - exact[-1]) >= 0.1:
            raise BadReport(f'{kind}: average {match[1]}, '
                            f'expected {exact[-1]}')
    for number, pages in zip(numbers, exact):
        if abs(int(match[number]) - pages * report.page_size / 1024) >= 1:
            raise BadReport(f'{kind}: {match[number]} kB, '
                            f'expected {pages * report.page_size / 1024}')


def _parse_sections(lines: _Lines, report: Report) -> None:
    # In this order; the first one must.
    may_come = ['Working set profile', 'Sample info', 'Code', 'Data']
    while True:
        lines.expect('')
        title = lines.next()
        if title == '':
            # More than one only there.
            while (title := lines.next()) == '':
                pass
            if title != 'End of report':
                raise lines.bad('expected the end')
        if title == 'End of report':
            break
        match = _TITLE_OF_PAGES.match(title)
        name = match[1] if match is not None else title[:-1]
        if (name not in may_come or match is None and title[-1] != ':'
                or name != may_come[0] == 'Working set profile'):
            raise lines.bad('not expected here')
        del may_come[:may_come.index(name) + 1]
        if match is not None:
            _parse_pages(lines, report, name, int(match[2]))
        elif name == 'Sample info':
            _parse_infos(lines, report)
        else:
            _parse_profile(lines, report)
    if not report.profile:
        raise BadReport('there is no Working set profile')
    if len(report.pages) not in (0, 2):
        raise BadReport(f'there are only {list(report.pages)} pages')
    used = report.optional('info')
    if not report.infos and used != [None] * len(used):
        raise BadReport('there is no Sample info')
    times = [t for t, number in zip(report.numbers('t'), used)
             if number is None or report.infos[number].label is None]
    end = report.numbers('t')[-1]
    # Absurd numbers are no reason to make a list of them.
    if (len(times) != end // report.every + 1 + (end % report.every > 0)
            or times != sample_times(end, report.every)):
        raise BadReport('times of rows without a label are not 0, k*T, end')
    report.complete = True


def average(total: int, count: int) -> str:
    """Rounded to tenths."""
    tenths = rounded(10 * total, count)
    return f'{tenths // 10}.{tenths % 10}'


def rounded(numerator: int, denominator: int) -> int:
    """The quotient, half rounded up. It is exact, as floats are not."""
    return (2 * numerator + denominator) // (2 * denominator)


def profile_taus(every: int, samples: int) -> list[int]:
    """Of which windows the profile has a row."""
    taus = [every] * (samples > 0)
    while taus and taus[-1] < samples * every:
        taus.append(2 * taus[-1])
    return taus


def limited(tau: int, every: int, samples: int) -> bool:
    """For half of the samples or more, the window begins before the run."""
    return 2 * min(tau // every - 1, samples) >= samples


def missing_rate(entered: int, length: int) -> str:
    millionths = rounded(1000 * 10**6 * entered, length)
    return f'{millionths // 10**6}.{millionths % 10**6:06}'


def life(entered: int, length: int, milliseconds: bool) -> str:
    if entered == 0:
        return '-'
    if not milliseconds:
        return str(rounded(length, entered))
    micro = rounded(1000 * length, entered)
    return f'{micro // 1000}.{micro % 1000:03}'


def _parse_profile(lines: _Lines, report: Report) -> None:
    names = lines.next().split()
    if (not set(_PROFILE_COLUMNS) <= set(names)
            or len(set(names)) != len(names)):
        raise lines.bad('names of columns')
    there = []
    report.profile = {name: [] for name in report.sets}
    while (line := lines.next()) != '--':
        values = dict(zip(names, line.split()))
        match = _PROFILE.match(' '.join(values.get(name, '(none)')
                                        for name in _PROFILE_COLUMNS))
        if (match is None or len(line.split()) != len(names)
                or match[1] not in report.profile):
            raise lines.bad('not a row of the profile')
        there.append((match[1], int(match[2])))
        report.profile[match[1]].append(ProfileRow(
            int(match[2]), match[3], int(match[4]), int(match[5]),
            *match.groups()[5:]))
    expected = [(name, tau) for name in report.sets
                for tau in profile_taus(report.every, report.samples)]
    if there != expected:
        raise BadReport(f'profile: rows {there}, expected {expected}')
    for name, rows in report.profile.items():
        if rows:
            _check_profile(report, name, rows)
        _check_knee_line(report, name)


def _check_profile(report: Report, name: str, rows: list[ProfileRow]) -> None:
    def bad(row: ProfileRow, why: str) -> BadReport:
        return BadReport(f'profile: {name}: {row}: {why}')

    length = report.samples * report.every
    for row in rows:
        rates = (missing_rate(row.entered, length),
                 life(row.entered, length, report.milliseconds))
        if (row.miss, row.life) != rates:
            raise bad(row, f'expected {rates}')
        if (row.note == 'limited') != limited(row.tau, report.every,
                                              report.samples):
            raise bad(row, 'limited')
        # What is in a window has entered it.
        if not (_tenths(row) <= 10 * row.maximum and row.maximum
                <= min(row.entered, report.sizes(name.capitalize()).total)):
            raise bad(row, 'these sizes cannot be')
        if row.tau in report.taus:
            sizes = report.sampled(report.wss(name, row.tau))
            expected = average(sum(sizes), len(sizes)), max(sizes)
            if (row.average, row.maximum) != expected:
                raise bad(row, f'expected {expected}')
    for row, longer in zip(rows, rows[1:]):
        if not (_tenths(row) <= _tenths(longer)
                and row.maximum <= longer.maximum
                and row.entered >= longer.entered):
            raise bad(longer, f'after {row}')
    # Nothing leaves a window that is as long as the run.
    if rows[-1].entered != rows[-1].maximum:
        raise bad(rows[-1], 'something left it')
    if name == 'dirty':
        for row, data in zip(rows, report.profile['data']):
            if not (_tenths(row) <= _tenths(data)
                    and row.maximum <= data.maximum):
                raise bad(row, f'more than {data}')
    elif 'Reused insn/data' not in report.summary:
        total = report.sampled(report.numbers(f'total_{name}'))[-1]
        if rows[-1].entered != total:
            raise bad(rows[-1], f'there are {total}')
    _check_knee(name, rows)


def _tenths(row: ProfileRow) -> int:
    return int(row.average.replace('.', ''))


def _check_knee(name: str, rows: list[ProfileRow]) -> None:
    """The row with that note may be the one that should have it, as far as
    that can be known from averages that are rounded."""
    knees = [row for row in rows if row.note == 'knee']
    if len(knees) != (rows[0].entered > 0):
        raise BadReport(f'profile: {name}: {len(knees)} knees')
    for row in rows:
        if knees and row.note == '-' and (
                row.entered * (2 * _tenths(row) + 1)
                < knees[0].entered * (2 * _tenths(knees[0]) - 1)):
            raise BadReport(f'profile: {name}: {row} is more of a knee than '
                            f'{knees[0]}')


def _check_knee_line(report: Report, name: str) -> None:
    """What the summary says is what the profile does."""
    key = f'{name.capitalize()} knee'
    number = report.knee(name) if name != 'dirty' else None
    if number is None:
        if key in report.summary:
            raise BadReport(f'{key}: there is none')
        return
    match = report.matched(key, _KNEE)
    row = report.profile[name][number]
    unit = 'ms' if report.milliseconds else 'instructions'
    expected = (f'hold it at tau={row.tau}, a page missing every {row.life} '
                f'{unit}')
    if number > 0:
        above = report.profile[name][number - 1]
        expected += f'; at {above.tau}, every {above.life}'
    # Of the average, we see it rounded.
    kilo = report.page_size / 1024
    if (match[2] != expected or abs(int(match[1]) - float(row.average) * kilo)
            > 0.5 + 0.05 * kilo + 1e-9):
        raise BadReport(f'{key}: {match[0]}, expected {expected}')


def _parse_infos(lines: _Lines, report: Report) -> None:
    used = report.optional('info')
    refs = Counter(used)
    while (line := lines.next()) != '--':
        number = len(report.infos)
        match = _INFO.match(line)
        if match is None or not line.startswith(f'[{number:4}] '):
            raise lines.bad(f'not entry {number}')
        if int(match[1]) != refs[number] or refs[number] == 0:
            raise lines.bad(f'{refs[number]} rows refer to it')
        loc = None if match[2] == '-' else match[2].split('|')
        # Several samples may be due when the clock is read for the last time.
        if (loc is None and match[3] is None and not report.milliseconds
                and used.index(number) != len(used) - 1):
            raise lines.bad('no stack, no label, and not the end')
        stack = lines.indented()
        if loc is None and match[3] is None:
            if stack != [ENDED]:
                raise lines.bad('no stack, and it is not said why')
        elif (len(stack) == 0) != (loc is None) or \
                [text.split(' ')[0] for text in stack] != \
                ['at', *['by'] * len(stack)][:len(stack)]:
            raise lines.bad(f'stack of entry {number}: {stack}')
        report.infos.append(InfoEntry(int(match[1]), loc, match[3], stack))
    if len(report.infos) != len(set(used) - {None}):
        raise BadReport(f'Sample info: {len(report.infos)} entries, '
                        f'{len(set(used) - {None})} in the table')


def _parse_pages(lines: _Lines, report: Report, kind: str,
                 announced: int) -> None:
    entries = report.pages[kind] = []
    names = lines.next().split()
    if (not {'count', 'page', 'last'} <= set(names[:-1])
            or names[-1] != 'information' or len(set(names)) != len(names)):
        raise lines.bad('names of columns')
    end = int(report.summary['Instructions'])    # whatever the unit of time
    while (line := lines.next()) != '--':
        values = dict(zip(names, line.split(None, len(names) - 1)))
        match = _PAGE.match(' '.join(values.get(name, '(none)') for name
                                     in ('count', 'page', 'last')))
        said = _INFORMATION.match(values.get('information', '(none)'))
        if match is None or said is None:
            raise lines.bad('not an entry')
        entry = PageEntry(int(match[1]), int(match[2], 16), int(match[3]),
                          said[0], said[1] or '', said[2],
                          said[3] is not None)
        if (entry.count == 0 or entry.page % report.page_size != 0
                or entry.last > end):
            raise lines.bad('that cannot be')
        if entries and ((-entry.count, entry.page)
                        < (-entries[-1].count, entries[-1].page)):
            raise lines.bad('not in order')
        if entries and (entry.where == '') != (entries[-1].where == ''):
            raise lines.bad('some come from somewhere, some do not')
        entries.append(entry)
    _check_pages(report, kind, announced)


def _check_pages(report: Report, kind: str, announced: int) -> None:
    """What the whole list has to do with the rest of the report."""
    entries = report.pages[kind]
    total = report.sizes('Insn' if kind == 'Code' else 'Data').total
    if not len(entries) == announced == total:
        raise BadReport(f'{kind} pages: {len(entries)} entries, '
                        f'the title says {announced}, the summary {total}')
    # One entry of each page is of its first use, others are of later ones.
    if (Counter(entry.page for entry in entries if not entry.reused)
            != Counter({entry.page for entry in entries})):
        raise BadReport(f'{kind} pages: the wrong ones are reused')
    # The window of the last row can be had from the list, where it began at
    # an exact time.
    if report.milliseconds:
        return
    last: dict[int, int] = {}
    for entry in entries:
        last[entry.page] = max(entry.last, last.get(entry.page, 0))
    end = report.numbers('t')[-1]
    for tau in report.taus:
        size = sum(end - t < tau for t in last.values())
        if size != report.wss('insn' if kind == 'Code' else 'data', tau)[-1]:
            raise BadReport(f'{kind} pages: {size} are in the last window')


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
                                   *program])], cwd=home, stdin=subprocess.DEVNULL,
            stdout=out, stderr=err, env=client_env(), timeout=600)
    if not report.exists():
        log = (where / 'log').read_text() if (where / 'log').exists() else ''
        raise BadReport(f'no report; exit code {done.returncode}: {log}'
                        + (where / 'stderr').read_text())
    return read_report(report)
