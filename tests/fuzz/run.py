"""Run them, and say what went wrong: a traceback, an exit code that no table lists, a file left behind, a private value told.

python -m tests.fuzz.run [--count 3000] [--seed 0]
"""

from __future__ import annotations

import argparse
import io
import os
import random
import shlex
import shutil
import sys
import tempfile
import time
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from discreet.cli import main
from tests.fuzz.files import MARK, damaged, write_all
from tests.fuzz.lines import Lines

CODES = {0, 1, 2}
SLOW = 60.0  # seconds in which any of these small jobs is done


@dataclass(frozen=True)
class Outcome:
    """What a command line did."""

    line: list[str]
    code: object
    out: str
    err: str
    seconds: float
    problem: str = ""

    def __str__(self) -> str:
        return f"{self.problem}\n    discreet {shlex.join(self.line)}\n    exit {self.code}: {self.err.strip()[:300]}"


class Fuzz:
    """A folder of files, and command lines run in it."""

    slowest = SLOW

    def __init__(self, folder: Path, seed: int, slowest: float) -> None:
        self.folder, self.rng, self.slowest = folder, random.Random(seed), slowest
        self.scratch = folder.parent / "scratch"
        self.scratch.mkdir(exist_ok=True)
        self.tables = write_all(folder)
        for line in (
            "release people.csv -s illness -p age --max-leakage 1 --out released.csv --policy policy.json",
            "init people.csv --out recipe.toml",
        ):
            made = self.run(line.split())
            assert made.code == 0, made
        self.whole = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}

    def run(self, line: list[str]) -> Outcome:
        """In this process, with its output caught."""
        out, err = io.StringIO(), io.StringIO()
        began = time.monotonic()
        code: object = None
        with redirect_stdout(out), redirect_stderr(err), chdir(self.folder), warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                main(line)
            except SystemExit as done:
                code = done.code
            except BaseException as problem:
                code = type(problem).__name__
        return Outcome(line, code, out.getvalue(), err.getvalue(), time.monotonic() - began)

    def damage(self) -> str:
        """A damaged copy of a table under its own suffix, and one of the policy; what they are called."""
        rng = self.rng
        kind = rng.choice((".csv", ".csv.gz", ".csv.zst", ".parquet", ".arrow", ".xlsx", ".tsv"))
        name = f"damaged{kind}"
        (self.folder / name).write_bytes(damaged(self.whole[f"people{kind}"], rng))
        (self.folder / "damaged.json").write_bytes(damaged(self.whole["policy.json"], rng))
        return name

    def case(self) -> Outcome:
        """One command line, judged; then the folder is as it was."""
        name = self.damage()
        line = [name if part == "damaged" else part for part in Lines(self.tables, self.rng).draw()]
        before = self.state()
        done = self.run(line)
        problem = self.judged(done, before, self.state())
        self.restore()
        return Outcome(done.line, done.code, done.out, done.err, done.seconds, problem)

    def state(self) -> dict[str, bytes]:
        """All files, those of the scratch folder too."""
        found = {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}
        return found | {f"scratch/{path.name}": b"" for path in self.scratch.iterdir()}

    def judged(self, done: Outcome, before: dict[str, bytes], after: dict[str, bytes]) -> str:
        """What is wrong with it, or nothing."""
        told = done.out + done.err
        if done.code not in CODES:
            return f"exit code {done.code!r}"
        if "Traceback" in told or "DISCREET_DEBUG" in done.err:
            return "a problem that nobody foresaw"
        if done.code == 2 and (done.err.count("\n") != 1 or not done.err.startswith("discreet: ") or done.out):
            return "bad input that is not told in one line"
        if MARK in done.err or "77000" in done.err or (MARK in done.out and "--show-values" not in done.line):
            return "a private value is told"
        changed = {name for name in before | after if before.get(name) != after.get(name)}
        if changed and (done.code == 2 or any(name.startswith(("scratch/", ".")) for name in changed)):
            return f"left behind: {', '.join(sorted(changed))}"
        if any(name not in done.line for name in changed):
            return f"written, though nobody named it: {', '.join(sorted(changed - set(done.line)))}"
        return f"{done.seconds:.0f} s" if done.seconds > self.slowest else ""

    def restore(self) -> None:
        """Files as they were before."""
        for path in self.folder.iterdir():
            if path.is_file() and path.name not in self.whole:
                path.unlink()
        for name, content in self.whole.items():
            (self.folder / name).write_bytes(content)
        for path in self.scratch.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def fuzz(count: int, seed: int, *, slowest: float = SLOW, tell: bool = False) -> list[Outcome]:
    """Those of so many command lines that went wrong, or took more than so many seconds."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as where:
        folder = Path(where) / "files"
        folder.mkdir()
        before = os.environ.get("TMPDIR")
        (Path(where) / "scratch").mkdir()
        os.environ["TMPDIR"], tempfile.tempdir = str(Path(where) / "scratch"), None
        try:
            made = Fuzz(folder, seed, slowest)
            wrong, codes = [], dict.fromkeys(CODES, 0)
            for number in range(count):
                done = made.case()
                codes[done.code if done.code in codes else 2] += 1
                if done.problem:
                    wrong.append(done)
                    if tell:
                        print(f"{number}: {done}", flush=True)
        finally:
            os.environ.pop("TMPDIR") if before is None else os.environ.update(TMPDIR=before)
            tempfile.tempdir = None
    if tell:
        print(f"{count} command lines, seed {seed}: exit codes {codes}; {len(wrong)} went wrong")
    return wrong


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    sys.exit(bool(fuzz(asked.count, asked.seed, tell=True)))
