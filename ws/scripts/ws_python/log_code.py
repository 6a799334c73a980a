# SPDX-License-Identifier: GPL-2.0-or-later
"""The view `code`: which code brought the pages of the working set in, by
functions, or by the components that rules make of call stacks.

A page belongs to the code of the access with which it entered the window, for
as long as it stays.  The log has these accesses for the run's first window; a
page that enters a longer one enters that one, too: it was not there either.
"""

import argparse
import os
from typing import TYPE_CHECKING, Dict, List, NamedTuple, Sequence, Tuple

import numpy as np

from ws_python.components import NO_RULE
from ws_python.compositions import Compositions, Frame, Part
from ws_python.layout import heading
from ws_python.layout import table as table_of
from ws_python.log_layers import (Layers, Rows, Stretch, Table, by_size,
                                  cells_of, distinct, fold, merged, names_of,
                                  sample_of, sample_rows, samples_of,
                                  title_of, window_of)
from ws_python.log_maps import Maps
from ws_python.log_uses import Uses, uses_of
from ws_python.page_log import split_runs
from ws_python.reports import Failure, command_of
from ws_python.rules import Rules, load_rules
from ws_python.stacks import Key, Paths, Step, by_known, by_line, name_of
from ws_python.text import printable

if TYPE_CHECKING:
    from ws_python.page_log import PageLog

SETS = ("insn", "data")     # of which the log has entries


class Origins(NamedTuple):
    """Of a set: stretches of pages that stay, each with a frame's number and,
    if that is 0, for it has no stack, a mapping's name.
    """
    pages: np.ndarray
    frames: np.ndarray
    names: np.ndarray
    first: np.ndarray
    end: np.ndarray


def frames_of(log: "PageLog") -> Dict[int, Frame]:
    """As reports have them."""
    found: Dict[int, Frame] = {}
    for number, one in enumerate(log.frames[1:], 1):
        function, file, path = (one.text.split("|") + ["", ""])[:3]
        outer = one.caller or None
        found[number] = Frame(
            outer, one.is_cut, one.address, one.line or None, function, file,
            path, 1 + (found[outer].depth if outer else 0))
    return found


def origins_of(log: "PageLog", kind: str, tau: int, maps: Maps) -> Origins:
    uses = uses_of(log, [kind], tau, log.page_szB)
    frames = entry_frames(log, kind, uses)
    names = np.where(frames == 0, maps.of(uses.pages, uses.parts), 0)
    layers = frames * len(maps.names) + names
    pages, found = merged(uses.pages, Stretch(layers, uses.first, uses.end))
    frames, names = np.divmod(found.layers, len(maps.names))
    return Origins(pages, frames, names, found.first, found.end)


def entry_frames(log: "PageLog", kind: str, uses: Uses) -> np.ndarray:
    """Of each access, the innermost frame of the one with which its page has
    entered; 0: it has none, or the log has lost it.
    """
    entered = log.entered[kind]
    found = np.zeros(len(uses.pages), np.int64)
    if not len(entered.pages) or not len(uses.pages):
        return found
    pages = np.unique(entered.pages)
    keys = np.searchsorted(pages, entered.pages) * log.n_parts + entered.parts
    order = np.argsort(keys)
    at = np.flatnonzero(uses.enter)
    page = np.searchsorted(pages, uses.pages[at])
    page[page == len(pages)] = 0
    wanted = page * log.n_parts + uses.parts[at]
    place = np.searchsorted(keys[order], wanted)
    place[place == len(keys)] = 0
    match = order[place]
    there = (keys[match] == wanted) & (entered.pages[match] == uses.pages[at])
    # Up to the next one that enters.
    begins = np.concatenate([[0], at])
    frames = np.concatenate([[0], np.where(there, entered.frames[match], 0)])
    return np.repeat(frames, np.diff(np.append(begins, len(uses.pages))))


