# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures a process, or a process and its children at the same time."""

import os
import select
import signal
import sys
from itertools import count
from math import inf
from time import monotonic
from typing import Dict, Iterator, List, Optional, Set

from ws_python.attach.kernel_pages import (Denied, Gone, RunningProcess,
                                           may_not, process_of)
from ws_python.attach.watch import Plan, Watch, Window, windows_to_watch
from ws_python.base.text import Failure, printable, warn

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LOOKS_S = 0.1       # between two looks for children
TRIALS = 3
ROUNDING_S = 1e-4   # so that a sample at the end of the time counts


class Run:
    """All processes that are measured, and when to go on with each."""

    def __init__(self, plan: Plan):
        """Begin with the first process.  Failure: it cannot be measured."""
        self.plan = plan
        self.lost = False           # a report could not be written whole
        self.paths: List[str] = []
        self.steps: Dict[Watch, Iterator[float]] = {}
        self.due: Dict[Watch, float] = {}
        self.children: Set[int] = set()     # their PIDs
        self.wakeup = wake_up_at_signals()
        first = process_of(plan.pid)
        try:
            self.windows = self.choose_windows(first)
            if plan.tree:
                first.children()
        except Gone:
            raise Failure(f"process {plan.pid} has exited") from None
        except Denied:
            raise may_not(plan.pid) from None
        self.begin(first, None)
        if not self.steps:
            raise Failure("nothing was measured")

    def choose_windows(self, process: RunningProcess) -> List[Window]:
        plan = self.plan
        cost = cost_of(process, plan.flushes)
        if plan.tau < cost:
            raise Failure(
                f"to clear and read the bits of process {process.pid} takes "
                f"{cost:.1f} ms: a window of {plan.tau} ms cannot be "
                f"measured; --tau={int(2 * cost) + 1} can")
        return windows_to_watch(plan.tau, plan.every, cost,
                                plan.profile)

    # --- Processes -----------------------------------------------------------

    def begin(self, process: RunningProcess, parent: Optional[int]) -> None:
        path = name = report_path(self.plan, process.pid)
        for number in count(1):
            try:
                watch = Watch(process, path, self.windows, self.plan,
                              parent)
                break
            except FileExistsError:
                # Nobody knows in advance which PIDs children will have.
                if parent is None:
                    raise Failure(
                        f"{printable(path)}: is there, and not written over. "
                        "Usage: ws_attach --out=FILE PID") from None
                path = f"{name}.{number}"
            except (Gone, Denied, OSError) as why:
                self.stop(process, path, why)
                return
        self.paths.append(path)
        self.steps[watch], self.due[watch] = watch.steps(), watch.began

    def stop(self, process: RunningProcess, path: str, why: Exception) -> None:
        """Give up a process that cannot be measured or reported, and warn."""
        process.close()
        if isinstance(why, Denied):
            warn(may_not(process.pid))
        elif not isinstance(why, Gone):
            self.lost = True
            text = why.strerror if isinstance(why, OSError) else str(why)
            warn(f"cannot write {printable(path)}: {text}: what is there of "
                 f"process {process.pid} ends here")

    def end(self, watch: Watch, why: Optional[Exception] = None) -> None:
        """End a process that has exited, or whose time is over."""
        del self.due[watch], self.steps[watch]
        if isinstance(why, Denied):
            warn(f"process {watch.process.pid} may not be read any longer")
        try:
            if isinstance(why, OSError):
                raise why
            watch.finish(monotonic())
        except OSError as error:
            self.stop(watch.process, watch.report.path, error)

    def look_for_children(self) -> None:
        parents = {pid: watch.process.pid for watch in self.steps
                   for pid in watch.process.children()}
        for pid in parents.keys() - self.children:
            try:
                self.begin(RunningProcess(pid), parents[pid])
            except Gone:
                pass
        self.children = {*parents}

    # --- Time -----------------------------------------------------------------

    def run(self) -> None:
        """Measure until all processes have exited, the time is over, or a
        signal comes.
        """
        began = min(watch.began for watch in self.steps)
        over = began + self.plan.length / 1000 + ROUNDING_S
        look = began if self.plan.tree else inf
        while self.steps:
            if monotonic() >= look:
                self.look_for_children()
                look = monotonic() + LOOKS_S
            watch = min(self.due, key=self.due.__getitem__)
            due = min(self.due[watch], over)
            if self.wait(min(due, look)) or monotonic() >= over == due:
                break
            if watch in self.due and monotonic() >= due:
                try:
                    self.due[watch] = next(self.steps[watch])
                except (Gone, Denied, OSError) as why:
                    self.end(watch, why)
        for watch in [*self.steps]:
            self.end(watch)

    def wait(self, until: float) -> bool:
        """Wait, and end processes that exit.  True: a signal has come."""
        exits = {watch.process.exited: watch for watch in self.steps
                 if watch.process.exited is not None}
        ready, _, _ = select.select([self.wakeup, *exits], [], [],
                                    max(0, until - monotonic()))
        for file in ready:
            if file in exits:
                self.end(exits[file])
        return self.wakeup in ready


def wake_up_at_signals() -> int:
    """Open a file that becomes readable when a signal arrives."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:      # nohup
            signal.signal(number, lambda *_: None)
    return reading


def cost_of(process: RunningProcess, flushes: bool) -> float:
    """Return the time to clear and read bits, in milliseconds: the shortest of
    a few trials.
    """
    costs = []
    for _ in range(TRIALS):
        began = monotonic()
        process.clear(flushes)
        process.memory()
        costs.append(monotonic() - began)
    return 1000 * min(costs)


def announce(plan: Plan) -> None:
    shorter = " (and less)" if plan.profile else ""
    print(f"ws_attach: measuring process {plan.pid} every {plan.every} "
          f"ms, the last {plan.tau} ms{shorter}; "
          f"report: {printable(report_path(plan, plan.pid))}; "
          "Ctrl-C ends it", file=sys.stderr, flush=True)


def report_path(plan: Plan, pid: int) -> str:
    return plan.out.replace("%p", str(pid))
