# SPDX-License-Identifier: GPL-2.0-or-later
"""What was mapped where, and when, in a page log.

A page that was accessed in a part of time belongs to what is mapped there at
the end of that part.  If nothing is, it belongs to what was unmapped last in
that part.  A page that several mappings overlap belongs to the first of these.

A region is memory that was of one kind, and of one file, for some time; at any
time, regions do not overlap.  To find many at once, the time of each is cut
into spans of 2^k changes of the mappings: those with one span are in one
table, by address, and there are few k.
"""

from bisect import bisect_left, bisect_right
from typing import Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from ws_python.model.log import (FILE, HEAP, SHARED, STACK, Mapping,
                                 MappingEvent, PageLog)

NOT_MAPPED = "not mapped"
SHARED_NAME = "shared memory"
CHUNK = 1 << 20             # of pages that are looked for at once
EVER = 1 << 62              # a part that is never reached


def name_of(mapping: Mapping) -> str:
    """As reports call it."""
    if mapping.kind == STACK:
        return f"stack of thread {mapping.thread}"
    if mapping.kind in (HEAP, SHARED):
        return "heap" if mapping.kind == HEAP else SHARED_NAME
    return mapping.file or (
        "unnamed file" if mapping.kind == FILE else "anonymous")


class What(NamedTuple):
    """All that regions differ in."""
    name: int               # of Maps.names
    file: int               # of Maps.files; -1: its pages are of no file
    shift: int              # from an address to the offset in the file
    permissions: int


class Piece(NamedTuple):
    """A region that is mapped, up to its last byte."""
    last: int
    what: What
    birth: int              # a part
    gone: bool              # in the part that is not over yet


class Sweep:
    """Goes through the events, and notes regions when they end."""

    def __init__(self) -> None:
        self.starts: List[int] = []     # of all pieces, ascending
        self.pieces: Dict[int, Piece] = {}
        self.gone: List[int] = []       # starts
        self.part = 0
        # first byte, last byte, what, first part, part of the end
        self.found: List[Tuple[int, int, What, int, int]] = []

    def go_to(self, part: int) -> None:
        """What was unmapped before this part is not there in it."""
        if part > self.part:
            for start in self.gone:
                piece = self.pieces.get(start)
                if piece is not None and piece.gone:
                    self.close(start, part=self.part + 1)
                    del self.pieces[start]
                    del self.starts[bisect_left(self.starts, start)]
            self.gone = []
            self.part = part

    def close(self, start: int, part: int) -> None:
        last, what, birth, _ = self.pieces[start]
        self.found.append((start, last, what, birth, part))

    def cut(self, address: int) -> None:
        """Have a piece begin here, if one covers it."""
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
        """The pieces of just this memory: their indices."""
        self.cut(first)
        self.cut(last + 1)
        return (bisect_left(self.starts, first),
                bisect_right(self.starts, last))

    def map(self, first: int, last: int, what: What) -> None:
        at = bisect_right(self.starts, first)
        if at:
            piece = self.pieces[self.starts[at - 1]]
            if piece.last >= last and piece.what == what and not piece.gone:
                return              # it is said again
        low, high = self.covered(first, last)
        for start in self.starts[low:high]:
            self.close(start, self.part)
            del self.pieces[start]
        self.starts[low:high] = [first]
        self.pieces[first] = Piece(last, what, self.part, False)

    def unmap(self, first: int, last: int) -> None:
        low, high = self.covered(first, last)
        for start in self.starts[low:high]:
            self.pieces[start] = self.pieces[start]._replace(gone=True)
            self.gone.append(start)

    def finish(self) -> None:
        for start, piece in self.pieces.items():
            self.close(start, self.part + 1 if piece.gone else EVER)


class Level(NamedTuple):
    """The regions that are there in a span of 2^k changes; keys are the span
    times the number of places, and a place.
    """
    low: np.ndarray
    high: np.ndarray
    region: np.ndarray


