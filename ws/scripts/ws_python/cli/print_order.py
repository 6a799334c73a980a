# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers ws_print order."""

from ws_python.cli.output import check_output, show, shown, write
from ws_python.cli.reading import logs
from ws_python.cli.request import CommandLine


def run(line: CommandLine) -> int:
    if line.output:
        check_output(line.output, "order -o FILE")
    order = logs.order_of(logs.load_logs(line), line)
    view = order.view(line)
    if line.output:
        write(order.text(line.format).encode(), line.output)
    show(shown(view, line))
    return 0
