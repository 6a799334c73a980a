# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes working sets of a page log, with any window of whole intervals, and
with larger pages; and cuts a part out of a log: --from and --to.

An interval that ends at e is in the window up to t if t - tau < e <= t. So an
access in it is in the working sets of all samples from e to e + tau, without
the last.
"""

from dataclasses import replace
from typing import Tuple

import numpy as np

from ws_python.base.text import Failure
from ws_python.pagelog.log import (FAR, INTERVAL_ENDS, PAST_SAMPLE, SAMPLE,
                                   PageLog)
from ws_python.report.span import Span, limits, nothing


def sample_times(log: PageLog) -> np.ndarray:
    return log.ends[log.flags & SAMPLE != 0]


def before_samples(log: PageLog) -> int:
    """Return the time of the sample before the first of sample_times(), or 0."""
    return int(log.ends[log.flags & PAST_SAMPLE != 0].max(initial=0))


def sample_spans(log: PageLog) -> np.ndarray:
    """Return the time from the sample before to each of sample_times()."""
    return np.diff(sample_times(log), prepend=before_samples(log))


def last_every(log: PageLog) -> int:
    """Return the sampling interval, which may grow, at the last sample."""
    spans = sample_spans(log)
    return int(spans[-1]) if len(spans) else log.number("Every")


def intervals(log: PageLog) -> Tuple[np.ndarray, np.ndarray]:
    """Return the interval of each part, and the end of each interval; FAR for
    the one that goes on.
    """
    is_end = log.flags & INTERVAL_ENDS != 0
    return np.cumsum(is_end) - is_end, np.append(log.ends[is_end], FAR)


def samples_with(log: PageLog, times: np.ndarray,
                 tau: int) -> Tuple[np.ndarray, np.ndarray]:
    """Return for each part the first of these samples whose window has its
    interval, and the first one behind whose window has not.
    """
    number, ends = intervals(log)
    return (np.searchsorted(times, ends, "left")[number],
            np.searchsorted(times, ends + min(tau, FAR >> 1), "left")[number])


def check_window(log: PageLog, tau: int) -> None:
    """Refuse a window that does not begin where an interval does."""
    times, every = sample_times(log), log.number("Every")
    begins = times[times > min(tau, FAR)] - min(tau, FAR)
    # Those of the window may have come and gone with the first T.
    if tau == 0 or tau not in log.taus and (
            tau % every or not np.isin(begins, intervals(log)[1]).all()):
        raise Failure(
            f"{log.name}: a window of {tau} does not consist of whole "
            f"intervals of the log: use multiples of {last_every(log)}")


def by_page(pages: np.ndarray, parts: np.ndarray
            ) -> Tuple[np.ndarray, np.ndarray]:
    """Sort accesses by page, then time.  Sorting numbers that contain both is
    twice as fast as sorting indices, and needs no memory for these.
    """
    if not len(pages):
        return pages, parts
    bits = np.uint64(int(parts.max()).bit_length())
    low, known = pages.min(), None
    if int(pages.max() - low) >> (64 - int(bits)):
        known, pages = np.unique(pages, return_inverse=True)
        low = np.uint64(0)
    keys = (pages.astype(np.uint64) - low) << bits
    keys |= parts.astype(np.uint64)
    keys.sort(kind="stable")    # it merges the parts, which are ascending
    parts = (keys & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.int64)
    keys >>= bits
    keys += low
    return keys if known is None else known[keys], parts


def without_reaching_back(log: PageLog, tau: int) -> PageLog:
    """Make history of the samples of a part whose window begins before it, if
    there are others.
    """
    is_sample = log.flags & SAMPLE != 0
    back = is_sample & (log.ends < log.begin + min(tau, FAR))
    if not log.begin or not back.any() or (back == is_sample).all():
        return log
    return replace(log, flags=np.where(back, log.flags ^ (SAMPLE | PAST_SAMPLE),
                                       log.flags))


def part_of_log(log: PageLog, span: Span) -> PageLog:
    """Return the part with its history; pagelog/log.py explains history."""
    if not span:
        return log
    begin, end = limits(log, log.last_time, span)
    number = int(np.searchsorted(log.ends, end, "right"))
    ends = log.ends[:number]
    part = replace(
        log, begin=begin, end=end, ends=ends,
        instructions=log.instructions[:number],
        flags=np.where((ends <= begin) & (log.flags[:number] & SAMPLE > 0),
                       log.flags[:number] ^ (SAMPLE | PAST_SAMPLE),
                       log.flags[:number]),
        threads=log.threads[:number],
        events=[event for event in log.events if event.part < number],
        marks=[mark for mark in log.marks if begin <= mark.time <= end],
        # A cut behind the part has taken nothing of it.
        complete=log.complete or log.last_time > end)
    if part.first_part == number:
        raise nothing(log, "interval", begin, end)
    return part
