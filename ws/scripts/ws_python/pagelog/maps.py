# SPDX-License-Identifier: GPL-2.0-or-later
"""The mappings in a page log, by address and time.

A page that was accessed in a part of time belongs to the memory that is mapped
there at the end of the part, or else to the memory that was unmapped last in
the part.  Pages that a part repeats belong to the memory of the part before:
by a clock, both were over at once.  A page that several mappings overlap
belongs to the first of these.

A region is memory of one kind and one file for some time.  At any time,
regions do not overlap.  To find many regions at once, the time of each is cut
into spans of 2^k changes of the mappings.  Regions with the same k are in one
table, by address, and there are few k.
"""

from bisect import bisect_left, bisect_right
from typing import Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from ws_python.pagelog.log import (AGAIN, FILE, HEAP, SHARED, STACK, Mapping,
                                   MappingEvent, PageLog)
from ws_python.pagelog.ranges import Bools, Ints, Uints, is_first, picked

NOT_MAPPED = "not mapped"
SHARED_NAME = "shared memory"
MOST_LOOKED_UP = 1 << 20             # pages looked up at once
EVER = 1 << 62              # a part that is never reached


def name_of_mapping(mapping: Mapping) -> str:
    """Name a mapping as reports do."""
    if mapping.kind == STACK:
        return f"stack of thread {mapping.thread}"
    if mapping.kind in (HEAP, SHARED):
        return "heap" if mapping.kind == HEAP else SHARED_NAME
    return mapping.file or (
        "unnamed file" if mapping.kind == FILE else "anonymous")


class What(NamedTuple):
    """The properties that regions differ by."""
    name: int               # of Maps.names
    file: int               # of Maps.files; -1: none
    shift: int              # offset in the file minus address
    permissions: int


NOTHING = What(0, -1, 0, 0)


class StillMapped(NamedTuple):
    """A region that is still mapped; `last` is its last byte."""
    last: int
    what: What
    birth: int              # a part
    gone: bool              # unmapped in the current part


class Sweep:
    """Goes through the events, and records regions when they end."""

    def __init__(self) -> None:
        self.starts: List[int] = []     # of all pieces, ascending
        self.pieces: Dict[int, StillMapped] = {}    # by start
        self.gone: List[int] = []       # starts
        self.part = 0
        # For each region: first byte, last byte, what, and parts: the first
        # that it has, the first that it has not, and the first at whose end it
        # is not mapped.
        self.regions: List[Tuple[int, ...]] = []

    def go_to(self, part: int) -> None:
        """Go to a part, and close pieces that were unmapped before it."""
        if part > self.part:
            for start in self.gone:
                piece = self.pieces.get(start)
                if piece is not None and piece.gone:
                    self.close(start, self.part + 1)
                    del self.starts[bisect_left(self.starts, start)]
            self.gone = []
            self.part = part

    def close(self, start: int, part: int) -> None:
        """Record a piece as a region that does not have the part."""
        last, what, birth, gone = self.pieces.pop(start)
        self.regions.append((start, last, *what, birth, part,
                             self.part if gone else part))

    def cut(self, address: int) -> None:
        """Split the piece that covers this address, if there is one."""
        at = bisect_right(self.starts, address)
        if at and self.starts[at - 1] < address:
            start = self.starts[at - 1]
            piece = self.pieces[start]
            if piece.last >= address:
                self.pieces[start] = piece._replace(last=address - 1)
                self.pieces[address] = piece
                self.starts.insert(at, address)
                if piece.gone:
                    self.gone.append(address)

    def covered(self, first: int, last: int) -> Tuple[int, int]:
        """Cut pieces at both ends, and return their indices, low and high."""
        self.cut(first)
        self.cut(last + 1)
        return (bisect_left(self.starts, first),
                bisect_right(self.starts, last))

    def map(self, first: int, last: int, what: What) -> None:
        at = bisect_right(self.starts, first)
        if at:
            piece = self.pieces[self.starts[at - 1]]
            if piece.last >= last and piece.what == what and not piece.gone:
                return              # nothing changes
        low, high = self.covered(first, last)
        starts: List[int] = []
        for start in self.starts[low:high]:
            piece = self.pieces[start]
            if piece.what == what and not piece.gone:
                self.fill(starts, first, start - 1, what)
                starts.append(start)
                first = piece.last + 1
            else:
                self.close(start, self.part)
        self.fill(starts, first, last, what)
        self.starts[low:high] = starts

    def fill(self, starts: List[int], first: int, last: int,
             what: What) -> None:
        """Add a piece between others, if there is room."""
        if first <= last:
            starts.append(first)
            self.pieces[first] = StillMapped(last, what, self.part, False)

    def unmap(self, first: int, last: int) -> None:
        low, high = self.covered(first, last)
        for start in self.starts[low:high]:
            self.pieces[start] = self.pieces[start]._replace(gone=True)
            self.gone.append(start)

    def discard(self, first: int, last: int) -> None:
        low, high = self.covered(first, last)
        for start in self.starts[low:high]:
            piece = self.pieces[start]
            if not piece.gone:
                self.close(start, self.part)
                self.pieces[start] = piece._replace(birth=self.part)

    def finish(self) -> None:
        for start, piece in [*self.pieces.items()]:
            self.close(start, self.part + 1 if piece.gone else EVER)


