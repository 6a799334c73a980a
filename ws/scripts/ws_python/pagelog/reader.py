# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads page logs, whose format ws/docs/page-log-format.md describes."""

from bisect import bisect_left
from dataclasses import replace
from typing import (IO, Callable, ContextManager, Dict, Iterator, List,
                    Sequence, Tuple)

import numpy as np

from ws_python.base.text import Failure, printable, progress
from ws_python.base.units import count
from ws_python.pagelog.blocks import (BLANKS, Block, Bodies, Damage, Other,
                                      Ranges, Records, numbers_of, running,
                                      signed)
from ws_python.pagelog.frames import FIELDS, Frames
from ws_python.pagelog.log import (AGAIN, CODE_LINES, FAR, INTERVAL_ENDS,
                                   LINE_SZB, SAMPLE, Entered, Heads, LogData,
                                   Mapping, MappingEvent, Named, PageLog, Piece)
from ws_python.pagelog.ranges import (Ints, begins_of, restarting, split_runs,
                                      stacked, starts_of)
from ws_python.report.files import LOG_BYTES, name_of_file, opened, warn_of_cut
from ws_python.report.reader import read_header
from ws_python.report.report import Mark
from ws_python.report.sizes import KINDS

LOG_FORMAT = 1
PART_FIELDS = 7             # before the pages
MOST_HEADER_SZB = 1 << 23
# The numbers of what is held in memory.
MOST_OTHERS = 2 * 1000 * 1000       # events, frames, texts and marks
MOST_PARTS = 10 ** 7
NO_PARTS = Heads(*[np.zeros(0, np.int64)] * 4)


# --- The header --------------------------------------------------------------

def head_of(file: IO[bytes], name: str) -> Iterator[str]:
    """Yield the lines of the header.  Failure: the file is no page log, or the
    header has no end.
    """
    if file.read(len(LOG_BYTES)) != LOG_BYTES:
        raise Failure(f"{name}: is not a page log of valgrind's ws tool")
    file.readline(MOST_HEADER_SZB)      # its version
    for line in iter(lambda: file.readline(MOST_HEADER_SZB), b""):
        if line.endswith(b"\n"):
            yield line[:-1].decode(errors="replace")
        elif len(line) == MOST_HEADER_SZB:
            raise Failure(f"{name}: its header has no end")
    raise Failure(f"{name}: its header is cut off")


# --- Records -----------------------------------------------------------------

def text_of(data: bytes) -> str:
    return printable(data.decode(errors="replace"))


def read_mapping(body: bytes) -> Mapping:
    numbers, at = numbers_of(body, 8)
    address, size, kind, permissions, offset, device, inode, thread = numbers
    return Mapping(address, size, kind, permissions, offset, device, inode,
                   thread, text_of(body[at:]))


