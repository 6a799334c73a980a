# SPDX-License-Identifier: GPL-2.0-or-later
"""Call stacks as people read them: without what is below main, and without
the frames of a language's start; and whose the pages of a kept sample are:
functions of the program, and mappings.
"""

import os
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from ws_python.base.text import LONGEST_FUNCTION, brief_name, printable
from ws_python.report.compositions import Compositions, Frame, Kept, Part

RUST_START = "std::rt::lang_start"
NO_SYMBOLS, NO_NAMES = "code without symbols", "code without names"
STACK_PREFIX = "stack of"          # what a mapping begins with that is one


class Step(NamedTuple):
    """Of a path in a tree of calls; equal keys are one node."""
    key: Tuple[object, ...]
    frame: Optional[Frame]
    text: str                   # where there is no frame


Key = Callable[[Frame], Tuple[object, ...]]


def by_function(frame: Frame) -> Tuple[object, ...]:
    """Whatever the line; what is inlined is named without its class."""
    return ((frame.function, frame.file, frame.object) if frame.function
            else (frame.address,))


def by_known(frame: Frame) -> Tuple[object, ...]:
    """The same, but all code of an object that has no names is one."""
    return frame.function, frame.file, frame.object


def by_line(frame: Frame) -> Tuple[object, ...]:
    return (*by_function(frame), frame.file, frame.line)


def by_known_name(frame: Frame) -> Tuple[object, ...]:
    """By what is the same after a change of the program, and in another place
    or file.
    """
    return (frame.function or known_name(frame, False),)


@lru_cache(maxsize=None)    # trees and owners ask for the same ones
def way_to(frame: Frame) -> str:
    """What lies between, in brief: operator[] (stl_map.h), malloc (libc.so.6).
    """
    source = os.path.basename(frame.file or frame.object)
    return printable(brief_name(frame.function, 0)
                     + (f" ({source})" if source else ""))


@lru_cache(maxsize=None)
def name_of(frame: Frame, one_line: bool = True, most: int = sys.maxsize
            ) -> str:
    """Name a place: f (x.c:40), or f (x.c) for several lines of it."""
    if frame.function:
        return printable(brief_name(frame.function, most)
                         + frame.where(one_line))
    path = os.path.basename(frame.object)
    if not frame.address:       # it stands for all code of its object
        return known_name(frame)
    return printable(f"0x{frame.address:X}" + (f" in {path}" if path else ""))


def known_name(frame: Frame, one_line: bool = True, most: int = sys.maxsize
               ) -> str:
    """Of one that by_known has put together with others."""
    if frame.function:
        return name_of(frame, one_line, most)
    path = printable(os.path.basename(frame.object))
    return f"{NO_SYMBOLS} in {path}" if path else NO_NAMES


def lead_of(frames: List[Frame]) -> Tuple[Optional[Frame], Optional[Frame]]:
    """Whose a stack is: the innermost frame of generated code, or else that is
    the program's own, or else that has a name, or else any; and what it has
    called for the access, if that was in other code; for an interpreter, its
    innermost function, and not one that is inlined there.  WS_(frame_lead) does
    the same.
    """
    before, own, inner = None, None, None
    for frame in frames:
        if frame.whose == "generated":
            return frame, inner or before
        if not own and frame.whose == "own":
            own = frame, before
        if own and frame.address == own[0].address and frame.function:
            inner = frame
        before = frame if frame.function else before
    return own or (next((frame for frame in frames if frame.function),
                        frames[0]) if frames else None, None)


def trimmed(frames: List[Frame]) -> Tuple[List[Frame], bool]:
    """Those that tell something; of a stack without any, the innermost.  And
    whether callers are missing.
    """
    # What the unwinder takes for a caller of the first function.
    while frames[1:] and not frames[-1].function and not frames[-1].object:
        frames = frames[:-1]
    mains = [k for k, frame in enumerate(frames) if frame.function == "main"]
    if mains:
        frames = frames[:mains[-1] + 1]
        # Rust has a main that calls the program's.
        if any(frame.function.startswith(RUST_START) for frame in frames):
            frames = frames[:-1]
    return [frame for k, frame in enumerate(frames)
            if not (k and frame.whose == "start")
            ], frames[-1].cut and not mains


def unwound(frames: List[Frame]) -> int:
    """How many frames the unwinder found; those that are inlined have the
    address of the frame that they are inlined into.
    """
    return sum(1 for frame, caller in zip(frames, [*frames[1:], None])
               if caller is None or frame.address != caller.address
               or frame.function == caller.function)

