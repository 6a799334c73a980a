#!/usr/bin/env python3
"""WS_(peak_sample) against peaks.py: the same onsets in thousands of series.

    peak_differ.py PEAK_ONSETS    the program made of peak_onsets.c

Catches: statistics that are updated in the wrong order, or by a sample that
should have been dampened; a first or last sample of a peak, or of the warm-up,
that is counted to the wrong side.

The two may differ in the last bits of exp(). A series in which a sample comes
within 1e-9 of its limit is left out, but for that both are exact."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Callable, NamedTuple

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import peaks  # noqa: E402
import wslib  # noqa: E402

PER_SHAPE = 500
SKIPPED_PERCENT = 2     # at most

Random = random.Random


class Case(NamedTuple):
    window: int
    threshold: float
    adapt: float
    samples: list[int]

    def line(self) -> str:
        return (f'{self.window} {self.threshold!r} {self.adapt!r} '
                f'{len(self.samples)} {" ".join(map(str, self.samples))}')


def log_uniform(rnd: Random, low: float, high: float) -> float:
    return low * (high / low) ** rnd.random()


def size(rnd: Random, high: float = 1e6) -> int:
    return int(log_uniform(rnd, 1, high))


# --- shapes: each makes a series of n samples -----------------------------

def noise(rnd: Random, n: int) -> list[int]:
    base = size(rnd)
    width = size(rnd, base + 1)
    return [max(0, base + rnd.randint(-width, width)) for _ in range(n)]


def ramp(rnd: Random, n: int) -> list[int]:
    start, end = rnd.choice([(0, size(rnd)), (size(rnd), 0),
                             (size(rnd), size(rnd))])
    return [start + (end - start) * i // n for i in range(n)]


def sawtooth(rnd: Random, n: int) -> list[int]:
    base = rnd.choice([0, size(rnd)])
    period = rnd.randint(2, 150)
    slope = log_uniform(rnd, 0.1, 1000)
    both_ways = rnd.random() < 0.5
    series = []
    for i in range(n):
        phase = i % period
        if both_ways:
            phase = min(phase, period - phase)
        series.append(base + int(slope * phase))
    return series


def bursts(rnd: Random, n: int) -> list[int]:
    base = size(rnd, 1e4)
    width = rnd.choice([0, 1, base // 20])
    rate = log_uniform(rnd, 0.002, 0.1)
    series: list[int] = []
    while len(series) < n:
        if rnd.random() < rate:
            height = base + int(base * log_uniform(rnd, 0.01, 1000))
            series += [height] * rnd.randint(1, 12)
        else:
            series.append(max(0, base + rnd.randint(-width, width)))
    return series[:n]


def zeros(rnd: Random, n: int) -> list[int]:
    rate = log_uniform(rnd, 0.001, 0.3)
    start = rnd.choice([0, rnd.randint(0, n)])
    return [size(rnd, 1000) if i >= start and rnd.random() < rate else 0
            for i in range(n)]


def levels(rnd: Random, n: int) -> list[int]:
    series: list[int] = []
    while len(series) < n:
        series += [rnd.choice([0, size(rnd)])] * rnd.randint(1, 120)
    return series[:n]


def wild(rnd: Random, n: int) -> list[int]:
    return [min(size(rnd, 2.0 ** 64), 2 ** 64 - 1) for _ in range(n)]


def make(rnd: Random, shape: Callable[[Random, int], list[int]]) -> Case:
    threshold = rnd.choice([log_uniform(rnd, 1e-4, 100),
                            log_uniform(rnd, 0.02, 5),
                            rnd.choice([1e-4, 0.3, 3.0, 100.0])])
    adapt = rnd.choice([rnd.uniform(0.01, 1), rnd.choice([0.01, 0.25, 1.0])])
    window = rnd.choice([int(log_uniform(rnd, 1, 201)),
                         rnd.choice([1, 2, 30, 200])])
    return Case(window, threshold, adapt, shape(rnd, rnd.randint(1, 500)))


def is_clear(step: peaks.Step) -> bool:
    """No rounding can turn the judgement round."""
    return (step.distance == 0
            or abs(step.distance - step.limit) > 1e-9 * step.limit)


def compare(tap: wslib.Tap, program: str,
            shape: Callable[[Random, int], list[int]]) -> None:
    rnd = Random(shape.__name__)
    cases: list[Case] = []
    expected: list[str] = []
    skipped = peaked = 0
    while len(cases) < PER_SHAPE:
        case = make(rnd, shape)
        judged = list(peaks.steps(case.samples, case.window, case.threshold,
                                  case.adapt))
        if all(map(is_clear, judged)):
            onsets = peaks.onsets(judged)
            cases.append(case)
            expected.append(' '.join(map(str, onsets)))
            peaked += bool(onsets)
        else:
            skipped += 1
    done = subprocess.run(
        [program], input=''.join(f'{case.line()}\n' for case in cases),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    got = done.stdout.splitlines()
    different = [number for number in range(PER_SHAPE)
                 if got[number:number + 1] != [expected[number]]]
    notes = [f'exit code {done.returncode}, {len(got)} lines, '
             f'{len(different)} series differ']
    if different:
        first = different[0]
        notes += [f'the first: {cases[first].line()}',
                  f'got:  {" ".join(got[first:first + 1])}',
                  f'want: {expected[first]}']
    tap.ok(done.returncode == 0 and len(got) == PER_SHAPE and not different,
           f'{shape.__name__}: onsets in {PER_SHAPE} series', *notes)
    tap.say(f'{peaked} of them have peaks; {skipped} others were too close')
    # Otherwise the test above says little.
    tap.ok(peaked >= PER_SHAPE // 5
           and skipped <= PER_SHAPE * SKIPPED_PERCENT // 100,
           f'{shape.__name__}: many series have peaks, few were too close',
           f'{peaked} of {PER_SHAPE}, {skipped}')


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit('usage: peak_differ.py PEAK_ONSETS')
    tap = wslib.Tap()
    for shape in (noise, ramp, sawtooth, bursts, zeros, levels, wild):
        compare(tap, sys.argv[1], shape)
    tap.done()


if __name__ == '__main__':
    main()
