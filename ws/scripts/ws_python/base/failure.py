# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages to the user."""

import os
import sys

from ws_python.base.text import printable


class Failure(Exception):
    """A message to the user; it ends the script."""


def warn(message: object) -> None:
    print(f"{program_name()}: {message}", file=sys.stderr)


def program_name() -> str:
    return printable(os.path.basename(sys.argv[0]))
