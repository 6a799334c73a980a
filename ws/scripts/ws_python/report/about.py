# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables and sentences that several views have: facts of a run, the rows of a
report, and its profile.
"""

import re
from typing import Dict, List, Optional, Sequence

from ws_python.base.text import shorten
from ws_python.base.units import (BYTES, COUNT, MS, RATE, SET, TEXT, count,
                                  exact_time, noun)
from ws_python.base.view import Column, Datum, Table, columns_from
from ws_python.report.processes import process_names
from ws_python.report.report import (LISTS, Report, every_in_words,
                                     number_of_samples)
from ws_python.report.sizes import (KINDS, end_of, instructions_of, no_sample,
                                    timing)

PROFILE_TITLE = "Working set profile"
TIMINGS = ("Late", "Window", "Reading")     # in the summary


def facts_in_words(report: Report, width: int,
                   only: Optional[Sequence[str]] = None) -> List[str]:
    """Write the facts of a run, a line for each: all, or `only` these keys."""
    header, unit = report.header, report.unit
    keys: Dict[str, Optional[str]] = {
        "Command": header.get("Command", "-"),
        "Page log" if report.is_log else "Report": report.name + (
            "" if report.complete else " (TRUNCATED: its run was killed or is "
            "not over)"),
        "PID": header.get("PID", "-"),
        "Forked from": header["Parent PID"] + (
            ": pages that it inherits count when it accesses them")
        if "Parent PID" in header else None,
        "Instructions": None if report.is_estimate else count(
            instructions_of(report))}
    if report.is_clocked:
        keys["Milliseconds"] = count(end_of(report))
    if report.end is not None:
        # Only those of the whole run are known.
        keys["Instructions"] = keys["Milliseconds"] = None
        whole = end_of(report)
        keys["Part"] = (
            f"from {count(report.begin)} to {count(report.end)}"
            + (f" of {count(whole)}" if whole else "") + f" {report.unit}")
    samples = number_of_samples(report)
    keys["Sampled"] = (
        f"every {every_in_words(report, exact_time)}, {count(samples)} "
        + ("sample" if samples == 1 else "samples"))
    keys["Windows"] = f"tau = {', '.join(map(count, report.taus))} {unit}"
    keys["Page size"] = f"{count(report.page_szB)} B"
    totals = [report.totals[name] for name in LISTS.values()
              if name in report.totals]
    anew = [total.anew or 0 for total in totals]
    keys["Mapped anew"] = ("/".join(map(str, anew)) + " pages (code/data)"
                           if any(anew) else None)
    keys["Source"] = header.get("Source")
    keys["No sample"] = no_sample(report)
    for key in TIMINGS:
        times = timing(report, key)
        if times:
            keys[f"{key} avg/max"] = f"{times[0]}/{times[1]} us"
    for key in ("Windows off", "Missed samples", "Not reached"):
        keys[key] = report.summary.get(key)
    if keys["Not reached"]:
        keys["Not reached"] = f"--ws-info-at={keys['Not reached']}"
    peaks = [total.peaks for total in totals]
    if None not in peaks:
        keys["Peaks code/data"] = "/".join(map(str, peaks)) or None
    return [shorten(f"{key + ':':<18}{value}", width if only else 5 * width)
            for key, value in keys.items()
            if value is not None and (only is None or key in only)]


def facts_of(reports: Sequence[Report]) -> Table:
    """Make a table for programs: the facts of each report, in a row."""
    facts: List[Dict[str, Datum]] = [{
        "name": report.name, "complete": int(report.complete),
        "source": report.header.get("Source"), "time": end_of(report),
        "instructions": instructions_of(report), "from": report.begin,
        "to": report.end, "no_sample": no_sample(report),
        **{name: report.header.get(key) for name, key in (
            ("command", "Command"), ("pid", "PID"),
            ("parent_pid", "Parent PID"))},
        **{name: report.number(key) for name, key in (
            ("page_size", "Page size"), ("every", "Every"), ("tau", "Tau"))}}
        for report in reports]
    return Table("Runs", [
        Column(name, COUNT if isinstance(value, int) else TEXT,
               [row[name] for row in facts])
        for name, value in facts[0].items()], is_long=True)


def facts_of_reports(reports: Sequence[Report], wanted: Sequence[str]) -> Table:
    """Make the table of all samples of the wanted sets, with each column that
    a report has; where others lack it, the value is None.  For several
    reports, the first column has their processes.
    """
    others = [name for name in KINDS if name not in wanted] or ["-"]
    names = [name for name in dict.fromkeys(
        name for report in reports for name in report.columns)
        if not re.search(f"_({'|'.join(others)})(_|$)", name)]
    columns: List[Column] = [Column(name, COUNT, [
        value for report in reports for value in report.columns.get(
            name, [None] * len(report.columns["t"]))]) for name in names]
    if reports[1:]:
        names = process_names(reports)
        columns.insert(0, Column("process", TEXT, [
            shorten(name, 40) for name, report in zip(names, reports)
            for _ in report.columns["t"]]))
    info: List[Datum] = []
    for report in reports:
        entries = dict(report.info)
        info += map(entries.get, range(len(report.columns["t"])))
    return Table("Samples", [*columns, Column("info", COUNT, info)],
                 is_long=True)


def table_of_profile(report: Report, wanted: Sequence[str]) -> Table:
    """Make the table of a profile, with a sentence that names its units."""
    page, unit = report.page_szB, report.unit
    pages = noun(page)
    thousand = "a second" if unit == MS else f"1,000 {unit}"
    return Table(PROFILE_TITLE, columns_from([
        ("set", SET), ("tau", COUNT), ("avg", COUNT), ("p50", COUNT),
        ("p95", COUNT), ("max", COUNT), ("bytes", BYTES, "size"),
        ("miss", RATE), ("life", COUNT), ("note", TEXT)], [
            (name, row.tau, row.average, row.median, row.p95, row.peak,
             row.peak * page, row.miss, row.life if row.life is None
             or report.is_clocked else round(row.life),
             "" if row.note == "-" else row.note) for name in wanted
            for row in (report.profile or {}).get(name, ())]), {}, [
            f"tau and life are in {unit}, other columns in {pages}, and size "
            "is that of max. p50 and p95 of 2,048 or more are rounded down by "
            f"less than 0.1 %. miss: {pages} that enter the window in "
            f"{thousand}; life: {unit} from one of them to the next."])
