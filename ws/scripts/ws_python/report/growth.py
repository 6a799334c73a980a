# SPDX-License-Identifier: GPL-2.0-or-later
"""The growth between two reports: which code has more pages in the largest
samples of the second.
"""

from dataclasses import dataclass
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from ws_python.base.units import SETS, Number, exact_time
from ws_python.report.compositions import AT_END, HEAP_SET, RESIDENT, Kept
from ws_python.report.kept import WORDS, heap_at
from ws_python.report.report import Phase, Report
from ws_python.report.sizes import is_percentile, samples_in, sizes_in
from ws_python.report.stacks import Paths, Share, by_known, shares_in

SetWindow = Tuple[str, int]     # a set and its window; 0: memory
BothReports = Tuple[Report, Report]


@dataclass
class Change:
    """A number of both reports; None: not in the report."""
    first: Optional[Number]
    second: Optional[Number]

    @property
    def change(self) -> Optional[Number]:
        if self.first is None or self.second is None:
            return None
        return self.second - self.first

    @property
    def percent(self) -> Optional[float]:
        """The change in percent; None: there was nothing before."""
        if self.change is None or not self.first:
            return 0.0 if self.change == 0 else None
        return float(100 * self.change / self.first)


Growth = Tuple[List[str], Change]   # names of the code, and its pages


def by_name(kept: Kept, paths: Paths) -> Dict[str, Share]:
    """Add up shares with equal names.  Names have no line: an edit elsewhere
    in the file changes it.
    """
    shares: Dict[str, Share] = {}
    for share in shares_in(kept, paths):
        if shares.setdefault(share.name, share) is not share:
            shares[share.name].pages += share.pages
    return shares


def only_in(shares: Dict[str, Share], others: Dict[str, Share]
            ) -> Dict[str, str]:
    """Return the names that the others lack, by function, if each function has
    only one such name.
    """
    names_of: Dict[str, List[str]] = {}
    for name in shares.keys() - others.keys():
        names_of.setdefault(name.rpartition(" (")[0], []).append(name)
    return {function: names[0] for function, names in names_of.items()
            if function and not names[1:]}


def title_of_window(key: SetWindow, unit: str,
                    which: str = "the largest sample") -> str:
    name, tau = key
    return (f"{which} of {SETS[name]} in {exact_time(tau, unit)}" if tau
            else WORDS[name])


class Deciding(NamedTuple):
    """The sample that has the value of a statistic, and the kept sample that
    is most like it.
    """
    time: int                   # of the sample with the value
    kept: Kept
    phase: Optional[Phase]      # of the sample; None: phases are not known
    other: Optional[Phase]      # of the kept sample


def phase_at(report: Report, time: int) -> Optional[Phase]:
    return next((phase for phase in report.phases
                 if phase.start < time <= phase.end), None)


def deciding(report: Report, key: SetWindow,
             statistic: str) -> Optional[Deciding]:
    """Find the sample that has a percentile; for other statistics, the largest
    sample.  None: the report keeps none of this set and window.
    """
    if not is_percentile(statistic):
        largest = report.compositions.largest(*key)
        if largest is None:
            return None
        phase = phase_at(report, largest.time)
        return Deciding(largest.time, largest, phase, phase)
    samples = {sample.time: sample
               for sample in report.compositions.samples.values()
               if (sample.set, sample.tau) == key}
    value = sizes_in(report, *key).statistic(statistic) if samples else None
    if value is None:
        return None
    times = [time for time, size in zip(*samples_in(report, *key))
             if size == value]
    time = next((time for time in times if time in samples), times[0])
    phase = phase_at(report, time)
    # Among equally near samples, choose the first.
    *_, kept = min(
        (sample.time != time, phase_at(report, sample.time) is not phase,
         abs(sample.pages - value), abs(sample.time - time), number, sample)
        for number, sample in enumerate(samples.values()))
    return Deciding(time, kept, phase, phase_at(report, kept.time))


def owners_of(both: BothReports) -> str:
    """Choose the set that tells whose resident memory is: the heap, if both
    reports have it.
    """
    has_heaps = all(report.compositions.largest(HEAP_SET) for report in both)
    return HEAP_SET if has_heaps else RESIDENT


def largest_of_both(both: BothReports, wanted: Sequence[str]
                    ) -> Dict[SetWindow, List[Kept]]:
    """Return the largest samples of both reports, by set and window, where
    both keep one; and the heaps at the end.
    """
    first, second = both
    memory = owners_of(both)
    keys = [(memory, 0), *([(AT_END, 0)] if memory == HEAP_SET else []), *(
        (name, tau) for name in SETS if name in wanted
        for tau in sorted(first.windows, reverse=True)
        if tau in second.windows)]
    largest = {key: [*filter(None, (report.compositions.largest(*key)
                                    for report in both))] for key in keys}
    return {key: samples for key, samples in largest.items()
            if len(samples) == len(both)}


def memory_between(both: BothReports, at: Sequence[str]
                   ) -> Dict[SetWindow, List[Kept]]:
    """Return resident memory, by who allocated it if both reports know, in the
    samples with these names, one of each report.  Failure: there is none.
    """
    memory = owners_of(both)
    return {(memory, 0): [heap_at(report, name, memory)
                          for report, name in zip(both, at)]}


def growth_between(both: BothReports, samples: Sequence[Kept]) -> List[Growth]:
    """Return the code of two samples, and its pages in both, the largest
    growth first.
    """
    before, after = (by_name(kept, Paths(report.compositions, by_known))
                     for report, kept in zip(both, samples))
    # A function that has moved to another file gets its new name.
    gone, new = only_in(before, after), only_in(after, before)
    for function in gone.keys() & new.keys():
        before[new[function]] = before.pop(gone[function])
    return sorted(
        ((share.names, Change(*(shares[name].pages if name in shares else 0
                                for shares in (before, after))))
         for name, share in {**before, **after}.items()),
        key=lambda growth: (-(growth[1].change or 0), growth[0]))


def share_code(both: BothReports, samples: Sequence[Kept]) -> bool:
    """Return True if a function has pages in both samples, or if one sample
    has no functions, only mappings.
    """
    before, after = ({
        name.partition(" (")[0] for name, share in by_name(
            kept, Paths(report.compositions, by_known)).items() if share.lines}
        for report, kept in zip(both, samples))
    return not before or not after or not before.isdisjoint(after)
