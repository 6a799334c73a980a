# SPDX-License-Identifier: GPL-2.0-or-later
"""Who keeps the memory: the code that has allocated what is resident, and how
much of that is used.
"""

from dataclasses import replace
from typing import Optional, Sequence

from ws_python.base.text import VIA
from ws_python.base.units import BYTES, COUNT, TEXT, count, exact_time
from ws_python.base.view import Column, Table, View, columns_from
from ws_python.report.heap import cold_window, hints, sites_of
from ws_python.report.kept import chosen_of, heap_at
from ws_python.report.report import Report, titled
from ws_python.report.stacks import Paths, Share, by_function
from ws_python.report.tree import trees_of

WIDE = 100                  # characters of a line with further columns
OF_COLUMNS = (
    "live: asked for and not freed, resident or not. cold: in pages not used "
    "within the last {} (--ws-pagesize=64 tells small blocks apart). mixed: in "
    "pages that blocks of other stacks share. tree --at=heap.peak has the calls.")


def sum_of_shares(name: str, shares: Sequence[Share]) -> Share:
    total = Share(name, name)
    for share in shares:
        total.pages += share.pages
        total.heap.update(share.heap)
    return total


def view(report: Report, at: str, most: int, width: int,
         in_full: bool) -> View:
    """Make a table of the code that allocated most resident bytes, `most` rows
    for people; of what is in no block; and of all.
    """
    heap = heap_at(report, at)
    tau = cold_window(report, heap)
    hot = [other for other in sorted(report.taus)
           if in_full or width >= WIDE and other <= tau]

    def cold(share: Share) -> Optional[int]:
        return share.pages - share.heap[f"hot_{tau}"] if share.heap else None

    sites, others = sites_of(report, heap)
    shown = sites if in_full else [*sites[:most], *(
        [sum_of_shares(f"{count(len(sites) - most)} more", sites[most:])]
        if sites[most:] else [])]
    shown += [*others, *[sum_of_shares("all", [*sites, *others])] * (not in_full)]
    columns = columns_from([
        ("resident", BYTES), ("cold", BYTES), ("live", BYTES),
        ("blocks", COUNT), ("mixed", BYTES), ("origin", TEXT, "allocated by")], [
            (share.pages, cold(share), share.heap["live"], share.heap["blocks"],
             share.heap["mixed"], VIA.join(share.names)) for share in shown])
    columns[2:2] = [Column(
        f"hot_{other}", BYTES, [share.heap[f"hot_{other}"] for share in shown],
        f"in {exact_time(other, report.unit).partition(' instr')[0]}")
        for other in hot]
    return View("heap", titled("Who keeps the memory", report), [Table(
        chosen_of(report, heap, heap.names).title, columns, sentences=[
            OF_COLUMNS.format(exact_time(tau, report.unit))])],
        1, report.unit, lines=hints(report, heap))


def graph(report: Report, most: int) -> View:
    """Make the view with trees, for a page."""
    table = view(report, "peak", most, WIDE, False)
    heap = heap_at(report, "peak")
    return replace(table, parts=[*trees_of(heap.origins, Paths(
        report.compositions, by_function)), *table.parts])
