# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes curves for a page, with few numbers for a run of any length."""

from typing import Dict, List, Optional, Sequence, Tuple

from ws_python.base.units import MS, NAMES, PAGES, TIME, exact_time
from ws_python.model.compositions import FILES, RESIDENT, Kept
from ws_python.model.report import Report, samples_of
from ws_python.model.view import Axis, Line, Series, Tag, View
from ws_python.show.html.fit import Data, of_page
from ws_python.views.processes import Total

MOST_OF_A_CURVE = 16000     # points: more than a screen has, to be zoomed
MOST_IN_ALL = 64000
FEWEST = 100                # with very many processes
PALEST = 0.65               # the longest window
HUES = {"data": 0, "insn": 1, "dirty": 2}

# Curves beside working sets, which are small against these: their columns,
# their hues, and whether they are shown at once.
MEMORY: Dict[str, Tuple[Sequence[str], int, bool]] = {
    "Touched so far": (("total_insn", "total_data"), 3, False),
    "Resident": ((RESIDENT,), 7, True), "Mapped": (("mapped",), -1, False),
    "Files, at most": ((FILES,), 4, False)}


OF_SET = {**NAMES, RESIDENT: "Resident"}


def points_for(curves: int) -> int:
    """Return the points of each curve, if there are `curves` of them."""
    return max(FEWEST, min(MOST_OF_A_CURVE, MOST_IN_ALL // max(curves, 1)))


def lines_of(report: Report, wanted: Sequence[str]) -> List[Tuple[Line, bool]]:
    """Make the lines, and tell which are shown at once."""
    unit, found = report.unit, []
    for name in wanted:
        for rank, tau in enumerate(report.windows):
            column = report.column(name, tau)
            if column in report.columns:
                found.append((Line(
                    f"{NAMES[name]}, window {exact_time(tau, unit)}",
                    samples_of(report, column), hue=HUES[name],
                    pale=PALEST * rank / len(report.windows)),
                    tau == report.compositions.tau))
    for name, (columns, hue, is_shown) in MEMORY.items():
        if all(column in report.columns for column in columns):
            found.append((Line(name, [*map(sum, zip(*(
                samples_of(report, column) for column in columns)))],
                hue=hue), is_shown))
    return found


def curve(report: Report, wanted: Sequence[str], most: int,
          signs: Sequence[Tuple[Kept, str]]) -> Optional[Data]:
    """Make the curves of a report, with signs at samples that are kept."""
    found = lines_of(report, wanted)
    if not found or not found[0][0].values:
        return None
    lines = [line for line, _ in found]
    for some, sign in signs:
        line = next((line for line, is_shown in found if is_shown and (
            OF_SET.get(some.set) == line.name.partition(",")[0])), None)
        if line is not None:
            line.tags.append(Tag(some.time, some.pages, sign))
    return packed(View("curve", "Over time", [Series(
        "", Axis("time", TIME), Axis("", PAGES),
        [samples_of(report, "t")], lines,
        marks=[(mark.time, mark.label) for mark in report.marks])],
        report.page_szB, report.unit), most,
        [is_shown for _, is_shown in found])


def total(found: Total, page_szB: int) -> Data:
    """Make the curve of several processes.  As in a report, a size stands for
    the time that ends with it.
    """
    data = packed(View("total", "All processes together, over time", [Series(
        "", Axis("time", TIME),
        Axis("", PAGES), [found.times[1:]],
        [Line(NAMES[name], values[:-1], hue=HUES[name])
         for name, values in found.pages.items()])], page_szB, MS, [
        "The sum of the working sets of the processes that run. A page that "
        "they share counts for each of them."]), MOST_OF_A_CURVE // 4,
        [True] * len(found.pages))
    data["parts"][0]["is_stepped"] = True
    return data


def packed(view: View, most: int, shown: Sequence[bool]) -> Data:
    """Make data of one series.  Each point stands for `per` samples, the last
    one for the rest, and has the time of its last sample.
    """
    [part] = view.of(Series)
    [times] = part.xs
    per = max(-(-len(times) // most), 1)
    for place, line in enumerate(part.lines):
        part.xs[0], line = line.fewer(times, per)
        line.values = [round(value, 1) for value in line.values]
        part.lines[place] = line
    data = of_page(view)
    [drawn] = data["parts"]
    drawn.update(per=per, samples=len(times))
    for line, is_shown in zip(drawn["lines"], shown):
        line["is_hidden"] = not is_shown
    return data
