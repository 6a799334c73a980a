# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes data of page logs for a page in a browser."""

import base64
import zlib
from argparse import Namespace
from typing import List, Optional, Sequence

import numpy as np

from ws_python.base.failure import Failure
from ws_python.base.units import byte_size
from ws_python.engine.layer_parts import large_ones, over_time
from ws_python.engine.mapped import Mapped, mapped_of
from ws_python.engine.windows import sample_times
from ws_python.model.log import PageLog
from ws_python.model.report import Report
from ws_python.show.html.curves import FEWEST, points
from ws_python.show.html.payload import data_text, order_of
from ws_python.show.html.stacks import Data, cut
from ws_python.views.log_heat import HeatMap, heat_map
from ws_python.views.log_huge import UNKNOWN, Huge, sentence, sentences

COLUMNS, ROWS = 1024, 400   # of a map
FEWEST_COLUMNS = 64         # after halving them again and again
FEWEST_CHARACTERS = 50000   # for all maps
MOST_POINTS = 4000          # of each, of all logs
MOST_ROWS = 500             # of a table, too
FEWEST_ROWS = 20
MOST_STEPS = 512            # of a huge page
# Shares of a cell are counted by logarithm, 1 is the largest; cells.js knows.
LEVELS = 255
STEPS = 16                  # of an octave


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
             options: Namespace, room: int) -> None:
    """Add logs to the payload of a page, which has room for so many
    characters; maps get the rest of it.
    """
    of_reports = logs_of(reports, logs)
    options = Namespace(**{**vars(options), "at": None,
                           "tau": options.tau and options.tau[:1],
                           "pagesize": options.pagesize
                           and options.pagesize[0]})
    found = {place: (log, views(log, options, len(logs)))
             for place, log in enumerate(of_reports[number]
                                         for number in order_of(reports))
             if log is not None and log.n_parts}
    room -= len(data_text([view for _, view in found.values()]))
    room = max(room, FEWEST_CHARACTERS) // len(logs)
    for place, (log, view) in found.items():
        data["reports"][place]["log"] = {
            **view, "map": map_data(heat_map(log, options, COLUMNS, ROWS),
                                    room)}


def views(log: PageLog, options: Namespace, logs: int) -> Data:
    """Make the views of one of `logs` logs."""
    found: Data = {"every": log.number("Every")}
    if not len(sample_times(log)):
        return found
    return {**found,
            "mappings": mappings(mapped_of(log, options, options.set), logs),
            "huge": huge_pages(Huge(log, Namespace(**{
                **vars(options), "pagesize": None})))}


def huge_pages(found: Huge) -> Data:
    """Make histograms, in steps of a few pages if there are very many."""
    step = max(found.each // MOST_STEPS, 1)
    first = np.append(0, np.arange(1, found.each + 1, step))
    advice = [*sentences(found, found.advice(True)),
              f"On average: {sentence(found, found.of_all(False))}"]
    return {"each": found.each, "small": found.small_szB, "step": step,
            "size": found.szB, "at": found.moment, "why": found.why,
            "tau": found.tau, "large": [
                round(found.of_all(at_sample).large, 1)
                for at_sample in (False, True)],
            "advice": advice, "about": [one.format(szB=byte_size(found.szB))
                                        for one in UNKNOWN],
            **{name: {column: np.add.reduceat(
                found.histogram(column, at_sample), first).tolist()
                for column in found.columns}
               for name, at_sample in (("run", False), ("sample", True))}}


def mappings(found: Mapped, logs: int) -> Data:
    """Return the layers that terminal and pictures show, as curves of a page,
    and numbers of all mappings.
    """
    rows, _ = found.rows()
    layers, sizes = rows.layers, rows.layers.sizes()
    every = over_time("", layers, large_ones(layers, "mappings"),
                      found.log.begin, [])
    shown = every.fewer(max(MOST_POINTS // logs, FEWEST))
    order = [k for k in np.argsort(-sizes.peak, kind="stable").tolist()
             if rows.touched[k]]
    return {**points(shown.xs, {(str(k), None): values for k, values
                                in enumerate(shown.values)}, len(shown.xs)),
            "tau": found.tau, "names": [*map(cut, shown.names)],
            "peaks": [max(values) for values in every.values],
            "rest": shown.has_rest,
            "rows": [{"name": cut(layers.names[k]),
                      "average": float(sizes.average[k]),
                      "p95": int(sizes.p95[k]), "peak": int(sizes.peak[k]),
                      "touched": int(rows.touched[k])}
                     for k in order[:max(MOST_ROWS // logs, FEWEST_ROWS)]]}


def map_data(found: HeatMap, room: int) -> Data:
    """Make data of a map, with fewer columns if there is no room for all."""
    shares = found.shares
    columns = next(iter(shares.values())).shape[1]
    width = (found.end - found.begin) / columns
    sets = {name: packed(share) for name, share in shares.items()}
    while sum(map(len, sets.values())) > room and columns > FEWEST_COLUMNS:
        shares = {name: halved(share) for name, share in shares.items()}
        sets = {name: packed(share) for name, share in shares.items()}
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


def packed(shares: np.ndarray) -> str:
    """Pack the levels of cells, row by row."""
    levels = np.zeros(shares.shape, np.uint8)
    some = shares > 0
    levels[some] = np.clip(np.rint(LEVELS + STEPS * np.log2(shares[some])), 1,
                           LEVELS)
    return base64.b64encode(zlib.compress(levels.tobytes(), 9)).decode()
