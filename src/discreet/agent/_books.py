"""Books: what was answered about one column, or about several together, and the auditor that knows it.

One per private column where analysts may collude, one per column and analyst where they may not. A book is an auditor and the
rows of the ledger that it has seen; whatever else is in memory can be lost.
"""

from __future__ import annotations

import threading
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
    from discreet.queries.auditor import Auditor


@dataclass
class Book:
    """What was answered about one column, or about several together, and the auditor that knows it."""

    name: str
    holding: Holding
    columns: tuple[str, ...]
    analyst: str = ""  # whose it is, where analysts do not collude
    auditor: Auditor | None = None
    seen: int = 0  # rows of the ledger that the auditor knows
    link: str = ""  # and the seal of the last
    lock: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def empty(self) -> Auditor:
        """An auditor of the same people that knows nothing."""
        return self.holding.auditor(*self.columns)

    def up_to_date(self, ledger: Ledger, turn: Any = None) -> Auditor:
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

    def answered(self, ledger: Ledger, turn: Any = None) -> Answer:
        """Audit the question and write the answer down; the book's auditor learns of it once it stands in the ledger.

        Returns the row that stands: another server may have answered the same question meanwhile.
        """
        book = self.book
        auditor = book.up_to_date(ledger, turn)
        # What it costs is looked at before the data are, so that a refusal does not depend on them.
        bits = auditor.price(**self.asked).bits
        left = self.analyst.budget - ledger.spent(self.analyst.name, turn)
        if bits > left + SLACK:
            raise OverBudgetError.of(bits, left)
        draft = auditor.draft(**self.asked, data=book.holding.values(*book.columns))
        reply = draft.reply
        answer = Answer(
            book=book.name,
            number=book.seen + 1,
            key=self.key,
            analyst=self.analyst.name,
            question=self.question.to_json(),
            cells=len(reply.cells) if reply.bits else 1,
            answer=reply.answer,
            error=reply.error,
            low=reply.cell[0],
            high=reply.cell[1],
            record=draft.record.to_dict() if draft.record is not None else {},
            at=ledgers.now(),
        )
        if ledger.length(book.name, turn) > book.seen:
            raise ConflictError("another server wrote to the ledger at the same time: try again")
        written = ledger.commit(answer, turn, auditor.witnesses_after(draft))
        if written is answer:
            auditor.take(draft)
            book.seen, book.link = answer.number, ledger.link(book.link, answer)
        return written
