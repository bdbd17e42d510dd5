"""Whoever asks much delays nobody else: turns go round, prices have a limit, and a process that dies is replaced."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest

from discreet.agent._config import Config
from discreet.agent._desk import Desk
from discreet.agent._ledger import Analyst, OverBudgetError
from discreet.agent._queues import ALLOWANCE, WAITING, Allowance, BusyError, Queue
from discreet.agent._service import Agent
from discreet.agent._sql import selection_of
from discreet.agent._workers import EndedError
from tests.agent.conftest import every_turn

ANN, BOB = Analyst("ann", 1000.0, revoked=False), Analyst("bob", 0.0, revoked=False)


def test_turns_go_round() -> None:
    async def all_of_it() -> list[str]:
        queue, served = Queue(), list[str]()

        async def work(who: str) -> None:
            async with queue.turn(who):
                served.append(who)
                await asyncio.sleep(0)

        async with queue.turn("attacker"):
            tasks = [asyncio.create_task(work("attacker")) for _ in range(5)]
            await asyncio.sleep(0)
            tasks += [asyncio.create_task(work(who)) for who in ("ann", "bob", "ann")]
            await asyncio.sleep(0)
            tasks[3].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with queue.turn("ann"):  # nobody holds it any more
            return served

    served = asyncio.run(all_of_it())
    assert served == ["attacker", "ann", "bob", "attacker", "ann", "attacker", "attacker"]


def test_one_analyst_does_not_fill_a_queue() -> None:
    async def all_of_it() -> None:
        queue = Queue()
        async with queue.turn("ann"):
            waiting = [asyncio.create_task(queue._wait("ann")) for _ in range(WAITING)]
            await asyncio.sleep(0)
            with pytest.raises(BusyError, match="waiting already"):
                await queue._wait("ann")
            for each in waiting:
                each.cancel()

    asyncio.run(all_of_it())


def test_prices_have_an_allowance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.agent._queues.time", SimpleNamespace(monotonic=lambda: 5.0))
    allowance = Allowance()
    allowance.charge("ann", ALLOWANCE - 1)
    allowance.check("ann")
    allowance.charge("ann", 11)
    with pytest.raises(BusyError, match="took too much work: ask, or wait: try again in 40 s") as refused:
        allowance.check("ann")
    assert refused.value.wait == 40
    allowance.check("bob")


@pytest.fixture
def agent(folder: Path) -> Agent:
    found = Agent(Config.load(folder / "agent.toml"))
    for each in (ANN, BOB):
        found.ledger.add_analyst(each.name, each.budget)
    return found


def test_known_prices_take_no_turn(agent: Agent) -> None:
    async def all_of_it() -> None:
        desk = Desk(agent, apart=False)
        question = selection_of("SELECT AVG(height) FROM people WITH ERROR 5")
        price = await desk.price(BOB, question)
        async with desk._pricing.queue.turn("attacker"):
            assert await desk.price(ANN, question) == price
        told = await desk.ask(ANN, question)
        assert told["bits"] == price["bits"]
        async with every_turn(desk, "attacker"), desk._pricing.queue.turn("attacker"):
            assert (await desk.price(BOB, question))["known"]
            assert await desk.ask(BOB, question) == told
        desk.close()

    asyncio.run(all_of_it())
    agent.close()


def test_who_cannot_pay_holds_up_no_answer(agent: Agent) -> None:
    """A question that its asker may not be able to pay is priced first, in the queue of prices."""

    async def all_of_it() -> None:
        desk = Desk(agent, apart=False)
        async with every_turn(desk, "ann"):
            with pytest.raises(OverBudgetError, match="you have 0 left"):
                await desk.ask(BOB, selection_of("SELECT AVG(height) FROM people WITH ERROR 5"))
        desk.close()

    asyncio.run(all_of_it())
    agent.close()


@pytest.mark.slow
def test_a_process_that_dies_is_replaced(agent: Agent) -> None:
    async def all_of_it() -> None:
        desk = Desk(agent, apart=True)
        first, second = (selection_of(f"SELECT AVG(height) FROM people WITH ERROR {error}") for error in (9, 2))
        told = await desk.ask(ANN, first)
        assert told["number"] == 1
        (pool,) = (worker.start() for worker in desk._answering if worker._pool is not None)
        (process,) = pool._processes  # type: ignore[attr-defined]
        os.kill(process, signal.SIGKILL)
        with pytest.raises(EndedError, match="ask again"):
            await desk.ask(ANN, second)
        assert (await desk.ask(ANN, second))["number"] == 2
        assert await desk.ask(ANN, first) == told
        desk.close()

    asyncio.run(all_of_it())
    agent.close()
