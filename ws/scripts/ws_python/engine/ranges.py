# SPDX-License-Identifier: GPL-2.0-or-later
"""Many ranges at once, in one array after the other."""

from typing import List

import numpy as np


def split_runs(firsts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Indices of so many values from each of these on, one after the other."""
    total = int(counts.sum())
    return np.arange(total) + np.repeat(
        firsts - (np.cumsum(counts) - counts), counts)


def starts_of(counts: np.ndarray) -> np.ndarray:
    """Where each of so many begins, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def joined(arrays: List[np.ndarray], dtype: type = np.int64) -> np.ndarray:
    return np.concatenate([np.zeros(0, dtype), *arrays])
