# SPDX-License-Identifier: GPL-2.0-or-later
"""What can be looked at: compositions of samples, and entries of the run."""

from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence

from ws_python.compositions import Kept, Part
from ws_python.layout import count
from ws_python.reports import Failure, Report, unit_of
from ws_python.text import printable, shorten


@dataclass
class View:
    """Parts of a set, and what they are."""
    set: str
    title: str
    parts: List[Part]
    written: bool = False       # whether it is known what was written

    @property
    def pages(self) -> int:
        return sum(part.pages for part in self.parts)


def aliases(report: Report) -> Dict[int, List[str]]:
    """By their numbers, what the kept samples are called."""
    found = report.compositions
    peaks = [id(some) for some in found.peaks()]
    names: Dict[int, List[str]] = {}
    for number, some in found.kept.items():
        names[number] = [f"{some.set}.peak"] if "largest" in some.why else []
        if id(some) in peaks:
            names[number].append(f"peak.{peaks.index(id(some)) + 1}")
        names[number].append(str(some.time))
        if "snapshot" in some.why and some.label:
            names[number].append(some.label)
    return names


def view_of(report: Report, some: Kept, names: Sequence[str]) -> View:
    also = [name for name in names if name != str(some.time)]
    title = f"{some.set} at {count(some.time)} {unit_of(report)}"
    if also:
        title += f" ({shorten(', '.join(map(printable, also)), 60)})"
    return View(some.set, title, some.parts, some.written is not None)


def largest(report: Report, wanted: Sequence[str]) -> List[View]:
    """The largest composition of each set, as far as there is one."""
    found, names = report.compositions, aliases(report)
    return [view_of(report, some, names[number])
            for name in reversed(wanted)
            for number, some in found.kept.items()
            if some is found.largest(name)]


def samples_at(report: Report, wanted: Sequence[str], at: str) -> List[View]:
    """Those that have this name; there may be one of each set."""
    names = aliases(report)
    views = [view_of(report, some, names[number]) for name in reversed(wanted)
             for number, some in report.compositions.kept.items()
             if some.set == name
             and (at in names[number] or at.replace(",", "") == str(some.time))]
    if not views:
        there = [" = ".join(map(printable, some)) for number, some
                 in names.items()
                 if report.compositions.kept[number].set in wanted]
        raise Failure(f"{report.name}: keeps no sample "
                      f"{shorten(printable(at), 60)}; it has "
                      + shorten(", ".join(there) or "none", 1000))
    return views


def entries(report: Report, wanted: Sequence[str]) -> List[View]:
    """Of the whole run."""
    return [View(name, f"{name}: pages that entered the working set, in the "
                 "whole run", report.compositions.entered[name])
            for name in reversed(wanted)
            if name in report.compositions.entered]


def views(report: Report, wanted: Sequence[str], at: Optional[str],
          entered: bool) -> List[View]:
    """What was asked for; Failure: there is none."""
    if at is not None:
        return samples_at(report, wanted, at)
    found = (entries if entered else largest)(report, wanted)
    if not found:
        raise Failure(f"{report.name}: has no compositions of "
                      f"{' and '.join(wanted)}: it is older, was cut off, or "
                      "has no sample")
    return found
