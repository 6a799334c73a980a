# SPDX-License-Identifier: GPL-2.0-or-later
"""Tells which samples of a page log have an access in their window; and cuts a
part out of a log: --from and --to.

An interval that ends at e is in the window up to t if t - tau < e <= t.  So its
accesses are in the working sets of all samples in e <= t < e + tau.
"""

from dataclasses import replace
from typing import Tuple

import numpy as np

from ws_python.base.text import Failure
from ws_python.pagelog.log import (FAR, INTERVAL_ENDS, PAST_SAMPLE, SAMPLE,
                                   PageLog)
from ws_python.pagelog.ranges import Bools, Ints, Uints
from ws_python.report.span import Span, limits, nothing


def sample_times(log: PageLog) -> Ints:
    return log.ends[log.is_sample]


def before_samples(log: PageLog) -> int:
    """Return the time of the last sample in history, or 0."""
    return int(log.ends[log.flags & PAST_SAMPLE > 0].max(initial=0))


def sample_spans(log: PageLog) -> Ints:
    """Return the time from the sample before to each sample."""
    return np.diff(sample_times(log), prepend=before_samples(log))


def last_every(log: PageLog) -> int:
    """Return the sampling interval, which may grow, at the last sample."""
    spans = sample_spans(log)
    return int(spans[-1]) if len(spans) else log.number("Every")


def intervals(log: PageLog) -> Tuple[Ints, Ints]:
    """Return the interval of each part, and the end of each interval: FAR if
    the log ends before it.
    """
    is_end = log.flags & INTERVAL_ENDS > 0
    return (np.cumsum(is_end, dtype=np.int64) - is_end,
            np.append(log.ends[is_end], FAR))


def samples_with(log: PageLog, times: Ints, tau: int) -> Tuple[Ints, Ints]:
    """Return for each part the samples `first` <= k < `end` whose windows have
    the accesses of the part, as two arrays.
    """
    number, ends = intervals(log)
    return (np.searchsorted(times, ends, "left")[number],
            np.searchsorted(times, ends + min(tau, FAR >> 1), "left")[number])


def check_window(log: PageLog, tau: int) -> None:
    """Check a window.  Failure: it does not begin where an interval does."""
    times, interval = sample_times(log), log.number("Every")
    begins = times[times > min(tau, FAR)] - min(tau, FAR)
    # Windows of the log are right, even if T has grown since.
    if tau == 0 or tau not in log.taus and (
            tau % interval or not np.isin(begins, intervals(log)[1]).all()):
        raise Failure(
            f"{log.name}: a window of {tau} does not consist of whole "
            f"intervals of the log: use multiples of {last_every(log)}")


def by_page(pages: Uints, parts: Ints) -> Tuple[Uints, Ints]:
    """Sort accesses by page, then time.  Sorting numbers that contain both is
    twice as fast as sorting indices, and needs less memory.
    """
    if not len(pages):
        return pages, parts
    bits = np.uint64(int(parts.max()).bit_length())
    low, known = pages.min(), None
    if int(pages.max() - low) >> (64 - int(bits)):
        known, places = np.unique(pages, return_inverse=True)
        low, pages = np.uint64(0), places.astype(np.uint64)
    keys = (pages - low) << bits
    keys |= parts.astype(np.uint64)
    keys.sort(kind="stable")    # it merges the parts, which are ascending
    parts = (keys & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.int64)
    keys >>= bits
    keys += low
    return keys if known is None else known[keys], parts


def with_history(flags: Ints, is_history: Bools) -> Ints:
    """Return the flags of parts, with samples in history marked as such."""
    return np.where(is_history & (flags & SAMPLE > 0),
                    flags ^ (SAMPLE | PAST_SAMPLE), flags)


def without_reaching_back(log: PageLog, tau: int) -> PageLog:
    """Move samples to history whose windows begin before the log's begin,
    unless these are all samples.
    """
    back = log.is_sample & (log.ends < log.begin + min(tau, FAR))
    if not log.begin or not back.any() or (back == log.is_sample).all():
        return log
    return replace(log, flags=with_history(log.flags, back))


def part_of_log(log: PageLog, span: Span) -> PageLog:
    """Restrict a log to a span.  The time before remains, as history.  Failure:
    the span has no interval.
    """
    if not span:
        return log
    begin, end = limits(log, log.last_time, span)
    number = int(np.searchsorted(log.ends, end, "right"))
    ends = log.ends[:number]
    part = replace(
        log, begin=begin, end=end, ends=ends,
        instructions=log.instructions[:number],
        flags=with_history(log.flags[:number], ends <= begin),
        threads=log.threads[:number],
        events=[event for event in log.events if event.part < number],
        marks=[mark for mark in log.marks if begin <= mark.time <= end],
        # The part is whole if the log was cut off later.
        complete=log.complete or log.last_time > end)
    if part.first_part == number:
        raise nothing(log, "interval", begin, end)
    return part
