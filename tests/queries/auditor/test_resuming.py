"""An auditor that is started again: witnesses that were kept spare its searches, are checked, and change no reply."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discreet.queries.auditor import Auditor
from discreet.queries.auditor._reals import Real
from discreet.queries.auditor._whole_numbers import Integral
from tests.kernels import from_python

PEOPLE, QUESTIONS = 40, 9
KINDS: dict[str, dict[str, Any]] = {
    "real": {"step": 0, "keep": 0.2},
    "0/1": {"step": 1, "keep": 1},
    "known sums": {"step": 0, "keep": 0.2, "prior": [({0: 1.0, 1: 1.0, 2: 1.0}, 0.5, 2.0), ({3: 1.0, 4: -1.0}, 0, 0)]},
}


def made(kind: str) -> Auditor:
    return Auditor(np.zeros(PEOPLE), np.ones(PEOPLE), **KINDS[kind])


def history(kind: str) -> tuple[Auditor, list[dict[str, Any]], list[bytes], Any]:
    """An auditor that answered, what it told, and the witnesses after each."""
    rng = np.random.default_rng(3)
    data = (rng.random(PEOPLE) < 0.4).astype(float) if kind == "0/1" else 0.3 + 0.4 * rng.random(PEOPLE)
    data[3] = data[4]
    auditor, kept = made(kind), []
    groups = [np.flatnonzero(rng.random(PEOPLE) < 0.5) for _ in range(QUESTIONS)]
    for i, members in enumerate([*groups[:-1], groups[0]]):
        weights = rng.integers(-2, 4, len(members)) if i in (2, 5) else None
        auditor.ask(members, "sum", error=3 if i else 6, data=data, weights=weights)
        kept.append(auditor.witnesses())
    return auditor, [record.to_dict() for record in auditor.records], kept, data


def state(auditor: Auditor) -> list[Any]:
    """Everything that the next reply depends on, to the last bit."""
    auditor._memory.state()
    engine = auditor._memory.engine
    assert isinstance(engine, Real | Integral)
    system = engine.system
    arrays: list[Any] = [system.class_of, system.member, system.members, system.indptr, system.rows, system.weights]
    arrays += [system.floor, system.ceiling, engine.centre, *getattr(engine, "pool", [])]
    return [*((array.dtype, array.tobytes()) for array in arrays), system.ends, dict(engine.places)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first", [0, 4])
def test_witnesses_spare_every_search(kind: str, first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    live, said, kept, _ = history(kind)
    again = made(kind)
    again.follow(said[:first])
    again._memory.state()

    def searched(*_: Any) -> None:
        raise AssertionError("the work was done again")

    with monkeypatch.context() as patch:
        patch.setattr(type(again._memory.engine), "prospect", searched)
        again.follow(said[first:], kept[-1])
        assert again._memory.folded == len(said)
        found = state(again)
    assert found == state(live)
    assert again.offer([1, 5, 9, 30], "sum", error=0.7) == live.offer([1, 5, 9, 30], "sum", error=0.7)


@pytest.mark.parametrize("kind", KINDS)
def test_witnesses_are_checked_and_never_trusted(kind: str) -> None:
    live, said, kept, _ = history(kind)
    right = kept[-1]
    assert right is not None
    engine = live._memory.engine
    assert isinstance(engine, Real | Integral)
    wrong = [b"", b"x", right[:-1], kept[0], type(engine.points)(engine.centre + 1e18, engine.points.pool).to_bytes()]
    if engine.points.pool:
        wrong.append(type(engine.points)(engine.centre, [engine.points.pool[0] + 1]).to_bytes())
        wrong.append(type(engine.points)(engine.centre, []).to_bytes())
    for each in wrong:
        again = made(kind)
        again.follow(said, each)
        assert again._memory.folded == 0  # they are searched for anew
    assert state(again) == state(live)


def test_what_a_fork_was_asked_was_never_told() -> None:
    auditor, _, _, data = history("0/1")
    before, records = state(auditor), auditor.records
    fork, another = auditor.fork(), auditor.fork()
    assert fork.ask([1, 5, 9, 30], "sum", error=1, data=data).bits > 0
    assert auditor.records == records and state(auditor) == before == state(another)
    assert len(fork.records) == len(records) + 1 and fork.witnesses() != auditor.witnesses()
    first = another.ask([2, 6, 31, 8], "sum", error=1, data=data)
    assert auditor.ask([2, 6, 31, 8], "sum", error=1, data=data) == first
    assert state(another) == state(auditor)


def test_loops_without_weights_are_those_with_weights_of_one() -> None:
    from discreet.queries.auditor import _slab_kernels as kernels

    rng = np.random.default_rng(1)
    has = rng.random((30, 7)) < 0.4
    indptr = np.concatenate([[0], np.cumsum(has.sum(axis=1))])
    rows, point, total = np.nonzero(has)[1].astype(np.uint32), rng.integers(0, 9, 30).astype(float), np.full(30, 9.0)
    ones = np.ones(len(rows), np.float32)
    sums = has.T @ point
    kind, whole = np.zeros(30, np.int64), rng.integers(-5, 5, 7)
    for name, arguments in {
        "row_sums": (point, 7),
        "pulled": (sums,),
        "gram": (point, sums),
        "room": (point, total, sums - 3, sums + 2),
        "dual_terms": (point, whole, 2, total, kind, 1),
    }.items():
        kernel = from_python(getattr(kernels, name))
        plain, weighted = (kernel(indptr, rows, each, *arguments) for each in (ones[:0], ones))
        parts = [each if isinstance(each, tuple) else (each,) for each in (plain, weighted)]
        for one, other in zip(*parts, strict=True):
            np.testing.assert_array_equal(one, other)
