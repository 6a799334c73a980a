# SPDX-License-Identifier: GPL-2.0-or-later
"""Clears and reads the kernel's bits of another process's pages: which have
been referenced or written since.

Method: Gregg, Working Set Size Estimation (2018), section 4.1, wss.pl.  The
files are described in the kernel's Documentation/filesystems/proc.rst.
"""

import mmap
import os
import re
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import FileIO
from time import monotonic
from typing import Dict, Iterator, List, Optional, Set, Tuple

from ws_python.base.text import Failure
from ws_python.report.compositions import FILES

PAGE_SZB = mmap.PAGESIZE
SMAPS_SIZES = ("mapped", "rss", "swap")
# A mapping in smaps, and sizes in kB.  An expression for all lines is six times
# as fast as line by line.  The kernel has never changed the order of the lines.
MAPPING = re.compile(
    rb"^([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ \S+ *(.*)\n"
    rb"Size: +([0-9]+)(?:.*\n)*?Rss: +([0-9]+)(?:.*\n)*?"
    rb"Referenced: +([0-9]+).*\nAnonymous: +([0-9]+)(?:.*\n)*?"
    rb"Swap: +([0-9]+)", re.MULTILINE)
# The sums of PSS and USS.
SUMS = {"pss": re.compile(rb"^Pss: +([0-9]+)", re.MULTILINE),
        "uss": re.compile(rb"^Private_(?:Clean|Dirty): +([0-9]+)", re.MULTILINE)}
# Commands for clear_refs.
REFERENCED_BITS, SOFT_DIRTY_BITS = b"1", b"4"
# An entry of pagemap has 64 bits.  These bytes have the bits of pages in memory
# or in swap, and the bit of a written page at the same place.
ENTRY_SZB = 8
PRESENT_BYTE, WRITTEN_BYTE = 7, 6
MOST_ENTRIES = 1 << 16      # read at once


class Gone(Exception):
    """The process has no memory any more."""


class Denied(Exception):
    """We may not read the process, or no longer."""


@dataclass
class ReadTime:
    """When bits were read or cleared, in seconds of time.monotonic()."""
    begin: float
    end: float

    @property
    def middle(self) -> float:
        return (self.begin + self.end) / 2

    @property
    def length(self) -> float:
        return self.end - self.begin


@dataclass
class Memory:
    """The memory of a process: the number of referenced pages by set and
    mapping, and sizes of all memory.  Code and data are private pages.  FILES
    are others, whose bits the kernel sets for any process's accesses.
    """
    referenced: Dict[str, Dict[str, int]] = field(
        default_factory=lambda: {"insn": {}, "data": {}, FILES: {}})
    sizes_kB: Dict[str, int] = field(
        default_factory=lambda: dict.fromkeys((*SMAPS_SIZES, *SUMS), 0))
    written: Optional[int] = None   # number of written data pages

    def pages(self, name: str) -> int:
        return (self.written or 0) if name == "dirty" else sum(
            self.referenced[name].values())


@dataclass
class MappedRange:
    """A mapping, and the number of pages referenced there."""
    start: int
    end: int
    rights: bytes               # r-xp
    name: str                   # as in reports of ws
    pages: int = 0              # private pages

    @property
    def set(self) -> str:
        """Executable mappings are code: the kernel has no other sign of it."""
        return "insn" if b"x" in self.rights else "data"


def mapping_name(name: bytes, mine: Tuple[int, bytes],
                 before: Optional[MappedRange]) -> str:
    """Name a mapping as ws does; `mine` are its start and its rights."""
    known = {b"[heap]": "heap", b"[stack]": "stack of thread 1",
             b"/dev/zero (deleted)": "shared memory"}
    if name in known:
        return known[name]
    if name.startswith(b"/SYSV"):
        return "shared memory"
    if name.startswith(b"[anon:"):
        return f"anonymous ({os.fsdecode(name[6:-1]).strip()})"
    # The .bss of a file follows its data.
    if not name and before and (before.end, before.rights) == mine and (
            before.name.startswith("/") and b"w" in before.rights):
        return before.name
    return os.fsdecode(name) or "anonymous"


