# SPDX-License-Identifier: GPL-2.0-or-later
"""Modules that few commands need: to load them all takes longer than most
commands.

This is the only place that imports a module while others run.  The type
checker and structure.test see usual imports:

    if TYPE_CHECKING:
        from ws_python.views import processes
    else:
        processes = Later("ws_python.views.processes")
"""

from importlib import import_module
from typing import Any, Callable, Optional


class Later:
    """Stands for a module, which is loaded at its first use, after a check."""

    def __init__(self, module: str,
                 check: Optional[Callable[[], None]] = None) -> None:
        self._module, self._check = module, check

    def __getattr__(self, name: str) -> Any:
        if self._check:
            self._check()
        return getattr(import_module(self._module), name)
