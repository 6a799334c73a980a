"""How many pages an LRU memory misses, in the plainest way: all accesses that
lackey prints, one after the other, in a memory of each size."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable, Sequence

import page_logs
from oracle import Program, run_lackey

SETS = ('insn', 'data', 'insn+data')


@dataclass
class Trace:
    """Of each set, the pages of all accesses and when they were accessed: in
    which instruction, from 1."""
    end: int = 0
    pages: dict[str, array[int]] = field(default_factory=lambda: {
        name: array('Q') for name in SETS})
    times: dict[str, array[int]] = field(default_factory=lambda: {
        name: array('Q') for name in SETS})


def read_trace(lines: Iterable[str], page_szB: int) -> Trace:
    trace, now = Trace(), 0
    everything = trace.pages['insn+data'], trace.times['insn+data']
    insn, data = ((trace.pages[name], trace.times[name]) for name in SETS[:2])
    for line in lines:
        if line[:2] == 'I ':
            now += 1
            one = insn
        elif line[:2] in (' L', ' S', ' M'):
            one = data
        else:
            continue
        address, _, size = line[3:].partition(',')
        first = int(address, 16)
        last = (first + int(size) - 1) // page_szB
        for page in range(first // page_szB, last + 1):
            for pages, times in (one, everything):
                pages.append(page)
                times.append(now)
    trace.end = now
    return trace


def trace_of(program: Program, page_szB: int, where: Path) -> Trace:
    """In a fresh directory, where/cwd, as wslib.run_ws() has it."""
    run_lackey(program, where / 'trace', where)
    with open(where / 'trace') as lines:
        return read_trace(lines, page_szB)


def misses(pages: Sequence[int], size: int) -> int:
    """Without first accesses."""
    memory: OrderedDict[int, None] = OrderedDict()
    found, last = 0, None
    for page in pages:
        if page == last:
            continue
        last = page
        if page in memory:
            memory.move_to_end(page)
            continue
        found += 1
        memory[page] = None
        if len(memory) > size:
            memory.popitem(last=False)
    return found - len(set(pages))


def log_of(trace: Trace, cuts: Sequence[int],
           page_szB: int) -> page_logs.Log:
    """What ws would write of it, with parts that end at these times."""
    log = page_logs.Log(page_szB=page_szB)
    at = {name: 0 for name in SETS[:2]}
    before = 0
    for cut in sorted({*cuts, trace.end}):
        sets: list[set[int]] = []
        for name in at:
            begin, times = at[name], trace.times[name]
            while at[name] < len(times) and times[at[name]] <= cut:
                at[name] += 1
            sets.append({*trace.pages[name][begin:at[name]]})
        log.part(cut - before, *map(sorted, sets))
        before = cut
    return log.end(trace.end)
