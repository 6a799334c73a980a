# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions of arrays that contain many ranges, one after the other; a range
has a known length, or it is a run of equal values.
"""

from typing import TYPE_CHECKING, NamedTuple, Sequence, Tuple, TypeVar, Union

import numpy as np

if TYPE_CHECKING:           # numpy has NDArray since 1.21
    from numpy.typing import NDArray
    Ints = NDArray[np.int64]
    Uints = NDArray[np.uint64]
    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
    ShortInts = NDArray[np.int32]
    Bytes = NDArray[np.uint8]
    Column = NDArray[np.generic]    # of any type
else:
    Ints = Uints = Floats = Bools = ShortInts = Bytes = Column = np.ndarray

Whole = TypeVar("Whole", Ints, Uints, ShortInts)
Arrays = TypeVar("Arrays", bound=NamedTuple)    # of equal lengths


def split_runs(firsts: Ints, counts: Ints) -> Ints:
    """Return the indices of ranges: firsts[k], firsts[k] + 1, ..., as many as
    counts[k], for each k.
    """
    indices: Ints = np.repeat(firsts - (np.cumsum(counts) - counts), counts)
    return indices + np.arange(len(indices))


def range_of_each(counts: Ints) -> Ints:
    """Return for each item the number of its range."""
    return np.repeat(np.arange(len(counts)), counts)


def starts_of(counts: Ints) -> Ints:
    """Return the begin of each range, and the end of the last range."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def begins_of(counts: Ints) -> Bools:
    """True for the first item of each range."""
    is_begin = np.zeros(counts.sum(), bool)
    is_begin[(np.cumsum(counts) - counts)[counts > 0]] = True
    return is_begin


def restarting(values: Whole, is_begin: Bools) -> Whole:
    """Return running sums, which start anew where `is_begin` is true."""
    sums, at = np.cumsum(values, dtype=values.dtype), np.flatnonzero(is_begin)
    before: Whole = sums[at] - values[at]
    sums -= np.repeat(before, np.diff(np.append(at, len(values))))
    return sums


def sums_by(keys: Ints, weights: Ints, size: int) -> Ints:
    """Return the sum of the weights of each key from 0 to size - 1, and of
    larger keys.
    """
    return np.bincount(keys, weights, size).astype(np.int64)


def picked(arrays: Arrays, which: Union[Ints, Bools]) -> Arrays:
    """Return the same items of each array.  Indices are faster than truth."""
    which = np.flatnonzero(which) if which.dtype == bool else which
    return arrays._make(column[which] for column in arrays)


def stacked(parts: Sequence[Arrays]) -> Arrays:
    """Join tuples of arrays: each array with those of the same name."""
    return parts[0]._make(map(np.concatenate, zip(*parts)))


def is_first(*columns: Column) -> Bools:
    """True where the values differ from those before."""
    differs = np.zeros(len(columns[0]), bool)
    differs[:1] = True
    for column in columns:
        differs[1:] |= column[1:] != column[:-1]
    return differs


def is_last(*columns: Column) -> Bools:
    """True where the values differ from those behind."""
    return np.roll(is_first(*columns), -1)


def count_pairs(later: Ints, before: Ints) -> Tuple[Ints, Ints, Ints]:
    """Count equal pairs of numbers less than 2^31.  Return each pair once, and
    its count: `later` ascends, and among equal ones, `before` descends.

    In most pairs, both numbers are near.  A table with fewer cells than pairs
    counts these; only the others are sorted.
    """
    first = int(later.min(initial=1 << 31))
    rows, back = later - first, later - before - 1
    width = len(rows) // (int(rows.max(initial=0)) + 1) + 1
    near = back < width
    table = np.bincount(rows[near] * width + back[near])
    cells = np.flatnonzero(table)
    far, numbers = np.unique(rows[~near] << 32 | back[~near],
                             return_counts=True)
    keys = np.concatenate([cells // width << 32 | cells % width, far])
    order = np.argsort(keys)
    later = first + (keys[order] >> 32)
    return (later, later - 1 - (keys[order] & 0xffffffff),
            np.concatenate([table[cells], numbers])[order])
