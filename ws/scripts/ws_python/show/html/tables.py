# SPDX-License-Identifier: GPL-2.0-or-later
"""Views of a report that are mainly a table, and how much memory is enough."""

from argparse import Namespace
from dataclasses import replace
from typing import Iterable, List, Optional, Sequence

from ws_python.base.units import BYTES, COUNT, NAMES, SHARE, TEXT, Number, noun
from ws_python.model.places import by_mapping
from ws_python.model.report import Report, unit_of
from ws_python.model.sizes import KINDS, percentile_of, sizes_of
from ws_python.model.view import Column, Table, View
from ws_python.show.html.fit import left_out
from ws_python.views import enough

HUES = {"data": 0, "insn": 1, "dirty": 2}
SIZES = (("average", "avg"), ("50 %", "p50"), ("95 %", "p95"),
         ("99 %", "p99"), ("largest", "peak"))


class Tables:
    """Makes the views of a report, with at most `most` rows each."""

    def __init__(self, report: Report, wanted: Sequence[str], most: int):
        self.report, self.most = report, most
        self.wanted = wanted
        self.page, self.unit = report.number("Page size"), unit_of(report)

    def views(self) -> List[View]:
        return [view for view in (self.enough(), self.sizes(), self.phases(),
                                  self.mappings()) if view is not None]

    def enough(self) -> Optional[View]:
        """Make the view of ws_print and ws_plot; a part of a run has a profile
        of its windows.
        """
        report, options = self.report, Namespace(
            set=[name for name in KINDS if name in self.wanted],
            average=False, log=False)
        if report.end is not None:
            report = replace(report, profile=enough.profile_of_windows(report))
        if not any(map((report.profile or {}).get, self.wanted)):
            return None
        return replace(enough.view([report], options), title=enough.TITLE)

    def size(self, name: str, pages: Iterable[Optional[Number]]) -> Column:
        return Column(name, BYTES, [
            None if value is None else value * self.page for value in pages])

    def view(self, name: str, title: str, sentence: str,
             columns: Sequence[Column]) -> Optional[View]:
        """Make a view of a table; None: it has no row."""
        rows = columns[0].values
        if not rows:
            return None
        for column in columns:
            column.values = column.values[:self.most]
        return View(name, title, [Table(title, [*columns])], self.page,
                    self.unit, [sentence], [*left_out(rows, self.most)])

    def sizes(self) -> Optional[View]:
        found = sizes_of(self.report, self.wanted)
        bounds = [some.bound for some in found]
        known = any(bound is not None for bound in bounds)
        return self.view(
            "sizes", "Sizes", "95 % of the samples are at most as large as in "
            "the column 95 %. The largest is the largest of the samples: "
            "between two of them, the set may have been larger"
            + (". It was never larger than in the column \u201cat any time"
               "\u201d." if known else "."), [
                Column("set", TEXT, [NAMES[some.set] for some in found]),
                Column("window", COUNT, [some.tau for some in found]),
                *(self.size(title, [some.statistic(name) for some in found])
                  for title, name in SIZES),
                Column(f"at ({self.unit})", COUNT,
                       [some.peak_time for some in found]),
                *[self.size("at any time", bounds)] * known,
                self.size("in the whole run", [some.pages for some in found])])

    def phases(self) -> Optional[View]:
        report, found = self.report, self.report.phases
        columns = [
            Column(f"starts at ({self.unit})", COUNT,
                   [phase.start for phase in found]),
            Column("instructions", COUNT,
                   [phase.instructions for phase in found]),
            Column("samples", COUNT, [phase.samples for phase in found])]
        for name in self.wanted:
            if any(name in phase.pages for phase in found):
                columns += [
                    self.size(f"{NAMES[name].lower()}: accessed",
                              [phase.pages.get(name) for phase in found]),
                    self.size("average set", [phase.averages.get(name)
                                              for phase in found]),
                    self.size("95 %", [
                        percentile_of(report, phase, name)
                        for phase in found[:self.most]]),
                    self.size("largest set", [phase.largest.get(name)
                                              for phase in found])]
        return self.view(
            "phases", "Phases", "A phase is the time from one mark to the "
            "next.", [*columns, Column("phase", TEXT, [
                phase.name for phase in found])])

    def mappings(self) -> Optional[View]:
        report = self.report
        found = [(name, share, len(report.lists[name].counts))
                 for name in self.wanted if name in report.lists
                 for share in by_mapping(report, report.lists[name])]
        shares = [share for _, share, _ in found]
        anew = any(total.anew for total in report.totals.values())
        return self.view(
            "places", "Mappings of the run", "All pages that were accessed in "
            "the run, by what they are part of." + anew
            * " A page that was mapped anew counts each time.", [
                Column("set", TEXT, [NAMES[name] for name, _, _ in found]),
                Column(noun(self.page), COUNT,
                       [share.pages for share in shares]),
                Column("%", SHARE, [share.pages / max(whole, 1)
                                    for _, share, whole in found]),
                self.size("size", [share.pages for share in shares]),
                Column("in the last window", COUNT,
                       [share.last for share in shares]),
                Column("accesses", COUNT,
                       [share.accesses for share in shares]),
                Column("part of", TEXT, [share.name for share in shares])])
