"""For every test; at the root, since examples in docstrings of src/ and packages/ are tests, too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _unhurried() -> Iterator[None]:
    """A search without a time limit ends as it is planned, on a busy machine that compiles kernels, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discreet.search._options.PLANNED", 1e6)
        yield
