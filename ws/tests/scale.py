"""Programs of any size, and what ws must say of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import wslib


@dataclass
class Scalable:
    """A program whose data accesses are all at known times, in known pages."""
    size: int

    source = ''
    macro = ''    # of the source, with the size
    bits = '-m64'

    @property
    def end(self) -> int:
        raise NotImplementedError

    def accesses(self, t: int) -> int:
        """How many there are up to that time."""
        raise NotImplementedError

    def pages(self, first: int, last: int) -> int:
        """In how many these accesses are; they are numbered from 1."""
        raise NotImplementedError

    def build(self, where: Path) -> Path:
        program = where / f'{self.source.split(".")[0]}-{self.size}'
        if not wslib.compile_asm(program, self.source, self.bits,
                                 f'-D{self.macro}={self.size}'):
            raise SystemExit(f'Bail out! cannot assemble {self.source}')
        return program

    def wrong(self, report: wslib.Report) -> str:
        """The first row that is not as it must be; '' if there is none."""
        times = wslib.sample_times(self.end, report.every)
        got = report.numbers('t')
        if not report.complete or len(got) != len(times):
            return f'{len(got)} rows, not {len(times)}'
        for tau in report.taus:
            for t, *row in zip(got, report.wss('insn', tau),
                               report.wss('data', tau), times):
                first = self.accesses(max(t - tau, 0)) + 1
                expected = [int(t > 0), self.pages(first, self.accesses(t))]
                if row != [*expected, t]:
                    return (f't={t}, tau={tau}: {row[:2]}, '
                            f'expected {expected} at {row[2]}')
        return ''


class Turns(Scalable):
    """See turns.S."""
    source = 'turns.S'
    macro = 'TURNS'

    @property
    def end(self) -> int:
        return 2 + 8 * self.size + 3

    def accesses(self, t: int) -> int:
        return min(t // 8, self.size)

    def pages(self, first: int, last: int) -> int:
        return 0 if last < first else min((last >> 9) - (first >> 9) + 1, 64)


class Turns32(Scalable):
    """See long32.S."""
    source = 'long32.S'
    macro = 'TURNS'
    bits = '-m32'

    @property
    def end(self) -> int:
        return 1 + 64 * self.size + 3

    def accesses(self, t: int) -> int:
        return min((t + 62) // 64, self.size)

    def pages(self, first: int, last: int) -> int:
        return int(first <= last)


class Sparse(Scalable):
    """See sparse.S."""
    source = 'sparse.S'
    macro = 'PAGES'

    @property
    def end(self) -> int:
        return 9 + 4 * self.size + 3

    def accesses(self, t: int) -> int:
        return max(0, min((t - 10) // 4 + 1, self.size))

    def pages(self, first: int, last: int) -> int:
        return max(0, last - first + 1)


class Mappings(Scalable):
    """See mappings.S."""
    source = 'mappings.S'
    macro = 'MAPPINGS'

    @property
    def round(self) -> int:
        return 2 + 13 * self.size + 2 + 6 * self.size + 2

    @property
    def end(self) -> int:
        return 10 + 2 * self.round + 3

    def accesses(self, t: int) -> int:
        return sum(max(0, min((t - start - 10) // 13 + 1, self.size))
                   for start in (12, 12 + self.round))

    def pages(self, first: int, last: int) -> int:
        return max(0, min(last - first + 1, self.size))