def sources_of(log: PageLog) -> Ints:
    """Return the part of which each part has the mappings: it may repeat one."""
    sources: Ints = np.maximum.accumulate(np.where(
        log.flags & AGAIN, 0, np.arange(log.n_parts)))
    return sources


def epochs_of(log: PageLog) -> Ints:
    """Number the times without events; return the number of each part."""
    return np.searchsorted(np.unique([event.part + behind for event in log.events
                                      for behind in (0, 1)]),
                           sources_of(log), "right")


class Level(NamedTuple):
    """Regions in spans of 2^k changes; a key is span * n_places + place."""
    low: Ints
    high: Ints
    region: Ints


class Maps:
    """The mappings of a log.  A region is an index of the arrays; 0 stands for
    none.  If they are not `apart`, all memory is the same mapping, so a region
    tells how long its pages stay resident.
    """
    names: List[str]
    files: List[Tuple[int, int]]    # device and inode

    def __init__(self, log: PageLog, page_szB: int = 0, apart: bool = True):
        self.size, self.apart = np.uint64(page_szB or log.page_szB), apart
        none = 0, 0, *NOTHING, 0, 0, 0
        first, last, *columns = zip(none, *self.regions_of(log.events))
        self.first, self.last = (np.array(column, np.uint64)
                                 for column in (first, last))
        (self.name, self.file, self.shift, self.permissions, self.begin,
         self.end, self.left) = (np.array(column, np.int64)
                                 for column in columns)
        self.make_levels(sources_of(log))

    def regions_of(self, events: List[MappingEvent]) -> List[Tuple[int, ...]]:
        names: Dict[str, int] = {NOT_MAPPED: 0}
        files: Dict[Tuple[int, int], int] = {}
        sweep = Sweep()
        for event in events:
            sweep.go_to(event.part)
            mapping = event.mapping
            last = event.address + event.size - 1
            if event.stays and self.apart:
                continue
            if mapping is None:
                (sweep.discard if event.stays else sweep.unmap)(event.address,
                                                                last)
                continue
            what = NOTHING
            if self.apart:
                what = NOTHING._replace(
                    name=names.setdefault(name_of_mapping(mapping), len(names)),
                    permissions=mapping.permissions & 7)
            file = mapping.device, mapping.inode
            if self.apart and mapping.kind == FILE and any(file):
                # With 64 bits, as if an address were added to it.
                shift = mapping.offset - mapping.address + (1 << 63)
                what = what._replace(file=files.setdefault(file, len(files)),
                                     shift=shift % (1 << 64) - (1 << 63))
            sweep.map(event.address, last, what)
        sweep.finish()
        self.names, self.files = [*names], [*files]
        return sweep.regions

    def like(self, text: Optional[str]) -> Bools:
        """Tell for each name if it contains the text, if there is a text."""
        return np.array([not text or text in name for name in self.names])

    # --- Finding -------------------------------------------------------------

    def make_levels(self, sources: Ints) -> None:
        first, last = self.first[1:], self.last[1:]
        behind = last[last < np.iinfo(np.uint64).max] + np.uint64(1)
        self.places = np.unique(np.concatenate([first, behind]))
        self.changes = np.unique(np.concatenate([self.begin[1:],
                                                 self.end[1:]]))
        low, high = (np.searchsorted(self.places, addresses, "right")
                     for addresses in (first, last))
        # For each part: the number of the time without changes of mappings.
        begin, end, self.epoch = (np.searchsorted(self.changes, parts, "right")
                                  for parts in (self.begin[1:], self.end[1:],
                                                sources))
        self.n_places = len(self.places) + 1
        n_levels = len(self.changes).bit_length()
        end[self.end[1:] == EVER] = 1 << n_levels
        self.levels: List[Level] = []
        region = np.arange(1, len(self.first))
        for _ in range(n_levels):
            odd = (begin < end) & (begin & 1 == 1)
            odd_end = (begin + odd < end) & (end & 1 == 1)
            span = np.concatenate([begin[odd], end[odd_end] - 1])
            regions = np.concatenate([region[odd], region[odd_end]])
            base = span * self.n_places
            level = Level(base + low[regions - 1], base + high[regions - 1],
                          regions)
            self.levels.append(picked(level, np.argsort(level.low)))
            begin, end = (begin + odd) >> 1, (end - odd_end) >> 1

    def find(self, first: Uints, last: Uints, change: Ints) -> Ints:
        """Find the first region that overlaps each range, from its first to
        its last byte, after so many changes.
        """
        low = np.searchsorted(self.places, first, "right")
        high = np.searchsorted(self.places, last, "right")
        regions = np.zeros(len(first), np.int64)
        place = high + 1            # of the regions
        left = np.arange(len(first))
        for k in reversed(range(len(self.levels))):
            level = self.levels[k]
            if not len(level.low) or not len(left):
                continue
            base = (change[left] >> k) * self.n_places
            at = np.searchsorted(level.high, base + low[left])
            at[at == len(level.low)] = 0
            begin, end = level.low[at] - base, level.high[at] - base
            is_it = (begin < place[left]) & (end >= low[left])
            where = left[is_it]
            regions[where] = level.region[at[is_it]]
            place[where] = begin[is_it]
            left = left[place[left] > low[left]]
        return regions

    def regions(self, pages: Uints, parts: Ints) -> Ints:
        """Find the region of each page in its part: the same for successive
        parts, until mappings change.
        """
        at = np.flatnonzero(is_first(pages, self.epoch[parts]))
        regions = np.zeros(len(at), np.int64)
        for k in range(0, len(at), MOST_LOOKED_UP):
            chunk = at[k:k + MOST_LOOKED_UP]
            first = pages[chunk].astype(np.uint64) * self.size
            regions[k:k + MOST_LOOKED_UP] = self.find(
                first, first + (self.size - np.uint64(1)),
                self.epoch[parts[chunk]])
        return np.repeat(regions, np.diff(np.append(at, len(pages))))

    def of(self, pages: Uints, parts: Ints) -> Ints:
        """Return the index of the name of the mapping that each page was in,
        during its part of the log.
        """
        return self.name[self.regions(pages, parts)]

    def file_pages(self, pages: Uints, regions: Ints) -> Tuple[Ints, Uints]:
        """Find the file (an index of files, or -1) and the page in it, of
        pages whose regions are known.
        """
        offset = pages.astype(np.uint64) * self.size + self.shift[
            regions].astype(np.uint64)
        # Larger pages may be aligned otherwise in the file than in memory.
        file = np.where(offset % self.size == 0, self.file[regions], -1)
        return file, np.where(file < 0, np.uint64(0), offset // self.size)
