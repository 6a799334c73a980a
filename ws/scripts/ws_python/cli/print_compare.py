# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers ws_print compare."""

from ws_python.cli.output import check_output, show, shown, write
from ws_python.cli.print_reports import judged_reports
from ws_python.cli.request import CommandLine, Misuse
from ws_python.show.html.page import page_with
from ws_python.show.html.payload import ANSWER_WIDTH, comparison
from ws_python.views.compare import Comparison


def run(line: CommandLine) -> int:
    judged = judged_reports(line)
    first, second = reports = judged.reports
    found = Comparison(first, second, line.sets)
    lines = judged.lines(line.width)
    if line.output is None:
        show(shown(judged.put_into(found.view(line.width, line.in_full)), line,
                   lines))
        return judged.code()
    check_output(line.output, "compare -o FILE")
    if line.in_full:
        raise Misuse("-o writes a page: no --json, --csv or --tsv")
    write(page_with(comparison(
        reports, found.view(ANSWER_WIDTH, False), found.graphs(),
        judged.verdicts)).encode(errors="replace"), line.output)
    show("".join(f"{text}\n" for text in lines))
    return judged.code()
