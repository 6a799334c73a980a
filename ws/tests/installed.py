"""The Valgrind that is installed on this machine, as a copy of it that a test
may put ws into."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Optional

import wslib

DEV = wslib.ROOT / 'dev'

MARKS = '''
#include <valgrind/ws.h>
int main(void) { WS_MARK("here"); return 0; }
'''


class Copy:
    """What ws needs of the machine's Valgrind, below another root. Places are
    named without that."""

    def __init__(self, real: Path, root: Path) -> None:
        # It says where its tools are to those who debug it.
        said = subprocess.run([real, '-d', '--tool=none', 'true'],
                              stderr=subprocess.PIPE, text=True).stderr
        match = re.search(r'VG_\(libdir\) = (/.*)', said)
        assert match is not None, said
        self.root = root
        self.tools, self.bin = Path(match[1]), real.resolve().parent
        prefix = self.bin.parent
        self.headers = prefix / 'include' / 'valgrind'
        self.pages = prefix / 'share' / 'man' / 'man1'
        for place, patterns in (
                (self.tools, ('none-*', 'vgpreload_core-*', 'default.supp')),
                (self.headers, ('valgrind.h',)), (self.bin, ()),
                (self.pages, ())):
            self.at(place).mkdir(parents=True)
            for pattern in patterns:
                for path in place.glob(pattern):
                    shutil.copy2(path, self.at(place))
        self.at(self.pages / 'valgrind.1').write_text("the distribution's\n")
        self.command = self.at(self.bin / 'valgrind')
        self.command.write_text(
            f"#!/bin/sh\nVALGRIND_LIB='{self.at(self.tools)}'\n"
            f'export VALGRIND_LIB\nexec {real} "$@"\n')
        self.command.chmod(0o755)

    def at(self, place: Path) -> Path:
        return self.root / place.relative_to('/')

    def __call__(self, script: str, *arguments: str, before: object = '',
                 **more: str) -> tuple[int, str]:
        """A script of dev/, with the commands of a directory before others."""
        path = ':'.join(map(str, [*[before] * bool(before),
                                  self.command.parent, os.environ['PATH']]))
        return call(DEV / script, *arguments, PATH=path,
                    DESTDIR=str(self.root), **more)

    def snapshot(self) -> dict[str, tuple[int, str]]:
        """All files with their modes and what they consist of."""
        return {f'/{path.relative_to(self.root)}': (
            path.lstat().st_mode, os.readlink(path) if path.is_symlink() else
            digest(path.read_bytes()) if path.is_file() else '')
            for path in self.root.rglob('*')}

    def added(self) -> tuple[set[str], set[str]]:
        """What ws adds: the man pages that can be made here, as dev/prereqs
        asks; and the other files that come, with their directories."""
        docbook = Path('/usr/share/xml/docbook')
        has_pages = shutil.which('xsltproc') and all(map(Path.exists, (
            docbook / 'schema/dtd/4.5/docbookx.dtd',
            docbook / 'stylesheet/nwalsh/manpages/docbook.xsl')))
        tools = [path.name.replace('none-', 'ws-')
                 for path in self.at(self.tools).glob('none-*')]
        scripts = ['ws_attach', 'ws_plot', 'ws_print']
        found = [self.headers / 'ws.h', *(self.bin / name for name in scripts)]
        found += [self.bin.parent / 'share' / name for name in (
            'bash-completion', 'bash-completion/completions',
            *(f'bash-completion/completions/{name}.bash' for name in scripts),
            'zsh', 'zsh/site-functions', 'zsh/site-functions/_ws_print')]
        found += [self.tools / name for name in (
            'ws_python', 'ws_python/html', 'ws_python/rules', *scripts,
            *(name for name in tools if (wslib.TREE / 'ws' / name).exists()),
            *(f'ws_python/{path.name}' for path in
              (wslib.ROOT / 'ws/scripts/ws_python').glob('*.py')),
            *(f'ws_python/rules/{path.name}' for path in
              (wslib.ROOT / 'ws/scripts/rules').iterdir()),
            *(f'ws_python/html/{path.name}' for end in ('css', 'html', 'js')
              for path in (wslib.ROOT / 'ws/scripts/html').glob(f'*.{end}')),
            # Where there is no npm, there are none.
            *(f'ws_python/html/{path.relative_to(path.parents[1])}' for path in
              (wslib.ROOT / 'ws/scripts/html').glob('lib*/libraries.*')),
            *(['ws_python/html/lib'] if (
                wslib.ROOT / 'ws/scripts/html/lib').exists() else []))]
        return ({f'{self.pages}/{name}.1' for name in scripts if has_pages},
                {*map(str, found)})


def copy(tap: wslib.Tap, root: Path) -> Copy:
    """Ends the suite where the version at hand is not installed."""
    real = shutil.which('valgrind')
    here = version(wslib.VALGRIND)
    if real is None or version(real) != here:
        tap.skip('all', f'no {here} is installed')
        tap.done()
    return Copy(Path(real), root)


def version(command: object) -> str:
    return subprocess.run([str(command), '--tool=none', '--version'],
                          stdout=subprocess.PIPE, text=True).stdout.strip()


def digest(contents: bytes) -> str:
    return hashlib.sha256(contents).hexdigest()


def call(*command: object, user: Optional[int] = None,
         **env: str) -> tuple[int, str]:
    """Run a command; its exit code and all that it says."""
    env.update((name, value) for name, value in os.environ.items()
               if name not in ('DESTDIR', 'VALGRIND_VERSION', *env))
    done = subprocess.run([*map(str, command)], env=env, cwd='/',
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, user=user)
    return done.returncode, done.stdout


def without(directory: Path, *names: str) -> Path:
    """A directory with the machine's commands but those whose names begin
    so."""
    directory.mkdir()
    for name in os.listdir('/usr/bin'):
        if not name.startswith(names):
            (directory / name).symlink_to(f'/usr/bin/{name}')
    return directory


def works(tap: wslib.Tap, build: Path, copied: Copy) -> None:
    """The tool, with a plain command line."""
    def run(valgrind: object, *args: object) -> str:
        """The reports, without the process ids."""
        for path in build.glob('report*'):
            path.unlink()
        subprocess.run([str(valgrind), '-q', '--tool=ws',
                        '--ws-out-file=report', *map(str, args)], cwd=build,
                       env=wslib.client_env(), stdin=subprocess.DEVNULL)
        return re.sub('(?m)^PID: .*', '', ''.join(
            path.read_text() for path in sorted(build.glob('report*'))))

    for bits, source in (('-m64', 'example.S'), ('-m32', 'long32.S')):
        program = build / f'program{bits}'
        if not wslib.compile_asm(program, source, bits, '-DSIZE=9'):
            tap.skip(bits, 'the compiler makes no such programs')
            continue
        ours, theirs = (run(valgrind, '--ws-every=4', '--ws-list-pages=yes',
                            program)
                        for valgrind in (wslib.VALGRIND, copied.command))
        if bits == '-m32' and not ours:
            tap.skip(bits, 'this Valgrind runs no 32-bit programs')
            continue
        tap.ok(theirs == ours and ours.endswith('\nEnd of report\n'),
               f'{bits}: the report is the same', ours, theirs)

    (build / 'marks.c').write_text(MARKS)
    include = copied.at(copied.headers).parent
    subprocess.run(['gcc', f'-I{include}', '-o', build / 'marks',
                    build / 'marks.c'])
    text = run(copied.command, '--trace-children=yes', '/usr/bin/env',
               build / 'marks')
    tap.ok(' - here\n' in text, 'ws.h, and a traced child', text)
    for script, text in (('ws_plot', 'Working set of '),
                         ('ws_print', 'Command: ')):
        shown = subprocess.run([copied.at(copied.bin / script),
                                build / 'report'], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
        tap.ok(shown.returncode == 0 and text in shown.stdout, script,
               shown.stdout)
