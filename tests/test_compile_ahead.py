"""Kernels compiled ahead: by two processes, once, counted, and outside of every time limit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from discreet import _clock, _compile, _compile_ahead
from discreet._cache import kernel_folder
from discreet._compile_ahead import JOBS, Job, compile_ahead, count_kernels
from discreet._tours import TOURS
from tests.processes import PATIENT


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a job that is soon done."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    made = kernel_folder(_compile.key())
    assert made is not None
    monkeypatch.setattr(_compile, "folder", lambda: made)
    monkeypatch.setitem(JOBS, "small", Job(("merge",), ("merge",), 2, ("search._kernels.",)))
    monkeypatch.setattr(_compile_ahead, "is_on", True)
    return made


def test_kernels_are_compiled_once_and_counted(folder: Path) -> None:
    told: list[tuple[str, float | None]] = []
    before = _clock.now()
    compile_ahead("small", lambda stage, share: told.append((stage, share)))
    assert _clock.now() - before < 0.2  # it took longer than that
    assert {stage for stage, _ in told} == {"compiling 2 kernels, once on this machine, about 0 s"}
    shares = [share for _, share in told if share is not None]
    assert len(shares) == len(told) and shares[0] == 0 and shares == sorted(shares)
    made = {each: each.stat().st_mtime_ns for each in folder.glob("*.nbc")}
    assert len(made) == count_kernels(folder) == 2
    told.clear()
    compile_ahead("small", lambda stage, share: told.append((stage, share)))
    assert not told
    assert made == {each: each.stat().st_mtime_ns for each in folder.glob("*.nbc")}


def test_python_starts_no_process(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_compile_ahead, "is_on", False)
    compile_ahead("small")
    assert not list(folder.iterdir())


def test_what_fails_is_left_to_the_search(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(JOBS, "small", Job(("no such tour",), (), 2, ("",)))
    compile_ahead("small")
    assert not list(folder.glob("*.compiled"))


def test_jobs_name_tours() -> None:
    for job in JOBS.values():
        assert {*job.first, *job.second} <= {*TOURS, "all", "backwards"}


TWICE = {
    "search._kernels.geometry.ball_radius",  # of numbers, and of places on a lattice
    "search._kernels.random.mix",
    "search._kernels.sorting.sort_by",  # by numbers, and by whole numbers
}


@pytest.mark.slow
@pytest.mark.parametrize(("job", "most"), [("tables", 54), ("information", 46), ("ranges", 80)])
def test_a_kernel_is_compiled_for_one_list_of_types(job: str, most: int, tmp_path: Path) -> None:
    """Each further one costs everybody time before their first answer: a plain 0 has a type of its own, for one.

    It compiles for half a minute.
    """
    tours = dict.fromkeys((*JOBS[job].first, *JOBS[job].second))
    command = [sys.executable, "-m", "discreet._tours", *tours]
    subprocess.run(command, check=True, env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}, timeout=PATIENT)
    made = Counter(each.name.rsplit(".", 2)[0] for each in tmp_path.rglob("*.nbc"))
    assert {name for name, count in made.items() if count > 1} <= TWICE
    assert made.total() <= most
    assert 0.8 * JOBS[job].kernels <= made.total() <= JOBS[job].kernels  # what people are told, at most
