# SPDX-License-Identifier: GPL-2.0-or-later
"""Layers by mapping, of a page log."""

from typing import Sequence

from ws_python.base.view import View
from ws_python.pagelog.layer_parts import (about_window, all_samples, by_sample,
                                           in_sample, large_layers, over_time)
from ws_python.pagelog.layers import sample_of, times_of_samples
from ws_python.pagelog.log import PageLog
from ws_python.pagelog.mapped import WRITTEN, mapped_of_all
from ws_python.report.report import titled
from ws_python.report.request import Request

# The name of the counted set, if there is one of these.
WORDS_OF_SETS = {"insn": "code, ", "data": "data, ", WRITTEN: "written, "}


def view(logs: Sequence[PageLog], request: Request) -> View:
    """Show for each mapping its pages in a sample, in all, and in the run."""
    log = logs[0]
    times_of_samples(log)
    mapped = mapped_of_all([log], request)[0]
    rows, whole = mapped.rows()
    sample = sample_of(log, whole, request.at, mapped.tau, mapped.page)
    what = WORDS_OF_SETS.get("+".join(mapped.sets), "")
    return View(
        "mappings", titled("Working set by mapping", log),
        [in_sample(sample.in_words(what),
                   [by_sample(rows, sample.number, "mappings"), whole], sample,
                   "mapping", "written"),
         over_time("By mapping, over time", mapped.layers, large_layers(
             mapped.layers, "mappings", request.most_layers), log.begin,
             [what + about_window(log, mapped.tau)]),
         *([all_samples(rows, ["t", "mapping", "pages", "written"], {})]
           if request.in_full else [])],
        mapped.page, log.unit, [], [
            "A page counts once, be it code or data, for what was mapped when "
            "it was last accessed. avg, p95 and peak are of all samples, run "
            "is of the whole run. --at=T shows another sample."])
