# SPDX-License-Identifier: GPL-2.0-or-later
"""Reading page logs of ws; their format is in ws/docs/page-log-format.md."""

import io
from typing import IO, Dict, Iterator, List, Optional, Tuple

import numpy as np

from ws_python.base.failure import Failure, warn
from ws_python.base.text import printable
from ws_python.base.units import count
from ws_python.engine.ranges import joined, split_runs, starts_of
from ws_python.model.log import (AGAIN, FAR, INTERVAL_ENDS, SAMPLE, Entered,
                                 Frame, LogData, LogMark, Mapping,
                                 MappingEvent, PageLog, Piece)
from ws_python.model.sizes import KINDS
from ws_python.read.files import LOG_MAGIC, name_of, opened
from ws_python.read.log_bytes import (Block, Bodies, Damage, Other, Records,
                                      numbers_of, restarting, running, signed)
from ws_python.read.reports import read_header

FORMAT = 1
PART_FIELDS = 7             # before the pages
MOST_HEADER_SZB = 1 << 23
HEADER_SZB = 1 << 16        # are read at once
# What is held at once: pages of all parts; events, frames and marks.
MOST_PAGES = 30 * 1000 * 1000
MOST_OTHERS = 2 * 1000 * 1000


# --- The header --------------------------------------------------------------

def read_head(file: IO[bytes], name: str) -> Tuple[Dict[str, str], bytes]:
    """The header, and what has been read behind it."""
    data, end = b"", -1
    while end < 0:
        more = file.read(HEADER_SZB)
        data += more
        end = data.find(b"\n--\n", max(0, len(data) - len(more) - 4))
        if not data or not LOG_MAGIC.startswith(data[:len(LOG_MAGIC)]):
            raise Failure(f"{name}: is not a page log of valgrind's ws tool")
        if end < 0 and (not more or len(data) > MOST_HEADER_SZB):
            raise Failure(f"{name}: its header " + (
                "is cut off" if not more else "has no end"))
    lines = data[:end].decode(errors="replace").split("\n")[1:] + ["--"]
    return (read_header(iter(lines), name, FORMAT),
            data[end + len("\n--\n"):])

# --- Records -----------------------------------------------------------------

def text_of(data: bytes) -> str:
    return printable(data.decode(errors="replace"))


def read_frame(body: bytes, number: int, texts: List[str]) -> Frame:
    """It has this number."""
    (back, is_cut, address, line, *names), _ = numbers_of(body, 7)
    if back >= number or max(names) >= len(texts):
        raise Damage("a frame or a text that there is not")
    return Frame(number - back if back else 0, bool(is_cut), address, line,
                 "|".join(texts[name] for name in names))


def read_mapping(body: bytes) -> Mapping:
    fields, at = numbers_of(body, 8)
    return Mapping(*fields, text_of(body[at:]))


def checked_range(address: int, size: int) -> None:
    if not 0 < size <= (1 << 64) - address:
        raise Damage("memory beyond the end of the address space")


