"""The agent itself: it holds the data, audits every question, and writes an answer down before it says it.

One book per private column where analysts may collude, one per column and analyst where they may not. A book is an auditor and
the rows of the ledger that it has seen; whatever else is in memory can be lost.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.agent import _ledger as ledgers
from discreet.agent._config import Config
from discreet.agent._filters import group_of
from discreet.agent._fingerprints import digest, secret
from discreet.agent._groups import groups_of
from discreet.agent._holdings import Holding, load_all
from discreet.agent._ledger import Analyst, Answer, ConflictError, Ledger, OverBudgetError
from discreet.agent._pins import book_name, book_of
from discreet.agent._terms import asked_of, book_columns
from discreet.errors import DiscreetError, InputError

if TYPE_CHECKING:
    from discreet.agent._questions import Question
    from discreet.queries.auditor import Auditor

TRIES = 3  # where several servers write to one ledger; the last one makes the others wait


class DamagedError(DiscreetError):
    """A ledger that lacks rows: what was said is not known any more, so nothing more is said."""


@dataclass
class Book:
    """What was answered about one column, or about several together, and the auditor that knows it."""

    name: str
    holding: Holding
    columns: tuple[str, ...]
    analyst: str = ""  # whose it is, where analysts do not collude
    auditor: Auditor | None = None
    seen: int = 0  # rows of the ledger that the auditor knows
    records: int = 0  # and what they told it
    lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """One question at a time; an auditor that knows of an answer that was not written down is thrown away."""
        with self.lock:
            try:
                yield
            finally:
                if self.auditor is not None and len(self.auditor.records) != self.records:
                    self.auditor = None

    def up_to_date(self, ledger: Ledger, turn: Any = None) -> Auditor:
        """The auditor, told of every row that is in the ledger by now."""
        if self.auditor is None:
            self.auditor, self.seen, self.records = self.holding.auditor(*self.columns), 0, 0
        rows = ledger.read(book=self.name, after=self.seen, turn=turn)
        if any(row.number != self.seen + i for i, row in enumerate(rows, 1)):
            raise DamagedError("rows of the ledger are missing: the owner must restore it")
        self.auditor.follow([row.record for row in rows if row.record])
        self.seen, self.records = self.seen + len(rows), len(self.auditor.records)
        return self.auditor

    def wrote(self, answer: Answer) -> None:
        """The auditor's last answer stands in the ledger."""
        self.seen, self.records = answer.number, self.records + bool(answer.record)


@dataclass(frozen=True)
class Inquiry:
    """A question by somebody, in that book, what it is called there, and as the auditor is asked."""

    analyst: Analyst
    question: Question
    book: Book
    key: str
    asked: dict[str, Any]


