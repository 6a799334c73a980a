# SPDX-License-Identifier: GPL-2.0-or-later
"""A view: the answer to a question about a run, before it is shown.

A view has a title, sentences, and parts, each of which is a Table, Series,
Layers, HeatMap or Tree of numbers with units.  The packages in show/ choose
digits, rows, colours and places.  They know these five classes, but no view.

As JSON (show/data), a view is an object with the members of these classes, by
their names.  A part has another member, "kind", the name of its class in small
letters.  Unknown values are null.  A column is an object, too, so the rows of
a table are zip(column["values"] for column in table["columns"]).
"""

from dataclasses import dataclass, field, replace
from typing import (TYPE_CHECKING, Dict, Iterable, List, Optional, Protocol,
                    Sequence, Tuple, Type, TypeVar, Union)

from ws_python.base.units import Real

if TYPE_CHECKING:           # who makes or shows a heat map needs numpy
    from numpy import float32, float64, uint8, uint64
    from numpy.typing import NDArray

Datum = Union[None, str, Real]
SHARED_BY = "shared by "    # and which threads: a node of a tree


@dataclass
class Column:
    """A column of a table.  Units are those of base/units.py.  Pages are
    counts; the view has their size.
    """
    name: str                   # for programs
    unit: str
    values: Sequence[Datum]
    title: str = ""             # for people, if it differs from the name


def columns_from(heads: Sequence[Sequence[str]],
                 rows: Iterable[Sequence[Datum]]) -> List[Column]:
    """Make columns from rows.  A head is a name, a unit, and perhaps a title.
    """
    cells = [*zip(*rows)] or [()] * len(heads)
    return [Column(name, unit, [*values], *title)
            for (name, unit, *title), values in zip(heads, cells)]


@dataclass
class Table:
    """Rows and columns.  In data for programs, tables with the same columns
    are joined; the columns of `of`, a text for each, tell them apart.
    """
    title: str
    columns: List[Column]
    of: Dict[str, str] = field(default_factory=dict)
    sentences: List[str] = field(default_factory=list)
    is_long: bool = False       # too long for people
    is_wide: bool = False       # its texts are not cut

    @property
    def names(self) -> List[str]:
        return [*self.of, *(column.name for column in self.columns)]


@dataclass
class Axis:
    title: str
    unit: str
    is_log: bool = False


@dataclass
class Tag:
    """The name of a peak, at a point of a line."""
    x: float
    y: float
    name: str


@dataclass
class Line:
    """A line of a series: its values at each x, and their bounds.  Lines of
    the same thing share a hue, and a single one has the name.
    """
    name: str
    values: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    uncertain: int = 0          # number of uncertain values, from the left
    limited: int = 0            # and from the right, in too short a run
    tau: int = 0                # of a working set
    hue: int = -1               # -1: grey
    pale: float = 0             # up to 1
    dash: int = 0               # 0: none
    is_area: bool = False       # filled down to the axis
    is_hidden: bool = False     # until the user asks for it
    about: str = ""             # a few words
    tags: List[Tag] = field(default_factory=list)

    def fewer(self, xs: Sequence[float],
              per: int) -> Tuple[Sequence[float], "Line"]:
        """Return a line in which each point stands for `per` successive ones:
        at the last x, their mean, with their range as bounds.
        """
        if per <= 1:
            return xs, self
        starts = range(0, len(xs), per)
        groups = [self.values[start:start + per] for start in starts]
        return [xs[min(start + per, len(xs)) - 1] for start in starts], replace(
            self, low=[min(group) for group in groups],
            high=[max(group) for group in groups],
            values=[sum(group) / len(group) for group in groups])


@dataclass
class Remark:
    """A text about tags of a line."""
    line: int                   # its number
    names: str
    text: str


@dataclass
class SizeMark:
    """A size to compare with, such as a cache's."""
    name: str
    szB: int
    page_szB: int           # of the pages that it holds; 0: any


@dataclass
class Series:
    """Lines over an axis."""
    title: str
    x: Axis
    y: Axis
    xs: Sequence[Sequence[float]]   # of each line
    lines: List[Line]
    notes: List[str] = field(default_factory=list)      # few words each
    marks: List[Tuple[float, str]] = field(default_factory=list)
    # Lengths to draw along x, with their names.
    lengths: List[Tuple[float, str]] = field(default_factory=list)
    remarks: List[Remark] = field(default_factory=list)


