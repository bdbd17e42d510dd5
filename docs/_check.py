"""Run every example of the pages; exit 1 if one does not do what the page says.

    python docs/_check.py [page.md … script.py …]

Python examples run as doctests, `console` ones as commands: the line after `$ `, and the next where it ends in a
backslash. A line `...` in the output of a command stands for any lines, and `[exit 1]` at its end for that exit code.
A block below `<!-- needs NAME -->` is left out where the environment has no NAME. Each page has a process and a folder
of its own, with the tables of docs/ (there, and in a folder docs/) and the scripts of examples/ in it.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

DOCS = Path(__file__).resolve().parent
EXAMPLES = DOCS.parent / "examples"
_COMMAND = r"\$ ((?:[^\n]*\\\n)*[^\n]*)\n"
_BLOCK = re.compile(rf"(?:^<!-- needs (\w+) -->\n+)?^```console\n{_COMMAND}(.*?)^```", re.DOTALL | re.MULTILINE)
_EXIT = re.compile(r"^\[exit (\d+)\]\n?\Z", re.MULTILINE)
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def environment() -> dict[str, str]:
    """Eighty columns, and the commands of this interpreter first."""
    return {**os.environ, "COLUMNS": "80", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def python_problems(page: Path, folder: str) -> list[str]:
    """What the doctests of a page print about their failures."""
    command = [sys.executable, "-W", "error", "-m", "doctest", str(page)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
    return [done.stdout + done.stderr] if done.returncode else []


def console_problems(page: Path, folder: str) -> list[str]:
    """Commands of a page whose output or exit code is not what the page says."""
    problems = []
    for needs, command, wanted in _BLOCK.findall(page.read_text(encoding="utf-8")):
        if needs and not os.environ.get(needs):
            print(f"left out, since {needs} is not set: {command}")
            continue
        done = subprocess.run(  # noqa: S603
            ["/bin/sh", "-c", command], cwd=folder, env=environment(), capture_output=True, text=True, check=False
        )
        code = _EXIT.search(wanted)
        wanted = _EXIT.sub("", wanted)
        if done.returncode != (int(code[1]) if code else 0):
            problems.append(f"{page.name}: {command}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
        elif wanted and not doctest.OutputChecker().check_output(wanted, done.stdout + done.stderr, _FLAGS):
            problems.append(f"{page.name}: {command}\nprints\n{done.stdout}{done.stderr}\nnot\n{wanted}")
    return problems


def script_problems(script: Path, folder: str) -> list[str]:
    """What an example prints when it fails."""
    command = [sys.executable, "-W", "error", str(script)]
    done = subprocess.run(  # noqa: S603
        command, cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )
    return [done.stdout + done.stderr] if done.returncode else []


def problems_of(file: Path) -> list[str]:
    """What is wrong with a page or a script, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="discreet-docs-") as folder:
        (Path(folder) / "docs").mkdir()  # commands of the README run from the root
        for table in DOCS.glob("*.csv"):
            shutil.copy(table, folder)
            shutil.copy(table, Path(folder) / "docs")
        shutil.copytree(EXAMPLES, Path(folder) / "examples", ignore=shutil.ignore_patterns("__pycache__"))
        if file.suffix == ".py":
            return script_problems(file, folder)
        return [*python_problems(file, folder), *console_problems(file, folder)]


def main(names: list[str]) -> int:
    """Check the named pages and scripts, or all pages and the README; the gallery runs the scripts when it is built."""
    everything = [*sorted(DOCS.glob("*.md")), DOCS.parent / "README.md"]
    files = [Path(name).resolve() for name in names] or everything
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, problems in zip(files, pool.map(problems_of, files), strict=True):
            verdict = "FAILED" if problems else "ok    "
            print(f"{verdict} {file.name}", *problems, sep="\n" if problems else " ", flush=True)
            failed += bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
