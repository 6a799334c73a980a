# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages that processes share: USS, PSS and RSS of working sets.

Pages at the same offset of a file are the same page, except those that a
process has written: they are its own, as in a private mapping.  If a log does
not have written pages, all writable data counts as written.  Pages of no file
are the process's own, though it may share them after a fork: reports tell that.
"""

from typing import List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ws_python.pagelog.mapped import WRITTEN, Mapped
from ws_python.pagelog.ranges import (Bools, Column, Floats, Ints, Uints,
                                      is_first, is_last, picked, stacked)
from ws_python.pagelog.stream import PageTable, batches

WRITABLE = 2                # of the permissions


class Written(NamedTuple):
    """Writes to pages, by page, then time: the first write to each region, and
    the first after a write to another region.
    """
    pages: Uints
    parts: Ints
    file: Ints
    offset: Uints


NO_WRITES = Written(np.zeros(0, np.uint64), np.zeros(0, np.int64),
                    np.zeros(0, np.int64), np.zeros(0, np.uint64))


class Entries(NamedTuple):
    """The pages of an image in a sample or in the run.  In a run, a page may
    have rows for several files.
    """
    names: Ints             # of mappings
    whose: Ints             # a file, or if negative, the image alone
    which: Uints            # the page in it


class Image:
    """A program that a process executes, with a log of its own.  Files and
    names have numbers that are the same in all logs.
    """
    def __init__(self, mapped: Mapped, number: int, process: int,
                 names: Ints, files: Ints):
        self.mapped, self.number, self.process = mapped, number, process
        self.names, self.files = names, np.append(files, -1)
        self.parent: Optional[Image] = None
        self.written = self.find_written()

    @property
    def ancestors(self) -> List["Image"]:
        """The images that it was forked from, the nearest first."""
        ancestors, image = [], self.parent
        while image:
            ancestors.append(image)
            image = image.parent
        return ancestors

    def file_pages(self, pages: Uints, regions: Ints) -> Tuple[Ints, Uints]:
        file, offset = self.mapped.maps.file_pages(pages, regions)
        return self.files[file], offset

    def find_written(self) -> Written:
        mapped = self.mapped
        log, maps, last = mapped.log, mapped.maps, PageTable()
        known = log.has_dirty
        writes = [NO_WRITES]
        for batch in batches(log):
            pages, parts = batch.by_page([WRITTEN if known else "data"],
                                         mapped.page // log.page_szB)
            regions = maps.regions(pages, parts)
            writable = known | (maps.permissions[regions] & WRITABLE > 0)
            pages, parts = pages[writable], parts[writable]
            regions = regions[writable]
            before, = last.before(pages, regions)
            file, offset = self.file_pages(pages, regions)
            writes.append(picked(Written(pages, parts, file, offset),
                                before != regions))
        written = stacked(writes)
        return picked(written, np.lexsort((written.parts, written.pages)))

    def has_written(self, pages: Uints, until: Ints, file: Ints,
                    offset: Uints) -> Bools:
        """Tell for each page if its last write, up to a part, was to the same
        file, or none, and offset.
        """
        written = self.written
        if not len(written.pages):
            return np.zeros(len(pages), bool)
        known = np.unique(written.pages)
        span = self.mapped.log.n_parts + 1
        keys = np.searchsorted(known, written.pages) * span + written.parts
        at = np.searchsorted(keys, np.searchsorted(known, pages) * span
                             + until, "right") - 1
        same: Bools = (written.pages[at] == pages) & (
            written.file[at] == file) & (written.offset[at] == offset)
        return same & (at >= 0)

    def entries(self, sample: Optional[int]) -> Entries:
        """Return the pages in a sample; None: in the run."""
        mapped, log = self.mapped, self.mapped.log
        if sample is None:
            pages, regions, parts = (mapped.touched.pages,
                                     mapped.touched.regions,
                                     mapped.touched.last)
        else:
            stays = picked(mapped.stays, (mapped.stays.first <= sample)
                           & (sample < mapped.stays.end))
            pages, regions = stays.pages, stays.layers
            # There is no write between the last access and the sample.
            parts = np.full(len(pages), np.flatnonzero(log.is_sample)[sample])
        file, offset = self.file_pages(pages, regions)
        # In the run, the last access to each page tells.
        order = np.lexsort((parts, offset, file, pages))
        last = np.sort(order[is_last(*(
            column[order] for column in (pages, file, offset)))])
        pages, regions, parts, file, offset = (column[last] for column in (
            pages, regions, parts, file, offset))
        own = (file < 0) | self.has_written(pages, parts, file, offset)
        for ancestor in self.ancestors:
            own |= ancestor.has_written(pages, np.full(
                len(pages), ancestor.mapped.log.n_parts), file, offset)
        return Entries(self.names[mapped.maps.name[regions]],
                       np.where(own, -1 - self.number, file),
                       np.where(own, pages, offset))


ImageAt = Tuple[Image, Optional[int]]       # in a sample; None: in its run


def rows_numbered(*columns: Column) -> Ints:
    """Number rows; equal rows have the same number."""
    order = np.lexsort(columns)
    numbers = np.zeros(len(order), np.int64)
    numbers[order] = np.cumsum(is_first(*(column[order]
                                        for column in columns))) - 1
    return numbers


class Common(NamedTuple):
    """The pages of a mapping that exactly these processes have."""
    processes: Tuple[int, ...]
    name: int
    pages: int


class Sharing(NamedTuple):
    """Pages by process and mapping: index process * number of names + name."""
    rss: Ints
    uss: Ints
    pss: Floats
    pages: int              # different ones
    common: List[Common]    # the most pages first


def sharing(chosen: Sequence[ImageAt], n_processes: int,
            n_names: int) -> Sharing:
    """Count the pages of these images, in their samples or runs."""
    entries = [image.entries(sample) for image, sample in chosen]
    names, whose, which = stacked(entries)
    pages = rows_numbered(whose, which)
    process = np.concatenate([np.full(len(own.names), image.process)
                              for (image, _), own in zip(chosen, entries)])
    cells = process * n_names + names
    n_cells = n_processes * n_names
    return Sharing(np.bincount(cells, minlength=n_cells),
                   *uss_and_pss(pages * n_processes + process, cells,
                                n_processes, n_cells),
                   in_common(pages, process, names))


def in_common(pages: Ints, process: Ints, names: Ints) -> List[Common]:
    """Group pages by the processes that have them.  Each process in turn moves
    its pages from their group to the group that includes the process.
    """
    group_of = np.zeros(int(pages.max(initial=-1)) + 1, np.int64)
    members: List[Tuple[int, ...]] = [()]
    for owner in np.unique(process).tolist():
        own = np.unique(pages[process == owner])
        before, new = np.unique(group_of[own], return_inverse=True)
        group_of[own] = len(members) + new
        members += [(*members[k], owner) for k in before.tolist()]
    name_of = np.zeros_like(group_of)
    name_of[pages] = names
    keys, counts = np.unique(np.stack([group_of, name_of]), axis=1,
                             return_counts=True)
    common = [Common(members[k], name, number) for k, name, number
              in zip(*keys.tolist(), counts.tolist()) if members[k][1:]]
    return sorted(common, key=lambda group: (-group.pages, group.processes))


def uss_and_pss(keys: Ints, cells: Ints, n_processes: int,
                n_cells: int) -> Tuple[Ints, Floats, int]:
    """Return USS and PSS of each cell, and the number of different pages.  A
    key contains a page and a process, a cell the process and a mapping.
    """
    keys, at = np.unique(keys, return_index=True)
    users = np.bincount(keys // n_processes)
    each = users[keys // n_processes]
    # Any sum of weights is a float, even if numpy's stub says otherwise.
    return (np.bincount(cells[at], each == 1, n_cells).astype(np.int64),
            np.bincount(cells[at], 1 / each, n_cells).astype(np.float64),
            len(users))
