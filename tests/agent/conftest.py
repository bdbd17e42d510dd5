"""Fixtures: an agent's folder, a ledger on each database, and a server in a thread."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import uvicorn

from discreet.agent import Client
from discreet.agent._config import Config
from discreet.agent._desk import Desk
from discreet.agent._service import Agent
from discreet.agent._serving import configured
from discreet.agent._web import create_app
from tests.agent.checking import check_answers, check_rows
from tests.agent.servers import postgres_database, write_agent
from tests.processes import PATIENT


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty ledger; a test that uses it runs on both databases."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'ledger.sqlite'}"
        return
    with postgres_database() as found:
        yield found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """300 people and an agent.toml."""
    return write_agent(tmp_path)


@dataclass
class Running:
    """A server in a thread of this process."""

    url: str
    owner: Client
    folder: Path
    agent: Agent
    desk: Desk

    def analyst(self, name: str = "", budget: float = 100) -> Client:
        """A new analyst; without a name she is ann, or ann 2 where there is one."""
        there = len(self.agent.ledger.every_analyst())
        key = self.owner.add_analyst(name or (f"ann {there + 1}" if there else "ann"), budget)
        return Client(self.url, key, PATIENT)


@contextmanager
def serving(folder: Path) -> Iterator[Running]:
    """An agent that answers."""
    agent = Agent(Config.load(folder / "agent.toml"))
    key = agent.ledger.owner_key()
    assert key is not None
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    app = create_app(agent, address=address)
    server = uvicorn.Server(configured(app, log_level="error"))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Running(address, Client(address, key, PATIENT), folder, agent, app.state.desk)
    finally:
        server.should_exit = True
        thread.join(60)


@asynccontextmanager
async def every_turn(desk: Desk, who: str) -> AsyncIterator[None]:
    """Somebody has the turn at every process that answers, of which there are more where there are more cores."""
    async with AsyncExitStack() as stack:
        for worker in desk._answering:
            await stack.enter_async_context(worker.queue.turn(who))
        yield


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One such agent for all tests of a file that only look, or are refused."""
    with serving(write_agent(tmp_path_factory.mktemp("agent"))) as found:
        yield found


@pytest.fixture
def running(folder: Path) -> Iterator[Running]:
    """An agent that answers about 300 people."""
    with serving(folder) as found:
        yield found


@pytest.fixture
def agents(tmp_path: Path, url: str) -> Iterator[tuple[Agent, Agent]]:
    """Two agents, as two servers would be, on one ledger."""
    config = Config.load(write_agent(tmp_path, ledger=url) / "agent.toml")
    one, other = Agent(config), Agent(config)
    one.ledger.add_analyst("ann", 1000)
    yield one, other
    check_rows(one.ledger)
    check_answers(one, one.ledger.read())
    one.close()
    other.close()
