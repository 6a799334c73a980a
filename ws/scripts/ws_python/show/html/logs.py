# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes data of page logs for a page in a browser."""

import base64
from argparse import Namespace
from dataclasses import replace
from typing import Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ws_python.base.text import Failure
from ws_python.base.units import BYTES, COUNT, NAMES, SHARE, TEXT, TIME
from ws_python.model.log import PageLog
from ws_python.model.report import Report
from ws_python.model.view import (Datum, HeatMap, Layers, Table, View,
                                  columns_from)
from ws_python.show.html.fit import Data, cut_for_page, of_page
from ws_python.show.html.payload import FEWEST, data_text, in_order

HEAT_COLUMNS, ROWS = 1024, 400   # of a heat map
FEWEST_COLUMNS = 64         # after halving them again and again
FEWEST_CHARACTERS = 50000   # for all heat maps
VIEWS_OF_LOG = ("mapping", "code", "thread", "pages", "enough")
MOST_POINTS = 2000          # of layers, in all logs
# Shares of a cell are counted by logarithm, 1 is the largest; heat.js knows.
LEVELS = 255
STEPS = 16                  # of an octave
ABOUT_CELLS = (
    "Which addresses were accessed when: the stronger a cell's colour, the more "
    "of its pages were accessed, in more of its time. Addresses that were never "
    "accessed are cut out.")

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
            pid, command = (cut_for_page(log.header.get(key, "?"))
                            for key in ("PID", "Command"))
            names = ", ".join(report.name for report in reports)
            raise Failure(f"{log.name}: is of process {pid}, {command}: of it, "
                          f"there is no report among {names}")
        found[place] = log
    return found


def add_logs(data: Data, reports: Sequence[Report], logs: Sequence[PageLog],
             options: Namespace, view_of: ViewOf, room: int) -> None:
    """Add logs to the payload of a page, which has room for so many
    characters; heat maps get the rest of it.
    """
    of_reports = logs_of(reports, logs)
    options = Namespace(**{**vars(options), "at": None,
                           "tau": options.tau and options.tau[:1]})
    most = max(MOST_POINTS // len(logs), FEWEST)
    found = [(log, one, views([log], VIEWS_OF_LOG, options, view_of, most))
             for log, one in zip(of_reports, data["reports"])
             if log is not None and log.n_parts]
    if logs[1:]:
        together, _ = views(logs, ["process"], options, view_of, most)
        data["processes"]["views"] += together
        data["processes"]["end"] = max(data["processes"]["end"], *(
            part["xs"][-1] for view in together for part in view["parts"]
            if part["kind"] == "layers" and part["x"]["unit"] == TIME), 1)
    room -= len(data_text([shown for _, _, shown in found]))
    room = max(room, FEWEST_CHARACTERS) // len(logs)
    for log, one, (shown, missing) in found:
        found_map, = view_of([log], Namespace(**{
            **vars(options), "view": "heat", "cells": (HEAT_COLUMNS, ROWS)})).parts
        heat = heat_of(log, found_map, room)
        if shown:
            shown[-1]["notes"] += [f"Not in this page: {line}"
                                   for line in missing]
        one["range"][1] = max(one["range"][1], heat["parts"][0]["to"])
        one["views"] = merged(in_order([heat, *one["views"], *shown]))


def merged(found: Sequence[Data]) -> List[Data]:
    """Make one view of those with the same name: of a report and its log."""
    by_name: Dict[object, Data] = {}
    for view in found:
        first = by_name.setdefault(view["name"], view)
        if first is not view:
            for key in ("parts", "notes"):
                first[key] += view[key]
    return [*by_name.values()]


def views(logs: Sequence[PageLog], names: Sequence[str], options: Namespace,
          view_of: ViewOf, most: int) -> Tuple[List[Data], List[str]]:
    """Make views as data, and tell which ones these logs do not have."""
    found: List[Data] = []
    missing: List[str] = []
    for name in names:
        try:
            view = view_of(logs, Namespace(**{**vars(options), "view": name}))
        except Failure as failure:
            missing.append(cut_for_page(str(failure)))
        else:
            found.append(of_page(replace(view, parts=[
                part.fewer(most) if isinstance(part, Layers)
                and part.x.unit == TIME else part for part in view.parts
                if not (isinstance(part, Table) and part.is_long)])))
    return found, missing


def heat_of(log: PageLog, found: HeatMap, room: int) -> Data:
    """Make a view of a heat map, with fewer columns in little room."""
    shares, begin = found.shares, found.begin
    columns = next(iter(shares.values())).shape[1]
    width = (found.end - begin) / columns
    numbers = table_of_heat(found, log.unit, width)
    sets = {name: levels_of(share) for name, share in shares.items()}
    while len(data_text(sets)) > room and columns > FEWEST_COLUMNS:
        shares = {name: (share[:, ::2] + share[:, 1::2]) / 2
                  for name, share in shares.items()}
        sets = {name: levels_of(share) for name, share in shares.items()}
        columns, width = columns // 2, 2 * width
    view = of_page(View("heat", "Addresses over time", [numbers],
                        found.page_szB, log.unit, [ABOUT_CELLS]))
    view["parts"].insert(0, {
        "kind": "heatmap", "title": "", "from": begin, "to": found.end,
        "columns": columns, "width": width, "every": log.number("Every"),
        "bands": [{"name": cut_for_page(band.name), "more": band.more,
                   "row": band.row, "end": band.end_row}
                  for band in found.bands],
        # Addresses of each row.
        "first": [*map(hex, found.low.tolist())],
        "last": [*map(hex, found.high.tolist())], "sets": sets})
    return view


def table_of_heat(found: HeatMap, unit: str, width: float) -> Table:
    """Make a table of the bands, for those who do not see the map."""
    rows: List[Sequence[Datum]] = []
    for band in found.bands[::-1]:
        parts = [share[band.row:band.end_row]
                 for share in found.shares.values()]
        used = np.flatnonzero(np.any([part.any(0) for part in parts], 0))
        first, last = (hex(int(where[row])) for where, row in (
            (found.low, band.row), (found.high, band.end_row - 1)))
        rows.append((
            band.name + f" and {band.more} more" * bool(band.more),
            f"{first} to {last}", band.touched * found.page_szB,
            *(float(part.mean()) for part in parts),
            found.begin + round(int(used[0]) * width),
            found.begin + round((int(used[-1]) + 1) * width)))
    return Table("The numbers", columns_from([
        ("mapping", TEXT), ("addresses", TEXT), ("accessed", BYTES),
        *((f"{NAMES[name].lower()}, on average", SHARE)
          for name in found.shares),
        (f"from ({unit})", COUNT), ("to", COUNT)], rows))


def levels_of(share: np.ndarray) -> str:
    """Write the levels of cells, row by row."""
    levels = np.zeros(share.shape, np.uint8)
    some = share > 0
    levels[some] = np.clip(np.rint(LEVELS + STEPS * np.log2(share[some])), 1,
                           LEVELS)
    return base64.b64encode(levels.tobytes()).decode()
