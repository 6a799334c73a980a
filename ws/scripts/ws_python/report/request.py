# SPDX-License-Identifier: GPL-2.0-or-later
"""The options that views obey."""

from dataclasses import dataclass
from typing import Mapping, Optional, Tuple

from ws_python.report.sizes import KINDS
from ws_python.report.span import Span


@dataclass(frozen=True)
class Request:
    """The options of a command line.  A view uses those that it knows."""
    sets: Tuple[str, ...] = KINDS
    taus: Tuple[int, ...] = ()      # windows; none: the file's own
    page_sizes: Tuple[int, ...] = ()    # in bytes; none: the file's own
    span: Span = Span(None, None)
    at: Optional[str] = None        # a sample; None: the largest samples
    mapping: Optional[str] = None   # its name has this; None: all
    rules: Optional[str] = None     # a file
    object: Optional[str] = None    # a file; None: the program
    format: str = "lld"             # of an order for the linker
    output: Optional[str] = None
    by: Optional[str] = None        # of the view layers
    by_line: bool = False           # instead of by function
    in_full: bool = False           # with tables for programs
    log_axis: bool = False
    no_info: bool = False           # without peaks, labels and origins
    # Columns, rows, and the fewest rows of a band, of a heat map.
    cells: Tuple[int, ...] = (1024, 400)
    most_layers: int = 0            # over time, without the rest; 0: a few
    owners: int = 0     # parts of the time in which a heat map has them
    page_in: float = 1e-4           # seconds that a page takes to come back
    tlb: Optional[Mapping[str, int]] = None     # entries by set, of a machine

    @property
    def page_szB(self) -> Optional[int]:
        """The page size, if it is given."""
        return self.page_sizes[0] if self.page_sizes else None
