"""The scripts, as a user runs them, but in children of this process: to start
Python, and to import what they need, takes ten times as long as most do."""

from __future__ import annotations

import contextlib
import importlib
import os
import resource
import runpy
import signal
import sys
import tempfile
import traceback
from pathlib import Path
from typing import NamedTuple, NoReturn, Optional, Sequence, Union

import wslib

SCRIPTS = wslib.ROOT / 'ws' / 'scripts'
PRINT, PLOT = SCRIPTS / 'ws_print', SCRIPTS / 'ws_plot'
TIMEOUT_S = 100

for path in (SCRIPTS / 'ws_python').rglob('[a-z]*.py'):
    with contextlib.suppress(ImportError):      # some need numpy
        importlib.import_module('.'.join(
            path.relative_to(SCRIPTS).with_suffix('').parts))


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def run(script: Path, *args: object, cwd: Path = Path(),
        stdin: Union[int, str] = '', env: Optional[dict[str, str]] = None,
        most_szB: int = 0) -> Ran:
    """With standard input from a file descriptor or a text; of memory, it may
    take so much more than this process has."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, (
            tempfile.TemporaryFile()) as err:
        if isinstance(stdin, str):
            given.write(stdin.encode())
            given.seek(0)
            stdin = given.fileno()
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.chdir(cwd)
            os.environ.update(env or {})
            if most_szB:
                has = int(Path('/proc/self/statm').read_text('utf-8').split()[5])
                resource.setrlimit(resource.RLIMIT_DATA, 2 * (
                    has * resource.getpagesize() + most_szB,))
            execute(script, args, (stdin, out.fileno(), err.fileno()))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        return Ran(code, *(file.read().decode(errors='surrogateescape')
                           for file in (out, err)))


def execute(script: Path, args: Sequence[object],
            files: Sequence[int]) -> NoReturn:
    """As the main program of this process."""
    code: object = 1
    try:
        for at, file in enumerate(files):
            os.dup2(file, at)
        signal.alarm(TIMEOUT_S)
        sys.argv = [str(script), *map(str, args)]
        runpy.run_path(str(script), run_name='__main__')
        code = 0
    except SystemExit as end:
        code = end.code or 0
    except BaseException:   # pylint: disable=broad-except
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        os._exit(code if isinstance(code, int) else 1)