class LogReader(LogData):
    """Reads a log, complete or cut off anywhere behind its header, piece by
    piece.  What is not pages is kept.
    """

    def __init__(self, file: IO[bytes], name: str, skipped: str = ""):
        """Without records of these letters."""
        header, rest = read_head(file, name)
        super().__init__(name, header, 0, [Frame(0, False, 0, 0, "")], [], [],
                         False)
        self.page_szB = self.number("Page size")
        if self.page_szB & (self.page_szB - 1) or self.page_szB > 1 << 40:
            raise Failure(f"{name}: Page size in its header makes no sense: "
                          f"{self.page_szB}")
        self.number("Every")
        assert self.taus
        self.page_limit = (1 << 64) // self.page_szB - 1
        self.skipped = skipped
        self.texts = [""]       # by number
        self.n_parts = 0
        self.time = self.done = 0.0     # of the parts so far
        self.entries: List[bytes] = []  # whose part is not read yet
        self.records = Records(file, rest)

    def pieces(self) -> Iterator[Piece]:
        try:
            for block in self.records:
                piece = self.read(block)
                if len(piece.times):
                    yield piece
        except Damage as damage:
            raise Failure(f"{self.name}: damaged: it has {damage}") from None
        if not self.records.is_whole:
            self.complete = False

    def read(self, block: Block) -> Piece:
        before, entries, parts = self.n_parts, self.entries, []
        if entries:
            parts.append(before)
        for other in block.others:
            self.n_parts = before + other.parts
            if other.letter in self.skipped:
                continue
            if other.letter == "E":
                if parts and parts[-1] == self.n_parts:
                    raise Damage("entries of a part twice")
                entries.append(other.body)
                parts.append(self.n_parts)
            else:
                self.read_other(other)
        self.n_parts = before + len(block.begins)
        if block.begins or block.others:
            self.complete = bool(block.others) and (
                block.others[-1].letter == "Z"
                and block.others[-1].parts == len(block.begins))
        self.entries = []
        if parts and parts[-1] == self.n_parts:
            parts.pop()
            self.entries.append(entries.pop())
        piece = self.read_parts(Bodies(block.data, block.begins, block.ends))
        self.read_entered(piece, entries, parts)
        return piece

    def read_other(self, other: Other) -> None:
        """A record that is neither a part nor entries."""
        if other.letter == "F":
            self.frames.append(read_frame(other.body, len(self.frames),
                                          self.texts))
        elif other.letter == "T":
            self.texts.append(text_of(other.body))
        elif other.letter == "M":
            one = read_mapping(other.body)
            checked_range(one.address, one.size)
            self.events.append(MappingEvent(self.n_parts, one.address,
                                            one.size, one))
        elif other.letter == "U":
            (address, size), _ = numbers_of(other.body, 2)
            checked_range(address, size)
            self.events.append(MappingEvent(self.n_parts, address, size,
                                            None))
        elif other.letter == "L":
            self.marks.append(LogMark(self.n_parts - 1, text_of(other.body)))
        if sum(map(len, (self.frames, self.texts, self.events, self.marks))
               ) > MOST_OTHERS:
            raise Failure(f"{self.name}: has more than {count(MOST_OTHERS)} "
                          "frames, marks, and changes of mappings")

    def read_parts(self, bodies: Bodies) -> Piece:
        """The records I."""
        times, instructions, flags, threads, *counts = (
            bodies.field(number) for number in range(PART_FIELDS))
        flags &= INTERVAL_ENDS | SAMPLE | AGAIN
        bodies.check(counts, PART_FIELDS, 1)
        self.time += float(times.sum(dtype=float))
        self.done += float(instructions.sum(dtype=float))
        if max(self.time, self.done) >= FAR >> 1:
            raise Damage("a time that is too large")
        again = flags & AGAIN != 0
        if len(again) and again[0] and self.n_parts == len(again):
            raise Damage("pages again, but none before")
        piece = Piece(times, instructions, flags, threads)
        at = bodies.first + PART_FIELDS
        for kind, number in zip(KINDS, counts):
            piece.pages[kind] = running(bodies.values[split_runs(at, number)],
                                        number, self.page_limit)
            piece.counts[kind] = number
            at = at + number
            if number[again].any():
                raise Damage("pages again, and others")
        return piece

    def read_entered(self, piece: Piece, found: List[bytes],
                     parts: List[int]) -> None:
        """The records E."""
        ends = np.cumsum([0, *map(len, found)])
        bodies = Bodies(b"".join(found), ends[:-1].tolist(),
                        ends[1:].tolist())
        counts = [bodies.field(number) for number in range(2)]
        bodies.check(counts, 2, 2)
        at = bodies.first + 2
        first = self.n_parts - len(piece.times)
        for kind, number in zip(KINDS, counts):
            values = bodies.values[split_runs(at, 2 * number)]
            at = at + 2 * number
            of = np.repeat(np.array(parts, np.int64), number)
            places = running(values[::2], number, FAR).astype(np.int64)
            frames = restarting(signed(values[1::2]), number)
            if (places >= piece.counts[kind][of - first]).any():
                raise Damage("an entry of a page that there is not")
            if len(frames) and not 0 <= frames.min() <= frames.max() < len(
                    self.frames):
                raise Damage("a frame that there is not")
            begins = starts_of(piece.counts[kind])[of - first]
            piece.entered[kind] = Entered(
                of, piece.pages[kind][begins + places], frames)


# --- Whole logs --------------------------------------------------------------

class TooLong(Failure):
    """A log has more than can be held."""


def whole(reader: LogReader, until: int = FAR) -> PageLog:
    """All of a log, or all up to this time, and perhaps some more."""
    pieces: List[Piece] = []
    entries = 0
    for piece in reader.pieces():
        if reader.time - float(piece.times.sum(dtype=float)) > until:
            break
        pieces.append(piece)
        entries += sum(map(len, piece.pages.values()))
        entries += 3 * sum(len(some.parts) for some in piece.entered.values())
        check_memory(entries, reader.name)
    flags = joined([piece.flags for piece in pieces])
    log = PageLog(
        reader.name, reader.header, reader.page_szB, reader.frames,
        reader.events, reader.marks, reader.complete,
        np.cumsum(joined([piece.times for piece in pieces])),
        joined([piece.instructions for piece in pieces]), flags,
        joined([piece.threads for piece in pieces]), {}, {},
        {kind: Entered(*(joined(list(columns)) for columns in zip(*(
            piece.entered[kind] for piece in pieces)))) if pieces else
         Entered(*[joined([])] * 3) for kind in ("insn", "data")})
    # Which part has the pages of each: itself, or one before.
    source = np.maximum.accumulate(np.where(
        flags & AGAIN != 0, -1, np.arange(len(flags))))
    for kind in KINDS:
        counts = joined([piece.counts[kind] for piece in pieces])
        found = joined([piece.pages.pop(kind) for piece in pieces], np.uint64)
        if (flags & AGAIN).any():
            entries += int(counts[source].sum() - counts.sum())
            check_memory(entries, reader.name)
            found = found[split_runs(starts_of(counts)[source],
                                     counts[source])]
            counts = counts[source]
        log.pages[kind], log.first[kind] = found, starts_of(counts)
    return log


def check_memory(entries: int, name: str) -> None:
    if entries > MOST_PAGES:
        raise TooLong(
            f"{name}: has more than {count(MOST_PAGES)} accesses to pages, "
            "which is too much for a view; --to=25% shows its beginning, and "
            "without a view it may be as long as it likes (--pagesize, --tau)")


def read_log(data: bytes, name: str) -> PageLog:
    """A log, complete or cut off anywhere behind its header."""
    return whole(LogReader(io.BytesIO(data), name))


def load_log(path: str, until: Optional[int] = None) -> PageLog:
    """Read the page log in a file, or what it has up to this time."""
    name = name_of(path)
    try:
        with opened(path) as file:
            log = whole(LogReader(file, name), FAR if until is None else until)
    except OSError as error:
        raise Failure(f"{name}: {error.strerror}") from None
    if not log.complete and until is None:
        warn(f"{name}: truncated page log (its run was killed or is not "
             f"over); parts: {log.n_parts}")
    return log
