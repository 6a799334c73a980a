#!/usr/bin/env python3
"""The peaks of a series of working set sizes, written from the definition
(SPEC section 4, ws_peak.h) and not from the tool: its answers must be these.

    peaks.py WINDOW THRESHOLD ADAPT    samples come from the standard input
    peaks.py --report FILE             samples and parameters are a report's

The first prints the indices (from 0) of the samples with which a peak begins,
one per line, the second the times of those samples, for either working set."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Iterator, NamedTuple, Sequence

import wslib


class Step(NamedTuple):
    """How a sample was judged."""
    distance: float    # |x - mu|
    limit: float       # E
    is_peak: bool


def _or_nothing(value: float) -> float:
    """Such small numbers are no pages, and close to underflow."""
    return 0.0 if value < 1e-100 else value


def steps(samples: Sequence[float], window: int, threshold: float,
          adapt: float) -> Iterator[Step]:
    """Judge one sample after the other."""
    if not samples:
        return
    alpha = 2 / (window + 1)
    # With these the first sample is d = 0 away from the mean, as it must be.
    mean = entered = float(samples[0])
    variance = 0.0
    for number, sample in enumerate(samples):
        x = float(sample)
        c = 1 - math.exp(-variance / mean / 2) if mean != 0 else 1.0
        limit = c * threshold * variance + (1 - c) * threshold * mean
        distance = abs(x - mean)
        is_peak = number >= window and distance > limit
        entered = adapt * x + (1 - adapt) * entered if is_peak else x
        d = entered - mean
        mean = _or_nothing(mean + alpha * d)
        variance = _or_nothing((1 - alpha) * (variance + alpha * (d * d)))
        yield Step(distance, limit, is_peak)


def onsets(judged: Sequence[Step]) -> list[int]:
    """The first sample of each peak."""
    return [number for number, step in enumerate(judged)
            if step.is_peak and not (number and judged[number - 1].is_peak)]


def peaks(samples: Sequence[float], window: int, threshold: float,
          adapt: float) -> list[int]:
    """The indices of the samples with which a peak begins."""
    return onsets(list(steps(samples, window, threshold, adapt)))


def report_peaks(path: Path) -> dict[str, list[int]]:
    """The times at which peaks of either set begin in a report."""
    report = wslib.read_report(path)
    header = report.header
    window = int(header['Peak window'])
    threshold = float(header['Peak threshold'])
    adapt = float(header['Peak adapt'])
    # Rows of marks may have the time of a sample; they repeat its sizes.
    samples = {row[0]: row for row in report.rows
               if row[0] > 0 and row[0] % report.every == 0}
    times = list(samples)
    found = {}
    for name, column in (('insn', 1), ('data', 2)):
        sizes = [row[column] for row in samples.values()]
        found[name] = [times[number]
                       for number in peaks(sizes, window, threshold, adapt)]
    return found


def main() -> int:
    args = sys.argv[1:]
    if len(args) == 2 and args[0] == '--report':
        try:
            found = report_peaks(Path(args[1]))
        except (OSError, wslib.BadReport) as problem:
            print(f'peaks.py: {problem}', file=sys.stderr)
            return 2
        except KeyError as key:
            print(f'peaks.py: the header has no {key}', file=sys.stderr)
            return 2
        for name, times in found.items():
            print(f'{name}:', *times)
        return 0
    if len(args) == 3:
        samples = [float(word) for word in sys.stdin.read().split()]
        for number in peaks(samples, int(args[0]), float(args[1]),
                            float(args[2])):
            print(number)
        return 0
    print('usage: peaks.py WINDOW THRESHOLD ADAPT <samples\n'
          '       peaks.py --report FILE', file=sys.stderr)
    return 2


if __name__ == '__main__':
    sys.exit(main())
