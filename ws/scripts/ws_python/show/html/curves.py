# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes curves for a page, with few numbers for a run of any length."""

from typing import Container, Dict, Optional, Sequence, Tuple

from ws_python.base.units import NAMES, PAGES, TIME, exact_time
from ws_python.model.compositions import FILES, RESIDENT, Kept
from ws_python.model.report import Report, samples_of
from ws_python.model.view import Axis, Line, Series, Tag, View
from ws_python.show.html.fit import Data, of_page

MOST_OF_A_CURVE = 16000     # points: more than a screen has, to be zoomed
MOST_IN_ALL = 64000
FEWEST = 100                # with very many processes
PALEST = 0.65               # the longest window

# Curves beside working sets: their columns and hues.
MEMORY: Dict[str, Tuple[Sequence[str], int]] = {
    "Touched so far": (("total_insn", "total_data"), 3),
    "Resident": ((RESIDENT,), 7), "Mapped": (("mapped",), -1),
    "Files, at most": ((FILES,), 4)}


def points_for(curves: int) -> int:
    """Return the points of each curve, if there are `curves` of them."""
    return max(FEWEST, min(MOST_OF_A_CURVE, MOST_IN_ALL // max(curves, 1)))


def curve(report: Report, wanted: Sequence[str], most: int,
          signs: Sequence[Tuple[Kept, str]]) -> Optional[Data]:
    """Make the curves of a report, with signs at samples that are kept."""
    lines: Dict[Tuple[str, Optional[int]], Line] = {}
    for name in wanted:
        for rank, tau in enumerate(report.windows):
            column = report.column(name, tau)
            if column in report.columns:
                lines[name, tau] = Line(
                    f"{NAMES[name]}, window {exact_time(tau, report.unit)}",
                    samples_of(report, column), hue=[*NAMES].index(name),
                    pale=PALEST * rank / len(report.windows))
    for name, (columns, hue) in MEMORY.items():
        if all(column in report.columns for column in columns):
            lines[columns[0], None] = Line(name, [*map(sum, zip(*(
                samples_of(report, column) for column in columns)))], hue=hue)
    if not any(line.values for line in lines.values()):
        return None
    # Others are far above, or shown when one asks.
    shown = {(RESIDENT, None), *((name, report.compositions.tau)
                                 for name in wanted)}
    for some, sign in signs:
        if (some.set, some.tau) in shown & lines.keys():
            lines[some.set, some.tau].tags.append(
                Tag(some.time, some.pages, sign))
    return packed(View("curve", "Over time", [Series(
        "", Axis("time", TIME), Axis("", PAGES),
        [samples_of(report, "t")], [*lines.values()],
        marks=[(mark.time, mark.label) for mark in report.marks])],
        report.page_szB, report.unit), most,
        [line.name for key, line in lines.items() if key not in shown])


def packed(view: View, most: int, hidden: Container[str] = (),
           **more: object) -> Data:
    """Make data of a view with short series.  Each point stands for `per`
    samples, the last one for the rest, and has the time of its last sample.
    """
    added = {}
    for place, part in enumerate(view.parts):
        if isinstance(part, Series):
            [times] = part.xs
            per = max(-(-len(times) // most), 1)
            for number, line in enumerate(part.lines):
                part.xs[0], line = line.fewer(times, per)
                line.values = [round(value, 1) for value in line.values]
                part.lines[number] = line
            added[place] = {"per": per, "samples": len(times), **more}
    data = of_page(view)
    for place, found in added.items():
        data["parts"][place].update(found)
        for line in data["parts"][place]["lines"]:
            line["is_hidden"] = line["name"] in hidden
    return data
