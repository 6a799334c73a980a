# SPDX-License-Identifier: GPL-2.0-or-later
"""The call stacks of a page log."""

from typing import Dict, Iterator, List, Mapping

import numpy as np

from ws_python.pagelog.blocks import Bodies, Damage
from ws_python.report.compositions import WHOSE, Frame

FIELDS = 8                  # of a record


class Frames(Mapping[int, Frame]):
    """The frames of a log, by number, from 1.  It may have very many, of which
    a view needs few: each is made when it is asked for.
    """

    def __init__(self) -> None:
        self.rows: List[List[int]] = []     # the numbers of the records
        self.texts = [""]                   # by number
        self.made: Dict[int, Frame] = {}

    def add(self, bodies: Bodies) -> None:
        """Add records.  Damage: they name a caller or a text that there is not.
        """
        bodies.field(FIELDS - 1)            # each has it
        rows = bodies.values[bodies.first[:, np.newaxis] + np.arange(FIELDS)]
        numbers = len(self.rows) + 1 + np.arange(len(rows))
        if ((rows[:, 0] >= numbers).any() or (rows[:, -1] >= len(WHOSE)).any()
                or (rows[:, 4:-1] >= len(self.texts)).any()):
            raise Damage("a frame or a text that there is not")
        self.rows += rows.tolist()

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[int]:
        return iter(range(1, len(self.rows) + 1))

    def __getitem__(self, number: int) -> Frame:
        if number not in self.made:
            if not number or number > len(self.rows):
                raise KeyError
            (back, is_cut, address, line, function, file, program,
             whose) = self.rows[number - 1]
            self.made[number] = Frame(
                number - back if back else None, bool(is_cut), address,
                line or None, self.texts[function], self.texts[file],
                self.texts[program], WHOSE[whose])
        return self.made[number]
