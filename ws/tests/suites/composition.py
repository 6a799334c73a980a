"""What the sections Kept samples, Composition, Entries and Stacks of a report
have to do with each other and with the table. (That samples are the sums of
their parts, and callers come first, ws_python demands.)"""

from __future__ import annotations

from collections import Counter
from typing import Iterable, Iterator, Optional

from ws_python.model.compositions import Compositions, Kept


class BadReport(Exception):
    """The file is not what ws/docs/report-format.md says."""


def demand(good: bool, *what: object) -> None:
    """It is so in every good report."""
    if not good:
        raise BadReport(': '.join(map(str, what)))


def address(found: Compositions, frame: Optional[int]) -> int:
    """Of the instruction that made the access; 0 if nobody knows."""
    return 0 if frame is None else found.frames[frame].address


def entered(found: Compositions, tau: int) -> Counter[tuple[str, int]]:
    """How many pages, by set and address of the code."""
    counts: Counter[tuple[str, int]] = Counter()
    for (name, window), parts in found.entries.items():
        for part in parts if window == tau else []:
            counts[name, address(found, part.frame)] += part.pages
    return counts


def is_snapshot(kept: Kept) -> bool:
    return kept.why == ['snapshot']


Sizes = dict[tuple[str, Optional[int]], dict[int, int]]


def with_callers(found: Compositions, frames: Iterable[Optional[int]]
                 ) -> set[int]:
    return {number for innermost in frames if innermost is not None
            for number in numbers_of(found, innermost)}


def numbers_of(found: Compositions, frame: Optional[int]) -> Iterator[int]:
    while frame is not None:
        yield frame
        frame = found.frames[frame].caller


def check(found: Compositions, has_stacks: bool, sizes: Sizes,
          most: int, others: Iterable[Optional[int]]) -> None:
    """With the sizes in the table's rows, of each set and window by time, with
    the most resident pages, and frames that other sections refer to."""
    every = found.samples
    for one in every.values():
        size = sizes[one.set, one.tau].get(one.time)
        dirty = sizes.get(('dirty', one.tau))
        if one.set == 'cold':    # the largest: since the window is that one
            demand(is_snapshot(one) or one.pages == size, one)
        elif one.set == 'resident':
            demand('largest' not in one.why or one.pages == most, one)
            demand('info-at' not in one.why or one.pages == size, one)
        elif not is_snapshot(one):
            demand(one.pages == size and one.written in (
                None, dirty and dirty.get(one.time)), 'pages', one)
    used = with_callers(found, {part.frame for part in found.parts()})
    for one in map(found.frames.__getitem__, used):
        # Without stacks, there are only functions that were inlined.
        demand(has_stacks or not one.cut and address(
            found, one.caller) in (0, one.address), 'stack', one)
    demand(used | with_callers(found, others) == {*found.frames}, 'frames')
