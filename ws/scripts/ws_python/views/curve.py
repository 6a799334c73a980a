# SPDX-License-Identifier: GPL-2.0-or-later
"""The sizes of working sets over time, their peaks, and whose these are, in
the memory that was mapped and resident.
"""

from typing import Dict, List, Optional, Sequence, Tuple

from ws_python.base.text import VIA, Failure, shorten, warn
from ws_python.base.units import (BYTES, PAGES, SETS, TIME, byte_size, count,
                                  pages_and_size, size)
from ws_python.base.view import Axis, Line, Remark, Series, Tag, View
from ws_python.report.compositions import FILES, RESIDENT
from ws_python.report.report import Report, after_start, no_written
from ws_python.report.request import Request
from ws_python.report.runs import (DrawnRun, about_runs, common_unit, duration,
                                   first_drawn, late_note, length,
                                   page_sizes_of, runs_of, title_of,
                                   wanted_kinds)
from ws_python.report.sizes import KINDS, no_sample, samples_in
from ws_python.report.stacks import Paths, by_known, percent, shares_of

MOST_CURVES = 4        # of a report, unless the user wants them
MOST_LINES, MOST_RUNS = 12, 10
MOST_REMARKS, FEW_REMARKS = 10, 6
MAPPED = "mapped"       # a column
HUES = {MAPPED: -1, RESIDENT: 3, FILES: 4, "shared": 5}
FAR_ABOVE = 4           # times the largest sample: no line is so far above


def choose_windows(report: Report, wanted: Sequence[int]) -> List[int]:
    """Choose those windows of a report that may be drawn."""
    if not wanted:
        return report.taus[:MOST_CURVES]
    chosen = [tau for tau in report.taus if tau in wanted]
    if not chosen:
        raise Failure(f"{report.name}: has none of these windows; it has "
                      + shorten(", ".join(map(str, report.taus)), 400))
    return chosen


def view(reports: List[Report], request: Request) -> View:
    unit = common_unit(reports)
    none = [report for report in reports if no_sample(report)]
    for report in none if len(none) <= 2 else ():
        warn(f"{report.name}: no sample: {no_sample(report)}")
    if len(none) > 2:
        warn(f"no sample in {len(none)} of {len(reports)} reports")
    # Of many runs, data alone is drawn, unless the user wants more.
    many = request.sets == KINDS and len(reports) > 2
    kinds = {report.name: ["data"] if many else kinds_of(report, request)
             for report in reports}
    sizes = page_sizes_of(reports)
    first = kinds[reports[0].name][0]
    runs, aligned = runs_of(reports, first, MOST_RUNS)
    all_windows = {tau for report in reports for tau in report.taus}
    if not request.taus:
        # Of several windows as many as the eye can tell apart.
        most = max(MOST_LINES // sum(len(kinds[run.report.name])
                                     for run in runs), 1)
        for report in reports:
            report.windows = report.windows[:most]
    made = Curves(reports, request, len(set(sizes)) > 1)
    if not reports[1:] and request.sets == KINDS:
        made.add_memory(runs[0], kinds[reports[0].name])
    for number, run in enumerate(runs):
        made.add_run(number, run, kinds[run.report.name])
    taus = sorted({tau for report in reports for tau in report.windows})
    notes = [*late_note(reports, taus)]
    if not request.taus and len(taus) < len(all_windows):
        notes += [f"{len(taus)} of {len(all_windows)} windows shown"]
    if len(runs) < len(reports):
        notes += [f"the largest {len(runs)} of {len(reports)} runs shown"]
    notes += about_runs(reports)
    remarks = made.remarks()
    told = sum(remark.names.count(",") + 1 for remark in remarks)
    if told < len(made.peaks):
        notes += [f"{told} of {len(made.peaks)} peaks explained"]
    if made.missed:
        notes += ["peaks in between are missed"]
    if any(report.begin for report in reports):
        notes += ["largest samples are those whose window lies in this part"]
    series = Series(
        "", Axis("time since the first process began" if aligned else "time",
                 TIME),
        Axis("working set size", BYTES if made.bytes else PAGES), made.xs,
        made.lines, notes, made.marks,
        [(tau, f"\u03c4 = {duration(tau, unit)}") for tau in taus],
        remarks)
    return View("curve", title_of("Working set", reports), [series], sizes[0],
                unit)


def kinds_of(report: Report, request: Request) -> List[str]:
    """Choose those sets of a report that are to be drawn."""
    kinds = wanted_kinds(request, [
        kind for kind in SETS if all(
            report.column(kind, tau) in report.columns
            for tau in report.windows)])
    if not kinds:
        raise no_written(report)
    return kinds


def memory_of(report: Report) -> Dict[str, Sequence[int]]:
    """Return the columns of the memory that the windows are part of."""
    columns: Dict[str, Sequence[int]] = {
        name: report.columns[name] for name in HUES
        if name in report.columns}
    if report.is_estimate and "rss_kB" in report.columns:
        columns[RESIDENT] = [1024 * kB // report.page_szB
                             for kB in report.columns["rss_kB"]]
    return columns


