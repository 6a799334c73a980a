# SPDX-License-Identifier: GPL-2.0-or-later
"""How much a program needs, when, and for what: in plain words."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Sequence, Tuple

from ws_python.compositions import FILES, RESIDENT, Kept
from ws_python.layout import led
from ws_python.reports import Report, is_estimate, unit_of
from ws_python.sizes import Sizes, end_of, lateness, sizes_of
from ws_python.stacks import Paths, by_known, known_name, way_to
from ws_python.text import printable
from ws_python.units import (MS, count, exact_time, moment, pages,
                             size)

NAMES = {"data": "Data", "insn": "Code", "dirty": "Written data"}
MOST_SHARES = 3


def answer(report: Report, wanted: Sequence[str], width: int) -> List[str]:
    """At most seven lines for each set."""
    lines = memory(report, width)
    sizes = {some.set: some for some in sizes_of(report, wanted)
             if some.first}
    for name in NAMES:
        if name in sizes and (sizes[name].peak or not is_estimate(report)
                              or name == "data"):
            lines += about_set(report, sizes[name], width)
    return (lines + files(report, width) + longer(report)
            + between_samples(report, [*sizes.values()]) + late(report)
            + estimate(report))


def longer(report: Report) -> List[str]:
    """Of a page log, any window can be asked for."""
    end = end_of(report)
    if not report.is_log or end is None or report.number("Tau") <= end:
        return []
    return ["The window is longer than the run: it has all that was accessed."]


def between_samples(report: Report, sizes: Sequence[Sizes]) -> List[str]:
    """A warning, unless it is known how much there was at most."""
    unit, every = unit_of(report), report.number("Every")
    if all(some.bound is not None or not some.ordered
           or 2 * every <= some.tau for some in sizes):
        return []
    return [f"Between samples (every {exact_time(every, unit)}) there may have "
            "been more."]


def late(report: Report) -> List[str]:
    """In milliseconds, windows begin as late as samples are made."""
    found = lateness(report)
    if not found:
        return []
    average, most = found
    lines = [f"Samples were late by {count(average)} us on average, "
             f"{count(most)} us at most."]
    if most > 1000 * report.number("Tau"):
        lines += [f"The window of {exact_time(report.number('Tau'), MS)} is "
                  "shorter than that:", "some sizes are those of a longer one."]
    return lines


def estimate(report: Report) -> List[str]:
    """Of ws_attach."""
    if not is_estimate(report):
        return []
    lines = ["An estimate, by the kernel's referenced bits. Data and code are "
             "private memory.",
             "A page of a file, or shared, counts whichever process has "
             "used it."]
    if report.header.get("Flushed", "yes") != "yes":
        lines.append("Pages that are used all the time may be missing "
                     "(--no-flush).")
    return lines


def files(report: Report, width: int) -> List[str]:
    """Apart from what is the process's own."""
    largest = report.compositions.largest(FILES)
    if largest is None:
        return []
    page, unit = report.number("Page size"), unit_of(report)
    return [f"Files, at most: {size(largest.pages, page)} in the largest "
            f"sample, at {moment(largest.time, end_of(report), unit)}",
            *shares(report, report.compositions.largest(FILES), width)]


def about_set(report: Report, some: Sizes, width: int) -> List[str]:
    page, unit = report.number("Page size"), unit_of(report)
    name, often = NAMES[some.set], some.statistic("p95")
    if some.peak is None or some.peak_time is None or often is None:
        return [f"{name}: no sample" + in_all(report, some.pages)]
    lines = [f"{name}: {size(some.peak, page)} in the largest sample "
             f"({pages(some.peak, page)} in {exact_time(some.tau, unit)})"]
    when = f"at {moment(some.peak_time, end_of(report), unit)}"
    if len(lines[0]) + 2 + len(when) <= width:
        lines[0] += f", {when}"
    else:
        lines[0] += ","
        lines.append(f"   {when}")
    held = f"   95 % of samples: at most {size(often, page)}"
    whole = in_all(report, some.pages)
    if len(held + whole) > width:
        held, whole = f"{held}.\n ", whole[1:]
    kept = report.compositions.largest(some.set)
    return [*lines, *shares(report, kept, width),
            *(held + whole).split("\n")]


