"""discreet: publish data about people truthfully, without noise.

A table becomes a joint (how often each s was seen with each x). A measure is a function of a joint.
A policy coarsens x. A frontier is all the policies worth having.

>>> import discreet as dc
>>> joint = dc.Joint.from_pairs([("flu", "young"), ("cold", "young"), ("cold", "old")])
>>> dc.measures.worst_case_leakage(joint)
1.0
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet import datasets, measures, queries, sample_privacy, tables, testing
    from discreet.auditing._audit import Audit
    from discreet.auditing._measuring import audit
    from discreet.columns import ColumnType
    from discreet.errors import DiscreetError
    from discreet.joint._joint import Joint
    from discreet.recipe import Recipe
    from discreet.release._channels import Channel
    from discreet.release._frontier import Frontier
    from discreet.release._policy import Policy
    from discreet.release._publishing import publish
    from discreet.search import frontier
    from discreet.search.tables import Generalisation, generalise, release_on_cluster

__version__ = "0.1.0"

# Loaded at first use, so that `import discreet` and `discreet --help` cost nothing.
_WHERE = {
    "Audit": "discreet.auditing",
    "Channel": "discreet.release",
    "ColumnType": "discreet.columns",
    "DiscreetError": "discreet.errors",
    "Frontier": "discreet.search",  # with the engines that saved frontiers name
    "Generalisation": "discreet.search.tables",
    "Joint": "discreet.joint",
    "Policy": "discreet.release",
    "Recipe": "discreet.recipe",
    "audit": "discreet.auditing",
    "frontier": "discreet.search",
    "generalise": "discreet.search.tables",
    "publish": "discreet.release",
    "release_on_cluster": "discreet.search.tables",
}
_MODULES = ("datasets", "measures", "queries", "sample_privacy", "tables", "testing")

__all__ = [
    "Audit",
    "Channel",
    "ColumnType",
    "DiscreetError",
    "Frontier",
    "Generalisation",
    "Joint",
    "Policy",
    "Recipe",
    "audit",
    "datasets",
    "frontier",
    "generalise",
    "measures",
    "publish",
    "queries",
    "release_on_cluster",
    "sample_privacy",
    "tables",
    "testing",
]


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return importlib.import_module(f"discreet.{name}")
    if name in _WHERE:
        value = getattr(importlib.import_module(_WHERE[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'discreet' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULES, *_WHERE])
