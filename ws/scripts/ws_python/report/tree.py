# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes trees of calls from origins: the stacks by which pages entered."""

from dataclasses import dataclass, field
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from ws_python.base.units import count
from ws_python.base.view import Node, Tree
from ws_python.report.compositions import HEAP_SET, Origin
from ws_python.report.report import Report
from ws_python.report.stacks import (Paths, Step, known_name, name_of,
                                     step_of_mapping)

BROUGHT_IN = ("Each page counts for the code that brought it in, whoever has used "
              "it since.")
BY_ALLOCATION = "Each byte counts for the code that allocated its block."
NO_CALLERS = ("Only the function of each access is known; --ws-stacks=yes of "
              "ws adds callers.")
MOST_OF_TREE = 1500         # nodes in a page
NO_CODE = "The kernel says of which mapping a page is, not which code used it."


@dataclass
class Branch:
    """A node of a growing tree: a function, a line, or a text in place of a
    stack.
    """
    step: Optional[Step] = None     # None: the root
    pages: int = 0                  # with those of the children
    written: Optional[int] = None   # of these pages; None: not known
    before: int = 0                 # pages in the run to compare with
    is_merged: bool = False         # it has steps of several lines
    is_own: bool = True             # of a node without a frame
    children: "Dict[Tuple[object, ...], Branch]" = field(default_factory=dict)

    def add(self, origin: Origin) -> None:
        self.pages += origin.pages
        if origin.written is not None:
            self.written = (self.written or 0) + origin.written

    @property
    def most(self) -> int:
        return max(self.pages, self.before)

    def child(self, step: Step) -> "Branch":
        """Return the child with the step's key; make it if there is none."""
        branch = self.children.get(step.key)
        if branch is None:
            branch = self.children[step.key] = Branch(step)
        elif not branch.is_merged and branch.step is not step:
            branch.is_merged = place_of(branch.step) != place_of(step)
        return branch

    def along(self, steps: Sequence[Step]) -> "Iterator[Branch]":
        """Yield this node, then the node that each step leads to."""
        branch = self
        yield branch
        for step in steps:
            branch = branch.child(step)
            yield branch

    def node(self, depth: int) -> Node:
        frame = self.step and self.step.frame
        if frame is None:
            return Node(depth, self.step.text if self.step else "all",
                        self.pages, self.written, is_own=self.is_own)
        name = known_name(frame, False) if self.is_merged else name_of(frame)
        return Node(depth, name, self.pages, self.written, frame.object,
                    frame.is_own)


def place_of(step: Optional[Step]) -> Tuple[object, ...]:
    frame = step and step.frame
    return () if frame is None else (
        frame.file, frame.line, "" if frame.function else frame.address)


def tree_of(origins: Sequence[Origin], paths: Paths, up: bool = False,
            by_mapping: bool = False,
            before: Optional[Tuple[Sequence[Origin], Paths]] = None,
            most: int = 0) -> Tree:
    """Make a tree from main downwards, or `up` from the accesses.  `before` has
    the origins and paths of a run to compare with.  With `most`, the
    smallest nodes are folded, so that it has about so many.
    """
    def steps_of(origin: Origin, paths: Paths) -> List[Step]:
        steps = paths.of(origin) if up else paths.of(origin)[::-1]
        if origin.above:
            return [*(Step((name,), None, name) for name in origin.above),
                    *(steps if up else [])]
        return [step_of_mapping(origin), *steps] if by_mapping else steps

    root = Branch()
    for origin in origins:
        for branch in root.along(steps_of(origin, paths)):
            branch.add(origin)
    if before:
        for origin in before[0]:
            for branch in root.along(steps_of(origin, before[1])):
                branch.before += origin.pages
    rows = listed(root, least_of(root, most) if most else 0)
    if most:
        without_interpreter(rows)
    return Tree("", [node for node, _ in rows], up, before=[
        branch.before for _, branch in rows] if before else [])


def without_interpreter(rows: Sequence[Tuple[Node, Branch]]) -> None:
    """Where there is generated code, let nothing else be the program's own: what
    runs it is the interpreter.
    """
    whose = [branch.step and branch.step.frame and branch.step.frame.whose
             for _, branch in rows]
    if "generated" in whose:
        for (node, _), of in zip(rows, whose):
            node.is_own &= of in (None, "generated")


def trees_of(origins: Sequence[Origin], paths: Paths,
             before: Optional[Tuple[Sequence[Origin], Paths]] = None,
             most: int = MOST_OF_TREE) -> List[Tree]:
    """Make trees of calls and of callers, and both below mappings, of about
    `most` nodes each.
    """
    return [tree_of(origins, paths, up, mapped, before, most)
            for mapped in (False, True) for up in (False, True)]


def least_of(root: Branch, most: int) -> int:
    """Return a number of pages that at most `most` nodes have or exceed."""
    sizes, left = [], [root]
    while left:
        branch = left.pop()
        sizes.append(branch.most)
        left += branch.children.values()
    return sorted(sizes, reverse=True)[most] + 1 if sizes[most:] else 0


def folded_branches(branches: Sequence[Branch], least: int) -> List[Branch]:
    """Fold all branches with fewer than `least` pages into a single one."""
    small = [branch for branch in branches if branch.most < least]
    if not small[1:] and not any(branch.children for branch in small):
        return [*branches]
    written = [branch.written for branch in small
               if branch.written is not None]
    return [*(branch for branch in branches if branch.most >= least),
            Branch(Step(("more",), None, f"{count(len(small))} more"),
                   sum(branch.pages for branch in small),
                   sum(written) if written else None,
                   sum(branch.before for branch in small),
                   is_own=any(branch.node(0).is_own for branch in small))]


def listed(root: Branch, least: int) -> List[Tuple[Node, Branch]]:
    """List the nodes from the root down, the largest child first.  Python's
    own calls could not go as deep as a tree.
    """
    rows: List[Tuple[Node, Branch]] = []
    left = [(root.node(0), root)]
    while left:
        node, branch = left.pop()
        rows.append((node, branch))
        left += reversed(sorted(
            ((child.node(node.depth + 1), child)
             for child in folded_branches([*branch.children.values()],
                                          least)),
            key=lambda pair: (-pair[0].pages, pair[0].name)))
    return rows


def unknown(report: Report, kind: str = "") -> List[str]:
    """Return sentences about what the stacks of a set do not tell."""
    if kind == HEAP_SET:
        return [BY_ALLOCATION]
    if report.is_estimate:
        return [NO_CODE]
    if report.header.get("Stacks") == "no":
        return [BROUGHT_IN, NO_CALLERS]
    return [BROUGHT_IN]
