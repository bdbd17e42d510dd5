"""Ledgers of discreet 0.1.0: how their rows were sealed, and in which order they held people.

Each book had a head, the place and seal of its last row, sealed itself; the head of all books counted them. Data, promises,
analysts and budgets were not sealed. People were sorted by the columns that were pinned first, private ones among them, so a
public column that was added later was stored in an order of private values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import IntArray
from discreet.agent._chain import Chain, DamagedError, named
from discreet.agent._fingerprints import digest
from discreet.agent._pins import Pin, book_of
from discreet.agent._rows import Answer
from discreet.errors import InputError
from discreet.queries.auditor._transcript import Record

if TYPE_CHECKING:
    from discreet.agent._holdings import Holding


def check_heads(connection: Any, sql: Any, chain: Chain, rows: Sequence[tuple[Answer, str]]) -> None:
    """Raise DamagedError if rows are not those that were sealed."""
    ends: dict[str, tuple[int, str]] = {}
    for book, number, link, mark in connection.execute(sql.text("SELECT book, number, link, mark FROM discreet_heads")):
        if mark != digest(chain.key, b"head", book.encode(), str(number).encode(), link.encode()):
            raise DamagedError.of(f"the end of {named(book)} was changed")
        ends[book] = number, link
    books = ends.pop("", (-1, ""))[0]  # the head of all books
    if books != len(ends):
        raise DamagedError.of("the books in it are not those that were begun")
    chain.check(rows, ends)


def is_by_private(pin: Pin) -> bool:
    """Whether people were sorted by a private column before a public one."""
    roles = [column.role for column in pin.columns]
    return "private" in roles and "public" in roles[roles.index("private") :]


def reordering(
    rows: Sequence[Answer], pins: Mapping[str, Pin], holdings: Mapping[str, Holding], key_of: Callable[[Answer], str]
) -> dict[tuple[str, int], Answer]:
    """Rows about data sets that were in an order of private values, in the order that the agent holds people in now.

    The data must be those that are pinned; `key_of` says how a question is called in that order.
    """
    found = {}
    for answer in rows:
        dataset, columns, _ = book_of(answer.book)
        pin = pins.get(dataset)
        if pin is None or not is_by_private(pin):
            continue
        holding = holdings.get(dataset)
        if holding is None or not {*columns} <= {*holding.dataset.columns}:
            raise InputError(
                f"the ledger stores who is in a group of {dataset!r} in an order of private values, as discreet 0.1.0 did, and "
                "needs the data to store it in another: name them in agent.toml"
            )
        record = answer.record
        if record:
            record = _moved(record, holding.by_pin, len(columns))
        found[answer.book, answer.number] = replace(answer, key=key_of(answer), record=record)
    return found


def _moved(said: dict[str, Any], by_pin: IntArray, columns: int) -> dict[str, Any]:
    """A record whose members stand in other places, and their weights with them."""
    people = len(by_pin)
    places = np.concatenate(
        [by_pin + i * people for i in range(columns)]
    )  # columns that share a book, one after the other
    record = Record.from_dict(said, people * columns)
    members, weights = places[record.question.members], record.question.weights
    order = np.argsort(members)
    question = replace(record.question, members=members[order], weights=None if weights is None else weights[order])
    return replace(record, question=question).to_dict()
