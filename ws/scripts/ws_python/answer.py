# SPDX-License-Identifier: GPL-2.0-or-later
"""How much a program needs, when, and for what: in plain words."""

from typing import List, Optional, Sequence, Tuple

from ws_python.calltree import accesses
from ws_python.compositions import Kept, by_mapping
from ws_python.layout import Number, count, joined
from ws_python.reports import Report, unit_of
from ws_python.sizes import Sizes, end_of, sizes_of
from ws_python.stacks import Paths, by_function
from ws_python.text import binary, decimal, printable

NAMES = {"data": "Data", "insn": "Code", "dirty": "Written data"}
MOST_SHARES = 3


def answer(report: Report, wanted: Sequence[str], width: int) -> List[str]:
    """At most seven lines for each set."""
    lines: List[str] = []
    sizes = {some.set: some for some in sizes_of(report, wanted)
             if some.first}
    for name in NAMES:
        if name in sizes:
            lines += about_set(report, sizes[name], width)
    return lines


def bytes_of(report: Report, pages: Number) -> str:
    return binary(float(pages * report.number("Page size")), 3)


def about_set(report: Report, some: Sizes, width: int) -> List[str]:
    name, often = NAMES[some.set], some.statistic("p95")
    if some.peak is None or some.peak_time is None or often is None:
        return [f"{name}: no sample" + in_all(report, some.pages)]
    lines = [f"{name}: at most {bytes_of(report, some.peak)} at once "
             f"({count(some.peak)} pages in {time_of(report, some.tau)})"]
    when = f"at {moment(report, some.peak_time)}"
    if len(lines[0]) + 2 + len(when) <= width:
        lines[0] += f", {when}"
    else:
        lines[0] += ","
        lines.append(f"   {when}")
    return [*lines, *shares(report, some.set, width),
            f"   95 % of the time: at most {bytes_of(report, often)}"
            + in_all(report, some.pages),
            *(knee(report, some.set) if some.set == "data" else ())]


def in_all(report: Report, pages: Optional[int]) -> str:
    """What there is besides a working set, as another sentence."""
    if pages is None:
        return ""
    run = "In the whole run" if report.complete else "Up to the cut"
    return f".  {run}: {bytes_of(report, pages)} ({count(pages)} pages)"


def time_of(report: Report, time: int) -> str:
    return f"{count(time)} {unit_of(report)}"


def moment(report: Report, time: int) -> str:
    """When, and in how long a run."""
    end = end_of(report)
    return (decimal(time, 3) + (f" of {decimal(end, 3)}" if end else "")
            + f" {unit_of(report)}")


def shares(report: Report, name: str, width: int) -> List[str]:
    """The largest of what the largest sample is made of."""
    found = report.compositions
    kept = found.largest(name)
    if kept is None or not kept.pages:
        return []
    paths = Paths(found, by_function)
    return [f"   {percent(pages, kept.pages):3} %  "
            + joined(names, "<", width - 10)
            for pages, names in shares_of(kept, paths)[:MOST_SHARES]]


def shares_of(kept: Kept, paths: Paths) -> List[Tuple[int, List[str]]]:
    """Pages, and whose they are, the most pages first: those of a function
    and what called it, but code, most of which is entered once from each
    place, by mapping.
    """
    if kept.set == "insn":
        return [(pages, [printable(mapping.rpartition("/")[2])])
                for mapping, pages, _ in by_mapping(kept.parts)]
    return [(nodes[0].pages, [node.name for node in nodes])
            for nodes in accesses(kept.parts, paths)]


def percent(pages: int, whole: int) -> int:
    """Rounded."""
    return (200 * pages + whole) // (2 * whole)


def knee(report: Report, name: str) -> List[str]:
    """Where more memory would save little."""
    rows = (report.profile or {}).get(name, ())
    best = next((row for row in rows if row.note == "knee"), None)
    if best is None:
        return []
    held = binary(best.average * report.number("Page size"), 3)
    return [f"   To keep what is used again within "
            f"{time_of(report, best.tau)} takes {held} on average"]
