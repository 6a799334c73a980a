# SPDX-License-Identifier: GPL-2.0-or-later
"""Shows a run while it goes on: its curve, and its present need."""

import os
import signal
import sys
import time
from collections import deque
from typing import Deque, Dict, List, Optional, Sequence, Tuple
from unicodedata import east_asian_width

from ws_python.base.failure import Failure
from ws_python.base.text import printable
from ws_python.base.units import count, large, noun, pages, size, time_text
from ws_python.model.report import Report, command_of, is_clocked, unit_of
from ws_python.model.sizes import KINDS
from ws_python.read.files import is_page_log
from ws_python.read.growing import Growing, NewRun, is_running, next_report
from ws_python.read.reports import read_report
from ws_python.show.terminal.chart import chart

POLL = 0.2                  # seconds between looks at the file,
DRAW = 1.0                  # between pictures,
QUIET = 3.0                 # without news before a process may be gone,
SPEED = 10.0                # over which the speed is measured
MOST_SPANS = 4096           # many more than a terminal has columns
LOWEST = 3                  # lines of a curve


class History:
    """Samples of a set, in as many spans of time as a curve can show."""

    def __init__(self) -> None:
        self.times: List[int] = []      # ends of the spans
        self.lows: List[int] = []
        self.highs: List[int] = []
        self.step = 1                   # samples in a span
        self.last = 0                   # and in the last one
        self.now = self.largest = self.largest_at = 0

    def add(self, when: int, value: int) -> None:
        if not self.times or self.last == self.step:
            if len(self.times) == MOST_SPANS:
                self.halve()
            self.last = 0
            for store in (self.times, self.lows, self.highs):
                store.append(value)
        self.last += 1
        self.times[-1], self.now = when, value
        self.lows[-1] = min(self.lows[-1], value)
        self.highs[-1] = max(self.highs[-1], value)
        if value > self.largest:
            self.largest, self.largest_at = value, when

    def halve(self) -> None:
        self.times = self.times[1::2]
        self.lows = [*map(min, self.lows[::2], self.lows[1::2])]
        self.highs = [*map(max, self.highs[::2], self.highs[1::2])]
        self.step *= 2

    def draw(self, width: int, unit: str, height: int) -> List[str]:
        """Draw the curve; each span has a row for its low and its high."""
        return chart([when for when in self.times for _ in "lh"],
                     [value for both in zip(self.lows, self.highs)
                      for value in both], width, unit, height=height)


class Speed:
    """Instructions per second, by the arrival of samples."""

    def __init__(self) -> None:
        self.seen: Deque[Tuple[float, int]] = deque()

    def add(self, now: float, when: int) -> None:
        self.seen.append((now, when))
        while len(self.seen) > 2 and now - self.seen[0][0] > SPEED:
            self.seen.popleft()

    def text(self, now: float) -> str:
        if not self.seen:
            return ""
        (begin, first), (end, last) = self.seen[0], self.seen[-1]
        if now - end > SPEED:
            return f", nothing new for {now - end:.0f} s"
        return "" if end == begin else (
            f", {large(int((last - first) / (end - begin)))} per second")


