# SPDX-License-Identifier: GPL-2.0-or-later
"""The views of page logs, and reports made of these.  It needs numpy."""

from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Callable, Dict, List, Sequence, Tuple

from ws_python.base.machine import tlb_entries
from ws_python.base.text import Failure
from ws_python.base.view import HeatMap, View
from ws_python.cli.request import CommandLine
from ws_python.pagelog.as_report import make_reports
from ws_python.pagelog.layers import wanted_sets, window_of
from ws_python.pagelog.log import PageLog
from ws_python.pagelog.reader import load_log
from ws_python.pagelog.windows import part_of_log, without_reaching_back
from ws_python.report.files import log_for
from ws_python.report.kept import Chosen
from ws_python.report.report import Report
from ws_python.report.request import Request
from ws_python.report.sizes import KINDS
from ws_python.show.gnuplot.axes import Picture
from ws_python.show.gnuplot.heat import heat_cells, map_script
from ws_python.show.html.maps import heat_data
from ws_python.views import (cold, contended, heat, layers_code, layers_mapping,
                             layers_process, layers_thread, misses, order,
                             pages)

VIEWS: Dict[str, Callable[[Sequence[PageLog], Request], View]] = {
    "heat": heat.view, "enough": misses.view, "cold": cold.view, "pages": pages.view,
    "code": layers_code.view, "mapping": layers_mapping.view,
    "thread": layers_thread.view, "process": layers_process.view}


@lru_cache(maxsize=None)
def whole_log(path: str) -> PageLog:
    """Load a page log, once."""
    return load_log(path)


def part_of(path: str, request: Request) -> PageLog:
    """Load the wanted part of a page log, and samples whose windows lie in it;
    all samples if one is chosen.
    """
    part = part_of_log(whole_log(path), request.span)
    if not part.begin or request.at:
        return part
    return without_reaching_back(part, window_of(part, request.taus[:1]))


def load_logs(line: CommandLine) -> List[PageLog]:
    """Load the wanted part of each log, or of that which a report names."""
    paths = [log_for(path, line.view) for path in line.files]
    return [part_of(path, line) for path in paths]


def reports_of_log(log: PageLog, request: Request, of_profile: bool = False,
                   wanted: Sequence[str] = KINDS) -> List[Report]:
    """Make a report of the log for each page size."""
    return make_reports(log, request.taus, request.page_sizes, of_profile,
                        wanted)


def picture_cells(log: PageLog, request: Request, picture: Picture
                  ) -> Tuple[int, ...]:
    """Count the cells of a picture of its heat map."""
    return heat_cells(picture, len(wanted_sets(log, request.sets)))


def samples_of_log(path: str, request: Request
                   ) -> Tuple[Report, List[Chosen]]:
    """Return what samples of a log consist of, and a report of their stacks."""
    return layers_code.samples(part_of(path, request), request)


def contended_of_log(path: str, request: Request) -> View:
    """Show what several threads write, if the log tells."""
    log = part_of(path, request)
    wanted_sets(log, ("dirty",) if request.sets == ("dirty",) else KINDS)
    return View("tree", "", [contended.table_of_rivals(log, request)]
                if log.has_dirty and "dirty" in request.sets else [],
                log.page_szB, log.unit)


largest_of_log = layers_code.largest_in_parts
order_of = order.Order
script_of_map, data_of_map = map_script, heat_data


def layers_by(logs: Sequence[PageLog], request: Request) -> str:
    """Choose what layers are of, and refuse options of others."""
    by = request.by or ("process" if logs[1:] else "code")
    if by != "process" and logs[1:]:
        raise Failure(f"layers by {by} are of one page log")
    if by == "code" and request.mapping:
        raise Failure("--mapping needs --by=mapping, thread or process")
    if by != "code" and (request.rules or request.by_line):
        raise Failure("--rules and --by-line need --by=code")
    return by


def view_of(name: str, logs: Sequence[PageLog], request: Request) -> View:
    """Make a view of logs."""
    if name == "pages":
        request = replace(request, tlb=tlb_entries())
    made = VIEWS[layers_by(logs, request) if name == "layers" else name](
        logs, request)
    if name == "heat" and request.owners:
        with suppress(Failure):     # a log may not know who brings pages in
            layers_code.add_owners(made.of(HeatMap)[0], layers_code.code_of(
                logs[0], replace(request, sets=KINDS)), request.owners)
    return made
