# SPDX-License-Identifier: GPL-2.0-or-later
"""The view `mappings` in the terminal and as a table: of one page log, or of
several processes.
"""

import argparse
from typing import List, Optional, Sequence

from ws_python.engine.layers import sample_of, samples_of, sample_in_words
from ws_python.engine.mapped import WRITTEN, Mapped, mapped_of
from ws_python.model.log import PageLog
from ws_python.model.report import command_of
from ws_python.show.terminal.layout import heading, table as table_of
from ws_python.show.terminal.log_tables import (Table, by_sample, cells_of,
                                                names_of, over_time,
                                                sample_rows, span_of)
from ws_python.views.log_process_tables import process_rows, process_text

# What is said of the sets that are counted, if it is one of these.
SETS = {("insn",): "code, ", ("data",): "data, ", (WRITTEN,): "written, "}


def text(logs: Sequence[PageLog], options: argparse.Namespace) -> List[str]:
    if len(logs) > 1:
        return process_text(logs, options)
    samples_of(logs[0])
    mapped = mapped_of(logs[0], options, options.set)
    return [command_of(logs[0], options.width), "",
            *one_log(mapped, options.at, options.width)]


def table(logs: Sequence[PageLog], options: argparse.Namespace) -> Table:
    if len(logs) > 1:
        return process_rows(logs, options)
    samples_of(logs[0])
    mapped = mapped_of(logs[0], options, options.set)
    return (["t", "mapping", "pages", *["written"] * bool(mapped.written)],
            sample_rows(mapped.layers, mapped.written))


def one_log(mapped: Mapped, at: Optional[str], width: int) -> List[str]:
    """Of each mapping, its pages in a sample, in all, and in the run."""
    log, page = mapped.log, mapped.page
    rows, whole = mapped.rows()
    sample = sample_of(log, whole.layers, at, mapped.tau, page)
    number = int(whole.layers.at_sample(sample)[0])
    rows = by_sample(rows, sample, "mappings")
    cells = cells_of(rows, sample, number, page)
    what = SETS.get(tuple(mapped.sets), "")
    return [*heading(sample_in_words(log, what, mapped.tau, whole.layers, sample,
                              page), width), *table_of(
        names_of(page, ["written"] * bool(mapped.written), "mapping"),
        [[*some, name] for some, name in zip(cells, rows.layers.names)]
        + [[*cells_of(whole, sample, number, page)[0], "all"]], width), "",
        *over_time(mapped.layers, span_of(log), log.unit,
                   what.replace(",", ""), "mappings", page, width),
        "A page counts once, be it code or data, for what was mapped when it "
        "was last",
        "accessed. avg, p95 and peak are of all samples, run is of the whole "
        "run. --at=T",
        "shows another sample."]
