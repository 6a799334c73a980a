# SPDX-License-Identifier: GPL-2.0-or-later
"""The composition of working sets: the sections Kept samples, Composition,
Entries and Stacks of a report.
"""

import os
from collections import Counter
from dataclasses import dataclass, field
from typing import Dict, Iterator, List, Optional, Sequence, Set, Tuple

from ws_python.base.units import read_as

# In ws_attach's reports: pages of files, and those that processes share.
FILES = "files"
SETS_OF_PARTS = ("insn", "data", FILES)
HEAP_MMAP, FILES_AND_CODE = "heap/mmap", "files/code/.bss"
# Whose code is: the system's, what runs main or a thread's function, and the
# program's.
WHOSE = ("-", "start", "own", "generated")
RESIDENT, COLD = MEMORY = "resident", "cold"    # no working sets


@dataclass(eq=False)        # so that it can be a key
class Frame:
    """A place in a call stack."""
    caller: Optional[int]       # its frame; None: there is none
    cut: bool                   # there are callers, but they are not known
    address: int
    line: Optional[int]
    function: str               # "" if unknown; the same for the next two
    file: str
    object: str
    whose: str                  # of WHOSE
    depth: int                  # number of frames from here outwards

    @property
    def is_own(self) -> bool:
        """The program has this code, or has generated it."""
        return self.whose in ("own", "generated")

    @property
    def words(self) -> str:
        """The place in words: f (x.c:40), or f (in prog)."""
        return (self.function or f"0x{self.address:X}: ???") + self.where()

    def where(self, one_line: bool = True) -> str:
        """What follows a name; for several lines of a function, the file."""
        file, path = (os.path.basename(name)
                      for name in (self.file, self.object))
        if file and one_line and self.line is not None:
            file += f":{self.line}"
        return f" ({file or 'in ' + path})" if file or path else ""


@dataclass
class Part:
    """Pages that have an entry stack and a mapping in common."""
    pages: int
    written: Optional[int]      # of these pages; None: not known
    frame: Optional[int]        # the innermost one; None: no stack
    mapping: str
    folded: bool = False        # the callees of the frame brought them in
    lead: Optional[int] = None  # of the stack; None: the frame tells it


@dataclass
class Kept:
    """A sample whose composition is kept."""
    set: str
    tau: Optional[int]          # None: memory has no window
    time: int
    pages: int
    written: Optional[int]
    why: List[str]
    label: str                  # of a snapshot
    parts: List[Part] = field(default_factory=list)
    rank: int = 0               # 2: it is peak.2 of the run; 0: no peak

    @property
    def time_name(self) -> str:
        """Name the sample by its time; a time alone is one of working sets."""
        return self.prefix + str(self.time)

    @property
    def prefix(self) -> str:
        return f"{read_as(self.set)}." if self.set in MEMORY else ""

    @property
    def names(self) -> List[str]:
        """All names of the sample."""
        names = ([f"{read_as(self.set)}.peak"] if "largest" in self.why
                 else [])
        if self.rank:
            names.append(f"peak.{self.rank}")
        names.append(self.time_name)
        if "snapshot" in self.why and self.label:
            names.append(self.prefix + self.label)
        return names

    @property
    def sign(self) -> str:
        """The number of a peak, as for --at=peak.1, or a letter."""
        return (str(self.rank) if self.rank else "max" if "largest" in self.why
                else "S" if self.label else self.why[0][0])

    def uses(self) -> "Counter[str]":
        """Count pages by what they are for.  Other anonymous memory is the
        heap's, too: malloc maps large blocks.
        """
        uses: "Counter[str]" = Counter()
        for part in self.parts:
            uses["stacks" if part.mapping.startswith("stack of") else
                  FILES_AND_CODE if part.mapping.startswith("/") else
                  HEAP_MMAP] += part.pages
        return uses


@dataclass
class Compositions:
    """All compositions of a report; empty if it has none.  Questions without a
    window are about the chosen one.
    """
    samples: Dict[int, Kept] = field(default_factory=dict)  # by their numbers
    entries: Dict[Tuple[str, int], List[Part]] = field(default_factory=dict)
    frames: Dict[int, Frame] = field(default_factory=dict)
    tau: int = 0                # the chosen window

    @property
    def kept(self) -> Dict[int, Kept]:
        """The kept samples of working sets."""
        return {number: sample for number, sample in self.samples.items()
                if sample.tau == self.tau}

    def shown(self, wanted: Sequence[str]) -> List[Kept]:
        """Return the kept samples of these sets and of memory."""
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
    def entered(self) -> Dict[str, List[Part]]:
        """The entries by set."""
        return {name: parts for (name, tau), parts in self.entries.items()
                if tau == self.tau}

    def largest(self, name: str, tau: Optional[int] = None) -> Optional[Kept]:
        """Return the largest kept sample of a set."""
        wanted = None if name in MEMORY else tau or self.tau
        return next((sample for sample in self.samples.values()
                     if (sample.set, sample.tau) == (name, wanted)
                     and "largest" in sample.why), None)

    def peaks(self) -> List[Kept]:
        """Return peaks of all sets, highest first; a part may lack some."""
        return sorted((sample for sample in self.kept.values() if sample.rank),
                      key=lambda sample: sample.rank)

    def chain(self, number: Optional[int]) -> List[Frame]:
        """Return a frame and its callers."""
        frames: List[Frame] = []
        while number is not None:
            frames.append(self.frames[number])
            number = frames[-1].caller
        return frames

    def parts(self) -> Iterator[Part]:
        """Yield the parts of all samples, and of all entries."""
        for sample in self.samples.values():
            yield from sample.parts
        for parts in self.entries.values():
            yield from parts

    def innermost(self) -> Set[int]:
        """Return the known frames that made accesses."""
        return {part.frame for part in self.parts()
                if part.frame is not None and part.frame in self.frames}

    def finish(self, complete: bool, tau: int,
               frames: Set[Optional[int]]) -> str:
        """Choose the window `tau` if it is there, rank its peaks, of all sets,
        and make a part of the pages that a cut has taken.  Return the name of
        a contradiction, or ""; `frames` are needed, too.
        """
        known = {sample.tau for sample in self.samples.values() if sample.tau}
        self.tau = tau if tau in known else max(known, default=tau)
        peaks = [sample for sample in self.kept.values()
                 if "peak" in sample.why]
        peaks.sort(key=lambda peak: (-peak.pages, peak.time, peak.set))
        for rank, peak in enumerate(peaks, 1):
            peak.rank = rank
        for number, sample in self.samples.items():
            pages = sample.pages - sum(part.pages for part in sample.parts)
            written = (sample.written or 0) - sum(
                part.written or 0 for part in sample.parts)
            if min(pages, written) < 0 or complete and (pages or written):
                return f"the sum of sample {number}"
            if pages:
                sample.parts.append(Part(
                    pages, None if sample.written is None else written, None,
                    "unknown: the report is truncated"))
        frames = frames.union(*((part.frame, part.lead)
                                for part in self.parts()))
        is_missing = complete and not frames <= {None, *self.frames}
        return "a stack that is not there" if is_missing else ""


def by_mapping(parts: Sequence[Part]) -> List[Tuple[str, int, int]]:
    """Return mappings with their pages and written pages, largest first."""
    pages: "Counter[str]" = Counter()
    written: "Counter[str]" = Counter()
    for part in parts:
        pages[part.mapping] += part.pages
        written[part.mapping] += part.written or 0
    return [(name, pages[name], written[name]) for name
            in sorted(pages, key=lambda name: (-pages[name], name))]
