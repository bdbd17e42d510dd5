"""Each paper is checked once in a run of the suite, by whichever worker asks first; the others read what it found."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import TableError
from discreet_papers import paper
from discreet_papers.claims import Row, Study

MINUTES = 20
"""What a worker waits for another's run at most."""


@dataclass(frozen=True)
class Axes:
    """What is on one pair of axes."""

    lines: int
    x_label: str
    y_label: str
    drawn: bool


@dataclass(frozen=True)
class Checked:
    """What one run over a paper found: its rows, and the axes of every figure that could be drawn."""

    rows: list[Row]
    figures: dict[str, list[Axes]]

    @property
    def by_claim(self) -> dict[str, Row]:
        """The rows by what the paper says."""
        return {row.claim: row for row in self.rows}


Checks = Callable[[str], Checked]
_STUDIES: dict[str, Study] = {}


def study_of(tag: str) -> Study:
    """What the claims of a paper share, as far as this process has computed it; a copy, which a test may spoil."""
    kept = _STUDIES.get(tag, Study())
    return Study(kept.data, dict(kept._shared))


@pytest.fixture(scope="session")
def has_data() -> bool:
    """Whether the Hungarian data are there."""
    try:
        return len(Study().hungarian["age"]) == 293
    except TableError:
        return False


@pytest.fixture(scope="session")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Checks:
    """The run over the paper of a tag."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "papers"
    folder.mkdir(exist_ok=True)
    return lambda tag: _read(_found(tag, folder))


def _found(tag: str, folder: Path) -> dict[str, Any]:
    """The run's outcome as JSON, made here unless another process has begun to."""
    target = folder / f"{tag}.json"
    try:
        (folder / f"{tag}.begun").touch(exist_ok=False)
    except FileExistsError:
        until = time.monotonic() + 60 * MINUTES
        while not target.exists():
            assert time.monotonic() < until, f"another worker does not finish {tag}"
            time.sleep(0.2)
    else:
        outcome: dict[str, Any] = {"problem": "the run was interrupted"}
        try:
            outcome = _run(tag, folder)
        except Exception as problem:
            outcome = {"problem": f"{type(problem).__name__}: {problem}"}
            raise
        finally:
            target.with_suffix(".new").write_text(json.dumps(outcome))
            target.with_suffix(".new").replace(target)
    found: dict[str, Any] = json.loads(target.read_text())
    assert "problem" not in found, found["problem"]
    return found


def _run(tag: str, folder: Path) -> dict[str, Any]:
    study = _STUDIES[tag] = Study()
    rows = [claim.row(tag, study).to_dict() for claim in paper(tag).claims]
    figures = {}
    for figure in paper(tag).figures:
        try:
            drawing = figure.draw(study)
        except TableError:
            continue
        drawing.savefig(folder / f"{tag}-{figure.name}.png", dpi=40)
        figures[figure.name] = [
            (len(axes.lines), axes.get_xlabel(), axes.get_ylabel(), bool(axes.has_data() or axes.patches))
            for axes in drawing.axes
        ]
    return {"rows": rows, "figures": figures}


def _read(found: dict[str, Any]) -> Checked:
    figures = {name: [Axes(*each) for each in axes] for name, axes in found["figures"].items()}
    return Checked([Row(**row) for row in found["rows"]], figures)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what runs a whole paper as slow: its claims and figures take a minute together."""
    for item in items:
        if "checked" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
