# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes data of reports for a page in a browser, with few numbers for a run of
any length.
"""

import base64
import json
import zlib
from argparse import Namespace
from dataclasses import replace
from typing import (Container, Dict, Iterator, List, Optional, Sequence,
                    Tuple)

from ws_python.base.units import (NAMES, PAGES, TIME, byte_size, exact_time,
                                  noun)
from ws_python.model.about import PROFILE_TITLE, facts_in_words
from ws_python.model.compositions import FILES, RESIDENT, Kept
from ws_python.model.processes import file_names, title_of_processes
from ws_python.model.report import Report, command_of, samples_of
from ws_python.model.sizes import KINDS, end_of, sizes_of, work_of
from ws_python.model.view import (Axis, Finding, Layers, Line, Series, Table,
                                  Tag, Tree, View)
from ws_python.show.data.view import plain_value
from ws_python.show.html.fit import (LONGEST_NAME, Data, cut_for_page, left_out,
                                     of_page)
from ws_python.show.html.stacks import (MOST_NODES, Composer, graph_of,
                                        number_of_nodes, numbering)
from ws_python.views import enough, processes as together, summary
from ws_python.views.answer import answer, memory

MOST_TABLE_ROWS = 2000            # of all tables of a kind
FEWEST_ROWS = 20
MOST_PAGES = 100            # of lists, and mappings
MOST_TIMES = 1000           # of layers
RUN_ROOM = 100
CHOOSE_REPORT = "What follows is about one report: choose it here."
ANSWER_WIDTH = 130                  # characters of a line of the answer
TRUNCATED = ("This report is truncated: its run was killed, or is not over. "
             "What follows is about the part that is there.")
MEANING = (
    "Memory comes in {pages}. The working set of a program at some time is the "
    "set of those that it has accessed in the time before: in the last {tau}. "
    "This length is called the window, or tau. What a program has asked for, "
    "or touched once long ago, does not count: its working set is the memory "
    "that it needs at once.")
MOST_OF_A_CURVE = 16000     # points: more than a screen has, to be zoomed
MOST_IN_ALL = 64000
FEWEST = 100                # with very many processes
PALEST = 0.65               # the longest window

# Curves beside working sets: their columns and hues.
MEMORY: Dict[str, Tuple[Sequence[str], int]] = {
    "Touched so far": (("total_insn", "total_data"), 3),
    "Resident": ((RESIDENT,), 7), "Mapped": (("mapped",), -1),
    "Files, at most": ((FILES,), 4)}


# --- Reports ------------------------------------------------------------------

def payload(reports: Sequence[Report], wanted: Sequence[str],
            verdicts: Sequence[Finding]) -> Data:
    """Make the data; processes that did the most work are first."""
    wanted = [name for name in NAMES if name in wanted]
    rows = max(MOST_TABLE_ROWS // len(reports), FEWEST_ROWS)
    ordered = [reports[number] for number in order_of(reports)]
    composer = Composer(ordered, wanted, rows)
    curves = sum(len(sizes_of(one, wanted)) + len(MEMORY) for one in reports)
    most = max(FEWEST, min(MOST_OF_A_CURVE, MOST_IN_ALL // max(curves, 1)))
    files = file_names(reports)
    found: List[Data] = []
    for number, report in enumerate(ordered):
        file = cut_for_page(files[report.name])
        views = [curve_data(report, wanted, most, composer.signs(number)),
                 composer.view(number, file),
                 *map(of_page, views_of(report, wanted, rows))]
        end = max(report.end or end_of(report) or 0, report.begin + 1)
        found.append({
            "file": file,
            "label": cut_for_page(command_of(report, LONGEST_NAME)),
            "page_szB": report.page_szB,
            "time_unit": report.unit, "range": [report.begin, end],
            "about": about_data(report, wanted),
            "views": [view for view in views if view is not None]})
    return {"title": title_of_processes(reports, RUN_ROOM),
            "names": [*composer.names],
            "conditions": verdict_lines(verdicts),
            "processes": processes(ordered, wanted) if reports[1:] else None,
            "reports": found}


def about_data(report: Report, wanted: Sequence[str]) -> Data:
    """Make the answer, as ws_print has it."""
    return {
        "title": "Answer",
        "command": cut_for_page(report.header.get("Command", "-")),
        "warning": None if report.complete else TRUNCATED,
        # Without the command.
        "said": [*facts_in_words(report, ANSWER_WIDTH, summary.KEYS[1:]), "",
                 *answer(report, wanted, ANSWER_WIDTH)],
        "meaning": MEANING.format(
            pages=f"{noun(report.page_szB)} of {byte_size(report.page_szB)}",
            tau=exact_time(report.main, report.unit))}


def views_of(report: Report, wanted: Sequence[str],
             most: int) -> Iterator[View]:
    """Yield how much memory is enough, and the tables of the view all, with at
    most `most` rows in each.
    """
    page = report.page_szB
    if report.end is not None:      # a part has a profile of its windows
        report = replace(report, profile=enough.profile_of_windows(report))
    if any(map((report.profile or {}).get, wanted)):
        yield replace(enough.view([report], Namespace(log=False, set=[
            name for name in KINDS if name in wanted])), title=PROFILE_TITLE)
    tables = [summary.in_bytes(sizes_of(report, wanted), page),
              *summary.details(report, wanted, min(most - 1, MOST_PAGES))]
    yield View("tables", "Tables", [replace(table, columns=[
        replace(column, values=column.values[:most]) for column in table.columns])
        for table in tables], page, report.unit, [], [
            note for table in tables
            for note in left_out(table.columns[0].values, most)])


# --- Curves -------------------------------------------------------------------

def curve_data(report: Report, wanted: Sequence[str], most: int,
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


# --- Several reports ----------------------------------------------------------

def comparison(reports: Sequence[Report], view: View, graphs: Sequence[View],
               verdicts: Sequence[Finding]) -> Data:
    """Make the data of two reports that are compared: a view of numbers,
    and one of each sample that has changed.
    """
    (first, second), names = reports, numbering()
    command = cut_for_page(command_of(second, LONGEST_NAME))
    numbers = replace(view, title="Differences", parts=[
        table for table in view.of(Table) if not table.is_long][:1])
    views, room = [of_page(numbers)], MOST_NODES
    for graph in graphs:
        nodes = number_of_nodes(graph.of(Tree))
        fits = nodes <= room
        views.append(graph_of(graph, names, fits))
        room -= nodes * fits
    both = dict.fromkeys([cut_for_page(command_of(first, LONGEST_NAME)),
                          command])
    return {"title": f"Two runs: {', '.join(both)}", "names": [*names],
            "conditions": verdict_lines(verdicts), "processes": None,
            "reports": [{
                "file": "", "label": command, "range": None,
                "page_szB": view.page_szB, "time_unit": view.time_unit,
                "about": {**about_data(second, []), "title": "Two runs",
                          "said": view.lines}, "views": views}]}


def verdict_lines(verdicts: Sequence[Finding]) -> List[Data]:
    return [{"line": verdict.line(), "failed": verdict.holds}
            for verdict in verdicts]


def order_of(reports: Sequence[Report]) -> List[int]:
    """Order reports by their work, the most first."""
    return sorted(range(len(reports)), reverse=True,
                  key=lambda number: work_of(reports[number]))


def processes(reports: Sequence[Report], wanted: Sequence[str]) -> Data:
    """Make the view of all processes, in which each report has a row."""
    view = together.view(reports, wanted, True, LONGEST_NAME, memory)
    parts = [part.fewer(MOST_TIMES) if isinstance(part, Layers) else part
             for part in view.parts
             if not (isinstance(part, Table) and part.is_long)]
    end = max([1, *(part.xs[-1] for part in parts
                    if isinstance(part, Layers)),
               *(part.xs[0][-1] for part in parts
                 if isinstance(part, Series))])
    return {**packed(replace(
        view, title="Processes", parts=parts,
        sentences=[*view.lines[:2], CHOOSE_REPORT]), MOST_OF_A_CURVE // 4,
        is_stepped=True), "end": end, "views": []}


def data_text(data: object) -> str:
    """Pack JSON; none of its letters can be read as HTML."""
    text = json.dumps(data, separators=(",", ":"), default=plain_value)
    return base64.b64encode(zlib.compress(text.encode())).decode()
