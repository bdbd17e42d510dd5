"""Time for searches: as much as they need, or as much as a clock of our own gives them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import get_args

import numpy as np
import pytest

from discreet.sample_privacy._optimising import Engine
from discreet.sample_privacy._solving import solve
from tests.clocks import Clock


@pytest.fixture(scope="package", autouse=True)
def _unhurried() -> Iterator[None]:
    """A search without a time limit ends by itself, on a busy machine, too; kernels are compiled before limits count."""
    p = np.random.default_rng(0).dirichlet(np.ones(16)).reshape((2,) * 4)
    for engine in get_args(Engine):
        solve(p, engine=engine, time_limit=math.inf)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discreet.sample_privacy._optimising.SECONDS", 1e6)
        yield


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of every search; a second is over after fifty looks."""
    made = Clock(0.02)
    monkeypatch.setattr("time.monotonic", made)
    return made
