"""Ctrl-C and SIGTERM, sent to real processes: one line, exit code 130, nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from discreet._typing import Progress
from discreet.cli._signals import Signals
from tests.processes import PATIENT, said


@pytest.fixture
def people(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    rows = [f"{rng.integers(100, 999)},{rng.integers(1000, 9999)}" for _ in range(3_000)]
    path = tmp_path / "people.csv"
    path.write_text("wage,salary\n" + "\n".join(rows) + "\n")
    return path


def started(people: Path, tmp_path: Path, hook: str, *arguments: str) -> subprocess.Popen[str]:
    """A process that has come to the hook, which stands in place of the search."""
    hooks, scratch = tmp_path / "hooks", tmp_path / "scratch"
    hooks.mkdir()
    scratch.mkdir()
    (hooks / "sitecustomize.py").write_text(
        "import time\n"
        "import discreet.search._engines as engines\n"
        "import discreet.search as search\n"
        "from discreet.tables._scratch import scratch_folder, scratch_file\n"
        "from pathlib import Path\n"
        "def solve(task):\n"
        f"    with scratch_folder(), scratch_file(Path({str(scratch)!r}), 'half', '.csv'):\n"
        f"        Path({str(tmp_path / 'ready')!r}).touch()\n"
        f"        {hook}\n"
        "search.solve = solve\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "discreet", *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(hooks), *sys.path[1:2], os.environ.get("PYTHONPATH", "")]),
             "TMPDIR": str(scratch)},
        cwd=people.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    while not (tmp_path / "ready").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    return process


RELEASE = (
    "release",
    "people.csv",
    "-s",
    "wage",
    "-p",
    "salary",
    "--max-leakage",
    "2",
    "--out",
    "r.csv",
    "--policy",
    "p.json",
)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "hook",
    [
        "time.sleep(600)",  # Python
        "import numpy as np; a = np.ones((1500, 1500)); [np.linalg.svd(a) for _ in range(10**6)]",  # compiled code
        "exec('while True: pass', {}, {})",  # where an exception would be lost: Python that compiled code calls
    ],
    ids=["python", "compiled", "fragile"],
)
def test_a_signal_ends_a_command_with_one_line(people: Path, tmp_path: Path, hook: str, number: signal.Signals) -> None:
    process = started(people, tmp_path, hook, *RELEASE)
    process.send_signal(number)
    out, errors = process.communicate(timeout=PATIENT)
    assert process.returncode == 130
    assert (out, errors) == ("", "discreet: interrupted\n")
    assert list((tmp_path / "scratch").iterdir()) == []
    assert not (tmp_path / "r.csv").exists()


def test_what_compiled_code_makes_of_an_interrupt_is_one_too() -> None:
    signals = Signals()
    lost = SystemError("returned a result with an exception set")
    assert not signals.ended(lost)
    signals.received = signal.SIGINT
    assert signals.ended(lost)
    assert signals.ended(KeyboardInterrupt())
    assert not signals.ended(ValueError("something else"))
    signals.received = signal.SIGTERM
    assert signals.ended(ValueError("whatever it is"))


def test_a_search_that_is_interrupted_says_so_and_gives_the_best_so_far(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def impatient(title: str, plan: str = "") -> Iterator[Progress]:
        def report(stage: str, share: float | None) -> None:
            if "policies" in stage or "policy" in stage:
                raise KeyboardInterrupt

        yield report

    monkeypatch.chdir(tmp_path)
    for command in ("frontier", "release"):
        monkeypatch.setattr(f"discreet.cli.{command}.progress", impatient)
    code, out, errors = said(capsys, "frontier", "people.csv", "-s", "wage", "-p", "salary")
    assert (code, errors) == (0, "")
    assert "interrupted: these are the best policies found until then" in out
    code, out, errors = said(capsys, *RELEASE)
    assert (code, errors) == (0, "")
    assert "interrupted: these are the best policies found until then" in out
    assert (tmp_path / "r.csv").exists()
