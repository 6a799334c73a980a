# SPDX-License-Identifier: GPL-2.0-or-later
"""A command line of ws_print or ws_plot."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional, Tuple

from ws_python.base.view import SizeMark
from ws_python.report.request import Request

if TYPE_CHECKING:
    from ws_python.views.conditions import Condition


class Misuse(Exception):
    """What is wrong with a command line; it is said as by argparse."""


@dataclass(frozen=True)
class CommandLine(Request):
    """What is asked, of which files, and how the answer is to be shown."""
    view: str = ""
    files: Tuple[str, ...] = ()
    width: int = 80             # characters in a line
    top: int = 10               # rows of lists
    samples: Tuple[str, ...] = ()   # that compare compares
    entries: bool = False       # instead of a sample
    callers: bool = False       # trees from accesses to their callers
    csv: bool = False
    json: bool = False
    benchmark_json: bool = False
    statistics: "Tuple[Condition, ...]" = ()    # of --benchmark-json
    conditions: "Tuple[Condition, ...]" = ()
    hint: str = ""
    junit: Optional[str] = None     # a file
    title: Optional[str] = None     # of a picture; None: the view's
    size: Optional[Tuple[int, int]] = None      # in pixels
    refs: Tuple[SizeMark, ...] = ()
