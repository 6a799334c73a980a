# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds numpy, which views of page logs need.  Debian's numpy is for Debian's
Python, and another Python may come first in the PATH.
"""

import importlib.util
import os
import subprocess
import sys

from ws_python.base.failure import Failure

SYSTEM = "/usr/bin/python3"


def has_numpy(python: str) -> bool:
    try:
        return subprocess.run([python, "-c", "import numpy"],
                              stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def require_numpy() -> None:
    """Restart the script under the system's Python if only that has numpy.
    The script must not have read standard input, or written, before.
    """
    if importlib.util.find_spec("numpy"):
        return
    if sys.executable != SYSTEM and has_numpy(SYSTEM):
        os.execv(SYSTEM, [SYSTEM, *sys.argv])
    raise Failure("views of a page log need numpy, which Debian has in the "
                  f"package python3-numpy; {sys.executable} does not find it")
