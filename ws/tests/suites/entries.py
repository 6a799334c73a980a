"""Which instruction brought each page into the windows, and what the samples
that a report keeps consist of: as ws_count has it from the trace, against the
report."""

from __future__ import annotations

from collections import Counter
from typing import (TYPE_CHECKING, Any, Iterable, Iterator, NamedTuple,
                    Optional, Sequence)

import wslib
import composition    # wslib has told where ws_python is

if TYPE_CHECKING:
    from oracle import Config, Truth

DEFAULT_PEAKS = 10


class Change(NamedTuple):
    """A page enters a working set, or leaves it, at a sample."""
    t: int
    set: str
    page: int    # address of its first byte
    insn: int    # it enters by this one; 0: it leaves


# Of each set, its pages and the instructions by which they entered.
Sets = dict[str, dict[int, int]]


def at(changes: Iterable[Change], t: int) -> Sets:
    """At a sample."""
    inside: Sets = {name: {} for name in ('insn', 'data', 'dirty')}
    for one in changes:
        if one.t > t:
            break
        if one.insn:
            inside[one.set][one.page] = one.insn
        else:
            del inside[one.set][one.page]
    return inside


# Pages, and if that is asked for, how many of them were written.
Pages = tuple[int, Optional[int]]


def shares(inside: Sets, name: str, with_written: bool) -> dict[int, Pages]:
    """What a set consists of, by instruction."""
    written: Counter[int] = Counter(
        insn for page, insn in inside['data'].items()
        if page in inside['dirty'])
    return {insn: (pages, written[insn] if with_written and name == 'data'
                   else None)
            for insn, pages in Counter(inside[name].values()).items()}


def differences(what: str, got: dict[Any, Any],
                want: dict[Any, Any]) -> list[str]:
    bad = [key for key in {**want, **got} if got.get(key) != want.get(key)]
    return [f'{what}: {len(bad)} of {len(want)} differ, the first is '
            + ' '.join(f'{part:#x}' if isinstance(part, int) else str(part)
                       for part in (key if isinstance(key, tuple) else [key]))
            + f': {got.get(key)}, expected {want.get(key)}' for key in bad[:1]]


def compare_window(report: wslib.Report, config: Config, tau: int,
                   changes: list[Change], held: list[Change]) -> list[str]:
    """What can be known of it without the truth, composition.check() has
    seen."""
    found = report.composition
    wrong = differences('entered', composition.entered(found, tau), Counter(
        (one.set, one.insn) for one in changes
        if one.insn and one.set != 'dirty'))
    for kept in found.samples.values():
        if kept.tau != tau:
            continue
        inside = (at([one for one in held if one.t == kept.time], kept.time)
                  if composition.is_snapshot(kept) else at(changes, kept.time))
        wrong += differences(f'{kept.set} at {kept.time}', parts(found, kept),
                             shares(inside, kept.set, config.dirty))
    return wrong


def parts(found: composition.Compositions, kept: composition.Kept
          ) -> dict[int, Pages]:
    """What a report says that a set consists of, by instruction."""
    sums: dict[int, Pages] = {}
    for share in kept.parts:
        insn = composition.address(found, share.frame)
        pages, written = sums.get(insn, (0, None))
        sums[insn] = (pages + share.pages, None if share.written is None
                      else share.written + (written or 0))
    return sums


# --- which samples are kept -------------------------------------------------

def _has_ground(height: int, others: Iterable[int], highest: int) -> bool:
    """Going that way, a ground comes before anything above `highest`."""
    for other in others:
        if other > highest:
            return False
        if 4 * other <= 3 * height:
            return True
    return False


def tops(sizes: Sequence[int]) -> list[int]:
    """The rows with a peak, straight from its definition
    (ws/docs/report-format.md): it stands out by a quarter of its height. The
    first row is that of t = 0, whose size is 0; of equal ones with no ground in
    between, the first one counts."""
    return [row for row, height in enumerate(sizes) if height > 0
            and _has_ground(height, (sizes[n] for n in range(row - 1, -1, -1)),
                            height - 1)
            and _has_ground(height, (sizes[n] for n in
                                     range(row + 1, len(sizes))), height)]


def highest(sizes: Sequence[int], count: int) -> list[int]:
    """So many of the peaks, in the order of time; of equal ones the earlier."""
    found = sorted(tops(sizes), key=lambda row: (-sizes[row], row))
    return sorted(found[:count])


def kept(report: wslib.Report, tau: int, peaks: int,
         times: Iterable[int]) -> Iterator[tuple[str, int, str]]:
    """Which samples a report must keep, and why. The table is known to be
    right."""
    every = report.every
    for name in ('insn', 'data'):
        sizes = report.wss(name, tau)
        largest = [sizes.index(max(sizes))] * any(sizes)
        for why, rows in (('largest', largest),
                          ('peak', highest(sizes, peaks)),
                          ('info-at', {-(-t // every) for t in times})):
            yield from ((name, row * every, why) for row in rows
                        if row < len(sizes))


def compare_kept(report: wslib.Report, tau: int, peaks: int,
                 truth: Truth) -> list[str]:
    return differences('kept', Counter(
        (one.set, one.time, why) for one in report.composition.samples.values()
        for why in one.why if one.tau == tau), Counter([
            *kept(report, tau, peaks, truth.times_to_keep),
            *((name, t, 'snapshot') for t in {
                one.t for ones in truth.held.values() for one in ones}
              for name in ('insn', 'data'))]))


def compare(report: wslib.Report, config: Config, truth: Truth) -> list[str]:
    wrong = []
    for number, tau in enumerate(report.taus):
        # One that repeats a shorter one, which has all of the run, is not said.
        if any(truth.end <= other < tau for other in report.taus):
            continue
        wrong += compare_window(report, config, tau,
                                truth.changes.get(number, []),
                                truth.held.get(number, []))
        wrong += compare_kept(report, tau, DEFAULT_PEAKS
                              if config.peaks is None else config.peaks, truth)
    return wrong
