"""Programs that do the same in each run, for the oracle."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Callable, Optional, Union

import wslib
from oracle import Program

Prepare = Optional[Callable[[Path], None]]    # fills the program's directory


def data_file(home: Path) -> None:
    lines = [f'{n} line {n * n % 977} of text, {n % 7} times\n'
             for n in range(1500)]
    (home / 'data').write_text(''.join(lines))
    os.utime(home / 'data', (1000000000, 1000000000))


def some_tree(home: Path) -> None:
    for n in range(12):
        (home / f'd{n % 3}').mkdir(exist_ok=True)
        path = home / f'd{n % 3}' / f'file{n}'
        path.write_text('x' * n * 100)
        os.utime(path, (1000000000 + n, 1000000000 + n))
    for n in range(3):
        os.utime(home / f'd{n}', (1000000000, 1000000000))
    os.utime(home, (1000000000, 1000000000))


SQL = '''
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 600)
  insert into t select i, 'row ' || (i * 7919 % 613), i / 3.0 from n;
create index tb on t(b);
select count(*), sum(c) from t where b like 'row 1%';
select b, count(*) from t group by substr(b, 1, 5) order by 2 desc limit 3;
delete from t where a % 3 = 0;
update t set c = c * 2 where b > 'row 4';
select sum(c) from t;
'''

# Arguments of system() below.
LS = (some_tree, 'ls', '-l', '.', 'd0', 'd1', 'd2')


def system(prepare: Prepare, name: str, *args: str) -> Union[Program, str]:
    """A program of this machine, by its name."""
    path = shutil.which(name, path='/usr/bin:/bin')
    if path is None:
        return f'no {name} here'
    return Program([path, *args], prepare)


def own(build: Path, source: str, *flags: str) -> Union[Program, str]:
    """A program of ours, compiled here."""
    output = build / ''.join([source.split('.')[0], *flags])
    good = (wslib.compile_asm(output, source, *flags) if source.endswith('.S')
            else wslib.compile_c(output, [source], '-O2', *flags, '-lm'))
    if not good:
        return f'cannot compile {source} {" ".join(flags)}'
    return Program([output])


def own32(build: Path, source: str) -> Union[Program, str]:
    if not wslib.runs_32_bits():
        return 'this Valgrind runs no 32-bit programs'
    return own(build, source, '-m32', '-msse2')
