# SPDX-License-Identifier: GPL-2.0-or-later
"""Layers by the code that brought the pages of the working set in: functions,
or the components that rules make of call stacks.

A page belongs to the code of the access by which it entered the window, for as
long as it stays.  The log has these accesses for the run's first window.  A
page that enters a longer window enters the first one, too: it was not there
either.
"""

import os
from dataclasses import replace
from functools import lru_cache
from typing import Dict, List, Optional, Sequence, Tuple

import numpy as np

from ws_python.base.text import Failure, printable
from ws_python.base.units import NAMES, SETS, read_as
from ws_python.base.view import HeatMap, Shown, View
from ws_python.pagelog.layer_parts import (about_window, all_samples, by_sample,
                                           in_sample, large_layers, over_time)
from ws_python.pagelog.layers import (Group, LayerSteps, ShownSample, distinct,
                                      sample_of, times_of_samples, window_of)
from ws_python.pagelog.log import PageLog
from ws_python.pagelog.maps import Maps
from ws_python.pagelog.ranges import Ints, is_first, split_runs
from ws_python.pagelog.stream import Batch
from ws_python.pagelog.stretches import Stays, Uses, stretches
from ws_python.pagelog.threads import threads_of, users, users_in_words
from ws_python.pagelog.windows import (before_samples, sample_times,
                                       without_reaching_back)
from ws_python.report.compositions import Compositions, Kept, Origin
from ws_python.report.kept import Chosen, chosen_of
from ws_python.report.report import Report, titled
from ws_python.report.request import Request
from ws_python.report.rules import NO_RULE, Rules, load_rules
from ws_python.report.sizes import nearest_rank
from ws_python.report.stacks import STACK_PREFIX, Paths, by_known, known_name

OF_ENTRIES = ("data", "insn")     # the log has entries of these
MOST_OWNERS = 120           # functions in a map, of each set


def origins_of_log(log: PageLog, kind: str, tau: int, maps: Maps) -> Stays:
    """Return when pages of a set stay.  A layer is the number of a frame, or 0,
    times the number of mappings' names, plus the number of such a name.
    """
    def layers_of(batch: Batch, uses: Uses) -> Ints:
        pages, parts = uses.pages[uses.seen], uses.parts[uses.seen]
        frames = uses.held // len(maps.names)
        frames[uses.enter] = batch.entered[kind].frames_of(
            uses.pages[uses.entry], uses.parts[uses.entry], log.n_parts)
        # A frame holds up to the next access that enters.
        begins = is_first(pages) | uses.enter
        frames = frames[np.maximum.accumulate(np.where(
            begins, np.arange(len(pages)), 0))]
        return frames * len(maps.names) + maps.of(pages, parts)

    return stretches(log, [kind], tau, log.page_szB, layers_of, "")


