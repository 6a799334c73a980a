# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes files for other tools: Callgrind's format, and collapsed stacks for
flame graphs.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Dict, List, Sequence, Tuple

from ws_python.base.text import printable
from ws_python.model.report import Report
from ws_python.model.sizes import KINDS
from ws_python.model.stacks import Key, Paths, Step, by_function, name_of
from ws_python.views.kept import View, entries, largest

UNKNOWN = "???"             # Callgrind's name for an unknown file or object


def text_of(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"


def command(report: Report) -> str:
    return report.header.get("Command", UNKNOWN)

# --- Collapsed stacks ------------------------------------------------------

def collapsed(report: Report, view: View, key: Key) -> str:
    """Write a line for each stack, outermost function first."""
    paths = Paths(report.compositions, key)
    found: "Counter[str]" = Counter()
    for part in view.parts:
        found[";".join(label(step).replace(";", ":")
                       for step in reversed(paths.of(part)))] += part.pages
    return text_of([f"{stack} {pages}"
                    for stack, pages in sorted(found.items())])


def label(step: Step) -> str:
    """Name a step, without a line unless the key has one."""
    if step.frame is None:
        return step.text
    return name_of(step.frame, step.key[-1] == step.frame.line)


# --- Callgrind -------------------------------------------------------------

EVENTS = {"data": "Data", "insn": "Code"}
Costs = List[int]
Place = Tuple[str, int]         # a file, and a line
# A recursive function is one function for each level, named as Callgrind does.
# So no stack has a function twice, and inclusive costs are exact.
Level = Tuple[Tuple[object, ...], int]


@dataclass
class Function:
    """One level of a function, and its costs."""
    name: str
    file: str
    object: str
    own: Dict[Place, Costs] = field(default_factory=dict)
    calls: Dict[Tuple[Place, Level], Costs] = field(default_factory=dict)


class Names:
    """Numbers that stand for names once they have been written."""

    def __init__(self) -> None:
        self.known: Dict[object, int] = {}

    def of(self, key: object, name: str) -> str:
        if key in self.known:
            return f"({self.known[key]})"
        self.known[key] = len(self.known) + 1
        return f"({self.known[key]}) {name}"


def callgrind(report: Report, wanted: Sequence[str]) -> str:
    """Write two events for each set: entries, and largest composition."""
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
    """Number the levels of functions that occur several times."""
    seen: "Counter[Tuple[object, ...]]" = Counter()
    found: List[Level] = []
    for step in reversed(steps):
        seen[step.key] += 1
        found.append((step.key, seen[step.key]))
    return found[::-1]


def add_costs(functions: Dict[Level, Function], steps: Sequence[Step],
              event: int, events: int, pages: int) -> None:
    """Add the costs of one stack."""
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
                # The number of calls is not known; with 0, callgrind_annotate
                # takes the costs for the function's own.
                lines += ["cob=" + objects.of(other.object, other.object),
                          "cfi=" + files.of(other.file, other.file),
                          "cfn=" + names.of(callee, other.name), "calls=1 0"]
            lines += [" ".join(map(str, [line, *costs]))]
    return lines
