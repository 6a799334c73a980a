# SPDX-License-Identifier: GPL-2.0-or-later
"""The content of a page log; ws/docs/page-log-format.md has the format.

A log divides time into parts, and lists the pages accessed in each.  A PageLog
holds a few arrays with an item for each part.  It does not hold accesses, as
logs may have any size: views read them in batches (pagelog/stream.py).

A log that --from and --to restrict (pagelog/windows.py) has nothing behind the
end.  The time before its begin is history: its parts, pages, mappings and
entries remain, since the windows of later samples reach back to them, but it
has no samples and no marks.  So working sets have the same sizes as in the
whole run.  Code that goes by parts, not samples, begins with first_part.
"""

from dataclasses import dataclass, field, replace
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional

import numpy as np

from ws_python.pagelog.frames import Frames
from ws_python.pagelog.ranges import Bools, Ints, Uints, picked
from ws_python.report.report import Headed, Mark
from ws_python.report.sizes import KINDS

INTERVAL_ENDS, SAMPLE, AGAIN = 1, 2, 4      # flags of a part
FAR = 1 << 62               # later than any time
PAST_SAMPLE = 8             # replaces SAMPLE in history
CODE_LINES, LINE_SZB = "lines", 16       # of code, like a set of small pages


class Mapping(NamedTuple):
    """Memory that was mapped."""
    address: int
    size: int
    kind: int               # ANONYMOUS and so on
    permissions: int        # 4 read, 2 write, 1 execute
    offset: int
    device: int
    inode: int
    thread: int
    file: str


ANONYMOUS, FILE, HEAP, STACK, SHARED, BSS = range(6)


class MappingEvent(NamedTuple):
    """A change of mappings, before or in a part."""
    part: int               # the first part that ends after it
    address: int
    size: int
    mapping: Optional[Mapping]      # None: unmapped, or discarded if it
    stays: bool = False     # mapped


class Named(NamedTuple):
    """A thread that begins, or has another name."""
    part: int               # the first part that ends after it
    thread: int
    begins: bool
    name: str


class Entered(NamedTuple):
    """Pages that enter the first window, or are written, and the code that
    accessed them.
    """
    parts: Ints
    pages: Uints
    frames: Ints            # numbers of innermost frames; 0: none

    def within(self, first: int, end: int) -> "Entered":
        """Return the pages that enter in the parts `first` <= k < `end`."""
        return picked(self, (self.parts >= first) & (self.parts < end))

    def frames_of(self, pages: Uints, parts: Ints, n_parts: int) -> Ints:
        """Return the innermost frame of each access by which a page entered, or
        0 if the log has none.
        """
        if not len(self.pages):
            return np.zeros(len(pages), np.int64)
        known = np.unique(self.pages)
        keys = np.searchsorted(known, self.pages) * n_parts + self.parts
        order = np.argsort(keys)
        page = np.searchsorted(known, pages)
        page[page == len(known)] = 0
        wanted = page * n_parts + parts
        place = np.searchsorted(keys[order], wanted)
        place[place == len(keys)] = 0
        match = order[place]
        there = (keys[match] == wanted) & (self.pages[match] == pages)
        return np.where(there, self.frames[match], 0)


@dataclass(eq=False)
class LogData(Headed):
    """Everything in a log but pages."""
    name: str
    header: Dict[str, str]
    frames: Frames
    events: List[MappingEvent]
    marks: List[Mark]
    named: List[Named]
    complete: bool

    @property
    def has_dirty(self) -> bool:
        return self.header.get("Dirty") == "yes"

    @property
    def has_lines(self) -> bool:
        return self.header.get("Code lines") == "yes"

    @property
    def kinds(self) -> List[str]:
        """The sets that it has."""
        return [*KINDS[:2 + self.has_dirty]]


class Heads(NamedTuple):
    """The parts of a log, without their pages."""
    lengths: Ints           # of time
    instructions: Ints
    flags: Ints
    threads: Ints


@dataclass(eq=False)
class Piece:
    """Successive parts of time, and lists of the pages accessed in them.  A
    part that repeats the pages of the part before shares its list.
    """
    first: int              # the number of the first part
    heads: Heads
    lists: Ints             # the number of each part's list, ascending
    # By set: pages, list after list, and the number of pages on each list.
    pages: Dict[str, Uints] = field(default_factory=dict)
    counts: Dict[str, Ints] = field(default_factory=dict)
    entered: Dict[str, Entered] = field(default_factory=dict)

    @property
    def end(self) -> int:
        return self.first + len(self.lists)

    def parts(self, first: int, end: int) -> "Piece":
        """Return the parts `first` <= k < `end`."""
        return replace(self, first=first, lists=self.lists[
            first - self.first:end - self.first])


@dataclass(eq=False)        # so that it can be a key
class PageLog(LogData):
    # An item for each part, in the order of time.
    ends: Ints              # time of its end
    instructions: Ints
    flags: Ints
    threads: Ints
    # Reads the first parts, so many, without the records of these letters.
    read: Callable[[int, str], Iterator[Piece]]
    begin: int = 0          # --from
    end: Optional[int] = None   # --to; None: the log is of the whole run

    @property
    def n_parts(self) -> int:
        return len(self.ends)

    @property
    def is_sample(self) -> Bools:
        """True for parts that end with a sample, but not in history."""
        return self.flags & SAMPLE > 0

    @property
    def first_part(self) -> int:
        """The number of the first part that is not history."""
        return int(np.searchsorted(self.ends, self.begin, "right")
                   ) if self.begin else 0

    @property
    def last_time(self) -> int:
        return int(self.ends[-1]) if self.n_parts else 0
