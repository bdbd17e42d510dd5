"""The ledger on real databases: rows once, budgets exact, keys hashed, data pinned."""

from __future__ import annotations

import math
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from discreet.agent._database import UnavailableError
from discreet.agent._ledger import Answer, ConflictError, Ledger, OverBudgetError, hashed, total
from discreet.agent._pins import Pin, PinnedColumn
from discreet.errors import DiscreetError, InputError
from tests.agent.servers import postgres_database


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
    renewed = ledger.owner_key(renew=True)
    assert renewed is not None
    assert ledger.is_owner(renewed)
    assert not ledger.is_owner(owner)


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


def pin(name: str, mark: str = "f1", keep: float = 20, people: int = 3, *more: PinnedColumn) -> Pin:
    return Pin(name, people, True, (PinnedColumn("height", "private", mark, {"keep": keep}), *more))


def test_a_pin_binds_once_an_answer_exists(ledger: Ledger) -> None:
    ledger.add_analyst("ann", 10)
    ledger.pin(pin("people"))
    ledger.pin(pin("people", "f2", keep=10))
    ledger.commit(answer(book='["people", "height"]'))
    for changed in (pin("people", "f3", 10), pin("people", "f2", 10, 4)):
        with pytest.raises(
            InputError, match=r"the data of 'people' changed since answers were given.*only columns may be"
        ):
            ledger.pin(changed)
    with pytest.raises(InputError, match="bounds, keep or step of 'height' in 'people' changed since answers"):
        ledger.pin(pin("people", "f2", keep=20))
    with pytest.raises(InputError, match="'height' of 'people' was private when answers were given: restore it"):
        ledger.pin(Pin("people", 3, True, (PinnedColumn("age", "public", "a", {}),)))
    with pytest.raises(InputError, match="collude of 'people' changed"):
        ledger.pin(Pin("people", 3, False, pin("people", "f2", 10).columns))
    added = PinnedColumn("age", "public", "a", {})
    ledger.pin(Pin("people", 3, True, (added, *pin("people", "f2", 10).columns)))
    assert ledger.orders() == {"people": ["height", "age"]}  # people stay in the order that they had
    ledger.pin(pin("other people", "f9"))


def test_a_server_whose_data_were_replaced_before_any_answer_gives_none(ledger: Ledger, url: str) -> None:
    ledger.add_analyst("ann", 10)
    ledger.pin(pin("people"))
    other = Ledger(url)
    other.pin(pin("people", "f2"))
    said = answer(book='["people", "height"]', question={"dataset": "people"})
    with pytest.raises(InputError, match="another server holds other data under this name"):
        ledger.commit(said)
    assert other.commit(said) == said
    other.close()


def test_fingerprints_have_one_key(ledger: Ledger) -> None:
    ledger.use_key(b"one")
    ledger.use_key(b"one")
    with pytest.raises(InputError, match="key of the fingerprints is not the one"):
        ledger.use_key(b"other")


def test_a_lost_key_is_replaced(ledger: Ledger) -> None:
    old = ledger.add_analyst("ann", 10)
    ledger.commit(answer())
    ledger.change_analyst("ann", revoked=True)
    key = ledger.renew_key("ann")
    found = ledger.analyst_of(key)
    assert found is not None and (found.name, found.budget) == ("ann", 10)
    assert ledger.analyst_of(old) is None
    assert ledger.spent("ann") == 2
    with pytest.raises(InputError, match="no analyst"):
        ledger.renew_key("bob")


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


@pytest.mark.parametrize("url", ["mysql://x/y", "sqlite://", "sqlite:///:memory:", "duckdb:///x", "not a url", ""])
def test_what_cannot_be_a_ledger(url: str) -> None:
    with pytest.raises(InputError, match="ledger") as problem:
        Ledger(url)
    assert "\n" not in str(problem.value)


def test_a_password_is_not_repeated() -> None:
    with pytest.raises(InputError, match="cannot be opened") as problem:
        Ledger("postgresql://agent:hunter2@127.0.0.1:1/agent")
    assert "hunter2" not in str(problem.value)


def test_a_file_is_for_its_owner_and_written_through(tmp_path: Path) -> None:
    ledger = Ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    ledger.add_analyst("ann", 1)
    for path in tmp_path.iterdir():
        assert path.stat().st_mode & 0o077 == 0, path.name
    with ledger.turn("b") as turn:
        assert turn.exec_driver_sql("PRAGMA synchronous").scalar() == 3  # EXTRA
        assert turn.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    ledger.close()


@pytest.mark.postgres
def test_a_careless_database_is_made_careful() -> None:
    """A server set to lose the last commits, or to let transactions see the past, is told otherwise."""
    import psycopg

    with postgres_database() as url:
        name = url.rpartition("/")[2]
        with psycopg.connect(url, autocommit=True) as connection:
            for setting in ("synchronous_commit = off", "default_transaction_isolation = 'repeatable read'"):
                connection.execute(f"ALTER DATABASE {name} SET {setting}")
        ledger = Ledger(url)
        ledger.add_analyst("ann", 4)
        with ledger.turn("b") as turn:
            assert turn.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
            assert turn.exec_driver_sql("SHOW transaction_isolation").scalar() == "read committed"
        ledger.close()


@pytest.mark.postgres
def test_connections_that_were_cut_are_made_anew() -> None:
    import psycopg

    with postgres_database() as url:
        ledger = Ledger(url)
        ledger.add_analyst("ann", 10)
        cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(cut, (url.rpartition("/")[2],))
        assert ledger.commit(answer(1)).number == 1

        def cut_off() -> None:
            with ledger.turn("b") as turn, psycopg.connect(url, autocommit=True) as connection:
                ledger.commit(answer(2), turn)
                connection.execute(cut, (url.rpartition("/")[2],))

        with pytest.raises(UnavailableError, match="try again"):
            cut_off()
        assert [row.number for row in ledger.read()] == [1]
        ledger.close()


def test_who_waits_too_long_is_told_to_come_back(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.agent._database.PATIENCE", 0.1)
    one, other = Ledger(url), Ledger(url)
    one.add_analyst("ann", 10)
    with one.turn("b"):
        with pytest.raises(UnavailableError, match="try again") as problem:
            other.commit(answer(1))
        assert problem.value.code in ("SQLITE_BUSY", "55P03")
        assert other.read() == []
        assert other.is_alive()
    other.commit(answer(1))
    one.close()
    other.close()


def test_a_new_file_that_another_is_writing_to_is_waited_for(tmp_path: Path) -> None:
    Ledger(f"sqlite:///{tmp_path / 'before.sqlite'}").close()  # what is imported late is there now
    path = tmp_path / "ledger.sqlite"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE others (name TEXT)")
    other.execute("BEGIN IMMEDIATE")  # SQLite refuses to change how it writes at once, whatever its timeout
    writing = threading.Timer(0.5, other.execute, ["COMMIT"])
    writing.start()
    ledger = Ledger(f"sqlite:///{path}")
    assert ledger.is_alive()
    ledger.close()
    writing.join()
    other.close()


def test_many_open_an_empty_ledger_at_once(url: str) -> None:
    keys: list[str | None] = []
    problems: list[BaseException] = []

    def opens() -> None:
        try:
            ledger = Ledger(url)
            ledger.pin(pin("people"))
            keys.append(ledger.owner_key())
            ledger.close()
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=opens) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert len([key for key in keys if key is not None]) == 1
