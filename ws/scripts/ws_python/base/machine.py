# SPDX-License-Identifier: GPL-2.0-or-later
"""The caches, TLBs and memory of this machine."""

import os
import re
from glob import glob
from typing import Dict, List

from ws_python.base.units import MEMORY_SZB
from ws_python.base.view import SizeMark

CACHES = "/sys/devices/system/cpu/cpu0/cache/index*"
# The entries for pages of 4 KiB in the second-level TLBs of data and of code
# (CPUID 0x80000006), by AMD's family and the sum that Linux reports.
ZEN, ZEN_3 = 23, 25
TLBS = {(ZEN, 2560): (1536, 1024), (ZEN, 3072): (2048, 1024),
        (ZEN_3, 2560): (2048, 512), (ZEN_3, 3584): (3072, 512)}


def text_of_file(path: str) -> str:
    """Read a file; return "" if it cannot be read."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def tlb_entries() -> Dict[str, int]:
    """Return the number of entries of the second-level TLB, by set; {} if
    unknown.
    """
    text = text_of_file("/proc/cpuinfo")
    family, both = (int(match[1]) if match else 0 for match in (
        re.search(rf"^{key}\s*: ([0-9]{{1,9}})", text, re.MULTILINE)
        for key in ("cpu family", "TLB size")))
    return dict(zip(("data", "insn"), TLBS.get((family, both), ())))


def sizes_of_machine() -> List[SizeMark]:
    """Return the sizes of caches, TLB and memory, as far as Linux has them."""
    marks: List[SizeMark] = []
    for cache in sorted(glob(CACHES)):
        kind, level, size, line = (text_of_file(f"{cache}/{name}") for name in (
            "type", "level", "size", "coherency_line_size"))
        match = re.fullmatch("([0-9]{1,9})K ([0-9]{1,9})", f"{size} {line}")
        if match and kind != "Instruction":
            marks.append(SizeMark(f"L{level}", int(match[1]) << 10,
                                  int(match[2])))
    sizes = {"TLB (level 2)": tlb_entries().get("data", 0) * MEMORY_SZB,
             "RAM": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")}
    return marks + [SizeMark(name, size, MEMORY_SZB)
                    for name, size in sizes.items() if size]
