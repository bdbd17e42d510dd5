"""The gate as the documentation hands it out: the workflow and the hooks are parsed, and what they run is run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
BLOCKS = [
    yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", (ROOT / "docs/gate.md").read_text(), re.DOTALL)
]
SAFE = "diagnosis,region,age_band\n" + "".join(
    f"{d},{r},{a}\n" for d in ("flu", "flu", "cough", "gout", "gout") for r in "NS" for a in (1, 2)
)
UNSAFE = "diagnosis,region,age_band\nflu,N,1\ngout,S,2\nflu,N,1\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What the job finds: a table, and a `discreet` that was installed."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data/release.csv").write_text(SAFE)
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin/discreet"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m discreet "$@"\n')
    command.chmod(0o755)
    return tmp_path


def ran(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A step as a runner runs it."""
    env = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-e", "-c", script],  # noqa: S607
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


def the(key: str) -> Any:
    """The one block of the page that has this key."""
    (found,) = [block for block in BLOCKS if key in block]
    return found[key]


def test_the_workflow_is_whole() -> None:
    (job,) = the("jobs").values()
    steps = job["steps"]
    assert job["runs-on"]
    assert steps[0]["uses"].startswith("actions/checkout@")
    assert any(step.get("uses", "").startswith("actions/setup-python@") for step in steps)
    (install,) = [step["run"] for step in steps if step.get("name") == "install"]
    assert re.fullmatch(r'python -m pip install "discreet\[plots\]"', install)


@pytest.mark.parametrize(("table", "code"), [(SAFE, 0), (UNSAFE, 1), ("", 2)])
def test_the_workflow_passes_and_fails_as_it_should(checkout: Path, table: str, code: int) -> None:
    (checkout / "data/release.csv").write_text(table)
    (job,) = the("jobs").values()
    (script,) = [step["run"] for step in job["steps"] if "run" in step and step["name"] != "install"]
    done = ran(script, checkout)
    assert done.returncode == code, done.stderr
    assert (checkout / "audit.html").exists() == (code < 2)  # the report is there to show why


@pytest.mark.parametrize(("table", "code"), [(SAFE, 0), (UNSAFE, 1)])
def test_the_hooks_refuse_what_gives_away_too_much(checkout: Path, table: str, code: int) -> None:
    (checkout / "data/release.csv").write_text(table)
    (hook,) = the("repos")[0]["hooks"]
    shipped = {each["id"]: each for each in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    assert hook["entry"] == shipped[hook["id"]]["entry"]
    assert not hook["pass_filenames"] and not shipped[hook["id"]]["pass_filenames"]
    assert re.match(hook["files"], "data/release.csv")
    done = ran(f"{hook['entry']} {shlex.join(hook['args'])}", checkout)
    assert (done.returncode, done.stdout) == (code, "")


def test_the_shipped_hooks_name_commands_that_there_are() -> None:
    from discreet.cli import COMMANDS

    for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text()):
        assert hook["entry"].split()[1] in COMMANDS
        assert hook["language"] == "python"
