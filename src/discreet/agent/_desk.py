"""The desk at which analysts ask: what is known is told at once, the rest waits its turn for a process that audits.

Answers have processes of their own, a book always the same one, and prices another, which gives way to them: a price is
free, so whoever asks for many delays nobody's answer. A question that its asker may not be able to pay for is priced first.
"""

from __future__ import annotations

import math
import os
import zlib
from collections import OrderedDict
from typing import Any

from anyio import to_thread

from discreet.agent._books import Inquiry
from discreet.agent._questions import Question
from discreet.agent._queues import Allowance
from discreet.agent._registry import Analyst
from discreet.agent._rows import Answer
from discreet.agent._service import Agent, told
from discreet.agent._workers import Worker

PRICES = 10_000
"""Prices that are remembered."""

MOST_PROCESSES = 4


class Desk:
    """Takes questions; `apart` audits in processes of their own, else in threads."""

    def __init__(self, agent: Agent, *, apart: bool) -> None:
        self.agent = agent
        many = max(1, min(MOST_PROCESSES, (os.cpu_count() or 1) - 1))
        self._answering = [Worker(agent, apart=apart) for _ in range(many)]
        self._pricing = Worker(agent, apart=apart, polite=True)
        self._allowance = Allowance()
        self._prices: OrderedDict[tuple[str, str], tuple[int, dict[str, Any]]] = OrderedDict()

    def start(self) -> None:
        """Begin the processes, so that nobody has to wait for them."""
        for worker in (*self._answering, self._pricing):
            worker.start()

    def close(self) -> None:
        """End them."""
        for worker in (*self._answering, self._pricing):
            worker.close()

    async def ask(self, analyst: Analyst, question: Question) -> dict[str, Any]:
        """Answer a question: the same as before if it was asked before, else audited, written down, and then said."""
        if question.by:
            return await self._ask_groups(analyst, question)
        inquiry = await to_thread.run_sync(self.agent.inquiry, analyst, question)
        answer = await to_thread.run_sync(self.agent.recall, inquiry) or await self._answer(inquiry)
        return told(answer) | {"question": question.to_json()}  # in the asker's words, not in another's

    async def _ask_groups(self, analyst: Analyst, question: Question) -> dict[str, Any]:
        """Answer about every group. What it can cost at most is looked at first, so a refusal does not depend on the data.

        Each group is a row of the ledger: what was said before a server died is said again for nothing.
        """
        price = await self.price(analyst, question)
        await to_thread.run_sync(self.agent.check_can_pay, analyst, price["bits"])
        asked, small = await to_thread.run_sync(self.agent.groups, analyst, question)
        groups, costs = [], []
        for labels, inquiry in asked:
            known = await to_thread.run_sync(self.agent.recall, inquiry)
            answer = known or await self._answer(inquiry)
            costs += [] if known else [answer.bits]
            groups.append({"group": labels, **told(answer)})
        return {"question": question.to_json(), "groups": groups, "left_out": small, "bits": math.fsum(costs)}

    async def _answer(self, inquiry: Inquiry) -> Answer:
        analyst, question = inquiry.analyst, inquiry.question
        if not await to_thread.run_sync(self.agent.can_surely_pay, inquiry):
            price = await self._priced(inquiry)
            await to_thread.run_sync(self.agent.check_can_pay, analyst, price["bits"])
        worker = self._answering[zlib.crc32(inquiry.book.name.encode()) % len(self._answering)]
        async with worker.queue.turn(analyst.name):
            answer, _ = await worker.do("answer_to", analyst, question)
        return answer  # type: ignore[no-any-return]

    async def price(self, analyst: Analyst, question: Question) -> dict[str, Any]:
        """What a question would cost now, without asking it."""
        if question.by:
            return await self._worked_out(analyst, question)
        inquiry = await to_thread.run_sync(self.agent.inquiry, analyst, question)
        return await to_thread.run_sync(self.agent.known_price, inquiry) or await self._priced(inquiry)

    async def _priced(self, inquiry: Inquiry) -> dict[str, Any]:
        """A price is a function of the book: it is known as long as nothing was added to that."""
        place = inquiry.book.name, inquiry.key
        length = await to_thread.run_sync(self.agent.ledger.length, inquiry.book.name)
        before, price = self._prices.get(place, (-1, {}))
        if before != length:
            price = await self._worked_out(inquiry.analyst, inquiry.question)
            # What was written meanwhile may or may not be in it.
            self._prices[place] = length, price
            self._prices.move_to_end(place)
            if len(self._prices) > PRICES:
                self._prices.popitem(last=False)
        return price

    async def _worked_out(self, analyst: Analyst, question: Question) -> dict[str, Any]:
        self._allowance.check(analyst.name)
        async with self._pricing.queue.turn(analyst.name):
            self._allowance.check(analyst.name)
            price, seconds = await self._pricing.do("price", analyst, question)
        self._allowance.charge(analyst.name, seconds)
        return price  # type: ignore[no-any-return]
