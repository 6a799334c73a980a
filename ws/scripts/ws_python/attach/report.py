# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the report of ws_attach; ws/docs/report-format.md has the format."""

import os
from fractions import Fraction
from typing import Dict, List, Optional, Sequence, Tuple

from ws_python.attach.kernel_pages import PAGE_SZB, Memory
from ws_python.base.text import printable
from ws_python.base.units import count
from ws_python.report.compositions import FILES
from ws_python.report.reader import ATTACH_NOTE, FORMAT, MAGIC
from ws_python.report.sizes import nearest_rank

SOURCE = "kernel referenced bits, estimate"
COLUMN_WIDTH = 8                    # the least
FOOT = "--\n\n"


class AttachReport:
    """A report that is written row by row, so that a kill loses no row.  All
    methods that write raise an OSError if that fails.
    """

    def __init__(self, path: str, version: str, header: Dict[str, str],
                 dirty: bool):
        self.path = path
        self.sets = ["insn", "data", *(["dirty"] if dirty else [])]
        # A new file, and no link, for others can guess its name.
        self.file = open(path, "xb", buffering=0)
        self.timings: List[Tuple[int, int, int]] = []   # of each sample, in us
        # The sizes in all windows, by their length and the set.
        self.sizes: Dict[int, Dict[str, List[int]]] = {}
        self.off = 0                # windows off by more than a tenth
        # The largest sample of each set: pages, memory and time.
        self.largest: Dict[str, Tuple[int, Memory, int]] = {}
        self.notes: List[str] = []      # entries of Sample info
        self.put(f"{MAGIC}{version}\n")
        fields = {"Format": str(FORMAT), **header, "Stacks": "no"}
        self.put("".join(f"{key + ':':<16}{printable(value)}\n"
                         for key, value in fields.items()))
        self.put("--\n\nWorking sets:\n")

    def put(self, text: str) -> None:
        left = memoryview(os.fsencode(text))
        while left:
            left = left[self.file.write(left):]

    def line(self, cells: Sequence[object]) -> None:
        first, *rest = map(str, cells)
        self.put(" ".join([f"{first:>20}", *(
            f"{cell:>{COLUMN_WIDTH}}" for cell in rest)]) + "\n")

    def note(self, text: str) -> int:
        """Add an entry to the section Sample info; return its number."""
        self.notes.append(printable(text))
        return len(self.notes) - 1

    def row(self, time: int, memory: Memory, late_us: int = 0,
            window_us: int = 0, reading_us: int = 0,
            info: Optional[int] = None) -> None:
        """Write the row of a sample that was due at a time, in milliseconds.
        The row of the start, at 0, comes first; it is no sample.
        """
        cells: Dict[str, object] = {
            "t": time, "WSS_insn": memory.pages("insn"),
            "WSS_data": memory.pages("data"),
            "info": "-" if info is None else info, FILES: memory.pages(FILES),
            "mapped": memory.sizes_kB["mapped"] * 1024 // PAGE_SZB,
            **{f"WSS_{name}": memory.pages(name) for name in self.sets[2:]},
            **{f"{name}_kB": memory.sizes_kB[name]
               for name in ("rss", "pss", "uss", "swap")},
            "window_us": window_us, "reading_us": reading_us,
            "late_us": late_us}
        if not time:
            self.line([*cells])
        self.line([*cells.values()])
        if not time:
            return
        for name in (*self.sets, FILES):
            pages = memory.pages(name)
            if name not in self.largest or pages > self.largest[name][0]:
                self.largest[name] = pages, memory, time
        self.timings.append((late_us, window_us, reading_us))

    def measured(self, tau: int, memory: Memory, window_us: int) -> None:
        """Add a window of any length to the profile."""
        self.off += abs(window_us - 1000 * tau) > 100 * tau
        for name in self.sets:
            self.sizes.setdefault(tau, {}).setdefault(name, []).append(
                memory.pages(name))

    # --- The end -----------------------------------------------------------

    def finish(self, length: int, missed: int) -> None:
        """End the report of a run of `length` milliseconds."""
        summary = {"Milliseconds": length, **self.timing(),
                   "Windows off": self.off, "Missed samples": missed}
        self.put("\n--\n\nSummary:\n" + "".join(
            f"{key + ':':<16}{value}\n" for key, value in summary.items()
            if value or key not in ("Windows off", "Missed samples")) + FOOT)
        self.section("Working set profile", [
            (name, tau, count(Fraction(sum(sizes), len(sizes))).replace(",", ""),
             *(nearest_rank([(size, 1) for size in sizes], percent)
               for percent in (50, 95)), sizes[-1], *"----")
            for name in self.sets for tau in sorted(self.sizes)
            for sizes in [sorted(self.sizes[tau][name])]],
            set=">5", tau=">16", avg=">10", p50=">8", p95=">8", max=">8",
            entered=">10", miss=">12", life=">12", note="")
        self.put_composition()
        if self.notes:
            self.section("Sample info", [
                (number, 1, ATTACH_NOTE, "-", "-", note)
                for number, note in enumerate(self.notes)],
                info=">5", refs=">8", kind=">8", set=">9", frame=">8",
                label="")
        self.put("End of report\n")
        self.file.close()

    def section(self, title: str, rows: Sequence[Sequence[object]],
                **columns: str) -> None:
        """Write a section, with the format of each column."""
        self.put(f"{title}:\n" + "".join(
            " ".join(f"{cell!s:{form}}" for cell, form
                     in zip(row, columns.values())) + "\n"
            for row in [columns, *rows] if rows) + FOOT)

    def timing(self) -> Dict[str, int]:
        """Return the average and maximum of each kind of time."""
        return {f"{key} {what} us": value
                for key, times in zip(("Late", "Window", "Reading"),
                                      zip(*self.timings))
                for what, value in (("avg", sum(times) // len(times)),
                                    ("max", max(times)))}

    def put_composition(self) -> None:
        """Write the mappings of the largest samples.  Code is not known."""
        kept = [name for name in ("data", "insn", FILES) if self.largest.get(
            name, (0,))[0]]
        if not kept:
            return
        self.section("Kept samples", [
            (number, name, time, pages, "-", "largest", "")
            for number, name in enumerate(kept)
            for pages, _, time in [self.largest[name]]],
            sample=">8", set=">5", t=">16", pages=">8", written=">8",
            why="<20", label="")
        self.section("Composition", [
            (number, pages, "-", "-", printable(mapping))
            for number, name in enumerate(kept) for mapping, pages in sorted(
                self.largest[name][1].referenced[name].items(),
                key=lambda row: -row[1])],
            sample=">8", pages=">8", written=">8", frame=">8", mapping="")
