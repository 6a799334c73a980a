"""What a report says of the code behind the working set: the sections Kept
samples, Composition, Entries and Stacks; and what can be known of them
without knowing the program."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby
from typing import Iterator, NamedTuple, Optional, Sequence

from demands import demand
from tops import highest

TITLES = ('Kept samples:', 'Composition:', 'Entries:', 'Stacks:')
LABELLED = 20    # the width of the column before the label

_MAPPING = re.compile('heap|stack of thread [1-9][0-9]*|anonymous|'
                      'shared memory|/.*')


class Kept(NamedTuple):
    """A row of Kept samples."""
    sample: int
    set: str
    t: int
    pages: int
    written: Optional[int]
    why: tuple[str, ...]
    label: str


class Share(NamedTuple):
    """A row of Composition: what a sample consists of."""
    sample: int
    pages: int
    written: Optional[int]
    frame: Optional[int]
    mapping: str


class Entered(NamedTuple):
    """A row of Entries."""
    set: str
    entered: int
    frame: Optional[int]
    folded: bool    # by what the frame has called
    mapping: str


class Frame(NamedTuple):
    """A row of Stacks."""
    frame: int
    caller: Optional[int]
    cut: bool    # it has callers that are not known
    address: int
    line: Optional[int]
    function: str
    file: str
    object: str


def _number(text: str) -> int:
    demand(re.fullmatch('[0-9]{1,20}', text) is not None, 'number', text)
    return int(text)


def _or_none(text: str) -> Optional[int]:
    return None if text == '-' else _number(text)


def _rows(sections: Sequence[list[str]], title: str) -> Iterator[
        dict[str, str]]:
    """By the names of their columns. The last one reaches to the end of the
    line; it begins behind a blank."""
    lines = next((part[2:] for part in sections if part[1:2] == [title]), [])
    names = ''.join(lines[:1]).split()
    for line in lines[1:]:
        match = re.fullmatch(rf'((?: *\S+){{{len(names) - 1}}})(?: (.*))?',
                             line)
        demand(match is not None, title, line)
        yield dict(zip(names, [*match[1].split(), match[2] or '']))


def _label(row: dict[str, str]) -> str:
    """Behind the blanks that fill up the column before it."""
    fill = max(LABELLED - len(row['why']), 0)
    demand(row['label'][:fill].strip() == '', 'label', row)
    return row['label'][fill:]


def _frame(row: dict[str, str]) -> Frame:
    words = row['place'].split('|')
    demand(len(words) == 3, 'place', row)
    demand(re.fullmatch('0x[0-9a-f]{16}', row['address']) is not None,
           'address', row)
    cut = row['caller'] == '?'
    return Frame(_number(row['frame']),
                 None if cut else _or_none(row['caller']), cut,
                 int(row['address'], 16), _or_none(row['line']), *words)


class Composition:
    """These sections of a report."""

    def __init__(self, sections: Sequence[list[str]]) -> None:
        self.kept = [
            Kept(_number(row['sample']), row['set'], _number(row['t']),
                 _number(row['pages']), _or_none(row['written']),
                 tuple(row['why'].split(',')), _label(row))
            for row in _rows(sections, TITLES[0])]
        self.shares = [
            Share(_number(row['sample']), _number(row['pages']),
                  _or_none(row['written']), _or_none(row['frame']),
                  row['mapping']) for row in _rows(sections, TITLES[1])]
        self.entries = [
            Entered(row['set'], _number(row['entered']),
                    _or_none(row['frame']), row['folded'] == 'yes',
                    row['mapping'])
            for row in _rows(sections, TITLES[2])]
        frames = [*map(_frame, _rows(sections, TITLES[3]))]
        self.frames = {frame.frame: frame for frame in frames}
        demand(len(frames) == len(self.frames), 'a frame twice')

    def samples(self, name: str) -> list[Kept]:
        """Of a set, those that are no snapshots."""
        return [kept for kept in self.kept
                if kept.set == name and kept.why != ('snapshot',)]

    def of(self, kept: Kept) -> list[Share]:
        return [share for share in self.shares if share.sample == kept.sample]

    def address(self, frame: Optional[int]) -> Optional[int]:
        """Of the instruction that made the access."""
        return None if frame is None else self.frames[frame].address

    def stack(self, frame: Optional[int]) -> list[Frame]:
        """The innermost frame first."""
        found = []
        while frame is not None:
            found.append(self.frames[frame])
            frame = found[-1].caller
        return found


def check(composition: Composition, has_stacks: str,
          sizes: dict[str, dict[int, int]], most: int) -> None:
    """What goes with the value of Stacks in the header, with the table's rows
    (the sizes of each set by time), and with the most resident pages."""
    demand(has_stacks in ('yes', 'no'), 'Stacks', has_stacks)
    _check_kept(composition, sizes, most)
    _check_shares(composition)
    _check_entries(composition)
    _check_frames(composition, has_stacks == 'yes')


def _check_kept(composition: Composition, sizes: dict[str, dict[int, int]],
                most: int) -> None:
    kept = composition.kept
    demand([one.sample for one in kept] == [*range(len(kept))]
           and {one.set for one in kept} <= {'insn', 'data', 'resident'},
           'kept', kept[:9])
    for one in kept:
        demand(one.why == ('snapshot',) or bool(one.why) and not one.label
               and {*one.why} <= {'largest', 'peak', 'info-at'}, 'why', one)
        demand((one.written is not None) == (
            one.set == 'data' and 'dirty' in sizes), 'written', one)
    for one in composition.samples('resident'):
        demand('peak' not in one.why and one.pages in (
            [most] * ('largest' in one.why)
            + [sizes['resident'].get(one.t)] * ('info-at' in one.why)), one)
    for name in ('insn', 'data'):
        rows = list(sizes[name].values())
        samples = composition.samples(name)
        demand(len(samples) == len({one.t for one in samples}), 'kept twice',
               name, samples)
        for one in samples:
            demand(one.pages == sizes[name].get(one.t), 'pages', one)
            demand(one.written is None
                   or one.written == sizes['dirty'][one.t], 'written', one)
        times = [*sizes[name]]
        largest = [one.t for one in samples if 'largest' in one.why]
        demand(largest == [times[rows.index(max(rows))]] * any(rows),
               'largest', name, largest)
        peaks = sorted(one.t for one in samples if 'peak' in one.why)
        demand(peaks == [times[row] for row in highest(rows, len(peaks))],
               'peaks', name, peaks)


def _check_shares(composition: Composition) -> None:
    kept = composition.kept
    demand([number for number, _ in groupby(
        share.sample for share in composition.shares)]
        == [one.sample for one in kept if one.pages], 'order of samples')
    for one in kept:
        shares = composition.of(one)
        pages = [share.pages for share in shares]
        demand(pages == sorted(pages, reverse=True)
               and sum(pages) == one.pages and 0 not in pages, 'sum', one)
        for share in shares:
            demand((share.written is None) == (one.written is None)
                   and (share.written or 0) <= share.pages
                   and bool(_MAPPING.fullmatch(share.mapping)), share)
        demand(sum(share.written or 0 for share in shares)
               == (one.written or 0), 'sum of written', one)
        _check_unique([(share.frame, share.mapping) for share in shares])


def _check_entries(composition: Composition) -> None:
    entries = composition.entries
    demand(entries == sorted(entries, key=lambda one: (
        ('insn', 'data').index(one.set), -one.entered)), 'order of entries')
    for one in entries:
        demand(one.entered > 0 and bool(_MAPPING.fullmatch(one.mapping)), one)
    _check_unique([(one.set, one.frame, one.folded, one.mapping)
                   for one in entries])


def _check_unique(keys: list[tuple[object, ...]]) -> None:
    twice = [key for key, count in Counter(keys).items() if count > 1]
    demand(not twice, 'more than one row', twice)


def _check_frames(composition: Composition, has_stacks: bool) -> None:
    """Callers come first, and all frames are used. Without stacks, functions
    that were inlined are all that an instruction has."""
    before: dict[Optional[int], int] = {}    # the addresses
    used = {row.frame for rows in (composition.shares, composition.entries)
            for row in rows}
    for one in composition.frames.values():
        demand(one.caller is None or one.caller in before, 'caller', one)
        demand(has_stacks or not one.cut and one.address == before.get(
            one.caller, one.address), 'stack', one)
        before[one.frame] = one.address
        used.add(one.caller)
    demand(used - {None} == {*before}, 'frames', used ^ {*before})
