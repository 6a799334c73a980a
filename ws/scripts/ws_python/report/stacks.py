# SPDX-License-Identifier: GPL-2.0-or-later
"""Call stacks as people read them, without the frames that start main; and the
functions and mappings to which the pages of a sample belong.
"""

import os
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import (Callable, DefaultDict, Dict, List, NamedTuple, Optional,
                    Set, Tuple)

from ws_python.base.text import LONGEST_FUNCTION, brief_name, printable
from ws_python.report.compositions import Compositions, Frame, Kept, Origin

RUST_START = "std::rt::lang_start"
NO_SYMBOLS, NO_NAMES = "code without symbols", "code without names"
STACK_PREFIX = "stack of"       # a stack's mapping begins with it


class Step(NamedTuple):
    """A step of a path in a tree of calls; steps with equal keys share a node.
    """
    key: Tuple[object, ...]
    frame: Optional[Frame]
    text: str                   # shown if there is no frame


# Makes the key of a frame's step.
Key = Callable[[Frame], Tuple[object, ...]]


def by_function(frame: Frame) -> Tuple[object, ...]:
    """Put all lines of a function together; keep nameless addresses apart."""
    return ((frame.function, frame.file, frame.object) if frame.function
            else (frame.address,))


def by_known(frame: Frame) -> Tuple[object, ...]:
    """Like by_function, but put all nameless code of an object together."""
    return frame.function, frame.file, frame.object


def by_line(frame: Frame) -> Tuple[object, ...]:
    return (*by_function(frame), frame.file, frame.line)


def by_known_name(frame: Frame) -> Tuple[object, ...]:
    """Go by the name alone, which remains the same when code moves to another
    place or file.
    """
    return (frame.function or known_name(frame, False),)


@lru_cache(maxsize=None)    # trees and shares name the same frames
def way_to(frame: Frame) -> str:
    """Name the function by which code accessed pages, in brief:
    operator[] (stl_map.h), malloc (libc.so.6).
    """
    source = os.path.basename(frame.file or frame.object)
    return printable(brief_name(frame.function, 0)
                     + (f" ({source})" if source else ""))


@lru_cache(maxsize=None)
def name_of(frame: Frame, with_line: bool = True, most: int = sys.maxsize
            ) -> str:
    """Name a place: f (x.c:40), or f (x.c) without the line.  A name of more
    than `most` characters loses types, class and template arguments.
    """
    if frame.function:
        return printable(brief_name(frame.function, most)
                         + frame.where(with_line))
    path = os.path.basename(frame.object)
    if not frame.address:       # the frame stands for all code of its object
        return known_name(frame)
    return printable(f"0x{frame.address:X}" + (f" in {path}" if path else ""))


def known_name(frame: Frame, with_line: bool = True, most: int = sys.maxsize
               ) -> str:
    """Name all code that by_known puts together with a frame."""
    if frame.function:
        return name_of(frame, with_line, most)
    path = printable(os.path.basename(frame.object))
    return f"{NO_SYMBOLS} in {path}" if path else NO_NAMES


