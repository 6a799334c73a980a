# SPDX-License-Identifier: GPL-2.0-or-later
"""Chooses the kept samples that a view shows, or the entries of the run."""

from bisect import bisect_left
from dataclasses import dataclass
from typing import List, Optional, Sequence

from ws_python.base.text import Failure, clip, printable, shorten
from ws_python.base.units import (BYTES, COUNT, SETS, SHARE, TEXT, count, noun,
                                  parse_time, read_as, window_text)
from ws_python.base.view import Column, Table
from ws_python.report.compositions import (AT_END, COLD, HEAP_SET, LIVE,
                                           LIVE_AT_END, MEMORY, RESIDENT,
                                           UNSHARED, Kept, Origin, by_mapping)
from ws_python.report.report import Report

WORDS = {**SETS, RESIDENT: "resident memory", COLD: "unused memory",
         UNSHARED: "pages that a write unshared",
         HEAP_SET: "resident memory by who allocated it",
         AT_END: "the heap at the end",
         LIVE: "live bytes by who allocated them",
         LIVE_AT_END: "live bytes at the end by who allocated them"}


@dataclass
class Chosen:
    """The origins of a set's pages, in a sample or in the run, with a title."""
    set: str
    title: str
    origins: List[Origin]
    written: bool = False       # written pages are known

    @property
    def pages(self) -> int:
        return sum(origin.pages for origin in self.origins)


def share_columns(rows: Sequence[int], whole: int, page: int) -> List[Column]:
    """Make columns of the pages in each row, their shares of the whole, and
    their bytes, with pages of this size.
    """
    return [Column("pages", COUNT, rows, noun(page)),
            Column("share", SHARE, [pages / max(whole, 1) for pages in rows],
                   "%"),
            Column("bytes", BYTES, [pages * page for pages in rows], "size")]


def mappings(chosen: Chosen, page: int) -> Table:
    """Make a table of pages by mapping."""
    rows = by_mapping(chosen.origins)
    columns = share_columns([pages for _, pages, _ in rows], chosen.pages, page)
    if chosen.written:
        columns.append(Column("written", COUNT, [
            written for _, _, written in rows]))
    return Table("By mapping", [
        *columns, Column("mapping", TEXT, [name for name, _, _ in rows])])


def time_in(report: Report, at: str) -> Optional[int]:
    """Read the time of a kept sample, or one of --ws-info-at, whose sample is
    the first at or after it; None: the text is no time.
    """
    try:
        time = parse_time(at, report.unit)
    except ValueError:
        return None
    rows = report.columns["t"]
    asked = {sample.time for sample in report.compositions.samples.values()
             if "info-at" in sample.why}
    later = rows[min(bisect_left(rows, time), len(rows) - 1)]
    return later if later in asked else time


def chosen_of(report: Report, sample: Kept,
              names: Sequence[str] = ()) -> Chosen:
    """Choose a sample; its title has these of its names."""
    also = [name for name in names if name != sample.time_name]
    title = WORDS[sample.set]
    if sample.tau:
        title += f", {window_text(sample.tau, report.unit)},"
    title += f" at {count(sample.time)} {report.unit}"
    if also:
        title += f" ({clip(', '.join(map(printable, also)), 60)})"
    return Chosen(sample.set, title, sample.origins, sample.written is not None)


def samples_at(report: Report, wanted: Sequence[str], at: str) -> List[Chosen]:
    """Return the samples with this name or at this time, at most one of each
    set.  Failure: there is none.
    """
    time, samples = time_in(report, at), report.compositions.shown(wanted)
    memory, _, rest = at.partition(".")
    if memory in map(read_as, MEMORY) and time_in(report, rest) is not None:
        at = f"{memory}.{time_in(report, rest)}"
    choices = [chosen_of(report, sample, sample.names)
               for name in (*reversed(wanted), *MEMORY) for sample in samples
               if sample.set == name and (
                   at in sample.names
                   or time == sample.time and name not in MEMORY)]
    if not choices:
        raise Failure(f"{report.name}: keeps no sample "
                      f"{shorten(printable(at), 60)}; "
                      + what_there_is(samples, time))
    return choices


def heap_at(report: Report, at: str, memory: str = HEAP_SET) -> Kept:
    """Return the heap, or other memory, in the sample with this name, or at this
    time, with or without the prefix of its samples.  Failure: there is none.
    """
    heaps = [sample for sample in report.compositions.samples.values()
             if sample.set == memory]
    if not heaps and report.is_log:
        raise Failure(f"{report.name}: is a page log; who allocated the memory is in "
                      "the report")
    if not heaps:
        raise Failure(f"{report.name}: does not say who allocated the memory; "
                      "the option --ws-heap=yes of ws adds that")
    short = at.partition(f"{memory}.")[2] or at
    wanted = {f"{memory}.{name}" for name in (short, time_in(report, short))}
    for heap in heaps:
        if not wanted.isdisjoint(heap.names):
            return heap
    raise Failure(f"{report.name}: keeps no {memory} at {shorten(printable(at), 60)}; "
                  + what_there_is(heaps, None))


def what_there_is(samples: Sequence[Kept], time: Optional[int]) -> str:
    """Name the samples nearest to a time; without a time, all samples."""
    if time is None or not samples:
        names = [" = ".join(map(printable, sample.names))
                 for sample in samples]
        return "it has " + shorten(", ".join(names) or "none", 1000)
    near = sorted({(abs(sample.time - time), sample.time, sample.time_name)
                   for sample in samples
                   if sample.set not in MEMORY or sample.time == time})[:3]
    return ("the nearest are " + ", ".join(
                f"--at={name}" for _, name in sorted(row[1:] for row in near))
            + f"; --ws-info-at={time} of ws keeps what is there, and "
            "--ws-page-log everything")


def no_samples(report: Report, wanted: Sequence[str]) -> Failure:
    """Make the message for a report that keeps no sample of these sets."""
    if report.is_log:
        return Failure(f"{report.name}: is a page log, which has no list of "
                       "entries; ws_print tree shows its samples")
    what = ", ".join(SETS[name] for name in wanted)
    if not report.complete:
        what = "any set: its end is missing, which has them"
    elif report.end is not None:
        what += " in this time; a page log (--ws-page-log of ws) has all"
    return Failure(f"{report.name}: keeps no sample of {what}")


def chosen(report: Report, wanted: Sequence[str], at: Optional[str],
           entered: bool) -> List[Chosen]:
    """Return what the options ask for: the samples that `at` names; or with
    `entered`, the entries of the run; or else the largest sample of each set.
    Failure: there is nothing.
    """
    if report.is_log:
        raise no_samples(report, wanted)
    if at is not None:
        return samples_at(report, wanted, at)
    known = report.compositions
    if entered:
        choices = [Chosen(name, f"{WORDS[name]}: pages that entered the "
                          "working set, in the whole run", known.entered[name])
                   for name in reversed(wanted) if name in known.entered]
    else:
        choices = [chosen_of(report, sample, sample.names)
                 for sample in map(known.largest, reversed(wanted)) if sample]
    if not choices:
        raise no_samples(report, wanted)
    return choices
