# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes data of reports for a page in a browser, with few numbers for a run of
any length.
"""

from dataclasses import replace
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from ws_python.base.units import TIME, byte_size, exact_time, noun
from ws_python.base.view import (Finding, HeatMap, Layers, Series, Table, Tree,
                                 View)
from ws_python.report.compositions import Compositions
from ws_python.report.processes import file_names, title_of_processes
from ws_python.report.report import Report, command_of
from ws_python.report.sizes import end_of
from ws_python.show.html.fit import (LONGEST_NAME, ConditionData, Data,
                                     PageData, ReportData, ViewData,
                                     cut_for_page, data_text, of_page)
from ws_python.show.html.stacks import (MOST_NODES, Composer, Names, graph_of,
                                        number_of_nodes)

ANSWER_WIDTH = 130          # characters of a line of the answer
MOST_TABLE_ROWS = 2000            # of all tables of a kind
FEWEST_ROWS = 20
MOST_TIMES = 1000           # of layers
MOST_DATA, FEWEST_OF_MAPS = 1750000, 50000      # characters
RUN_ROOM = 100
CHOOSE_REPORT = ("What follows the tables is about one report: choose it by its "
                 "name there.")
TRUNCATED = ("This report is truncated: its run was killed, is not over, or "
             "had a full disk. What follows is about the part that is there.")
MEANING = (
    "Memory comes in {pages}. The working set of a program at some time is the "
    "set of those that it has accessed in the time before: in the last {tau}. "
    "This length is called the window, or tau. What a program has asked for, "
    "or touched once long ago, does not count: its working set is the memory "
    "that it needs at once.")
MOST_OF_A_CURVE = 16000     # points: more than a screen has, to be zoomed
MOST_IN_ALL = 64000
FEWEST = 100                # with very many processes
VIEWS_IN_ORDER = ("heat", "curve", "heap", "composition", "mappings", "code",
                  "threads", "huge", "enough", "tables")    # of a report


# --- Reports ------------------------------------------------------------------

def payload(reports: Sequence[Report], views: Iterable[Sequence[View]],
            of_logs: Sequence[Compositions], together: Sequence[View],
            wanted: Sequence[str], verdicts: Sequence[Finding],
            heat_data: Callable[[View, int], ViewData]) -> PageData:
    """Make the data of reports.  Each has its `views`, the answer first, and the
    samples of its log; `together` are views of all processes.  heat_data makes
    data of a heat map, of at most so many characters.
    """
    rows = max(MOST_TABLE_ROWS // len(reports), FEWEST_ROWS)
    composer = Composer(reports, wanted, of_logs, rows)
    curves = sum(len(wanted) * len(report.windows) + 3 for report in reports)
    most = max(FEWEST, min(MOST_OF_A_CURVE, MOST_IN_ALL // curves))
    files = file_names(reports)
    of_reports: List[ReportData] = []
    maps: List[Tuple[ReportData, View]] = []
    for number, (report, (answer, *others)) in enumerate(zip(reports, views)):
        file = cut_for_page(files[report.name])
        of_samples = composer.view(number, file)
        end = max(report.end or end_of(report) or 0, report.begin + 1, *(
            part.end for view in others for part in view.of(HeatMap)))
        of_reports.append({
            "file": file,
            "label": cut_for_page(command_of(report, LONGEST_NAME)),
            "page_szB": report.page_szB,
            "time_unit": report.unit, "range": [report.begin, end],
            "answer": answer_data(report, replace(
                answer, title=f"Answer for {file}" if reports[1:] else "Answer",
                notes=[], parts=[
                    table for table in answer.of(Table) if not table.is_long])),
            "views": [*filter(None, [of_samples]), *(
                graph_of(view, composer.names, True) if view.of(Tree)
                else packed(view, most, rows) for view in others
                if not view.of(HeatMap))]})
        maps += [(of_reports[-1], view) for view in others if view.of(HeatMap)]
    data: PageData = {
        "title": title_of_processes(reports, RUN_ROOM),
        "names": [*composer.names], "conditions": verdict_lines(verdicts),
        "processes": processes_data(together) if together else None,
        "reports": of_reports}
    if maps:
        room = max(MOST_DATA - len(data_text(data)), FEWEST_OF_MAPS)
        for of_report, view in maps:
            of_report["views"].append(heat_data(view, room // len(maps)))
    for of_report in of_reports:
        of_report["views"] = merged(of_report["views"])
    return data


def merged(views: Sequence[ViewData]) -> List[ViewData]:
    """Sort views; join those of a report and of its log with the same name."""
    by_name: Dict[str, ViewData] = {}
    for view in sorted(views, key=lambda view: (
            *VIEWS_IN_ORDER, view["name"]).index(view["name"])):
        first = by_name.setdefault(view["name"], view)
        if first is not view:
            first["parts"] += view["parts"]
            first["notes"] += view["notes"]
    return [*by_name.values()]


def answer_data(report: Report, answer: View) -> ViewData:
    data = of_page(answer)
    data["warnings"] = [] if report.complete else [TRUNCATED]
    data["meaning"] = MEANING.format(
        pages=f"{noun(report.page_szB)} of {byte_size(report.page_szB)}",
        tau=exact_time(report.main, report.unit))
    return data


def packed(view: View, most: int, rows: Optional[int] = None,
           **more: object) -> ViewData:
    """Make data of a view without tables for programs.  In series over time, a
    point stands for `per` samples, and has the time of the last of these.
    """
    added: Dict[int, Data] = {}
    view = replace(view, parts=[
        part.fewer(MOST_TIMES) if isinstance(part, Layers)
        and part.x.unit == TIME else part for part in view.parts
        if not (isinstance(part, Table) and part.is_long)])
    for place, part in enumerate(view.parts):
        if isinstance(part, Series) and (
                part.x.unit == TIME and not part.x.is_log):
            per = max(-(-max(map(len, part.xs)) // most), 1)
            shorter = [line.fewer(xs, per)
                       for xs, line in zip(part.xs, part.lines)]
            added[place] = {"per": per, **more}
            shorter = [(xs, line) for xs, line in shorter
                       if line.tau or any(line.values) or view.name != "curve"]
            # Lines of one run have the same times.
            part.xs = [xs for xs, _ in shorter]
            if all(xs == part.xs[0] for xs in part.xs):
                part.xs = part.xs[:1]
            part.lines = [replace(line, values=[
                round(value, 1) for value in line.values])
                for _, line in shorter]
    data = of_page(view, rows)
    for place, of_series in added.items():
        data["parts"][place].update(of_series)
    return data


# --- Several reports ----------------------------------------------------------

def comparison(reports: Sequence[Report], view: View, curves: Sequence[View],
               graphs: Sequence[View], verdicts: Sequence[Finding]) -> PageData:
    """Make the data of two reports that are compared, with curves of both, and
    graphs of changes.
    """
    names: Names = {}
    room = MOST_NODES
    first, command = (cut_for_page(command_of(report, LONGEST_NAME))
                      for report in reports)
    both = dict.fromkeys([first, command])
    end = max((int(xs[-1]) for one in curves for part in one.of(Series)
               for xs in part.xs), default=0)
    # Packing shortens the series.
    same = [all(line.values == part.lines[0].values and xs == part.xs[0]
                for part in one.of(Series)
                for xs, line in zip(part.xs, part.lines)) for one in curves]
    views = [packed(one, MOST_OF_A_CURVE // 2) for one in curves]
    for data, is_closed in zip(views, same):
        data["is_closed"] = is_closed
    for graph in graphs:
        nodes = number_of_nodes(graph.of(Tree))
        fits = nodes <= room
        views.append(graph_of(graph, names, fits))
        views[-1]["is_closed"] = all(
            node.pages == before for tree in graph.of(Tree)[:2]
            for node, before in zip(tree.nodes, tree.before))
        if fits:
            room -= nodes
    return {"title": f"Two runs: {', '.join(both)}", "names": [*names],
            "conditions": verdict_lines(verdicts), "processes": None,
            "reports": [{
                "file": "", "label": command,
                "range": [0, end] if end else None,
                "page_szB": view.page_szB, "time_unit": view.time_unit,
                "answer": answer_data(reports[1], replace(
                    view, title="Two runs", parts=[
                        table for table in view.of(Table)
                        if not table.is_long][:1])), "views": views}]}


def verdict_lines(verdicts: Sequence[Finding]) -> List[ConditionData]:
    return [{"line": verdict.line(), "failed": verdict.failed}
            for verdict in verdicts]


def processes_data(views: Sequence[View]) -> ViewData:
    """Make the data of all processes; the first view has a row for each report.
    """
    first, *others = views
    end = max([1, *(part.times[-1] for view in views
                    for part in view.of(Layers) if part.x.unit == TIME),
               *(int(part.xs[0][-1]) for part in first.of(Series))])
    data = packed(replace(
        first, title="Processes",
        sentences=[*first.lines[:2], CHOOSE_REPORT]), MOST_OF_A_CURVE // 4,
        is_stepped=True)
    data["end"] = end
    data["views"] = [packed(view, MOST_OF_A_CURVE // 4) for view in others]
    return data
