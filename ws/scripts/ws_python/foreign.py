# SPDX-License-Identifier: GPL-2.0-or-later
"""What other people's tools read: files of Callgrind and of Massif, and
collapsed stacks for flame graphs.
"""

import os
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from ws_python.calltree import UP, Node, hundredths, tree_of
from ws_python.compositions import Frame, Kept
from ws_python.reports import Report, is_clocked, unit_of
from ws_python.sizes import KINDS
from ws_python.stacks import Key, Paths, Step, by_function, name_of
from ws_python.text import printable
from ws_python.units import count
from ws_python.views import View, entries, largest

MOST_SNAPSHOTS = 200        # of a curve, besides the samples that are kept
UNKNOWN = "???"             # Callgrind's name for an unknown file or object


def text_of(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"


def command(report: Report) -> str:
    return report.header.get("Command", UNKNOWN)


# --- Collapsed stacks ------------------------------------------------------

def collapsed(report: Report, view: View, key: Key) -> str:
    """A line for each stack, outermost function first."""
    paths = Paths(report.compositions, key)
    found: "Counter[str]" = Counter()
    for part in view.parts:
        found[";".join(label(step).replace(";", ":")
                       for step in reversed(paths.of(part)))] += part.pages
    return text_of([f"{stack} {pages}"
                    for stack, pages in sorted(found.items())])


def label(step: Step) -> str:
    """Without a line, unless the key has one."""
    if step.frame is None:
        return step.text
    return name_of(step.frame, step.key[-1] == step.frame.line)


# --- Callgrind -------------------------------------------------------------

EVENTS = {"data": "Data", "insn": "Code"}
Costs = List[int]
Place = Tuple[str, int]         # a file, and a line
# A function that calls itself is one for each level, named as Callgrind does.
# So no stack has one twice, and inclusive costs are exact.
Level = Tuple[Tuple[object, ...], int]


@dataclass
class Function:
    """All that is known of one level of it."""
    name: str
    file: str
    object: str
    own: Dict[Place, Costs] = field(default_factory=dict)
    calls: Dict[Tuple[Place, Level], Costs] = field(default_factory=dict)


class Names:
    """A number for each, which stands for the name from then on."""

    def __init__(self) -> None:
        self.known: Dict[object, int] = {}

    def of(self, key: object, name: str) -> str:
        if key in self.known:
            return f"({self.known[key]})"
        self.known[key] = len(self.known) + 1
        return f"({self.known[key]}) {name}"


def callgrind(report: Report, wanted: Sequence[str]) -> str:
    """Two events for each set: entries of the run, largest composition."""
    views = [(f"{EVENTS[name]}{event}", f"{what} of {KINDS[name]}", view)
             for name in ("data", "insn") if name in wanted
             for event, what, some in (
                 ("Peak", "largest set", largest(report, [name])),
                 ("Entries", "entries", entries(report, [name])))
             for view in some]
    functions: Dict[Level, Function] = {}
    paths = Paths(report.compositions, by_function)
    for event, (*_, view) in enumerate(views):
        for part in view.parts:
            add_costs(functions, paths.of(part), event, len(views),
                      part.pages)
    return text_of([
        "# callgrind format", "version: 1", "creator: ws_print",
        f"cmd: {command(report)}", "positions: line",
        *(f"desc: {event}: {view.title}" for event, _, view in views),
        *(f"event: {event} : {what}, pages" for event, what, _ in views),
        "events: " + " ".join(event for event, *_ in views),
        "summary: " + " ".join(str(view.pages) for *_, view in views),
        *callgrind_body(functions)])


def levels(steps: Sequence[Step]) -> List[Level]:
    """Of each step, how often its function has been called up to there."""
    seen: "Counter[Tuple[object, ...]]" = Counter()
    found: List[Level] = []
    for step in reversed(steps):
        seen[step.key] += 1
        found.append((step.key, seen[step.key]))
    return found[::-1]


def add_costs(functions: Dict[Level, Function], steps: Sequence[Step],
              event: int, events: int, pages: int) -> None:
    """Of one stack."""
    def add(costs: Dict[Any, Costs], key: object) -> None:
        costs.setdefault(key, [0] * events)[event] += pages

    keys = levels(steps)
    for step, key in zip(steps, keys):
        if key not in functions:
            functions[key] = function_of(step, key[1])
    add(functions[keys[0]].own, place_of(steps[0]))
    for caller, key, callee in zip(steps[1:], keys[1:], keys):
        add(functions[key].calls, (place_of(caller), callee))


def function_of(step: Step, level: int) -> Function:
    frame = step.frame
    if frame is None:
        return Function(step.text, UNKNOWN, UNKNOWN)
    name = printable(frame.function) or name_of(frame)
    return Function(name + (f"'{level}" if level > 1 else ""),
                    printable(frame.file) or UNKNOWN,
                    printable(frame.object) or UNKNOWN)


def place_of(step: Step) -> Place:
    frame = step.frame
    return (UNKNOWN, 0) if frame is None else (
        printable(frame.file) or UNKNOWN, frame.line or 0)


def callgrind_body(functions: Dict[Level, Function]) -> List[str]:
    lines: List[str] = []
    objects, files, names = Names(), Names(), Names()
    for key, one in functions.items():
        lines += ["", "ob=" + objects.of(one.object, one.object),
                  "fl=" + files.of(one.file, one.file),
                  "fn=" + names.of(key, one.name)]
        now = one.file          # code of other files is inlined
        for callee, (file, line), costs in sorted(
                [(None, place, costs) for place, costs in one.own.items()]
                + [(callee, place, costs) for (place, callee), costs
                   in one.calls.items()],
                key=lambda row: (row[1][0] != one.file, row[1])):
            if file != now:
                lines += ["fi=" + files.of(file, file)]
                now = file
            if callee is not None:
                other = functions[callee]
                # Nobody knows how many calls; with 0, callgrind_annotate takes
                # the costs for the function's own.
                lines += ["cob=" + objects.of(other.object, other.object),
                          "cfi=" + files.of(other.file, other.file),
                          "cfn=" + names.of(callee, other.name), "calls=1 0"]
            lines += [" ".join(map(str, [line, *costs]))]
    return lines


# --- Massif ----------------------------------------------------------------

def massif(report: Report, name: str) -> str:
    """The curve of a set, and the samples of it that are kept."""
    page = report.number("Page size")
    paths = Paths(report.compositions, by_function)
    places = first_places(report.compositions.frames.values())
    lines = [f"desc: working set of {KINDS[name]}, "
             f"tau={count(report.number('Tau'))} {unit_of(report)}",
             f"cmd: {command(report)}",
             f"time_unit: {'ms' if is_clocked(report) else 'i'}"]
    found = snapshots(report, name)
    for number, (time, pages, kept) in enumerate(found):
        # massif-visualizer draws a straight line from one composition to the
        # next; so the samples beside one have an empty one.
        beside = any(other for *_, other in found[max(number - 1, 0)
                                                  :number + 2])
        tree = ("peak" if kept and "largest" in kept.why else
                "detailed" if beside else "empty")
        lines += ["#-----------", f"snapshot={number}", "#-----------",
                  f"time={time}", f"mem_heap_B={pages * page}",
                  "mem_heap_extra_B=0", "mem_stacks_B=0",
                  f"heap_tree={tree}"]
        if kept is not None:
            lines += massif_tree(tree_of(kept.parts, paths, UP), page,
                                 places)
        elif beside:
            lines += [f"n0: {pages * page} (pages of the working set)"]
    return text_of(lines)


def snapshots(report: Report, name: str
              ) -> List[Tuple[int, int, Optional[Kept]]]:
    """Of many samples in a row, the largest one; all that are kept."""
    times = report.columns["t"]
    values = report.columns[report.column(KINDS[name], report.windows[0])]
    best: Dict[int, int] = {}       # row by its part of the time
    for row, time in enumerate(times):
        part = -(-time * MOST_SNAPSHOTS // (times[-1] or 1))
        if values[row] > values[best.setdefault(part, row)]:
            best[part] = row
    found: Dict[int, Tuple[int, Optional[Kept]]] = {
        times[row]: (values[row], None) for row in best.values()}
    for kept in report.compositions.kept.values():
        before = found.get(kept.time, (0, None))[1]
        if kept.set == name and (before is None or "largest" in kept.why):
            found[kept.time] = (kept.pages, kept)
    return [(time, *found[time]) for time in sorted(found)]


def massif_tree(root: Node, page: int,
                places: Dict[Tuple[object, ...], Frame]) -> List[str]:
    """Places below 1 % are one."""
    lines: List[str] = []
    least = hundredths(root.pages, 1)
    left: List[Union[str, Tuple[int, Node]]] = [(0, root)]
    while left:
        item = left.pop()
        if isinstance(item, str):
            lines.append(item)
            continue
        depth, node = item
        children = node.sorted()
        large = [child for child in children if child.pages >= least]
        small = children[len(large):]
        lines.append(f"{' ' * depth}n{len(large) + bool(small)}: "
                     f"{node.pages * page} {massif_name(node, places)}")
        if small:
            pages = sum(child.pages for child in small)
            left.append(f"{' ' * (depth + 1)}n0: {pages * page} in "
                        f"{len(small)} places, all below massif's threshold "
                        "(1.00%)")
        left += [(depth + 1, child) for child in reversed(large)]
    return lines


def massif_name(node: Node, places: Dict[Tuple[object, ...], Frame]) -> str:
    """As Massif writes it; it knows nothing without an address."""
    if node.step is None:
        return "(pages of the working set, by what brought them in)"
    if node.step.frame is None:
        return f"0x0: {node.step.text}"
    frame = places[node.step.key]
    place = (f"{os.path.basename(frame.file)}:{frame.line or 0}" if frame.file
             else f"in {frame.object or UNKNOWN}")
    return printable(f"0x{frame.address:X}: {frame.function or UNKNOWN} "
                     f"({place})")


def first_places(frames: Iterable[Frame]) -> Dict[Tuple[object, ...], Frame]:
    """Of each function the lowest address, so that it has the same name in
    all snapshots.
    """
    found: Dict[Tuple[object, ...], Frame] = {}
    for frame in frames:
        key = by_function(frame)
        if frame.address < found.setdefault(key, frame).address:
            found[key] = frame
    return found
