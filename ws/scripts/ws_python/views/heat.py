# SPDX-License-Identifier: GPL-2.0-or-later
"""Which addresses were accessed when; engine/heat.py says how."""

import argparse
from typing import Tuple

from ws_python.engine.heat import heat_map
from ws_python.model.log import PageLog
from ws_python.model.runs import duration, pid_of, title_of
from ws_python.model.view import View


def view(log: PageLog, options: argparse.Namespace,
         cells: Tuple[int, int, int]) -> View:
    """Make a map of so many columns and rows, and so many rows of a band."""
    found = heat_map(log, options, *cells)
    return View("heat", title_of("Addresses over time", [log]), [found],
                found.page_szB, log.unit, notes=[
                    *["TRUNCATED REPORT"] * (not log.complete), "gaps cut out",
                    "a column is " + duration(
                        (found.end - found.begin) // cells[0], log.unit, 3),
                    f"PID {pid_of(log)}"])