def lead_of(frames: List[Frame]) -> Tuple[Optional[Frame], Optional[Frame]]:
    """Return the lead of a stack: its innermost frame of generated code, or
    else of the program's own code, or else with a name, or else of any code.
    Return also the function that the lead called to make the access, if that
    is other code.  For generated code, this is the interpreter's innermost
    function that is not inlined.  WS_(frame_lead) does the same.
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
    """Return the frames from the access to main, without those that start a
    program or thread, but at least the innermost; and whether callers of the
    last one are not known.
    """
    # The unwinder takes such frames for callers of the first function.
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
    """Count the frames that the unwinder found: without inlined functions,
    which have the address of the frame that they are inlined into.
    """
    return sum(caller is None or frame.address != caller.address
               or frame.function == caller.function
               for frame, caller in zip(frames, [*frames[1:], None]))


def step_of_mapping(origin: Origin) -> Step:
    return Step(("mapping", origin.mapping), None, printable(origin.mapping))


# In a run with very many stacks, stands for those that are folded.
CALLEES = Step(("callees",), None, "callees that brought in little")


# A function that gets blocks from one callee or two, at as few places, but for
# many callers and in many sizes, allocates for its callers: xmalloc.
FEW_PLACES, MANY_CALLERS, MANY_SIZES = 2, 4, 8
MOST_PASSED = 8


@dataclass
class Users:
    """How a function is used that allocates memory."""
    places: Set[int] = field(default_factory=set)   # in it
    callees: Set[Tuple[object, ...]] = field(default_factory=set)
    callers: Set[Tuple[object, ...]] = field(default_factory=set)
    sizes: Set[int] = field(default_factory=set)    # of blocks, on average


class Paths:
    """The paths in a tree of calls to the origins of a report, innermost step
    first.
    """

    def __init__(self, compositions: Compositions, key: Key):
        self.compositions, self.key = compositions, key
        self.known: Dict[int, List[Step]] = {}

    @cached_property
    def cut(self) -> Step:
        """The step at the end of stacks that are cut.  Few reports have any.
        """
        known = self.compositions
        stacks = map(known.chain, {
            origin.frame for origin in known.origins()
            if origin.frame in known.frames})
        limit = max((unwound(stack) for stack in stacks
                     if stack and stack[-1].cut), default=0)
        return Step(("cut",), None, f"callers beyond --num-callers={limit}"
                    " are not known")

    def lead(self, origin: Origin) -> Tuple[Optional[Frame], Optional[Frame]]:
        """Return the lead of an origin, as lead_of; of blocks, that of those for
        whom they were allocated.
        """
        lead = self.compositions.frames.get(origin.lead or 0)
        if lead and not origin.heap:
            return lead, None
        frames = [step.frame for step in self.of(origin) if step.frame]
        return lead_of(frames[self.passed(frames):] if origin.heap else frames)

    @cached_property
    def users(self) -> "DefaultDict[Tuple[object, ...], Users]":
        """How the functions near allocations are used, in all heaps."""
        users: "DefaultDict[Tuple[object, ...], Users]" = defaultdict(Users)
        for origin in self.compositions.origins():
            chain = self.compositions.chain(
                origin.frame if origin.heap and not origin.folded else None)
            before: Tuple[object, ...] = ()
            for frame, caller in zip(chain[:MOST_PASSED], chain[1:]):
                key = by_function(frame)
                users[key].places.add(frame.address)
                users[key].callees.add(before)
                users[key].callers.add(by_function(caller))
                users[key].sizes.add(origin.heap["live"] // origin.heap["blocks"])
                before = key
        return users

    def passed(self, frames: List[Frame]) -> int:
        """Count the innermost frames that only pass on what they allocate, and
        those without names behind them.
        """
        passed = 0
        for k, frame in enumerate(frames[:MOST_PASSED], 1):
            users = self.users[by_function(frame)]
            if max(len(users.places), len(users.callees)) > FEW_PLACES:
                break
            if (len(users.callers) >= MANY_CALLERS
                    and len(users.sizes) >= MANY_SIZES):
                passed = k
        return next((k for k in range(passed, len(frames))
                     if frames[k].function), 0) if passed else 0

    def of(self, origin: Origin) -> List[Step]:
        """Return the path of an origin; without a stack, its mapping."""
        if origin.frame is None or (
                origin.frame not in self.compositions.frames):
            return self.folded(origin) or [step_of_mapping(origin)]
        if origin.frame not in self.known:
            frames, cut = trimmed(self.compositions.chain(origin.frame))
            self.known[origin.frame] = [
                Step(self.key(frame), frame, "") for frame in frames
                ] + ([self.cut] if cut else [])
        return self.folded(origin) + self.known[origin.frame]

    def folded(self, origin: Origin) -> List[Step]:
        """Return the steps for folded callees, with their lead if known."""
        steps = [CALLEES] if origin.folded else []
        lead = self.compositions.frames.get(origin.lead or 0)
        return [Step(self.key(lead), lead, ""), *steps] if lead else steps


# --- Shares ----------------------------------------------------------------

@dataclass
class Share:
    """Pages that have a function of the program, or a mapping, in common."""
    name: str
    brief: str                  # the name in the tool's last lines
    pages: int = 0
    lines: "Counter[str]" = field(default_factory=Counter)  # of the function
    vias: "Counter[str]" = field(default_factory=Counter)   # what it called
    heap: "Counter[str]" = field(default_factory=Counter)   # as of an Origin

    @property
    def names(self) -> List[str]:
        """The name, with a line that most pages have; then the function by
        which it accessed most pages, if there is one.
        """
        return [self.majority(self.lines) or self.brief,
                *filter(None, [self.majority(self.vias)])]

    def majority(self, names: "Counter[str]") -> str:
        return next((name for name, pages in names.items()
                     if 2 * pages > self.pages), "")


def shares_of(kept: Kept, paths: Paths) -> List[Tuple[int, List[str]]]:
    """Return the pages and the names of each share of a sample, the largest
    first, and equal ones in the report's order, as ws_summary.c does.
    """
    return sorted(((share.pages, share.names)
                   for share in shares_in(kept, paths)),
                  key=lambda share: -share[0])


def shares_in(kept: Kept, paths: Paths) -> List[Share]:
    """Share a sample among functions of the program.  Stacks are a share of
    their own, all threads' together.  Code is shared among mappings, because
    nearly each function would be a share.  ws_summary.c has the same rule.
    """
    shares: Dict[object, Share] = {}
    stacks: Set[str] = set()
    for origin in kept.origins:
        lead, via = ((None, None) if kept.set == "insn" else paths.lead(origin))
        key, name = origin.mapping, printable(origin.mapping.rpartition("/")[2])
        if origin.mapping.startswith(STACK_PREFIX):
            stacks.add(name)
            key = name = STACK_PREFIX
            lead, via = None, lead
        elif kept.set == "insn" and not origin.mapping.startswith("/"):
            name = f"generated code ({name})"
        owner = by_known(lead) if lead else key
        if owner not in shares:
            shares[owner] = Share(name, name) if lead is None else Share(
                known_name(lead, False),
                known_name(lead, False, LONGEST_FUNCTION))
        share = shares[owner]
        share.pages += origin.pages
        share.heap.update(origin.heap)
        if lead:
            line = known_name(lead, True, LONGEST_FUNCTION)
            share.lines[line] += origin.pages
        if via:
            share.vias[way_to(via)] += origin.pages
    if len(stacks) > 1:
        shares[STACK_PREFIX].brief = f"stacks of {len(stacks)} threads"
    elif stacks:    # what pushes first on its pages says little
        shares[STACK_PREFIX].brief = stacks.pop()
        shares[STACK_PREFIX].vias.clear()
    return [*shares.values()]


def percent(part: int, whole: int) -> int:
    """Return a share of the whole in percent, rounded."""
    return (200 * part + whole) // (2 * whole)
