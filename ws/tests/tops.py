"""The peaks that a report keeps, straight from their definition
(ws/docs/report-format.md): samples that stand out by a quarter of their
height."""

from __future__ import annotations

from typing import Iterable, Sequence


def _has_ground(height: int, others: Iterable[int], highest: int) -> bool:
    """Going that way, a ground comes before anything above `highest`."""
    for other in others:
        if other > highest:
            return False
        if 4 * other <= 3 * height:
            return True
    return False


def tops(sizes: Sequence[int]) -> list[int]:
    """The rows with a peak. The first row is that of t = 0, whose size is 0;
    of equal ones with no ground in between, the first one counts."""
    return [row for row, height in enumerate(sizes) if height > 0
            and _has_ground(height, (sizes[n] for n in range(row - 1, -1, -1)),
                            height - 1)
            and _has_ground(height, (sizes[n] for n in
                                     range(row + 1, len(sizes))), height)]


def highest(sizes: Sequence[int], count: int) -> list[int]:
    """So many of the peaks, in the order of time; of equal ones the earlier."""
    found = sorted(tops(sizes), key=lambda row: (-sizes[row], row))
    return sorted(found[:count])
