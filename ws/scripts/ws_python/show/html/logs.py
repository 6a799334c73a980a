# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes data of page logs for a page in a browser."""

import base64
from argparse import Namespace
from dataclasses import replace
from fractions import Fraction
from typing import Callable, List, Optional, Sequence, Tuple

import numpy as np

from ws_python.base.failure import Failure
from ws_python.base.text import printable, shorten
from ws_python.base.units import TIME
from ws_python.model.log import PageLog
from ws_python.model.report import Report
from ws_python.model.view import Layers, Table, View
from ws_python.show.data.view import as_data
from ws_python.show.html.curves import FEWEST
from ws_python.show.html.payload import data_text, order_of
from ws_python.show.html.stacks import LONGEST_NAME, Data, cut
from ws_python.engine.heat import HeatMap, heat_map

COLUMNS, ROWS = 1024, 400   # of a map
FEWEST_COLUMNS = 64         # after halving them again and again
FEWEST_CHARACTERS = 50000   # for all maps
VIEWS_OF_LOG = ("mapping", "code", "thread", "pages", "enough")
MOST_POINTS = 2000          # of layers, in all logs
SENTENCES = ("sentences", "notes")
LONGEST_SENTENCE = 1000
# Shares of a cell are counted by logarithm, 1 is the largest; cells.js knows.
LEVELS = 255
STEPS = 16                  # of an octave

ViewOf = Callable[[Sequence[PageLog], Namespace], View]


def logs_of(reports: Sequence[Report], logs: Sequence[PageLog]
            ) -> List[Optional[PageLog]]:
    """Find each report's log: that of the same process and command."""
    found: List[Optional[PageLog]] = [None] * len(reports)
    for log in logs:
        place = next((
            place for place, report in enumerate(reports)
            if found[place] is None and all(
                report.header.get(key) == log.header.get(key)
                for key in ("PID", "Command"))), None)
        if place is None:
            names = ", ".join(report.name for report in reports)
            raise Failure(
                f"{log.name}: is of process {cut(log.header.get('PID', '?'))},"
                f" {cut(log.header.get('Command', '?'))}: of it, there is no "
                f"report among {names}")
        found[place] = log
    return found


def add_logs(data: Data, reports: Sequence[Report], logs: Sequence[PageLog],
             options: Namespace, view_of: ViewOf, room: int) -> None:
    """Add logs to the payload of a page, which has room for so many
    characters; maps get the rest of it.
    """
    of_reports = logs_of(reports, logs)
    options = Namespace(**{**vars(options), "at": None,
                           "tau": options.tau and options.tau[:1]})
    most = max(MOST_POINTS // len(logs), FEWEST)
    found = {place: (log, views([log], VIEWS_OF_LOG, options, view_of, most))
             for place, log in enumerate(of_reports[number]
                                         for number in order_of(reports))
             if log is not None and log.n_parts}
    if logs[1:]:
        data["views"] = views(logs, ["process"], options, view_of, most)[0]
    room -= len(data_text(
        [data.get("views"), [shown for _, shown in found.values()]]))
    room = max(room, FEWEST_CHARACTERS) // len(logs)
    for place, (log, (shown, missing)) in found.items():
        data["reports"][place]["log"] = {
            "every": log.number("Every"), "views": shown, "missing": missing,
            "map": map_data(heat_map(log, options, COLUMNS, ROWS), room)}


def views(logs: Sequence[PageLog], names: Sequence[str], options: Namespace,
          view_of: ViewOf, most: int) -> Tuple[List[Data], List[str]]:
    """Make views as data, and tell which ones these logs do not have."""
    found: List[Data] = []
    missing: List[str] = []
    for name in names:
        try:
            view = view_of(logs, Namespace(**{**vars(options), "view": name}))
        except Failure as failure:
            missing.append(cut(str(failure)))
        else:
            found.append(of_page(view, most))
    return found, missing


def of_page(view: View, most: int) -> Data:
    """Make data of a view, without the command, which the page has, and with
    what a page has room for: layers at `most` times, and short tables.
    """
    parts = [part.fewer(most) if isinstance(part, Layers)
             and part.x.unit == TIME else part for part in view.parts
             if not (isinstance(part, Table) and part.is_long)]
    return small_enough(as_data(replace(
        view, title=view.title.partition(": ")[0], parts=parts)))


def small_enough(value: object, longest: int = LONGEST_NAME) -> object:
    """Cut texts and fractions to what can be seen."""
    if isinstance(value, dict):
        return {key: small_enough(one, LONGEST_SENTENCE if key in SENTENCES
                                  else longest)
                for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [small_enough(one, longest) for one in value]
    if isinstance(value, str):
        return printable(shorten(value, longest))
    return (float(f"{float(value):.6g}")
            if isinstance(value, (float, Fraction)) else value)


def map_data(found: HeatMap, room: int) -> Data:
    """Make data of a map, with fewer columns if there is no room for all."""
    shares = found.shares
    columns = next(iter(shares.values())).shape[1]
    width = (found.end - found.begin) / columns
    sets = {name: levels_of(share) for name, share in shares.items()}
    while len(data_text(sets)) > room and columns > FEWEST_COLUMNS:
        shares = {name: halved(share) for name, share in shares.items()}
        sets = {name: levels_of(share) for name, share in shares.items()}
        columns, width = columns // 2, 2 * width
    return {"from": found.begin, "to": found.end, "columns": columns,
            "width": width, "page_size": found.page_szB,
            "bands": [{"name": cut(band.name), "more": band.more,
                       "row": band.row, "end": band.end_row,
                       "pages": band.touched} for band in found.bands],
            # Addresses of each row.
            "first": [*map(hex, found.low.tolist())],
            "last": [*map(hex, found.high.tolist())], "sets": sets}


def halved(shares: np.ndarray) -> np.ndarray:
    """Halve the columns, by means of two."""
    return (shares[:, ::2] + shares[:, 1::2]) / 2


def levels_of(shares: np.ndarray) -> str:
    """Write the levels of cells, row by row."""
    levels = np.zeros(shares.shape, np.uint8)
    some = shares > 0
    levels[some] = np.clip(np.rint(LEVELS + STEPS * np.log2(shares[some])), 1,
                           LEVELS)
    return base64.b64encode(levels.tobytes()).decode()
