# SPDX-License-Identifier: GPL-2.0-or-later
"""Chooses compositions of samples, or entries of the run."""

from dataclasses import dataclass
from typing import List, Optional, Sequence

from ws_python.base.text import Failure, clip, printable, shorten
from ws_python.base.units import (BYTES, COUNT, SETS, SHARE, TEXT, count, noun,
                                  parse_time, read_as, window_text)
from ws_python.base.view import Column, Table
from ws_python.report.compositions import (COLD, MEMORY, RESIDENT, Kept, Part,
                                           by_mapping)
from ws_python.report.report import Report

WORDS = {**SETS, RESIDENT: "resident memory", COLD: "unused memory"}


@dataclass
class Chosen:
    """Parts of a set, with a title."""
    set: str
    title: str
    parts: List[Part]
    written: bool = False       # written pages are known

    @property
    def pages(self) -> int:
        return sum(part.pages for part in self.parts)


def share_columns(held: Sequence[int], whole: int, page: int) -> List[Column]:
    """Make columns of pages, their shares of the whole, and their bytes."""
    return [Column("pages", COUNT, held, noun(page)),
            Column("share", SHARE, [one / max(whole, 1) for one in held], "%"),
            Column("bytes", BYTES, [one * page for one in held], "size")]


def mappings(chosen: Chosen, page: int) -> Table:
    """Make a table of the mappings that the pages are of."""
    found = by_mapping(chosen.parts)
    return Table("By mapping", [
        *share_columns([pages for _, pages, _ in found], chosen.pages, page),
        *[Column("written", COUNT, [written for _, _, written in found])]
        * chosen.written,
        Column("mapping", TEXT, [name for name, _, _ in found])])


def time_in(report: Report, at: str) -> Optional[int]:
    """Read a time; None: the text is none."""
    try:
        return parse_time(at, report.unit)
    except ValueError:
        return None


def chosen_of(report: Report, some: Kept, names: Sequence[str] = ()) -> Chosen:
    """Choose a sample; `names` are what it is called."""
    also = [name for name in names if name != some.time_name]
    title = (WORDS[some.set] + (f", {window_text(some.tau, report.unit)}, at "
                                if some.tau else " at ")
             + f"{count(some.time)} {report.unit}")
    if also:
        title += f" ({clip(', '.join(map(printable, also)), 60)})"
    return Chosen(some.set, title, some.parts, some.written is not None)


def samples_at(report: Report, wanted: Sequence[str], at: str) -> List[Chosen]:
    """Return the samples with this name, at most one of each set."""
    time, there = time_in(report, at), report.compositions.shown(wanted)
    memory, _, rest = at.partition(".")
    if memory in map(read_as, MEMORY) and time_in(report, rest) is not None:
        at = f"{memory}.{time_in(report, rest)}"
    found = [chosen_of(report, some, some.names)
             for name in (*reversed(wanted), *MEMORY) for some in there
             if some.set == name and (
                 at in some.names
                 or time == some.time and name not in MEMORY)]
    if not found:
        raise Failure(f"{report.name}: keeps no sample "
                      f"{shorten(printable(at), 60)}; "
                      + what_there_is(there, time))
    return found


def what_there_is(there: Sequence[Kept], time: Optional[int]) -> str:
    """Name the samples nearest to a time, or all samples."""
    if time is None or not there:
        names = [" = ".join(map(printable, some.names)) for some in there]
        return "it has " + shorten(", ".join(names) or "none", 1000)
    near = sorted({(abs(some.time - time), some.time, some.time_name)
                   for some in there
                   if some.set not in MEMORY or some.time == time})[:3]
    return ("the nearest are " + ", ".join(
                f"--at={name}" for _, name in sorted(row[1:] for row in near))
            + f"; --ws-info-at={time} of ws keeps what is there, and "
            "--ws-page-log everything")


def no_samples(report: Report, wanted: Sequence[str]) -> Failure:
    """Make the message for a report that keeps none of these sets."""
    if report.is_log:
        return Failure(f"{report.name}: is a page log, which has no list of "
                       "entries; ws_print tree shows its samples")
    return Failure(f"{report.name}: keeps no sample of " + (
        ", ".join(SETS[name] for name in wanted) + " in this time; a page log "
        "(--ws-page-log of ws) has all" * (report.end is not None)
        if report.complete else "any set: its end is missing, which has them"))


def chosen(report: Report, wanted: Sequence[str], at: Optional[str],
           entered: bool) -> List[Chosen]:
    """Return what the options ask for: samples, the largest of each set, or
    the entries of the whole run.  Failure: there is nothing.
    """
    if report.is_log:
        raise no_samples(report, wanted)
    if at is not None:
        return samples_at(report, wanted, at)
    kept = report.compositions
    if entered:
        found = [Chosen(name, f"{WORDS[name]}: pages that entered the working "
                        "set, in the whole run", kept.entered[name])
                 for name in reversed(wanted) if name in kept.entered]
    else:
        found = [chosen_of(report, some, some.names)
                 for some in map(kept.largest, reversed(wanted)) if some]
    if not found:
        raise no_samples(report, wanted)
    return found
