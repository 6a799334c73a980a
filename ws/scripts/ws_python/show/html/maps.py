# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes data of heat maps for a page in a browser."""

import base64
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ws_python.base.view import HeatMap, Table, View
from ws_python.show.html.fit import ViewData, cut_for_page, data_text, of_page

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEWEST_COLUMNS = 64         # after halving them again and again
# Shares of a cell are counted by logarithm, 1 is the largest; heat.js knows.
LEVELS = 255
STEPS = 16                  # of an octave
ABOUT_CELLS = (
    "Which addresses were accessed when: the stronger a cell's colour, the more "
    "of its pages were accessed, in more of its time. Addresses that were never "
    "accessed are cut out.")


def heat_data(view: View, room: int) -> ViewData:
    """Make data of a heat map, with so few columns that there is room."""
    heat, = view.of(HeatMap)
    shares, begin = heat.shares, heat.begin
    columns = next(iter(shares.values())).shape[1]
    width = (heat.end - begin) / columns
    sets = {name: levels_of(share) for name, share in shares.items()}
    while len(data_text(sets)) > room and columns > FEWEST_COLUMNS:
        shares = {name: (share[:, ::2] + share[:, 1::2]) / 2
                  for name, share in shares.items()}
        sets = {name: levels_of(share) for name, share in shares.items()}
        columns, width = columns // 2, 2 * width
    data = of_page(replace(view, parts=view.of(Table), notes=[],
                           sentences=[ABOUT_CELLS]))
    data["parts"].insert(0, {
        "kind": "heatmap", "title": "", "from": begin, "to": heat.end,
        "columns": columns, "width": width, "every": heat.every,
        "bands": [{"name": cut_for_page(band.name), "more": band.more,
                   "row": band.row, "end": band.end_row}
                  for band in heat.bands],
        # Addresses of each row.
        "first": [*map(hex, heat.low.tolist())],
        "last": [*map(hex, heat.high.tolist())], "sets": sets,
        "owners": [*map(cut_for_page, heat.owners)], "owner": "" if heat.owner
        is None else base64.b64encode(heat.owner.tobytes()).decode()})
    return data


def levels_of(share: "NDArray[np.float32]") -> str:
    """Write the levels of cells, row by row."""
    levels = np.zeros(share.shape, np.uint8)
    used = share > 0
    levels[used] = np.clip(np.rint(LEVELS + STEPS * np.log2(share[used])), 1,
                           LEVELS)
    return base64.b64encode(levels.tobytes()).decode()
