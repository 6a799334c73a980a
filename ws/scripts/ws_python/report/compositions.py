# SPDX-License-Identifier: GPL-2.0-or-later
"""The composition of working sets: the sections Kept samples, Composition,
Entries and Stacks of a report.
"""

import os
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from ws_python.base.units import read_as

# A set that only the reports of ws_attach have: pages of files, and those that
# processes share.
FILES = "files"
SETS_OF_ORIGINS = ("insn", "data", FILES)
HEAP_MMAP, FILES_AND_CODE = "heap/mmap", "files/code/.bss"
# Whose code a frame is in: the system's, code that starts main or a thread's
# function, the program's, and code that it has generated.
WHOSE = ("-", "start", "own", "generated")
# Sets without a window; those unshared were shared after a fork, up to a write.
# The heap is resident memory by who has allocated it, in bytes.
RESIDENT, COLD, UNSHARED, HEAP_SET = MEMORY = "resident", "cold", "unshared", "heap"
# These stand for the heap at the end, for its live bytes then, and at the maximum.
AT_END, LIVE_AT_END, LIVE = "left", "live.end", "live"
OF_HEAP = {HEAP_SET: "largest", LIVE: "largest", AT_END: "end",
           LIVE_AT_END: "end"}      # why the sample is kept
# What the heap consists of.
BLOCKS, FREE, NOT_HEAP = ("live blocks", "free or in no block",
                          "files, code and stacks")


@dataclass(eq=False)        # so that it can be a key
class Frame:
    """A place in a call stack."""
    caller: Optional[int]       # its number; None: there is none, or cut
    cut: bool                   # it has callers that are not known
    address: int
    line: Optional[int]
    function: str               # "" if unknown; the same for the next two
    file: str
    object: str
    whose: str                  # of WHOSE
    depth: int = 0              # of a report: frames from here outwards

    @property
    def is_own(self) -> bool:
        """The program has this code, or has generated it."""
        return self.whose in ("own", "generated")

    @property
    def words(self) -> str:
        """The place in words: f (x.c:40), or f (in prog)."""
        return (self.function or f"0x{self.address:X}: ???") + self.where()

    def where(self, with_line: bool = True) -> str:
        """Return the place that stands behind a function's name: " (x.c:40)",
        or " (x.c)" without the line, or " (in prog)".
        """
        file, path = (os.path.basename(name)
                      for name in (self.file, self.object))
        if file and with_line and self.line is not None:
            file += f":{self.line}"
        return f" ({file or 'in ' + path})" if file or path else ""


@dataclass
class Origin:
    """The code, with its callers, by which pages entered a set, and their
    mapping; and how many pages have it in common.
    """
    pages: int
    written: Optional[int]      # of these pages; None: not known
    frame: Optional[int]        # the innermost frame; None: no stack
    mapping: str
    folded: bool = False        # callees of the frame accessed them
    # The frame of the program's own code; None: the stack tells it.
    lead: Optional[int] = None
    # The names of its nodes in a tree by threads, above calls.
    above: Tuple[str, ...] = ()
    # Of the heap, by the columns of the section: of these bytes, or blocks.
    heap: Mapping[str, int] = field(default_factory=dict)


@dataclass
class Kept:
    """A sample whose composition the report keeps."""
    set: str
    tau: Optional[int]          # the window; None: memory has none
    time: int
    pages: int
    written: Optional[int]
    why: List[str]
    label: str                  # of a snapshot
    origins: List[Origin] = field(default_factory=list)
    rank: int = 0               # 2: it is peak.2 of the run; 0: no peak

    @property
    def time_name(self) -> str:
        """Name the sample by its time.  Names of memory have a prefix."""
        return self.prefix + str(self.time)

    @property
    def prefix(self) -> str:
        return f"{read_as(self.set)}." if self.set in MEMORY else ""

    @property
    def names(self) -> List[str]:
        """All names that --at takes for the sample."""
        names = ([f"{read_as(self.set)}.peak"] if "largest" in self.why
                 else [])
        if "end" in self.why:
            names.append(f"{self.prefix}end")
        if self.rank:
            names.append(f"peak.{self.rank}")
        names.append(self.time_name)
        if "snapshot" in self.why and self.label:
            names.append(self.prefix + self.label)
        return names

    @property
    def sign(self) -> str:
        """The text at its point in a picture: a peak's number, or a letter."""
        return (str(self.rank) if self.rank else "max" if "largest" in self.why
                else "S" if self.label else self.why[0][0])

    def uses(self) -> "Counter[str]":
        """Count pages by use: stacks, files and code, or heap.  All other
        anonymous memory counts as heap, since malloc maps large blocks.
        """
        uses: "Counter[str]" = Counter()
        for origin in self.origins:
            uses["stacks" if origin.mapping.startswith("stack of") else
                  FILES_AND_CODE if origin.mapping.startswith("/") else
                  HEAP_MMAP] += origin.pages
        return uses


