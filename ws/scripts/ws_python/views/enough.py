# SPDX-License-Identifier: GPL-2.0-or-later
"""How much memory is enough, and for how long: the sizes of a working set by
the length of its window.
"""

from typing import Dict, List, Sequence, Tuple

from ws_python.base.text import warn
from ws_python.base.units import BYTES, PAGES, SETS, TIME, byte_size
from ws_python.base.view import Axis, Line, Series, Shown, View
from ws_python.report.about import PROFILE_TITLE, table_of_profile
from ws_python.report.report import ProfileRow, Report, every_of
from ws_python.report.request import Request
from ws_python.report.runs import (about_runs, common_unit, duration,
                                   names_of_runs, page_sizes_of, title_of,
                                   wanted_kinds)
from ws_python.report.sizes import KINDS, sizes_of

DASHED = 1
NO_LOG = ("A page log adds the misses of an LRU memory, by its size: "
          "--ws-page-log=FILE of ws.")


def profile_of_windows(report: Report) -> Dict[str, List[ProfileRow]]:
    """Make a profile of a part of a run, which only has its windows."""
    profile: Dict[str, List[ProfileRow]] = {}
    for window in sorted(sizes_of(report, [*KINDS]),
                         key=lambda window: window.tau):
        average, median, p95 = map(window.statistic, ("avg", "p50", "p95"))
        if (average is not None and window.peak is not None
                and isinstance(median, int) and isinstance(p95, int)):
            profile.setdefault(window.set, []).append(ProfileRow(
                window.tau, float(average), window.peak, None, "-", None, None,
                median, p95))
    return profile


def why_none(report: Report) -> str:
    """Say why a report has no profile to draw."""
    if not report.complete:
        return "its run was killed or is not over"
    if report.profile is None:
        return "there is no such section"
    if not report.profile:
        return ("no window lies in this part" if report.begin else
                "its run ended before the first sample")
    return "it has no dirty sets; the option --ws-dirty=yes of ws adds them"


def view(reports: List[Report], request: Request) -> View:
    """Make a picture of all profiles, and a table of that of a single run."""
    pages = page_sizes_of(reports)
    series = lines_of_runs(reports, request, pages)
    first, *others = reports
    parts: List[Shown] = []
    if series.lines:
        parts.append(series)
        if not others:
            parts.append(table_of_profile(first, request.sets))
    notes = []
    if not (others or first.is_log or first.is_estimate
            or "Page log" in first.header):
        notes.append(NO_LOG)
    return View("enough", title_of(PROFILE_TITLE, reports), parts, pages[0],
                common_unit(reports), notes=notes)


def lines_of_runs(reports: List[Report], request: Request,
                  pages: List[int]) -> Series:
    in_bytes = len(set(pages)) > 1
    xs: List[Sequence[float]] = []
    lines: List[Line] = []
    for number, (report, name) in enumerate(zip(
            reports, names_of_runs(reports, 40))):
        kinds = wanted_kinds(request, [
            kind for kind in SETS if kind in (report.profile or {})])
        if not kinds:
            warn(f"{report.name}: no working set profile: {why_none(report)}")
        for kind in kinds:
            for taus, line in lines_of(
                    (report.profile or {})[kind], pages[number], in_bytes,
                    f"{name}, {SETS[kind]}" if reports[1:] else SETS[kind],
                    number if reports[1:] else [*SETS].index(kind)):
                xs.append(taus)
                lines.append(line)
    notes = ["line: median, band: to 95th percentile" if any(
        line.high for line in lines) else "line: average", "dashed: max"]
    if any(line.limited for line in lines):
        notes.append("thin: limited by the run's length")
    if not reports[1:]:
        notes += early_windows(reports[0])
    return Series(PROFILE_TITLE, Axis("length \u03c4 of the window", TIME, True),
                  Axis("working set size", BYTES if in_bytes else PAGES,
                       request.log_axis),
                  xs, lines, [*notes, *about_runs(reports)])


def early_windows(report: Report) -> List[str]:
    """Say which windows are known for the beginning of the run only."""
    ends = [row.until for rows in (report.profile or {}).values()
            for row in rows if row.until]
    if not ends:
        return []
    every, until = (duration(time, report.unit)
                    for time in (every_of(report)[1], max(ends)))
    return [f"windows shorter than {every}: of the first {until} or less, "
            "but for those of --ws-tau"]


def lines_of(rows: Sequence[ProfileRow], page: int, in_bytes: bool, name: str,
             hue: int) -> List[Tuple[List[float], Line]]:
    """Make the lines of a set: its medians, or else averages, and its maxima."""
    factor = page if in_bytes else 1
    taus: List[float] = [row.tau for row in rows]
    averages = [row.average * factor for row in rows]
    known = [row for row in rows
             if row.median is not None and row.p95 is not None]
    middle = [(row.median or 0) * factor for row in known]
    line = Line(name, middle or averages, [*middle],
                [(row.p95 or 0) * factor for row in known],
                limited=sum(row.note == "limited" for row in known or rows),
                hue=hue, about=f"{byte_size(rows[-1].peak * page)} at most")
    return [([row.tau for row in known] or taus, line),
            (taus, Line("", [row.peak * factor for row in rows], hue=hue,
                        dash=DASHED))]
