# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the bytes of page logs as records and as numbers, which
ws/docs/page-log-format.md describes.
"""

from typing import IO, Iterator, List, NamedTuple, Tuple

import numpy as np

from ws_python.pagelog.ranges import Bytes, Ints, Uints, begins_of, restarting

MOST_DIGITS = 10            # bytes of a number
MOST_RECORD_SZB = 1 << 25
AT_ONCE_SZB = 1 << 20       # bytes read at once
AT_ONCE = 1 << 20           # numbers decoded at once
BLANKS = b" \n"
PART, FRAME = b"IF"


class Damage(Exception):
    """A record that makes no sense; the message names the fault."""


def numbers_of(data: bytes, count: int, at: int = 0) -> Tuple[List[int], int]:
    """Read `count` numbers from a place on; return also the place behind them.
    IndexError: the data ends before.
    """
    values = []
    for _ in range(count):
        value, shift, byte = 0, 0, 128
        while byte > 127:
            byte = data[at]
            value |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if shift > 7 * MOST_DIGITS or value >= 1 << 64:
                raise Damage("a number of more than 64 bits")
        values.append(value)
    return values, at


# --- Records -----------------------------------------------------------------

class Other(NamedTuple):
    """A record that is neither a part of time nor a frame."""
    letter: str
    parts: int              # number of parts before it, in its block
    body: bytes


class Ranges(NamedTuple):
    """Where bodies of records are in data."""
    begins: List[int]
    ends: List[int]


class Block(NamedTuple):
    """Successive whole records."""
    data: bytes
    parts: Ranges
    frames: Ranges
    others: List[Other]


class Records:
    """The records of a log, in blocks of about a megabyte.  Damage: they make
    no sense.
    """

    def __init__(self, file: IO[bytes], skipped: str):
        """Begin behind the header; skip others with these letters."""
        self.file, self.skipped = file, skipped
        self.rest = b""     # a record that is not whole, and what is behind
        self.place = 0      # of `rest`, behind the header
        self.needed = 0     # bytes missing in the record that begins `rest`

    def __iter__(self) -> Iterator[Block]:
        while True:
            more = self.file.read(max(AT_ONCE_SZB, self.needed))
            data = self.rest + more
            block, at = self.whole(data)
            self.rest, self.place = data[at:], self.place + at
            yield block
            if not more:
                return

    def whole(self, data: bytes) -> Tuple[Block, int]:
        """Return the whole records, and the place behind them."""
        size, at = len(data), 0
        self.needed = 0
        parts, frames = Ranges([], []), Ranges([], [])
        others: List[Other] = []
        while at + 1 < size:
            letter, length, body = data[at], data[at + 1], at + 2
            if letter in BLANKS:
                at += 1
                continue
            if length > 127:
                try:
                    [length], body = numbers_of(data, 1, at + 1)
                except IndexError:
                    break
                if length > MOST_RECORD_SZB:
                    raise Damage(f"a record of {length} bytes")
            end = body + length
            if end > size:
                self.needed = end - size
                break
            if letter in (PART, FRAME):
                begins, ends = parts if letter == PART else frames
                begins.append(body)
                ends.append(end)
            elif not 65 <= letter & ~32 <= 90:
                raise Damage("a record without a letter at byte "
                             f"{self.place + at} behind the header")
            elif chr(letter) not in self.skipped:
                others.append(Other(chr(letter), len(parts.begins),
                                    data[body:end]))
            at = end
        return Block(data, parts, frames, others), at


# --- All numbers of many records ---------------------------------------------

def decode(data: Bytes) -> Tuple[Uints, Ints]:
    """Decode all numbers in these bytes; return also the end of each."""
    ends = np.flatnonzero(data < 128) + 1
    values = np.empty(len(ends), np.uint64)
    for at in range(0, len(ends), AT_ONCE):     # for less memory
        values[at:at + AT_ONCE] = decode_chunk(
            data, ends[at - 1] if at else 0, ends[at:at + AT_ONCE])
    return values, ends


def decode_chunk(data: Bytes, begin: int, ends: Ints) -> Uints:
    """Decode the numbers with these ends, the first of which is at `begin`."""
    begins: Ints = np.concatenate([[begin], ends[:-1]])
    lengths = ends - begins
    most = int(lengths.max())
    if most > MOST_DIGITS:
        raise Damage("a number of more than 64 bits")
    values: Uints = data[ends - 1].astype(np.uint64)   # right for single bytes
    longer = np.flatnonzero(lengths > 1)
    values[longer] = data[begins[longer]] & 127
    for digit in range(1, most):
        longer = longer[lengths[longer] > digit]
        byte = data[begins[longer] + digit]
        if digit == MOST_DIGITS - 1 and (byte > 1).any():
            raise Damage("a number of more than 64 bits")
        values[longer] |= (byte & 127).astype(np.uint64) << np.uint64(7 * digit)
    return values


def running(deltas: Uints, counts: Ints, limit: int) -> Uints:
    """Sum differences to ascending numbers, anew in each range of `counts`.
    Damage: they do not ascend, or exceed the limit.
    """
    is_begin = begins_of(counts)
    sums = restarting(deltas, is_begin)
    if (sums > limit).any() or (sums[1:] <= sums[:-1])[~is_begin[1:]].any():
        raise Damage("pages that are not in ascending order")
    return sums


def signed(values: Uints) -> Ints:
    """Decode signed numbers: 2n stands for n, 2n - 1 for -n."""
    half = (values >> np.uint64(1)).astype(np.int64)
    return np.where(values & np.uint64(1), -half - 1, half)


class Bodies:
    """The numbers in the bodies of many records: those of record k are
    values[first[k]:last[k]].
    """

    def __init__(self, data: bytes, places: Ranges, most: int = 0):
        """Decode all numbers, or at least the first `most` of each body."""
        begins, ends = places
        raw, most_szB = memoryview(data), most * MOST_DIGITS or len(data)
        lengths = np.array(ends, np.int64) - np.array(begins, np.int64)
        is_cut = lengths > most_szB
        limits = np.cumsum(np.minimum(lengths, most_szB))
        joined = np.frombuffer(bytearray().join(
            raw[begin:min(end, begin + most_szB)]
            for begin, end in zip(begins, ends)), np.uint8)
        joined[limits[is_cut] - 1] &= 127   # ends a number that is cut
        self.values, at = decode(joined)
        self.last = np.searchsorted(at, limits, "right")
        self.first: Ints = np.concatenate([[0], self.last[:-1]])[:len(begins)]
        if (joined[limits[limits > 0] - 1] >= 128).any():
            raise Damage("a number without end")

    def field(self, number: int) -> Ints:
        """Return the number at this place of each record."""
        return self.at(self.first + number, self.last)

    def at(self, places: Ints, ends: Ints) -> Ints:
        """Return the numbers at these places, each before its end."""
        if (places >= ends).any():
            raise Damage("a record that is too short")
        values: Uints = self.values[places]
        if len(values) and int(values.max()) >= 1 << 62:
            raise Damage("a number that is too large")
        return values.astype(np.int64)

    def check(self, counts: List[Ints], before: int, each: int) -> None:
        """Check that each body has `before` numbers, then as many items as all
        counts say, of `each` numbers.  Damage: it has fewer.
        """
        room = self.last - self.first - before
        for count in counts:
            if (count > room // each).any():
                raise Damage("fewer pages than it says")
            room -= count * each
