# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes data of heat maps for a page in a browser."""

import base64
from dataclasses import replace
from typing import List, Sequence

import numpy as np

from ws_python.base.units import BYTES, COUNT, NAMES, SHARE, TEXT
from ws_python.model.view import Datum, HeatMap, Table, View, columns_from
from ws_python.show.html.fit import Data, cut_for_page, data_text, of_page

FEWEST_COLUMNS = 64         # after halving them again and again
# Shares of a cell are counted by logarithm, 1 is the largest; heat.js knows.
LEVELS = 255
STEPS = 16                  # of an octave
ABOUT_CELLS = (
    "Which addresses were accessed when: the stronger a cell's colour, the more "
    "of its pages were accessed, in more of its time. Addresses that were never "
    "accessed are cut out.")


def heat_data(view: View, room: int) -> Data:
    """Make data of a heat map, with fewer columns if there is room for few
    characters.
    """
    found, = view.of(HeatMap)
    shares, begin = found.shares, found.begin
    columns = next(iter(shares.values())).shape[1]
    width = (found.end - begin) / columns
    numbers = table_of_heat(found, view.time_unit, width)
    sets = {name: levels_of(share) for name, share in shares.items()}
    while len(data_text(sets)) > room and columns > FEWEST_COLUMNS:
        shares = {name: (share[:, ::2] + share[:, 1::2]) / 2
                  for name, share in shares.items()}
        sets = {name: levels_of(share) for name, share in shares.items()}
        columns, width = columns // 2, 2 * width
    data = of_page(replace(view, parts=[numbers], notes=[],
                           sentences=[ABOUT_CELLS]))
    data["parts"].insert(0, {
        "kind": "heatmap", "title": "", "from": begin, "to": found.end,
        "columns": columns, "width": width, "every": found.every,
        "bands": [{"name": cut_for_page(band.name), "more": band.more,
                   "row": band.row, "end": band.end_row}
                  for band in found.bands],
        # Addresses of each row.
        "first": [*map(hex, found.low.tolist())],
        "last": [*map(hex, found.high.tolist())], "sets": sets})
    return data


def table_of_heat(found: HeatMap, unit: str, width: float) -> Table:
    """Make a table of the bands, for those who do not see the map."""
    rows: List[Sequence[Datum]] = []
    for band in found.bands[::-1]:
        parts = [share[band.row:band.end_row]
                 for share in found.shares.values()]
        used = np.flatnonzero(np.any([part.any(0) for part in parts], 0))
        first, last = (hex(int(where[row])) for where, row in (
            (found.low, band.row), (found.high, band.end_row - 1)))
        rows.append((
            band.name + f" and {band.more} more" * bool(band.more),
            f"{first} to {last}", band.touched * found.page_szB,
            *(float(part.mean()) for part in parts),
            found.begin + round(int(used[0]) * width),
            found.begin + round((int(used[-1]) + 1) * width)))
    return Table("The numbers", columns_from([
        ("mapping", TEXT), ("addresses", TEXT), ("accessed", BYTES),
        *((f"{NAMES[name].lower()}, on average", SHARE)
          for name in found.shares),
        (f"from ({unit})", COUNT), ("to", COUNT)], rows))


def levels_of(share: np.ndarray) -> str:
    """Write the levels of cells, row by row."""
    levels = np.zeros(share.shape, np.uint8)
    some = share > 0
    levels[some] = np.clip(np.rint(LEVELS + STEPS * np.log2(share[some])), 1,
                           LEVELS)
    return base64.b64encode(levels.tobytes()).decode()
