# SPDX-License-Identifier: GPL-2.0-or-later
"""Sizes to compare with: caches, and the memory that TLB and RAM hold."""

import argparse
import os
import re
from glob import glob
from math import ceil
from typing import Dict, List, Tuple

from ws_python.base.failure import warn
from ws_python.base.units import parse_size

MACHINE = "machine"
CACHES = "/sys/devices/system/cpu/cpu0/cache/index*"
Reference = Tuple[str, int]         # its name and bytes


def parse_refs(text: str) -> List[Reference]:
    """Read "machine,L2=1MiB"; machine means all that of_machine() finds."""
    found: Dict[str, int] = {}
    for word in text.split(","):
        name, equal, size = (part.strip() for part in word.partition("="))
        if name == MACHINE and not equal:
            found.update(of_machine())
        elif name and size:
            try:
                found[name] = ceil(parse_size(size))
            except ValueError as error:
                raise argparse.ArgumentTypeError(str(error)) from None
        else:
            raise argparse.ArgumentTypeError(
                f"{word!r} is neither like L2=1MiB nor {MACHINE}")
    return sorted(found.items(), key=lambda ref: ref[1])


def line_of(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.readline().strip()
    except OSError:
        return ""


def of_machine() -> Dict[str, int]:
    """Ask Linux for the sizes; not every processor reports its TLB."""
    found: Dict[str, int] = {}
    for cache in glob(CACHES):
        size = re.fullmatch("([0-9]{1,9})K", line_of(f"{cache}/size"))
        if size and line_of(f"{cache}/type") != "Instruction":
            found["L" + line_of(f"{cache}/level")] = int(size[1]) << 10
    try:
        with open("/proc/cpuinfo", encoding="ascii",
                  errors="replace") as file:
            tlb = re.search(r"TLB size\s*: ([0-9]{1,9}) 4K", file.read())
    except OSError:
        tlb = None
    if tlb:
        found["TLB"] = int(tlb[1]) << 12
    if not any(name.startswith("L") for name in found):
        warn("this machine tells no caches; --refs=L2=1MiB names them")
    found["RAM"] = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return found