class Maps:
    """Of a log.  Numbers of regions are those of the arrays, in which the
    first one stands for none.
    """
    def __init__(self, log: PageLog):
        self.page_szB = log.page_szB
        self.names: List[str] = [NOT_MAPPED]
        self.files: List[Tuple[int, int]] = []  # device and inode
        found = self.regions_of(log.events)
        self.first, self.last = (
            np.array([0] + [region[k] for region in found], np.uint64)
            for k in (0, 1))
        self.name, self.file, self.shift, self.permissions = (
            np.array([none] + [region[2][k] for region in found], np.int64)
            for k, none in enumerate((0, -1, 0, 0)))
        self.begin, self.end = (
            np.array([0] + [region[k] for region in found], np.int64)
            for k in (3, 4))
        self.make_levels()

    def regions_of(self, events: List[MappingEvent]
                   ) -> List[Tuple[int, int, What, int, int]]:
        names: Dict[str, int] = {NOT_MAPPED: 0}
        files: Dict[Tuple[int, int], int] = {}
        sweep = Sweep()
        for event in events:
            sweep.go_to(event.part)
            one = event.mapping
            last = event.address + event.size - 1
            if one is None:
                sweep.unmap(event.address, last)
                continue
            file, shift = -1, 0
            if one.kind == FILE and (one.device or one.inode):
                file = files.setdefault((one.device, one.inode), len(files))
                # With 64 bits, as if an address were added to it.
                shift = (one.offset - one.address + (1 << 63)) % (
                    1 << 64) - (1 << 63)
            sweep.map(event.address, last, What(
                names.setdefault(name_of(one), len(names)), file, shift,
                one.permissions & 7))
        sweep.finish()
        self.names, self.files = [*names], [*files]
        return sweep.found

    # --- Finding -------------------------------------------------------------

    def make_levels(self) -> None:
        first, last = self.first[1:], self.last[1:]
        behind = last[last < np.iinfo(np.uint64).max] + np.uint64(1)
        self.places = np.unique(np.concatenate([first, behind]))
        self.changes = np.unique(np.concatenate([self.begin[1:],
                                                 self.end[1:]]))
        low, high = (np.searchsorted(self.places, some, "right")
                     for some in (first, last))
        begin, end = (np.searchsorted(self.changes, some, "right")
                      for some in (self.begin[1:], self.end[1:]))
        self.n_places = len(self.places) + 1
        n_levels = len(self.changes).bit_length()
        end[self.end[1:] == EVER] = 1 << n_levels
        self.levels: List[Level] = []
        region = np.arange(1, len(self.first))
        for _ in range(n_levels):
            odd = (begin < end) & (begin & 1 == 1)
            odd_end = (begin + odd < end) & (end & 1 == 1)
            span = np.concatenate([begin[odd], end[odd_end] - 1])
            some = np.concatenate([region[odd], region[odd_end]]) - 1
            keys = [span * self.n_places + place[some]
                    for place in (low, high)]
            order = np.argsort(keys[0])
            self.levels.append(Level(keys[0][order], keys[1][order],
                                     some[order] + 1))
            begin, end = (begin + odd) >> 1, (end - odd_end) >> 1

    def find(self, first: np.ndarray, last: np.ndarray,
             parts: np.ndarray) -> np.ndarray:
        """The first region that each of these overlaps, from a first to a
        last byte, in its part.
        """
        low = np.searchsorted(self.places, first, "right")
        high = np.searchsorted(self.places, last, "right")
        change = np.searchsorted(self.changes, parts, "right")
        found = np.zeros(len(first), np.int64)
        place = high + 1            # of what was found
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
            found[where] = level.region[at[is_it]]
            place[where] = begin[is_it]
            left = left[place[left] > low[left]]
        return found

    def regions(self, pages: np.ndarray, parts: np.ndarray,
                page_szB: Optional[int] = None) -> np.ndarray:
        """Of each page in its part; pages are of the log's size, if no other
        is said.
        """
        size = np.uint64(page_szB or self.page_szB)
        found = np.zeros(len(pages), np.int64)
        for at in range(0, len(pages), CHUNK):
            first = pages[at:at + CHUNK].astype(np.uint64) * size
            found[at:at + CHUNK] = self.find(
                first, first + (size - np.uint64(1)), parts[at:at + CHUNK])
        return found

    def of(self, pages: np.ndarray, parts: np.ndarray,
           page_szB: Optional[int] = None) -> np.ndarray:
        """What each page belonged to in its part: indices of names."""
        return self.name[self.regions(pages, parts, page_szB)]

    def file_pages(self, pages: np.ndarray, regions: np.ndarray,
                   page_szB: Optional[int] = None
                   ) -> Tuple[np.ndarray, np.ndarray]:
        """Which page of which file (an index of files, or -1) these are, whose
        regions are known.
        """
        size = np.uint64(page_szB or self.page_szB)
        offset = pages.astype(np.uint64) * size + self.shift[regions].astype(
            np.uint64)
        # Larger pages may lie otherwise in the file than in memory.
        file = np.where(offset % size == 0, self.file[regions], -1)
        return file, np.where(file < 0, 0, offset // size)
