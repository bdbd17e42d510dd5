"""A clock for tests of time limits."""

from __future__ import annotations

import pytest


class Clock:
    """A clock that goes on by one step whenever somebody looks: a limit comes after so many looks, on any machine."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of every search; a second is over after fifty looks."""
    made = Clock(0.02)
    monkeypatch.setattr("time.monotonic", made)
    return made
