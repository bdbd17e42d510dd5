"""Witnesses outside the ledger: one that was put back, or copied, is found at the start and at every answer."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from discreet.agent._config import Config
from discreet.agent._database import UnavailableError
from discreet.agent._head_witness import HeadWitness
from discreet.agent._ledger import Analyst, DamagedError
from discreet.agent._service import Agent
from discreet.agent._sql import question_of
from discreet.agent._telling import examined
from discreet.errors import InputError
from tests.agent.servers import postgres_database, write_agent
from tests.processes import said

ANN = Analyst("ann", 1000.0, revoked=False)


def ask(agent: Agent, error: float) -> float:
    return agent.ask(ANN, question_of(f"SELECT AVG(height) FROM people WITH ERROR {error}")).low


@pytest.fixture(params=["file", pytest.param("database", marks=pytest.mark.postgres)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where the ledger's head is remembered, away from the ledger."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    if request.param == "file":
        yield str(elsewhere / "heads.sqlite")
        return
    with postgres_database() as found:
        yield found


def begun(folder: Path, place: str = "", name: str = "one") -> Config:
    """An agent's folder with a ledger and one answer."""
    inner = folder / name
    inner.mkdir()
    write_agent(inner, people=40)
    path = inner / "agent.toml"
    if place:
        path.write_text(f'witness = "{place}"\n' + path.read_text())
    config = Config.load(path)
    agent = Agent(config)
    agent.ledger.add_analyst("ann", 1000)
    ask(agent, 20)
    agent.close()
    return config


def test_two_copies_with_two_agents_are_found(tmp_path: Path, place: str) -> None:
    """Folders that were copied whole, with the key and all: the second to answer says nothing."""
    one = begun(tmp_path, place)
    shutil.copytree(tmp_path / "one", tmp_path / "other")
    other = Config.load(tmp_path / "other" / "agent.toml")
    first, second = Agent(one), Agent(other)
    ask(first, 10)
    with pytest.raises(DamagedError, match=r"put back, or is a copy: it ends at entry 5, and .* has seen entry 6"):
        ask(second, 5)
    for look in (Agent, examined):
        with pytest.raises(DamagedError, match="put back, or is a copy"):
            look(other)
    ask(first, 5)
    for agent in (first, second):
        agent.close()


def test_two_copies_that_answer_at_the_same_moment_are_found(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both compared before either wrote: whoever is second to show its head has committed, and says nothing."""
    one = begun(tmp_path, place)
    shutil.copytree(tmp_path / "one", tmp_path / "other")
    first, second = Agent(one), Agent(Config.load(tmp_path / "other" / "agent.toml"))
    compare = first.ledger._journal._compare

    def slow(*arguments: Any) -> None:
        compare(*arguments)
        if arguments[2] is first.ledger._watching[-1]:
            monkeypatch.undo()
            ask(second, 5)

    monkeypatch.setattr(first.ledger._journal, "_compare", slow)
    with pytest.raises(DamagedError, match="is not the one that"):
        ask(first, 10)
    assert first.ledger.totals()[0] == 2
    with pytest.raises(DamagedError, match="is not the one that"):
        ask(first, 10)  # what was committed in the copy is not told later, either
    first.close()
    second.close()


def test_a_folder_put_back_whole_is_found_by_a_witness_elsewhere(tmp_path: Path, place: str) -> None:
    config = begun(tmp_path, place)
    shutil.copytree(tmp_path / "one", tmp_path / "backup")
    agent = Agent(config)
    ask(agent, 10)
    agent.close()
    shutil.rmtree(tmp_path / "one")
    shutil.copytree(tmp_path / "backup", tmp_path / "one")
    for look in (Agent, examined):
        with pytest.raises(DamagedError, match="has seen entry 6: restore the latest one, or see what"):
            look(config)
    agent = Agent(config, seal=True)  # the owner's word
    assert "with 1 answers" in agent.ledger.notes[0] and "not counted any more" in agent.ledger.notes[0]
    agent.close()
    agent = Agent(config)
    assert not agent.ledger.notes
    ask(agent, 10)
    agent.close()


def test_a_server_that_dies_before_the_witness_saw_is_followed_by_the_next(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A witness lags by what was committed and not said; the answer is told once it has seen it."""
    config = begun(tmp_path, place)
    agent = Agent(config)

    def dies(*_: Any) -> None:
        raise SystemError

    monkeypatch.setattr(agent.ledger._journal, "_show", dies)
    with pytest.raises(SystemError):
        ask(agent, 10)
    monkeypatch.undo()
    mark = agent.ledger._journal.chain.mark
    outside = HeadWitness(place, mark)
    before = outside.read()
    assert before is not None and before.number == 5 and agent.ledger.totals()[0] == 2
    again = Agent(config)
    seen = outside.read()
    assert seen is not None and seen.number == 6
    assert ask(again, 10) == ask(agent, 10)
    for each in (again, agent, outside):
        each.close()


def test_an_answer_that_no_witness_saw_is_not_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = begun(tmp_path)
    agent = Agent(config)
    witness = agent.ledger._watching[0]
    transaction = witness._database.writing  # type: ignore[union-attr]

    def full(*_: Any) -> Any:
        raise UnavailableError(OSError("the disk is full"))

    monkeypatch.setattr(witness._database, "writing", full)
    for _ in range(2):  # it is in the ledger by now, and still not told
        with pytest.raises(UnavailableError, match=r"ledger\.witness, the witness of the ledger, is busy"):
            ask(agent, 10)
    assert agent.ledger.totals()[0] == 2
    monkeypatch.setattr(witness._database, "writing", transaction)
    assert ask(agent, 10) > 0
    agent.close()


def test_agents_of_one_ledger_share_a_witness(tmp_path: Path, place: str, url: str) -> None:
    """Answers and changes of three at once: each goes on, and the witness ends where the ledger does."""
    write_agent(tmp_path, people=40, ledger=url)
    path = tmp_path / "agent.toml"
    path.write_text(f'witness = "{place}"\n' + path.read_text())
    config = Config.load(path)
    agents = [Agent(config) for _ in range(3)]
    agents[0].ledger.add_analyst("ann", 1e6)

    def act(i: int) -> None:
        agent = agents[i % 3]
        agent.ask(
            Analyst("ann", 1e6, revoked=False),
            question_of(f"SELECT AVG(height) FROM people WHERE city <> 'Oslo' WITH ERROR {5 + i}"),
        )
        agent.ledger.change_analyst("ann", budget=1e6 + i)
        assert len(agent.ledger.every_analyst()) == 1

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(act, range(12)))
    assert examined(config)[1] == 12
    witness = HeadWitness(place, agents[0].ledger._journal.chain.mark)
    seen = witness.read()
    agents[0].ledger.every_analyst()
    assert seen == agents[0].ledger.head
    witness.close()
    for agent in agents:
        agent.close()
    Agent(config).close()


