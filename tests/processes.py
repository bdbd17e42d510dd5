"""The command as people run it, in a real process, or in this one where only what it says matters."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.cli import main

PATIENT = 900.0
"""Seconds to wait for what comes at once on a machine that is not busy, and does not compile."""


def spawn(*arguments: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    """Run `discreet` with these arguments in a process of its own, and wait for it."""
    return subprocess.run(
        [sys.executable, "-m", "discreet", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "160", **env},
        timeout=PATIENT,
        check=False,
    )


def run(*arguments: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    """The same in this process, which has everything imported already: as fast as the command itself."""
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        patch.chdir(cwd or Path.cwd())
        for name, value in {"COLUMNS": "160", **env}.items():
            patch.setenv(name, value)
        with pytest.raises(SystemExit) as done:
            main(list(arguments))
    assert isinstance(done.value.code, int)
    return subprocess.CompletedProcess(arguments, done.value.code, out.getvalue(), err.getvalue())


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run `discreet` with these arguments in this process: its exit code, stdout and stderr."""
    with pytest.raises(SystemExit) as done:
        main(list(arguments))
    captured = capsys.readouterr()
    assert isinstance(done.value.code, int)
    return done.value.code, captured.out, captured.err
