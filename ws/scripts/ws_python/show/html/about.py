# SPDX-License-Identifier: GPL-2.0-or-later
"""The head of a page: the answer in words, and what the words mean."""

from typing import List, Sequence

from ws_python.base.units import byte_size, count, exact_time, large, noun
from ws_python.model.report import Report, samples_of
from ws_python.model.sizes import end_of, instructions_of, no_sample
from ws_python.show.html.fit import Data, cut
from ws_python.views.answer import answer

WIDE = 130                  # characters of a line of the answer
TRUNCATED = ("This report is truncated: its run was killed, or is not over. "
             "What follows is about the part that is there.")


def about(report: Report, wanted: Sequence[str], file: str) -> Data:
    unit = report.unit
    return {
        "title": "Answer", "command": cut(report.header.get("Command", "-")),
        "facts": " \u00b7 ".join(facts(report, file)),
        "warning": None if report.complete else TRUNCATED,
        "part": None if report.end is None else
        f"This is a part of the run, from {exact_time(report.begin, unit)} to "
        f"{exact_time(report.end, unit)}.",
        "no_sample": no_sample(report),
        "said": answer(report, wanted, WIDE), "meaning": meaning(report)}


def facts(report: Report, file: str) -> List[str]:
    unit, end = report.unit, end_of(report)
    work = instructions_of(report)
    pid = cut(report.pid)
    parent = report.header.get("Parent PID")
    return [f"process {pid}" + (f", forked from {cut(parent)}" if parent
                                else ""),
            *([] if work is None else [f"{large(work)} instructions"]),
            *([exact_time(end, unit)] if report.is_clocked and end else []),
            f"{count(len(samples_of(report, 't')))} samples, one every "
            + exact_time(report.number("Every"), unit),
            f"{noun(report.page_szB)} of "
            + byte_size(report.page_szB), file]


def meaning(report: Report) -> List[str]:
    """Say what a working set is, and how this one was measured."""
    unit = report.unit
    every = exact_time(report.number("Every"), unit)
    clock = ("milliseconds." if report.is_estimate else
             "milliseconds under Valgrind, which is slower than the program "
             "alone." if report.is_clocked else f"{unit}.")
    return [
        "Memory comes in pages, here of "
        f"{byte_size(report.page_szB)}. The working set of a "
        "program at some time is the set of pages that it has accessed in the "
        f"time before: in the last {exact_time(report.main, unit)}. This "
        "length is called the window, or tau. What a program has asked for, or "
        "touched once long ago, does not count: its working set is the memory "
        "that it needs at once.",
        ("ws_attach has asked the kernel, which has a bit for each page that "
         "says whether it was referenced. This is an estimate. It was made "
         f"every {every}; each of these is a sample. Data and code are private "
         "memory; code is what may be executed. Pages of files, and those that "
         "processes share, stand apart: they count whichever process has used "
         "them. " if report.is_estimate else
         "ws, a tool of Valgrind, has counted every access of this run: "
         "nothing is estimated. It has looked at the working set every "
         f"{every}; each such look is a sample. Data is what is read and "
         "written, code is what is executed. ")
        + f"Time is counted in {clock}"]