class Curves:
    """Collects the lines of all runs."""

    def __init__(self, reports: Sequence[Report],
                 request: Request, in_bytes: bool):
        self.request, self.bytes = request, in_bytes
        self.unit = common_unit(reports)
        self.several = len(reports) > 1
        self.windows = len({tau for report in reports
                            for tau in report.windows})
        self.xs: List[Sequence[float]] = []
        self.lines: List[Line] = []
        self.marks: List[Tuple[float, str]] = []
        # Of each: its negative size, line, name, share, whose that is, and run.
        self.peaks: List[Tuple[int, int, str, int, Tuple[str, ...], str]] = []
        self.missed = False

    def add_memory(self, run: DrawnRun, kinds: Sequence[str]) -> None:
        """Add lines of mapped, resident, file and shared memory; one far above the largest
        working set is hidden at first.
        """
        report, first = run.report, first_drawn(run.report)
        factor = run.page if self.bytes else 1
        most = FAR_ABOVE * max(map(run.largest, kinds))
        for name, values in memory_of(report).items():
            peak = run.page * max(values[after_start(report):], default=0)
            is_far = peak > most > 0
            self.xs.append(report.columns["t"][first:])
            self.lines.append(Line(
                name + (", at most" if name == FILES else ""),
                [factor * value for value in values[first:]],
                hue=HUES[name], is_hidden=is_far,
                about=f"largest sample {byte_size(peak)}"
                      + (", far above" if is_far else "")))
            if name == RESIDENT:
                self.add_samples(run, RESIDENT, None)

    def add_run(self, number: int, run: DrawnRun, kinds: Sequence[str]) -> None:
        """Add its lines: those of longer windows, never lower, come first."""
        report, windows = run.report, sorted(run.report.windows)
        if not self.request.no_info:
            self.marks += [(run.begin + mark.time, mark.label)
                           for mark in report.marks]
        for kind in kinds:
            hue = number if self.several else [*SETS].index(kind)
            for rank, tau in [*enumerate(windows)][::-1]:
                name = f"{run.name}, " if self.several else ""
                name += SETS[kind]
                if self.windows > 1:
                    name += f", \u03c4 = {length(tau, self.unit)}"
                self.add(run, kind, tau, Line(
                    name, [], hue=hue, pale=0.8 * rank / len(windows),
                    dash=(0, 2, 3)[kinds.index(kind)] * self.several,
                    is_area=not self.several and kind == kinds[0]
                    and len(windows) > 1))
                if tau == report.compositions.tau:
                    self.add_samples(run, kind, tau)

    def add(self, run: DrawnRun, kind: str, tau: int, line: Line) -> None:
        """Add a line."""
        report = run.report
        column = report.column(kind, tau)
        factor = run.page if self.bytes else 1
        first = first_drawn(report)
        line.tau = tau
        line.values = [factor * value
                       for value in report.columns[column][first:]]
        bound = report.bounds.get(kind)
        if tau != report.number("Tau"):
            bound = None
        self.missed |= 2 * report.number("Every") > tau and bound is None
        line.about = self.about(run, samples_in(report, kind, tau)[1], bound)
        self.xs.append([run.begin + time for time
                        in report.columns["t"][first:]])
        self.lines.append(line)

    def about(self, run: DrawnRun, samples: Sequence[int],
              bound: Optional[int]) -> str:
        """Say how large the samples are."""
        if not samples:
            return "no samples"
        peak = max(samples)
        text = "largest sample " + (size if self.bytes else pages_and_size)(
            peak, run.page)
        if bound is None:
            return text
        return text + ", at any time " + (
            "no more" if bound == peak else "at most " + (
                size(bound, run.page) if self.bytes else count(bound)))

    def add_samples(self, run: DrawnRun, kind: str,
                    tau: Optional[int]) -> None:
        """Tag the last line where samples were kept, the largest first, and
        explain peaks and largest samples of working sets.
        """
        compositions, number = run.report.compositions, len(self.lines) - 1
        factor = run.page if self.bytes else 1
        paths = Paths(compositions, by_known)
        for kept in sorted(compositions.samples.values(),
                           key=lambda kept: -kept.pages):
            if self.request.no_info or (kept.set, kept.tau) != (kind, tau):
                continue
            self.lines[number].tags.append(Tag(
                run.begin + kept.time, kept.pages * factor, kept.sign))
            if tau and (kept.rank or "largest" in kept.why):
                share, names = (shares_of(kept, paths) or [(0, [])])[0]
                self.peaks.append((-kept.pages * run.page, number, kept.sign,
                                   percent(share, kept.pages or 1),
                                   tuple(names),
                                   f"{run.name}, " if self.several else ""))

    def remarks(self) -> List[Remark]:
        """Explain peaks, the largest first; those of one origin together."""
        groups: Dict[Tuple[int, Tuple[str, ...], str], List[Tuple[int, int, str]]] = {}
        for szB, line, name, share, whose, run in sorted(self.peaks)[
                :FEW_REMARKS if self.several else MOST_REMARKS]:
            groups.setdefault((line, whose, run), []).append(
                (-szB, share, name))
        remarks = []
        for (line, whose, run), peaks in groups.items():
            sizes = sorted(szB for szB, _, _ in peaks)
            shares = sorted(share for _, share, _ in peaks)
            names = [name for _, _, name in peaks]
            text = run + between([*map(byte_size, sizes)])
            if shares[0]:
                text += ", " + between([f"{share} %" for share in shares])
            if whose:
                text += ": " + VIA.join(whose)
            remarks.append(Remark(line, ",".join(sorted(
                names, key=lambda name: name.rjust(3))), text))
        return remarks


def between(texts: Sequence[str]) -> str:
    """Write the first and the last text: 1.2 to 3 MiB."""
    low, high = texts[0], texts[-1]
    if low == high:
        return low
    number, blank, unit = low.partition(" ")
    return f"{number if high.endswith(blank + unit) else low} to {high}"
