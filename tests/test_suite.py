"""The suite itself: no test is lost while tests move between `make test` and what CI runs besides."""

from __future__ import annotations

import pytest

from conftest import COUNTS, is_whole_suite

AT_LEAST = {"quick": 6100, "slow": 280, "postgres": 70, "browser": 23, "spark": 37, "long": 5}
"""How many tests there are of each kind; raise a number when tests are added, and say why where one falls."""


def test_no_test_is_lost(request: pytest.FixtureRequest) -> None:
    if not is_whole_suite(request.config):
        pytest.skip("only part of the suite was collected")
    counts = request.config.stash[COUNTS]
    assert {kind: counts[kind] for kind, least in AT_LEAST.items() if counts[kind] < least} == {}
