# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory over time: what was mapped beside what was used."""

import argparse
from typing import List, Sequence

from ws_python.base.failure import Failure
from ws_python.base.units import PAGES, TIME, byte_size
from ws_python.model.compositions import FILES, RESIDENT
from ws_python.model.report import Report, is_estimate, samples_of
from ws_python.model.runs import (about_runs, first_drawn, length, one_unit,
                                  page_sizes, title_of)
from ws_python.model.view import Axis, Line, Series, View

MAPPED = "mapped"           # the column


def view(reports: List[Report], options: argparse.Namespace) -> View:
    """Show what a program had mapped, has touched and needs; or what it has
    in memory, if the kernel was asked.
    """
    report, = reports
    page, unit = page_sizes(reports)[0], one_unit(reports)
    columns = report.columns
    if MAPPED not in columns:
        raise Failure(f"{report.name}: its table has no column {MAPPED}"
                      + (": it is a page log" if report.is_log else
                         ": ws_attach --cumulative measures that"
                         if is_estimate(report) else ""))
    lines = [line_of(report, MAPPED, columns[MAPPED], -1)]
    if is_estimate(report) and "rss_kB" in columns:
        lines.append(line_of(report, RESIDENT, [
            1024 * kB // page for kB in columns["rss_kB"]], 5))
    else:
        lines.append(line_of(report, "touched so far", summed(
            report, "total_insn", "total_data"), 5))
    if FILES in columns:
        lines.append(line_of(report, "files, at most", columns[FILES], 2))
    lines.append(line_of(
        report, f"working set, \u03c4 = {length(report.windows[0], unit)}",
        summed(report, "WSS_insn", "WSS_data"), 0))
    whole = max(samples_in(report, lines[0]), default=0)
    first = first_drawn(report)
    for line in lines:
        peak = max(samples_in(report, line), default=None)
        line.values = line.values[first:]
        line.about = "no samples" if peak is None else (
            f"largest sample {byte_size(peak * page)}"
            + (f", {share(peak, whole)} of mapped"
               if whole and line is not lines[0] else ""))
    return View("mapped", title_of("Memory mapped and used", reports), [Series(
        "", Axis("time", TIME), Axis("memory", PAGES),
        [columns["t"][first:]] * len(lines), lines, [
            "code and data: a page of both counts twice",
            *about_runs(reports)])], page, unit)


def line_of(report: Report, name: str, values: Sequence[int],
            hue: int) -> Line:
    return Line(name, values, hue=hue, is_area=hue >= 0)


def summed(report: Report, *names: str) -> List[int]:
    """Add columns up.  A sum may have more bits than an array."""
    return [*map(sum, zip(*(report.columns[name] for name in names)))]


def samples_in(report: Report, line: Line) -> Sequence[int]:
    return line.values[len(line.values) - len(samples_of(report, "t")):]


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.{1 if 10 * part < whole else 0}f} %"
