# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes data of reports for a page in a browser."""

import base64
import json
import zlib
from argparse import Namespace
from dataclasses import replace
from typing import Iterator, List, Sequence

from ws_python.base.units import (BYTES, COUNT, NAMES, SHARE, TEXT, count,
                                  noun)
from ws_python.model.processes import (Process, by_work, counted, file_names,
                                       in_one_window, in_words, processes_of,
                                       title_of, values_of)
from ws_python.model.report import Report, command_of, commands_of
from ws_python.model.sizes import KINDS, STATISTICS, end_of, sizes_of, work_of
from ws_python.model.view import (Column, Layers, Table, Tree, View,
                                  columns_from)
from ws_python.show.data.view import plain_value
from ws_python.show.html.about import about
from ws_python.show.html.curves import MEMORY, curve, points_for, total
from ws_python.show.html.fit import LONGEST_NAME, Data, cut, left_out, of_page
from ws_python.show.html.stacks import (MOST_NODES, Composer, Names, graph_of,
                                        number_of_nodes)
from ws_python.views import enough, summary
from ws_python.views.conditions import Verdict
from ws_python.views.processes import (has_clock, memory_view,
                                       total_over_time, windows_of)

MOST_ROWS = 2000            # of all tables of a kind
FEWEST_ROWS = 20
MOST_TIMES = 1000           # of layers
LONGEST_TITLE = 100
SIZES = ("average", "95 %", "largest", "whole run")


