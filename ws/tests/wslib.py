"""What the test scripts of ws share: where things are, how to run Valgrind,
how to read a report, how to say the result (TAP)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Iterable, NoReturn, Optional, Sequence

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
    """The file is not what section 3 of the specification says."""


Row = tuple[int, int, int]


@dataclass
class Report:
    header: dict[str, str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    summary: dict[str, str] = field(default_factory=dict)
    complete: bool = False    # ends in "End of report"

    @property
    def every(self) -> int:
        return int(self.header['Every'])

    @property
    def tau(self) -> int:
        return int(self.header['Tau'])

    def pages(self, kind: str) -> str:
        """avg/peak/total of Insn or Data; the kB must go with them."""
        text = self.summary.get(f'{kind} avg/peak/total', '(none)')
        match = _SUMMARY.match(text)
        if match is None:
            raise BadReport(f'{kind}: {text!r}')
        size = int(self.header['Page size'].split()[0])
        for number in (1, 2, 3):
            # The average was rounded to one digit before we see it.
            slack = 1 + (0.1 * size / 1024 if number == 1 else 0)
            if abs(int(match[number + 3])
                   - float(match[number]) * size / 1024) >= slack:
                raise BadReport(f'{kind}: pages and kB differ: {text}')
        return f'{match[1]}/{match[2]}/{match[3]}'


_ROW = re.compile(r' *(\d+) +(\d+) +(\d+)$')
_SUMMARY = re.compile(r'(\d+\.\d)/(\d+)/(\d+) pages '
                      r'\((\d+)/(\d+)/(\d+) kB\)$')
_KEY = re.compile(r'([A-Z][A-Za-z/ ]*): +(.*)$')


def parse_report(text: str, truncated: bool = False) -> Report:
    """Read a report, strictly. A truncated one may end anywhere, even within
    a line; such a last piece of a line does not count."""
    if truncated:
        text = text[:text.rfind('\n') + 1]
    elif not text.endswith('\n'):
        raise BadReport('last line has no end')
    lines = text.split('\n')[:-1]
    report = Report()
    pos = 0

    def more() -> bool:
        return pos < len(lines)

    title = 'Working Set Measurement by valgrind-ws-'
    if not more() or not lines[0].startswith(title):
        raise BadReport('no title')
    pos = 1
    while more() and lines[pos] != '--':
        match = _KEY.match(lines[pos])
        if match is None:
            raise BadReport(f'header line: {lines[pos]!r}')
        report.header[match[1]] = match[2]
        pos += 1
    wanted = ['--', '', 'Working sets:']
    if lines[pos:pos + 3] != wanted[:len(lines) - pos]:
        raise BadReport(f'after the header: {lines[pos:pos + 3]!r}')
    pos += 3
    if more():
        if lines[pos].split() != ['t', 'WSS_insn', 'WSS_data']:
            raise BadReport(f'column names: {lines[pos]!r}')
        pos += 1
    while more() and lines[pos] != '':
        match = _ROW.match(lines[pos])
        if match is None:
            raise BadReport(f'row: {lines[pos]!r}')
        report.rows.append((int(match[1]), int(match[2]), int(match[3])))
        pos += 1
    if lines[pos:pos + 2] != ['', '--'][:len(lines) - pos]:
        raise BadReport('no -- after the table')
    pos += 2
    while more():
        match = _KEY.match(lines[pos])
        if match is not None:
            report.summary[match[1]] = match[2]
        elif lines[pos] == 'End of report':
            report.complete = True
        elif lines[pos] not in ('', '--'):
            raise BadReport(f'after the table: {lines[pos]!r}')
        if report.complete and pos != len(lines) - 1:
            raise BadReport('lines after the end')
        pos += 1
    if not report.complete and not truncated:
        raise BadReport('no end')
    return report


def read_report(path: Path, truncated: bool = False) -> Report:
    return parse_report(path.read_text(errors='replace'), truncated)


def sample_times(end: int, every: int) -> list[int]:
    """0, every k*T, and the end (once)."""
    times = list(range(0, end + 1, every))
    if times[-1] != end:
        times.append(end)
    return times


def check_report(report: Report, rows: Sequence[Row],
                 totals: tuple[int, int, int]) -> list[str]:
    """Compare a complete report with the truth: its rows, and (instructions,
    code pages, data pages) of the whole run. Returns what is wrong."""
    wrong: list[str] = []
    end = totals[0]
    if report.rows != list(rows):
        bad = sum(a != b for a, b in zip(report.rows, rows))
        wrong.append(f'rows: {len(report.rows)}, expected {len(rows)}; '
                     f'{bad} differ')
        for number, (got, want) in enumerate(zip(report.rows, rows)):
            if got != want:
                wrong.append(f'first difference in row {number}: '
                             f'report {got}, expected {want}')
                break
    times = [row[0] for row in report.rows]
    if times != sample_times(end, report.every):
        wrong.append('times are not 0, k*T, end')
    if report.summary.get('Instructions') != str(end):
        wrong.append(f'Instructions: {report.summary.get("Instructions")}, '
                     f'expected {end}')
    for column, name in ((1, 'Insn'), (2, 'Data')):
        wrong += _check_summary(report, f'{name} avg/peak/total',
                                [row[column] for row in rows],
                                [row[0] for row in rows], totals[column])
    return wrong


def _check_summary(report: Report, key: str, values: Sequence[int],
                   times: Sequence[int], total: int) -> list[str]:
    text = report.summary.get(key, '(none)')
    match = _SUMMARY.match(text)
    if match is None:
        return [f'{key}: {text!r}']
    at_kt = [value for value, t in zip(values, times)
             if t > 0 and t % report.every == 0]
    average = sum(at_kt) / len(at_kt) if at_kt else 0.0
    peak = max(values)
    size = int(report.header['Page size'].split()[0])
    wrong = []
    # The report rounds to one digit and to whole kB; either way of rounding
    # is right.
    if abs(float(match[1]) - average) >= 0.1 and at_kt:
        wrong.append(f'{key}: average {match[1]}, expected {average}')
    if (int(match[2]), int(match[3])) != (peak, total):
        wrong.append(f'{key}: {match[2]}/{match[3]}, '
                     f'expected {peak}/{total}')
    for got, pages in ((int(match[4]), average if at_kt else None),
                       (int(match[5]), peak), (int(match[6]), total)):
        if pages is not None and abs(got - pages * size / 1024) >= 1:
            wrong.append(f'{key}: {got} kB, '
                         f'expected {pages * size / 1024}')
    return wrong


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
