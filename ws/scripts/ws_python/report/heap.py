# SPDX-License-Identifier: GPL-2.0-or-later
"""The heap: the code that has allocated what is resident, and what to know of
allocators.
"""

import re
from collections import Counter
from typing import List, Tuple

from ws_python.base.text import VIA, cut
from ws_python.base.units import MS, byte_size, time_text
from ws_python.report.compositions import (BLOCKS, FREE, NOT_HEAP, Kept,
                                           by_mapping)
from ws_python.report.report import Report
from ws_python.report.stacks import Paths, Share, by_known, percent, shares_in

OF_PYTHON = ["Most of the heap is arenas of Python's own allocator. To see which "
             "functions", "allocate (with their names from Python 3.12 on):"]
OF_COLLECTOR = ["Most of the heap was mapped for a garbage collector, whose "
                "objects ws does not", "see: code that is named here made the "
                "heap grow, and need not keep it."]
UNSEEN = ["Most of the heap is in no block: the program has freed it, or ws does "
          "not see its", "allocator."]
# By the functions that map memory for many blocks.
ALLOCATORS = {r"_?Py(Mem|Object)_Arena|new_arena|\?+ \(in (lib)?python": OF_PYTHON,
              r"v8::base::OS::|os::|runtime\.": OF_COLLECTOR}
NEAREST = 3                 # frames of a stack that may be these
ARENAS_SZB = 1 << 20, 1 << 18       # of Python, up to 3.9 the smaller


def cold_window(report: Report, heap: Kept) -> int:
    """Choose the window that tells cold memory: the longest one that does not
    cover most of the run up to then, or else the shortest.
    """
    return max((tau for tau in report.taus if 2 * tau <= heap.time),
               default=min(report.taus))


def sites_of(report: Report, heap: Kept) -> Tuple[List[Share], List[Share]]:
    """Return the code that has allocated blocks, and what is in no block, each
    with most bytes first.
    """
    shares = sorted(shares_in(heap, Paths(report.compositions, by_known)),
                    key=lambda share: (-share.pages, share.name))
    return ([share for share in shares if share.lines],
            [share for share in shares if not share.lines])


def heap_in_words(report: Report, heap: Kept, most: int, width: int) -> List[str]:
    """Say what the heap consists of, and whose most of its blocks are."""
    tau, parts = cold_window(report, heap), dict.fromkeys((BLOCKS, FREE), 0)
    parts.update((name, pages) for name, pages, _ in by_mapping(heap.origins))
    texts = [f"{byte_size(pages)} {name}" for name, pages in parts.items()]
    lines = ["    (" + ", ".join(texts[:2]) + ",",
             "    " + ", ".join(texts[2:]) + "), allocated by (used within "
             + time_text(tau, MS if report.is_clocked else "instr.") + "):"]
    left = 100
    for share in sites_of(report, heap)[0][:most]:
        of_all = percent(share.pages, heap.pages)
        if not of_all:
            break
        numbers = (f": {byte_size(share.pages)} "
                   f"({byte_size(share.heap[f'hot_{tau}'])})")
        lines.append(f"   {of_all:3} %  " + cut(
            VIA.join(share.names), width - 10 - len(numbers)) + numbers)
        left -= of_all
    return lines + ([f"   {left:3} %  others, and what is in no block"] if left > 0
                    else [])


def hints(report: Report, heap: Kept) -> List[str]:
    """Say what helps, or what the rows mean, if most of the heap is of an
    allocator whose blocks the tool does not see.
    """
    held: "Counter[str]" = Counter()
    paths = Paths(report.compositions, by_known)
    for origin in heap.origins:
        blocks, live = (origin.heap.get(name, 0) for name in ("blocks", "live"))
        # Without symbols, arenas are known by their size.
        names = [step.frame.function or f"???{step.frame.where()}"
                 for step in paths.of(origin)[:NEAREST] if step.frame and (
                     step.frame.function or live in (
                         blocks * szB for szB in ARENAS_SZB))]
        held[origin.mapping if origin.mapping != BLOCKS else next(
            (pattern for pattern in ALLOCATORS if any(
                re.match(pattern, name) for name in names)),
            BLOCKS)] += origin.pages
    del held[NOT_HEAP]
    most = max(held, key=lambda name: held[name], default=BLOCKS)
    if 2 * held[most] <= sum(held.values()):
        return []
    lines = ALLOCATORS.get(most, UNSEEN if most == FREE else [])
    if lines is OF_PYTHON:
        python, _, rest = report.header.get("Command", "").replace(
            " -X perf", "").partition(" ")
        return [*lines, "    PYTHONMALLOC=malloc valgrind --tool=ws "
                f"--ws-heap=yes {python} -X perf {rest}"]
    return lines
