"""Programs of any size, and what ws must say of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import wslib


def row_times(end: int, every: int) -> list[int]:
    """0, every k*T, and the end (once)."""
    return [*range(0, end, every), end]


@dataclass
class Scalable:
    """A program whose data accesses are all at known times, in known pages.
    The heads of the sources say which."""
    size: int

    source = ''
    macro = ''    # of the source, with the size
    bits = '-m64'
    base = 0      # instructions: these,
    each = 0      # and so many for each of the size

    @property
    def end(self) -> int:
        return self.base + self.each * self.size

    def accesses(self, t: int) -> int:
        """How many there are up to that time."""
        raise NotImplementedError

    def pages(self, first: int, last: int) -> int:
        """In how many these accesses are, of which there is one at least;
        they are numbered from 1."""
        raise NotImplementedError

    def build(self, where: Path) -> Path:
        program = where / f'{self.source.split(".")[0]}-{self.size}'
        if not wslib.compile_asm(program, self.source, self.bits,
                                 f'-D{self.macro}={self.size}'):
            raise SystemExit(f'Bail out! cannot assemble {self.source}')
        return program

    def wrong(self, report: wslib.Report) -> str:
        """The first row that is not as it must be; '' if there is none."""
        times = row_times(self.end, report.every)
        got = report.numbers('t')
        if not report.complete or len(got) != len(times):
            return f'{len(got)} rows, not {len(times)}'
        for tau in report.taus:
            for t, *row in zip(times, got, report.wss('insn', tau),
                               report.wss('data', tau)):
                first = self.accesses(max(t - tau, 0)) + 1
                last = self.accesses(t)
                expected = [t, int(t > 0),
                            self.pages(first, last) if first <= last else 0]
                if row != expected:
                    return f'tau={tau}: {row}, expected {expected}'
        return ''


class Turns(Scalable):
    source, macro = 'turns.S', 'TURNS'
    base, each = 2 + 3, 8

    def accesses(self, t: int) -> int:
        return min(t // 8, self.size)

    def pages(self, first: int, last: int) -> int:
        return min((last >> 9) - (first >> 9) + 1, 64)


class Turns32(Scalable):
    source, macro, bits = 'long32.S', 'TURNS', '-m32'
    base, each = 1 + 3, 64

    def accesses(self, t: int) -> int:
        return min((t + 62) // 64, self.size)

    def pages(self, first: int, last: int) -> int:
        return 1


class Sparse(Scalable):
    source, macro = 'sparse.S', 'PAGES'
    base, each = 9 + 3, 4

    def accesses(self, t: int) -> int:
        return max(0, min((t - 6) // 4, self.size))

    def pages(self, first: int, last: int) -> int:
        return last - first + 1


class Mappings(Scalable):
    source, macro = 'mappings.S', 'MAPPINGS'
    base, each = 10 + 2 * (2 + 2 + 2) + 3, 2 * (13 + 6)

    def accesses(self, t: int) -> int:
        second = 12 + 6 + 19 * self.size    # when that round begins
        return sum(max(0, min((t - start + 3) // 13, self.size))
                   for start in (12, second))

    def pages(self, first: int, last: int) -> int:
        return min(last - first + 1, self.size)