class LogReader(LogData):
    """Reads a log, complete or cut off anywhere behind its header, piece by
    piece.  It collects everything but pages.
    """

    def __init__(self, file: IO[bytes], name: str, skipped: str = "",
                 only_heads: bool = False, most_parts: int = FAR):
        """Read the header.  From then on, skip records with these letters, all
        that is behind `most_parts`, and pages if `only_heads`.
        """
        header = read_header(head_of(file, name), name, LOG_FORMAT)
        super().__init__(name, header, Frames(), [], [], [], False)
        if self.page_szB & (self.page_szB - 1) or self.page_szB > 1 << 40:
            raise Failure(f"{name}: Page size in its header makes no sense: "
                          f"{self.page_szB}")
        self.number("Every")
        assert self.taus
        self.page_limit = (1 << 64) // self.page_szB - 1
        self.skipped, self.only_heads = skipped, only_heads
        self.most_parts = most_parts
        self.n_parts = 0
        self.time = self.done = 0.0     # time and instructions of these parts
        # The parts of records E and W, and the records.
        self.entries: Dict[str, List[Tuple[int, bytes]]] = {"E": [], "W": []}
        # The last part's pages, by set.
        self.last = {kind: np.zeros(0, np.uint64)
                     for kind in (*KINDS, CODE_LINES)}
        self.records = Records(file, skipped)

    def pieces(self) -> Iterator[Piece]:
        """Yield the parts.  Failure: the log is damaged."""
        try:
            for block in self.records:
                piece = self.read(block)
                if piece.first < piece.end:
                    yield piece
                if self.n_parts >= self.most_parts:
                    return
        except Damage as damage:
            raise Failure(f"{self.name}: damaged: it has {damage}") from None
        if self.records.rest.strip(BLANKS):
            self.complete = False

    def read(self, block: Block) -> Piece:
        """Read a block.  Damage: it makes no sense."""
        before = self.n_parts
        for other in block.others:
            self.n_parts = before + other.parts
            if other.letter in "EW" and self.n_parts < self.most_parts and (
                    "E" not in self.skipped):
                self.entries[other.letter].append((self.n_parts, other.body))
            elif other.letter not in "EW":
                try:
                    self.read_other(other)
                except IndexError:
                    raise Damage("a record that is too short") from None
        if "F" not in self.skipped:
            self.frames.add(Bodies(block.data, block.frames, FIELDS))
        if sum(map(len, (self.frames, self.frames.texts, self.events, self.marks,
                         self.named))) > MOST_OTHERS:
            raise Failure(f"{self.name}: has more than {count(MOST_OTHERS)} "
                          "frames, marks, names, and changes of mappings")
        self.n_parts = before + len(block.parts.begins)
        if self.n_parts > MOST_PARTS:
            raise Failure(f"{self.name}: has more than {count(MOST_PARTS)} "
                          "parts; --ws-every of ws makes fewer")
        if block.parts.begins or block.others:
            self.complete = bool(block.others) and (
                block.others[-1].letter == "Z"
                and block.others[-1].parts == len(block.parts.begins))
        bodies = Bodies(block.data, block.parts, PART_FIELDS * self.only_heads)
        fields = [bodies.field(number) for number in range(PART_FIELDS)]
        piece = self.read_heads(fields)
        if len(piece.lists) and not self.only_heads:
            self.read_pages(piece, bodies, fields[4:])
            self.read_entered(piece, "E", KINDS[:2])
            self.read_entered(piece, "W", KINDS[2:])
        return piece.parts(before, min(self.n_parts, self.most_parts))

    def read_other(self, other: Other) -> None:
        """Read a record that is no part, no frame, and no entries."""
        if other.letter == "T":
            self.frames.texts.append(text_of(other.body))
        elif other.letter in "MUD":
            (address, size), _ = numbers_of(other.body, 2)
            if not 0 < size <= (1 << 64) - address:
                raise Damage("memory beyond the end of the address space")
            self.events.append(MappingEvent(
                self.n_parts, address, size,
                read_mapping(other.body) if other.letter == "M" else None,
                other.letter == "D"))
        elif other.letter == "N":
            (thread, begins), at = numbers_of(other.body, 2)
            self.named.append(Named(self.n_parts, thread, bool(begins),
                                    text_of(other.body[at:])))
        elif other.letter == "L":
            self.marks.append(Mark(
                0, text_of(other.body), part=self.n_parts - 1))

    def read_heads(self, fields: List[Ints]) -> Piece:
        """Read the records I, without their pages."""
        times, instructions, flags, threads = fields[:4]
        flags &= INTERVAL_ENDS | SAMPLE | AGAIN
        self.time += float(times.sum(dtype=float))
        self.done += float(instructions.sum(dtype=float))
        if max(self.time, self.done) >= FAR >> 1:
            raise Damage("a time that is too large")
        if len(flags) and flags[0] & AGAIN and self.n_parts == len(flags):
            raise Damage("pages again, but none before")
        own = np.where(flags & AGAIN, 0, 1 + np.arange(len(flags)))
        return Piece(self.n_parts - len(flags),
                     Heads(times, instructions, flags, threads),
                     np.maximum.accumulate(own))

    def read_pages(self, piece: Piece, bodies: Bodies,
                   counts: List[Ints]) -> None:
        """Read the pages of the records I.  A piece begins with the last list
        of the piece before, if its first part repeats that, or else with an
        empty list.
        """
        bodies.check(counts, PART_FIELDS, 1)
        again = piece.heads.flags & AGAIN > 0
        at = bodies.first + PART_FIELDS
        kinds = [*zip(KINDS, counts)]
        if self.has_lines:
            lines = np.zeros(len(at), np.int64)
            lines[~again] = bodies.at((at + sum(counts))[~again],
                                      bodies.last[~again])
            bodies.check([*counts, lines], PART_FIELDS, 1)
            kinds.append((CODE_LINES, lines))
        for kind, number in kinds:
            if kind == CODE_LINES:
                at = at + ~again        # behind their number
            before = self.last[kind] if again[0] else self.last[kind][:0]
            pages = np.concatenate([before, running(
                bodies.values[split_runs(at, number)], number,
                (1 << 64) // LINE_SZB - 1 if kind == CODE_LINES
                else self.page_limit)])
            at = at + number
            if number[again].any():
                raise Damage("pages again, and others")
            piece.pages[kind] = pages
            piece.counts[kind] = np.append(len(before), number)
            self.last[kind] = pages[len(pages) - piece.counts[kind][
                piece.lists[-1]]:].copy()

    def read_entered(self, piece: Piece, letter: str,
                     kinds: Sequence[str]) -> None:
        """Read the records E or W of these parts."""
        entries = self.entries[letter]
        end = bisect_left([part for part, _ in entries], self.n_parts)
        parts = np.array([part for part, _ in entries[:end]], np.int64)
        records = [body for _, body in entries[:end]]
        del entries[:end]
        if (np.diff(parts) == 0).any():
            raise Damage("entries of a part twice")
        ends = np.cumsum([0, *map(len, records)])
        bodies = Bodies(b"".join(records), Ranges(ends[:-1].tolist(),
                                                  ends[1:].tolist()))
        counts = [bodies.field(number) for number in range(len(kinds))]
        bodies.check(counts, len(kinds), 2)
        at = bodies.first + len(kinds)
        for kind, number in zip(kinds, counts):
            values = bodies.values[split_runs(at, 2 * number)]
            at = at + 2 * number
            part = np.repeat(parts, number)
            lists = 1 + part - piece.first
            places = running(values[::2], number, FAR).astype(np.int64)
            frames = restarting(signed(values[1::2]), begins_of(number))
            if (places >= piece.counts[kind][lists]).any():
                raise Damage("an entry of a page that there is not")
            if len(frames) and not 0 <= frames.min() <= frames.max() <= len(
                    self.frames):
                raise Damage("a frame that there is not")
            begins = starts_of(piece.counts[kind])[lists]
            piece.entered[kind] = Entered(
                part, piece.pages[kind][begins + places], frames)


