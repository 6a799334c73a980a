# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a view for other programs; or collapsed stacks, as tools for flame
graphs read them.
"""

import csv
import io
import json
from collections import Counter
from dataclasses import asdict, fields
from fractions import Fraction
from typing import Dict, Sequence

from ws_python.base.view import Column, Node, Shown, Table, Tree, View
from ws_python.report.compositions import Origin
from ws_python.report.stacks import Paths, Step, name_of

VIEW_FORMAT = 1


def part_as_data(part: Shown) -> Dict[str, object]:
    """Make the object that base/view.py describes."""
    return {"kind": type(part).__name__.lower(), **asdict(part)}


def view_as_json(view: View) -> str:
    """Write JSON, in ASCII."""
    data = {**asdict(view), "parts": [*map(part_as_data, view.parts)]}
    return json.dumps({"format": VIEW_FORMAT, "view": data},
                      default=plain_value) + "\n"


def plain_value(value: object) -> object:
    """Convert fractions, and numbers of numpy in long columns."""
    if isinstance(value, Fraction):
        return float(value)
    return value.tolist() if hasattr(value, "tolist") else value


def view_as_csv(view: View, delimiter: str) -> str:
    """Write the last table or tree, which has most details, and those like it.
    """
    tables = [as_table(part) if isinstance(part, Tree) else part
              for part in view.parts if isinstance(part, (Table, Tree))]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", delimiter=delimiter)
    writer.writerow(tables[-1].names)
    for part in tables:
        if part.names == tables[-1].names:
            writer.writerows([*part.of.values(), *map(plain_value, row)]
                             for row in zip(*(column.values for column
                                              in part.columns)))
    return text.getvalue()


def as_table(tree: Tree) -> Table:
    """Make a row of each node."""
    names = [member.name for member in fields(Node)]
    return Table(tree.title, [
        Column(name, "", [getattr(node, name) for node in tree.nodes])
        for name in names], tree.of)


def folded(parts: Sequence[Origin], paths: Paths) -> str:
    """Write a line for each stack, outermost function first."""
    stacks: "Counter[str]" = Counter()
    for part in parts:
        stacks[";".join(label(step).replace(";", ":") for step
                        in reversed(paths.of(part)))] += part.pages
    return "".join(f"{stack} {pages}\n"
                   for stack, pages in sorted(stacks.items()))


def label(step: Step) -> str:
    """Name a step, without a line unless the key has one."""
    if step.frame is None:
        return step.text
    return name_of(step.frame, step.key[-1] == step.frame.line)
