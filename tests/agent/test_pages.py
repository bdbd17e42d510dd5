"""The owner's page: every answer, what everybody keeps as a picture, nothing private and nothing from elsewhere."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from discreet.agent._config import Config
from discreet.agent._history import MOST, Histories
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
    page = owner_page(agent, Histories(), "key", "once")
    assert "Nobody has asked yet" in page
    assert "none yet" in page
    agent.close()


def test_the_page(agent: Agent, tmp_path: Path) -> None:
    for sex in "FM":
        for city in ("Oslo", "Rome", "Bern"):
            asked(agent, sex=sex, city=city)
    page = owner_page(agent, Histories(), "key", "once")
    agent.close()
    assert "WHERE sex = &#39;F&#39; AND city = &#39;Oslo&#39; WITH ERROR 0.01" in page
    assert "shortest interval left" in page
    assert "weight in alone" in page  # nobody asked about it
    tags = _Tags(page).found
    assert not [tag for tag, _ in tags if tag in ("img", "link", "iframe", "object")]
    assert not [
        value for _, options in tags for name, value in options.items() if name in ("src", "href") or name[:2] == "on"
    ]
    assert [options for tag, options in tags if tag == "script"] == [{"nonce": "once"}]
    assert {options["action"] for tag, options in tags if tag == "form"} == {"owner/revoke"}
    assert "&lt;script&gt;" in page
    values = {row.split(",")[3] for row in (tmp_path / "people.csv").read_text().splitlines()[1:]}
    assert len(values) > 250
    assert not values & set(re.findall(r"\d+\.\d+", page))
    svg, over_time = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert "after 3 answers, of 6 so far" in over_time  # a look follows three
    titles = [title.text or "" for title in ET.fromstring(svg).iter("title")]  # noqa: S314, our own
    assert sum(int(words.split(" ")[0].replace(",", "")) for words in titles) == 300


def test_only_the_latest_answers_are_shown(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.agent._pages.SHOWN", 2)
    for city in ("Oslo", "Rome", "Bern"):
        asked(agent, city=city)
    page = owner_page(agent, Histories(), "key", "once")
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


def test_exposure_over_time_is_what_was_left_after_each_answer(agent: Agent) -> None:
    held, histories = agent.holdings["people"], Histories()
    for sex in "FM":
        for city in ("Oslo", "Rome", "Bern"):
            asked(agent, sex=sex, city=city)
    answers = agent.ledger.read()
    for _ in range(3):
        history = histories.look("book", held, ("height",), answers)
    assert [number for number, _ in history.points] == list(range(7))
    (kept,) = (row for row in agent.kept() if row["column"] == "height")
    assert history.points[-1][1][0][0] == pytest.approx(kept["shortest"] / 150)
    least = [shares[0][0] for _, shares in history.points]
    assert least == sorted(least, reverse=True) and least[-1] >= 20 / 150
    history.seen, history.points = 0, history.points * MOST
    history.follow([])
    assert len(history.points) <= MOST * 4 and history.every == 2
    agent.close()
