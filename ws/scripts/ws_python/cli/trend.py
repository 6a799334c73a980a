# SPDX-License-Identifier: GPL-2.0-or-later
"""Statistics of reports in the form in which github-action-benchmark keeps a
trend over commits: --benchmark-json.
"""

import json
from typing import Dict, List, Sequence, Union

from ws_python.base.text import Failure, warn
from ws_python.base.units import Number, size
from ws_python.report.compositions import OF_HEAP, unit_szB
from ws_python.report.growth import deciding
from ws_python.report.report import Report, commands_of
from ws_python.report.sizes import sizes_in
from ws_python.views.answer import shares_in_words
from ws_python.views.conditions import (OF_MEMORY, Condition, key_of,
                                        parse_condition, tau_of, value_in)
from ws_python.views.processes import together

USUAL_STATISTICS = ("resident", "limit", "data.10M.p95", "code.10M.p95")
TREND_WIDTH = 100           # characters of a line

TrendEntry = Dict[str, Union[str, float]]


def parse_statistics(text: str) -> List[Condition]:
    """Read names of statistics, as conditions that hold of any number."""
    return [parse_condition(f"{name} >= 0") for name in text.split(",")]


def trend(reports: Sequence[Report],
          wanted: Sequence[Condition]) -> str:
    """Write an entry for each statistic and report; all processes together have
    memory.  Failure: no report has one that is wanted, or any.
    """
    cut = [report.name for report in reports if not report.complete]
    if cut:
        raise Failure(f"{cut[0]}: is truncated, so its numbers are not final")
    whole = together(reports) if reports[1:] else None
    names = commands_of(reports, TREND_WIDTH)
    # Names are the same for each commit, and apart.
    names = [name if names.count(name) == 1 else
             f"{name} #{names[:k].count(name)}" for k, name in enumerate(names, 1)]
    found: List[TrendEntry] = []
    for condition in wanted or parse_statistics(",".join(USUAL_STATISTICS)):
        before = len(found)
        for name, report in ([(whole.name, whole)]
                             if whole and condition.set in OF_MEMORY
                             else zip(names, reports)):
            try:
                found.append(trend_entry(name, condition, report,
                                         value_in(condition, report)))
            except Failure as failure:
                warn(f"not in the trend: {failure}")
        if wanted and len(found) == before:
            raise Failure(f"no report has {condition.name}")
    if not found:
        raise Failure("the reports have none of the statistics: use --stat")
    return json.dumps(found, indent=1) + "\n"


def trend_entry(name: str, condition: Condition, report: Report,
                value: Number) -> TrendEntry:
    """Describe a statistic: in KiB, or a number of peaks."""
    key = key_of(condition, report)
    page = unit_szB(condition.set, report.page_szB)
    made: TrendEntry = {"name": f"{name}: {condition.name}"}
    if condition.statistic == "peaks":
        return {**made, "unit": "peaks", "value": int(value)}
    made.update(unit="KiB", value=float(value * page / 1024))
    if condition.set not in (*OF_MEMORY, *OF_HEAP):
        sizes = sizes_in(report, condition.set, tau_of(condition, report))
        made["range"] = "median {}, maximum {}".format(*(
            size(sizes.statistic(which), page) for which in ("p50", "peak")))
    sample = deciding(report, key, condition.statistic)
    owners = shares_in_words(report, sample.kept if sample else None,
                             TREND_WIDTH)
    if owners:
        made["extra"] = "\n".join([
            f"{'Allocated' if condition.set in OF_HEAP else 'Brought in'} by:",
            *owners])
    return made