# --- Logs as views get them --------------------------------------------------

Opener = Callable[[], ContextManager[IO[bytes]]]


def page_log(source: Opener, name: str) -> PageLog:
    """Read a log without its pages, complete or cut off anywhere behind its
    header.  Views read the pages, by PageLog.read.
    """
    with source() as file:
        reader = LogReader(file, name, "E", only_heads=True)
        pieces = [*reader.pieces()]

    def read(n_parts: int, skipped: str) -> Iterator[Piece]:
        with source() as file:
            # If the log has grown, its frames have, too.
            again = LogReader(file, name, "FTMUDLN" + skipped,
                              most_parts=n_parts)
            again.frames = reader.frames
            for piece in again.pieces():
                yield piece
                progress(piece.end, n_parts, name)

    heads = stacked([NO_PARTS, *(piece.heads for piece in pieces)])
    ends = np.cumsum(heads.lengths)
    return PageLog(
        reader.name, reader.header, reader.frames, reader.events, [
            replace(mark, time=int(ends[mark.part]) if mark.part >= 0 else 0)
            for mark in reader.marks], reader.named, reader.complete, ends,
        heads.instructions, heads.flags, heads.threads, read)


def load_log(path: str) -> PageLog:
    """Read the page log in a file."""
    name = name_of_file(path)
    log = page_log(lambda: opened(path), name)
    if not log.complete:
        warn_of_cut("page log", name, f"samples: {log.is_sample.sum()}")
    return log