@dataclass
class Compositions:
    """All compositions of a report; empty if it has none.  Methods that take
    no window use `tau`.
    """
    samples: Dict[int, Kept] = field(default_factory=dict)  # by number
    # The pages that entered a set in the whole run, by the set and the window.
    entries: Dict[Tuple[str, int], List[Origin]] = field(default_factory=dict)
    frames: Mapping[int, Frame] = field(default_factory=dict)   # by number
    tau: int = 0                # the window that views show

    @property
    def kept(self) -> Dict[int, Kept]:
        """The kept samples of working sets, by number."""
        return {number: sample for number, sample in self.samples.items()
                if sample.tau == self.tau}

    def shown(self, wanted: Sequence[str]) -> List[Kept]:
        """Return the kept samples of these sets, and of memory."""
        return [*(sample for sample in self.kept.values()
                  if sample.set in wanted),
                *(sample for sample in self.samples.values()
                  if sample.set in MEMORY)]

    def largest_of_others(self, wanted: Sequence[str]) -> List[Kept]:
        """Return the largest samples of these sets in the other windows."""
        return [sample for sample in self.samples.values()
                if sample.tau not in (None, self.tau) and sample.set in wanted
                and "largest" in sample.why]

    @property
    def entered(self) -> Dict[str, List[Origin]]:
        """The entries by set."""
        return {name: origins for (name, tau), origins in self.entries.items()
                if tau == self.tau}

    def largest(self, name: str, tau: Optional[int] = None) -> Optional[Kept]:
        """Return the largest sample of a set; None if it is not kept."""
        kind = HEAP_SET if name in OF_HEAP else name
        wanted = None if kind in MEMORY else tau or self.tau
        found = next((sample for sample in self.samples.values()
                      if (sample.set, sample.tau) == (kind, wanted)
                      and OF_HEAP.get(name, "largest") in sample.why), None)
        return live_of(found) if found and name in (LIVE, LIVE_AT_END) else found

    def peaks(self) -> List[Kept]:
        """Return the kept peaks of all sets, highest first."""
        return sorted((sample for sample in self.kept.values() if sample.rank),
                      key=lambda sample: sample.rank)

    def chain(self, number: Optional[int]) -> List[Frame]:
        """Return the frame with this number, then its callers; [] for None."""
        frames: List[Frame] = []
        while number is not None:
            frames.append(self.frames[number])
            number = frames[-1].caller
        return frames

    def origins(self) -> Iterator[Origin]:
        """Return the origins of all samples, and of all entries."""
        return chain(*(sample.origins for sample in self.samples.values()),
                     *self.entries.values())

    def finish(self, complete: bool, tau: int,
               frames: Set[Optional[int]]) -> str:
        """Complete the compositions once all sections have been read: choose
        the window `tau`, or else the longest; rank its peaks; and give pages
        whose rows a cut has taken an origin.  Return what contradicts itself,
        or "".  Other sections refer to `frames`.
        """
        known = {sample.tau for sample in self.samples.values() if sample.tau}
        self.tau = tau if tau in known else max(known, default=tau)
        peaks = [sample for sample in self.kept.values()
                 if "peak" in sample.why]
        peaks.sort(key=lambda peak: (-peak.pages, peak.time, peak.set))
        for rank, peak in enumerate(peaks, 1):
            peak.rank = rank
        for number, sample in self.samples.items():
            origins = sample.origins
            pages = sample.pages - sum(origin.pages for origin in origins)
            written = (sample.written or 0) - sum(
                origin.written or 0 for origin in origins)
            if min(pages, written) < 0 or complete and (pages or written):
                return f"the sum of sample {number}"
            if pages:
                origins.append(Origin(
                    pages, None if sample.written is None else written, None,
                    "unknown: the report is truncated"))
        frames = frames.union(*((origin.frame, origin.lead)
                                for origin in self.origins()))
        is_missing = complete and not frames <= {None, *self.frames}
        return "a stack that is not there" if is_missing else ""


def unit_szB(kind: str, page_szB: int) -> int:
    """Return the bytes of what a set counts: pages, or bytes of the heap."""
    return 1 if kind in OF_HEAP else page_szB


def live_of(heap: Kept) -> Kept:
    """Make a heap that counts live bytes, resident or not."""
    origins = [replace(origin, pages=origin.heap["live"])
               for origin in heap.origins if origin.heap.get("live")]
    return replace(heap, origins=origins, pages=sum(
        origin.pages for origin in origins))


def by_mapping(origins: Sequence[Origin]) -> List[Tuple[str, int, int]]:
    """Return mappings with their pages and written pages, largest first."""
    pages: "Counter[str]" = Counter()
    written: "Counter[str]" = Counter()
    for origin in origins:
        pages[origin.mapping] += origin.pages
        written[origin.mapping] += origin.written or 0
    return [(name, pages[name], written[name]) for name
            in sorted(pages, key=lambda name: (-pages[name], name))]
