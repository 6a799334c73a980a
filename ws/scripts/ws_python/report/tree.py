# SPDX-License-Identifier: GPL-2.0-or-later
"""Grows trees of calls from the stacks by which pages came in."""

from dataclasses import dataclass, field
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from ws_python.base.text import printable
from ws_python.base.units import count
from ws_python.base.view import Node, Tree
from ws_python.report.compositions import Part
from ws_python.report.report import Report
from ws_python.report.stacks import Paths, Step, known_name, name_of

BROUGHT_IN = ("Each page counts for the code that brought it in, whoever has used "
              "it since.")
NO_CALLERS = ("Only the function of each access is known; --ws-stacks=yes of "
              "ws adds callers.")
MOST_OF_TREE = 1500         # nodes in a page
NO_CODE = "The kernel says of which mapping a page is, not which code used it."


@dataclass
class Branch:
    """A node that grows: a function, a line, or a text in place of a stack."""
    step: Optional[Step] = None     # None: the root
    pages: int = 0
    written: Optional[int] = None
    before: int = 0                 # pages of the run before
    is_merged: bool = False         # of several places
    is_own: bool = True             # without a frame: some of it is own code
    children: "Dict[Tuple[object, ...], Branch]" = field(default_factory=dict)

    def add(self, part: Part) -> None:
        self.pages += part.pages
        if part.written is not None:
            self.written = (self.written or 0) + part.written

    @property
    def most(self) -> int:
        return max(self.pages, self.before)

    def child(self, step: Step) -> "Branch":
        """Return the child with this key, into which the step is merged."""
        branch = self.children.get(step.key)
        if branch is None:
            branch = self.children[step.key] = Branch(step)
        elif not branch.is_merged and branch.step is not step:
            branch.is_merged = place_of(branch.step) != place_of(step)
        return branch

    def along(self, steps: Sequence[Step]) -> "Iterator[Branch]":
        """Yield this one and those that the steps lead to."""
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


def tree_of(parts: Sequence[Part], paths: Paths, up: bool = False,
            by_mapping: bool = False,
            before: Optional[Tuple[Sequence[Part], Paths]] = None,
            most: int = 0) -> Tree:
    """Make a tree from main downwards, or `up` from the accesses; `before` has
    the parts and paths of the run that it is compared with.  With `most`, the
    smallest nodes are folded, so that it has about so many.
    """
    def steps_of(part: Part, paths: Paths) -> List[Step]:
        steps = paths.of(part) if up else paths.of(part)[::-1]
        if not by_mapping:
            return steps
        return [Step(("mapping", part.mapping), None, printable(part.mapping)),
                *steps]

    root = Branch()
    for part in parts:
        for branch in root.along(steps_of(part, paths)):
            branch.add(part)
    if before:
        for part in before[0]:
            for branch in root.along(steps_of(part, before[1])):
                branch.before += part.pages
    rows = listed(root, least_of(root, most) if most else 0)
    return Tree("", [node for node, _ in rows], up, before=[
        branch.before for _, branch in rows] if before else [])


def trees_of(parts: Sequence[Part], paths: Paths,
             before: Optional[Tuple[Sequence[Part], Paths]] = None,
             most: int = MOST_OF_TREE) -> List[Tree]:
    """Make trees of calls and of callers, and both below mappings, of about
    `most` nodes each.
    """
    return [tree_of(parts, paths, up, mapped, before, most)
            for mapped in (False, True) for up in (False, True)]


def least_of(root: Branch, most: int) -> int:
    """Return how many pages at most `most` nodes have, or more."""
    sizes, left = [], [root]
    while left:
        branch = left.pop()
        sizes.append(branch.most)
        left += branch.children.values()
    return sorted(sizes, reverse=True)[most] + 1 if sizes[most:] else 0


def folded_branches(branches: Sequence[Branch], least: int) -> List[Branch]:
    """Fold those with fewer pages, and all below them, into one."""
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
    """List nodes; a tree may be deeper than Python's own calls."""
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


def unknown(report: Report) -> List[str]:
    """Say what the stacks of a report do not tell."""
    if report.is_estimate:
        return [NO_CODE]
    if report.header.get("Stacks") == "no":
        return [BROUGHT_IN, NO_CALLERS]
    return [BROUGHT_IN]