# Of a run with very many stacks.
CALLEES = Step(("callees",), None, "callees that brought in little")


class Paths:
    """Makes steps of the stacks of a report."""

    def __init__(self, found: Compositions, key: Key):
        self.found, self.key = found, key
        self.known: Dict[int, List[Step]] = {}

    @cached_property
    def cut(self) -> Step:
        """Say that callers are missing: few reports have such stacks."""
        stacks = map(self.found.chain, self.found.innermost())
        limit = max((unwound(stack) for stack in stacks
                     if stack and stack[-1].cut), default=0)
        return Step(("cut",), None, f"callers beyond --num-callers={limit}"
                    " are not known")

    def lead(self, part: Part) -> Tuple[Optional[Frame], Optional[Frame]]:
        if part.lead is not None and part.lead in self.found.frames:
            return self.found.frames[part.lead], None
        return lead_of([step.frame for step in self.of(part) if step.frame])

    def of(self, part: Part) -> List[Step]:
        """Innermost first; a part without a stack has its mapping."""
        if part.frame is None or part.frame not in self.found.frames:
            return self.lead_in(part) or [
                Step(("mapping", part.mapping), None, printable(part.mapping))]
        if part.frame not in self.known:
            frames, cut = trimmed(self.found.chain(part.frame))
            self.known[part.frame] = [
                Step(self.key(frame), frame, "") for frame in frames
                ] + ([self.cut] if cut else [])
        return self.lead_in(part) + self.known[part.frame]

    def lead_in(self, part: Part) -> List[Step]:
        """What stands for the callees of a folded part: at least their lead."""
        steps = [CALLEES] if part.folded else []
        if part.lead is None or part.lead not in self.found.frames:
            return steps
        lead = self.found.frames[part.lead]
        return [Step(self.key(lead), lead, ""), *steps]


# --- Origins ---------------------------------------------------------------

@dataclass
class Share:
    """Pages that have a function of the program, or a mapping, in common."""
    name: str
    brief: str                  # as in the tool's last lines
    pages: int = 0
    lines: "Counter[str]" = field(default_factory=Counter)
    vias: "Counter[str]" = field(default_factory=Counter)

    @property
    def names(self) -> List[str]:
        """With a line, and what lies between, if it is so for most pages."""
        return [self.most(self.lines) or self.brief,
                *filter(None, [self.most(self.vias)])]

    def most(self, names: "Counter[str]") -> str:
        return next((name for name, pages in names.items()
                     if 2 * pages > self.pages), "")


def shares_of(kept: Kept, paths: Paths) -> List[Tuple[int, List[str]]]:
    """Pages, and whose they are, the most pages first; of equal ones, the
    first of the report, as in ws_summary.c.
    """
    return sorted(((share.pages, share.names)
                   for share in origins_of(kept, paths)),
                  key=lambda share: -share[0])


def origins_of(kept: Kept, paths: Paths) -> List[Share]:
    """By mapping are stacks, all threads' together, and code, most of which is
    entered once from each place.  ws_summary.c has the same rule.
    """
    shares: Dict[object, Share] = {}
    stacks: Set[str] = set()
    for part in kept.parts:
        lead, via = ((None, None) if kept.set == "insn" else paths.lead(part))
        key, name = part.mapping, printable(part.mapping.rpartition("/")[2])
        if part.mapping.startswith(STACK_PREFIX):
            stacks.add(name)
            key = name = STACK_PREFIX
            lead, via = None, lead
        elif kept.set == "insn" and not part.mapping.startswith("/"):
            name = f"generated code ({name})"
        owner = by_known(lead) if lead else key
        if owner not in shares:
            shares[owner] = Share(name, name) if lead is None else Share(
                known_name(lead, False),
                known_name(lead, False, LONGEST_FUNCTION))
        share = shares[owner]
        share.pages += part.pages
        if lead:
            share.lines[known_name(lead, True, LONGEST_FUNCTION)] += part.pages
        if via:
            share.vias[way_to(via)] += part.pages
    if len(stacks) > 1:
        shares[STACK_PREFIX].brief = f"stacks of {len(stacks)} threads"
    elif stacks:    # what pushes first on its pages says little
        shares[STACK_PREFIX].brief = stacks.pop()
        shares[STACK_PREFIX].vias.clear()
    return [*shares.values()]


def percent(part: int, whole: int) -> int:
    """Rounded."""
    return (200 * part + whole) // (2 * whole)
