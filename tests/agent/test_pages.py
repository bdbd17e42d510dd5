"""The owner's page: every answer, what everybody keeps as a picture, nothing private and nothing from elsewhere."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from discreet.agent._config import Config
from discreet.agent._pages import BARS, HEIGHT, SHOWN, WIDTH, bars, owner_page
from discreet.agent._questions import Question
from discreet.agent._service import Agent
from tests.agent.servers import write_agent

pytest.importorskip("sqlglot")
BAD = '<script>alert("x")</script>'


class _Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    agent = Agent(Config.load(write_agent(tmp_path) / "agent.toml"))
    for name, budget in (("ann", 1000.0), (BAD, 0.0)):
        agent.ledger.add_analyst(name, budget)
    return agent


def asked(agent: Agent, **where: str) -> None:
    analyst = next(each for each in agent.ledger.every_analyst() if each.name == "ann")
    condition = {"all": [{"column": name, "is": "=", "value": value} for name, value in where.items()]}
    document = {"dataset": "people", "aggregate": "mean", "column": "height", "error": 0.01, "where": condition}
    agent.ask(analyst, Question.from_json(document))


def test_before_anybody_asks(agent: Agent) -> None:
    page = owner_page(agent)
    assert "Nobody has asked yet" in page
    assert "none yet" in page
    agent.close()


def test_the_page(agent: Agent, tmp_path: Path) -> None:
    for sex in "FM":
        for city in ("Oslo", "Rome", "Bern"):
            asked(agent, sex=sex, city=city)
    page = owner_page(agent)
    agent.close()
    assert "WHERE sex = &#39;F&#39; AND city = &#39;Oslo&#39; WITH ERROR 0.01" in page
    assert "shortest interval left" in page
    assert "weight in alone" in page  # nobody asked about it
    tags = _Tags(page).found
    assert not [tag for tag, _ in tags if tag in ("script", "img", "link", "iframe", "form")]
    assert not [value for _, options in tags for name, value in options.items() if name in ("src", "href")]
    assert "&lt;script&gt;" in page
    values = {row.split(",")[3] for row in (tmp_path / "people.csv").read_text().splitlines()[1:]}
    assert len(values) > 250
    assert not values & set(re.findall(r"\d+\.\d+", page))
    (svg,) = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    titles = [title.text or "" for title in ET.fromstring(svg).iter("title")]  # noqa: S314, our own
    assert sum(int(words.split(" ")[0].replace(",", "")) for words in titles) == 300


def test_only_the_latest_answers_are_shown(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.agent._pages.SHOWN", 2)
    for city in ("Oslo", "Rome", "Bern"):
        asked(agent, city=city)
    page = owner_page(agent)
    agent.close()
    assert page.count("<code>") == 2 < SHOWN
    assert "Bern" in page and "Oslo" not in page
    assert "and 1 earlier" in page


def test_bars() -> None:
    lengths = np.concatenate([np.full(9_999, 150.0), [0.0], np.full(20_000, 75.0)])
    found = bars(lengths, 150.0)
    assert [bar["number"] for bar in found] == ["1", "20k", "9999"]
    assert [bar["words"].split(" ")[0] for bar in found] == ["1", "20,000", "9,999"]
    assert found[0]["x"] == 0
    assert found[-1]["x"] + WIDTH / BARS == pytest.approx(WIDTH)
    assert all(2 <= bar["height"] <= HEIGHT for bar in found)