class Code:
    """Of a set of a log in one window, its pages by code."""

    def __init__(self, log: "PageLog", kind: str, tau: int, maps: Maps):
        self.log, self.tau, self.kind = log, tau, kind
        self.times = samples_of(log)
        self.names = maps.names
        self.origins = origins_of(log, kind, tau, maps)
        # The different frames, or mappings, and whose each stretch is.
        keys, self.number = np.unique(
            self.origins.frames * len(maps.names) + self.origins.names,
            return_inverse=True)
        self.parts = [Part(0, None, frame or None, maps.names[name])
                      for frame, name in zip(*(some.tolist() for some in
                                               np.divmod(keys, len(maps.names))
                                               ))]
        self.found = Compositions({}, {"": self.parts}, frames_of(log))

    def rows(self, layers: np.ndarray, names: List[str]) -> Rows:
        """Of the layer of each part."""
        one = layers[self.number]
        return Rows(Layers(names, self.times, Stretch(
            one, self.origins.first, self.origins.end)), None,
            distinct(self.origins.pages, one, len(names)))

    def whole(self) -> Rows:
        return self.rows(np.zeros(len(self.parts), np.int64), ["all"])

    def by_function(self, key: Key) -> Rows:
        """That of the innermost frame with a name, if there is one."""
        paths = Paths(self.found, key)
        layers: Dict[object, int] = {}
        steps: List[Step] = []
        found = np.zeros(len(self.parts), np.int64)
        for k, part in enumerate(self.parts):
            path = paths.of(part)
            step = innermost(path)
            found[k] = layers.setdefault(step.key, len(layers))
            if found[k] == len(steps):
                steps.append(step)
        return self.rows(found, [name_of_step(step, key is by_line)
                                 for step in steps])

    def by_component(self, rules: Rules) -> Tuple[Rows, Rows]:
        """Those of each component alone, and with the ones below it; the last
        is of what no rule matches.
        """
        paths = Paths(self.found, by_known)
        last = len(rules.components)
        names = [*("  " * one.depth + one.name for one in rules.components),
                 NO_RULE]
        placed = [rules.place(paths.of(part), part) for part in self.parts]
        own = np.array([last if one is None else one.number
                        for one in placed], np.int64)
        above: List[List[int]] = []
        for one in [*rules.components, None]:
            chain = [last] if one is None else []
            while one is not None:
                chain.append(one.number)
                one = one.parent
            above.append(chain)
        counts = np.array([len(chain) for chain in above])
        firsts = np.cumsum(counts) - counts
        flat = np.array([number for chain in above for number in chain])
        # Each stretch is one of every component above.
        stretch = own[self.number]
        layers = flat[split_runs(firsts[stretch], counts[stretch])]
        pages, first, end = (np.repeat(column, counts[stretch]) for column
                             in (self.origins.pages, self.origins.first,
                                 self.origins.end))
        alone = self.rows(own, names)
        return alone, Rows(
            Layers(names, self.times, Stretch(layers, first, end)),
            alone.layers, distinct(pages, layers, len(names)))


def innermost(path: Sequence[Step]) -> Step:
    """That with a name, if there is one."""
    return next((one for one in path if one.frame and one.frame.function),
                path[0])


def name_of_step(step: Step, one_line: bool) -> str:
    frame = step.frame
    if frame is None:
        return step.text
    if frame.function or not frame.object:
        return name_of(frame, one_line)
    return f"unnamed code in {printable(os.path.basename(frame.object))}"


def code_of(log: "PageLog", options: argparse.Namespace,
            wanted: Sequence[str]) -> List[Code]:
    """Of each set; Failure: the log does not say."""
    tau = window_of(log, options.tau)
    if tau < log.number("Tau"):
        raise Failure(f"{log.name}: says which code brings pages into windows "
                      f"of {log.number('Tau')} and more, not of {tau}: use "
                      f"--ws-tau={tau} of ws")
    if options.pagesize not in (None, log.page_szB):
        raise Failure(f"{log.name}: says which code brings in its pages of "
                      f"{log.page_szB} B, and not larger ones: use "
                      f"--ws-pagesize={options.pagesize} of ws")
    kinds = [kind for kind in SETS if kind in wanted]
    if not kinds:
        raise Failure(f"{log.name}: says which code has brought a page in, "
                      "and not which has written it first")
    maps = Maps(log)
    return [Code(log, kind, tau, maps) for kind in kinds]


def text(logs: Sequence["PageLog"], options: argparse.Namespace) -> List[str]:
    log, width = logs[0], options.width
    rules = load_rules(options.rules) if options.rules else None
    lines = [command_of(log, width), ""]
    for code in reversed(code_of(log, options, options.set)):
        whole = code.whole()
        if not whole.touched[0]:
            continue
        sample = sample_of(log, whole.layers, options.at)
        number = int(whole.layers.at_sample(sample)[0])
        if rules:
            _, rows = code.by_component(rules)
            order = [k for k in range(len(rows.touched))
                     if k < len(rules.components) or rows.touched[k]]
        else:
            rows = fold(code.by_function(by_line if options.by_line
                                         else by_known),
                        int(whole.layers.sizes().peak[0]) // 100 + 1,
                        "functions")
            order = by_size(rows, sample)
        cells = cells_of(rows, sample, number, log.page_szB)
        lines += [*heading(title_of(log, f"{code.kind}, ", code.tau,
                                    whole.layers, sample, log.page_szB),
                           width), *table_of(
            names_of(log.page_szB, ["itself"] * bool(rules),
                     "component" if rules else "function"),
            [[*cells[k], rows.layers.names[k]] for k in order], width), ""]
    return lines + [
        "A page belongs to the code that accessed it when it entered the "
        "window, as long",
        "as it stays. avg, p95 and peak are of all samples, run is of all up "
        "to the last."]


def table(logs: Sequence["PageLog"], options: argparse.Namespace) -> Table:
    """A row for each set, sample and function or component."""
    rules = load_rules(options.rules) if options.rules else None
    found = []
    for code in code_of(logs[0], options, options.set):
        if rules:
            _, rows = code.by_component(rules)
        else:
            rows = code.by_function(by_line if options.by_line else by_known)
        found += sample_rows(rows.layers, rows.beside, [code.kind])
    return (["t", "set", "component" if rules else "function", "pages",
             *["itself"] * bool(rules)], found)
