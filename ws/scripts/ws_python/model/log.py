# SPDX-License-Identifier: GPL-2.0-or-later
"""What a page log says; its format is in ws/docs/page-log-format.md.

A log is held as a few arrays of the parts of time.  What they accessed is not
held, for logs may be of any size: it is read anew, in pieces, by all who ask
(engine/stream.py).

Of a part of a run (--from, --to; engine/part.py), what is behind its end is not
there, and what is before its begin is history: its parts, pages, mappings and
entries stay, for the windows of later samples look back at them, but it has no
samples and no marks.  So working sets have the sizes that they have in the
whole run.  Who goes by parts, and not by samples, begins with first_part.
"""

from dataclasses import dataclass, field
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional

import numpy as np

from ws_python.base.units import MS
from ws_python.model.report import Headed

INTERVAL_ENDS, SAMPLE, AGAIN = 1, 2, 4      # flags of a part
FAR = 1 << 62               # no time is as late
PAST_SAMPLE = 8             # instead of SAMPLE, in history


class Frame(NamedTuple):
    caller: int             # number of a frame; 0: none
    is_cut: bool            # there is one, but it is not known
    address: int
    line: int               # 0: not known
    text: str               # function|source file|file of the code


class Mapping(NamedTuple):
    """Memory that is mapped from some moment on."""
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
    """What happens to mappings, before or in a part."""
    part: int               # the part that was not over then
    address: int
    size: int
    mapping: Optional[Mapping]      # None: unmapped


class LogMark(NamedTuple):
    part: int               # that it ends; -1: at the start
    label: str


class Entered(NamedTuple):
    """Pages that enter the first window, and by which code."""
    parts: np.ndarray
    pages: np.ndarray
    frames: np.ndarray      # numbers; 0: none


@dataclass
class LogHead(Headed):
    name: str
    header: Dict[str, str]
    page_szB: int

    @property
    def unit(self) -> str:
        return MS if self.header.get("Time unit") == "milliseconds" \
            else "instructions"

    @property
    def has_dirty(self) -> bool:
        return self.header.get("Dirty") == "yes"


@dataclass
class LogData(LogHead):
    """What is not pages."""
    frames: List[Frame]     # by number; the first one stands for none
    events: List[MappingEvent]
    marks: List[LogMark]
    complete: bool


@dataclass
class Piece:
    """Some parts of time, one after the other, and what they accessed."""
    times: np.ndarray       # how long they are
    instructions: np.ndarray
    flags: np.ndarray
    threads: np.ndarray
    # By the set; those that have the pages of the one before have none.
    pages: Dict[str, np.ndarray] = field(default_factory=dict)
    counts: Dict[str, np.ndarray] = field(default_factory=dict)
    entered: Dict[str, Entered] = field(default_factory=dict)


@dataclass
class PageLog(LogData):
    # Of each part, in the order of time.
    ends: np.ndarray        # time of its end
    instructions: np.ndarray
    flags: np.ndarray
    threads: np.ndarray
    # Reads its pieces from the beginning, perhaps more than these parts.
    read: Callable[[], Iterator[Piece]]
    begin: int = 0          # of a part of the run; end: of nothing but a part
    end: Optional[int] = None

    @property
    def n_parts(self) -> int:
        return len(self.ends)

    @property
    def first_part(self) -> int:
        """Those before are history."""
        return int(np.searchsorted(self.ends, self.begin, "right")
                   ) if self.begin else 0

    def time_of(self, mark: LogMark) -> int:
        return 0 if mark.part < 0 else int(self.ends[mark.part])
