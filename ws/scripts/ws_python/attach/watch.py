# SPDX-License-Identifier: GPL-2.0-or-later
"""The schedule of a process: when its bits are cleared and read.

    tau < every        --------[-- tau --]--------[-- tau --]
    tau = every        [------- tau -----][------ tau ------]
    --profile          -[.][--][- tau/2 -][------ tau ------]
                                         T                  2T

The kernel has a single bit for each page.  So windows cannot overlap.  The last
window of each interval ends with it, at a multiple of T.
"""

from dataclasses import dataclass
from itertools import count
from math import ceil
from time import monotonic, time
from typing import Dict, Iterator, List, Optional

from ws_python import VERSION
from ws_python.attach.kernel_pages import (PAGE_SZB, Memory, ReadTime,
                                           RunningProcess)
from ws_python.attach.report import SOURCE, AttachReport

CODE = "private pages of executable mappings; data: those of all others"


@dataclass(frozen=True)
class Plan:
    """What to measure; times are in milliseconds."""
    pid: int
    every: int
    tau: int
    length: int                 # of the measurement
    out: str                    # the name of a report; %p is the PID
    profile: bool               # measure shorter windows, too
    tree: bool                  # measure children, too
    flushes: bool               # empty the TLBs
    dirty: bool                 # count written pages


@dataclass
class Window:
    """A window in each interval; in milliseconds."""
    tau: int
    before: float       # from its begin to the interval's end


def windows_to_watch(tau: int, every: int, cost: float,
                     profile: bool) -> List[Window]:
    """Return the windows, the shortest first: tau, and with a profile tau/2,
    tau/4, ..., as long as the cost of clearing and reading is less than half a
    window, and all windows with the cost between them fit into the interval.
    All are in milliseconds.
    """
    windows = [Window(tau, tau)]
    gap = 1 + 3 * cost
    while profile:
        shorter = tau >> len(windows)
        before = windows[0].before + gap + shorter
        if shorter < max(1, 2 * cost) or before + gap > every:
            break
        windows.insert(0, Window(shorter, before))
    return windows


class Watch:
    """A measured process.  Times are those of time.monotonic(), in seconds."""

    def __init__(self, process: RunningProcess, path: str,
                 windows: List[Window], plan: Plan, parent: Optional[int]):
        """Begin the report.  FileExistsError: its path is taken."""
        self.process, self.windows, self.plan = process, windows, plan
        self.every, self.tau = plan.every / 1000, windows[-1].tau
        self.command = process.command()
        self.program = process.program()
        self.missed = 0     # samples that were not taken, for lack of time
        before = process.memory()[0]
        self.began = monotonic()
        self.cleared = ReadTime(self.began, self.began)
        self.report = AttachReport(path, VERSION, self.header(parent),
                                   plan.dirty)
        self.report.row(0, Memory(sizes_kB=before.sizes_kB))

    def header(self, parent: Optional[int]) -> Dict[str, str]:
        plan = self.plan
        return {
            "Command": self.command, "PID": str(self.process.pid),
            **({} if parent is None else {"Parent PID": str(parent)}),
            "Page size": str(PAGE_SZB), "Time unit": "milliseconds",
            "Start": str(int(1000 * time())), "Every": str(plan.every),
            "Tau": str(self.tau), "Source": SOURCE, "Code": CODE,
            "Flushed": "yes" if plan.flushes else "no",
            "Written": "yes" if plan.dirty else "no"}

    # --- The schedule ------------------------------------------------------

    def steps(self) -> Iterator[float]:
        """Measure; yield the times at which to go on.  Gone, Denied: the
        process cannot be measured any more; OSError: nor the report written.
        """
        is_clear = False
        for number in count(1):
            end = self.began + number * self.every
            # Skip a sample whose window would be too short.
            if end - monotonic() < self.windows[0].before / 2000:
                is_clear = False
                self.missed += 1
                continue
            for window in self.windows:
                if not is_clear:
                    yield end - window.before / 1000
                    self.cleared = self.process.clear(self.plan.flushes)
                is_last = window is self.windows[-1]
                due = end if is_last else (
                    self.cleared.middle + window.tau / 1000)
                yield due
                is_clear = window.before >= self.plan.every
                self.read(window.tau, number if is_last else 0, due, is_clear)

    def read(self, tau: int, number: int, due: float,
             then_clear: bool = False) -> None:
        """End a window; with `then_clear`, begin the next window at once.  The
        window of a sample has its number, others have 0.
        """
        cleared = self.cleared
        memory, mappings, span = self.process.memory()
        if self.plan.dirty:
            memory.written = self.process.written(mappings)
        if then_clear:
            self.cleared = self.process.clear(self.plan.flushes)
        window_us = int(1e6 * (span.middle - cleared.middle))
        self.report.measured(tau, memory, window_us)
        if number:
            self.report.row(
                number * self.plan.every, memory,
                max(0, int(1e6 * (span.begin - due))), window_us,
                int(1e6 * (span.length + cleared.length)), self.changed())

    def changed(self) -> Optional[int]:
        """Add a note if the process has become another program."""
        program = self.process.program()
        if not program or program == self.program:
            return None
        self.program = program
        return self.report.note(f"has become {program}")

    def finish(self, end: float) -> None:
        length = max(0, ceil(1000 * (end - self.began)))
        self.report.finish(length, self.missed)
        self.process.close()
