# SPDX-License-Identifier: GPL-2.0-or-later
"""A curve of a picture that is no view yet."""

from dataclasses import dataclass
from typing import List, Tuple

Points = List[Tuple[float, float]]


@dataclass
class Curve:
    """One line of the picture, in units of the left axis."""
    label: str
    colour: str
    dash: int                   # 0: none
    points: Points
