"""What an agent says of its data sets and of an answer, as plain values; and what would stop it from starting."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.agent._fingerprints import secret
from discreet.agent._holdings import Holding, load_all
from discreet.agent._ledger import Ledger, NoLedgerError

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


def examined(config: Config) -> tuple[list[dict[str, Any]], int | None]:
    """Everything that would stop a start, found without writing anything: the data sets, and how many answers were given.

    None where there is no ledger yet.
    """
    ledger = None
    with suppress(NoLedgerError):
        ledger = None if is_new(config) else Ledger(config.ledger, read_only=True)
    if ledger is None:
        return described(load_all(config.datasets)), None
    try:
        holdings = load_all(config.datasets, ledger.orders())
        if ledger.has_key():
            key = secret(Path(config.fingerprints), make=False)
            ledger.use_key(key)
            for holding in holdings.values():
                ledger.pin(holding.pin(key))
        return described(holdings), ledger.totals()[0]
    finally:
        ledger.close()


def is_new(config: Config) -> bool:
    """Whether the ledger is a file that is not there yet."""
    return config.ledger.startswith("sqlite:///") and not Path(config.ledger.removeprefix("sqlite:///")).exists()
