# SPDX-License-Identifier: GPL-2.0-or-later
"""Many ranges in one array, one after the other; or a run of equal values."""

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
Arrays = TypeVar("Arrays", bound=NamedTuple)    # of one length


def split_runs(firsts: Ints, counts: Ints) -> Ints:
    """Return `counts` indices from each of `firsts` on, in one array."""
    indices = repeated(firsts - (np.cumsum(counts) - counts), counts)
    return indices + np.arange(len(indices))


def repeated(values: Whole, counts: Ints) -> Whole:
    """Repeat whole numbers in a third of the time that np.repeat takes."""
    values, counts = values[counts > 0], counts[counts > 0]
    steps = np.zeros(counts.sum(), values.dtype)
    steps[:1] = values[:1]
    steps[np.cumsum(counts[:-1])] = values[1:] - values[:-1]
    return np.cumsum(steps, dtype=values.dtype, out=steps)


def range_of_each(counts: Ints) -> Ints:
    """Return for each item the number of its range."""
    return repeated(np.arange(len(counts)), counts)


def starts_of(counts: Ints) -> Ints:
    """Return the begin of each range, and the end of the last one."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def begins_of(counts: Ints) -> Bools:
    """True for the first item of each range."""
    is_begin = np.zeros(counts.sum(), bool)
    is_begin[(np.cumsum(counts) - counts)[counts > 0]] = True
    return is_begin


def restarting(values: Whole, is_begin: Bools) -> Whole:
    """Sum values up to each, anew from each begin on."""
    sums, at = np.cumsum(values, dtype=values.dtype), np.flatnonzero(is_begin)
    before: Whole = sums[at] - values[at]
    sums -= repeated(before, np.diff(np.append(at, len(values))))
    return sums


def sums_by(keys: Ints, weights: Ints, size: int) -> Ints:
    """Sum whole numbers by key."""
    return np.bincount(keys, weights, size).astype(np.int64)


def picked(arrays: Arrays, which: Union[Ints, Bools]) -> Arrays:
    """Return some items of each array."""
    return arrays._make(column[which] for column in arrays)


def stacked(parts: Sequence[Arrays]) -> Arrays:
    """Join arrays, each with its namesakes."""
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
    return is_first(*(column[::-1] for column in columns))[::-1]


def count_pairs(later: Ints, before: Ints) -> Tuple[Ints, Ints, Ints]:
    """Return different pairs and their numbers: by the later one, then from
    the latest to the earliest before.  All are less than 2^31.

    Most pairs are of near ones.  A table counts these, of no more cells than
    pairs; only the others are sorted.
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
