# SPDX-License-Identifier: GPL-2.0-or-later
"""How much a program needs, when, and for what: in plain words."""

from bisect import bisect_right
from fractions import Fraction
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from ws_python.base.text import VIA, cut
from ws_python.base.units import (MS, SETS, count, exact_time, plain,
                                  short_time, size, time_text, with_unit)
from ws_python.report.compositions import (COLD, FILES, FILES_AND_CODE,
                                           HEAP_MMAP, HEAP_SET, RESIDENT, Kept)
from ws_python.report.estimate import held_by, held_in_words
from ws_python.report.heap import heap_in_words, hints
from ws_python.report.report import Report, after_start, every_of
from ws_python.report.sizes import (Sizes, end_of, lateness, limit_of,
                                    nearest_rank, ordered_of, sizes_of,
                                    total_of, windows_to_say)
from ws_python.report.stacks import (NO_NAMES, NO_SYMBOLS, Paths, by_known,
                                     percent, shares_of)

NEARLY_ALL = 99             # percent
# Of code that cannot be named.
REMEDIES = {
    NO_SYMBOLS: "Symbols: install the package's -dbgsym or -debuginfo, or set "
                "DEBUGINFOD_URLS.",
    NO_NAMES: "Generated code has names with python3 -X perf, or node "
              "--perf-basic-prof."}
MOST_SHARES = 3
MIN_PERCENT = 5             # of all but the largest


def answer(report: Report, wanted: Sequence[str], width: int) -> List[str]:
    """Say how much memory is needed, how much of it is in use, and whose."""
    if report.complete and end_of(report) == 0:
        return ["Nothing was measured: --ws-at-start=no, and the program made "
                "no WS_START request."]
    lines = [*accessed(report, wanted), *memory(report, width)]
    sizes = [window for window in sizes_of(report, wanted)
             if window.tau in windows_to_say(report)]
    used = [window for window in sizes if window.set == "data"]
    lines += data(report, used, width)
    for window in sizes:    # the longest one
        if (window.set, window.tau) == ("dirty", windows_to_say(report)[0]):
            lines.append(f"    written in {brief(report, window.tau)}: "
                         f"{size(window.peak, report.page_szB)} at most")
    if used and used[0].peak or report.is_estimate:
        lines += cold(report, width) + reuse(report)
    lines += code(report, [window for window in sizes if window.set == "insn"])
    lines += [*files(report, width), *cautions(report, sizes)]
    blocks = report.compositions.largest(HEAP_SET)
    if blocks:
        lines += hints(report, blocks)
    return lines + [remedy for what, remedy in REMEDIES.items()
                    if any(f" %  {what}" in line for line in lines)]


def brief(report: Report, time: int) -> str:
    return time_text(time, MS if report.is_clocked else "instr.")


