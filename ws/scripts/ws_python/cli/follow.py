# SPDX-License-Identifier: GPL-2.0-or-later
"""Shows a run while it goes on: its curve, and its present need."""

import os
import signal
import sys
import time
from contextlib import closing
from typing import Dict, List, Optional, Sequence, Tuple
from unicodedata import east_asian_width

from ws_python.base.failure import Failure
from ws_python.base.text import printable
from ws_python.base.units import count, noun, pages, size, time_text
from ws_python.model.report import Report, command_of, unit_of
from ws_python.read.files import is_page_log
from ws_python.read.growing import Growing, NewRun, is_running, next_report
from ws_python.read.reports import read_report
from ws_python.show.terminal.chart import chart

POLL = 0.2                  # seconds between looks at the file,
DRAW = 1.0                  # between pictures,
QUIET = 3.0                 # without news before a process may be gone
LOWEST = 3                  # lines of a curve


class View:
    """One report, as far as it has been read."""

    def __init__(self, path: str, wanted: Sequence[str], screen: "Screen"):
        self.name, self.wanted, self.screen = printable(path), wanted, screen
        self.report: Optional[Report] = None
        self.rows = 0               # of its table, when it was looked at
        self.news = screen.clock()
        self.gone = False           # its process

    def begin(self, report: Report) -> List[int]:
        """Keep the report, whose header has been read; choose the window."""
        self.report = report
        return [report.number("Tau")]

    def wait(self) -> bool:
        """Show the report, and wait.  False: nothing more will come."""
        now = self.screen.clock()
        if len(self.times) > self.rows:
            self.rows, self.news = len(self.times), now
        if self.report and now - self.news > QUIET:
            self.gone = not is_running(self.report.header.get("PID", ""))
        if not self.gone:
            self.screen.show(self)
            time.sleep(POLL)
        return not self.gone

    @property
    def times(self) -> Sequence[int]:
        return self.report.columns.get("t", ()) if self.report else ()

    def sets(self) -> Dict[str, Sequence[int]]:
        """Return the sizes of the wanted sets at each sample so far."""
        report = self.report
        if not report or not self.times:
            return {}
        found = {name: report.columns.get(report.column(
            name, report.windows[0])) for name in self.wanted}
        return {name: values for name, values in found.items() if values}

    # --- Texts and curve ---

    def status(self) -> str:
        report = self.report
        if not report:
            return f"{self.name}: waits for the run to begin"
        done = time_text([0, *self.times[-1:]][-1], unit_of(report))
        if report.complete:
            return f"{done}: the run is over"
        if self.gone:
            return (f"{done}: there is no process "
                    f"{report.header.get('PID', '?')} any more, and its report "
                    "has no end")
        return done

    def sizes(self, name: str, values: Sequence[int]) -> str:
        assert self.report is not None
        page, most = self.report.number("Page size"), max(values)
        return (f"{name}: {size(values[-1], page)} "
                f"({pages(values[-1], page)}), at most "
                f"{size(most, page)} ({count(most)}) at "
                + time_text(self.times[values.index(most)],
                            unit_of(self.report)))

    def texts(self) -> List[str]:
        return [self.status(), *(self.sizes(*one) for one
                                 in self.sets().items())]

    def frame(self, width: int, height: int) -> List[str]:
        """Make the lines: the curve of data or the first set, and texts."""
        title = [f"{command_of(self.report, width)}: {self.name}"
                 ] if self.report else []
        texts, sets = self.texts(), self.sets()
        drawn = "data" if "data" in sets else next(iter(sets), None)
        # An axis has two lines, a heading one.
        room = height - len(title) - len(texts) - 3
        curve: List[str] = []
        if self.report and drawn and room >= LOWEST:
            unit = unit_of(self.report)
            curve = [f"{drawn}: {noun(self.report.number('Page size'))} in "
                     + time_text(self.report.windows[0], unit),
                     *chart(self.times, sets[drawn], width, unit, height=room)]
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
    except (BrokenPipeError, KeyboardInterrupt):
        pass        # the reader, or the user, has seen enough
    finally:
        screen.end()


def follow_one(path: str, wanted: Sequence[str],
               screen: Screen) -> Optional[str]:
    """Follow one report; return the name of the next one, or None."""
    view = View(path, wanted, screen)
    try:
        with closing(Growing(path, view.wait)) as stream:
            view.report = read_report(stream, view.name, view.begin)
    except NewRun:
        return path
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