def payload(reports: Sequence[Report], wanted: Sequence[str],
            verdicts: Sequence[Verdict]) -> Data:
    """Make the data; processes that did the most work are first."""
    wanted = [name for name in NAMES if name in wanted]
    rows = max(MOST_ROWS // len(reports), FEWEST_ROWS)
    ordered = [reports[number] for number in order_of(reports)]
    composer = Composer(ordered, wanted, rows)
    most = points_for(sum(len(sizes_of(report, wanted)) + len(MEMORY)
                          for report in reports))
    files = file_names(reports)
    found: List[Data] = []
    for number, report in enumerate(ordered):
        file = cut(files[report.name])
        views = [curve(report, wanted, most, composer.signs(number)),
                 composer.view(number, file),
                 *map(of_page, views_of(report, wanted, rows))]
        end = max(report.end or end_of(report) or 0, report.begin + 1)
        found.append({
            "file": file, "label": cut(command_of(report, LONGEST_NAME)),
            "page_szB": report.page_szB,
            "time_unit": report.unit, "range": [report.begin, end],
            "about": about(report, wanted, file),
            "trees": composer.trees(number),
            "views": [view for view in views if view is not None]})
    return {"title": title_of(reports, LONGEST_TITLE),
            "names": [*composer.names.numbers],
            "conditions": lines_of(verdicts),
            "processes": processes(ordered, wanted) if reports[1:] else None,
            "reports": found}


def views_of(report: Report, wanted: Sequence[str],
             most: int) -> Iterator[View]:
    """Yield how much memory is enough, and the views that are tables, with at
    most `most` rows in each.
    """
    page = report.page_szB
    lists = {name: report.lists[name] for name in wanted
             if name in report.lists}
    anew = any(total.anew for total in report.totals.values())
    if report.end is not None:      # a part has a profile of its windows
        report = replace(report, profile=enough.profile_of_windows(report))
    if any(map((report.profile or {}).get, wanted)):
        yield replace(enough.view([report], Namespace(log=False, set=[
            name for name in KINDS if name in wanted])), title=enough.TITLE)
    for name, title, sentence, tables in (
            ("sizes", "Sizes", "95 % of the samples are not larger than p95. "
             + summary.NOTE, [summary.in_pages(sizes_of(report, wanted), page,
                                               STATISTICS)]),
            ("phases", "Phases", "A phase is the time from one mark to the "
             "next.", [summary.phases(report, wanted)]),
            ("places", "Mappings of the run", "All pages that were accessed in "
             "the run, by what they are part of." + anew
             * " A page that was mapped anew counts each time.", [
                 summary.share_table(
                     NAMES[name], summary.by_mapping(some), noun(page),
                     most - 1)
                 for name, some in lists.items()])):
        if any(table.columns[0].values for table in tables):
            yield View(name, title, [shortened(table, most) for table in tables],
                       page, report.unit, [sentence], [
                           note for table in tables for note
                           in left_out(table.columns[0].values, most)])


def shortened(table: Table, most: int) -> Table:
    return replace(table, columns=[
        replace(column, values=column.values[:most])
        for column in table.columns])


def comparison(reports: Sequence[Report], view: View, graphs: Sequence[View],
               verdicts: Sequence[Verdict]) -> Data:
    """Make the data of two reports that are compared: a view of numbers,
    and one of each sample that has changed.
    """
    (first, second), names = reports, Names()
    command = cut(command_of(second, LONGEST_NAME))
    numbers = replace(view, title="Differences", parts=[
        table for table in view.of(Table) if not table.is_long][:1])
    views, room = [of_page(numbers)], MOST_NODES
    for graph in graphs:
        nodes = number_of_nodes(graph.of(Tree))
        fits = nodes <= room
        views.append(graph_of(graph, names, fits))
        room -= nodes * fits
    both = dict.fromkeys([cut(command_of(first, LONGEST_NAME)), command])
    return {"title": f"Two runs: {', '.join(both)}", "names": [*names.numbers],
            "conditions": lines_of(verdicts), "processes": None,
            "reports": [{
                "file": "", "label": command, "range": None, "trees": [],
                "page_szB": view.page_szB, "time_unit": view.time_unit,
                "about": {**about(second, [], ""), "title": "Two runs",
                          "facts": cut(f"{first.name} \u2192 {second.name}"),
                          "said": view.lines}, "views": views}]}


def lines_of(verdicts: Sequence[Verdict]) -> List[Data]:
    return [{"line": verdict.line(), "failed": verdict.holds}
            for verdict in verdicts]


def order_of(reports: Sequence[Report]) -> List[int]:
    """Order reports by their work, the most first."""
    return sorted(range(len(reports)), reverse=True,
                  key=lambda number: work_of(reports[number]))


def processes(reports: Sequence[Report], wanted: Sequence[str]) -> Data:
    """Make a table for each set, and views of all processes together."""
    reports = in_one_window(reports)
    places = {id(report): place for place, report in enumerate(reports)}
    found = by_work(processes_of(reports))
    names = commands_of([process.main for process in found], LONGEST_NAME)
    several = len(found) < len(reports)
    page_szB = reports[0].page_szB
    view = View(
        "processes", "Processes", [
            Table(NAMES[name], columns(found, names, name)) for name in wanted
            if any(process.sizes(name) for process in found)],
        page_szB, reports[0].unit, [
            in_words(len(found))
            + f" in {count(len(reports))} reports" * several
            + f". Sizes are those of the window of {windows_of(reports)}. What "
              "follows is about one "
            + ("report: choose it here. A process is named after the program "
               "that did most of its work, and has a report for each program "
               "that it executed." if several else
               "of them: choose it here.")])
    moments, end = total_over_time(reports, wanted), 1
    views = [total(moments, page_szB)] if moments else []
    if has_clock(reports):
        memory = memory_view(reports, "Resident memory", LONGEST_NAME)
        [layers] = memory.of(Layers)
        views.insert(0, of_page(replace(memory, parts=[
            layers.fewer(MOST_TIMES), *memory.of(Table)])))
        end = layers.xs[-1]
    return {**of_page(view), "end": max(
        end, moments.times[-1] if moments else end), "views": views,
            "reports": [[places[id(process.main)], *sorted(
                places[id(image)] for image in process.images
                if image is not process.main)] for process in found]}


def columns(found: Sequence[Process], names: Sequence[str],
            name: str) -> List[Column]:
    whole = max(sum(process.instructions or 0 for process in found), 1)
    # Nobody knows the instructions of ws_attach's reports.
    is_known = counted(found)
    return columns_from([
        ("process", TEXT), ("PID", TEXT), ("parent", TEXT),
        *[("instructions", COUNT), ("%", SHARE)] * is_known,
        *((title, BYTES) for title in SIZES), ("reports", COUNT)], [
            ("TRUNCATED " * (not process.complete) + command,
             process.main.pid, process.parent or "-",
             *[work, (work or 0) / whole] * is_known,
             *(None if size is None else size * process.main.page_szB
               for size in sizes), len(process.images))
            for process, command in zip(found, names)
            for work, *sizes in [values_of(process, name)]])


def data_text(data: object) -> str:
    """Pack JSON; none of its letters can be read as HTML."""
    text = json.dumps(data, separators=(",", ":"), default=plain_value)
    return base64.b64encode(zlib.compress(text.encode())).decode()
