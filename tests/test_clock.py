"""Time limits count what a search does, and not what is compiled for it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import event

import discreet as dc
from discreet import _clock
from discreet.search._watch import Watch
from tests.processes import PATIENT

FIRST = """
import numpy as np
import discreet as dc
rng = np.random.default_rng(0)
joint = dc.Joint.from_pairs(np.stack([rng.integers(0, 12, 3000), rng.integers(0, 400, 3000)], 1))
found = dc.frontier(joint, time_limit=10)
print(found.hypervolume)
"""


class Time(SimpleNamespace):
    """A clock that goes on when it is told to."""

    at = 100.0

    def monotonic(self) -> float:
        return self.at

    def process_time(self) -> float:
        return self.at / 2


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    made = Time()
    _clock.now()  # somebody listens
    monkeypatch.setattr(_clock, "time", made)
    return made


class Slow(event.Listener):
    """Every part that is compiled takes a minute."""

    def __init__(self, time: Time) -> None:
        self.time, self.parts = time, 0

    def on_start(self, _: Any) -> None:
        self.parts += 1
        self.time.at += 60

    def on_end(self, _: Any) -> None:
        pass


def test_what_is_compiled_is_not_counted(time: Time) -> None:
    inner: Any = numba.njit(lambda x: 2 * x)
    outer: Any = numba.njit(lambda x: inner(x) + 1)
    watch = Watch(10.0)
    wall, worked = _clock.now(), _clock.worked()
    slow = Slow(time)
    event.register("numba:compile", slow)  # type: ignore[no-untyped-call]
    try:
        assert outer(3) == 7
        assert slow.parts == 2
        time.at += 1
        assert outer(4) == 9
    finally:
        event.unregister("numba:compile", slow)  # type: ignore[no-untyped-call]
    assert _clock.now() - wall == pytest.approx(1.0)
    assert _clock.worked() - worked == pytest.approx(0.5)
    assert not watch.over()
    assert watch.left() == pytest.approx(9.0)
    time.at += 9.5
    assert watch.over()


def test_the_clock_stands_still_for_everybody_meanwhile(time: Time) -> None:
    before = _clock.now()
    started, ended = threading.Event(), threading.Event()

    class Held(event.Listener):
        def on_start(self, _: Any) -> None:
            started.set()
            ended.wait(PATIENT)

        def on_end(self, _: Any) -> None:
            pass

    held = Held()
    event.register("numba:compile", held)  # type: ignore[no-untyped-call]
    twice: Any = numba.njit(lambda x: 2 * x)
    try:
        thread = threading.Thread(target=twice, args=(3,))
        thread.start()
        assert started.wait(PATIENT)
        time.at += 60
        assert _clock.now() == pytest.approx(before)
        ended.set()
        thread.join()
    finally:
        event.unregister("numba:compile", held)  # type: ignore[no-untyped-call]
    assert _clock.now() == pytest.approx(before)
    time.at += 1
    assert _clock.now() == pytest.approx(before + 1)


def test_a_search_says_its_seconds_by_the_same_clock(time: Time) -> None:
    """What it leaves of a limit is for withholding rows, which gets nothing where compiling counts."""
    assert dc.frontier(dc.Joint.from_array([[3, 1, 0], [0, 1, 3]])).seconds == 0.0


@pytest.mark.slow
def test_a_first_search_finds_what_a_second_one_does(tmp_path: Path) -> None:
    """It compiles for half a minute on a free machine."""
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", FIRST], capture_output=True, text=True, env=env, timeout=PATIENT, check=True
    )
    rng = np.random.default_rng(0)
    joint = dc.Joint.from_pairs(np.stack([rng.integers(0, 12, 3000), rng.integers(0, 400, 3000)], 1))
    assert done.stdout.strip() == str(dc.frontier(joint).hypervolume)
