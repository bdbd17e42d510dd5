"""Several agents on one ledger: they answer as one would, and together they spend no bit more."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from discreet.agent import Client
from discreet.agent._client import AgentError
from discreet.agent._config import Config
from discreet.agent._ledger import Analyst, Answer, ConflictError, DamagedError, OverBudgetError
from discreet.agent._service import TRIES, Agent
from discreet.agent._sql import question_of
from tests.agent.checking import check_answers, check_rows, said
from tests.agent.servers import CITIES, Server, keyed, write_agent

ANN = Analyst("ann", 1000.0, revoked=False)


def asked(agent: Agent, where: str = "sex = 'F'", error: float = 5) -> Answer:
    return agent.ask(ANN, question_of(f"SELECT AVG(height) FROM people WHERE {where} WITH ERROR {error}"))


def test_each_knows_what_the_other_said(agents: tuple[Agent, Agent]) -> None:
    one, other = agents
    first = asked(one, error=9)
    assert asked(other, error=9) == first
    finer = asked(other, error=2)
    assert first.low - 1e-9 <= finer.low <= finer.high <= first.high + 1e-9
    assert asked(one, error=2) == finer
    assert [row.number for row in one.ledger.read()] == [1, 2]


def test_the_slower_one_begins_from_what_the_faster_one_wrote(
    agents: tuple[Agent, Agent], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = agents
    commit = one.ledger.commit
    overtaken: list[Answer] = []

    def slow(answer: Answer, turn: Any = None, witnesses: bytes | None = None) -> Answer:
        if not overtaken:
            overtaken.append(asked(other, "city = 'Rome'"))
        return commit(answer, turn, witnesses)

    monkeypatch.setattr(one.ledger, "commit", slow)
    found = asked(one)
    assert (overtaken[0].number, found.number) == (1, 2)


def test_the_slower_one_takes_the_answer_that_stands(
    agents: tuple[Agent, Agent], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = agents
    commit = one.ledger.commit
    overtaken: list[Answer] = []

    def slow(answer: Answer, turn: Any = None, witnesses: bytes | None = None) -> Answer:
        overtaken.append(asked(other))
        return commit(answer, turn, witnesses)

    monkeypatch.setattr(one.ledger, "commit", slow)
    assert asked(one) == overtaken[0]
    monkeypatch.undo()
    assert asked(one, error=2).number == 2  # the auditor forgot what it had meant to say


def test_the_slower_one_makes_the_others_wait_at_last(
    agents: tuple[Agent, Agent], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = agents
    commit = one.ledger.commit
    threads: list[threading.Thread] = []

    def slow(answer: Answer, turn: Any = None, witnesses: bytes | None = None) -> Answer:
        """While one means to write, the other tries a question of its own."""
        thread = threading.Thread(target=asked, args=(other, "sex = 'F'", 10 + len(threads)))
        thread.start()
        thread.join(None if turn is None else 0.3)
        threads.append(thread)
        return commit(answer, turn, witnesses)

    monkeypatch.setattr(one.ledger, "commit", slow)
    mine = asked(one, error=1)
    for thread in threads:
        thread.join()
    assert len(threads) == TRIES
    assert mine.number == TRIES  # behind those of the first tries, before that of the last
    assert len(one.ledger.read()) == TRIES + 1


@pytest.mark.parametrize("problem", [RuntimeError, KeyboardInterrupt, OverBudgetError, ConflictError])
def test_what_was_not_written_was_not_said(
    agents: tuple[Agent, Agent], monkeypatch: pytest.MonkeyPatch, problem: type[BaseException]
) -> None:
    one, other = agents
    asked(one)

    def fails(*_: Any) -> Answer:
        raise problem("a power cut")

    monkeypatch.setattr(one.ledger, "commit", fails)
    with pytest.raises(problem):
        asked(one, error=1)
    monkeypatch.undo()
    assert len(one.ledger.read()) == 1
    assert asked(other, "city = 'Oslo'", 4).number == 2
    paid = asked(one, error=1)  # from the state that the ledger has, as `agents` checks: it is not known yet
    assert paid.number == 3
    assert paid.bits > 0


def test_a_crash_between_writing_and_committing_leaves_nothing(
    agents: tuple[Agent, Agent], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, _ = agents
    commit, row_written = one.ledger.commit, threading.Event()

    def crashes(answer: Answer, turn: Any = None, witnesses: bytes | None = None) -> Answer:
        with one.ledger.turn(answer.book) as inside:
            commit(answer, inside)
            assert one.ledger.find(answer.book, answer.key, inside) is not None
            row_written.set()
            raise SystemError

    monkeypatch.setattr(one.ledger, "commit", crashes)
    with pytest.raises(SystemError):
        asked(one)
    assert row_written.is_set()
    assert one.ledger.read() == []
    assert one.ledger.spent("ann") == 0
    monkeypatch.undo()
    assert asked(one).number == 1


def test_a_ledger_that_lacks_rows_is_not_used(agents: tuple[Agent, Agent]) -> None:
    one, other = agents
    for error in (9, 5, 2):
        asked(one, error=error)
    table = one.ledger._answers
    with one.ledger.turn("test") as turn:
        lost = dict(turn.execute(table.select().where(table.c.number == 2)).one()._mapping)
        turn.execute(table.delete().where(table.c.number == 2))
    with pytest.raises(DamagedError, match="row 2 of height in people is missing: restore it"):
        asked(other, error=1)
    with one.ledger.turn("test") as turn:
        turn.execute(table.insert().values(**{**lost, "low": 1.0}))
    with pytest.raises(DamagedError, match="row 2 of height in people, or the one before it, is not what was written"):
        asked(other, error=1)
    with one.ledger.turn("test") as turn:
        turn.execute(table.update().where(table.c.number == 2).values(**lost))
    assert asked(other, error=1).number == 4


@pytest.mark.slow
def test_two_servers_are_one_agent(tmp_path: Path, url: str) -> None:
    """Started at once on an empty ledger, asked at once by many: one owner's key, each question once, no bit too many."""
    write_agent(tmp_path, ledger=url)
    with Server(tmp_path) as one, Server(tmp_path) as other:
        one.begin()
        other.begin()
        one.wait()
        other.wait()
        printed = [server.log.read_text().count("the owner's key, shown this once") for server in (one, other)]
        assert sorted(printed) == [0, 1]
        ledger = keyed(tmp_path)
        keys = [ledger.add_analyst(f"analyst {i}", budget) for i, budget in enumerate((25, 40, 1000, 1000))]
        questions = [
            f"SELECT AVG(height) FROM people WHERE city = '{city}' AND sex = '{sex}' WITH ERROR {error}"
            for city in CITIES
            for sex in "FM"
            for error in (12, 6, 4)
        ]

        def ask(i: int) -> tuple[str, int, Any]:
            client = Client((one, other)[i % 2].url, keys[(i // 2) % 4])
            question = questions[(i // 3) % len(questions)]
            try:
                return question, 200, said(client, question)
            except AgentError as refused:
                return question, refused.status, None

        with ThreadPoolExecutor(12) as pool:
            found = list(pool.map(ask, range(4 * len(questions))))
        assert {status for _, status, _ in found} <= {200, 402}
        replies: dict[str, Any] = {}
        for question, _, reply in found:
            assert reply is None or replies.setdefault(question, reply) == reply
        rows = ledger.read()
        assert len(rows) == len(replies)
        assert {row.number: row.low for row in rows} == {
            reply["number"]: reply["cell"][0] for reply in replies.values()
        }
        check_rows(ledger)
        assert one.end() == other.end() == 0
        agent = Agent(Config.load(tmp_path / "agent.toml"))
        check_answers(agent, rows)
        agent.close()
        ledger.close()
