# SPDX-License-Identifier: GPL-2.0-or-later
"""Cuts a part out of a report: --from and --to.  (pagelog/windows.py cuts page
logs.)
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import Dict, Optional, Tuple

from ws_python.base.text import Failure, clip, printable, shorten
from ws_python.base.units import exact_time, parse_time
from ws_python.report.compositions import Compositions, Kept
from ws_python.report.report import Headed, Report
from ws_python.report.sizes import KINDS, end_of, main_sizes

# The keys of the summary that remain true for a part of the run.
ALWAYS = ("Instructions", "Milliseconds", "Late avg us", "Late max us")


@dataclass(frozen=True)
class Span:
    """A part of a run: the samples after `first`, up to `last`.  Both are as
    the user wrote them; None: not given.
    """
    first: Optional[str]
    last: Optional[str]

    def __bool__(self) -> bool:
        return self.first is not None or self.last is not None


def time_meant(run: Headed, last: int, text: str) -> int:
    """Return the time that a user's text means: a time, a percentage of the
    run up to its last known time, or the label of a mark.  If several marks
    have the label, label#2 is the second.  Failure: it means none.
    """
    times = [mark.time for mark in run.marks if mark.label == text]
    if len(times) == 1:
        return times[0]
    if times:
        raise Failure(f"{run.name}: {len(times)} marks are called "
                      f"{label_text(text)}: {label_text(text)}#1 is at "
                      f"{exact_time(times[0], run.unit)}, and so on")
    name, _, number = text.rpartition("#")
    times = [mark.time for mark in run.marks if mark.label == name]
    if times and re.fullmatch("[0-9]{1,9}", number) and (
            0 < int(number) <= len(times)):
        return times[int(number) - 1]
    share = re.fullmatch(r"([0-9]{1,3})\s*%", text)
    if share:
        return last * int(share[1]) // 100
    try:
        return parse_time(text, run.unit)
    except ValueError as error:
        labels = dict.fromkeys(mark.label for mark in run.marks)
        there = ("its labels are " + ", ".join(map(label_text, labels))
                 if labels else "it has no labels")
        raise Failure(f"{run.name}: {printable(str(error))}, nor a label "
                      f"or a part like 25%: {shorten(there, 400)}") from None


def label_text(label: str) -> str:
    return clip(printable(label), 40)


def limits(run: Headed, last: int, span: Span) -> Tuple[int, int]:
    """Return the times of a span in a run whose last known time is `last`.
    Failure: the span is empty.
    """
    begin = 0 if span.first is None else time_meant(run, last, span.first)
    end = last if span.last is None else time_meant(run, last, span.last)
    if run.complete:
        end = min(end, last)
    if begin >= end:
        raise nothing(run, "time", begin, end)
    return begin, end


def nothing(run: Headed, what: str, begin: int, end: int) -> Failure:
    """Make the message for a part of a run that has no `what`."""
    return Failure(f"{run.name}: there is no {what} from "
                   f"{exact_time(begin, run.unit)} to "
                   f"{exact_time(end, run.unit)}")


def restrict(report: Report, span: Span) -> Report:
    """Make a report of a part of a run.  It lacks entries, the profile, and
    lists of pages; and totals, unless the part is a phase.  Failure: it has no
    sample.
    """
    if not span:
        return report
    begin, end = limits(report, end_of(report) or 0, span)
    times = report.columns["t"]
    # A part that begins at 0 has the rows at 0, too.
    first = bisect_right(times, begin) if begin else 0
    last = bisect_right(times, end)
    columns = {name: column[first:last]
               for name, column in report.columns.items()}
    if not columns["t"]:
        raise nothing(report, "sample", begin, end)
    part = replace(
        report, begin=begin, end=end, columns=columns,
        spans=report.spans[first:last],
        info=[(row - first, number) for row, number in report.info
              if first <= row < last],
        marks=[mark for mark in report.marks if begin <= mark.time <= end],
        phases=[phase for phase in report.phases
                if begin <= phase.start and phase.end <= end],
        profile=None, lists={}, totals={}, bounds={},
        summary={key: text for key, text in report.summary.items()
                 if key in ALWAYS},
        # The part is whole if the report was cut off later.
        complete=report.complete or times[-1] > end)
    part.compositions = kept_in(part, report.compositions)
    return part


def kept_in(part: Report, compositions: Compositions) -> Compositions:
    """Return the kept samples of a part, and mark the part's largest ones,
    which are peaks of the run if they are kept.
    """
    largest = {name: (sizes.peak_time, sizes.peak)
               for name, sizes in main_sizes(part, KINDS).items()}
    kept: Dict[int, Kept] = {}
    for number, sample in compositions.kept.items():
        if part.begin < sample.time <= (part.end or 0):
            why = sample.why
            if (why != ["snapshot"] and "largest" not in why and largest.get(
                    sample.set) == (sample.time, sample.pages)):
                why = ["largest", *why]
            kept[number] = replace(sample, why=why)
    return Compositions(kept, {}, compositions.frames, compositions.tau)