class Agent:
    """Data sets, books and the ledger."""

    def __init__(self, config: Config) -> None:
        self.config = config
        # Data that cannot be served make no ledger.
        is_new = config.ledger.startswith("sqlite:///") and not Path(config.ledger.removeprefix("sqlite:///")).exists()
        held = load_all(config.datasets) if is_new else None
        self.ledger = Ledger(config.ledger)
        try:
            self.holdings = held or load_all(config.datasets, self.ledger.orders())
            key = secret(Path(config.fingerprints))
            self.ledger.check_key(digest(key, b"discreet"))
            for holding in self.holdings.values():
                self.ledger.pin(holding.pin(key))
        except BaseException:
            self.ledger.close()
            raise
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
                "kinds": holding.kinds(),
                "private": [
                    {**column.declared, "step": float(holding.lattices[column.name].step)}
                    for column in holding.dataset.private
                ],
                "collude": holding.dataset.collude,
                "smallest_group": holding.dataset.smallest_group,
            }
            for holding in self.holdings.values()
        ]

    def inquiry(self, analyst: Analyst, question: Question) -> Inquiry:
        """Who and what a question is about; two ways of naming the same people are one question."""
        if question.by:
            raise InputError("a question with GROUP BY is asked about all its groups")
        book = self._book(analyst, question)
        holding = book.holding
        mask = group_of(question.where, holding.public, holding.people)
        members = np.flatnonzero(mask)
        least = holding.dataset.smallest_group
        if len(members) < least:
            raise InputError(f"the group is too small: it must have at least {least} people")
        # In a book of several columns a question says which; elsewhere there is one.
        about = question.terms or (question.column if len(book.columns) > 1 else "")
        digest = hashlib.sha256(f"{question.aggregate} {question.error!r} {about}".encode())
        digest.update(np.packbits(mask).tobytes())
        return Inquiry(analyst, question, book, digest.hexdigest(), asked_of(question, holding, members))

    def price(self, analyst: Analyst, question: Question) -> dict[str, Any]:
        """What a question would cost now, without asking it."""
        if question.by:
            return self.price_groups(analyst, question)
        inquiry = self.inquiry(analyst, question)
        known = self.recall(inquiry)
        if known is not None:
            return {"bits": 0.0, "cells": known.cells, "error": known.error, "known": True}
        with inquiry.book.alone():
            auditor = inquiry.book.up_to_date(self.ledger)
            bits = auditor.price(**inquiry.asked).bits
            cells = auditor.offer(**inquiry.asked)
        widest = max(high - low for low, high in cells) / 2
        return {"bits": bits, "cells": len(cells) if bits else 1, "error": widest, "known": False}

    def groups(self, analyst: Analyst, question: Question) -> tuple[list[tuple[dict[str, Any], Inquiry]], int]:
        """A question about every group of public columns, one by one, and how many groups are too small to ask about."""
        book = self._book(analyst, question)
        asked, small = groups_of(question, book.holding)
        return [(labels, self.inquiry(analyst, each)) for labels, each in asked], small

    def price_groups(self, analyst: Analyst, question: Question) -> dict[str, Any]:
        """What all groups together can cost at most, whatever the answers are: one price for one question."""
        asked, _ = self.groups(analyst, question)
        new = [inquiry for _, inquiry in asked if self.recall(inquiry) is None]
        if not new:
            return {"bits": 0.0, "cells": 1, "error": question.error, "known": True, "groups": len(asked)}
        auditor = new[0].book.holding.auditor(*new[0].book.columns)
        cells = [auditor.most_cells(**inquiry.asked) for inquiry in new]
        bits = math.fsum(map(math.log2, cells))
        return {"bits": bits, "cells": max(cells), "error": question.error, "known": False, "groups": len(asked)}

    def ask_groups(self, analyst: Analyst, question: Question) -> dict[str, Any]:
        """Answer about every group. What it can cost at most is looked at first, so a refusal does not depend on the data.

        Each group is a row of the ledger: what was said before a server died is said again for nothing.
        """
        bits = self.price_groups(analyst, question)["bits"]
        left = analyst.budget - self.ledger.spent(analyst.name)
        if bits > left + ledgers.SLACK:
            raise OverBudgetError.of(bits, left)
        asked, small = self.groups(analyst, question)
        found = [(labels, self.recall(inquiry), inquiry) for labels, inquiry in asked]
        answers = [(labels, known or self.answer(inquiry), known) for labels, known, inquiry in found]
        return {
            "question": question.to_json(),
            "groups": [{"group": labels, **told(answer)} for labels, answer, _ in answers],
            "left_out": small,
            "bits": math.fsum(answer.bits for _, answer, known in answers if known is None),
        }

    def ask(self, analyst: Analyst, question: Question) -> Answer:
        """Answer a question: the same as before if it was asked before, else audited, written down, and then said."""
        inquiry = self.inquiry(analyst, question)
        return self.recall(inquiry) or self.answer(inquiry)

    def recall(self, inquiry: Inquiry) -> Answer | None:
        """The answer that a question got before, to whomever: no auditor is needed for it."""
        return self.ledger.find(inquiry.book.name, inquiry.key)

    def answer(self, inquiry: Inquiry) -> Answer:
        """Audit a question, write the answer down and only then return it.

        The ledger takes an answer only if nothing was written to its book since the auditor looked. A server that was
        slower than another tries again, and at last holds the book while it looks, so that it is not slower for ever.
        """
        book = inquiry.book
        for left in reversed(range(TRIES)):
            with book.alone():
                try:
                    with nullcontext() if left else self.ledger.turn(book.name) as turn:
                        # Somebody may have asked it while we waited.
                        known = self.ledger.find(book.name, inquiry.key, turn)
                        if known is not None:
                            return known
                        answer = self._audited(inquiry, turn)
                        written = self.ledger.commit(answer, turn)
                except ConflictError:
                    continue
                if written is answer:
                    book.wrote(answer)
                return written
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

    def kept(self) -> list[dict[str, Any]]:
        """For every book what it gave away, and the lengths of the intervals that everybody still keeps."""
        found = []
        for name in self.ledger.books():
            dataset, columns, analyst = book_of(name)
            holding = self.holdings.get(dataset)
            if holding is None or not set(columns) <= set(holding.dataset.columns):
                continue  # held no more
            book = self._opened(holding, columns, analyst)
            with book.alone():
                intervals = book.up_to_date(self.ledger).intervals()
            answers = self.ledger.read(book=book.name)
            for i, column in enumerate(holding.dataset.columns[each] for each in columns):
                ends = intervals[i * holding.people : (i + 1) * holding.people]
                # Several columns are audited in their steps.
                unit = float(holding.lattices[column.name].step) or 1.0 if len(columns) > 1 else 1.0
                lengths = (ends[:, 1] - ends[:, 0]) * unit
                found.append(
                    {
                        "dataset": dataset,
                        "column": column.name,
                        "together": [each for each in columns if each != column.name],
                        "analyst": book.analyst,
                        "people": holding.people,
                        "answers": len(answers),
                        "bits": ledgers.total(answers),
                        "keep": column.keep,
                        "range": column.upper - column.lower,
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
        if question.aggregate == "count":
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

    def _audited(self, inquiry: Inquiry, turn: Any) -> Answer:
        """The answer to a question, not yet written down."""
        book = inquiry.book
        auditor = book.up_to_date(self.ledger, turn)
        # What it costs is looked at before the data are, so that a refusal does not depend on them.
        bits = auditor.price(**inquiry.asked).bits
        left = inquiry.analyst.budget - self.ledger.spent(inquiry.analyst.name, turn)
        if bits > left + ledgers.SLACK:
            raise OverBudgetError.of(bits, left)
        records = len(auditor.records)
        reply = auditor.ask(**inquiry.asked, data=book.holding.values(*book.columns))
        return Answer(
            book=book.name,
            number=book.seen + 1,
            key=inquiry.key,
            analyst=inquiry.analyst.name,
            question=inquiry.question.to_json(),
            cells=len(reply.cells) if reply.bits else 1,
            answer=reply.answer,
            error=reply.error,
            low=reply.cell[0],
            high=reply.cell[1],
            record=auditor.records[-1].to_dict() if len(auditor.records) > records else {},
            at=ledgers.now(),
        )


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
