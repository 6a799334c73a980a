# SPDX-License-Identifier: GPL-2.0-or-later
"""The head of a page: the answer in words, and what the words mean."""

from typing import List, Sequence

from ws_python.base.units import byte_size, exact_time
from ws_python.model import about as facts
from ws_python.model.report import Report
from ws_python.show.html.fit import Data, cut
from ws_python.views.answer import answer
from ws_python.views.summary import KEYS

WIDE = 130                  # characters of a line of the answer
TRUNCATED = ("This report is truncated: its run was killed, or is not over. "
             "What follows is about the part that is there.")


def about(report: Report, wanted: Sequence[str]) -> Data:
    return {
        "title": "Answer", "command": cut(report.header.get("Command", "-")),
        "warning": None if report.complete else TRUNCATED,
        "said": [*facts.about(report, WIDE, KEYS[1:]), "",     # no command
                 *answer(report, wanted, WIDE)], "meaning": meaning(report)}


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
