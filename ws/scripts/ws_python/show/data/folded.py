# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes collapsed stacks, as tools for flame graphs read them."""

from collections import Counter
from typing import Sequence

from ws_python.model.compositions import Part
from ws_python.model.stacks import Paths, Step, name_of


def folded(parts: Sequence[Part], paths: Paths) -> str:
    """Write a line for each stack, outermost function first."""
    found: "Counter[str]" = Counter()
    for part in parts:
        found[";".join(label(step).replace(";", ":")
                       for step in reversed(paths.of(part)))] += part.pages
    return "".join(f"{stack} {pages}\n"
                   for stack, pages in sorted(found.items()))


def label(step: Step) -> str:
    """Name a step, without a line unless the key has one."""
    if step.frame is None:
        return step.text
    return name_of(step.frame, step.key[-1] == step.frame.line)