@dataclass
class Layers:
    """Pages in layers, the steadiest first; their sum is the working set.  A
    sample stands for the time before it.  On an axis of texts, each x is a
    bar.
    """
    title: str
    x: Axis
    xs: Sequence[Union[int, str]]
    names: List[str]
    values: List[Sequence[int]]     # of each layer, at each x
    begin: int = 0                  # of the time up to the first x
    has_rest: bool = False          # the last layer is all small layers
    notes: List[str] = field(default_factory=list)
    homes: Sequence[str] = ()       # objects with their code; "": not known

    @property
    def times(self) -> List[int]:
        """The xs on an axis of time."""
        return [*map(int, self.xs)]

    def fewer(self, most: int) -> "Layers":
        """Return at most `most` times: in each of so many spans, the sample
        with the largest sum stands for the others.
        """
        sums = [*map(sum, zip(*self.values))]
        best: Dict[int, int] = {}
        last: Dict[int, int] = {}
        span = max(self.times[-1] - self.begin, 1)
        for k, time in enumerate(self.times):
            part = max(time - self.begin - 1, 0) * most // span
            last[part] = time
            if part not in best or sums[k] > sums[best[part]]:
                best[part] = k
        return replace(self, xs=[*last.values()], values=[
            [values[k] for k in best.values()] for values in self.values])


@dataclass
class Band:
    """The rows of a heat map for a mapping, or for several neighbours."""
    name: str               # of the largest mapping
    more: int               # number of other mappings
    first: int              # addresses of the first and the last byte
    last: int
    row: int                # the rows `row` <= k < `end_row`
    end_row: int
    touched: int            # number of accessed pages


@dataclass
class HeatMap:
    """Pages accessed, by address and time."""
    page_szB: int
    begin: int              # times
    end: int
    bands: List[Band]
    # For each row: addresses of its first and last byte, and its pages: less
    # than 1 if a page has several rows.
    low: "NDArray[uint64]"
    high: "NDArray[uint64]"
    pages: "NDArray[float64]"
    # By set: the accessed share of each row, from the lowest address, in each
    # column of time; from 0 to 1.
    shares: "Dict[str, NDArray[float32]]"
    touched: Dict[str, int]     # accessed pages, by set
    marks: List[Tuple[int, str]]
    every: int                  # an interval, the shortest time to tell apart
    # In a page: functions, and for each row and part of the time which of them
    # brought in most of the working set; 0: none.
    owners: List[str] = field(default_factory=list)
    owner: "Optional[NDArray[uint8]]" = None


@dataclass
class Node:
    """A node of a tree: a function, a line of code, or a text."""
    depth: int
    name: str
    pages: int                  # with those of the nodes below it
    written: Optional[int]      # of these pages; None: not known
    object: str = ""            # the file with its code
    is_own: bool = True         # it is the program's own


@dataclass
class Tree:
    """A tree of calls: each node is followed by those below it, the largest
    first.
    """
    title: str                  # "": that of the table before it
    nodes: List[Node]           # the first node has all pages
    is_up: bool = False         # from the accesses to their callers
    of: Dict[str, str] = field(default_factory=dict)    # see Table
    # Pages of each node in the run to compare with; []: there is none.
    before: List[int] = field(default_factory=list)

    def children(self) -> List[List[int]]:
        """Return the numbers of the nodes that are just below each node."""
        children: List[List[int]] = [[] for _ in self.nodes]
        above: List[int] = []
        for number, node in enumerate(self.nodes):
            del above[node.depth:]
            if above:
                children[above[-1]].append(number)
            above.append(number)
        return children


class Finding(Protocol):
    """The result of a condition, as it is shown: in a line, or in several."""
    failed: bool

    def line(self) -> str:
        ...

    def lines(self) -> List[str]:
        ...


Shown = Union[Table, Series, Layers, HeatMap, Tree]
Kind = TypeVar("Kind", bound=Shown)


@dataclass
class View:
    name: str                   # in commands and pages
    title: str
    parts: List[Shown]
    page_szB: int
    time_unit: str
    sentences: List[str] = field(default_factory=list)      # before the parts
    notes: List[str] = field(default_factory=list)          # behind them
    lines: List[str] = field(default_factory=list)  # at the top; not wrapped
    commands: List[str] = field(default_factory=list)   # that show more

    def of(self, kind: Type[Kind]) -> List[Kind]:
        """Return the parts of this kind."""
        return [part for part in self.parts if isinstance(part, kind)]
