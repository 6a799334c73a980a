# SPDX-License-Identifier: GPL-2.0-or-later
"""What samples, or the entries of a run, are made of: trees of call stacks and
the pages that they brought in; or the components of a program, by rules, in
tables of a sample, and in bars of all that are kept.
"""

import os
from collections import Counter
from dataclasses import replace
from typing import List, Optional, Sequence, Tuple

from ws_python.base.text import printable
from ws_python.base.units import (COUNT, NAMES, SHARE, TEXT, count, pages,
                                  short_time)
from ws_python.base.view import Axis, Layers, Shown, Table, View, columns_from
from ws_python.report.compositions import MEMORY, Kept, Origin, unit_szB
from ws_python.report.kept import Chosen, mappings, no_samples, share_columns
from ws_python.report.report import Report, titled
from ws_python.report.rules import NO_RULE, Rules, load_rules
from ws_python.report.stacks import Key, Paths, by_function
from ws_python.report.tree import tree_of, unknown

ComponentNumber = Optional[int]      # of a component; None: no rule matches
Bar = Tuple[Kept, "Counter[ComponentNumber]"]
MOST_KEPT_BARS = 26              # samples of a set
MOST_COMPONENTS = 7         # without the rest

def calls(report: Report, chosen: Sequence[Chosen], is_up: bool,
          key: Key) -> View:
    """Make a table by mapping and a tree; each has all pages of a sample."""
    page = unit_szB(chosen[0].set, report.page_szB)
    paths = Paths(report.compositions, key)
    parts: List[Shown] = []
    for one in chosen:
        of = {"set": one.set}
        parts += [replace(mappings(one, page), of=of, title=(
            f"{one.title}: {pages(one.pages, page)}")),
            replace(tree_of(one.origins, paths, is_up), of=of)]
    return View("tree", "", parts, page, report.unit,
                notes=unknown(report, chosen[0].set))


def tables(report: Report, chosen: Sequence[Chosen], rules: Rules) -> View:
    """Make a table of each sample; a component's numbers include those below
    it.  Their names are the user's own, and not cut.
    """
    page = unit_szB(chosen[0].set, report.page_szB)
    paths = Paths(report.compositions, by_function)
    parts: List[Shown] = []
    for one in chosen:
        of_run = report.compositions.entered.get(one.set, [])
        entered = sums_below(of_run, "pages", rules, paths)
        held = sums_below(one.origins, "pages", rules, paths)
        written = sums_below(one.origins, "written", rules, paths)
        whole = sum(part.pages for part in of_run)
        rows: List[Tuple[ComponentNumber, str]] = [
            (some.number, "  " * some.depth + some.name)
            for some in rules.components]
        if held[None] or entered[None]:
            rows.append((None, NO_RULE))
        # Nobody knows what has entered in a part of the run, or memory.
        known = report.end is None and one.set not in MEMORY
        parts.append(Table(
            f"{one.title}: {pages(one.pages, page)}"
            + f"; {count(whole)} entered in the run" * known, [
                *share_columns([held[k] for k, _ in rows], one.pages, page),
                *columns_from([("written", COUNT), *[
                    ("entered", COUNT), ("share_of_entered", SHARE, "%")]
                    * known, ("component", TEXT)], [
                        (written[k] if one.written else None, *[
                            entered[k], entered[k] / max(whole, 1)] * known,
                         name) for k, name in rows])],
            {"set": one.set}, is_wide=True))
    return View("tree", "", parts, page, report.unit)


def sums_below(parts: Sequence[Origin], what: str, rules: Rules,
               paths: Paths) -> "Counter[ComponentNumber]":
    """Sum up pages or written pages; those below a component count for it."""
    own = own_sums(parts, what, rules, paths)
    sums: "Counter[ComponentNumber]" = Counter({None: own[None]})
    for chain in rules.chains:
        for number in chain:
            sums[number] += own[chain[0]]
    return sums


def own_sums(parts: Sequence[Origin], what: str, rules: Rules,
             paths: Paths) -> "Counter[ComponentNumber]":
    """The same, but each part counts once."""
    sums: "Counter[ComponentNumber]" = Counter()
    for part in parts:
        component = rules.place(paths.of(part), part)
        sums[component.number if component else None] += (
            getattr(part, what) or 0)
    return sums


def view(report: Report, sets: Sequence[str], path: str) -> View:
    """Make a bar for each kept sample, one picture for each set, by the rules
    in a file.
    """
    rules = load_rules(path)
    paths = Paths(report.compositions, by_function)
    kept = [some for some in report.compositions.kept.values()
            if some.set in sets]
    if not kept:
        raise no_samples(report, sets)
    found = [(words, [(some, own_sums(some.origins, "pages", rules, paths))
                      for some in kept if some.set == name])
             for name, words in NAMES.items()]
    whole: "Counter[ComponentNumber]" = sum(
        (pages for _, bars in found for _, pages in bars), Counter())
    order = sorted(whole, key=lambda number: (
        -whole[number], -1 if number is None else number))
    groups = [*([number] for number in order[:MOST_COMPONENTS]),
              *[order[MOST_COMPONENTS:]] * bool(order[MOST_COMPONENTS:])]
    names = [f"{len(some)} more components" if some[1:] else NO_RULE
             if some[0] is None else rules.own_name(rules.components[some[0]])
             for some in groups]
    notes = ["TRUNCATED REPORT"] * (not report.complete) + [
        f"rules: {printable(os.path.basename(path))}"]
    return View(
        "components", titled("Components of the working set", report),
        [Layers(f"{words}: kept samples, in the order of time",
                Axis(f"peaks and other samples, and their times "
                     f"({report.unit})", TEXT),
                [name_of_kept(some, report.unit) for some, _ in shown],
                names, [[sum(pages[number] for number in group)
                         for _, pages in shown] for group in groups], 0,
                bool(order[MOST_COMPONENTS:]),
                [*notes, *[f"{len(shown)} of {len(bars)} samples shown"]
                 * (len(shown) < len(bars))])
         for words, bars in found if bars for shown in [highest(bars)]],
        report.page_szB, report.unit)


def highest(bars: List[Bar]) -> List[Bar]:
    """Return so many at most, in the order of time."""
    return sorted(
        sorted(bars, key=lambda bar: (-bar[0].pages, bar[0].time)
               )[:MOST_KEPT_BARS], key=lambda bar: bar[0].time)


def name_of_kept(some: Kept, unit: str) -> str:
    """Name a kept sample: its rank as a peak, or its label, or "largest"; then its
    time.
    """
    name = (f"peak {some.rank}" if some.rank else printable(some.label)
            or "largest" * ("largest" in some.why))
    return ": ".join(filter(None, [name, short_time(some.time, None, unit)]))
