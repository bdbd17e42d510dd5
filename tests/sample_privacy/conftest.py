"""A clock for tests of time limits."""

from __future__ import annotations

import pytest

from tests.clocks import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of every search; a second is over after fifty looks."""
    made = Clock(0.02)
    monkeypatch.setattr("time.monotonic", made)
    return made
