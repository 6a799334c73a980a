# SPDX-License-Identifier: GPL-2.0-or-later
"""Views of a report that are tables of ws_print, and how much memory is enough.
"""

from argparse import Namespace
from dataclasses import replace
from typing import Iterator, Sequence

from ws_python.base.units import NAMES, noun
from ws_python.model.report import Report
from ws_python.model.sizes import KINDS, STATISTICS, sizes_of
from ws_python.model.view import Table, View
from ws_python.show.html.fit import left_out
from ws_python.views import enough, summary

HUES = {"data": 0, "insn": 1, "dirty": 2}


def views_of(report: Report, wanted: Sequence[str],
             most: int) -> Iterator[View]:
    """Yield the views, with at most `most` rows in each table."""
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
                     NAMES[name], summary.by_mapping(report, some), noun(page),
                     most - 1)
                 for name, some in lists.items()])):
        if any(table.columns[0].values for table in tables):
            yield View(name, title, [cut(table, most) for table in tables],
                       page, report.unit, [sentence], [
                           note for table in tables for note
                           in left_out(table.columns[0].values, most)])


def cut(table: Table, most: int) -> Table:
    return replace(table, columns=[
        replace(column, values=column.values[:most])
        for column in table.columns])
