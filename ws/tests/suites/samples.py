"""Reports by hand for the suites of ws_print: two runs, in
instructions and milliseconds, short, cut off, and with nonsense in them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import scripts
import wslib


def report(table: str, sections: str = '', summary: str = '',
           **header: object) -> str:
    """A complete one. In names of keys, "_" is a blank."""
    keys = {'Format': 3, 'Command': './prog', 'PID': 17, 'Page_size': 4096,
            'Time_unit': 'instructions', 'Every': 100, 'Tau': 100, **header}
    lines = [f'{key.replace("_", " ") + ":":15} {value}'
             for key, value in keys.items()]
    return '\n'.join(['Working Set Measurement by valgrind-ws-0.1', *lines,
                      '--', '', 'Working sets:', table, '', '--', '',
                      'Summary:', f'{summary}--', '', sections
                      + 'End of report\n'])


# The samples of data are 10 40 20 30 20, their sum is 120, and of insn
# 4 6 6 5 4 = 25. For tau=200, data 10 45 50 40 45 = 190, insn 4 8 8 8 8 = 36.
# The third phase has no sample; a blank and a quote are part of a label.
FIRST = '''\
Working Set Measurement by valgrind-ws-0.1
Format:         3
Command:        ./prog one 中文
PID:            17
Parent PID:     16
Page size:      4096
Time unit:      instructions
Every:          100
Tau:            100
Further taus:   200
--
Working sets:
 t WSS_insn WSS_data info total_insn total_data WSS_dirty WSS_insn_200 \
WSS_data_200 WSS_dirty_200
 0 0 0 - 0 0 0 0 0 0
 100 4 10 - 4 10 5 4 10 5
 200 6 40 1 6 50 7 8 45 9
 300 6 20 - 8 50 8 8 50 9
 400 5 30 1 8 55 2 8 40 9
 500 4 20 - 8 55 2 8 45 9

Summary:
Instructions:   520
--
Sizes:
 set tau avg max bound
 insn 100 5.0 6 7
 data 100 24.0 40 47
 dirty 100 4.8 8 -
--
Totals:
 set pages anew peaks
 insn 9 0 0
 data 61 1 2
 dirty 12 - -
--
Resident:
  set most t end
 both 70 480 69
--

Working set profile:
  set tau avg p50 p95 max entered miss life note
 insn 100 5.0 5 6 6 8 16.000000 62 -
 data 100 24.0 20 40 40 80 160.000000 6 -
 data 200 38.0 45 50 50 55 110.000000 - limited
--
Phases:
 start end instructions insn data dirty samples avg_insn max_insn avg_data \
max_data avg_dirty max_dirty info label
     0 150 150 6 40 6 1 4.0 4 10.0 10 5.0 5 - loading is done
   150 505 355 7 1044 8 4 5.3 6 27.5 40 5.0 8 2  "at" the end
   505 520 15 2 7 0 0 - - - - - - -
--
Sample info:
 info refs kind set frame label
 1 2 sample - 2 
 2 1 snapshot - 3  "at" the end
--
Code pages:
 count page last anew frame mapping
 400 0x0000000000401000 519 - 4 /home/me/prog
 100 0x0000000000402000 420 - 5 /home/me/prog
 20 0x0000000000500000 421 yes 6 /usr/lib/a [b]
--
Data pages:
 count page last anew frame mapping
 90 0x0000001ffeffe000 520 - 7 stack of thread 1
 50 0x0000000004a00000 500 - 8 heap
 40 0x0000000004a01000 500 - 9 heap
 40 0x0000000004a01000 520 yes 10 anonymous
 20 0x0000000000500000 500 - 11 /usr/lib/a [b]
--
Stacks:
 frame caller address line whose place
 1 - 0x1 94 - main|x.c|
 2 1 0x1 40 - touch|x.c|
 3 - 0x1 9 - finish|x.c|
 4 - 0x1 90 - main|x.c|
 5 - 0x1 39 - touch|x.c|
 6 - 0x1 41 - touch|x.c|
 7 - 0x1 - start _start||
 8 - 0x1 40 - touch|x.c|
 9 - 0x4014b10 - own ||/usr/lib/a [b]
 10 - 0x1 44 - touch|x.c|
 11 - 0x1 7 - operator new[](unsigned long)|n.cc|
--
End of report
'''


def changed(text: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


# After a change: the working set of data is larger, a peak has become another
# one, touch() has moved in its file, and the second window is longer.
SECOND = changed(
        FIRST, ('./prog one 中文', './prog three'),
        ('PID:            17', 'PID: 18'),
        ('Parent PID:     16', 'Parent PID: 17'),
        (' 300 6 20 -', ' 300 6 44 3'), (' 400 5 30 1', ' 400 5 30 -'),
        ('both 70', 'both 77'), ('Further taus:   200', 'Further taus: 300'), ('_200', '_300'),
        (' 40 - touch|x.c|', ' 50 - touch|x.c|'), (' 1 2 sample', ' 1 1 sample'),
        (' 2 1 snapshot', ' 3 1 sample - 13 \n 2 1 snapshot'),
        ('|n.cc|\n', '|n.cc|\n 12 - 0x1 97 - main|x.c|\n'
         ' 13 12 0x1 2 - fill|y.c|\n'))

# In milliseconds.
FIRST_MS = changed(FIRST, ('unit:      instructions',
                           'unit:      milliseconds'),
                   ('Instructions:   520', 'Instructions: 7\nMilliseconds: '
                    '520\nLate avg us: 1234\nLate max us: 100001'))

SHORT = report('''\
 t WSS_insn WSS_data info new_insn new_data total_insn total_data
 0 0 0 - 0 0 0 0''', '''\
Sizes:
 set tau avg max bound
 insn 100000 - - -
 data 100000 - - -
--
Totals:
 set pages anew
 insn 32 0
 data 70 0
--

Working set profile:
 set tau avg max entered miss life note
--

Phases:
 start end instructions insn data samples avg_insn max_insn avg_data max_data \
info label
 0 52000 52000 30 60 0 - - - - - loaded
 52000 53000 1000 5 11 0 - - - - -
--
''', 'Instructions:   53000\n',
               Command='./short', PID=9, Every=100000, Tau=100000)

# The largest sample of data, 400 pages, is counted in the comments. There are
# a recursion (sort), a function of two lines (main), one without a name, a
# stack that was cut at two frames, a thread behind whose start the unwinder
# finds one frame more, and a program in Rust.
COMPOSED = report('''\
 t WSS_insn WSS_data info new_insn new_data total_insn total_data
 0 0 0 - 0 0 0 0
 100 10 100 - 10 100 10 100
 200 12 400 - 2 300 12 400
 300 11 50 - 0 0 12 400
 400 11 120 - 0 0 12 400''', '''\
Sizes:
 set tau avg max bound
 insn 100 11.0 12 -
 data 100 167.5 400 -
--
Totals:
 set pages anew
 insn 12 0
 data 420 0
--

Working set profile:
 set tau avg max entered miss life note
 data 100 167.5 400 500 1250.000000 1 -
 data 200 250.0 400 420 1050.000000 1 -
--

Kept samples:
  sample  set                t    pages  written why                  label
       0 data              200      400      140 largest,peak
       1 insn              200       12        - largest,peak
       2 data              400      120        0 peak
       3 data              310       50       50 snapshot             after sorting
       4 insn              300       11        - info-at
       5 resident          410      432        - largest
       6 resident          310      100        - snapshot             other
--

Composition:
  sample    pages  written    frame mapping
       0      200      100        5 anonymous
       0       60       40        7 heap
       0       50        0        9 heap
       0       40        0        4 heap
       0       20        0       11 anonymous
       0       17        0       14 stack of thread 2
       0        6        0       19 /usr/lib/my prog
       0        4        0        - stack of thread 1
       0        2        0       20 heap
       0        1        0       21 heap
       1        8        -        7 /home/me/prog
       1        4        -        5 /usr/lib/libc.so.6
       2      120        0        5 anonymous
       3       50       50        4 heap
       4       11        -        5 /usr/lib/libc.so.6
       5      256        -        5 anonymous
       5       64        -        7 heap
       5       60        -        4 shared memory
       5       32        -       14 stack of thread 2
       5       16        -        5 /usr/lib/libc.so.6
       5        4        -        9 /home/me/prog
       6      100        -        5 anonymous
--

Entries:
   set          entered    frame mapping
  insn               12        7 /home/me/prog
  data              300        5 anonymous
  data              100        4 heap
  data              100        9 heap
--

Stacks:
   frame   caller            address     line     whose place
       1        - 0x0000000000401000        -     start _start||/home/me/prog
       2        1 0x0000000000500000        -     start __libc_start_main@@GLIBC_2.34||\
/usr/lib/libc.so.6
       3        2 0x0000000000401090       90       own main|/src/x.c|/home/me/prog
       4        3 0x0000000000401050       50       own load|/src/x.c|/home/me/prog
       5        4 0x0000000000501000        -         - memset||/usr/lib/libc.so.6
       6        2 0x0000000000401094       94       own main|/src/x.c|/home/me/prog
       7        6 0x0000000000401070       70       own sort|/src/x.c|/home/me/prog
       8        7 0x0000000000401072       72       own sort|/src/x.c|/home/me/prog
       9        8 0x0000000000601234        -         - ||/usr/lib/libz.so.1
      10        ? 0x0000000000401005        5       own deep|/src/x.c|/home/me/prog
      11       10 0x0000000000402009        9       own leaf|/src/y.c|/home/me/prog
      22        - 0x0000000000000001        -         - ||
      12       22 0x0000000000500100        -     start clone3||/usr/lib/libc.so.6
      13       12 0x0000000000500200        -     start start_thread||/usr/lib/libc.so.6
      14       13 0x0000000000403003        3       own work|t.c|/home/me/prog
      15        1 0x0000000000404000        -       own main||/usr/lib/my prog
      16       15 0x0000000000404010        -     start std::rt::lang_start||/usr/lib/my\
 prog
      17       16 0x0000000000404020      250     start core::ops::function::FnOnce::\
call_once|function.rs|/usr/lib/my prog
      18       17 0x0000000000404030        7       own prog::main|main.rs|/usr/lib/my \
prog
      19       18 0x0000000000404040        8       own ns::Map<(char)1>::at(int (*)()) \
const|map.rs|/usr/lib/my prog
      20        3 0x0000000000405000       20       own tiny_a|/src/x.c|/home/me/prog
      21        3 0x0000000000405010       21       own tiny_b|/src/x.c|/home/me/prog
--

Clock:
 t ms resident
''' + ''.join(f' {42 * n} {n} {400 if n < 10 else 432}\n'
              for n in range(11)) + '--\n\n', 'Instructions:   420\n', Stacks='yes')

# In milliseconds. The second process begins 15 ms after the first, so the
# total is 0-10: 4, -15: 8, -20: 8 + 10, -25: 2 + 10, -30: 2 + 12,
# -35: 1 + 12, -40: 1; its average is 370 / 40.
def clocked(pid: int, start: int, rows: str) -> str:
    return report(f't WSS_insn WSS_data\n0 0 0\n{rows}', Command=f'./p{pid}',
                  PID=pid, Time_unit='milliseconds', Start=start, Every=10,
                  Tau=10)


def process(pid: int, instructions: int) -> str:
    return changed(FIRST, ('PID:            17', f'PID: {pid}'),
                   ('Instructions:   520', f'Instructions: {instructions}'))


# Its process runs, but not under ws.
GOING = clocked(os.getpid(), 1, '10 4 4 9\n20 8 8 12\n30 2 2 12\n40 1 1 7').replace(
    'WSS_data\n0 0 0', 'WSS_data resident\n0 0 0 0').partition(
        '\n--\n\nSummary')[0]

STACKS = changed(FIRST, ('\nTau:', '\nStacks: yes\nTau:'))

REPORTS = {
    **{f'p.{pid}': process(pid, instructions) for pid, instructions in (
        (17, 520), *((pid, 520) for pid in range(19, 29)), (29, 58), (30, 11),
        (31, 11))},
    'p.18': SECOND, 'p.17.1': changed(
        SECOND, ('PID: 18\nParent PID: 17', 'PID: 17'),
        ('Instructions:   520', 'Instructions: 700')),
    'first': FIRST, 'second': SECOND, 'first_ms': FIRST_MS,
    'cut_phases': FIRST[:FIRST.index('   505 520')], 'short': SHORT,
    'format4': changed(FIRST, ('Format:         3', 'Format: 4')),
    'phase': changed(FIRST, ('   505 520 15 2', '   505 504 15 2')),
    'phase_before': changed(FIRST, ('   505 520 15 2', '   504 520 15 2')),
    'again': changed(
        FIRST, (' 2  "at" the end\n', ' - loading is done\n   505 505 0 1 1 1 0 '
              '- - - - - - - loading is done\n')),
    'stacks': STACKS, 'brief': STACKS[:STACKS.index(' 200 6 40')],
    'cut': FIRST[:FIRST.index(' 400 5 30') + 4],
    'large': FIRST.replace('4096', '8192'), 'lines': FIRST.replace('4096', '64'),
    'lean': FIRST.replace('WSS_dirty', 'later'),
    'list': FIRST[:FIRST.index(' 40 0x0000000004a01000 520')],
    'timeless': clocked(6, 1, '10 1 1').replace('Start:', 'Begin:'),
    'ms5': clocked(5, 10**12, '10 4 4\n20 8 8\n30 2 2\n40 1 1'),
    'ms6': clocked(6, 10**12 + 15, '10 10 10\n20 12 12'),
    'going': GOING, 'begun': GOING[:GOING.index('10 4 4 9')],
    'none': clocked(7, 1, '')}


def run(where: Path, *args: object, stdin: str = '', **env: str
        ) -> scripts.Ran:
    return scripts.run(scripts.PRINT, *args, cwd=where, stdin=stdin, env={
        **wslib.client_env(), 'LC_ALL': 'C.UTF-8', **env})


def tables(text: str) -> dict[str, list[dict[str, object]]]:
    """The rows of the tables in JSON, by their titles."""
    parts = json.loads(text)['view']['parts'] if text else []
    return {part['title']: [dict(zip(
        (column['name'] for column in part['columns']), row))
        for row in zip(*(column['values'] for column in part['columns']))]
        for part in parts if part['kind'] == 'table'}