def read_smaps(text: bytes, rollup: bytes = b""
               ) -> Tuple[Memory, List[MappedRange]]:
    """Read smaps, and the sums in smaps_rollup: smaps rounds the PSS of each
    mapping down.
    """
    memory, mappings = Memory(), []
    page_kB = PAGE_SZB // 1024
    last: Optional[MappedRange] = None
    for (first, end, rights, name, size, rss, referenced, private,
         swap) in MAPPING.findall(text):
        start, used = int(first, 16), int(referenced)
        mine = min(used, int(private))
        last = MappedRange(
            start, int(end, 16), rights,
            mapping_name(name, (start, rights), last), mine // page_kB)
        mappings.append(last)
        sizes = (0 if rights.startswith(b"---") else size, rss, swap)
        for key, size_kB in zip(SMAPS_SIZES, sizes):
            memory.sizes_kB[key] += int(size_kB)
        for name_of_set, kB in (last.set, mine), (FILES, used - mine):
            if kB:
                pages = memory.referenced[name_of_set]
                pages[last.name] = pages.get(last.name, 0) + kB // page_kB
    for key, sizes_kB in SUMS.items():
        memory.sizes_kB[key] = sum(map(int, sizes_kB.findall(rollup or text)))
    return memory, mappings


def count_written(entries: bytes) -> int:
    """Count written pages in memory or swap, by their entries in pagemap."""
    def bits(byte: int) -> int:
        at = byte if sys.byteorder == "little" else ENTRY_SZB - 1 - byte
        return int.from_bytes(entries[at::ENTRY_SZB], "big")

    there = bits(PRESENT_BYTE)
    top = int.from_bytes(b"\x80" * (len(entries) // ENTRY_SZB), "big")
    return bin((there | there << 1) & bits(WRITTEN_BYTE) & top).count("1")


class RunningProcess:
    """A running process.  Its directory in /proc stays its own when the kernel
    uses the PID again.  Methods that read raise Gone or Denied.
    """

    def __init__(self, pid: int):
        """Open the process.  Gone: there is none."""
        self.pid = pid
        try:
            self.home = os.open(f"/proc/{pid}", os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            raise Gone from None
        self.place = f"/proc/self/fd/{self.home}"
        self.exited = self.open_pidfd()

    def open_pidfd(self) -> Optional[int]:
        """Open a file that becomes readable when the process has exited."""
        try:
            return os.pidfd_open(self.pid)
        except (AttributeError, OSError):
            return None         # Python 3.8, Linux 5.2: reads fail instead

    def close(self) -> None:
        os.close(self.home)
        if self.exited is not None:
            os.close(self.exited)

    # --- Files -----------------------------------------------------------

    @contextmanager
    def file(self, name: str, mode: str = "rb") -> Iterator[FileIO]:
        try:
            with FileIO(f"{self.place}/{name}", mode) as file:
                yield file
        except (FileNotFoundError, ProcessLookupError):
            raise Gone from None
        except PermissionError:
            raise Denied from None

    def read(self, name: str) -> bytes:
        with self.file(name) as file:
            return file.read()

    def command(self) -> str:
        words = os.fsdecode(self.read("cmdline")).rstrip("\0").split("\0")
        return " ".join(words)

    def program(self) -> str:
        """Return the program's file; "" if we may not know it."""
        try:
            return os.readlink(f"{self.place}/exe")
        except OSError:
            return ""

    def children(self) -> Set[int]:
        """Return the PIDs of the children of all threads."""
        children: Set[int] = set()
        try:
            threads = os.listdir(f"{self.place}/task")
        except OSError:
            return children
        for name in threads:
            try:
                children.update(map(
                    int, self.read(f"task/{name}/children").split()))
            except Gone:
                pass            # the thread has ended
        return children

    # --- Pages -----------------------------------------------------------

    def clear(self, flushes: bool) -> ReadTime:
        """Clear the bits; return when.  A processor does not set the bit of a
        page again while its TLB has the entry.  With `flushes`, clear the
        soft-dirty bits, too: this flushes TLBs even on kernels without them.
        """
        with self.file("clear_refs", "wb") as file:
            begin = monotonic()
            file.write(REFERENCED_BITS)
            if flushes:
                file.write(SOFT_DIRTY_BITS)
        return ReadTime(begin, monotonic())

    def memory(self) -> Tuple[Memory, List[MappedRange], ReadTime]:
        """Return the memory, the mappings, and when they were read."""
        begin = monotonic()
        text = self.read("smaps")
        if not text:
            raise Gone
        end = monotonic()
        # Linux 4.14 has it.
        rollup = self.read("smaps_rollup") if os.path.exists(
            f"{self.place}/smaps_rollup") else b""
        return (*read_smaps(text, rollup), ReadTime(begin, end))

    def written(self, mappings: List[MappedRange]) -> int:
        """Count the private data pages whose soft-dirty bits are set."""
        total = 0
        with self.file("pagemap") as file:
            for mapping in mappings:
                if mapping.pages and b"w" in mapping.rights and (
                        mapping.set == "data"):
                    first = mapping.start // PAGE_SZB
                    last = mapping.end // PAGE_SZB
                    for page in range(first, last, MOST_ENTRIES):
                        entries = min(last - page, MOST_ENTRIES)
                        file.seek(page * ENTRY_SZB)
                        total += count_written(file.read(entries * ENTRY_SZB))
        return total


def has_soft_dirty() -> bool:
    """Tell if this kernel has soft-dirty bits: try with a page of our own."""
    me = RunningProcess(os.getpid())
    page = mmap.mmap(-1, PAGE_SZB)
    try:
        page[0] = 1
        me.clear(True)
        page[0] = 2
        return bool(me.written(me.memory()[1]))
    except (Denied, Gone, OSError):
        return False
    finally:
        page.close()
        me.close()


def process_of(pid: int) -> RunningProcess:
    """Open a process.  Failure: it cannot be measured, and why."""
    try:
        process = RunningProcess(pid)
        status = dict(re.findall(r"(\w+):\s*(.*)",
                                 os.fsdecode(process.read("status"))))
    except Gone:
        raise Failure(f"there is no process {pid}") from None
    except Denied:
        raise may_not(pid) from None
    group = status.get("Tgid", str(pid))
    state = status.get("State", "")
    what = ("a zombie: it has exited, and its parent has not noticed yet"
            if state.startswith("Z") else
            f"a thread of process {group}: give that one's number"
            if group != str(pid) else
            "exiting" if state.startswith("X") else
            "one of the kernel's own threads, which have no memory like "
            "programs" if "VmSize" not in status else "")
    if what:
        process.close()
        raise Failure(f"process {pid} is {what}")
    return process


def may_not(pid: int) -> Failure:
    """Make the message for a process that we may not read."""
    owner = ""
    try:
        owner = f", who is user {os.stat(f'/proc/{pid}').st_uid},"
    except OSError:
        pass
    return Failure(
        f"process {pid} may not be measured: only its owner{owner} and root "
        f"may. You are user {os.geteuid()}. (Nor may the owner if it has "
        "become another user, or hides its memory; in a container, it needs "
        "the capability SYS_PTRACE.)")
