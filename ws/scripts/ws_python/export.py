# SPDX-License-Identifier: GPL-2.0-or-later
"""All of it for other programs, as JSON or CSV; the manual describes the
keys.
"""

import csv
import io
import json
import re
from dataclasses import asdict
from fractions import Fraction
from typing import Dict, List, Optional, Sequence, Tuple, Union

from ws_python.compare import (Difference, differences, peak_changes,
                               phase_differences)
from ws_python.conditions import Verdict
from ws_python.layout import Number
from ws_python.lists import PageList
from ws_python.places import by_function, by_mapping
from ws_python.reports import Entry, Report, references
from ws_python.sizes import (KINDS, STATISTICS, end_of, instructions_of,
                             sizes_of)
from ws_python.text import printable
from ws_python.tree import Matrix, Moment

FORMAT = 1
Value = Union[None, bool, int, float, str, List[int], List[str]]
Section = List[Dict[str, Value]]


def plain_number(value: Optional[Number]) -> Union[None, int, float]:
    return float(value) if isinstance(value, Fraction) else value


def report_sections(report: Report, wanted: Sequence[str],
                    top: int) -> Dict[str, Section]:
    return {"run": [run(report)], "sizes": sizes(report, wanted),
            "marks": marks(report), "phases": phases(report, wanted),
            "info": info(report), "profile": profile(report, wanted),
            **compositions(report, wanted), **pages(report, wanted, top), "rows": rows(report, wanted)}


def identity(report: Report, key: str) -> Optional[int]:
    """Of a process."""
    text = report.header.get(key, "")
    return int(text) if re.fullmatch("[0-9]{1,20}", text) else None


def run(report: Report) -> Dict[str, Value]:
    header, times = report.header, report.columns["t"]
    every = report.number("Every")
    return {
        "name": report.name, "complete": report.complete,
        "command": header.get("Command"), "pid": identity(report, "PID"),
        "parent_pid": identity(report, "Parent PID"),
        "page_size": report.number("Page size"),
        "time_unit": header.get("Time unit"), "every": every,
        "taus": report.taus, "time": end_of(report),
        "instructions": instructions_of(report),
        "samples": sum(1 for time in set(times)
                       if time and time % (every or 1) == 0),
        **{key: report.summary.get(name) for key, name in (
            ("no_sample", "No sample"), ("late_us", "Late avg/max"),
            ("mapped_anew", "Mapped anew insn/data"),
            ("not_reached", "Not reached"))}}


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
    """From label to label; None: the start or the end of the run."""
    return [{"from": phase.first, "to": phase.last, "start": phase.start,
             "end": phase.end, "instructions": phase.instructions,
             "samples": phase.samples,
             **{key: value for name in wanted if name in phase.pages
                for key, value in ((name, phase.pages[name]),
                                   (f"avg_{name}", plain_number(
                                       phase.averages[name])),
                                   (f"max_{name}", phase.largest[name]))}}
            for phase in report.phases]


def info(report: Report) -> Section:
    """An entry for each number that a row or a mark refers to."""
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
    return [{"set": name, "tau": row.tau, "avg": row.average, "max": row.peak,
             "entered": row.entered, "miss": row.miss, "life": row.life,
             "note": None if row.note == "-" else row.note}
            for name in wanted for row in (report.profile or {}).get(name, ())]


def compositions(report: Report,
                 wanted: Sequence[str]) -> Dict[str, Section]:
    """Parts refer to samples and frames by their numbers."""
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
            "mapping": found.owners[line], "mapped_anew": found.reused[line]}


def rows(report: Report, wanted: Sequence[str]) -> Section:
    """The table: its times, and the sizes by set and window."""
    columns = {(f"{name}.{tau}"): report.columns[column]
               for name in wanted for tau in report.windows
               for column in [report.column(KINDS[name], tau)]
               if column in report.columns}
    return [{"t": time, **{key: column[row] for key, column
                           in columns.items()}}
            for row, time in enumerate(report.columns["t"])]


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
        "diff_peaks": [{"functions": list(c.functions), "first": c.first,
                        "second": c.second, "note": c.note or None}
                       for c in peak_changes(first, second)]}


def conditions(verdicts: Sequence[Verdict]) -> Section:
    return [{"condition": v.condition.text, "report": v.report.name,
             "value": plain_number(v.value), "limit": plain_number(v.limit),
             "holds": v.holds} for v in verdicts]


def total(moments: Sequence[Moment]) -> Section:
    return [{"ms": moment.time, "processes": moment.processes,
             **moment.pages} for moment in moments]


def matrix(found: Matrix) -> Section:
    """A cell for each process that has pages of the mapping."""
    return [{"mapping": owner, "process": found.names[k], "report": k,
             "pages": cell[0], "last": cell[1]}
            for owner, cells in found.rows for k, cell in enumerate(cells)
            if cell[0]]


def as_json(reports: Sequence[Dict[str, Section]],
            more: Dict[str, Section]) -> str:
    """ASCII; a section run is not a list."""
    return json.dumps(
        {"format": FORMAT,
         "reports": [{**sections, "run": sections["run"][0]}
                     for sections in reports], **more}) + "\n"


def as_csv(reports: Sequence[Dict[str, Section]],
           more: Dict[str, Section]) -> str:
    """A line for each value."""
    parts: List[Tuple[object, Dict[str, Section]]] = [
        *enumerate(reports), ("", more)]
    return lines_of([["report", "section", "item", "key", "value"]] + [
        [report, name, item, key, value]
        for report, sections in parts for name, section in sections.items()
        for item, record in enumerate(section)
        for key, value in record.items() if value is not None])


def matrix_csv(found: Matrix) -> str:
    return lines_of([["pages", "mapping", *found.names]] + [
        [kind, name, *row] for kind, last in found.kinds.items()
        for name, row in found.table(last)])


def lines_of(records: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([cell_of(cell) for cell in record] for record in records)
    return text.getvalue()


def cell_of(value: object) -> str:
    if isinstance(value, list):
        return "|".join(map(cell_of, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return printable(value) if isinstance(value, str) else str(value)
