# SPDX-License-Identifier: GPL-2.0-or-later
"""The picture of the view `code`."""

import os
from typing import Dict, List, Sequence, Tuple

import numpy as np

from ws_python.base.text import printable
from ws_python.engine.layers import Layers, Stretch
from ws_python.model.log import PageLog
from ws_python.model.report import SETS
from ws_python.model.rules import load_rules
from ws_python.show.gnuplot.log_layers_picture import OneLog
from ws_python.views.log_code import Code, code_of


class Picture(OneLog):
    """Of data, if the user wants no other set."""
    noun = "Working set by code"
    what = "functions"

    def find(self, log: PageLog) -> Tuple[Layers, int, int]:
        self.kinds = self.chosen(SETS) if self.options.what else ["data"]
        codes = code_of(log, self.options,
                        [SETS[kind] for kind in self.kinds])
        if self.options.rules:
            self.what = "components"
        return (together([self.layers_of(code) for code in codes]),
                codes[0].tau, log.page_szB)

    def layers_of(self, code: Code) -> Layers:
        return (code.alone(load_rules(self.options.rules))
                if self.options.rules else code.by_function().layers)

    def about(self) -> List[str]:
        kinds = [kind for kind in self.kinds if SETS[kind] != "dirty"]
        twice = ": a page of both counts twice" * (len(kinds) > 1)
        rules = self.options.rules
        return [" and ".join(kinds) + twice, *[
            f"rules: {printable(os.path.basename(rules or ''))}"]
            * bool(rules)]


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