class View:
    """One report, as far as it has been read."""

    def __init__(self, path: str, wanted: Sequence[str], screen: "Screen"):
        self.name, self.wanted, self.screen = printable(path), wanted, screen
        self.report: Optional[Report] = None
        self.histories: Dict[str, History] = {}
        self.speed = Speed()
        self.rows = 0               # rows of the table already in histories
        self.news = screen.clock()
        self.gone = False           # its process

    def begin(self, report: Report) -> List[int]:
        """Keep the report, whose header has been read; choose the window."""
        self.report = report
        return [report.number("Tau")]

    def wait(self) -> bool:
        """Show the report, and wait.  False: nothing more will come."""
        now = self.screen.clock()
        if self.look():
            self.news = now
            if self.report and not is_clocked(self.report):
                self.speed.add(now, self.report.columns["t"][-1])
        if self.report and now - self.news > QUIET:
            self.gone = not is_running(self.report.header.get("PID", ""))
        if not self.gone:
            self.screen.show(self)
            time.sleep(POLL)
        return not self.gone

    def look(self) -> bool:
        """Take new rows; False: there is none."""
        columns = self.report.columns if self.report else {}
        times = columns.get("t", ())
        if not self.report or len(times) == self.rows:
            return False
        for name in self.wanted:
            values = columns.get(self.report.column(
                KINDS[name], self.report.windows[0]))
            if values:
                history = self.histories.setdefault(name, History())
                for row in range(self.rows, len(times)):
                    history.add(times[row], values[row])
        self.rows = len(times)
        return True

    # --- Texts and curve ---

    def status(self) -> str:
        report = self.report
        if not report:
            return f"{self.name}: waits for the run to begin"
        times = report.columns.get("t")
        done = time_text(times[-1] if times else 0, unit_of(report))
        if report.complete:
            return f"{done}: the run is over"
        if self.gone:
            return (f"{done}: there is no process "
                    f"{report.header.get('PID', '?')} any more, and its report "
                    "has no end")
        return done + self.speed.text(self.screen.clock())

    def sizes(self, name: str) -> str:
        assert self.report is not None
        history, page = self.histories[name], self.report.number("Page size")
        return (f"{name}: {size(history.now, page)} "
                f"({pages(history.now, page)}), at most "
                f"{size(history.largest, page)} ({count(history.largest)}) at "
                + time_text(history.largest_at, unit_of(self.report)))

    def texts(self) -> List[str]:
        return [self.status(), *map(self.sizes, self.histories)]

    def frame(self, width: int, height: int) -> List[str]:
        """Make the lines: the curve of data or the first set, and texts."""
        title = [f"{command_of(self.report, width)}: {self.name}"
                 ] if self.report else []
        texts = self.texts()
        drawn = "data" if "data" in self.histories else next(
            iter(self.histories), None)
        # An axis has two lines, a heading one.
        room = height - len(title) - len(texts) - 3
        curve: List[str] = []
        if self.report and drawn and room >= LOWEST:
            unit = unit_of(self.report)
            curve = [f"{drawn}: {noun(self.report.number('Page size'))} in "
                     + time_text(self.report.windows[0], unit),
                     *self.histories[drawn].draw(width, unit, room)]
        return [*title, *curve, *texts][-height:]


class Screen:
    """A terminal in which pictures follow each other, or lines for a file."""

    def __init__(self) -> None:
        self.clock = time.monotonic
        self.last = -DRAW
        self.is_terminal = sys.stdout.isatty() and os.environ.get(
            "TERM", "dumb") not in ("", "dumb")
        self.frame: List[str] = []
        self.size = (0, 0)

    def show(self, view: View, at_once: bool = False) -> None:
        """Show the view, if it is time to."""
        now, measured = self.clock(), self.measure()
        if not at_once and now - self.last < DRAW and measured == self.size:
            return
        self.last = now
        frame = view.frame(*measured) if self.is_terminal else [
            "; ".join(view.texts())]
        if frame != self.frame:
            # Overwrite the old picture: erasing it would flicker.
            clear = "\x1b[2J" if measured != self.size else ""
            text = (f"{clear}\x1b[H" + "\x1b[K\n".join(
                clipped(line, measured[0]) for line in frame) + "\x1b[J"
                if self.is_terminal else f"{frame[0]}\n")
            os.write(1, text.encode(errors="replace"))
        self.frame, self.size = frame, measured

    def measure(self) -> Tuple[int, int]:
        """Return columns and lines.  A window may change its size."""
        try:
            measured = os.get_terminal_size(1)
            return measured.columns or 80, measured.lines or 24
        except OSError:
            return 80, 24

    def end(self) -> None:
        if self.is_terminal:
            os.write(1, b"\n")


def clipped(text: str, width: int) -> str:
    """Cut a text to a line; Chinese characters take two columns."""
    for place, character in enumerate(text):
        width -= 2 if east_asian_width(character) in "WF" else 1
        if width < 0:
            return text[:place]
    return text


def follow(path: str, wanted: Sequence[str]) -> None:
    """Follow a run to its end, and the programs its process becomes."""
    if is_page_log(path):
        raise Failure(f"{printable(path)}: is a page log; follow shows the "
                      "report that the same run writes")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    screen = Screen()
    try:
        following: Optional[str] = path
        while following:
            following = follow_one(following, wanted, screen)
    except BrokenPipeError:
        pass        # the reader has seen enough
    except KeyboardInterrupt:
        pass        # and so has the user
    finally:
        screen.end()


def follow_one(path: str, wanted: Sequence[str],
               screen: Screen) -> Optional[str]:
    """Follow one report; return the name of the next one, or None."""
    view = View(path, wanted, screen)
    try:
        with Growing(path, view.wait) as stream:
            view.report = read_report(stream, view.name, view.begin)
    except NewRun:
        return path
    view.look()
    screen.show(view, at_once=True)
    pid = view.report.header.get("PID", "")
    end = screen.clock() + QUIET
    found = None
    while view.report.complete and not found and screen.clock() < end:
        alive = is_running(pid)
        found = next_report(path, pid)
        if not alive:
            break
        time.sleep(POLL)
    return found
