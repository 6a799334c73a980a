"""Which instruction brought each page into the working set: counted from
lackey's trace as SPEC defines it, and compared with a report and with the
lines of --ws-show-entries=yes."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path
from typing import (Any, Iterable, Iterator, NamedTuple, Optional,
                    Sequence)

import oracle
import wslib
import composition    # wslib has told where ws_python is
from oracle import SETS, Config, Program, TraceError
from tops import highest

DEFAULT_PEAKS = 10
KINDS = {'I': ('insn',), 'L': ('data',), 'S': ('data', 'dirty'),
         'M': ('data', 'dirty')}    # what an access of the trace is to


class Change(NamedTuple):
    """A page enters a working set, or leaves it, at a sample."""
    t: int
    set: str
    page: int               # address of its first byte
    insn: Optional[int]     # it enters by this one; None: it leaves


# Of each set, its pages and the instructions by which they entered.
Sets = dict[str, dict[int, int]]


class Truth(NamedTuple):
    """What a report must say."""
    end: int
    changes: list[Change]
    snapshots: dict[int, Sets] = {}    # the last sample and what came since


class _Judge:
    """Follows the trace for one configuration."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.next = config.every
        self.shift = config.pagesize.bit_length() - 1
        # Of each set: pages and by which instruction they entered; when a page
        # was accessed last; and the first access in this interval.
        self.inside: Sets = {name: {} for name in SETS}
        self.last: dict[str, dict[int, int]] = {name: {} for name in SETS}
        self.first: Sets = {name: {} for name in SETS}
        self.changes: list[Change] = []
        self.snapshots: dict[int, Sets] = {}

    def access(self, t: int, kinds: Iterable[str], begin: int, end: int,
               insn: int) -> None:
        for page in range(begin >> self.shift, (end >> self.shift) + 1):
            for name in kinds:
                self.first[name].setdefault(page, insn)
                self.last[name][page] = t

    def time_is_over(self, t: int, is_snapshot: bool) -> None:
        """All of it is known."""
        if t == self.next:
            self.sample()
        if is_snapshot:
            self.snapshots[t] = {
                name: {page << self.shift: insn for page, insn in {
                    **self.first[name], **self.inside[name]}.items()}
                for name in SETS}

    def sample(self) -> None:
        oldest = self.next - self.config.tau    # is out of the window
        for name in SETS:
            inside, last = self.inside[name], self.last[name]
            enters = {page: insn for page, insn in self.first[name].items()
                      if page not in inside and last[page] > oldest}
            leaves = [page for page in inside if last[page] <= oldest]
            for page in leaves:
                del inside[page]
            inside.update(enters)
            self.first[name].clear()
            self.changes += [
                Change(self.next, name, page << self.shift, insn) for page, insn
                in [*dict.fromkeys(leaves).items(), *enters.items()]]
        self.next += self.config.every


# By the lengths of windows.
Truths = dict[int, Truth]


def judge(trace: Iterable[str], configs: Sequence[Config],
          snapshots: Iterable[int] = ()) -> list[Truths]:
    """Of the lines of a trace, for each configuration."""
    windows = [(number, tau) for number, config in enumerate(configs)
               for tau in (config.tau, *config.more_taus)]
    judges = [_Judge(configs[number]._replace(tau=tau))
              for number, tau in windows]
    moments = {*snapshots}
    t = insn = 0
    for line in trace:
        kinds = KINDS.get(line[:2].strip())
        if kinds is None:
            continue    # Valgrind itself is speaking
        address, _, size = line[3:].partition(',')
        begin = int(address, 16)
        if line[0] == 'I':
            for one in judges:
                one.time_is_over(t, t in moments)
            t, insn = t + 1, begin
        for one in judges:
            one.access(t, kinds, begin, begin + int(size) - 1, insn)
    for one in judges:
        one.time_is_over(t, t in moments)
    truths: list[Truths] = [{} for _ in configs]
    for (number, tau), one in zip(windows, judges):
        truths[number][tau] = Truth(t, one.changes, one.snapshots)
    return truths


def entered(truth: Truth) -> Counter[tuple[str, int]]:
    """How many pages each instruction brought into a set."""
    return Counter((one.set, one.insn) for one in truth.changes
                   if one.insn is not None)


def at(truth: Truth, t: int) -> Sets:
    """At a sample."""
    inside: Sets = {name: {} for name in SETS}
    for one in truth.changes:
        if one.t > t:
            break
        if one.insn is None:
            del inside[one.set][one.page]
        else:
            inside[one.set][one.page] = one.insn
    return inside


# --- a report ---------------------------------------------------------------

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


def compare(report: wslib.Report, config: Config, tau: int,
            truth: Truth) -> list[str]:
    """What is wrong with a report, for a window; what can be known of it
    without the truth, composition.check() has seen."""
    found = report.composition
    wrong = [] if report.end == truth.end else [
        f'end {report.end}, expected {truth.end}']
    want = entered(truth)
    wrong += differences('entered', composition.entered(found, tau), {
        key: count for key, count in want.items() if key[0] != 'dirty'})
    for kept in found.samples.values():
        if kept.tau != tau:
            continue
        parts: dict[int, Pages] = {}
        for share in kept.parts:
            insn = composition.address(found, share.frame)
            pages, written = parts.get(insn, (0, None))
            parts[insn] = (pages + share.pages, None if share.written is None
                           else share.written + (written or 0))
        inside = (truth.snapshots[kept.time] if composition.is_snapshot(kept)
                  else at(truth, kept.time))
        wrong += differences(f'{kept.set} at {kept.time}', parts, shares(
            inside, kept.set, config.dirty))
    return wrong


