# SPDX-License-Identifier: GPL-2.0-or-later
"""The views of page logs need numpy.  Debian's is for Debian's Python, and
another one may come first in the PATH.
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
    """The whole script begins again under the system's Python if that one has
    it: nothing must have been read from standard input, or written.
    """
    if importlib.util.find_spec("numpy"):
        return
    if sys.executable != SYSTEM and has_numpy(SYSTEM):
        os.execv(SYSTEM, [SYSTEM, *sys.argv])
    raise Failure("views of a page log need numpy, which Debian has in the "
                  f"package python3-numpy; {sys.executable} does not find it")
