# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes reports for other programs: everything as JSON, whose keys the manual
describes, and the table as CSV.
"""

import csv
import io
import json
import re
from dataclasses import asdict
from fractions import Fraction
from typing import Dict, List, Optional, Sequence, Union

from ws_python.base.text import shorten
from ws_python.base.units import Number
from ws_python.model.lists import PageList
from ws_python.model.places import by_function, by_mapping
from ws_python.model.processes import process_names
from ws_python.model.report import Entry, Report, references, samples_of
from ws_python.model.sizes import (KINDS, PERCENTILES, STATISTICS, anew_of,
                                   end_of, instructions_of, lateness,
                                   no_sample, percentile_of, sizes_of)
from ws_python.views.compare import (Difference, differences,
                                     phase_differences)
from ws_python.views.conditions import Verdict
from ws_python.views.growths import growths
from ws_python.views.process_total import Moment

FORMAT = 2
Value = Union[None, bool, int, float, str, List[int], List[str]]
Section = List[Dict[str, Value]]
Cell = Optional[int]


def plain_number(value: Optional[Number]) -> Union[None, int, float]:
    return float(value) if isinstance(value, Fraction) else value


def report_sections(report: Report, wanted: Sequence[str],
                    top: int) -> Dict[str, object]:
    return {"run": run(report), "sizes": sizes(report, wanted),
            "marks": marks(report), "phases": phases(report, wanted),
            "info": info(report), "profile": profile(report, wanted),
            **compositions(report, wanted), **pages(report, wanted, top),
            "rows": rows(report, wanted)}


def identity(report: Report, key: str) -> Optional[int]:
    """Return a number that the header has of a process."""
    text = report.header.get(key, "")
    return int(text) if re.fullmatch("[0-9]{1,20}", text) else None


def run(report: Report) -> Dict[str, Value]:
    header = report.header
    every, late = report.number("Every"), lateness(report)
    return {
        "name": report.name, "complete": report.complete,
        "command": header.get("Command"), "pid": identity(report, "PID"),
        "parent_pid": identity(report, "Parent PID"),
        "page_size": report.number("Page size"),
        "time_unit": header.get("Time unit"),
        "source": header.get("Source"), "every": every,
        "taus": report.taus, "time": end_of(report),
        "instructions": instructions_of(report),
        "samples": len(samples_of(report, "t")),
        "from": report.begin, "to": report.end,
        "no_sample": no_sample(report),
        "late_us": late and {"avg": late[0], "max": late[1]},
        "mapped_anew": anew_of(report) or None,
        "not_reached": [int(time) for time in report.summary.get(
            "Not reached", "").split(",") if time.isdecimal()] or None}


def sizes(report: Report, wanted: Sequence[str]) -> Section:
    return [{"set": some.set, "tau": some.tau,
             **{name: plain_number(some.statistic(name))
                for name in (*STATISTICS, "peaks")},
             "peak_time": some.peak_time}
            for some in sizes_of(report, wanted)]


def marks(report: Report) -> Section:
    return [{"time": mark.time, "label": mark.label, "info": mark.number}
            for mark in report.marks]


def phases(report: Report, wanted: Sequence[str]) -> Section:
    """Return phases, from label to label; None: start or end of the run."""
    return [{"from": phase.first, "to": phase.last, "start": phase.start,
             "end": phase.end, "instructions": phase.instructions,
             "samples": phase.samples,
             **{key: value for name in wanted if name in phase.pages
                for key, value in ((name, phase.pages[name]),
                                   (f"avg_{name}", plain_number(
                                       phase.averages[name])),
                                   *((f"p{percent}_{name}", percentile_of(
                                       report, phase, name, percent))
                                     for percent in PERCENTILES),
                                   (f"max_{name}", phase.largest[name]))}}
            for phase in report.phases]


def info(report: Report) -> Section:
    """Make an entry for each number that a row or a mark refers to."""
    section: Section = []
    for number, found in references(report).items():
        entry = report.entries.get(number, Entry())
        section.append({
            "number": number, "times": [time for time, _ in found],
            "label": entry.label,
            "places": ([] if entry.places == "-"
                       else entry.places.split("|")), "stack": entry.stack})
    return section


def profile(report: Report, wanted: Sequence[str]) -> Section:
    return [{"set": name, "tau": row.tau, "avg": row.average,
             "p50": row.median, "p95": row.p95, "max": row.peak,
             "entered": row.entered, "miss": row.miss, "life": row.life,
             "note": None if row.note == "-" else row.note}
            for name in wanted for row in (report.profile or {}).get(name, ())]


def compositions(report: Report,
                 wanted: Sequence[str]) -> Dict[str, Section]:
    """Return parts, which refer to samples and frames by number."""
    found = report.compositions
    kept = [(number, some) for number, some in found.kept.items()
            if some.set in wanted]
    return {
        "kept": [{"sample": number, "set": some.set, "time": some.time,
                  "pages": some.pages, "written": some.written,
                  "why": some.why, "label": some.label or None}
                 for number, some in kept],
        "composition": [{"sample": number, "pages": part.pages,
                         "written": part.written, "frame": part.frame,
                         "mapping": part.mapping}
                        for number, some in kept for part in some.parts],
        "entries": [{"set": name, "entered": part.pages, "frame": part.frame,
                     "mapping": part.mapping, "folded": part.folded}
                    for name, parts in found.entered.items() if name in wanted
                    for part in parts],
        "stacks": [{"frame": number, "caller": frame.caller, "cut": frame.cut,
                    "address": f"0x{frame.address:x}", "line": frame.line,
                    "function": frame.function or None,
                    "file": frame.file or None, "object": frame.object or None}
                   for number, frame in found.frames.items()]}


def pages(report: Report, wanted: Sequence[str],
          top: int) -> Dict[str, Section]:
    found: Dict[str, Section] = {"hottest": [], "mappings": [],
                                 "functions": []}
    for name in wanted:
        some = report.lists.get(name)
        if some is None:
            continue
        found["hottest"] += [page(name, some, line) for line
                             in range(min(top, len(some.counts)))]
        for section, shares in (("mappings", by_mapping(report, some)),
                                ("functions", by_function(report, some))):
            found[section] += [{"set": name, **asdict(share)}
                               for share in shares]
    return found


def page(name: str, found: PageList, line: int) -> Dict[str, Value]:
    return {"set": name, "count": found.counts[line],
            "page": f"0x{found.pages[line]:x}", "last": found.lasts[line],
            "first_access": found.places[line] or None,
            "mapping": found.owners[line],
            "mapped_anew": found.mapped_anew[line]}


def rows(report: Report, wanted: Sequence[str]) -> Dict[str, List[Cell]]:
    """Return the columns of the table, by their names in the report."""
    others = tuple(name for name in KINDS if name not in wanted)
    found: Dict[str, List[Cell]] = {
        name: [*column] for name, column in report.columns.items()
        if not re.search("_(%s)(_|$)" % "|".join(others or "-"), name)}
    found["info"] = [None] * len(report.columns["t"])
    for row, number in report.info:
        found["info"][row] = number
    return found


def difference(d: Difference) -> Dict[str, Value]:
    return {"statistic": d.statistic, "first": plain_number(d.first),
            "second": plain_number(d.second),
            "change": plain_number(d.change), "percent": d.percent}


def diff_sections(first: Report, second: Report,
                  wanted: Sequence[str]) -> Dict[str, Section]:
    time = Difference("", 0, "instructions", instructions_of(first),
                      instructions_of(second))
    return {"diff": [
        {"set": d.set or None, "tau": d.tau or None, **difference(d)}
        for d in [time, *differences(first, second, wanted)]],
        "diff_phases": [
            {"from": phase.first, "to": phase.last, "set": d.set or None,
             **difference(d)}
            for phase, d in phase_differences(first, second, wanted)],
        "diff_origins": [
            {"set": d.set, "tau": d.tau or None, "origin": names[0],
             "via": names[1] if names[1:] else None, **difference(d)}
            for found in growths(first, second, wanted).values()
            for names, d in found]}


def conditions(verdicts: Sequence[Verdict]) -> Section:
    return [{"condition": v.condition.text, "report": v.report.name,
             "value": plain_number(v.value), "limit": plain_number(v.limit),
             "holds": v.holds} for v in verdicts]


def total(moments: Sequence[Moment]) -> Section:
    return [{"ms": moment.time, "processes": moment.processes,
             **moment.pages} for moment in moments]


def as_json(reports: Sequence[Dict[str, object]],
            more: Dict[str, Section]) -> str:
    """Write JSON, in ASCII."""
    return json.dumps({"format": FORMAT, "reports": reports, **more}) + "\n"


def as_table(reports: Sequence[Report], wanted: Sequence[str],
             delimiter: str) -> str:
    """Write a line for each row, with the columns of all reports; missing ones
    are empty.
    """
    tables = [rows(report, wanted) for report in reports]
    names = list(dict.fromkeys(name for found in tables for name in found
                               if name != "info")) + ["info"]
    several = [[shorten(name, 40)] for name in process_names(reports)
               ] if reports[1:] else [[]]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", delimiter=delimiter)
    writer.writerow(["process"] * bool(reports[1:]) + names)
    for process, found in zip(several, tables):
        writer.writerows(zip(
            *([name] * len(found["t"]) for name in process),
            *(found.get(name) or [None] * len(found["t"]) for name in names)))
    return text.getvalue()
