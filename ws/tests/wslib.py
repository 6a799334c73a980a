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


def compile_asm(output: Path, source: str) -> bool:
    """A program of a *.S file: static, no libc, at fixed addresses."""
    return compile_c(output, [source], '-nostdlib', '-static', '-no-pie',
                     '-Wl,--build-id=none')


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


def valgrind(args: Sequence[object], cwd: Optional[Path] = None,
             stdin: int = subprocess.DEVNULL,
             timeout: float = 300) -> Done:
    """Run Valgrind with these arguments; output is captured through pipes."""
    done = subprocess.run([VALGRIND, *map(str, args)], cwd=cwd, stdin=stdin,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=client_env(), timeout=timeout)
    return Done(done.returncode, done.stdout,
                done.stderr.decode('utf-8', 'replace'))


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


# What there is of each kind: its name in the summary and its columns.
_KINDS = (('Insn', 'WSS_insn', 'new_insn'), ('Data', 'WSS_data', 'new_data'),
          ('Dirty', 'WSS_dirty', None))

_N = r'(?:0|[1-9][0-9]*)'
_KEY = re.compile(r'([A-Z][A-Za-z/ ]*): +(.*)$')
_SIZES = re.compile(rf'({_N}\.[0-9])/({_N})/({_N}) pages '
                    rf'\(({_N})/({_N})/({_N}) kB\)$')
_PEAKS = re.compile(rf'({_N})/({_N})$')
_TIMES = re.compile(rf'{_N}(?:, ?{_N})*$')
_INFO = re.compile(rf'\[ *{_N}\] refs=({_N}), loc=(.+?)(?:, label=(.*))?$')
ENDED = 'no stack: the process had ended'
_TITLE_OF_PAGES = re.compile(rf'(Code|Data) pages \(({_N}) entries\):$')
_PAGE = re.compile(rf'({_N}) (0x[0-9a-f]+) ({_N})$')
# The name of a file begins with a slash, and may have brackets and commas.
_INFORMATION = re.compile(r'(?:(.+?) )?\[(heap|stack of thread [1-9][0-9]*|'
                          r'anonymous|/.*?)(, reused)?\]$')


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
                         ('Page size', f'{_N} B'),
                         ('Time unit', 'instructions'), ('Every', _N),
                         ('Tau', _N)):
        if re.fullmatch(pattern, report.header.get(key, '(none)')) is None:
            raise BadReport(f'header: {key}: {report.header.get(key)}')
    if len({f'Peak {what}' for what in ('window', 'threshold', 'adapt')}
           & set(report.header)) not in (0, 3):
        raise BadReport('header: only some of the keys of peaks')


def _parse_table(lines: _Lines, report: Report) -> None:
    lines.expect('', 'Working sets:')
    names = lines.next().split()
    if (names[:3] != ['t', 'WSS_insn', 'WSS_data']
            or not {'info', 'new_insn', 'new_data'} <= set(names)
            or len(set(names)) != len(names)):
        raise lines.bad('names of columns')
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
    for _, wss, new in _KINDS:
        if wss == 'WSS_dirty' and wss not in report.names:
            continue
        sizes = report.numbers(wss)
        if any(t == u and a != b for t, u, a, b
               in zip(times, islice(times, 1, None),
                      sizes, islice(sizes, 1, None))):
            raise BadReport(f'{wss}: two values at the same time')
        there_are = (accumulate(report.numbers(new)) if new is not None
                     else report.numbers('WSS_data'))
        for row, (size, n) in enumerate(zip(sizes, there_are)):
            if row == 0 and n != 0:
                raise BadReport('the first row is not 0')
            if size > n:
                raise BadReport(f'{wss}: more pages than there are')
    # In the order of their first use.
    numbers = list(dict.fromkeys(number for number in report.optional('info')
                                 if number is not None))
    if numbers != list(range(len(numbers))):
        raise BadReport(f'info: numbers in the order {numbers}')


