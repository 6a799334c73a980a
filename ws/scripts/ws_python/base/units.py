# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes sizes, counts and times for people, and reads what people write.

A size has three digits, and so has a count of a million or more: 2.07 MiB,
12.5 M.  Digits before the point are never cut: 1023 KiB.  Counts below a
million, and those in tables, are exact.  ws_summary.c has the same rule.
"""

import re
from fractions import Fraction
from typing import Callable, Dict, Optional, Sequence, Union

Number = Union[int, Fraction]
Real = Union[float, Fraction]       # a float may be an int

SIZES = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
COUNTS = ("", "k", "M", "G", "T", "P", "E")
LARGE = 1000000             # the least count with a prefix
MS = "ms"                   # the unit of time, if it is not instructions
USUAL = 4096                # the usual size of a page
LINES = (32, 64, 128)       # pages of these sizes are cache lines

# Units that users may write; kB and so on are of 1024, too.
SIZES_READ = {"B": 1, **{
    name: 1024 ** power for power, prefix in enumerate("kMGT", 1)
    for name in (f"{prefix}B", f"{prefix.upper()}iB")}}
COUNTS_READ = {name: 1000 ** power for power, name in enumerate(COUNTS[:5])}
US_READ = {"us": 1, "ms": 1000, "s": 1000000}
TIMES_READ = {"": 1, "ms": 1, "s": 1000}
NUMBER = r"(?:[0-9]{1,20}|[0-9]{1,3}(?:,[0-9]{3}){1,6})(?:\.[0-9]{1,9})?"


# The words for people, by the names of sets in reports.
SETS = {"data": "data", "insn": "code", "dirty": "written"}
NAMES = {name: words.capitalize() for name, words in SETS.items()}
# The names in reports, by words that people may write.
READ_AS = {**{words: name for name, words in SETS.items()}, "unused": "cold"}
MEMORY_SZB = 4096           # the least page of memory


def read_as(kind: str) -> str:
    """Name a set or memory as people read it."""
    return next((words for words, name in READ_AS.items() if name == kind), kind)


# Units of columns and axes: a share is from 0 to 1, and YES is 0 or 1.
(TEXT, SET, COUNT, PAGES, BYTES, TIME, SHARE, RATE, YES, CHANGE, GROWTH,
 PERCENT) = ("text", "set", "count", "pages", "bytes", "time", "share", "rate",
             "yes", "change", "growth", "percent")


# --- Writing ---------------------------------------------------------------

def in_unit(value: Union[None, str, Real], unit: str, time_unit: str) -> str:
    """Write a number of this unit, or the name of a set, for a table."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return SETS.get(value, value)
    if unit == TIME:
        return exact_time(int(value), time_unit)
    return WRITE.get(unit, count)(value)


def plain(value: Real, digits: int = 6) -> str:
    """Write all digits before the point, or `digits` if that is more: 1500,
    12.3.
    """
    exact = Fraction(value)
    behind = max(digits - (len(str(int(exact))) if exact >= 1 else 0), 0)
    number = int(exact * 10 ** behind + Fraction(1, 2))
    whole, rest = divmod(number, 10 ** behind)
    return f"{whole}.{rest:0{behind}}".rstrip("0").rstrip(".") if rest else (
        f"{whole}")


def with_unit(value: Real, base: int, units: Sequence[str],
              digits: int) -> str:
    """Use the largest unit in which the rounded value is at least 1."""
    exact = Fraction(value)
    for unit in units:
        text = plain(exact, digits)
        if float(text) < base or unit == units[-1]:
            break
        exact /= base
    return f"{text} {unit}".strip()


def byte_size(value: Real) -> str:
    """2170000 -> 2.07 MiB."""
    return with_unit(value, 1024, SIZES, 3)


def size(pages: Optional[Real], page_size: int) -> str:
    """Write pages as bytes."""
    return "-" if pages is None else byte_size(pages * page_size)


def count(value: Optional[Real]) -> str:
    """12500 -> 12,500; a fraction has one digit behind the point."""
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    tenths = int(max(value, -value) * 10 + Fraction(1, 2))
    sign = "-" if value < 0 and tenths else ""
    return f"{sign}{tenths // 10:,}.{tenths % 10}"


