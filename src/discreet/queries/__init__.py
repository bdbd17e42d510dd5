"""Deterministic answers to queries about a private data set [DQ], and the auditor of many such answers.

>>> from discreet.queries import Box, Mean, quantise
>>> q = quantise(Mean(), Box(100, 250, people=10), error=5)
>>> len(q.answers), q.answer([170.0] * 10), q.interval_left()
(15, 175.0, 100.0)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from discreet.queries._aggregates import Count, Function, Linear, Max, Mean, Min, Quantile, Sum, Variance
from discreet.queries._domains import Box, Domain, FiniteSet, IntegerBox
from discreet.queries._pictures import Regions, regions
from discreet.queries._quantised import QuantisedQuery
from discreet.queries._quantising import TradeOff, quantise, trade_off
from discreet.queries._query import Query

if TYPE_CHECKING:
    from discreet.queries.auditor import Auditor, CategoryAuditor, Price, Reply

__all__ = [
    "Auditor",
    "Box",
    "CategoryAuditor",
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
    if name in (
        "Auditor",
        "CategoryAuditor",
        "Price",
        "Reply",
    ):  # loaded at first use: quantised answers do not need them
        return getattr(importlib.import_module("discreet.queries.auditor"), name)
    raise AttributeError(f"module 'discreet.queries' has no attribute {name!r}")
