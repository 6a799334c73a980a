"""Page logs by hand and at random, and what a working set is by definition.
To be imported before what needs numpy."""

from __future__ import annotations

import importlib.util
import io
import os
import random
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable, Iterator, NamedTuple, Sequence

import wslib

# Debian's numpy is for Debian's Python.
if not importlib.util.find_spec('numpy') and sys.executable != wslib.SYSTEM:
    os.execv(wslib.SYSTEM, [wslib.SYSTEM, *sys.argv])

import scripts  # noqa: E402

from ws_python.pagelog import blocks  # noqa: E402; noqa: E402
from ws_python.pagelog import reader as log_reader  # noqa: E402
from ws_python.pagelog import reuse, stream
from ws_python.pagelog.ranges import starts_of  # noqa: E402
from ws_python.pagelog.stream import unfolded  # noqa: E402

KINDS = ('insn', 'data', 'dirty')


def said(*words: object, script: Path = scripts.PRINT) -> str:
    """All that a script prints, errors, too."""
    ran = scripts.run(script, *words)
    return ran.out + ran.err


def check_said(tap: wslib.Tap, rows: Iterable[tuple[Log, str, str]]) -> None:
    """What ws_print says, counted by hand: a log, options, and a part of it,
    without the number of blanks."""
    path = wslib.scratch(f'{Path(sys.argv[0]).stem}/said') / 'log'
    for log, options, want in rows:
        text = ' '.join(said(*options.split(), log.write(path)).split())
        tap.ok(want in text and 'Traceback' not in text,
               f'{options[-60:]}: {want[:40]}', text)


def read_log(data: bytes, name: str, later: bytes = b'') -> Any:
    """A log whose bytes are these, or later others."""
    reads = iter([data])
    return log_reader.page_log(lambda: io.BytesIO(next(reads, later or data)), name)


# What is read, decoded, counted and kept at once; and in a test.
PIECES = {(blocks, 'AT_ONCE_SZB'): 20, (blocks, 'AT_ONCE'): 3,
          (reuse, 'MOST_PAIRS'): 7, (stream, 'MOST'): 1,
          (stream, 'MOST_CACHED'): 20}
USUAL = {key: getattr(*key) for key in PIECES}


def in_pieces(size: int) -> None:
    """Logs are read in small pieces, of about so many accesses; 0: as usual."""
    for (module, name), value in PIECES.items():
        setattr(module, name, value * (size if module is stream else 1)
                if size else USUAL[module, name])


class Held(NamedTuple):
    """All accesses of a log: those of part i are pages[first[i]:first[i+1]]"""
    pages: dict[str, Any]
    first: dict[str, Any]
    entered: dict[str, Any]