class Code:
    """The pages of a set in one window, by code."""

    def __init__(self, log: PageLog, kind: str, tau: int):
        self.log, self.tau, self.kind, maps = log, tau, kind, Maps(log)
        self.times = times_of_samples(log)
        self.names = maps.names
        stays = origins_of_log(log, kind, tau, maps)
        # The different frames in mappings, and that of each stretch.
        keys, self.number = np.unique(stays.layers, return_inverse=True)
        self.origins = stays._replace(layers=self.number)
        self.parts = [Origin(0, None, frame or None, maps.names[name])
                      for frame, name in (divmod(key, len(maps.names))
                                          for key in keys.tolist())]
        self.compositions = Compositions({}, {("", 0): self.parts}, log.frames)

    def rows(self, layers: Ints, names: List[str],
             homes: Sequence[str] = ()) -> LayerSteps:
        """Make rows, with the layer of each part."""
        stays = self.origins._replace(layers=layers[self.number])
        return LayerSteps(
            names, self.times, stays, before_samples(self.log), homes,
            touched=distinct(stays.pages, stays.layers, len(names)))

    def at(self, sample: int) -> Kept:
        """Return what a sample consists of."""
        present = (self.origins.first <= sample) & (sample < self.origins.end)
        counts = np.bincount(self.number[present], minlength=len(self.parts))
        return self.kept(sample, [
            replace(part, pages=pages) for part, pages
            in zip(self.parts, counts.tolist()) if pages])

    def kept(self, sample: int, origins: List[Origin],
             written: Optional[int] = None) -> Kept:
        return Kept(self.kind, self.tau, int(self.times[sample]), sum(
            origin.pages for origin in origins), written, [], "", origins)

    def by_thread(self, sample: int, lines: bool) -> Kept:
        """Return what a sample consists of, by threads, by who writes, and by
        functions or lines.
        """
        log, time = self.log, int(self.times[sample])
        present = (self.origins.first <= sample) & (sample < self.origins.end)
        pages, number = self.origins.pages[present], self.number[present]
        is_known = self.kind == "data" and log.has_dirty
        (names, _), functions = threads_of(log), self.functions(lines)
        sets, who = users(log, [self.kind, *["dirty"] * is_known], pages, time,
                          self.tau)
        writers, by = users(log, ["dirty"], pages, time, self.tau
                            ) if is_known else ([()], 0 * who)
        keys, counts = np.unique(np.stack([number, who, by]), axis=1,
                                 return_counts=True)
        origins = [replace(
            self.parts[number], pages=pages,
            written=pages * bool(writers[by]) if is_known else None,
            above=(*users_in_words(names, sets[who], writers[by]
                                   if is_known else None),
                   *dict.fromkeys([functions[number][0], printable(
                       self.parts[number].mapping)])))
            for number, who, by, pages in zip(*keys.tolist(), counts.tolist())]
        return self.kept(sample, origins, sum(
            origin.written or 0 for origin in origins) if is_known else None)

    def sample(self, at: Optional[str]) -> ShownSample:
        """Return the sample of --at, or the largest."""
        whole = self.origins._replace(layers=0 * self.number)
        return sample_of(self.log, LayerSteps(
            ["all"], self.times, whole, before_samples(self.log)), at,
            self.tau, self.log.page_szB)

    def functions(self, lines: bool) -> List[Tuple[str, str]]:
        """Return the function or line of each part, and its file; for stacks
        and unknown code, the mapping.  Data belong to the program's own
        function, as in the answer; code belongs to its own.
        """
        paths = Paths(self.compositions, by_known)
        names: List[Tuple[str, str]] = []
        for part in self.parts:
            frame = self.compositions.frames.get(part.frame or 0)
            known = (None if part.mapping.startswith(STACK_PREFIX) else
                     paths.lead(part)[0] if self.kind == "data" else frame)
            names.append((known_name(known, lines), known.object) if known
                         else (printable(part.mapping), part.mapping))
        return names

    def by_function(self, lines: bool = False) -> LayerSteps:
        """Make rows by functions or lines.  A row's home is the file of its
        first code.
        """
        homes: Dict[str, str] = {}
        functions = self.functions(lines)
        for name, file in functions:
            homes.setdefault(name, printable(os.path.basename(file)))
        places = {name: k for k, name in enumerate(homes)}
        return self.rows(np.array([places[name] for name, _ in functions],
                                  np.int64), [*homes], [*homes.values()])

    def by_component(self, rules: Rules) -> LayerSteps:
        """Make rows by components with those below them, and beside these rows
        without; the last row has the stacks that no rule matches.
        """
        paths = Paths(self.compositions, by_known)
        last = len(rules.components)
        names = [*("  " * component.depth + component.name
                   for component in rules.components), NO_RULE]
        placed = [rules.place(paths.of(part), part) for part in self.parts]
        own = np.array([component.number if component else last
                        for component in placed], np.int64)
        above = [*rules.chains, [last]]
        counts = np.array([len(chain) for chain in above])
        firsts = np.cumsum(counts) - counts
        flat = np.array([number for chain in above for number in chain])
        # Each stretch belongs to all components above.
        stretch = own[self.number]
        layers = flat[split_runs(firsts[stretch], counts[stretch])]
        stays = Stays(*(np.repeat(column, counts[stretch]) for column
                        in self.origins))._replace(layers=layers)
        alone = self.rows(own, [*map(rules.own_name, rules.components),
                                NO_RULE])
        return LayerSteps(
            names, self.times, stays, before_samples(self.log), beside=alone,
            touched=distinct(stays.pages, layers, len(names)))


code_in = lru_cache(maxsize=2)(Code)    # both sets; a page asks three times


def code_of(log: PageLog, request: Request) -> List[Code]:
    """Return the code of each set.  Failure: the log does not have it."""
    tau = window_of(log, request.taus)
    if tau < log.number("Tau"):
        raise Failure(f"{log.name}: says which code brings pages into windows "
                      f"of {log.number('Tau')} and more, not of {tau}: use "
                      f"--ws-tau={tau} of ws")
    if request.page_szB not in (None, log.page_szB):
        raise Failure(f"{log.name}: says which code brings in its pages of "
                      f"{log.page_szB} B, and not larger ones: use "
                      f"--ws-pagesize={request.page_szB} of ws")
    codes = codes_in(log, request.sets, tau)
    if not codes:
        raise Failure(f"{log.name}: says which code has brought a page in, "
                      "and not which has written it first")
    return codes


def codes_in(log: PageLog, wanted: Sequence[str], tau: int) -> List[Code]:
    """Make the code of these sets, data first."""
    return [code_in(log, kind, tau) for kind in OF_ENTRIES if kind in wanted]


def samples(log: PageLog, request: Request
            ) -> Tuple[Report, List[Chosen]]:
    """Return a report with stacks, and each set's sample of --at, or largest."""
    codes = code_of(log, request)
    report = Report(
        log.name, log.header, is_log=True, end=int(log.ends[-1]),
        compositions=Compositions({}, {(code.kind, code.tau): code.parts
                                       for code in codes}, log.frames))
    return report, [
        chosen_of(report, code.by_thread(sample, request.by_line)
                  if request.by else code.at(sample),
                  [f"{read_as(code.kind)}.peak"] if request.at is None else [])
        for code in codes for sample in [code.sample(request.at).number]]


