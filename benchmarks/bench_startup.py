"""CPU time of `discreet --help` and of `import discreet`, best of five, next to Python alone.

Targets: 0.3 s for the help, 0.5 s for the import.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from common import seconds, start, table, verdict


def cpu_of(command: list[str]) -> float:
    """Seconds of CPU that a command takes, start-up of Python included."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{command} failed"
    return usage.ru_utime + usage.ru_stime


def loaded(statement: str) -> int:
    """How many modules a statement leaves loaded."""
    code = f"{statement}; import sys; print(len(sys.modules))"
    return int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def bench(options: argparse.Namespace) -> None:
    """Python alone first: nobody can be faster."""
    script = Path(sys.executable).parent / "discreet"
    help_command = [str(script)] if script.exists() else [sys.executable, "-m", "discreet"]
    sides: list[tuple[str, list[str], float | None, int | None]] = [
        ("python -c pass", [sys.executable, "-c", "pass"], None, loaded("pass")),
        ("import discreet", [sys.executable, "-c", "import discreet"], 0.5, loaded("import discreet")),
        ("discreet --help", [*help_command, "--help"], 0.3, None),
        ("discreet audit --help", [*help_command, "audit", "--help"], 0.3, None),
    ]
    body: list[list[str]] = []
    bare = 0.0
    for name, command, most, modules in sides:
        least = min(cpu_of(command) for _ in range(2 if options.quick else 5))
        bare = bare or least
        target = ["", ""] if most is None else [f"{most} s", verdict(least <= most)]
        count = "" if modules is None else str(modules)
        body.append([name, seconds(least), f"{least / bare:.1f}", *target, count])
    table("start-up, CPU", ["", "CPU", "times Python alone", "target", "", "modules loaded"], body)


if __name__ == "__main__":
    start(bench, {}, argparse.ArgumentParser(description=__doc__))
