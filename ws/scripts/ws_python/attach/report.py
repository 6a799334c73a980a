# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a report of kernel bits, as ws/docs/report-format.md describes it."""

import os
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Dict, List, Optional, Sequence, Tuple

from ws_python.attach.kernel_pages import PAGE_SZB, Memory
from ws_python.base.text import printable
from ws_python.model.compositions import FILES
from ws_python.model.sizes import nearest_rank
from ws_python.read.reports import FORMAT, MAGIC, ATTACH_NOTE

SOURCE = "kernel referenced bits, estimate"
WIDE = 8                    # width of a column, at least
FOOT = "--\n\n"


@dataclass
class Sample:
    """A row of the table; times in microseconds."""
    time: int                   # in milliseconds, as it should be
    memory: Memory
    late_us: int = 0
    window_us: int = 0          # its length
    reading_us: int = 0         # how long clearing and reading the bits took
    info: Optional[int] = None


@dataclass
class Window:
    """All measured windows of one length; sizes by set."""
    tau: int
    sizes: Dict[str, List[int]] = field(default_factory=dict)
    off: int = 0                # how many were off by more than a tenth

    def add(self, memory: Memory, sets: Sequence[str],
            window_us: int) -> None:
        self.off += abs(window_us - 1000 * self.tau) > 100 * self.tau
        for name in sets:
            self.sizes.setdefault(name, []).append(size_of(memory, name))


def size_of(memory: Memory, name: str) -> int:
    return (memory.written or 0) if name == "dirty" else memory.pages(name)


def average_of(sizes: Sequence[int]) -> str:
    """Round the average to tenths, as ws does."""
    tenths = int(Fraction(10 * sum(sizes), len(sizes)) + Fraction(1, 2))
    return f"{tenths // 10}.{tenths % 10}"


