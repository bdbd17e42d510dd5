"""Run every example of the pages: Python ones as doctests, `$ discreet` ones as commands; exit 1 if one differs.

    python docs/_check.py [page.md …]

A line `...` in the output of a command stands for any lines, and `[exit 1]` at its end for that exit code. Each page
has a process of its own, so that a measure registered on one is unknown on the others.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
_EXIT = re.compile(r"^\[exit (\d+)\]\n?\Z", re.MULTILINE)
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def python_problems(page: Path, folder: str) -> list[str]:
    """What the doctests of a page print about their failures."""
    command = [sys.executable, "-W", "error", "-m", "doctest", str(page)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
    return [done.stdout + done.stderr] if done.returncode else []


def console_problems(page: Path, folder: str) -> list[str]:
    """Commands of a page whose output or exit code is not what the page says."""
    problems = []
    environment = {**os.environ, "COLUMNS": "80", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for block in _BLOCK.findall(page.read_text(encoding="utf-8")):
        command, _, wanted = block.partition("\n")
        if not command.startswith("$ discreet "):
            continue
        done = subprocess.run(  # noqa: S603
            ["/bin/sh", "-c", command.removeprefix("$ ")],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        code = _EXIT.search(wanted)
        wanted = _EXIT.sub("", wanted)
        if done.returncode != (int(code[1]) if code else 0):
            problems.append(f"{page.name}: {command}\nexit code {done.returncode}\n{done.stderr}")
        elif wanted and not doctest.OutputChecker().check_output(wanted, done.stdout + done.stderr, _FLAGS):
            problems.append(f"{page.name}: {command}\nprints\n{done.stdout}{done.stderr}\nnot\n{wanted}")
    return problems


def main(names: list[str]) -> int:
    """Check the named pages, or all of them and the README."""
    pages = [Path(name).resolve() for name in names] or [*sorted(DOCS.glob("*.md")), DOCS.parent / "README.md"]
    failed = 0
    for page in pages:
        with tempfile.TemporaryDirectory(prefix="discreet-docs-") as folder:
            for table in DOCS.glob("*.csv"):
                shutil.copy(table, folder)
            problems = [*python_problems(page, folder), *console_problems(page, folder)]
        print(f"{'FAILED' if problems else 'ok    '} {page.name}", *problems, sep="\n" if problems else " ")
        failed += bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