def largest_in_parts(log: PageLog, report: Report, wanted: Sequence[str],
                     taus: Sequence[int], parts: int,
                     percents: Sequence[int] = ()) -> Compositions:
    """Return for each set and window the largest sample in each of so many parts
    of the time (fewer for code), and those at percentiles; none where the log
    does not know the code.
    """
    compositions = Compositions({}, {}, log.frames)
    if report.page_szB != log.page_szB or not len(sample_times(log)):
        return compositions
    for code in (code for tau in taus if tau >= log.number("Tau")
                 for code in codes_in(without_reaching_back(log, tau), wanted,
                                      tau)):
        sizes = code.sample(None).whole.of_layer()
        order = np.argsort(sizes, kind="stable")
        clock = code.sample(None).whole.clock
        number = max(parts if code.kind == "data" else parts // 4, 1)
        ends = np.flatnonzero(np.diff((clock[1:] - 1) * number // clock[-1]))
        largest = [part[sizes[part].argmax()] for part in np.split(
            np.arange(len(sizes)), ends + 1) if len(part)]
        spans = np.diff(clock)[order]
        for k, at in enumerate([*largest, *(
                nearest_rank([*zip(order, spans.tolist())], percent)
                for percent in percents)]):
            compositions.samples[len(compositions.samples)] = replace(
                code.at(int(at)),
                why=["largest" if parts == 1 and not k else "log"])
    return compositions


def view(logs: Sequence[PageLog], request: Request) -> View:
    """Make the view, with data first."""
    log = logs[0]
    rules = load_rules(request.rules) if request.rules else None
    codes = code_of(log, request)
    return View(
        "code", titled("Working set by code", log),
        [part for code in codes for part in parts_of_set(code, request, rules)],
        log.page_szB, log.unit, [], [
            "A page belongs to the code that accessed it when it entered the "
            "window, as long as it stays; data belong to the program's own "
            "function. avg, p95 and peak are of all samples, run is of all up "
            "to the last."])


def add_owners(heat: HeatMap, codes: Sequence[Code], columns: int) -> None:
    """Say for each row of a map, and so many parts of the time, which function
    brought in most pages of the working set.
    """
    lows, row_slot = np.unique(heat.low, return_inverse=True)
    most = np.zeros((len(lows), columns), np.int64)
    owner = np.zeros(most.shape, np.uint8)
    heat.owners = [""]
    for code in codes:
        names, number = np.unique([name for name, _ in code.functions(False)],
                                  return_inverse=True)
        stays, layers = code.origins, number[code.number]
        slot = np.searchsorted(lows, stays.pages * np.uint64(
            code.log.page_szB), "right") - 1
        time = np.append(heat.begin, code.times) - heat.begin
        column = np.minimum(time * columns // max(heat.end - heat.begin, 1),
                            columns - 1)
        for layer in np.argsort(-np.bincount(layers))[:MOST_OWNERS].tolist():
            of = layers == layer
            change = np.zeros((len(lows), columns + 1), np.int64)
            np.add.at(change, (slot[of], column[stays.first[of]]), 1)
            np.add.at(change, (slot[of], column[stays.end[of]] + 1), -1)
            pages = change.cumsum(1)[:, :-1]
            more = pages > most
            most[more], owner[more] = pages[more], len(heat.owners)
            heat.owners.append(str(names[layer]))
    heat.owner = owner[row_slot]


def parts_of_set(code: Code, request: Request,
                 rules: Optional[Rules]) -> List[Shown]:
    """Make tables of a sample and of all samples, and layers over time.  In
    tables, components include those below them.
    """
    log = code.log
    what = ("components" if rules else
            "lines" if request.by_line else "functions")
    sentences: List[str] = []
    if rules:
        every = code.by_component(rules)
        assert every.touched is not None
        present = np.flatnonzero(every.touched).tolist()
        rows = every.grouped([Group(every.names[k], [k]) for k in present])
        none = [name.strip() for k, name in enumerate(every.names[:-1])
                if not every.touched[k]]
        if none:
            sentences = [f"Without any page: {', '.join(none)}."]
    else:
        every = rows = code.by_function(request.by_line)
    alone = every.beside or every
    long: List[Shown] = [all_samples(every, [
        "t", "component" if rules else "function", "pages", "itself"],
        {"set": code.kind})] if request.in_full else []
    if not code.parts:
        return long
    sample = code.sample(request.at)
    table = in_sample(
        sample.in_words(f"{SETS[code.kind]}, "),
        [rows if rules else by_sample(rows, sample.number, what)], sample,
        what[:-1], "itself")
    table.sentences = sentences
    return [table, over_time(
        f"{NAMES[code.kind]} by {what[:-1]}, over time", alone,
        large_layers(alone, what, request.most_layers), log.begin,
        [about_window(log, code.tau), "a page belongs to the code that brought "
         "it in"]), *long]