def in_all(report: Report, number: Optional[int]) -> str:
    """What there is besides a working set, as another sentence."""
    if number is None or not (report.complete or end_of(report)):
        return ""
    run = ("Up to the cut" if not report.complete else
           "Whole run" if report.end is None else "Whole phase")
    return f".  {run}: {size(number, report.number('Page size'))}"


def memory(report: Report, width: int) -> List[str]:
    """What was resident at most, when, and whose it was; of a whole run."""
    most, end = report.compositions.most_resident(), end_of(report)
    if report.begin or report.end is not None:
        return []
    page = report.number("Page size")
    if most is None and not report.complete:
        return so_far(report, page)
    if most is None or not end:
        return []
    uses: "Counter[str]" = Counter()
    for part in most.parts:
        uses[use_of(part.mapping)] += part.pages
    parts = ", ".join(f"{size(uses[use], page)} {use}"
                      for use in ("heap", "stacks", "files and code"))
    return [f"Memory: {size(most.pages, page)} resident at most, at "
            f"{percent(most.time, end)} % of the run",
            f"   ({parts}), first used by",
            *shares(report, most, width)]


def so_far(report: Report, page: int) -> List[str]:
    """Of a run that was killed or is not over, its samples are known."""
    pages = report.columns.get(RESIDENT)
    if not pages:
        return []
    most, lines = max(pages), []
    if most:
        when = moment(report.columns["t"][pages.index(most)], end_of(report),
                      unit_of(report))
        lines = [f"Memory: {size(most, page)} resident in the largest sample, "
                 f"at {when}"]
    return lines + [
        "   What needs how much, a report says when its run is over; until then:",
        f"   vgdb --pid={report.header.get('PID', 'PID')} ws answer"]


def use_of(mapping: str) -> str:
    """Other anonymous memory is the heap's, too: malloc maps large blocks."""
    return ("stacks" if mapping.startswith("stack of") else
            "files and code" if mapping.startswith("/") else "heap")


def shares(report: Report, kept: Optional[Kept], width: int) -> List[str]:
    """The largest parts, and the others: 100 % in all."""
    if kept is None or not kept.pages:
        return []
    lines, others = [], 100
    paths = Paths(report.compositions, by_known)
    for number, names in shares_of(kept, paths)[:MOST_SHARES]:
        share = percent(number, kept.pages)
        if share:
            lines.append(f"   {share:3} %  {led(names, width - 10)}")
            others -= share
    return lines + [f"   {others:3} %  others"] * (others > 0)


@dataclass
class Share:
    """Pages that have a function of the program, or a mapping, in common."""
    name: str
    pages: int = 0
    lines: "Counter[str]" = field(default_factory=Counter)
    vias: "Counter[str]" = field(default_factory=Counter)

    @property
    def names(self) -> List[str]:
        """With a line, and what lies between, if it is so for most pages."""
        return [self.most(self.lines) or self.name,
                *filter(None, [self.most(self.vias)])]

    def most(self, names: "Counter[str]") -> str:
        return next((name for name, pages in names.items()
                     if 2 * pages > self.pages), "")


def shares_of(kept: Kept, paths: Paths) -> List[Tuple[int, List[str]]]:
    """Pages, and whose they are, the most pages first."""
    return sorted(((share.pages, share.names)
                   for share in origins_of(kept, paths)),
                  key=lambda share: (-share[0], share[1]))


def origins_of(kept: Kept, paths: Paths) -> List[Share]:
    """By mapping are the pages of a stack, and code, most of which is entered
    once from each place.  ws_answer.c has the same rule.
    """
    shares: Dict[object, Share] = {}
    for part in kept.parts:
        lead, via = ((None, None) if kept.set == "insn" else paths.lead(part))
        mapping = printable(part.mapping.rpartition("/")[2])
        share = shares.setdefault(
            by_known(lead) if lead else part.mapping,
            Share(known_name(lead, False) if lead else mapping))
        share.pages += part.pages
        if lead:
            share.lines[known_name(lead)] += part.pages
        if via:
            share.vias[way_to(via)] += part.pages
    return [*shares.values()]


def percent(part: int, whole: int) -> int:
    """Rounded."""
    return (200 * part + whole) // (2 * whole)
