"""For every test; at the root, since examples in docstrings of src/ and packages/ are tests, too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ELSEWHERE = {
    "long": "make long",
    "browser": "make browser (with Chromium)",
    "spark": "make spark (with Java)",
    "postgres": "make slow (with DISCREET_POSTGRES)",
    "slow": "make slow",
}
"""What `make test` leaves out, by the marker that decides, and what runs it."""

COUNTS = pytest.StashKey[Counter[str]]()
"""How many tests were collected by kind: one of ELSEWHERE, or "quick"; before any of them was deselected."""


@pytest.fixture(scope="session", autouse=True)
def _unhurried() -> Iterator[None]:
    """A search without a time limit ends as it is planned, on a busy machine that compiles kernels, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discreet.search._options.PLANNED", 1e6)
        yield


def _kind(item: pytest.Item) -> str:
    return next((name for name in ELSEWHERE if item.get_closest_marker(name)), "quick")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Count the tests by kind: after the folders' conftests have marked theirs, before any test is deselected."""
    config.stash[COUNTS] = Counter(_kind(item) for item in items)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let a worker of xdist tell its counts to the process that prints."""
    if hasattr(session.config, "workeroutput"):
        counts: Counter[str] = session.config.stash.get(COUNTS, Counter[str]())
        session.config.workeroutput["counts"] = dict(counts)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Hear a worker's counts: every worker collects all tests."""
    counts = getattr(node, "workeroutput", {}).get("counts")
    if counts:
        node.config.stash[COUNTS] = Counter(counts)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say at the end what was left out by its marker, and how to run it."""
    if "not slow" not in config.option.markexpr:
        return
    counts = config.stash.get(COUNTS, Counter())
    left = [f"{counts[kind]} {kind}: {how}" for kind, how in reversed(ELSEWHERE.items()) if counts[kind]]
    if left:
        terminalreporter.write_line(f"left out here, and run by .ci/run but for long ones: {'; '.join(left)}")


def is_whole_suite(config: pytest.Config) -> bool:
    """Whether all folders of tests were collected, and not one file or test that was named."""
    return {Path(each).name for each in config.args} >= set(config.getini("testpaths"))
