"""The agent itself: it holds the data, audits every question, and writes an answer down before it says it.

One book a private column where analysts may collude, one a column and analyst where they may not. A book is an auditor and
the rows of the ledger that it has seen; whatever else is in memory can be lost.
"""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.agent import ledger as ledgers
from discreet.agent.conditions import group_of
from discreet.agent.config import Config, Dataset, Private
from discreet.agent.holdings import Holding
from discreet.agent.ledger import Analyst, Answer, ConflictError, Ledger, OverBudgetError
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.agent.questions import Question
    from discreet.labels import Codes
    from discreet.queries.auditor import Auditor

TRIES = 5  # where several servers write to one ledger


@dataclass
class Book:
    """What was answered about one column, and the auditor that knows it."""

    name: str
    holding: Holding
    column: Private
    lock: threading.Lock = field(default_factory=threading.Lock)
    auditor: Auditor | None = None
    seen: int = 0  # rows of the ledger that the auditor knows

    def fresh(self) -> Auditor:
        """An auditor that knows nothing yet."""
        from discreet.queries.auditor import Auditor

        people, column = self.holding.people, self.column
        return Auditor(
            np.full(people, column.lower), np.full(people, column.upper), keep=column.keep, integral=column.integral
        )


@dataclass(frozen=True)
class Group:
    """The people that a question is about, and what the question is called in the ledger."""

    members: Codes
    key: str