def held(log: Any) -> Held:
    """What a page log reads in pieces."""
    some = [*log.read(log.n_parts, '')]
    if not some:
        return Held(dict.fromkeys(KINDS, ()), {}, {})
    found = unfolded(some)
    return Held(found.pages, {kind: starts_of(counts) for kind, counts
                              in found.counts.items()}, found.entered)


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
    body = numbers(fields) + text.encode(errors='surrogateescape')
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
    writing: dict[int, int] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    n_frames: int = 0

    def part(self, time: int, insn: Sequence[int] = (),
             data: Sequence[int] = (), dirty: Sequence[int] = (),
             flags: int = ENDS | SAMPLE, thread: int = 0,
             lines: Sequence[int] = ()) -> Log:
        """So long; pages are numbers, and so are lines, if the log has them."""
        sets = [] if flags & AGAIN else [*map(deltas, (insn, data, dirty))]
        if any(self.entering):
            self.put_entries('E', self.entering, (insn, data))
        if self.writing:
            self.put_entries('W', (self.writing,), (dirty,))
        self.entering, self.writing = ({}, {}), {}
        self.body += record('I', time, time, flags, thread,
                            *(map(len, sets) if sets else (0, 0, 0)),
                            *(d for one in sets for d in one),
                            *([len(lines), *deltas(lines)] if sets and
                              'Code lines' in self.header else ()))
        return self

    def entries(self, insn: dict[int, int], data: dict[int, int]) -> Log:
        """Frames by pages, of the next part."""
        self.entering = (insn, data)
        return self

    def writes(self, **frames: int) -> Log:
        """Frames by pages that the next part writes: p7=1."""
        self.writing = {int(page[1:]): frames[page] for page in frames}
        return self

    def put_entries(self, letter: str, entering: Sequence[dict[int, int]],
                    sets: Sequence[Sequence[int]]) -> None:
        values = [*map(len, entering)]
        for pages, one in zip(sets, entering):
            before = frame = 0
            for place, page in enumerate(sorted(pages)):
                if page in one:
                    step = one[page] - frame
                    values += [place - before,
                               2 * step if step >= 0 else -2 * step - 1]
                    before, frame = place, one[page]
        self.body += record(letter, *values)

    def frame(self, caller: int, text: str, line: int = 0,
              address: int = 0x1000, is_cut: bool = False, whose: int = 2
              ) -> Log:
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
                              for name in names), whose)
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

    def discard(self, address: int, size: int) -> Log:
        self.body += record('D', address, size)
        return self

    def name(self, thread: int, name: str, begins: bool = True) -> Log:
        self.body += record('N', thread, begins, text=name)
        return self

    def mark(self, label: str) -> Log:
        self.body += record('L', text=label)
        return self

    def end(self, time: int) -> Log:
        self.body += record('Z', time, time)
        return self

    def bytes(self) -> bytes:
        header = {'Format': 1, 'Command': './prog', 'PID': 17,
                  'Page size': str(self.page_szB), 'Time unit': self.unit,
                  'Every': self.every, 'Tau': self.tau, 'Stacks': 'yes',
                  'Dirty': 'yes' if self.dirty else 'no',
                  'Threads': 'yes' if self.threads else 'no', **self.header}
        lines = ''.join(f'{key + ":":15} {value}\n'
                        for key, value in header.items())
        return (f'Page log by valgrind-ws-0.1\n{lines}--\n'
                .encode(errors='surrogateescape') + self.body)

    def write(self, path: Path) -> Path:
        path.write_bytes(self.bytes())
        return path


# --- By definition -----------------------------------------------------------

class What(NamedTuple):
    """Mapped memory; a file lies as its offset says."""
    name: str
    permissions: int
    shift: int              # offset less address, of a file
    life: int = 0           # until it is unmapped or discarded


class Part(NamedTuple):
    """Of a log that was made."""
    end: int
    cut: float              # the end of its interval
    sets: dict[str, set[int]]
    is_sample: bool = False
    thread: int = 0
    frames: dict[tuple[str, int], int] = {}     # of pages that enter
    memory: dict[int, What] = {}                # at its end, in UNITs
    accessed: dict[int, What] = {}              # and before, or of a part before
    marks: int = 0                              # behind it


