"""The stochastic counterpart: privacy funnel and information bottleneck by clustering [PF].

min I(S;X̂) − λ I(X;X̂) over partitions (funnel), or its negative (bottleneck); and the same merging for other leakages of
the pmf.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from discreet.search.information._weights import Weights, information, weights_of

if TYPE_CHECKING:
    from discreet.search.information._dendrogram import Dendrogram, dendrogram
    from discreet.search.information._iac_mdsf import MergePath, iac_mdsf
    from discreet.search.information._mdsf import Descent, Difference, modular_modular, step_difference
    from discreet.search.information._pairwise import pairwise
    from discreet.search.information._submodular import minimise
    from discreet.search.information._theorem import Merges

# The algorithms themselves, for those who study them; loaded at first use.
_WHERE = {
    "Dendrogram": "_dendrogram",
    "Descent": "_mdsf",
    "Difference": "_mdsf",
    "MergePath": "_iac_mdsf",
    "Merges": "_theorem",
    "dendrogram": "_dendrogram",
    "iac_mdsf": "_iac_mdsf",
    "minimise": "_submodular",
    "modular_modular": "_mdsf",
    "pairwise": "_pairwise",
    "step_difference": "_mdsf",
}

__all__ = [
    "Dendrogram",
    "Descent",
    "Difference",
    "MergePath",
    "Merges",
    "Weights",
    "dendrogram",
    "iac_mdsf",
    "information",
    "minimise",
    "modular_modular",
    "pairwise",
    "step_difference",
    "weights_of",
]


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module 'discreet.search.information' has no attribute {name!r}")
    return getattr(importlib.import_module(f"discreet.search.information.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