class Agent:
    """Data sets, books and the ledger."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.holdings = {dataset.name: Holding.load(dataset) for dataset in config.datasets}
        self.ledger = Ledger(config.ledger)
        for holding in self.holdings.values():
            self.ledger.pin(holding.dataset.name, holding.fingerprint, _declared(holding.dataset))
        self._books: dict[str, Book] = {}
        self._books_lock = threading.Lock()

    def close(self) -> None:
        """Let go of the ledger."""
        self.ledger.close()

    # ------------------------------------------------------------------ for analysts

    def datasets(self) -> list[dict[str, Any]]:
        """What can be asked: names, bounds and promises, no values."""
        return [
            {
                "name": holding.dataset.name,
                "people": holding.people,
                "public": list(holding.dataset.public),
                "private": [asdict(column) for column in holding.dataset.private],
                "collude": holding.dataset.collude,
                "smallest_group": holding.dataset.smallest_group,
            }
            for holding in self.holdings.values()
        ]

    def price(self, analyst: Analyst, question: Question) -> dict[str, Any]:
        """What a question would cost now, without asking it."""
        book, group = self._book(analyst, question), self._group(question)
        known = self.ledger.find(book.name, group.key)
        if known is not None:
            return {"bits": 0.0, "cells": known.cells, "error": known.error, "known": True}
        with book.lock:
            auditor = self._current(book)
            price = auditor.price(group.members, aggregate=question.aggregate, error=question.error)
            cells = auditor.offer(group.members, aggregate=question.aggregate, error=question.error)
        widest = max(high - low for low, high in cells) / 2
        return {"bits": price.bits, "cells": price.cells, "error": widest, "known": False}

    def ask(self, analyst: Analyst, question: Question) -> Answer:
        """Answer a question: the same as before if it was asked before, else audited, written down, and then said."""
        book, group = self._book(analyst, question), self._group(question)
        for _ in range(TRIES):
            known = self.ledger.find(book.name, group.key)
            if known is not None:
                return known
            with book.lock:
                known = self.ledger.find(book.name, group.key)  # while we waited, somebody else may have asked it
                if known is not None:
                    return known
                try:
                    return self._answer(book, group, analyst, question)
                except ConflictError:
                    continue  # another server was first: the next try begins from what it wrote
        raise ConflictError("the ledger is very busy: try again")

    def my_ledger(self, analyst: Analyst) -> dict[str, Any]:
        """What an analyst asked, spent, and has left."""
        answers = self.ledger.read(analyst=analyst.name)
        spent = ledgers.total(answers)
        return {
            "analyst": analyst.name,
            "budget": analyst.budget,
            "spent": spent,
            "left": max(0.0, analyst.budget - spent),
            "answers": [told(answer) for answer in answers],
        }

    # ------------------------------------------------------------------ for the owner

    def analysts(self) -> list[dict[str, Any]]:
        """Everybody who may ask, with what they spent."""
        found = []
        for analyst in self.ledger.every_analyst():
            spent = self.ledger.spent(analyst.name)
            left = max(0.0, analyst.budget - spent)
            found.append({**asdict(analyst), "spent": spent, "left": left})
        return found

    def totals(self) -> tuple[int, float]:
        """How many answers there are, and their bits."""
        answers = self.ledger.read()
        return len(answers), ledgers.total(answers)

    def kept(self) -> list[dict[str, Any]]:
        """For every book what it gave away, and the shortest interval that somebody still keeps."""
        with self._books_lock:
            books = list(self._books.values())
        found = []
        for book in books:
            with book.lock:
                intervals = self._current(book).intervals()
            answers = self.ledger.read(book=book.name)
            shortest = float((intervals[:, 1] - intervals[:, 0]).min())
            dataset, column = book.holding.dataset, book.column
            found.append(
                {
                    "dataset": dataset.name,
                    "column": column.name,
                    "analyst": "" if dataset.collude else answers[0].analyst if answers else "",
                    "people": book.holding.people,
                    "answers": len(answers),
                    "bits": ledgers.total(answers),
                    "keep": column.keep,
                    "shortest": shortest,
                    "share": shortest / (column.upper - column.lower),
                }
            )
        return found

    # ------------------------------------------------------------------ inside

    def _book(self, analyst: Analyst, question: Question) -> Book:
        holding = self.holdings.get(question.dataset)
        if holding is None:
            raise InputError("there is no data set of that name")
        column = holding.dataset.column(question.column)
        if column is None:
            private = [each.name for each in holding.dataset.private]
            raise InputError(f"questions are about one of {private}")
        if question.aggregate == "count" and not column.integral:
            raise InputError(f"COUNT is for columns of 0 and 1, and {column.name!r} is none: use AVG or SUM")
        parts = [question.dataset, column.name, *([] if holding.dataset.collude else [analyst.name])]
        name = json.dumps(parts, ensure_ascii=False)
        with self._books_lock:
            return self._books.setdefault(name, Book(name, holding, column))

    def _group(self, question: Question) -> Group:
        """Who is asked about; two ways of naming the same people are one question."""
        holding = self.holdings[question.dataset]
        mask = group_of(question.where, holding.public, holding.people)
        members = np.flatnonzero(mask)
        least = holding.dataset.smallest_group
        if len(members) < least:
            raise InputError(f"the group is too small: it must have at least {least} people")
        digest = hashlib.sha256(f"{question.aggregate} {question.error!r} ".encode())
        digest.update(np.packbits(mask).tobytes())
        return Group(members, digest.hexdigest())

    def _current(self, book: Book) -> Auditor:
        """The book's auditor, told of every row that is in the ledger by now. Called with the book's lock."""
        if book.auditor is None:
            book.auditor, book.seen = book.fresh(), 0
        new = self.ledger.read(book=book.name, after=book.seen)
        book.auditor.follow([answer.record for answer in new if answer.record])
        book.seen += len(new)
        return book.auditor

    def _answer(self, book: Book, group: Group, analyst: Analyst, question: Question) -> Answer:
        auditor = self._current(book)
        asked: dict[str, Any] = {"aggregate": question.aggregate, "error": question.error}
        price = auditor.price(group.members, **asked)
        left = analyst.budget - self.ledger.spent(analyst.name)
        if price.bits > left + ledgers.SLACK:
            raise OverBudgetError.of(price.bits, left)
        records = len(auditor.records)
        reply = auditor.ask(group.members, **asked, data=book.holding.private[book.column.name])
        answer = Answer(
            book=book.name,
            number=book.seen + 1,
            key=group.key,
            analyst=analyst.name,
            question=question.to_json(),
            cells=len(reply.cells) if reply.bits else 1,
            answer=reply.answer,
            error=reply.error,
            low=reply.cell[0],
            high=reply.cell[1],
            record=auditor.records[-1].to_dict() if len(auditor.records) > records else {},
            at=ledgers.now(),
        )
        try:
            written = self.ledger.commit(answer)
        except BaseException:
            book.auditor = None  # it knows of an answer that nobody will ever get
            raise
        if written is not answer:
            book.auditor = None
        else:
            book.seen += 1
        return written


def told(answer: Answer) -> dict[str, Any]:
    """An answer as it is sent."""
    return {
        "question": answer.question,
        "answer": answer.answer,
        "error": answer.error,
        "cell": [answer.low, answer.high],
        "cells": answer.cells,
        "bits": answer.bits,
        "number": answer.number,
        "at": answer.at,
    }


def _declared(dataset: Dataset) -> dict[str, Any]:
    """What the ledger pins beside the data: a promise that changed would be another promise."""
    return {"collude": dataset.collude, "private": [asdict(column) for column in dataset.private]}
