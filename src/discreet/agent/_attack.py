"""What an owner need not believe: the best known attacks on the ledger, with what analysts know and no private value."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.agent._config import Config
from discreet.agent._filters import group_of
from discreet.agent._holdings import Holding, load_all
from discreet.agent._ledger import Answer, Ledger
from discreet.agent._questions import Question
from discreet.agent._recording import bounds_on
from discreet.errors import InputError
from discreet.queries.auditor._attacks import SURE, Exposure, Told, attacked

SHOWN = 10


@dataclass(frozen=True, eq=False)
class Finding:
    """One attack on what was told about a column: to everybody, to one analyst, or to all who should not have colluded."""

    dataset: str
    column: str
    analysts: str  # whose answers, where analysts do not collude
    answers: int
    keep: float
    exposure: Exposure
    people: list[str]

    @property
    def is_promised(self) -> bool:
        """Whether the promise covers these answers together."""
        return self.analysts != "all together"

    @property
    def below(self) -> int:
        """People who are left with less than was promised."""
        exposure = self.exposure
        least = self.keep - 2 * SURE * float(np.ptp(exposure.intervals)) if len(exposure.intervals) else 0.0
        return int((exposure.lengths < least).sum())

    def to_dict(self) -> dict[str, Any]:
        """For JSON: figures, and the people with the least left."""
        exposure, lengths = self.exposure, self.exposure.lengths
        return {
            "dataset": self.dataset,
            "column": self.column,
            "analysts": self.analysts or "everybody",
            "promised": self.is_promised,
            "answers": self.answers,
            "people": exposure.people,
            "attacked": exposure.tried,
            "keep": self.keep,
            "shortest": float(lengths.min()),
            "median": float(np.median(lengths)),
            "below_keep": self.below,
            "narrowed_by_steps": len(exposure.by_steps),
            "most_exposed": [
                {"who": self.people[i], "low": float(low), "high": float(high), "left": float(high - low)}
                for i in np.argsort(lengths, kind="stable")[:SHOWN].tolist()
                for low, high in [exposure.intervals[i]]
            ],
        }


def attack(config: Config, ledger: Ledger) -> list[Finding]:
    """Attack every book of the ledger about data that the configuration names.

    Private values are read only as far as the steps go in which they are recorded, which everybody is taken to know.
    """
    holdings = load_all(config.datasets, ledger.orders())
    books: dict[tuple[str, str], dict[str, list[Answer]]] = {}
    for name in ledger.books():
        dataset, column, *analyst = json.loads(name)
        books.setdefault((dataset, column), {})["".join(analyst)] = ledger.read(book=name)
    found = []
    for (dataset, column), told in books.items():
        holding = holdings.get(dataset)
        if holding is None or holding.dataset.column(column) is None:
            continue  # held no more
        groups = dict(told)
        if len(groups) > 1:
            groups["all together"] = [answer for answers in told.values() for answer in answers]
        found += [_finding(holding, column, who, answers) for who, answers in groups.items()]
    if not found:
        raise InputError("the ledger holds no answer about data that the configuration names: nothing to attack")
    return found


def _finding(holding: Holding, column: str, who: str, answers: list[Answer]) -> Finding:
    declared, lattice = holding.dataset.columns[column], holding.lattices[column]
    lower, upper = bounds_on(lattice, declared)
    exposure = attacked(holding.people, lower, upper, float(lattice.step), list(_told(holding, answers)))
    people = [name.decode() for name in holding.who] if holding.who else _described(holding)
    return Finding(holding.dataset.name, column, who, len(answers), declared.keep, exposure, people)


def _told(holding: Holding, answers: Iterable[Answer]) -> Iterable[Told]:
    for answer in answers:
        question = Question.from_json(answer.question)
        members = np.flatnonzero(group_of(question.where, holding.public, holding.people))
        times = len(members) if question.aggregate == "mean" else 1
        yield members, answer.low * times, answer.high * times


def _described(holding: Holding) -> list[str]:
    """Each person by public labels."""
    columns = [[str(label) for label in alphabet.labels()] for alphabet, _ in holding.public.values()]
    codes = [codes.tolist() for _, codes in holding.public.values()]
    rows = zip(*codes, strict=True) if codes else [()] * holding.people
    return [", ".join(column[code] for column, code in zip(columns, row, strict=True)) or "somebody" for row in rows]
