# SPDX-License-Identifier: GPL-2.0-or-later
"""What commands have in common: complaints about options, and output."""

import argparse
from typing import NoReturn, Optional

from ws_python.reports import Failure
from ws_python.text import printable


class Parser(argparse.ArgumentParser):
    """Says what is wrong in printable characters."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def write(content: bytes, output: Optional[str] = None) -> None:
    """To a file, or else to standard output."""
    try:
        with open(output or 1, "wb", closefd=bool(output)) as file:
            file.write(content)
    except BrokenPipeError:
        pass        # the reader has seen enough
    except OSError as error:
        raise Failure(f"{printable(output or 'standard output')}: "
                      f"{error.strerror}") from None
