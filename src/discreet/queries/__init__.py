"""Deterministic answers to queries about a private data set [DQ], and the auditor of many such answers.

>>> from discreet.queries import Box, Mean, quantise
>>> q = quantise(Mean(), Box(100, 250, people=10), error=5)
>>> len(q.answers), q.answer([170.0] * 10), q.interval_left()
(15, 175.0, 100.0)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from discreet.queries.auditing_replies import Price, Reply
from discreet.queries.base import Query
from discreet.queries.curves import TradeOff, trade_off
from discreet.queries.domains import Box, Domain, FiniteSet, IntegerBox
from discreet.queries.quantising import QuantisedQuery, quantise
from discreet.queries.queries import Count, Function, Linear, Max, Mean, Min, Quantile, Sum, Variance
from discreet.queries.regions import Regions, regions

if TYPE_CHECKING:
    from discreet.queries.auditor import Auditor

__all__ = [
    "Auditor",
    "Box",
    "Count",
    "Domain",
    "FiniteSet",
    "Function",
    "IntegerBox",
    "Linear",
    "Max",
    "Mean",
    "Min",
    "Price",
    "Quantile",
    "QuantisedQuery",
    "Query",
    "Regions",
    "Reply",
    "Sum",
    "TradeOff",
    "Variance",
    "quantise",
    "regions",
    "trade_off",
]


def __getattr__(name: str) -> object:
    if name == "Auditor":  # loaded at first use: quantised answers do not need it
        return importlib.import_module("discreet.queries.auditor").Auditor
    raise AttributeError(f"module 'discreet.queries' has no attribute {name!r}")
