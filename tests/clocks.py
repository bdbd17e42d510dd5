"""A clock for tests of time limits."""

from __future__ import annotations


class Clock:
    """A clock that goes on by one step whenever somebody looks: a limit comes after so many looks, on any machine."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now
