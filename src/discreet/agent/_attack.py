"""What an owner need not believe: the best known attacks on the ledger, with what analysts know and no private value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet._typing import BoolArray
from discreet.agent._category_counts import counts_of
from discreet.agent._config import Config
from discreet.agent._filters import group_of
from discreet.agent._holdings import Holding, load_all
from discreet.agent._ledger import Answer, Ledger
from discreet.agent._pins import book_of
from discreet.agent._questions import Question
from discreet.agent._recording import audited
from discreet.agent._terms import asked_of
from discreet.errors import InputError
from discreet.queries.auditor._attacks import SURE, Exposure, Told, attacked
from discreet.queries.auditor._category_attacks import CountTold, attacked_categories

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
    categories: tuple[str, ...] = ()
    possible: BoolArray | None = None  # which of them nobody can exclude, by person

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
                {"who": self.people[i], "left": float(high - low), **self._left(i, float(low), float(high))}
                for i in np.argsort(lengths, kind="stable")[:SHOWN].tolist()
                for low, high in [exposure.intervals[i]]
            ],
        }

    def _left(self, person: int, low: float, high: float) -> dict[str, Any]:
        """What somebody's value can be."""
        if self.possible is None:
            return {"low": low, "high": high}
        return {"possible": [self.categories[k] for k in np.flatnonzero(self.possible[person]).tolist()]}


def attack(config: Config, ledger: Ledger) -> list[Finding]:
    """Attack every book of the ledger about data that the configuration names.

    Private values are read only as far as the steps go in which they are recorded, which everybody is taken to know.
    """
    holdings = load_all(config.datasets, ledger.orders())
    books: dict[tuple[str, tuple[str, ...]], dict[str, list[Answer]]] = {}
    for name in ledger.books():
        dataset, columns, analyst = book_of(name)
        books.setdefault((dataset, columns), {})[analyst] = ledger.read(book=name)
    found: list[Finding] = []
    for (dataset, columns), told in books.items():
        holding = holdings.get(dataset)
        if holding is None or not set(columns) <= set(holding.dataset.columns):
            continue  # held no more
        groups = dict(told)
        if len(groups) > 1:
            groups["all together"] = [answer for answers in told.values() for answer in answers]
        for who, answers in groups.items():
            found += _findings(holding, columns, who, answers)
    if not found:
        raise InputError("the ledger holds no answer about data that the configuration names: nothing to attack")
    return found


def _findings(holding: Holding, columns: tuple[str, ...], who: str, answers: list[Answer]) -> Iterable[Finding]:
    """One attack on all columns of a book together, and what it leaves of each."""
    column = holding.dataset.columns[columns[0]]
    if column.categories:
        possible, tried = attacked_categories(holding.people, len(column.categories), list(_counts(holding, answers)))
        many = possible.sum(axis=1).astype(float)
        left = Exposure(np.stack([np.zeros(len(many)), many], axis=1), np.zeros(0, np.int64), tried, len(many))
        names, people = column.categories, _people(holding)
        yield Finding(holding.dataset.name, column.name, who, len(answers), column.keep, left, people, names, possible)
        return
    parts, step = audited(holding.dataset, holding.lattices, columns)
    n = holding.people
    lower, upper = (np.repeat([part[side] for part in parts], n) for side in (0, 1))
    exposure = attacked(n * len(columns), lower, upper, float(step), list(_told(holding, answers)))
    people = _people(holding)
    for i, name in enumerate(columns):
        # Columns that share a book were attacked in their steps.
        unit = float(holding.lattices[name].step) or 1.0 if len(columns) > 1 else 1.0
        mine = exposure.intervals[i * n : (i + 1) * n] * unit
        by_steps = exposure.by_steps[(exposure.by_steps >= i * n) & (exposure.by_steps < (i + 1) * n)] - i * n
        left = Exposure(mine, by_steps, min(n, exposure.tried), n)
        yield Finding(holding.dataset.name, name, who, len(answers), holding.dataset.columns[name].keep, left, people)


def _told(holding: Holding, answers: Iterable[Answer]) -> Iterable[Told]:
    for answer in answers:
        question = Question.from_json(answer.question)
        members = np.flatnonzero(group_of(question.where, holding.public, holding.people))
        times = len(members) if question.aggregate == "mean" else 1
        asked = asked_of(question, holding, members)
        if "weights" not in asked:
            yield members, answer.low * times, answer.high * times
            continue
        divisor = len(asked["members"]) if question.aggregate == "mean" else 1
        weights = asked["weights"].astype(float)
        yield asked["members"], answer.low * divisor, answer.high * divisor, weights


def _counts(holding: Holding, answers: Iterable[Answer]) -> Iterable[CountTold]:
    for answer in answers:
        question = Question.from_json(answer.question)
        counts = counts_of(question, holding.dataset)
        if counts is not None and counts.category is not None:
            members = np.flatnonzero(group_of(counts.where, holding.public, holding.people))
            yield members, counts.category, round(answer.low), round(answer.high)


def _people(holding: Holding) -> list[str]:
    """Each person by name, or else by public labels."""
    return [name.decode() for name in holding.who] if holding.who else _described(holding)


def _described(holding: Holding) -> list[str]:
    """Each person by public labels."""
    columns = [[str(label) for label in alphabet.labels()] for alphabet, _ in holding.public.values()]
    codes = [codes.tolist() for _, codes in holding.public.values()]
    rows = zip(*codes, strict=True) if codes else [()] * holding.people
    return [", ".join(column[code] for column, code in zip(columns, row, strict=True)) or "somebody" for row in rows]