def test_a_printed_head_is_a_witness(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = begun(tmp_path)
    path = str(tmp_path / "one" / "agent.toml")
    printed = said(capsys, "serve", path, "--check")[1].rpartition("its head is ")[2].strip()
    number, _, seal = printed.partition(":")
    assert (number, len(seal)) == ("5", 16)
    agent = Agent(config)
    ask(agent, 10)
    agent.close()
    assert said(capsys, "serve", path, "--check", "--witness", printed)[0] == 0
    for wrong in (f"9:{seal}", f"5:{seal[::-1]}", f"4:{seal}"):
        for how in ("--check", "--set-up"):
            code, out, err = said(capsys, "serve", path, how, "--witness", wrong)
            assert (code, out, err.count("\n")) == (2, "", 1) and f"does not go through {wrong}" in err


def test_a_witness_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begun(tmp_path)
    path, elsewhere = str(tmp_path / "one" / "agent.toml"), str(tmp_path / "heads.sqlite")
    assert said(capsys, "serve", path, "--check", "--witness", elsewhere)[0] == 0
    assert not Path(elsewhere).exists()  # a look writes nothing
    out = said(capsys, "serve", path, "--set-up", "--witness", elsewhere)[1]
    assert "heads.sqlite is a witness of the ledger from now on" in out and "the ledger's head is 6:" in out
    assert "witness" not in said(capsys, "serve", path, "--set-up", "--witness", elsewhere)[1]
    for wrong in (str(tmp_path / "no" / "folder" / "x"), "mysql://x/y", "postgresql://user:secret@127.0.0.1:1/x"):
        for how in ("--check", "--set-up"):
            if how == "--check" and wrong.startswith(str(tmp_path)):
                continue  # it may come to be
            code, out, err = said(capsys, "serve", path, how, "--witness", wrong)
            assert (code, out, err.count("\n")) == (2, "", 1), err
            assert "cannot be used as a witness of the ledger" in err and "secret" not in err


def test_seal_stops_and_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = begun(tmp_path)
    path = str(tmp_path / "one" / "agent.toml")
    assert said(capsys, "serve", path, "--seal") == (0, "the ledger has its seal: nothing is accepted\n", "")
    (tmp_path / "one" / "ledger.sqlite").unlink()
    for how in ("--check", "--set-up"):
        code, out, err = said(capsys, "serve", path, how)
        assert (code, out, err.count("\n")) == (2, "", 1) and "restore" in err
    code, out, _ = said(capsys, "serve", path, "--seal")
    assert code == 0 and "the ledger is sealed as it was found, with 0 answers" in out
    assert said(capsys, "serve", path, "--check")[0] == 0
    Agent(config).close()


def test_a_key_that_was_there_before_begins_no_ledger_in_silence(tmp_path: Path) -> None:
    """A copy of the key on another machine, and a ledger that was stripped meanwhile."""
    config = Config.load(write_agent(tmp_path) / "agent.toml")
    Path(config.fingerprints).write_text("ab" * 32)
    for look in (examined, Agent, examined, Agent):
        with pytest.raises(InputError, match="its key was there before"):
            look(config)
    Agent(config, seal=True).close()
    Agent(config).close()


def test_a_start_that_was_killed_after_the_key_was_made_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from discreet.agent._ledger import Ledger

    config = Config.load(write_agent(tmp_path) / "agent.toml")
    use_key = Ledger.use_key

    def dies(*_: Any) -> None:
        raise SystemError

    monkeypatch.setattr(Ledger, "use_key", dies)
    with pytest.raises(SystemError):
        Agent(config)
    monkeypatch.setattr(Ledger, "use_key", use_key)
    assert Path(config.fingerprints).exists() and examined(config)[1] == 0
    agent = Agent(config)
    assert agent.ledger.notes[0].startswith("the ledger is new")
    agent.close()


def test_three_that_start_at_once_begin_one_ledger(tmp_path: Path, url: str) -> None:
    config = Config.load(write_agent(tmp_path, people=40, ledger=url) / "agent.toml")
    with ThreadPoolExecutor(3) as pool:
        agents = list(pool.map(Agent, [config] * 3))
    assert sum("the ledger is new" in note for agent in agents for note in agent.ledger.notes) == 1
    agents[0].ledger.add_analyst("ann", 1000)
    assert ask(agents[1], 10) == ask(agents[2], 10)
    for agent in agents:
        agent.close()
    assert examined(config)[1] == 1
    assert len(list(tmp_path.glob("ledger.key*"))) == 1
