"""Running a command under a tool and saying what it cost."""

import math
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
OUT = ROOT / "build" / "bench"
TREE = (ROOT / "build" / "tree").resolve()


@dataclass
class Cost:
    """Of a process with all its children."""

    cpu_s: float  # user and system time
    rss_kB: int   # the largest resident set of one of them

    def least(self, other: "Cost") -> "Cost":
        return Cost(min(self.cpu_s, other.cpu_s),
                    min(self.rss_kB, other.rss_kB))


NOT_RUN = Cost(math.inf, sys.maxsize)


def run(command: list[str], directory: Path) -> Cost:
    """Runs it to the end.  A failure ends the benchmark: it measures nothing."""
    with open(os.devnull, "wb") as null:
        child = subprocess.Popen(command, cwd=directory, stdin=null,
                                 stdout=null, stderr=null)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} failed: {child.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss)


def make(directory: str, *targets: str) -> None:
    """In a directory of the tree; what make says goes to a log."""
    with open(OUT / "build.log", "ab") as log:
        subprocess.run(["make", "-C", str(TREE / directory), *targets],
                       stdout=log, stderr=log, check=True)


def under(tool: str, command: list[str], options: list[str] = []) -> list[str]:
    """The command line; options may follow the tool's name."""
    name, *tool_options = tool.split()
    if name == "ws":
        tool_options.append(f"--ws-out-file={OUT}/ws.out")
    elif name in ("cachegrind", "massif"):
        tool_options.append(f"--{name}-out-file={OUT}/{name}.out")
    return [str(TREE / "vg-in-place"), f"--tool={name}", *tool_options,
            *options, *command]


def interleaved(commands: dict[str, tuple[list[str], int]],
                directory: Path) -> dict[str, Cost]:
    """The least cost of each command, run as often as it says.

    The machine may be noisy: the commands take turns, and the least counts.
    """
    best = {name: NOT_RUN for name in commands}
    for turn in range(max(runs for _, runs in commands.values())):
        for name, (command, runs) in commands.items():
            if turn < runs:
                best[name] = best[name].least(run(command, directory))
    return best


def geomean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))
