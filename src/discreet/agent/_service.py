"""The agent itself: it holds the data, audits every question, and writes an answer down before it says it."""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.agent._books import Book, Inquiry, answered, price_of, unanswered
from discreet.agent._category_counts import counts_of
from discreet.agent._chain import Chain
from discreet.agent._config import Config
from discreet.agent._filters import group_of
from discreet.agent._fingerprints import secret
from discreet.agent._groups import MOST, groups_of
from discreet.agent._head_witness import begin_witness
from discreet.agent._holdings import Holding, load_all
from discreet.agent._journal import Head
from discreet.agent._ledger import ConflictError, Ledger
from discreet.agent._opening import Opening
from discreet.agent._pins import book_name, book_of
from discreet.agent._questions import Question
from discreet.agent._registry import SLACK, Analyst, OverBudgetError
from discreet.agent._rows import Answer, total
from discreet.agent._telling import described, is_new, told
from discreet.agent._terms import asked_of, book_columns
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet._typing import BoolArray
    from discreet.agent._journal import State
    from discreet.agent._pins import Pin
    from discreet.agent._questions import Selection

TRIES = 2
"""Where several servers write to one ledger: whoever lost a race makes the others wait, so nobody looks more than twice."""


class Agent:
    """Data sets, books and the ledger.

    Pickled, it is the same agent in another process, with a connection of its own to the ledger.
    """

    def __init__(self, config: Config, *, written: Sequence[Head] = (), seal: bool = False) -> None:
        """Open the ledger with the data; `seal` is the owner's word that it may be sealed as it is found.

        `written` are heads of the ledger that people have on paper.
        """
        # Data that cannot be served make no ledger.
        held = load_all(config.datasets) if is_new(config) else None
        self.ledger = ledger = Ledger(config.ledger)
        try:
            self._hold(config, held or load_all(config.datasets, ledger.orders()), ledger)
            key = secret(Path(config.fingerprints), begin=lambda key: begin_witness(config.places[0], Chain(key).mark))
            witnesses = ledger.watched_by(config.places, key)
            ledger.use_key(key, Opening(witnesses, written, seal, self.holdings, self._key_of))
            for holding in self.holdings.values():
                ledger.pin(holding.pin(key))
        except BaseException:
            ledger.close()
            raise

    def _hold(self, config: Config, holdings: Mapping[str, Holding], ledger: Ledger) -> None:
        self.config, self.holdings, self.ledger = config, holdings, ledger
        self._books: dict[str, Book] = {}
        self._books_lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return _elsewhere, (self.config, self.holdings, *self.ledger.checked)

    def close(self) -> None:
        """Let go of the ledger."""
        self.ledger.close()

    # ------------------------------------------------------------------ for analysts

    def datasets(self) -> list[dict[str, Any]]:
        """What can be asked: names, bounds and promises, no values."""
        return described(self.holdings)

    def inquiry(self, analyst: Analyst, question: Question) -> Inquiry:
        """Who and what a question is about; two ways of naming the same people are one question."""
        if question.by:
            raise InputError("a question with GROUP BY is asked about all its groups")
        book = self._book(analyst, question)
        mask, key = _named(question, book)
        members, least = np.flatnonzero(mask), book.holding.dataset.smallest_group
        if len(members) < least:
            raise InputError(f"the group is too small: it must have at least {least} people")
        return Inquiry(analyst, question, book, key, asked_of(question, book.holding, members))

    def _key_of(self, answer: Answer) -> str:
        """How the question of a row is called where people are in the order in which the data are held."""
        question = Question.from_json(answer.question)
        return _named(question, self._book(Analyst(answer.analyst, 0.0, revoked=False), question))[1]

    def price(self, analyst: Analyst, question: Question) -> dict[str, Any]:
        """What a question would cost now, without asking it."""
        inquiry = self.inquiry(analyst, question)
        known = self.known_price(inquiry)
        if known is not None:
            return known
        with inquiry.book.lock:
            auditor = inquiry.book.up_to_date(self.ledger)
            bits = auditor.price(**inquiry.asked).bits
            cells = auditor.offer(**inquiry.asked)
        widest = max(high - low for low, high in cells) / 2
        return {"bits": bits, "cells": len(cells) if bits else 1, "error": widest, "known": False}

    def known_price(self, inquiry: Inquiry) -> dict[str, Any] | None:
        """What a question costs that was answered before: nothing."""
        known = self.recall(inquiry)
        return None if known is None else {"bits": 0.0, "cells": known.cells, "error": known.error, "known": True}

    def answer_to(self, analyst: Analyst, question: Question) -> Answer:
        """Answer a question that was not answered before."""
        return self.answer(self.inquiry(analyst, question))

    def can_surely_pay(self, inquiry: Inquiry) -> bool:
        """Whether the budget covers a question whatever it turns out to cost."""
        left = inquiry.analyst.budget - self.ledger.spent(inquiry.analyst.name)
        return math.log2(inquiry.most_cells()) <= left + SLACK

    def check_can_pay(self, analyst: Analyst, bits: float) -> None:
        """Refuse a price that is more than is left."""
        left = analyst.budget - self.ledger.spent(analyst.name)
        if bits > left + SLACK:
            raise OverBudgetError.of(bits, left)

    def parts(self, analyst: Analyst, asked: Selection) -> tuple[list[tuple[dict[str, Any], list[Inquiry]]], int]:
        """Every group that a statement is about with a question for each aggregate, and how many groups are too small.

        Without GROUP BY there is one group, of everybody whom it is about.
        """
        first = asked.questions[0]
        if not asked.by:
            return [({}, [self.inquiry(analyst, question) for question in asked.questions])], 0
        groups, small = groups_of(first, self._book(analyst, first).holding)
        if len(groups) * len(asked.questions) > MOST:
            raise InputError(
                f"{len(asked.questions)} aggregates of {len(groups):,} groups are too many: at most {MOST} numbers together, "
                "so use fewer aggregates or columns, or a filter"
            )
        found = [
            (labels, [self.inquiry(analyst, replace(each, where=group.where, by=())) for each in asked.questions])
            for labels, group in groups
        ]
        return found, small

    def price_all(self, analyst: Analyst, asked: Selection) -> dict[str, Any]:
        """What all aggregates of all groups can cost together at most, whatever the answers are: one price for all."""
        parts, _ = self.parts(analyst, asked)
        inquiries = [inquiry for _, mine in parts for inquiry in mine]
        new = unanswered(inquiries, {inquiry.place: self.recall(inquiry) for inquiry in inquiries})
        errors = {question.error for question in asked.questions}
        found = {
            "bits": 0.0,
            "cells": max((inquiry.most_cells() for inquiry in new), default=1),
            "error": errors.pop() if len(errors) == 1 else None,
            "known": not new,
            **({"groups": len(parts)} if asked.by else {}),
            **({"aggregates": len(asked.questions)} if asked.is_several else {}),
        }
        if new:
            with self._held(new) as books:
                found["bits"] = price_of(new, {book.name: book.up_to_date(self.ledger) for book in books})
        return found

    def answer_all(self, analyst: Analyst, asked: Selection) -> dict[str, Any]:
        """The answers to all aggregates of all groups, written down at once, all or none, and what the new ones cost."""
        parts, small = self.parts(analyst, asked)
        inquiries = [inquiry for _, mine in parts for inquiry in mine]
        new = {inquiry.place for inquiry in inquiries if self.recall(inquiry) is None}
        rows = self.answers(inquiries)
        costs = {inquiry.place: row.bits for inquiry, row in zip(inquiries, rows, strict=True) if inquiry.place in new}
        said = iter(map(told, rows))
        shared = {"left_out": small, "bits": math.fsum(costs.values())}
        if not asked.is_several:
            return {**shared, "groups": [{"group": labels, **next(said)} for labels, _ in parts]}
        named = [{"group": labels, "answers": {name: next(said) for name in asked.labels}} for labels, _ in parts]
        return {**shared, "rows": named}

    def book_of(self, analyst: Analyst, asked: Selection) -> str:
        """The book of the first aggregate."""
        return self._book(analyst, asked.questions[0]).name

    def ask(self, analyst: Analyst, question: Question) -> Answer:
        """Answer a question: the same as before if it was asked before, else audited, written down, and then said."""
        inquiry = self.inquiry(analyst, question)
        return self.recall(inquiry) or self.answer(inquiry)

    def recall(self, inquiry: Inquiry) -> Answer | None:
        """The answer that a question got before, to whomever: no auditor is needed for it."""
        return self.ledger.find(inquiry.book.name, inquiry.key)

    def answer(self, inquiry: Inquiry) -> Answer:
        """Audit a question, write the answer down and only then return it."""
        return self.answers([inquiry])[0]

    def answers(self, inquiries: Sequence[Inquiry]) -> list[Answer]:
        """Audit questions, write all answers down and only then return them.

        The ledger takes answers only if nothing was written to their books since the auditors looked. A server that was
        slower than another tries again, and at last holds the books while it looks, so that it is not slower for ever.
        """
        for left in reversed(range(TRIES)):
            with self._held(inquiries) as books:
                if not left:
                    for book in books:
                        book.up_to_date(self.ledger)  # so that hardly anything is left to follow while others wait
                try:
                    with nullcontext() if left else self.ledger.turn(*(book.name for book in books)) as turn:
                        return answered(inquiries, self.ledger, turn)
                except BaseException as problem:
                    if (
                        not left
                    ):  # a turn that fails at its very end has written nothing, and the auditors do not know that
                        for book in books:
                            book.auditor = None
                    if not isinstance(problem, ConflictError):
                        raise
        raise ConflictError("the ledger is very busy: try again")

    @contextmanager
    def _held(self, inquiries: Sequence[Inquiry]) -> Iterator[list[Book]]:
        """The books of questions, which no other thread uses meanwhile; in one order, so that nobody waits in a circle."""
        books = {inquiry.book.name: inquiry.book for inquiry in inquiries}
        with ExitStack() as stack:
            for name in sorted(books):
                stack.enter_context(books[name].lock)
            yield [books[name] for name in sorted(books)]

    def my_ledger(self, analyst: Analyst) -> dict[str, Any]:
        """What an analyst asked, spent, and has left."""
        answers = self.ledger.read(analyst=analyst.name)
        spent = total(answers)
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

    def kept(self) -> list[dict[str, Any]]:
        """For every book what it gave away, and the lengths of the intervals that everybody still keeps."""
        found = []
        for name in self.ledger.books():
            dataset, columns, analyst = book_of(name)
            holding = self.holdings.get(dataset)
            if holding is None or not set(columns) <= set(holding.dataset.columns):
                continue  # held no more
            book = self._opened(holding, columns, analyst)
            with book.lock:
                kept = holding.kept(book.up_to_date(self.ledger), *columns)
            answers = self.ledger.read(book=book.name)
            for column, lengths in zip((holding.dataset.columns[each] for each in columns), kept, strict=True):
                found.append(
                    {
                        "dataset": dataset,
                        "column": column.name,
                        "together": [each for each in columns if each != column.name],
                        "analyst": book.analyst,
                        "people": holding.people,
                        "answers": len(answers),
                        "bits": total(answers),
                        "keep": column.keep,
                        "range": column.range,
                        "categories": len(column.categories),
                        "lengths": lengths,
                        "shortest": float(lengths.min()),
                    }
                )
        return found

    # ------------------------------------------------------------------ inside

    def _book(self, analyst: Analyst, question: Question) -> Book:
        holding = self.holdings.get(question.dataset)
        if holding is None:
            raise InputError("there is no data set of that name")
        columns = book_columns(question, holding)
        if question.aggregate == "count" and counts_of(question, holding.dataset) is None:
            column = holding.dataset.columns[question.column]
            whole = holding.lattices[column.name].step == 1
            if not (whole and column.lower >= 0 and column.upper <= 1):
                raise InputError(f"COUNT is for columns of 0 and 1, and {column.name!r} is none: use AVG or SUM")
        return self._opened(holding, columns, "" if holding.dataset.collude else analyst.name)

    def _opened(self, holding: Holding, columns: tuple[str, ...], analyst: str) -> Book:
        """The book of a column, or of several."""
        name = book_name(holding.dataset.name, columns, analyst)
        with self._books_lock:
            return self._books.setdefault(name, Book(name, holding, columns, analyst))


def _named(question: Question, book: Book) -> tuple[BoolArray, str]:
    """Whom a question is about, and how it is called in its book."""
    holding = book.holding
    counts = counts_of(question, holding.dataset)
    mask = group_of(question.where if counts is None else counts.where, holding.public, holding.people)
    # In a book of several columns a question says which; elsewhere there is one.
    about: Any = question.terms or (question.column if len(book.columns) > 1 else "")
    if counts is not None:
        about = f"category {counts.category}"
    if question.over:
        about = about, question.over
    digest = hashlib.sha256(f"{question.aggregate} {question.error!r} {about}".encode())
    digest.update(np.packbits(mask).tobytes())
    return mask, digest.hexdigest()


def _elsewhere(
    config: Config, holdings: Mapping[str, Holding], key: bytes, pinned: Mapping[str, Pin], state: State
) -> Agent:
    agent = Agent.__new__(Agent)
    ledger = Ledger(config.ledger)
    ledger.go_on(key, pinned, state, ledger.watched_by(config.places, key))
    agent._hold(config, holdings, ledger)
    return agent
