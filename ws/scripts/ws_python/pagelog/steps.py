# SPDX-License-Identifier: GPL-2.0-or-later
"""Sums for many keys at each sample of a page log.  They change seldom, so
they are held as steps, each of which lasts for several samples.
"""

from typing import NamedTuple, Sequence, Tuple

import numpy as np

from ws_python.pagelog.layers import changes
from ws_python.pagelog.ranges import Ints, is_last, range_of_each, split_runs


class StepColumn(NamedTuple):
    """Weights that add to the sums of keys, in the samples `first` <= k <
    `end`.
    """
    keys: Ints
    first: Ints
    end: Ints
    weights: Ints


NO_STEPS = StepColumn(*[np.zeros(0, np.int64)] * 4)


def placed(keys: Ints, column: StepColumn) -> StepColumn:
    """Replace the column's keys by their indices in `keys`; omit others."""
    if not len(keys):
        return NO_STEPS
    at = np.minimum(np.searchsorted(keys, column.keys), len(keys) - 1)
    same = keys[at] == column.keys
    return StepColumn(at[same], *(values[same] for values in column[1:]))


def for_each(keys: Ints, column: StepColumn) -> StepColumn:
    """Replace the column's keys, which ascend, by their indices in `keys`; a
    key that stands there several times gets as many rows.
    """
    low = np.searchsorted(column.keys, keys, "left")
    high = np.searchsorted(column.keys, keys, "right")
    at = split_runs(low, high - low)
    return StepColumn(range_of_each(high - low),
                      *(values[at] for values in column[1:]))


class Steps(NamedTuple):
    """The steps of all keys, where the sum of the first column is not 0."""
    keys: Ints
    first: Ints             # samples
    end: Ints
    values: Tuple[Ints, ...]    # the sums of each column

    def during(self, first: int, end: int, clock: Ints) -> Ints:
        """Return the time that each step lasts, in the samples `first` <= k <
        `end`; clock[k] is the time that all samples before k stand for.
        """
        times: Ints = (clock[np.minimum(self.end, end)]
                       - clock[np.maximum(self.first, first)])
        return np.maximum(times, 0)


def steps_of_pages(keys: Ints, first: Ints, end: Ints,
                   n_samples: int) -> StepColumn:
    """Make the column that counts pages by key."""
    width = n_samples + 1
    where, number = changes(keys * width + first, keys * width + end)
    begins = np.flatnonzero(number)
    keys, first = np.divmod(where[begins], width)
    return StepColumn(keys, first, where[begins + 1] - keys * width,
                      number[begins])


def steps_of(columns: Sequence[StepColumn], n_samples: int) -> Steps:
    """Sum the weights of each column by key and sample."""
    width = n_samples + 1
    where = np.concatenate([
        column.keys * width + samples for column in columns
        for samples in (column.first, column.end)])
    order = np.argsort(where, kind="stable")
    where = where[order]
    last = is_last(where)
    where, values, at = where[last], [], 0
    for column in columns:
        change = np.zeros(len(order), np.int64)
        behind = at + 2 * len(column.keys)
        change[at:behind] = np.concatenate([column.weights, -column.weights])
        values.append(np.cumsum(change[order])[last])
        at = behind
    # After the last change of a key, its sum is 0.
    begins = np.flatnonzero(values[0])
    keys, first = np.divmod(where[begins], width)
    return Steps(keys, first, where[begins + 1] - keys * width,
                 tuple(sums[begins] for sums in values))