def accesses(parts: Sequence[Part], kinds: Sequence[str], after: float,
             until: float, each: int = 1) -> dict[int, list[int]]:
    """The parts that access a page, by page, in the intervals that end in a
    stretch of time: W(t, tau) is from t - tau to t.  A page is so many of the
    log's."""
    found: dict[int, list[int]] = {}
    for k, part in enumerate(parts):
        if after < part.cut <= until:
            for page in set().union(*(part.sets[kind] for kind in kinds)):
                found.setdefault(page // each, []).append(k)
    return found


def lives(parts: Sequence[Part], kinds: Sequence[str]
          ) -> dict[tuple[int, int], list[int]]:
    """The parts that access a page of mapped memory, by the page and its life."""
    found: dict[tuple[int, int], list[int]] = {}
    for k, part in enumerate(parts):
        for page in set().union(*(part.sets[kind] for kind in kinds)):
            if page in part.accessed:
                found.setdefault((page, part.accessed[page].life), []).append(k)
    return found


def is_alive(part: Part, page: int, life: int) -> bool:
    return page in part.memory and part.memory[page].life == life


UNIT, PLACES = 512, 40      # of all addresses and sizes of random_run()


def random_mappings(log: Log, memory: dict[int, What]) -> set[int]:
    """Mappings that come and cut each other; the value is what goes, which is
    there until the part ends."""
    gone: set[int] = set()
    for _ in range(random.choice([0, 0, 1, 4])):
        first, size = random.randrange(PLACES), random.choice([1, 3, 4, 8, 16])
        units = set(range(first, first + size))
        choice = random.random()
        if choice < 0.2:
            log.discard(first * UNIT, size * UNIT)
            memory.update({unit: memory[unit]._replace(life=len(log.body))
                           for unit in units & set(memory) - gone})
            continue
        if choice < 0.4:
            log.unmap(first * UNIT, size * UNIT)
            gone |= units & set(memory)
            continue
        name = random.choice(['', '', 'a', 'b'])
        what = What(name or 'anonymous', random.choice([0, 5, 6, 7]),
                    random.choice([0, 4, 1]) * UNIT if name else 0)
        log.map(first * UNIT, size * UNIT, bool(name), what.permissions,
                first * UNIT + what.shift, inode=bool(name), file=name)
        memory.update({unit: what._replace(
            life=memory[unit].life if unit in memory and unit not in gone
            else len(log.body)) for unit in units})
        gone -= units
    return gone


def random_run(tau: int, page_szB: int) -> tuple[Log, list[Part]]:
    """Intervals of 100, of one part or two, some without a sample at the end.
    The log names the code that brings a page into W(t, tau), a function for
    each."""
    log = Log(page_szB=page_szB, tau=tau, dirty=True, threads=True)
    parts: list[Part] = []
    memory: dict[int, What] = {}
    known: dict[str, set[int]] = {kind: set() for kind in KINDS}
    each = random.choice([1, 1, 2, 3])
    places = [*range(PLACES), (1 << 64) // page_szB - 1]
    for interval in range(1, random.randint(3, 16)):
        for ends in random.choice([[True], [False, True]]):
            gone = random_mappings(log, memory)
            sets = parts[-1].sets if parts else {}
            again = parts != [] and random.random() < 0.2 and all(
                sets[kind] <= known[kind] for kind in KINDS[:2])
            if not again:
                sets = {kind: set(random.sample(places, random.randrange(12)))
                        for kind in KINDS[:2]}
                sets['dirty'] = {page for page in sets['data']
                                 if random.random() < 0.5}
            frames: dict[tuple[str, int], int] = {}
            for kind in KINDS[:2]:
                for page in sorted(sets[kind] - known[kind]):
                    log.frame(0, f'f{log.n_frames + 1}|f.c|/prog')
                    frames[kind, page] = log.n_frames
                known[kind] |= sets[kind]
            log.entries(*({page: frame for (name, page), frame
                           in frames.items() if name == kind}
                          for kind in KINDS[:2]))
            is_sample = ends and interval % each == 0
            thread = random.choice([1, 1, 2, 3, 5, 8])
            log.part(100 * ends, *sets.values(), thread=thread,
                     flags=ENDS * ends | SAMPLE * is_sample | AGAIN * again)
            marks = random.choice([0, 0, 0, 1, 2])
            for _ in range(marks):
                log.mark('mark')
            end = 100 * (interval - (not ends))
            parts.append(Part(end, 100 * interval, sets, is_sample, thread,
                              frames, {k: memory[k] for k in memory
                                       if k not in gone}, parts[-1].accessed
                              if again else dict(memory), marks))
            memory = dict(parts[-1].memory)
            if is_sample:
                known = {kind: {*accesses(parts, [kind], end - tau, end)}
                         for kind in KINDS}
    return log.end(end), parts


def random_runs(seed: int, count: int, page_sizes: Sequence[int] = (UNIT,)
                ) -> Iterator[tuple[int, Log, list[Part]]]:
    """Their numbers, logs and parts; each is to be read in other pieces."""
    random.seed(seed)
    for number in range(count):
        in_pieces((0, 1, 20)[number % 3])
        yield number, *random_run(random.choice([100, 200, 300]),
                                  random.choice(page_sizes))
    in_pieces(0)
