# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes data of views, and cuts them to what a page has room for."""

import base64
import json
import zlib
from fractions import Fraction
from typing import Dict, Optional, Sequence

from ws_python.base.text import cut, printable, shorten
from ws_python.base.units import BYTES, PAGES, count
from ws_python.base.view import View
from ws_python.show.data.view import as_data, plain_value

LONGEST_NAME, LONGEST_SENTENCE = 300, 1000
SENTENCES = ("sentences", "notes")

Data = Dict[str, object]


def cut_for_page(text: str) -> str:
    """Make a text printable, and short enough for a page."""
    return printable(cut(text, LONGEST_NAME))


def of_page(view: View, most: Optional[int] = None) -> Data:
    """Make data of a view, without the command, which the page has, and with
    bytes for pages in tables, of which it has at most so many rows.
    """
    data = as_data(view)
    data["title"] = view.title.partition(": ")[0]
    for columns in (part.get("columns") for part in data["parts"]):
        if columns and most:
            data["notes"] += left_out(columns[0]["values"], most)
        for column in columns or ():
            if column["unit"] == PAGES:
                column.update(unit=BYTES, values=[
                    None if value is None else value * view.page_szB
                    for value in column["values"]])
            column["values"] = column["values"][:most]
    return small_enough(data)


def small_enough(value, longest: int = LONGEST_NAME):
    """Cut texts and fractions to what can be seen."""
    if isinstance(value, dict):
        return {key: small_enough(one, LONGEST_SENTENCE if key in SENTENCES
                                  else longest)
                for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [small_enough(one, longest) for one in value]
    if isinstance(value, str):
        return printable(shorten(value, longest))
    return (float(f"{float(value):.6g}")
            if isinstance(value, (float, Fraction)) else value)


def left_out(rows: Sequence[object], most: int) -> Sequence[str]:
    """Note how many rows have no room."""
    return [f"{count(len(rows) - most)} more are in the report."
            ] * (len(rows) > most)


def data_text(data: object) -> str:
    """Pack JSON; none of its letters can be read as HTML."""
    text = json.dumps(data, separators=(",", ":"), default=plain_value)
    return base64.b64encode(zlib.compress(text.encode())).decode()
