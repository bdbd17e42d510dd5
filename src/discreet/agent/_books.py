"""Books: what was answered about one column, or about several together, and the auditor that knows it.

One per private column where analysts may collude, one per column and analyst where they may not. A book is an auditor and the
rows of the ledger that it has seen; whatever else is in memory can be lost.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from discreet.agent import _ledger as ledgers
from discreet.agent._holdings import Holding
from discreet.agent._ledger import ConflictError, Ledger
from discreet.agent._registry import SLACK, Analyst, OverBudgetError
from discreet.agent._rows import Answer

if TYPE_CHECKING:
    from discreet.agent._questions import Question
    from discreet.queries.auditor import Auditor, CategoryAuditor


@dataclass
class Book:
    """What was answered about one column, or about several together, and the auditor that knows it."""

    name: str
    holding: Holding
    columns: tuple[str, ...]
    analyst: str = ""  # whose it is, where analysts do not collude
    auditor: Auditor | CategoryAuditor | None = None
    seen: int = 0  # rows of the ledger that the auditor knows
    link: str = ""  # and the seal of the last
    lock: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def empty(self) -> Auditor | CategoryAuditor:
        """An auditor of the same people that knows nothing."""
        return self.holding.auditor(*self.columns)

    def up_to_date(self, ledger: Ledger, turn: Any = None) -> Auditor | CategoryAuditor:
        """The auditor, told of every row that is in the ledger by now; witnesses that stand beside them spare the searches."""
        if self.auditor is None:
            self.auditor, self.seen, self.link = self.holding.auditor(*self.columns), 0, ""
        try:
            rows, link = ledger.followed(self.name, self.seen, self.link, turn)
            if rows:
                number, content = ledger.witnesses(self.name, turn) or (0, None)
                self.auditor.follow([row.record for row in rows if row.record and row.number <= number], content)
                self.auditor.follow([row.record for row in rows if row.record and row.number > number])
        except BaseException:
            self.auditor = None  # it may know a part
            raise
        self.seen, self.link = self.seen + len(rows), link
        return self.auditor


@dataclass(frozen=True)
class Inquiry:
    """A question by somebody, in that book, what it is called there, and as the auditor is asked."""

    analyst: Analyst
    question: Question
    book: Book
    key: str
    asked: dict[str, Any]

    def most_cells(self) -> int:
        """How many cells it can be offered at most, whatever was asked before."""
        return self.book.empty.most_cells(**self.asked)

    @property
    def place(self) -> tuple[str, str]:
        """Where its answer stands in the ledger."""
        return self.book.name, self.key

    def row(self, auditor: Auditor | CategoryAuditor, number: int) -> Answer:
        """Ask the auditor; the answer as a row of the ledger."""
        before = len(auditor.records)
        reply = auditor.ask(**self.asked, data=self.book.holding.values(*self.book.columns))
        return Answer(
            book=self.book.name,
            number=number,
            key=self.key,
            analyst=self.analyst.name,
            question=self.question.to_json(),
            cells=len(reply.cells) if reply.bits else 1,
            answer=reply.answer,
            error=reply.error,
            low=reply.cell[0],
            high=reply.cell[1],
            record=auditor.records[-1].to_dict() if len(auditor.records) > before else {},
            at=ledgers.now(),
        )


def answered(inquiries: Sequence[Inquiry], ledger: Ledger, turn: Any = None) -> list[Answer]:
    """Audit the questions of one statement and write all answers down, or none; the books learn of them once they stand.

    Returns the rows that stand, in order: somebody may have had the same answer before, or from another server meanwhile.
    """
    known = {inquiry.place: ledger.find(*inquiry.place, turn) for inquiry in inquiries}
    new = unanswered(inquiries, known)
    if new:
        known |= _audited(new, ledger, turn)
    return [row for inquiry in inquiries if (row := known[inquiry.place]) is not None]


def unanswered(inquiries: Sequence[Inquiry], known: Mapping[tuple[str, str], Answer | None]) -> list[Inquiry]:
    """Those that have no answer yet, each once."""
    return list({inquiry.place: inquiry for inquiry in inquiries if known[inquiry.place] is None}.values())


def price_of(new: Sequence[Inquiry], auditors: Mapping[str, Auditor | CategoryAuditor]) -> float:
    """Bits that new questions cost together at most, whatever the answers are.

    The first of each book is priced as things are; what those behind it cost depends on its answer, so they count with the
    most cells that any history offers them.
    """
    first = {inquiry.book.name: inquiry for inquiry in reversed(new)}
    return math.fsum(
        auditors[inquiry.book.name].price(**inquiry.asked).bits
        if first[inquiry.book.name] is inquiry
        else math.log2(inquiry.most_cells())
        for inquiry in new
    )


def _audited(new: Sequence[Inquiry], ledger: Ledger, turn: Any) -> dict[tuple[str, str], Answer | None]:
    books, analyst = {inquiry.book.name: inquiry.book for inquiry in new}, new[0].analyst
    # What is not written down is not said: forks are asked, and take the places of the books' auditors afterwards.
    auditors = {name: book.up_to_date(ledger, turn).fork() for name, book in books.items()}
    ends = {name: (book.seen, book.link) for name, book in books.items()}
    # What it costs is looked at before the data are, so that a refusal does not depend on them.
    price = price_of(new, auditors)
    left = analyst.budget - ledger.spent(analyst.name, turn)
    if price > left + SLACK:
        raise OverBudgetError.of(price, left)
    if any(ledger.length(name, turn) > book.seen for name, book in books.items()):
        raise ConflictError("another server wrote to the ledger at the same time: try again")
    rows = []
    for inquiry in new:
        number, link = ends[inquiry.book.name]
        row = inquiry.row(auditors[inquiry.book.name], number + 1)
        ends[inquiry.book.name] = row.number, ledger.link(link, row)
        rows.append(row)
    told = {row.book for row in rows if row.cells > 1}
    written = _written(rows, price, {name: auditors[name].witnesses() for name in told}, ledger, turn)
    if written[0] is rows[0]:
        for name, book in books.items():
            book.auditor, (book.seen, book.link) = auditors[name], ends[name]
    return {inquiry.place: row for inquiry, row in zip(new, written, strict=True)}


def _written(
    rows: Sequence[Answer], price: float, witnesses: Mapping[str, bytes], ledger: Ledger, turn: Any
) -> Sequence[Answer]:
    """The rows as they stand now: these, or, for one alone, what another server wrote first."""
    if len(rows) == 1:
        return [ledger.commit(rows[0], turn, witnesses.get(rows[0].book))]
    last = {row.book: row for row in rows}
    with nullcontext(turn) if turn is not None else ledger.turn(*last) as inside:
        # Not what they cost in the end, which depends on the data.
        ledger.check_payer(rows[0].analyst, price, inside)
        for row in rows:
            if ledger.commit(row, inside, witnesses.get(row.book) if last[row.book] is row else None) is not row:
                raise ConflictError("another server wrote to the ledger at the same time: try again")
    return rows
