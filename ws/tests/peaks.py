"""The peaks of a series of working set sizes, written from the definition
(SPEC section 4, ws_peak.h) and not from the tool: its answers must be these."""

from __future__ import annotations

import math
from typing import Iterator, NamedTuple, Sequence

import wslib


class Step(NamedTuple):
    """How a sample was judged."""
    distance: float    # x - mu
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
        distance = x - mean    # a dip is no peak
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


def of_report(report: wslib.Report) -> tuple[list[int], list[int]]:
    """The times at which peaks begin, in instructions and in data."""
    window = int(report.header['Peak window'])
    threshold = float(report.header['Peak threshold'])
    adapt = float(report.header['Peak adapt'])
    times, *sizes = list(zip(*report.rows[1:])) or [(), (), ()]
    insn, data = ([times[number] for number in onsets(list(steps(
        values, window, threshold, adapt)))] for values in sizes)
    return insn, data


def by_time(insn: Sequence[int], data: Sequence[int]) -> dict[int, str]:
    """In which sets peaks begin, as entries of reports say it."""
    return {t: '+'.join(name for name, times in (('insn', insn),
                                                 ('data', data)) if t in times)
            for t in sorted({*insn, *data})}
