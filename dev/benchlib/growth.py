"""How the cost of ws grows with one thing at a time."""

import json
import subprocess
from pathlib import Path
from typing import Callable

from .measure import OUT, Cost, interleaved, under
from .programs import Program, perf_programs

Rows = list[dict[str, float]]
TOUCHES = 10_000_000
LOOPS = 200_000_000  # of 4 instructions each


def growth_command(*arguments: object) -> list[str]:
    program = OUT / "growth"
    source = Path(__file__).with_suffix(".c")
    if not program.exists() or (program.stat().st_mtime
                                < source.stat().st_mtime):
        subprocess.run(["gcc", "-O1", "-Wall", "-pthread", "-o", str(program),
                        str(source)], check=True)
    return [str(program), *map(str, arguments)]


def tinycc() -> Program:
    return next(p for p in perf_programs() if p.name == "tinycc")


def costs(command: list[str], directory: Path, tools: list[str],
          runs: int) -> list[Cost]:
    return list(interleaved({tool: (under(tool, command), runs)
                             for tool in ["none", *tools]},
                            directory).values())


def row(key: str, value: int, none: Cost, cost: Cost) -> dict[str, float]:
    return {key: value, "ratio": cost.cpu_s / none.cpu_s,
            "MiB over none": (cost.rss_kB - none.rss_kB) / 1024}


def by_option(key: str, option: str, values: list[int], command: list[str],
              directory: Path, runs: int) -> Rows:
    """One program, with an option of ws taking several values."""
    none, *ws = costs(command, directory,
                      [f"ws {option}={v}" for v in values], runs)
    return [row(key, v, none, cost) for v, cost in zip(values, ws)]


def by_every(runs: int) -> Rows:
    p = tinycc()
    return by_option("T", "--ws-every", [10 ** k for k in range(3, 8)],
                     p.command, p.directory, runs)


def by_pagesize(runs: int) -> Rows:
    p = tinycc()
    return by_option("page size", "--ws-pagesize",
                     [64, 256, 1024, 4096, 65536, 2097152],
                     p.command, p.directory, runs)


def by_samples(runs: int) -> Rows:
    command = growth_command("idle", 1, LOOPS)
    samples = [10 ** k for k in range(2, 7)]
    none, *ws = costs(command, OUT, [f"ws --ws-every={4 * LOOPS // n}"
                                     for n in samples], runs)
    return [row("samples", n, none, cost) for n, cost in zip(samples, ws)]


def by_pages(runs: int) -> Rows:
    """As many touches, of more and more pages."""
    rows = []
    for n in [10 ** k for k in range(2, 7)]:
        none, ws = costs(growth_command("stream", n, TOUCHES // n), OUT,
                         ["ws"], runs)
        rows.append(row("pages", n, none, ws))
        more = rows[-1]["MiB over none"] - rows[0]["MiB over none"]
        rows[-1]["bytes per page"] = more * 1024 * 1024 / n
    return rows


def by_live_pages(runs: int) -> Rows:
    """The cost of a sample: the difference that many samples make."""
    few, many = 10 ** 8, 1000
    rows = []
    for n in [10 ** k for k in range(2, 7)]:
        _, a, b = costs(growth_command("idle", n, LOOPS), OUT,
                        [f"ws --ws-tau={10 ** 12} --ws-every={every}"
                         for every in (few, many)], runs)
        rows.append({"live pages": n, "us per sample":
                     1e6 * (b.cpu_s - a.cpu_s) / (4 * LOOPS / many)})
    return rows


def by_threads(runs: int) -> Rows:
    rows = []
    for n in (1, 2, 4, 8, 16):
        none, ws = costs(growth_command("threads", n, LOOPS), OUT, ["ws"],
                         runs)
        rows.append(row("threads", n, none, ws))
    return rows


TABLES: dict[str, Callable[[int], Rows]] = {
    "every": by_every, "pages": by_pages, "live-pages": by_live_pages,
    "samples": by_samples, "pagesize": by_pagesize, "threads": by_threads}


def print_growth(names: list[str], runs: int) -> None:
    results: dict[str, Rows] = {}
    for name in names:
        results[name] = rows = TABLES[name](runs)
        print("".join(f"{title:>16}" for title in rows[0]))
        for r in rows:
            print("".join(f"{v:16d}" if isinstance(v, int) else f"{v:16.2f}"
                          for v in r.values()))
        print(flush=True)
    (OUT / "growth.json").write_text(json.dumps(results, indent=1) + "\n")
