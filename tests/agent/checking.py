"""What must hold of a ledger, read without the agent, whoever wrote to it and whatever happened to them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from discreet.agent import Client
from discreet.agent._ledger import Analyst, Answer, Ledger
from discreet.agent._questions import Question
from discreet.agent._service import Agent
from discreet.queries.auditor._auditor import Auditor
from discreet.queries.auditor._transcript import Record


def said(client: Client, question: str) -> dict[str, Any]:
    """An answer without what its asker has left, which changes."""
    return {name: value for name, value in client.ask(question).items() if name != "left"}


def check_rows(ledger: Ledger) -> None:
    """What must hold at every moment: numbers without gaps, questions once, nobody overspent."""
    rows = ledger.read()
    for book in ledger.books():
        assert [row.number for row in rows if row.book == book] == list(range(1, 1 + sum(r.book == book for r in rows)))
    assert len({(row.book, row.key) for row in rows}) == len(rows)
    for analyst in ledger.every_analyst():
        spent = math.fsum(math.log2(row.cells) for row in rows if row.analyst == analyst.name)
        assert ledger.spent(analyst.name) == spent
        assert spent <= analyst.budget + 1e-9


def check_answers(agent: Agent, rows: list[Answer]) -> None:
    """Each answer is true, and the cells are those that one server that never died would have offered."""
    for book in {row.book for row in rows}:
        mine = [row for row in rows if row.book == book]
        dataset, column = mine[0].question["dataset"], mine[0].question["column"]
        holding = agent.holdings[dataset]
        private = holding.dataset.column(column)
        assert private is not None
        people, lattice = holding.people, holding.lattices[column]
        auditor = Auditor(
            np.full(people, private.lower), np.full(people, private.upper), keep=private.keep, step=lattice.step
        )
        for row in mine:
            if not row.record:  # in other words than before, and so for nothing
                inquiry = agent.inquiry(Analyst(row.analyst, 0.0, revoked=False), Question.from_json(row.question))
                assert (inquiry.book.name, inquiry.key, row.cells) == (book, row.key, 1)
                assert auditor.price(**inquiry.asked).bits == 0
                continue
            record = Record.from_dict(row.record, people)
            members, divisor = record.question.members, record.question.divisor
            assert row.low - 1e-9 <= holding.private[column][members].sum() / divisor <= row.high + 1e-9
            asked = {"aggregate": row.question["aggregate"], "error": row.question["error"]}
            assert auditor.offer(members, **asked) == record.cells.listed(divisor)
            assert auditor.price(members, **asked).bits == row.bits
            auditor.follow([row.record])
