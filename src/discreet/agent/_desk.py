"""The desk at which analysts ask: what is known is told at once, the rest waits its turn for a process that audits.

Answers have processes of their own, a book always the same one, and prices another, which gives way to them: a price is
free, so whoever asks for many delays nobody's answer. A question that its asker may not be able to pay for is priced first.
"""

from __future__ import annotations

import os
import zlib
from collections import OrderedDict
from typing import Any

from anyio import to_thread

from discreet.agent._books import Inquiry
from discreet.agent._questions import Selection
from discreet.agent._queues import Allowance
from discreet.agent._registry import Analyst
from discreet.agent._rows import Answer
from discreet.agent._service import Agent
from discreet.agent._telling import told
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

    async def ask(self, analyst: Analyst, asked: Selection) -> dict[str, Any]:
        """Answer a question: the same as before if it was asked before, else audited, written down, and then said."""
        if asked.by or asked.is_several:
            return await self._ask_all(analyst, asked)
        inquiry = await to_thread.run_sync(self.agent.inquiry, analyst, asked.questions[0])
        answer = await to_thread.run_sync(self.agent.recall, inquiry) or await self._answer(inquiry)
        return told(answer) | {"question": asked.to_json()}  # in the asker's words, not in another's

    async def _ask_all(self, analyst: Analyst, asked: Selection) -> dict[str, Any]:
        """Answer for every group and aggregate, or for none.

        What it can cost at most is looked at first, so a refusal does not depend on the data. Who is in which group is
        worked out where prices are, and counts against what those may take: a filter can be long, and groups many.
        """
        price = await self._worked_out("price_all", analyst, asked)
        if price["known"]:
            said = await self._worked_out("answer_all", analyst, asked)
        else:
            await to_thread.run_sync(self.agent.check_can_pay, analyst, price["bits"])
            said = await self._in_turn(self.agent.book_of(analyst, asked), analyst, "answer_all", asked)
        return {"question": asked.to_json(), **said}

    async def _answer(self, inquiry: Inquiry) -> Answer:
        if not await to_thread.run_sync(self.agent.can_surely_pay, inquiry):
            price = await self._priced(inquiry)
            await to_thread.run_sync(self.agent.check_can_pay, inquiry.analyst, price["bits"])
        return await self._in_turn(inquiry.book.name, inquiry.analyst, "answer_to", inquiry.question)  # type: ignore[no-any-return]

    async def _in_turn(self, book: str, analyst: Analyst, method: str, asked: Any) -> Any:
        """Let the process of a book do something for an analyst, when it is her turn."""
        worker = self._answering[zlib.crc32(book.encode()) % len(self._answering)]
        async with worker.queue.turn(analyst.name):
            found, _ = await worker.do(method, analyst, asked)
        return found

    async def price(self, analyst: Analyst, asked: Selection) -> dict[str, Any]:
        """What a question would cost now, without asking it."""
        if asked.by or asked.is_several:
            return await self._worked_out("price_all", analyst, asked)
        inquiry = await to_thread.run_sync(self.agent.inquiry, analyst, asked.questions[0])
        return await to_thread.run_sync(self.agent.known_price, inquiry) or await self._priced(inquiry)

    async def _priced(self, inquiry: Inquiry) -> dict[str, Any]:
        """A price is a function of the book: it is known as long as nothing was added to that."""
        place = inquiry.book.name, inquiry.key
        length = await to_thread.run_sync(self.agent.ledger.length, inquiry.book.name)
        before, price = self._prices.get(place, (-1, {}))
        if before != length:
            price = await self._worked_out("price", inquiry.analyst, inquiry.question)
            # What was written meanwhile may or may not be in it.
            self._prices[place] = length, price
            self._prices.move_to_end(place)
            if len(self._prices) > PRICES:
                self._prices.popitem(last=False)
        return price

    async def _worked_out(self, method: str, analyst: Analyst, asked: Any) -> dict[str, Any]:
        self._allowance.check(analyst.name)
        async with self._pricing.queue.turn(analyst.name):
            self._allowance.check(analyst.name)
            price, seconds = await self._pricing.do(method, analyst, asked)
        self._allowance.charge(analyst.name, seconds)
        return price  # type: ignore[no-any-return]
