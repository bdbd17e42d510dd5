"""What an agent says of its data sets and of an answer, as plain values; and what would stop it from starting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.agent._chain import Chain
from discreet.agent._fingerprints import secret
from discreet.agent._head_witness import HeadWitness
from discreet.agent._holdings import Holding, load_all
from discreet.agent._journal import UNUSED, Head
from discreet.agent._ledger import Ledger, NoLedgerError
from discreet.agent._opening import NO_LEDGER, Opening
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.agent._config import Config
    from discreet.agent._rows import Answer


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


def described(holdings: Mapping[str, Holding]) -> list[dict[str, Any]]:
    """What can be asked about data sets: names, bounds and promises, no values."""
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
        for holding in holdings.values()
    ]


def examined(config: Config, written: Sequence[Head] = ()) -> tuple[list[dict[str, Any]], int | None, Head]:
    """Everything that would stop a start, found without writing anything: the data sets, the answers, the ledger's head.

    There is None instead of a number of answers where there is no ledger yet. `written` are heads that people have on paper.
    """
    ledger, path = None, Path(config.fingerprints)
    with suppress(NoLedgerError):
        ledger = None if is_new(config) else Ledger(config.ledger, read_only=True)
    if ledger is None:
        if path.exists():
            _refuse_lost(config, Chain(secret(path)).mark)
        return described(load_all(config.datasets)), None, UNUSED
    try:
        holdings = load_all(config.datasets, ledger.orders())
        if ledger.has_key() or path.exists():
            key = secret(path)
            witnesses = ledger.watched_by(config.places, key)
            ledger.use_key(key, Opening(witnesses, written))
            for holding in holdings.values():
                ledger.pin(holding.pin(key))
        return described(holdings), ledger.totals()[0], ledger.head
    finally:
        ledger.close()


def _refuse_lost(config: Config, mark: str) -> None:
    """Refuse a ledger that is not there where its key may have sealed one."""
    witnesses = [HeadWitness(place, mark, read_only=True) for place in config.places]
    seen = [witness.read() for witness in witnesses]
    for witness in witnesses:
        witness.close()
    if seen[0] != UNUSED or any(at is not None and at.number for at in seen):
        raise InputError(NO_LEDGER)


def is_new(config: Config) -> bool:
    """Whether the ledger is a file that is not there yet."""
    return config.ledger.startswith("sqlite:///") and not Path(config.ledger.removeprefix("sqlite:///")).exists()
