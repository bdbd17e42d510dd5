"""Results behave alike: whatever discreet gives back tells itself as JSON and shows itself in a notebook."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet._typing import Plotted, Result, Saved

SECRET = "<b>secret & co</b>"  # noqa: S105, a value that must not be seen, and must be escaped where it is
ROWS = [
    {"illness": illness, "age": age, "town": town}
    for illness, age, town in [
        (SECRET, 31, "A"),
        ("flu", 32, "A"),
        ("cold", 33, "B"),
        ("flu", 33, "B"),
        (SECRET, 34, "B"),
        ("cold", 31, "A"),
    ]
]


def frontier() -> Any:
    return dc.frontier(dc.Joint.from_table(ROWS, "illness", "age"))


def release(folder: Path) -> Any:
    return dc.publish(
        ROWS, frontier(), max_leakage=1.0, out=folder / "released.csv", policy_file=folder / "policy.json"
    )


def verification(folder: Path) -> Any:
    policy = frontier().at(max_leakage=1.0)
    return policy.verify(policy.release(ROWS), ROWS)


def auditor(folder: Path) -> Any:
    made = dc.queries.Auditor(np.zeros(4), np.full(4, 10.0), keep=0.2, step=0)
    made.ask([0, 1, 2, 3], "mean", error=0.5, data=np.array([1.0, 2.0, 3.0, 4.0]))
    return made


MAKERS: dict[str, Callable[[Path], Any]] = {
    "Audit": lambda folder: dc.audit(ROWS, "illness", "age"),
    "Auditor": auditor,
    "Channel": lambda folder: dc.Channel.from_matrix(dc.Joint.from_table(ROWS, "illness", "town"), np.eye(2)),
    "Disclosure": lambda folder: dc.sample_privacy.disclose(np.array([[0.3, 0.2], [0.1, 0.4]])),
    "Frontier": lambda folder: frontier(),
    "Policy": lambda folder: frontier().at(max_leakage=1.0),
    "QuantisedQuery": lambda folder: dc.queries.quantise(
        dc.queries.Mean(), dc.queries.Box([-2, -2], [2, 2]), error=0.5
    ),
    "Release": release,
    "Verification": verification,
}
PLOTTED = set(MAKERS) - {"Audit", "Policy", "Verification"}  # an audit has to_html, with its plots
SAVED = {"Auditor", "Channel", "Disclosure", "Frontier", "Policy", "QuantisedQuery"}


@pytest.fixture(params=sorted(MAKERS))
def result(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return MAKERS[request.param](tmp_path)


def test_they_are_what_they_are_called(result: Any) -> None:
    assert type(result).__name__ in MAKERS


def test_they_tell_themselves_as_json(result: Any) -> None:
    assert isinstance(result, Result)
    document = result.to_dict()
    text = json.dumps(document, allow_nan=False)
    assert json.loads(text) == json.loads(json.dumps(result.to_dict()))
    assert "secret" not in text


def test_they_show_themselves_in_a_notebook(result: Any) -> None:
    shown = result._repr_html_()
    assert "<table" in shown
    assert "secret" not in shown
    assert len(repr(result)) < 500 and "secret" not in repr(result)


def test_they_draw_themselves(result: Any) -> None:
    name = type(result).__name__
    assert isinstance(result, Plotted) == (name in PLOTTED)
    if name in PLOTTED:
        assert result.plot().axes


def test_they_are_kept_and_come_back(result: Any, tmp_path: Path) -> None:
    name, path = type(result).__name__, tmp_path / "kept"
    assert isinstance(result, Saved) == (name in SAVED)
    if name in SAVED:
        result.save(path)
        back = type(result).load(path)
        assert repr(back) == repr(result)
        assert back.to_dict() == result.to_dict()
        path.write_bytes(path.read_bytes()[:-20])
        with pytest.raises(dc.DiscreetError):
            type(result).load(path)
