"""Pages for people: the way in, and the owner's page: who asked what, what it cost, and what everybody still keeps."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet._text import at_most, plus_minus
from discreet.agent._history import HEIGHT as TALL
from discreet.agent._history import Histories
from discreet.agent._ledger import Answer
from discreet.agent._pins import book_name
from discreet.agent._questions import Question
from discreet.agent._statements import statement_of
from discreet.report._pages import render

if TYPE_CHECKING:
    from discreet.agent._service import Agent

SHOWN = 200  # answers
BARS = 25
WIDTH, HEIGHT = 500, 80  # of a picture's bars


def welcome_page(url: str) -> str:
    """Where a person goes from the agent's address: to the owner's page, or to a terminal."""
    return render("agent.html", url=url)


def owner_page(agent: Agent, histories: Histories, key: str = "", nonce: str = "") -> str:
    """One page, made on the server; it loads nothing from anywhere else and holds no private value.

    Its script, which has the nonce, asks for the part that changes; its forms have a token that only this page knows.
    """
    return render("owner.html", nonce=nonce, mark=mark(agent), **_shown(agent, histories, key))


def owner_part(agent: Agent, histories: Histories, key: str) -> tuple[str, int]:
    """The part of the owner's page that changes, and how many answers its pictures do not show yet."""
    shown = _shown(agent, histories, key)
    return render("owner_part.html", **shown), shown["pending"]


def mark(agent: Agent) -> str:
    """Changes whenever the page does: with an answer, an analyst, a budget or a key."""
    analysts = [(each.name, each.budget, each.revoked) for each in agent.ledger.every_analyst()]
    return hashlib.sha256(repr((agent.ledger.totals(), analysts)).encode()).hexdigest()[:16]


def token(key: str, name: str) -> str:
    """What a form must know to end somebody's key: whoever cannot read the owner's page cannot make it."""
    return hmac.new(key.encode(), b"revoke " + name.encode(), hashlib.sha256).hexdigest()


def _shown(agent: Agent, histories: Histories, key: str) -> dict[str, Any]:
    answers = agent.ledger.read()
    latest = sorted(answers, key=lambda answer: (answer.at, answer.number), reverse=True)[:SHOWN]
    by_book: dict[str, list[Answer]] = {}
    for answer in answers:
        by_book.setdefault(answer.book, []).append(answer)
    kept, pending = agent.kept(), 0
    for row in kept:
        row["least"] = at_most(row["shortest"], 4)
        row["bars"] = bars(row["lengths"], row["range"])
        row["mark"] = WIDTH * row["keep"] / row["range"]
        holding = agent.holdings[row["dataset"]]
        columns = holding.dataset.together_with(row["column"])
        book = book_name(row["dataset"], columns, row["analyst"])
        place = columns.index(row["column"])
        history = histories.look(book, holding, columns, by_book.get(book, []) if not place else [])
        row["history"] = history.picture(place, row["keep"] / row["range"])
        pending += max(0, row["answers"] - history.seen)
    asked_about = {(row["dataset"], row["column"]) for row in kept}
    return {
        "kept": kept,
        "pending": pending,
        "untouched": [
            (dataset["name"], column["name"], dataset["people"])
            for dataset in agent.datasets()
            for column in dataset["private"]
            if (dataset["name"], column["name"]) not in asked_about
        ],
        "analysts": [{**row, "token": token(key, row["name"])} for row in agent.analysts()],
        "answers": [_row(answer) for answer in latest],
        "more": len(answers) - len(latest),
        "total": len(answers),
        "width": WIDTH,
        "height": HEIGHT,
        "tall": TALL,
    }


def _row(answer: Answer) -> dict[str, Any]:
    words = "" if answer.answer is None or answer.error is None else plus_minus(answer.answer, answer.error)
    return {"said": answer, "sql": statement_of(Question.from_json(answer.question)), "words": words}


def bars(lengths: npt.NDArray[np.float64], longest: float) -> list[dict[str, Any]]:
    """How many people keep intervals of which length, as bars of a picture: each with its place, height and words.

    Bars are as high as their share of the people; one person alone is still seen.
    """
    counts, edges = np.histogram(lengths, bins=BARS, range=(0, longest * (1 + 1e-9)))
    step, most = WIDTH / BARS, 0.82 * HEIGHT  # above a bar is its number
    return [
        {
            "x": round(i * step, 2),
            "width": round(step - 1, 2),
            "height": round(max(2.0, most * count / counts.max()), 2),
            "number": f"{count / 1000:.0f}k" if count >= 10_000 else str(count),
            "words": f"{count:,} people keep {low:.4g} to {high:.4g}",
        }
        for i, (count, low, high) in enumerate(zip(counts.tolist(), edges[:-1], edges[1:], strict=True))
        if count
    ]