def _parse_summary(lines: _Lines, report: Report) -> None:
    _parse_keys(lines, report.summary)
    end = report.numbers('t')[-1]
    if report.summary.get('Instructions') != str(end):
        raise BadReport(f'Instructions: {report.summary.get("Instructions")}, '
                        f'and the last row is at {end}')
    for kind, wss, new in _KINDS:
        if wss in report.names:
            _check_sizes(report, kind, report.numbers(wss))
        elif f'{kind} avg/peak/total' in report.summary:
            raise BadReport(f'{kind}: in the summary alone')
        if new is not None and sum(report.numbers(new)) != \
                report.sizes(kind).total:
            raise BadReport(f'{kind}: the total is {report.sizes(kind).total},'
                            f' the sum of {new} {sum(report.numbers(new))}')
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


def _check_sizes(report: Report, kind: str, sizes: Sequence[int]) -> None:
    """A line of the summary goes with its column."""
    match = report.matched(f'{kind} avg/peak/total', _SIZES)
    samples = pages_sampled = before = 0
    for t, size in zip(report.numbers('t'), sizes):
        # Where several rows have the same time, they have the same size.
        if t > before and t % report.every == 0:
            samples += 1
            pages_sampled += size
        before = t
    peak = max(sizes)
    total = int(match[3])    # of Insn and Data, the caller knows it
    if int(match[2]) != peak or total < peak:
        raise BadReport(f'{kind}: {match[0]}, expected a peak of {peak}')
    # The report rounds to one digit and to whole kB; either way of rounding
    # is right.
    exact: list[float] = [peak, total]
    numbers = [5, 6]
    if samples:
        exact.append(pages_sampled / samples)
        numbers.append(4)
        if abs(float(match[1]) - exact[-1]) >= 0.1:
            raise BadReport(f'{kind}: average {match[1]}, '
                            f'expected {exact[-1]}')
    for number, pages in zip(numbers, exact):
        if abs(int(match[number]) - pages * report.page_size / 1024) >= 1:
            raise BadReport(f'{kind}: {match[number]} kB, '
                            f'expected {pages * report.page_size / 1024}')


def _parse_sections(lines: _Lines, report: Report) -> None:
    may_come = ['Sample info', 'Code', 'Data']    # in this order
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
        name = (match[1] if match is not None
                else {'Sample info:': 'Sample info'}.get(title))
        if name not in may_come:
            raise lines.bad('not expected here')
        del may_come[:may_come.index(name) + 1]
        if match is None:
            _parse_infos(lines, report)
        else:
            _parse_pages(lines, report, name, int(match[2]))
    if len(report.pages) not in (0, 2):
        raise BadReport(f'there are only {list(report.pages)} pages')
    used = report.optional('info')
    if not report.infos and used != [None] * len(used):
        raise BadReport('there is no Sample info')
    times = [t for t, number in zip(report.numbers('t'), used)
             if number is None or report.infos[number].label is None]
    if times != sample_times(report.numbers('t')[-1], report.every):
        raise BadReport('times of rows without a label are not 0, k*T, end')
    report.complete = True


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
        if loc is None and match[3] is None and used.index(number) != len(
                used) - 1:
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
    end = report.numbers('t')[-1]
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
    # The window of the last row can be had from the list.
    last: dict[int, int] = {}
    for entry in entries:
        last[entry.page] = max(entry.last, last.get(entry.page, 0))
    end, insn, data = report.rows[-1]
    size = sum(end - t < report.tau for t in last.values())
    if size != (insn if kind == 'Code' else data):
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
            [VALGRIND, '--tool=ws', f'--log-file={where}/log',
             f'--ws-out-file={report}', *map(str, options),
             *map(str, program)], cwd=home, stdin=subprocess.DEVNULL,
            stdout=out, stderr=err, env=client_env(), timeout=600)
    if not report.exists():
        log = (where / 'log').read_text() if (where / 'log').exists() else ''
        raise BadReport(f'no report; exit code {done.returncode}: {log}'
                        + (where / 'stderr').read_text())
    return read_report(report)