class AttachReport:
    """A report that is written row by row, so that a kill loses no row.
    OSError: it cannot be written.
    """

    def __init__(self, path: str, version: str, header: Dict[str, str],
                 tau: int, dirty: bool):
        self.path, self.tau = path, tau
        self.sets = ["insn", "data", *(["dirty"] if dirty else [])]
        self.file = open(path, "wb", buffering=0)
        self.timings: List[Tuple[int, int, int]] = []   # one per sample
        self.windows: Dict[int, Window] = {}
        self.largest: Dict[str, Tuple[int, Memory, int]] = {}
        self.notes: List[str] = []      # entries of Sample info
        self.put(f"{MAGIC}{version}\n")
        fields = {"Format": str(FORMAT), **header, "Stacks": "no"}
        self.put("".join(f"{key + ':':<16}{printable(value)}\n"
                         for key, value in fields.items()))
        self.put("--\n\nWorking sets:\n")
        self.line(["t", "WSS_insn", "WSS_data", "info", FILES, "mapped",
                   *(["WSS_dirty"] if dirty else []), "rss_kB", "pss_kB",
                   "swap_kB", "window_us", "reading_us", "late_us"])

    def put(self, text: str) -> None:
        left = memoryview(os.fsencode(text))
        while left:
            left = left[self.file.write(left):]

    def line(self, cells: Sequence[object]) -> None:
        first, *rest = map(str, cells)
        self.put(" ".join([f"{first:>20}", *(
            f"{cell:>{WIDE}}" for cell in rest)]) + "\n")

    def note(self, text: str) -> int:
        """Add an entry to the section Sample info; return its number."""
        self.notes.append(printable(text))
        return len(self.notes) - 1

    def row(self, sample: Sample) -> None:
        memory, sizes = sample.memory, sample.memory.sizes_kB
        self.line([sample.time, memory.pages("insn"), memory.pages("data"),
                   "-" if sample.info is None else sample.info,
                   memory.pages(FILES),
                   sizes["mapped"] * 1024 // PAGE_SZB,
                   *([memory.written or 0] if "dirty" in self.sets else []),
                   sizes["rss"], sizes["pss"], sizes["swap"],
                   sample.window_us, sample.reading_us, sample.late_us])
        if not sample.time:
            return
        for name in (*self.sets, FILES):
            pages = size_of(memory, name)
            if name not in self.largest or pages > self.largest[name][0]:
                self.largest[name] = pages, memory, sample.time
        self.timings.append(
            (sample.late_us, sample.window_us, sample.reading_us))

    def measured(self, tau: int, memory: Memory, window_us: int) -> None:
        """Add a window of any length to the profile."""
        self.windows.setdefault(tau, Window(tau)).add(memory, self.sets,
                                                      window_us)

    # --- The end -----------------------------------------------------------

    def finish(self, length: int, missed: int) -> None:
        """End a report of `length` milliseconds that missed some samples."""
        off = sum(window.off for window in self.windows.values())
        said = {"Milliseconds": length, **self.timing(),
                **({"Windows off": off} if off else {}),
                **({"Missed samples": missed} if missed else {})}
        self.put("\n--\n\nSummary:\n" + "".join(
            f"{key + ':':<16}{value}\n" for key, value in said.items()) + FOOT)
        self.put_sizes()
        self.put_profile()
        self.put_composition()
        if self.notes:
            self.put("Sample info:\n"
                     " info     refs     kind       set    frame label\n")
            self.put("".join(
                f"{number:>5} {1:>8} {ATTACH_NOTE:>8} {'-':>9} {'-':>8} {note}\n"
                for number, note in enumerate(self.notes)) + FOOT)
        self.put("End of report\n")
        self.file.close()

    def put_sizes(self) -> None:
        found = self.windows.get(self.tau)
        self.put("Sizes:\n  set              tau        avg      max    bound\n")
        for name in self.sets:
            sizes = found.sizes[name] if found else []
            self.put(f"{name:>5} {self.tau:>16} "
                     f"{average_of(sizes) if sizes else '-':>10} "
                     f"{max(sizes, default='-'):>8} {'-':>8}\n")
        self.put(FOOT + "Totals:\n  set    pages     anew\n")
        for name in self.sets:
            self.put(f"{name:>5} {'-':>8} {'-':>8}\n")
        self.put(FOOT)

    def timing(self) -> Dict[str, int]:
        """Return the average and maximum of each kind of time."""
        return {f"{key} {what} us": value
                for key, times in zip(("Late", "Window", "Reading"),
                                      zip(*self.timings))
                for what, value in (("avg", sum(times) // len(times)),
                                    ("max", max(times)))}

    def put_profile(self) -> None:
        self.put("Working set profile:\n")
        if self.windows:
            self.put("  set              tau        avg      p50      p95"
                     "      max    entered         miss         life note\n")
        for name in self.sets:
            for tau, window in sorted(self.windows.items()):
                sizes = sorted(window.sizes[name])
                self.put(f"{name:>5} {tau:>16} {average_of(sizes):>10} "
                         f"{nearest_rank(sizes, 50):>8} "
                         f"{nearest_rank(sizes, 95):>8} {sizes[-1]:>8} "
                         f"{'-':>10} {'-':>12} {'-':>12} -\n")
        self.put(FOOT)

    def put_composition(self) -> None:
        """Write mappings at the largest samples; no bit tells which code."""
        kept = [name for name in ("data", "insn", FILES) if self.largest.get(
            name, (0,))[0]]
        if not kept:
            return
        self.put("Kept samples:\n  sample   set                t    pages  "
                 "written why                  label\n")
        for number, name in enumerate(kept):
            pages, _, time = self.largest[name]
            self.put(f"{number:>8} {name:>5} {time:>16} {pages:>8} "
                     f"{'-':>8} {'largest':<20} \n")
        self.put(FOOT + "Composition:\n"
                 "  sample    pages  written    frame mapping\n")
        for number, name in enumerate(kept):
            mappings = self.largest[name][1].referenced[name]
            for mapping, pages in sorted(mappings.items(),
                                         key=lambda found: -found[1]):
                self.put(f"{number:>8} {pages:>8} {'-':>8} {'-':>8} "
                         f"{printable(mapping)}\n")
        self.put(FOOT)
