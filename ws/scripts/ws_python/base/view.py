# SPDX-License-Identifier: GPL-2.0-or-later
"""A view: the answer to one question about a run, before anyone shows it.

A view has a title, sentences, and parts, each of which is a Table, Series,
Layers, HeatMap or Tree of numbers with units.  The packages in show/ choose
digits, rows, colours and places; they know these five and no view.

As JSON (show/data), a view is an object with the members of these classes, by
their names; a part has one more, "kind", the name of its class in small
letters.  Unknown values are null.  A column is an object, too, so the rows of
a table are zip(column["values"] for column in table["columns"]).
"""

from dataclasses import dataclass, field, replace
from typing import (TYPE_CHECKING, Dict, Iterable, List, Optional, Protocol,
                    Sequence, Tuple, Type, TypeVar, Union)

from ws_python.base.units import Real

if TYPE_CHECKING:           # who makes or shows a heat map needs numpy
    from numpy import float32, float64, uint64
    from numpy.typing import NDArray

Datum = Union[None, str, Real]


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
    """Make columns of rows.  A head is a name, a unit, and perhaps a title."""
    cells = [*zip(*rows)] or [()] * len(heads)
    return [Column(name, unit, [*values], *title)
            for (name, unit, *title), values in zip(heads, cells)]


@dataclass
class Table:
    """Rows and columns.  For programs, tables with the same columns are one
    table; the columns of `of` tell them apart.
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
    one thing have one hue, and one of them has its name.
    """
    name: str
    values: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    uncertain: int = 0          # how many values, from the left
    limited: int = 0            # and from the right, by the length of the run
    hue: int = -1               # -1: grey
    pale: float = 0             # up to 1
    dash: int = 0               # 0: none
    is_area: bool = False       # with all that is below it
    is_hidden: bool = False     # far above the others, unless one asks
    about: str = ""             # a few words
    tags: List[Tag] = field(default_factory=list)

    def fewer(self, xs: Sequence[float],
              per: int) -> Tuple[Sequence[float], "Line"]:
        """Let a value stand for `per` successive ones: their mean, within
        their range, and the last x.
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
    """What there is to say of some of a line's tags."""
    line: int                   # its number
    names: str
    text: str


@dataclass
class SizeMark:
    """A size to compare with, such as a cache's, and the size of the pages that
    it holds; 0: any.
    """
    name: str
    szB: int
    page_szB: int


@dataclass
class Series:
    """Lines over one axis."""
    title: str
    x: Axis
    y: Axis
    xs: Sequence[Sequence[float]]   # of each line
    lines: List[Line]
    notes: List[str] = field(default_factory=list)      # few words each
    marks: List[Tuple[float, str]] = field(default_factory=list)
    lengths: List[Tuple[float, str]] = field(default_factory=list)  # on x
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
    has_rest: bool = False          # the last layer is all small ones
    notes: List[str] = field(default_factory=list)

    @property
    def times(self) -> List[int]:
        """The xs on an axis of time."""
        return [*map(int, self.xs)]

    def fewer(self, most: int) -> "Layers":
        """Return at most `most` times: in each part of the time, the one with
        the largest sum stands for the others.
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
    """Rows for a mapping, or for several neighbours."""
    name: str               # of the largest mapping
    more: int               # number of others
    first: int              # addresses of its first and last byte
    last: int
    row: int                # from the lowest address
    end_row: int
    touched: int            # pages


@dataclass
class HeatMap:
    """Pages accessed, by address and time."""
    page_szB: int
    begin: int              # times
    end: int
    bands: List[Band]
    # For each row: addresses of its first and last byte, and its pages, less
    # than one if a page has several rows.
    low: "NDArray[uint64]"
    high: "NDArray[uint64]"
    pages: "NDArray[float64]"
    # For each set: rows, from the lowest address, of columns; from 0 to 1.
    shares: "Dict[str, NDArray[float32]]"
    touched: Dict[str, int]     # pages
    marks: List[Tuple[int, str]]
    every: int                  # the length of an interval, which has no parts


@dataclass
class Node:
    """A function or a line of code, or a text in place of it."""
    depth: int
    name: str
    pages: int                  # with those of the nodes below it
    written: Optional[int]      # of these pages; None: not known
    object: str = ""            # the file with its code
    is_own: bool = True         # it is the program's own


@dataclass
class Tree:
    """A tree of calls, as one reads it: each node, and then those below it,
    the largest first.
    """
    title: str                  # "": that of the table before it
    nodes: List[Node]           # the first one is all
    is_up: bool = False         # from the accesses to their callers
    of: Dict[str, str] = field(default_factory=dict)    # as of a table
    # Pages of each node in the run that this one is compared with.
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
    """What is shown of a condition: if it failed, and that in a line or more."""
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
    lines: List[str] = field(default_factory=list)  # first, and not wrapped
    commands: List[str] = field(default_factory=list)   # that show more

    def of(self, kind: Type[Kind]) -> List[Kind]:
        return [part for part in self.parts if isinstance(part, kind)]
