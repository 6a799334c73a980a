# SPDX-License-Identifier: GPL-2.0-or-later
"""Grows trees of calls from the stacks by which pages came in."""

from dataclasses import dataclass, field
from typing import Dict, Iterable, List, Optional, Tuple

from ws_python.base.text import printable
from ws_python.model.compositions import Part
from ws_python.model.report import Report, is_estimate
from ws_python.model.stacks import Paths, Step, is_own, name_of
from ws_python.model.view import Node, Tree

NO_CALLERS = ("Only the function of each access is known; --ws-stacks=yes of "
              "ws adds callers.")
NO_CODE = "The kernel says of which mapping a page is, not which code used it."


@dataclass
class Branch:
    """A node that grows: a function, a line, or a text in place of a stack."""
    step: Optional[Step] = None     # None: the root
    pages: int = 0
    written: Optional[int] = None
    lines: Dict[Tuple[str, Optional[int]], None] = field(default_factory=dict)
    children: "Dict[Tuple[object, ...], Branch]" = field(default_factory=dict)

    def add(self, part: Part) -> None:
        self.pages += part.pages
        if part.written is not None:
            self.written = (self.written or 0) + part.written

    def child(self, step: Step) -> "Branch":
        """Return the child with this key, into which the step is merged."""
        branch = self.children.setdefault(step.key, Branch(step))
        if step.frame is not None:
            branch.lines[step.frame.file, step.frame.line] = None
        return branch

    def node(self, depth: int) -> Node:
        frame = self.step and self.step.frame
        if frame is None:
            return Node(depth, self.step.text if self.step else "all",
                        self.pages, self.written)
        return Node(depth, name_of(frame, len(self.lines) == 1), self.pages,
                    self.written, frame.object,
                    is_own(frame.function, frame.file, frame.object))


def tree_of(parts: Iterable[Part], paths: Paths, up: bool = False,
            by_mapping: bool = False) -> Tree:
    """Make a tree from main downwards, or `up` from the accesses."""
    root = Branch()
    for part in parts:
        steps = paths.of(part)
        branch = root
        branch.add(part)
        for step in [*[Step(("mapping", part.mapping), None,
                            printable(part.mapping))] * by_mapping,
                     *(steps if up else reversed(steps))]:
            branch = branch.child(step)
            branch.add(part)
    return Tree("", listed(root), up)


def listed(root: Branch) -> List[Node]:
    """List nodes; a tree may be deeper than Python's own calls."""
    nodes: List[Node] = []
    left = [(root.node(0), root)]
    while left:
        node, branch = left.pop()
        nodes.append(node)
        left += reversed(sorted(
            ((child.node(node.depth + 1), child)
             for child in branch.children.values()),
            key=lambda pair: (-pair[0].pages, pair[0].name)))
    return nodes


def unknown(report: Report) -> List[str]:
    """Say what the stacks of a report do not tell."""
    if is_estimate(report):
        return [NO_CODE]
    return [NO_CALLERS] * (report.header.get("Stacks") == "no")
