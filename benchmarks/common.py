"""What the benchmarks share: one process a measurement, best of several, and small tables.

A script names its workers: functions that prepare (imports, data, a warm-up) and return the call to be timed.
Each measurement is a fresh process, so that nothing is warm by accident and peak memory belongs to one side
alone. This module and the process that starts the workers import nothing heavy: on Linux a child's peak memory
starts from its parent's.

With --json FILE a script writes what it printed and what it measured, beside the machine that it ran on.
"""

from __future__ import annotations

import json
import math
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

Worker = Callable[[list[str]], Callable[[], Any]]
_TABLES: list[dict[str, Any]] = []
_MEASURED: list[dict[str, Any]] = []


@dataclass(frozen=True)
class Cost:
    """Seconds by the clock, seconds of all cores, peak memory in MB, and what the call returned."""

    wall: float
    cpu: float
    peak: float
    result: Any = None


def peak_memory() -> float:
    """This process's largest resident set so far, in MB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1 << 20) if sys.platform == "darwin" else most / (1 << 10)


def measure(call: Callable[[], Any]) -> Cost:
    """Time one call in this process."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = call()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Cost(wall, cpu, peak_memory(), result)


def best_here(call: Callable[[], Any], times: int = 3) -> Cost:
    """The best of several calls in this process, for what takes milliseconds."""
    return best(measure(call) for _ in range(times))


def best(costs: Iterable[Cost]) -> Cost:
    """The least of each cost; the result is that of the last."""
    every = list(costs)
    return Cost(
        min(cost.wall for cost in every),
        min(cost.cpu for cost in every),
        min(cost.peak for cost in every),
        every[-1].result,
    )


def in_process(worker: str, *arguments: str, python: str | None = None, timeout: float | None = None) -> Cost:
    """Run a worker of the calling script in a process of its own, for so many seconds at most."""
    command = [python or sys.executable, sys.argv[0], "--worker", worker, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=timeout)
    cost = Cost(**json.loads(done.stdout.splitlines()[-1]))
    _MEASURED.append({"worker": worker, "arguments": [Path(each).name for each in arguments], **asdict(cost)})
    return cost


def alternate(sides: Mapping[str, Callable[[], Cost]], times: int = 3) -> dict[str, Cost]:
    """Run the sides in turn, so that a busy spell of the machine hits both; the best of each."""
    found: dict[str, list[Cost]] = {name: [] for name in sides}
    for _ in range(times):
        for name, side in sides.items():
            found[name].append(side())
    return {name: best(costs) for name, costs in found.items()}


def start(
    bench: Callable[[argparse.Namespace], None], workers: Mapping[str, Worker], parser: argparse.ArgumentParser
) -> None:
    """Be the worker that the arguments name, or run the benchmark."""
    if len(sys.argv) > 2 and sys.argv[1] == "--worker":
        call = workers[sys.argv[2]](sys.argv[3:])
        print(json.dumps(asdict(measure(call))))
        return
    parser.add_argument("--quick", action="store_true", help="less data, to see that it runs")
    parser.add_argument("--json", metavar="FILE", help="write what was measured")
    options = parser.parse_args()
    bench(options)
    if options.json:
        write_json(options.json, quick=options.quick)


def write_json(path: str, *, quick: bool) -> None:
    """What was printed in tables and what was measured, with the machine beside it."""
    found = {"quick": quick, "machine": machine(), "tables": _TABLES, "measured": _MEASURED}
    Path(path).write_text(json.dumps(found, indent=1, ensure_ascii=False, default=str) + "\n", encoding="utf-8")


def machine() -> dict[str, Any]:
    """Cores, memory and how busy they are: seconds mean nothing without."""
    pages, page = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return {
        "cores": os.cpu_count(),
        "memory_gb": round(pages * page / (1 << 30), 1),
        "load": [round(each, 1) for each in os.getloadavg()],
        "python": platform.python_version(),
        "system": platform.system(),
    }


def growth(small: float, large: float, times: float) -> float:
    """The exponent by which a cost grows when the size grows so many times."""
    return math.log(large / small) / math.log(times) if small > 0 and large > 0 else math.nan


def table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A small table: the first column to the left, the others to the right."""
    body = [list(row) for row in rows]
    _TABLES.append({"title": title, "header": list(header), "rows": body})
    widths = [max(len(row[i]) for row in [list(header), *body]) for i in range(len(header))]
    print(f"\n{title}")
    for row in [list(header), *body]:
        first, *others = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        print("  " + "  ".join([row[0].ljust(len(first)), *others]).rstrip())
    sys.stdout.flush()


def seconds(value: float) -> str:
    """A duration that people can read."""
    return f"{value * 1000:.2f} ms" if value < 0.1 else f"{value:.2f} s"


def megabytes(value: float) -> str:
    """An amount of memory."""
    return f"{value:,.0f} MB"


def verdict(met: bool) -> str:
    """Whether a target is met."""
    return "met" if met else "NOT MET"
