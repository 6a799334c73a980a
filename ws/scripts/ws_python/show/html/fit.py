# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes data of views, and cuts them to what a page has room for."""

import base64
import json
import zlib
from dataclasses import replace
from fractions import Fraction
from typing import Dict, List, Optional, Sequence, TypedDict

from ws_python.base.text import cut, printable, shorten
from ws_python.base.units import BYTES, PAGES, count
from ws_python.base.view import Column, Table, View
from ws_python.show.data.view import part_as_data, plain_value

LONGEST_NAME, LONGEST_SENTENCE = 300, 1000
SENTENCES = ("sentences", "notes")

Data = Dict[str, object]


class ViewData(TypedDict, total=False):
    """A view in a page, as in base/view.py, but for the last five members."""
    name: str
    title: str
    parts: List[Data]
    page_szB: int
    time_unit: str
    sentences: List[str]
    notes: List[str]
    lines: List[str]
    commands: List[str]
    is_closed: bool             # of two runs: there is no change
    warnings: List[str]         # of an answer: what it lacks
    meaning: str                # and what its words mean
    end: int                    # of the first view of processes: of all time
    views: "List[ViewData]"     # and the others


class ReportData(TypedDict):
    """What a page has of a report."""
    file: str                       # "": two are compared
    label: str
    page_szB: int
    time_unit: str
    range: Optional[List[int]]      # of time; None: nothing is over time
    answer: ViewData
    views: List[ViewData]


class ConditionData(TypedDict):
    line: str
    failed: bool


class PageData(TypedDict):
    title: str
    names: List[str]            # trees have their numbers
    conditions: List[ConditionData]
    processes: Optional[ViewData]
    reports: List[ReportData]


def cut_for_page(text: str) -> str:
    """Make a text printable, and short enough for a page."""
    return printable(cut(text, LONGEST_NAME))


def of_page(view: View, most: Optional[int] = None) -> ViewData:
    """Make data of a view, without the command that its title ends with.
    Tables have bytes for pages, and at most so many rows.
    """
    notes, parts = [*view.notes], []
    for part in view.parts:
        if isinstance(part, Table):
            if part.columns and most:
                notes += left_out(part.columns[0].values, most)
            part = replace(part, columns=[
                column_of_page(column, view.page_szB, most)
                for column in part.columns])
        parts.append(small_enough(part_as_data(part)))
    sentences, notes = ([small_text(text, LONGEST_SENTENCE) for text in texts]
                        for texts in (view.sentences, notes))
    return {"name": view.name,
            "title": small_text(view.title.partition(": ")[0]),
            "parts": parts, "page_szB": view.page_szB,
            "time_unit": view.time_unit, "sentences": sentences,
            "notes": notes, "lines": [*map(small_text, view.lines)],
            "commands": [*map(small_text, view.commands)]}


def column_of_page(column: Column, page_szB: int,
                   most: Optional[int]) -> Column:
    """Return at most so many rows of a column, with bytes for pages."""
    values = column.values[:most]
    if column.unit != PAGES:
        return replace(column, values=values)
    return replace(column, unit=BYTES, values=[
        None if value is None else value * page_szB for value in values])


def small_enough(data: Data) -> Data:
    """Cut texts and fractions to what can be seen."""
    return {key: small_value(value, LONGEST_SENTENCE if key in SENTENCES
                             else LONGEST_NAME)
            for key, value in data.items()}


def small_value(value: object, longest: int) -> object:
    if isinstance(value, dict):
        return small_enough(value)
    if isinstance(value, (list, tuple)):
        return [small_value(item, longest) for item in value]
    if isinstance(value, str):
        return small_text(value, longest)
    return (float(f"{float(value):.6g}")
            if isinstance(value, (float, Fraction)) else value)


def small_text(text: str, longest: int = LONGEST_NAME) -> str:
    return printable(shorten(text, longest))


def left_out(rows: Sequence[object], most: int) -> List[str]:
    """Note how many rows have no room."""
    return [f"{count(len(rows) - most)} more are in the report."
            ] if len(rows) > most else []


def data_text(data: object) -> str:
    """Pack JSON; none of its letters can be read as HTML."""
    text = json.dumps(data, separators=(",", ":"), default=plain_value)
    return base64.b64encode(zlib.compress(text.encode())).decode()
