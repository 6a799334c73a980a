# SPDX-License-Identifier: GPL-2.0-or-later
"""The memory of a process in a report of ws_attach: RSS, PSS and swap."""

from typing import List, NamedTuple, Optional, Sequence

from ws_python.base.text import printable
from ws_python.base.units import BYTES, TEXT, byte_size
from ws_python.base.view import Table, columns_from
from ws_python.report.compositions import FILES
from ws_python.report.report import LONGEST_TITLE, Report, command_of

RSS_AND_PSS = (
    "Of the last samples. RSS: resident; PSS: with its share only of pages "
    "that others have, too; accessed within the window, or else cold.")


class KernelMemory(NamedTuple):
    """The memory of a process in a sample, in bytes."""
    rss: int
    pss: int
    accessed: int
    cold: int               # RSS that was not accessed
    swap: int


def held_by(report: Report) -> List[KernelMemory]:
    """Return the memory in each row, the first of which is at the start."""
    columns = [report.columns.get(name, ()) for name in (
        "rss_kB", "pss_kB", "swap_kB", "WSS_insn", "WSS_data", FILES)]
    return [KernelMemory(1024 * rss, 1024 * pss, used,
                         max(1024 * rss - used, 0), 1024 * swap)
            for rss, pss, swap, *sets in zip(*columns)
            for used in [sum(sets) * report.page_szB]]


def held_in_words(report: Report) -> List[str]:
    rows = held_by(report)
    if not rows:
        return []
    rss, pss, _, _, swap = map(byte_size, rows[-1])
    most = [byte_size(max(sizes)) for sizes in zip(*rows)]
    return [f"Memory: {rss} RSS, {pss} PSS (last sample); at most {most[0]}, "
            f"{most[1]}" + (f"; {swap} in swap" if rows[-1].swap else "")]


def table_of_held(reports: Sequence[Report]) -> Optional[Table]:
    """Make a table of the processes' last samples, with the sum of PSS; only
    PSS counts no page twice.  None: no report has such rows.
    """
    rows = [(printable(report.name), *held[-1][:4],
             command_of(report, LONGEST_TITLE))
            for report in reports for held in [held_by(report)] if held]
    total = "total", None, sum(row[2] for row in rows), None, None, ""
    return Table(f"Memory of {len(rows)} processes", columns_from([
        ("report", TEXT), ("RSS", BYTES), ("PSS", BYTES), ("accessed", BYTES),
        ("cold", BYTES), ("command", TEXT)], [*rows, total]),
                 sentences=[RSS_AND_PSS]) if rows else None
