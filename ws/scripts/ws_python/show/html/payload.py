# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes data of reports for a page in a browser."""

import base64
import json
import zlib
from typing import Dict, List, Sequence

from ws_python.model.places import by_mapping
from ws_python.model.processes import (COLUMNS, by_work, file_names, folded,
                                       processes_of, title_of, values_of)
from ws_python.model.report import Report, command_of
from ws_python.model.sizes import percentile_of, sizes_of, work_of
from ws_python.show.data import export
from ws_python.show.data.view import plain_value
from ws_python.show.html.curves import MEMORY, curves, points_for, total
from ws_python.show.html.stacks import LONGEST_NAME, Composer, Data, cut
from ws_python.views.answer import NAMES, answer
from ws_python.views.conditions import Verdict
from ws_python.views.process_total import total_over_time

WIDE = 240                  # characters of a line of the answer
MOST_ROWS = 2000            # of all tables of a kind
FEWEST_ROWS = 20
LONGEST_TITLE = 100


def payload(reports: Sequence[Report], wanted: Sequence[str],
            verdicts: Sequence[Verdict]) -> Data:
    """Make the data; processes that did the most work are first."""
    wanted = [name for name in NAMES if name in wanted]
    rows = max(MOST_ROWS // len(reports), FEWEST_ROWS)
    order = order_of(reports)
    composer = Composer([reports[number] for number in order], wanted, rows)
    most = points_for(sum(len(sizes_of(report, wanted)) + len(MEMORY)
                          for report in reports))
    names = file_names(reports)
    return {"title": title_of(reports, LONGEST_TITLE),
            "names": composer.names.values,
            "processes": processes([reports[number] for number in order],
                                   wanted) if reports[1:] else None,
            "conditions": [{"line": verdict.line(), "failed": verdict.holds}
                           for verdict in verdicts],
            "total": total(
                total_over_time(reports, wanted) if reports[1:] else [],
                wanted, reports[0].windows[0]),
            "reports": [{**about(reports[number], wanted, most, rows),
                         "file": cut(names[reports[number].name]),
                         **composer.of_report(place)}
                        for place, number in enumerate(order)]}


def order_of(reports: Sequence[Report]) -> List[int]:
    """Order reports by their work, the most first."""
    return sorted(range(len(reports)), reverse=True,
                  key=lambda number: work_of(reports[number]))


def processes(reports: Sequence[Report], wanted: Sequence[str]) -> Data:
    """Return the number of processes that ws_print shows, and for each one the
    places of its reports, and sizes by set.
    """
    places = {id(report): place for place, report in enumerate(reports)}
    found = by_work(processes_of(reports))
    return {"shown": folded(found), "rows": [{
        "main": places[id(process.main)],
        "reports": sorted(places[id(image)] for image in process.images),
        "pid": cut(process.main.header.get("PID", "?")),
        "parent": cut(process.parent or "-"), "complete": process.complete,
        "instructions": process.instructions,
        "sizes": {name: dict(zip(COLUMNS, map(
            export.plain_number, values_of(process, name)[1:])))
            for name in wanted}} for process in found]}


def about(report: Report, wanted: Sequence[str], most: int,
          rows: int) -> Data:
    """Make data of a report, with at most `most` points of a curve."""
    phases = [{**row, "name": phase.name, **{
        f"p95_{name}": percentile_of(report, phase, name) for name in wanted
        if name in phase.pages}} for row, phase
        in zip(export.phases(report, wanted)[:rows], report.phases)]
    mappings = [{"set": name, "name": share.name, "pages": share.pages,
                 "last": share.last, "accesses": share.accesses}
                for name in wanted if name in report.lists
                for share in by_mapping(report, report.lists[name])]
    return {
        "run": short({**export.run(report),
                      "stacks": report.header.get("Stacks") != "no",
                      "kept_tau": report.compositions.tau}),
        "label": command_of(report, LONGEST_NAME),
        "answer": answer(report, wanted, WIDE),
        "sizes": export.sizes(report, wanted),
        "marks": [short(mark) for mark in export.marks(report)[:rows]],
        "phases": [*map(short, phases)],
        "profile": [*map(short, export.profile(report, wanted)[:rows])],
        "mappings": [*map(short, mappings[:rows])],
        "left_out": {"phases": len(report.phases) - len(phases),
                     "mappings": max(len(mappings) - rows, 0),
                     "kept": max(len(report.compositions.kept) - rows, 0)},
        **curves(report, wanted, most)}


def short(row: Data) -> Data:
    """Cut the texts of a row, which may be any names."""
    return {key: cut(value) if isinstance(value, str) else value
            for key, value in row.items()}


def data_text(data: Dict[str, object]) -> str:
    """Pack JSON; none of its letters can be read as HTML."""
    text = json.dumps(data, separators=(",", ":"), default=plain_value)
    return base64.b64encode(zlib.compress(text.encode())).decode()
