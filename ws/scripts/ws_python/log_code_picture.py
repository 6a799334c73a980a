# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture of the view `code`."""

import argparse
import os
from typing import TYPE_CHECKING, Dict, List, Sequence, Type

import numpy as np

from ws_python.components import NO_RULE
from ws_python.log_code import Code, code_of
from ws_python.log_layers import Layers, Stretch
from ws_python.log_layers_picture import LayersPicture
from ws_python.media import Medium
from ws_python.reports import SETS
from ws_python.rules import Component, load_rules
from ws_python.text import printable

if TYPE_CHECKING:
    from ws_python.page_log import PageLog


class Picture(LayersPicture):
    """Of data, if the user wants no other set."""
    noun = "Working set by code"
    what = "functions"

    def __init__(self, logs: Sequence["PageLog"], options: argparse.Namespace,
                 form: Type[Medium]):
        super().__init__(logs, options, form)
        log = logs[0]
        self.kinds = self.chosen(SETS) if options.what else ["data"]
        codes = code_of(log, options, [SETS[kind] for kind in self.kinds])
        self.tau = codes[0].tau
        if options.rules:
            self.what = "components"
        self.show(together([self.layers_of(code) for code in codes]),
                  log.page_szB, log.begin, int(log.ends[-1]))

    def layers_of(self, code: Code) -> Layers:
        if not self.options.rules:
            return code.by_function().layers
        rules = load_rules(self.options.rules)
        layers = code.by_component(rules)[0].layers
        return Layers([*(own_name(one, rules.components)
                         for one in rules.components), NO_RULE],
                      layers.times, layers.found)

    def notes(self) -> List[str]:
        kinds = [kind for kind in self.kinds if SETS[kind] != "dirty"]
        twice = ": a page of both counts twice" * (len(kinds) > 1)
        notes = [f"{self.medium.tau} = {self.duration(self.tau)}",
                 " and ".join(kinds) + twice]
        if self.options.rules:
            notes.append("rules: " + printable(os.path.basename(
                self.options.rules)))
        return notes + self.about_runs()


def own_name(one: Component, components: Sequence[Component]) -> str:
    """Of what belongs to no component below it."""
    above = any(other.parent is one for other in components)
    return one.name + " itself" * above


def together(found: Sequence[Layers]) -> Layers:
    """Layers of one name in several sets are one."""
    numbers: Dict[str, int] = {}
    homes = {name: home for one in found
             for name, home in zip(one.names, one.homes)}
    groups = [np.array([numbers.setdefault(name, len(numbers))
                        for name in one.names], np.int64) for one in found]
    return Layers([*numbers], found[0].times, Stretch(
        np.concatenate([group[one.found.layers]
                        for group, one in zip(groups, found)]),
        *(np.concatenate(columns) for columns in zip(*(
            one.found[1:] for one in found)))), [*map(homes.get, numbers)])
