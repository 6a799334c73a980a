# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the working set changes: phases, without marks.

As in Dhodapkar and Smith, Managing Multi-Configuration Hardware via Dynamic
Working Set Analysis (ISCA 2002), two sets are as far apart as the pages are
that only one of them has, as part of all: 0 if they are equal, 1 if they have
nothing in common (1 - Jaccard's index).  They compared consecutive windows,
and so do we, at each sample: the distance at t is that of W(t, L) and W(t + L,
L), of what was accessed in the L before and in the L after it.  These do not
overlap, so a sudden change at t makes a peak at t, which is 2 L wide at most.

HIGH is theirs: from half of all pages on, it is another phase.  What is above
LOW around that belongs to the same change, so one that hovers about the
threshold is not several.  If such a change lasts no longer than L, the phase
begins where the distance is highest.  If it lasts longer, it is a phase
itself, in which the set keeps changing: steadily, or between phases too short
for L.  If the set is as before within 2 L, it was an interruption, and there
is no phase; nor is there one shorter than L.  A change in the first L is found
at its end, and none is in the last L.

L is the scale at which one looks: the first window, but a part of SCALE of the
run at least, or else what the user wants (--tau).

The core of a phase is what is in half of its windows.  Phases whose cores are
nearer than SAME are the same one, again.
"""

import argparse
from fractions import Fraction
from typing import (Dict, Iterable, Iterator, List, NamedTuple, Optional,
                    Sequence, Tuple)

import numpy as np

from ws_python.compositions import Compositions, Part
from ws_python.log_code import frames_of
from ws_python.log_heat import wanted_sets
from ws_python.log_layers import page_size_of, samples_of, window_of
from ws_python.log_maps import Maps
from ws_python.log_windows import Stays, sample_times, sizes, stays
from ws_python.page_log import PageLog, split_runs
from ws_python.reports import Failure
from ws_python.stacks import Paths, by_known, known_name

HIGH, LOW, SAME = 0.5, 0.25, 0.1
SCALE = 128
MOST_PHASES = 1000


class Distances(NamedTuple):
    """At some samples: how far W(t, L) is from that of a later one."""
    times: np.ndarray
    values: np.ndarray
    sample: np.ndarray
    after: np.ndarray


class Change(NamedTuple):
    begin: int
    end: int                # the same, if it is sudden
    height: float           # the highest distance
    before: int             # samples: the last window without it
    after: int              # and the first one


class Extent(NamedTuple):
    begin: int
    end: int
    is_changing: bool


def scale_of(log: PageLog, taus: Optional[Sequence[int]]) -> int:
    """L."""
    first, every = window_of(log, taus), log.number("Every")
    part = (int(log.ends[-1]) - log.begin) // SCALE
    return first if taus else max(first, -(-part // every) * every)


# --- Distances ---------------------------------------------------------------

def in_both(found: Stays, after: np.ndarray) -> np.ndarray:
    """Of each sample: how many pages are in its set, and in that of the sample
    after it that is said.
    """
    n_samples = len(after)
    # The samples before of each stay.
    first, end = (np.searchsorted(after, some, "left")
                  for some in (found.first, found.end))
    change = np.zeros(n_samples + 1, np.int64)
    for distance in range(len(found.pages)):
        # The later of two stays of a page that are so far apart.
        later = slice(distance, None)
        earlier = slice(0, len(found.pages) - distance)
        low = np.maximum(first[later], found.first[earlier])
        high = np.minimum(end[later], found.end[earlier])
        some = (found.pages[later] == found.pages[earlier]) & (low < high)
        if distance and not some.any():
            break
        change += np.bincount(low[some], minlength=n_samples + 1)
        change -= np.bincount(high[some], minlength=n_samples + 1)
    return np.cumsum(change)[:n_samples]


def distances(log: PageLog, found: Dict[str, Stays],
              length: int) -> Distances:
    """Of all sets together, where there are whole windows on both sides."""
    times = sample_times(log)
    after = np.searchsorted(times, times + length, "left")
    both = np.zeros(len(times), np.int64)
    either = np.zeros(len(times), np.int64)
    there = after < len(times)
    for some in found.values():
        size = sizes(some, len(times))
        common = in_both(some, after)
        both += common
        either[there] += (size[there] + size[after[there]] - common[there])
    there &= times >= log.begin + length
    # Two that are empty are the same.
    both, either = both[there], either[there]
    return Distances(times[there], (either - both) / np.maximum(either, 1),
                     np.flatnonzero(there), after[there])


def apart(found: Dict[str, Stays], one: int, other: int) -> float:
    """The distance of two samples."""
    both = either = 0
    for some in found.values():
        sets = [some.pages[(some.first <= sample) & (sample < some.end)]
                for sample in (one, other)]
        common = len(np.intersect1d(*sets, assume_unique=True))
        both += common
        either += len(sets[0]) + len(sets[1]) - common
    return 1 - both / either if either else 0.0


def highest(found: Distances, first: int, end: int, time: int) -> int:
    """When the distance is, of all equal ones the nearest to a time."""
    values = found.values[first:end]
    times = found.times[first:end][values == values.max()]
    return int(times[np.argmin(np.abs(times - time))])


def changes(found: Distances, length: int, every: int) -> Iterator[Change]:
    """Wherever the distance is above LOW for a while, and HIGH once."""
    times, values = found.times, found.values
    above = np.concatenate([[False], values >= LOW, [False]])
    edges = np.flatnonzero(above[1:] != above[:-1])
    for first, end in zip(edges[::2].tolist(), edges[1::2].tolist()):
        height = float(values[first:end].max())
        if height < HIGH:
            continue
        # The first window that has something of it has one interval of it.
        begin = int(times[first]) + length - every
        last = int(times[end - 1]) - length + every
        if last - begin > length:
            low, high = np.searchsorted(times, [begin - length,
                                                last - length], "right")
            middle = np.searchsorted(times, begin + length, "right")
            begin, last = (highest(found, max(int(low), first), int(middle),
                                   begin),
                           highest(found, int(high), end, last))
        if last - begin <= length:
            begin = last = highest(found, first, end, (begin + last) // 2)
        yield Change(begin, last, height, int(found.sample[first]),
                     int(found.after[end - 1]))


def joined(one: Change, other: Change) -> Change:
    """Of two that are near, the higher one; or all of it, if one lasts."""
    if one.begin == one.end and other.begin == other.end:
        begin, end = max(one, other, key=lambda change: change.height)[:2]
    else:
        begin, end = one.begin, other.end
    return Change(begin, end, max(one.height, other.height), one.before,
                  other.after)


def without_interruptions(found: Iterable[Change], sets: Dict[str, Stays],
                          length: int) -> List[Change]:
    """Nor what is shorter than a window."""
    kept: List[Change] = []
    for one in found:
        if kept and one.begin - kept[-1].end < length:
            one = joined(kept.pop(), one)
        if one.end - one.begin <= length and apart(
                sets, one.before, one.after) < HIGH:
            continue
        if kept and one.end - kept[-1].begin <= 2 * length and apart(
                sets, kept[-1].before, one.after) < HIGH:
            kept.pop()
        else:
            kept.append(one)
    return kept


def spans_of(begin: int, end: int, found: List[Change]) -> List[Extent]:
    """Between changes, and those that last."""
    spans: List[Extent] = []
    for one in found:
        spans.append(Extent(begin, one.begin, False))
        if one.end > one.begin:
            spans.append(Extent(one.begin, one.end, True))
        begin = one.end
    spans.append(Extent(begin, end, False))
    return spans


# --- Phases ------------------------------------------------------------------

class Phase(NamedTuple):
    begin: int
    end: int
    is_changing: bool
    instructions: int
    average: Fraction       # of the working sets at its samples
    peak: int
    touched: int            # different pages
    entered: int            # of these, not touched in the phase before
    like_before: Optional[float]    # Jaccard's index of the cores
    same: int               # the first phase like it, or itself; from 0
    mappings: List[Tuple[str, int]]     # of what entered, the largest first
    code: List[Tuple[str, int]]         # that has brought it in


class Pages:
    """Pages of several sets, by number."""
    def __init__(self, log: PageLog, kinds: Sequence[str], page_szB: int):
        self.each = np.uint64(page_szB // log.page_szB)
        self.lists = {kind: np.unique(
            log.pages[kind][log.first[kind][log.first_part]:] // self.each)
            for kind in kinds}
        ends = np.cumsum([len(pages) for pages in self.lists.values()])
        self.begin = dict(zip(kinds, [0, *ends.tolist()]))
        self.count = int(ends[-1])

    def numbers(self, kind: str, pages: np.ndarray) -> np.ndarray:
        """They must be there."""
        return self.begin[kind] + np.searchsorted(self.lists[kind], pages)


def cores(found: Dict[str, Stays], pages: Pages, spans: Sequence[Extent],
          times: np.ndarray, length: int) -> np.ndarray:
    """Of each phase, whether it has each page: in half of the windows that
    are in the phase, or else in its last window.
    """
    begin, end = (np.array([span[k] for span in spans]) for k in (0, 1))
    high = np.searchsorted(times, end, "right")
    low = np.minimum(np.searchsorted(times, begin + length, "left"),
                     np.maximum(high - 1, 0))
    sums = np.zeros(len(spans) * pages.count, np.int64)
    for kind, some in found.items():
        first = np.searchsorted(high, some.first, "right")
        last = np.searchsorted(low, some.end, "left")
        counts = np.maximum(last - first, 0)
        phase = split_runs(first, counts)
        inside = np.minimum(np.repeat(some.end, counts), high[phase]
                            ) - np.maximum(np.repeat(some.first, counts),
                                           low[phase])
        page = np.repeat(np.minimum(pages.numbers(kind, some.pages),
                                    pages.count - 1), counts)
        np.add.at(sums, phase * pages.count + page, np.maximum(inside, 0))
    return 2 * sums.reshape(len(spans), pages.count) >= np.maximum(
        high - low, 1)[:, np.newaxis]


def likeness(core: np.ndarray) -> np.ndarray:
    """Jaccard's index of each two."""
    core = core.astype(np.float32)
    both = core @ core.T
    size = both.diagonal()
    either = size[:, np.newaxis] + size - both
    return np.where(either > 0, both / np.maximum(either, 1), 1)


def first_alike(alike: np.ndarray) -> List[int]:
    """Of each phase, which one it is again, or itself."""
    same = [0]
    for k in range(1, len(alike)):
        nearest = int(np.argmax(alike[k, :k]))
        same.append(same[nearest] if alike[k, nearest] > 1 - SAME else k)
    return same


class Entering:
    """What enters with each phase: it was not touched in the one before."""
    def __init__(self, log: PageLog, pages: Pages, spans: Sequence[Extent]):
        self.log, self.pages, self.n_spans = log, pages, len(spans)
        self.phase = np.searchsorted([span.end for span in spans], log.ends,
                                     "left").clip(0, len(spans) - 1)
        shape = (len(spans), pages.count)
        self.touched = np.zeros(shape, bool)
        for kind in pages.lists:
            phase, number, _ = self.items(kind, log.parts_of(kind),
                                          log.pages[kind])
            self.touched[phase, number] = True
        self.new = self.touched.copy()
        self.new[1:] &= ~self.touched[:-1]

    def items(self, kind: str, parts: np.ndarray, found: np.ndarray
              ) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Phases and numbers of pages, and which these are; without history.
        """
        some = np.flatnonzero(parts >= self.log.first_part)
        return (self.phase[parts[some]], self.pages.numbers(
            kind, found[some] // self.pages.each), some)

    def first_of_new(self, kind: str, parts: np.ndarray, found: np.ndarray
                     ) -> Tuple[np.ndarray, np.ndarray]:
        """Phases, and the first item of each page that is new in one."""
        phase, number, some = self.items(kind, parts, found)
        new = self.new[phase, number]
        keys, first = np.unique((phase * self.pages.count + number)[new],
                                return_index=True)
        return keys // self.pages.count, some[new][first]

    def mappings(self) -> List[List[Tuple[str, int]]]:
        maps = Maps(self.log)
        found = []
        for kind in self.pages.lists:
            parts = self.log.parts_of(kind)
            phase, at = self.first_of_new(kind, parts, self.log.pages[kind])
            found.append((phase, maps.of(self.log.pages[kind][at], parts[at])))
        return self.largest(found, maps.names)

    def code(self) -> List[List[Tuple[str, int]]]:
        """By innermost functions, if the log has stacks."""
        frames = frames_of(self.log)
        paths = Paths(Compositions({}, {"": []}, frames), by_known)
        names: Dict[str, int] = {}
        numbers = np.full(len(self.log.frames), -1)
        for frame in frames:
            step = paths.of(Part(0, None, frame, ""))[0]
            assert step.frame is not None
            numbers[frame] = names.setdefault(known_name(step.frame, False),
                                              len(names))
        found = []
        for kind in self.pages.lists:
            some = self.log.entered.get(kind)
            if some is not None:
                phase, at = self.first_of_new(kind, some.parts, some.pages)
                frame = numbers[some.frames[at]]
                found.append((phase[frame >= 0], frame[frame >= 0]))
        return self.largest(found, list(names))

    def largest(self, found: List[Tuple[np.ndarray, np.ndarray]],
                names: List[str]) -> List[List[Tuple[str, int]]]:
        """Of each phase: names, and how often they are there."""
        sums = np.zeros((self.n_spans, max(len(names), 1)), np.int64)
        for phase, name in found:
            np.add.at(sums, (phase, name), 1)
        return [[(names[k], int(row[k])) for k in np.argsort(
            -row, kind="stable").tolist() if row[k]] for row in sums]


class Changes:
    """All of a log."""
    def __init__(self, log: PageLog, options: argparse.Namespace):
        self.log = log
        times = samples_of(log)
        taus = getattr(options, "tau", None)
        self.page_szB = page_size_of(log, options.pagesize)
        self.tau, self.length = window_of(log, taus), scale_of(log, taus)
        kinds = wanted_sets(log, options)
        if "data" in kinds:         # what was written is data, too
            kinds = [kind for kind in kinds if kind != "dirty"]
        found = {kind: stays(log, kind, self.length, self.page_szB)
                 for kind in kinds}
        self.distances = distances(log, found, self.length)
        begin, end = log.begin, int(log.ends[-1])
        spans = spans_of(begin, end, without_interruptions(
            changes(self.distances, self.length, log.number("Every")), found,
            self.length))
        if len(spans) > MOST_PHASES:
            raise Failure(f"{log.name}: has {len(spans)} phases: use a longer "
                          f"window than --tau={self.length}")
        self.times = times
        self.sizes = {kind: sizes(stays(log, kind, self.tau, self.page_szB),
                                  len(times)) for kind in kinds}
        pages = Pages(log, kinds, self.page_szB)
        alike = likeness(cores(found, pages, spans, times, self.length))
        self.phases = self.describe(spans, Entering(log, pages, spans), alike)

    def describe(self, spans: List[Extent], entering: Entering,
                 alike: np.ndarray) -> List[Phase]:
        total = sum(self.sizes.values())
        edges = np.searchsorted(self.times, [
            spans[0].begin, *(span.end for span in spans)], "right")
        instructions = np.concatenate([[0], np.cumsum(self.log.instructions)])
        parts = np.searchsorted(self.log.ends, [
            spans[0].begin, *(span.end for span in spans)], "right")
        same, mappings, code = (first_alike(alike), entering.mappings(),
                                entering.code())
        phases = []
        for k, span in enumerate(spans):
            some = total[edges[k]:edges[k + 1]]
            phases.append(Phase(
                *span, int(instructions[parts[k + 1]]
                           - instructions[parts[k]]),
                Fraction(int(some.sum()), max(len(some), 1)),
                int(some.max()) if len(some) else 0,
                int(entering.touched[k].sum()), int(entering.new[k].sum()),
                float(alike[k, k - 1]) if k else None, same[k], mappings[k],
                code[k]))
        return phases
