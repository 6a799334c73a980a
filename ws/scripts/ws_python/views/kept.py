# SPDX-License-Identifier: GPL-2.0-or-later
"""Chooses compositions of samples, or entries of the run."""

from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence

from ws_python.base.failure import Failure
from ws_python.base.text import printable, shorten
from ws_python.base.units import count, parse_time
from ws_python.model.compositions import Kept, Part
from ws_python.model.report import Report, unit_of


@dataclass
class View:
    """Parts of a set, with a title."""
    set: str
    title: str
    parts: List[Part]
    written: bool = False       # written pages are known

    @property
    def pages(self) -> int:
        return sum(part.pages for part in self.parts)


def aliases(report: Report) -> Dict[int, List[str]]:
    """Return the names of kept samples, by their numbers."""
    found = report.compositions
    names: Dict[int, List[str]] = {}
    for number, some in found.kept.items():
        names[number] = [f"{some.set}.peak"] if "largest" in some.why else []
        if some.rank:
            names[number].append(f"peak.{some.rank}")
        names[number].append(str(some.time))
        if "snapshot" in some.why and some.label:
            names[number].append(some.label)
    return names


def time_in(report: Report, at: str) -> Optional[int]:
    """Read a time; None: the text is none."""
    try:
        return parse_time(at, unit_of(report))
    except ValueError:
        return None


def view_of(report: Report, some: Kept, names: Sequence[str]) -> View:
    also = [name for name in names if name != str(some.time)]
    title = f"{some.set} at {count(some.time)} {unit_of(report)}"
    if also:
        title += f" ({shorten(', '.join(map(printable, also)), 60)})"
    return View(some.set, title, some.parts, some.written is not None)


def largest(report: Report, wanted: Sequence[str]) -> List[View]:
    """Return the largest composition of each set that has one."""
    found, names = report.compositions, aliases(report)
    return [view_of(report, some, names[number])
            for name in reversed(wanted)
            for number, some in found.kept.items()
            if some is found.largest(name)]


def samples_at(report: Report, wanted: Sequence[str], at: str) -> List[View]:
    """Return the samples with this name, at most one of each set."""
    names = aliases(report)
    time = time_in(report, at)
    views = [view_of(report, some, names[number]) for name in reversed(wanted)
             for number, some in report.compositions.kept.items()
             if some.set == name
             and (at in names[number] or time == some.time)]
    if not views:
        raise Failure(f"{report.name}: keeps no sample "
                      f"{shorten(printable(at), 60)}; "
                      + what_there_is(report, wanted, at, names))
    return views


def what_there_is(report: Report, wanted: Sequence[str], at: str,
                  names: Dict[int, List[str]]) -> str:
    """Name the samples nearest to a time, or all samples."""
    kept = {number: some for number, some in report.compositions.kept.items()
            if some.set in wanted}
    time = time_in(report, at)
    if time is None or not kept:
        there = [" = ".join(map(printable, names[number])) for number in kept]
        return "it has " + shorten(", ".join(there) or "none", 1000)
    near = sorted({some.time for some in kept.values()},
                  key=lambda other: abs(other - time))[:3]
    return ("the nearest are "
            + ", ".join(f"--at={other}" for other in sorted(near))
            + f"; --ws-info-at={time} of ws keeps what is there")


def entries(report: Report, wanted: Sequence[str]) -> List[View]:
    """Return the entries of the whole run."""
    return [View(name, f"{name}: pages that entered the working set, in the "
                 "whole run", report.compositions.entered[name])
            for name in reversed(wanted)
            if name in report.compositions.entered]


def no_samples(report: Report) -> Failure:
    """Make the message for a page log."""
    return Failure(f"{report.name}: is a page log, which keeps no samples; "
                   "the view layers shows what a set consists of")


def views(report: Report, wanted: Sequence[str], at: Optional[str],
          entered: bool) -> List[View]:
    """Return the views that the options ask for.  Failure: none."""
    if report.is_log:
        raise no_samples(report)
    if at is not None:
        return samples_at(report, wanted, at)
    found = (entries if entered else largest)(report, wanted)
    if not found:
        raise Failure(f"{report.name}: has no compositions of "
                      f"{' and '.join(wanted)}: it is older, was cut off, or "
                      "has no sample")
    return found
