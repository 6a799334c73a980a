# SPDX-License-Identifier: GPL-2.0-or-later
"""The content of a page log; ws/docs/page-log-format.md has the format.

A PageLog holds a few arrays with an item for each part of time.  It does not
hold accesses, as logs may have any size: views read them in pieces, together
if the log is small enough (pagelog/stream.py).

A log of a part of a run (--from, --to; pagelog/windows.py) has nothing behind
the part's end.  The time before its begin is history: parts, pages, mappings
and entries stay, since the windows of later samples look back at them, but
history has no samples and no marks.  So working sets have the same sizes as in
the whole run.  Code that goes by parts, not samples, begins with first_part.
"""

from dataclasses import dataclass, field, replace
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional

import numpy as np

from ws_python.pagelog.ranges import Bools, Ints, Uints, picked
from ws_python.report.compositions import Frame
from ws_python.report.report import Headed, Mark
from ws_python.report.sizes import KINDS

INTERVAL_ENDS, SAMPLE, AGAIN = 1, 2, 4      # flags of a part
FAR = 1 << 62               # later than any time
PAST_SAMPLE = 8             # replaces SAMPLE in history


class Mapping(NamedTuple):
    """Memory that was mapped at some moment."""
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
    mapping: Optional[Mapping]      # None: unmapped, or if it
    stays: bool = False     # mapped, discarded


class Entered(NamedTuple):
    """Pages that enter the first window, and the code that accessed them."""
    parts: Ints
    pages: Uints
    frames: Ints            # numbers; 0: none

    def within(self, first: int, end: int) -> "Entered":
        """Return those in the parts `first` <= k < `end`."""
        return picked(self, (self.parts >= first) & (self.parts < end))


@dataclass(eq=False)
class LogData(Headed):
    """Everything in a log but pages."""
    name: str
    header: Dict[str, str]
    frames: Dict[int, Frame]    # by number, from 1
    events: List[MappingEvent]
    marks: List[Mark]
    complete: bool

    @property
    def has_dirty(self) -> bool:
        return self.header.get("Dirty") == "yes"

    @property
    def kinds(self) -> List[str]:
        """The sets that it has."""
        return [*KINDS[:2 + self.has_dirty]]


class Heads(NamedTuple):
    """What a log says of parts before their pages."""
    lengths: Ints
    instructions: Ints
    flags: Ints
    threads: Ints


@dataclass(eq=False)
class Piece:
    """Some successive parts of time, and the lists of the pages that they
    accessed.  A part that repeats the pages of the one before has its list.
    """
    first: int              # the number of the first part
    heads: Heads
    lists: Ints             # the number of each part's list, ascending
    # By the set: pages, list after list, and how many each list has.
    pages: Dict[str, Uints] = field(default_factory=dict)
    counts: Dict[str, Ints] = field(default_factory=dict)
    entered: Dict[str, Entered] = field(default_factory=dict)

    @property
    def end(self) -> int:
        return self.first + len(self.lists)

    def parts(self, first: int, end: int) -> "Piece":
        """Return some of the parts."""
        return replace(self, first=first, lists=self.lists[
            first - self.first:end - self.first])


@dataclass(eq=False)        # so that it can be a key
class PageLog(LogData):
    # An item for each part, in the order of time.
    ends: Ints              # time of its end
    instructions: Ints
    flags: Ints
    threads: Ints
    # Reads pieces of so many parts, without some records ("E": entries).
    read: Callable[[int, str], Iterator[Piece]]
    begin: int = 0          # of a part of the run; `end` is set in parts only
    end: Optional[int] = None

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