def native(report: Report, time: int) -> str:
    """Add how long it takes natively, at 1 to 10 instructions a nanosecond."""
    if report.is_clocked or not time:
        return brief(report, time)
    digit = 10 ** (len(str(time)) - 1)
    most, unit = with_unit((time + digit // 2) // digit * digit, 1000,
                           ("ns", "us", "ms", "s"), 3).split()
    return (f"{brief(report, time)} ({plain(Fraction(most) / 10)}-{most} "
            f"{unit})")


def row(report: Report, label: str, values: Sequence[Optional[int]],
        kept: Optional[Kept], how: str, width: int) -> List[str]:
    """Return a line of the table, and a second one for what has no room."""
    line = f"{label:29} " + " ".join(
        f"{size(value, report.page_szB):>9}" for value in values)
    if not kept or not kept.pages:
        return [line]
    number, names = shares_of(kept, Paths(report.compositions, by_known))[0]
    whose = f"{percent(number, kept.pages)} %  {how}"
    whose += cut(VIA.join(names), max(width - len(whose) - 8, 20))
    return ([f"{line}  {whose}"] if len(line) + 2 + len(whose) <= width
            else [line, f"        {whose}"])


def data(report: Report, sizes: Sequence[Sizes], width: int) -> List[str]:
    """Return a row for each window, the longest first."""
    if not sizes:
        return []
    if sizes[0].pages == 0:
        return ["Data: none"]
    sampled = [window for window in sizes if window.peak is not None]
    if not sampled:
        return ["Data: " + none(report, sizes[0].pages)]
    lines = [f"{'Data used within the last':29}    median  95th pct   maximum"
             + ("  brought in by" if width >= 80 else "")]
    page, resident = report.page_szB, report.resident.get("data")
    # Sizes, and what they are no larger than between samples.
    shown: List[Tuple[int, Optional[int], List[str]]] = []
    # A window is as long as the run, all of which is known, or longer.
    if (report.complete and not report.is_log and not report.is_estimate
            and not report.begin and report.end is None and sizes[0].pages
            and max(report.windows or report.taus) >= (end_of(report) or 0)):
        shown = [(sizes[0].pages, None, [
            f"    {'the whole run':45} {size(sizes[0].pages, page):>9}"])]
    shown += [(window.peak or 0, window.bound, row(
        report, f"    {native(report, window.tau)}", [
            None if value is None else int(value) for value in map(
                window.statistic, ("p50", "p95", "peak"))],
        report.compositions.largest(window.set, window.tau), "", width))
        for window in sorted(sampled, key=lambda window: -window.tau)]
    for pages, bound, rows in shown:
        lines += rows
        if resident and pages > resident * 101 // 100:
            lines.append(f"        (more than the {size(resident, page)} of "
                         "data that were resident: some was unmapped "
                         "meanwhile)")
            resident = None
        if bound and bound > pages + pages // 10:
            lines.append(f"        (no more than {size(bound, page)} between "
                         "samples)")
    return lines


def cold(report: Report, width: int) -> List[str]:
    """Return the line for memory that was not accessed in the longest window
    shorter than the run.
    """
    times, tau = report.columns["t"], windows_to_say(report, report.taus)[0]
    begin = bisect_right(times, tau)
    values = ordered_of(report, report.columns.get("cold", ())[begin:], begin)
    if report.is_estimate:
        begin = after_start(report)
        values = ordered_of(report, [held.cold // report.page_szB for held
                                     in held_by(report)[begin:]], begin)
    if not values or not values[-1][0] or report.end is not None:
        return []
    what = "Cold: un" if report.is_estimate else "Data, code un"
    return row(report, f"{what}used for {short_time(tau, None, report.unit)}",
               [nearest_rank(values, 50), nearest_rank(values, 95),
                values[-1][0]],
               report.compositions.largest(COLD), "first used by ", width)


def reuse(report: Report) -> List[str]:
    """Say how much memory keeps how much of what is used again later than T."""
    profile = (report.profile or {}).get("data", [])
    rows = [(row, row.returned) for row in profile
            if row.returned is not None and row.tau >= every_of(report)[1]]
    if not rows or not rows[0][1] or "data" not in report.resident:
        return []
    shortest, most_returned = rows[0]
    span, most = report.columns["t"][-1], report.resident["data"]
    label = f"Data reused after {brief(report, shortest.tau)}:"
    kept: Dict[str, str] = {}   # by size; of equal ones the last
    for share in (90, 99):
        for row, returned in rows:
            if returned <= most_returned * (100 - share) // 100:
                part = Fraction(1000 * returned, most_returned)
                tenths = min(999, 1000 - int(part + Fraction(1, 2)))
                kept[size(min(row.peak, most), report.page_szB)] = (
                    f"{tenths / 10} % (a miss every "
                    f"{brief(report, span // returned)})"
                    if returned else "all")
                break
    return [f"{' ' * len(label) if at else label} "
            f"{room} or less keeps {share}"
            for at, (room, share) in enumerate(kept.items())]


def code(report: Report, sizes: Sequence[Sizes]) -> List[str]:
    """Say how much code is in the shortest window."""
    page = report.page_szB
    for window in sizes:
        if (window.tau == windows_to_say(report)[-1]
                and (window.peak or not report.is_estimate)):
            resident = report.resident.get("insn")
            begin = ("Code: " if resident is None or report.end is not None
                     else f"Code: {size(resident, page)} resident; ")
            if window.peak is None:
                return [begin + none(report, window.pages)]
            return [f"{begin}in {time_text(window.tau, report.unit)}: "
                    f"median {size(window.statistic('p50'), page)}, at most "
                    f"{size(window.peak, page)}"]
    return []


def cautions(report: Report, sizes: Sequence[Sizes]) -> Iterator[str]:
    """Yield what one has to know of these numbers."""
    unit, every, tau = report.unit, every_of(report)[1], report.number("Tau")
    end = end_of(report)
    # Of a page log, any window can be asked for.
    if report.is_log and end is not None and tau > end:
        yield "The window is longer than the run: it has all that was accessed."
    if any(window.bound is None and window.ordered and 2 * every > window.tau
           for window in sizes):
        yield (f"Between samples (every {exact_time(every, unit)}) there may "
               "have been more.")
    late = lateness(report)
    if late:
        yield (f"Samples were late by {count(late[0])} us on average, "
               f"{count(late[1])} us at most.")
    # In milliseconds, windows begin as late as samples are made.
    if late and late[1] > 1000 * tau:
        yield f"The window of {time_text(tau, MS)} is shorter than that:"
        yield "some sizes are those of a longer one."
    if report.is_estimate:
        yield ("An estimate, by the kernel's referenced bits. Data and code "
               "are private memory.")
        yield ("A page of a file, or shared, counts whichever process has used "
               "it.")
        if report.header.get("Flushed", "yes") != "yes":
            yield ("Pages that are used all the time may be missing "
                   "(--no-flush).")


def files(report: Report, width: int) -> List[str]:
    """Say how much memory files need, apart from the process's own."""
    largest = report.compositions.largest(FILES)
    if largest is None:
        return []
    when = short_time(largest.time, end_of(report), report.unit)
    return [f"Files, at most: {size(largest.pages, report.page_szB)} in the "
            f"largest sample, at {when}",
            *shares_in_words(report, largest, width)]


def none(report: Report, number: Optional[int]) -> str:
    """Say that there is no sample, and what the whole run has."""
    if report.begin:
        return "no sample whose window lies in this part"
    if number is None or not (report.complete or end_of(report)):
        return "no sample"
    run = "Whole run" if report.complete else "Up to the cut"
    return f"no sample.  {run}: {size(number, report.page_szB)}"


def accessed(report: Report, wanted: Sequence[str]) -> List[str]:
    """Say how many pages a phase has accessed: exact with any windows."""
    pages = {SETS[name]: total_of(report, name) for name in SETS
             if name in wanted and report.end is not None}
    texts = [f"{size(number, report.page_szB)} {name}"
             for name, number in pages.items() if number is not None]
    return [f"Accessed in this phase, exactly: {', '.join(texts)}"
            ] if texts else []


def memory(report: Report, width: int) -> List[str]:
    """Say what was resident at most in a run, when, and whose it was."""
    most, end = report.compositions.largest(RESIDENT), end_of(report)
    page = report.page_szB
    if report.is_estimate:
        return held_in_words(report)
    if report.begin or report.end is not None:
        return in_samples(report)
    if most is None and not report.complete:
        return so_far(report)
    if most is None or not end:
        return []
    lines = [f"Memory: {size(most.pages, page)} resident at most, at "
             f"{percent(most.time, end)} % of {native(report, end)}"
             + growth(report, most, end)]
    blocks = report.compositions.largest(HEAP_SET)
    if blocks:
        lines += heap_in_words(report, blocks, MOST_SHARES, width)
    else:
        uses = most.uses()
        parts = ", ".join(f"{size(uses[use], page)} {use}"
                          for use in (HEAP_MMAP, "stacks", FILES_AND_CODE))
        lines += [f"    ({parts}), first used by:",
                  *shares_in_words(report, most, width)]
    limit, lacks = limit_of(report), report.summary.get("Not in limit")
    if limit is not None:
        lines.append(f"    Limit for this run: {size(limit, page)} (resident, "
                     "cache of mapped files, 3 % for the kernel); less may "
                     "slow or kill it" + (": see ws_print enough"
                                          if "Page log" in report.header else ""))
        if lacks:
            lines.append(f"    Not in it: {lacks}")
    return lines


def growth(report: Report, most: Kept, end: int) -> str:
    """Say when nearly all was there, or how much the last tenth has added."""
    if len(report.clock) < 10 or not report.complete:
        return ""
    time = min(next(stretch.time for stretch in report.clock
                    if 100 * stretch.resident >= NEARLY_ALL * most.pages
                    or stretch is report.clock[-1]), most.time)
    if time > end // 10 * 9:
        before = max((stretch.resident for stretch in report.clock
                      if stretch.time <= end // 10 * 9), default=0)
        return (f", {percent(most.pages - before, most.pages)} % added in the "
                "last tenth")
    if percent(time, end) == percent(most.time, end):
        return ""
    return f", {NEARLY_ALL} % of it by {percent(time, end)} % of the run"


def in_samples(report: Report) -> List[str]:
    """Say what was resident in the samples, if that was anything."""
    page, pages = report.page_szB, [*report.columns.get(RESIDENT, ())]
    most = max(pages, default=0)
    if not most:
        return []
    when = short_time(report.columns["t"][pages.index(most)], end_of(report),
                  report.unit)
    return [f"Memory: {size(most, page)} resident in the largest sample, "
            f"at {when};", f"    {size(pages[-1], page)} in the last one"]


def so_far(report: Report) -> List[str]:
    """Say what is known of a run that was killed or is not over."""
    if not report.columns.get(RESIDENT):
        return []
    return in_samples(report) + (
        ["   What needs how much, a report says when its run is over; until "
         "then:", f"   vgdb --pid={report.pid} ws answer"] if report.can_be_asked
        else ["   The run is over, or not here; the missing end says what needs "
              "how much."])


def shares_in_words(report: Report, kept: Optional[Kept],
                    width: int) -> List[str]:
    """Return lines for the largest parts, and for all others: 100 %."""
    if kept is None or not kept.pages:
        return []
    lines: List[str] = []
    others = 100
    paths = Paths(report.compositions, by_known)
    for number, names in shares_of(kept, paths)[:MOST_SHARES]:
        share = percent(number, kept.pages)
        if share < (MIN_PERCENT if lines else 1):
            break
        lines.append(f"   {share:3} %  {cut(VIA.join(names), width - 10)}")
        others -= share
    if others > 0:
        lines.append(f"   {others:3} %  others")
    return lines
