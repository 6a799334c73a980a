"""Pages of ws_print page, for suites that look at them: a report by hand, a
page of it, and what a browser has of it."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any, Callable

import scripts
import wslib
from browser import Absent, Browser
from samples import report
from scripts import SCRIPTS

LIBRARIES = SCRIPTS / 'ws_python/show/html/lib/libraries.js'
NO_PAGES = '' if LIBRARIES.exists() else (
    'no libraries: there was no npm, or no network, when ws was built')
MOST_BYTES = 2000000
EVIL = ('</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>'
        '&lt;b&gt;\u2028\u202e\x07"\'`${alert(3)}')

# In the largest sample of data, main calls load (60 pages: 40 by line 5, 20 by
# line 6) and, from two lines, sort (30 of main's line 9, 10 of line 8).
# 5 pages have no stack. So main is called for 100 of 105 pages, and load is
# one node of several lines.
REPORT = report('''\
 t WSS_insn WSS_data info total_insn total_data mapped WSS_insn_4000 \
WSS_data_4000
 0 0 0 - 0 0 290 0 0
 1000 4 40 - 4 40 300 4 40
 2000 6 105 - 7 120 310 7 120
 3000 5 60 - 7 130 320 7 130
 4000 5 80 - 7 140 330 7 140''', '''\
Sizes:
 set tau avg max bound
 insn 1000 5.0 6 -
 data 1000 71.2 105 -
--
Totals:
 set pages anew
 insn 7 0
 data 140 0
--

Working set profile:
 set tau avg p50 p95 max entered miss life note
 insn 1000 5.0 4 6 6 12 3.000000 333 -
 data 1000 71.2 60 105 105 210 52.500000 19 -
 data 2000 90.0 95 120 120 150 37.500000 27 -
 data 4000 107.5 110 140 140 140 35.000000 29 limited
--

Kept samples:
  sample  set                t    pages  written why                  label
       0 data             2000      105        - largest,peak
       1 insn             2000        6        - largest,peak
       2 data             4000       80        - snapshot             %(name)s
--

Composition:
  sample    pages  written    frame mapping
       0       40        -        2 heap
       0       30        -        5 anonymous
       0       20        -        3 heap
       0       10        -        7 anonymous
       0        5        -        - stack of thread 1
       1        6        -        1 /home/me/prog
       2       80        -        2 %(name)s
--

Stacks:
   frame   caller            address     line     whose place
       1        - 0x0000000000401000        7       own main|/src/x.c|/home/me/prog
       2        1 0x0000000000401010        5       own load|/src/x.c|/home/me/prog
       3        1 0x0000000000401020        6       own load|/src/x.c|/home/me/prog
       4        - 0x0000000000401030        9       own main|/src/x.c|/home/me/prog
       5        4 0x0000000000402000       20       own sort|/src/y.c|/home/me/prog
       6        - 0x0000000000401040        8       own main|/src/x.c|/home/me/prog
       7        6 0x0000000000402000       20       own sort|/src/y.c|/home/me/prog
 8 - 0x1 5 - load|x.c|
 9 - 0x1 6 - load|x.c|
--

Phases:
 start end instructions insn data samples avg_insn max_insn avg_data max_data \
info label
 0 1500 1500 5 60 1 4.0 4 40.0 40 - %(name)s
 1500 4200 2700 7 110 3 5.3 6 81.7 105 -
--

Data pages:
 count page last anew frame mapping
 90 0x0000000004001000 4200 - 8 heap
 7 0x0000000004002000 1000 - 9 heap
 5 0x0000000004003000 4200 - - %(name)s
--

''', 'Instructions:   4200\n', Command='./prog %(name)s', PID='%(pid)s',
                Every=1000, Tau=1000, Further_taus=4000, Stacks='yes')


def written(path: Path, name: str = 'plain', pid: int = 17) -> Path:
    path.write_text(REPORT % {'name': name, 'pid': pid}, encoding='utf-8',
                    errors='surrogateescape')
    return path


def call(*args: object) -> scripts.Ran:
    return scripts.run(scripts.PRINT, *args)


def data_of(page: Path) -> dict[str, Any]:
    """What its scripts are given."""
    return json.loads(zlib.decompress(base64.b64decode(re.search(
        r'<script id="data" type="text/plain">(.*?)</script>',
        page.read_text())[1])))


def part_of(page: Path, view: str) -> dict[str, Any]:
    """The first part of a view of the first report."""
    return next(one['parts'][0] for one in data_of(page)['reports'][0]['views']
                if one['name'] == view)


def in_browser(tap: wslib.Tap, where: Path,
               *parts: Callable[..., None]) -> None:
    """Parts that look at pages, if there is a browser."""
    try:
        with Browser() as browser:
            for part in parts:
                tap.part(part, browser, where)
                tap.equal(browser.said(), ([], []),
                          f'{part.__name__}: no error, no request')
    except Absent as reason:
        tap.skip('pages', str(reason))


def legend(browser: Browser, section: str) -> list[str]:
    """The lines that a chart shows, and what they are at the cursor."""
    return browser.evaluate(
        f'[...document.querySelectorAll("{section} tr.u-series:not(.edge)'
        ':not(.u-off)")].map(row => [...row.cells].map('
        'cell => cell.textContent).join(": "))')


def ready(browser: Browser, chart: str = '#heat') -> list[float]:
    """Return where the map is."""
    return browser.evaluate(
        f'(() => {{ document.querySelector("{chart}").scrollIntoView();'
        f' const r = document.querySelector("{chart} .u-over")'
        '.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })()')


def fits(tap: wslib.Tap, browser: Browser, what: str) -> None:
    """Nothing is cut at the right; short names of lines are beside their values."""
    tap.ok(browser.evaluate(
        '[document.documentElement, ...document.querySelectorAll(".said")].every('
        'one => one.scrollWidth <= one.clientWidth) && [...document'
        '.querySelectorAll("tr.u-series:not(.edge)")].every(({cells: [name,'
        ' value]}) => name.textContent.length <= 60 && name'
        '.getBoundingClientRect().bottom > value.getBoundingClientRect().top)'),
           f'not wider than {what}')


def rows(browser: Browser, selector: str) -> list[list[str]]:
    """The cells of a table."""
    return browser.evaluate(
        f'[...document.querySelectorAll({json.dumps(selector + " tr")})]'
        '.map(row => [...row.cells].map(cell => cell.textContent))')
