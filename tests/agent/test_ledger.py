"""The ledger on real databases: rows once, budgets exact, keys hashed, data pinned."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from discreet.agent.ledger import Answer, ConflictError, Ledger, OverBudgetError, hashed, total
from discreet.errors import DiscreetError, InputError

pytest.importorskip("sqlalchemy")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'ledger.sqlite'}"
        return
    import psycopg

    server = os.environ["DISCREET_POSTGRES"]
    name = f"ledger_{uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield server.rpartition("/")[0] + f"/{name}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    found = Ledger(url)
    yield found
    found.close()


def answer(number: int = 1, **changes: Any) -> Answer:
    made = Answer(
        book="b",
        number=number,
        key=f"key {number}",
        analyst="ann",
        question={"dataset": "d"},
        cells=4,
        answer=1.5,
        error=0.5,
        low=1.0,
        high=2.0,
        record={"chosen": 1},
        at="2026-01-01T00:00:00+00:00",
    )
    return replace(made, **changes)


def test_keys_are_shown_once_and_kept_hashed(ledger: Ledger, url: str) -> None:
    owner = ledger.owner_key()
    assert owner is not None
    assert ledger.owner_key() is None
    key = ledger.add_analyst("ann", 10)
    assert ledger.is_owner(owner)
    assert not ledger.is_owner(key)
    found = ledger.analyst_of(key)
    assert found is not None
    assert (found.name, found.budget) == ("ann", 10)
    assert ledger.analyst_of("other") is None
    if url.startswith("sqlite"):
        content = Path(url.removeprefix("sqlite:///")).read_bytes() + b"".join(
            path.read_bytes() for path in Path(url.removeprefix("sqlite:///")).parent.glob("*-wal")
        )
        assert key.encode() not in content
        assert hashed(key).encode() in content
    ledger.change_analyst("ann", revoked=True)
    assert ledger.analyst_of(key) is None


@pytest.mark.parametrize(("name", "budget"), [("", 1), ("x" * 200, 1), ("a\nb", 1), ("a", -1), ("a", math.nan)])
def test_analysts_that_cannot_be(ledger: Ledger, name: str, budget: float) -> None:
    with pytest.raises(InputError):
        ledger.add_analyst(name, budget)


def test_names_are_taken_once(ledger: Ledger) -> None:
    ledger.add_analyst("ann", 1)
    with pytest.raises(InputError, match="already"):
        ledger.add_analyst("ann", 2)
    with pytest.raises(InputError, match="no analyst"):
        ledger.change_analyst("bob", budget=1)


def test_answers_come_back_as_they_were(ledger: Ledger) -> None:
    ledger.add_analyst("ann", 100)
    rows = [answer(1), answer(2, answer=None, cells=1, record={})]
    for row in rows:
        assert ledger.commit(row) is row
    assert ledger.read() == rows
    assert ledger.read(book="b", after=1) == rows[1:]
    assert ledger.read(analyst="bob") == []
    assert ledger.find("b", "key 1") == rows[0]
    assert ledger.find("c", "key 1") is None
    assert total(rows) == ledger.spent("ann") == 2.0


def test_a_question_is_answered_once(ledger: Ledger) -> None:
    ledger.add_analyst("ann", 100)
    first = ledger.commit(answer(1))
    again = ledger.commit(answer(2, key="key 1", answer=99.0))
    assert again == first
    with pytest.raises(ConflictError):
        ledger.commit(answer(1, key="another"))
    assert len(ledger.read()) == 1


def test_a_budget_is_never_overspent(ledger: Ledger) -> None:
    ledger.add_analyst("ann", 5)
    ledger.commit(answer(1, cells=8))
    ledger.commit(answer(2, cells=4))
    with pytest.raises(OverBudgetError, match="costs 1 bits and you have 0 left"):
        ledger.commit(answer(3, cells=2))
    ledger.commit(answer(3, cells=1))  # what says nothing costs nothing
    ledger.change_analyst("ann", budget=6)
    ledger.commit(answer(4, cells=2))
    assert ledger.spent("ann") == 6.0


def test_a_revoked_analyst_gets_nothing(ledger: Ledger) -> None:
    ledger.add_analyst("ann", 5)
    ledger.change_analyst("ann", revoked=True)
    with pytest.raises(InputError, match="revoked"):
        ledger.commit(answer(1))


def test_many_at_once_cannot_overspend(ledger: Ledger) -> None:
    """Sixteen threads, each in a book of its own, spend one analyst's forty bits two at a time."""
    ledger.add_analyst("ann", 40)
    refused = []

    def spend(thread: int) -> None:
        for number in range(1, 4):
            try:
                ledger.commit(answer(number, book=f"b{thread}", cells=4))
            except OverBudgetError:
                refused.append(thread)

    threads = [threading.Thread(target=spend, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.spent("ann") == 40.0
    assert len(ledger.read()) == 20
    assert len(refused) == 28


def test_many_at_once_take_a_number_once(ledger: Ledger) -> None:
    ledger.add_analyst("ann", 1000)
    conflicts = []

    def write(thread: int) -> None:
        for number in range(1, 6):
            try:
                ledger.commit(answer(number, key=f"{thread} {number}"))
            except ConflictError:
                conflicts.append(thread)

    threads = [threading.Thread(target=write, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [row.number for row in ledger.read()] == [1, 2, 3, 4, 5]
    assert len(conflicts) == 35


def test_data_are_pinned(ledger: Ledger) -> None:
    ledger.pin("people", "f1", {"keep": 20})
    ledger.pin("people", "f1", {"keep": 20})
    with pytest.raises(InputError, match="changed data are a new data set"):
        ledger.pin("people", "f2", {"keep": 20})
    with pytest.raises(InputError, match="bounds, keep or collude"):
        ledger.pin("people", "f1", {"keep": 10})


def test_it_survives_being_opened_again(url: str) -> None:
    first = Ledger(url)
    first.add_analyst("ann", 10)
    first.commit(answer(1))
    first.close()
    second = Ledger(url)
    assert second.is_alive()
    assert second.read() == [answer(1)]
    second.close()


def test_a_ledger_that_cannot_be_opened(tmp_path: Path) -> None:
    for url in (f"sqlite:///{tmp_path / 'no' / 'folder' / 'x.sqlite'}", "nonsense://x", "not a url"):
        with pytest.raises(DiscreetError):
            Ledger(url)