# By unit; all others are written by count().
WRITE: Dict[str, Callable[[Real], str]] = {
    BYTES: byte_size,
    SHARE: lambda value: f"{100 * value:.1f} %" if value else "-",
    RATE: lambda value: f"{value:,.1f}" if value >= 1 else f"{value:.2g}",
    CHANGE: lambda value: ("+" if value > 0 else "") + count(value),
    GROWTH: lambda value: ("+" if value > 0 else "-" if value < 0 else "")
    + byte_size(max(value, -value)),
    PERCENT: lambda value: f"{value:+.1f}" if value else "0.0",
    YES: lambda value: "yes" if value else "no"}


def noun(page_size: int, number: Optional[Number] = None) -> str:
    """Name pages of this size: page, line or byte."""
    name = {1: "byte", **dict.fromkeys(LINES, "line")}.get(page_size, "page")
    return name if number == 1 else f"{name}s"


def nouns(page_size: int) -> str:
    """pages, lines of 64 B, pages of 2 MiB."""
    name = noun(page_size)
    return name if page_size == USUAL else f"{name} of {byte_size(page_size)}"


def pages(number: Number, page_size: int) -> str:
    """1,234 pages, or lines."""
    return f"{count(number)} {noun(page_size, number)}"


def pages_and_size(number: Number, page_size: int) -> str:
    """1,234 pages (4.82 MiB)."""
    return f"{pages(number, page_size)} ({size(number, page_size)})"


def large(value: int) -> str:
    """Write a count in a sentence: 999,999, then 1 M."""
    return count(value) if value < LARGE else with_unit(value, 1000, COUNTS, 3)


def time_text(time: int, unit: str) -> str:
    """12.5 M instructions; 300 ms, 1.5 s."""
    if unit != MS:
        return f"{large(time)} {unit}"
    return f"{time} ms" if time < 1000 else (
        f"{plain(Fraction(time, 1000), 3)} s")


def exact_time(time: int, unit: str) -> str:
    """Like time_text(), but never rounded: 1,234,567 instructions."""
    rest = time
    while rest >= 1000 and rest % 10 == 0:
        rest //= 10
    return time_text(time, unit) if rest < 1000 else f"{count(time)} {unit}"


def window_text(tau: int, unit: str) -> str:
    """Write tau=10 M; or tau=300 ms."""
    return "tau=" + exact_time(tau, unit).partition(" instr")[0]


def short_time(time: int, end: Optional[int], unit: str) -> str:
    """1.2 M of 12.5 M; 300 ms of 1.5 s.  Without an end: 1.2 M."""
    def short(value: int) -> str:
        return time_text(value, unit) if unit == MS else large(value)

    return short(time) + ("" if end is None else f" of {short(end)}")


def tic(value: Real, digits: int = 6) -> str:
    """Label an axis: 50 k, 1.05 G."""
    return with_unit(value, 1000, COUNTS, digits)


def size_tic(value: Real) -> str:
    """Label an axis of bytes: 1.0625 GiB."""
    return with_unit(value, 1024, SIZES, 6) if value else "0"


# --- Reading ---------------------------------------------------------------

def natural(text: str) -> int:
    """Read a number of digits alone, of 64 bits; int() would accept more."""
    if not (text.isdecimal() and text.isascii()) or len(text) > 20:
        raise ValueError
    value = int(text)
    if value >> 64:
        raise ValueError
    return value


def number_with(text: str, units: Dict[str, int], like: str) -> Fraction:
    """Read a number with one of the units.  ValueError: it is not `like` this.
    """
    match = re.fullmatch(rf"\s*({NUMBER})\s*([A-Za-z]*)\s*", text)
    if match is None or match[2] not in units:
        raise ValueError(f"{text!r} is not like {like}")
    return Fraction(match[1].replace(",", "")) * units[match[2]]


def parse_size(text: str) -> Fraction:
    """Read a size in bytes: 3MiB, 64 kB."""
    return number_with(text, SIZES_READ, "64KiB or 2.5MiB")


def parse_time(text: str, unit: str) -> int:
    """Read a time: 2.5M, 2500000 instructions; in milliseconds 300, 1.5s."""
    if unit == MS:
        value = number_with(text, TIMES_READ, "300ms or 1.5s")
    else:
        value = number_with(re.sub(r"\s*instructions\s*$", "", text),
                            COUNTS_READ, "2500000 or 2.5M")
    if value.denominator != 1:
        raise ValueError(f"{text!r} is no whole number of {unit}")
    if value >= 1 << 64:
        raise ValueError(f"{text!r} is too large")
    return int(value)


def parse_any_time(text: str) -> int:
    """Read a time in instructions or milliseconds."""
    try:
        return parse_time(text, "instructions")
    except ValueError:
        return parse_time(text, MS)