def differences(what: str, got: dict[Any, Any],
                want: dict[Any, Any]) -> list[str]:
    bad = [key for key in {**want, **got} if got.get(key) != want.get(key)]
    return [f'{what}: {len(bad)} of {len(want)} differ, the first is '
            + ' '.join(f'{part:#x}' if isinstance(part, int) else str(part)
                       for part in (key if isinstance(key, tuple) else [key]))
            + f': {got.get(key)}, expected {want.get(key)}' for key in bad[:1]]


# --- the lines of --ws-show-entries=yes -------------------------------------

_SHOWN = re.compile(r'ws: at (\d+) (insn|data) page (0x[0-9a-f]+) '
                    r'enters (\d+) by (0x[0-9a-f]+)$')


def shown(log: Iterable[str]) -> Iterator[tuple[int, Change]]:
    """With the lengths of the windows."""
    for line in log:
        if 'ws: at ' not in line:
            continue
        match = _SHOWN.search(line)
        if match is None:
            raise wslib.BadReport(f'what is this line: {line}')
        yield int(match[4]), Change(int(match[1]), match[2], int(match[3], 16),
                                    int(match[5], 16))


def compare_log(log: Iterable[str], truths: Truths) -> list[str]:
    """Page by page; in which order those of a sample are is not said."""
    try:
        got = [*shown(log)]
    except wslib.BadReport as problem:
        return [str(problem)]
    want = [(tau, one) for tau, truth in truths.items()
            for one in truth.changes
            if one.insn is not None and one.set != 'dirty']
    times = [one.t for _, one in got]
    wrong = [] if times == sorted(times) else [
        'lines are not in the order of time']
    both = Counter(got), Counter(want)
    for count, what in ((both[0] - both[1], 'too much'),
                        (both[1] - both[0], 'missing')):
        wrong += [f'{sum(count.values())} lines {what}, the first: {one}'
                  for one in [*count][:1]]
    return wrong


# --- both -------------------------------------------------------------------

class Way(NamedTuple):
    """How to run ws on a program."""
    config: Config
    peaks: Optional[int] = None    # the value of --ws-peaks, if it is given
    options: tuple[str, ...] = ()


def kept(report: wslib.Report, tau: int, peaks: int,
         times: Iterable[int]) -> Iterator[tuple[str, int, str]]:
    """Which samples a report must keep, and why. The table is known to be
    right."""
    every = report.every
    for name in SETS[:2]:
        sizes = report.wss(name, tau)
        largest = [sizes.index(max(sizes))] * any(sizes)
        for why, rows in (('largest', largest),
                          ('peak', highest(sizes, peaks)),
                          ('info-at', {-(-t // every) for t in times})):
            yield from ((name, row * every, why) for row in rows
                        if row < len(sizes))


def snapshots(report: wslib.Report) -> list[int]:
    return [one.time for one in report.composition.samples.values()
            if composition.is_snapshot(one)]


def compare_kept(report: wslib.Report, tau: int, peaks: int,
                 times: Iterable[int]) -> list[str]:
    return differences('kept', Counter(
        (one.set, one.time, why) for one in report.composition.samples.values()
        for why in one.why if one.tau == tau and why != 'snapshot'), Counter(
            kept(report, tau, peaks, times)))


def said(truths: Truths) -> Truths:
    """Without windows that repeat a shorter one, which has all of the run."""
    return {tau: truth for tau, truth in truths.items()
            if not any(truth.end <= other < tau for other in truths)}


def check(program: Program, ways: Sequence[Way], where: Path,
          vex: Sequence[str] = ()) -> list[tuple[Way, Truths, list[str]]]:
    """Compare ws with the trace. For each way: what is right, and what is
    wrong."""
    home, trace = where / 'run', where / 'trace'
    shutil.rmtree(where, ignore_errors=True)
    home.mkdir(parents=True)
    try:
        oracle.run_lackey(program, trace, home, vex)
    except OSError as problem:
        raise TraceError(str(problem)) from problem
    with open(trace) as lines:
        found = judge(lines, [way.config for way in ways])
    end = found[0][ways[0].config.tau].end
    if end == 0:
        raise TraceError('lackey saw no instruction')
    result = []
    for way, truths in zip(ways, found):
        times = sorted({1, end // 3, end // 2, end - 1})
        options = [*way.config.options(), '--ws-show-entries=yes', *vex,
                   '--ws-info-at=' + ','.join(map(str, times)), *way.options]
        if way.peaks is not None:
            options.append(f'--ws-peaks={way.peaks}')
        try:
            # The same directory as lackey's run had: programs see its name.
            report = wslib.run_ws(options, program.argv, home, program.prepare)
            if snapshots(report):
                with open(trace) as lines:
                    truths, = judge(lines, [way.config], snapshots(report))
            with open(home / 'log') as log:
                wrong = compare_log(log, truths)
            for tau, truth in said(truths).items():
                wrong += compare(report, way.config, tau, truth)
                wrong += compare_kept(report, tau, DEFAULT_PEAKS
                                      if way.peaks is None else way.peaks,
                                      times)
        except (wslib.BadReport, OSError) as problem:
            wrong = [str(problem)]
        result.append((way, truths, wrong))
    trace.unlink()
    return result
