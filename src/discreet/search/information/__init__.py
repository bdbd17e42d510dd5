"""The stochastic counterpart: privacy funnel and information bottleneck by clustering [PF].

min I(S;X̂) − λ I(X;X̂) over partitions (funnel), or its negative (bottleneck); and the same merging for other leakages of
the pmf.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import InputError
from discreet.release._frontier import Frontier
from discreet.release._points import Setting
from discreet.search.information._weights import Weights

if TYPE_CHECKING:
    from discreet._typing import IntArray, Progress
    from discreet.joint._joint import Joint
    from discreet.search.information._dendrogram import Dendrogram, dendrogram
    from discreet.search.information._iac_mdsf import MergePath, iac_mdsf
    from discreet.search.information._mdsf import Descent, Difference, modular_modular, step_difference
    from discreet.search.information._pairwise import pairwise
    from discreet.search.information._submodular import minimise
    from discreet.search.information._theorem import Merges
    from discreet.search.information._weights import information
    from discreet.tables._labels import Label

# The algorithms themselves, for those who study them; loaded at first use.
_WHERE = {
    "Dendrogram": "_dendrogram",
    "Descent": "_mdsf",
    "Difference": "_mdsf",
    "MergePath": "_iac_mdsf",
    "Merges": "_theorem",
    "dendrogram": "_dendrogram",
    "iac_mdsf": "_iac_mdsf",
    "information": "_weights",
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
    "frontier",
    "iac_mdsf",
    "information",
    "minimise",
    "modular_modular",
    "pairwise",
    "step_difference",
    "weights_of",
]


def frontier(
    joint: Joint,
    leakage: str,
    method: str,
    problem: str,
    *,
    words: Callable[[IntArray], tuple[Label, ...]],
    at_least: int = 0,
    has_hierarchy: bool = False,
    time_limit: float = 60.0,
    seed: int = 0,
    progress: Progress | None = None,
) -> Frontier:
    """Every policy worth having between a leakage of the pmf and I(X;X̂). See `discreet.frontier`."""
    from discreet.release._promises import measured
    from discreet.search.information import _engines as engines

    started = time.perf_counter()
    weights = weights_of(joint, leakage)
    if joint.has_side or has_hierarchy:
        what = "side information" if joint.has_side else "a hierarchy"
        raise InputError(f"leakage {leakage!r} does not take {what}: use leakage 'L0'")
    if method not in engines.METHODS:
        raise InputError(f"method {method!r} is not for leakage {leakage!r}: use {', '.join(engines.METHODS)}")
    if leakage != "I" and (problem != "funnel" or method != "auto"):
        raise InputError(f"leakage {leakage!r} is offered as a funnel, by method auto")
    if at_least and method in ("iac-mdsf", "pairwise"):
        raise InputError(f"method {method!r} is the paper's and knows no at_least: use method auto or exact")
    if at_least > weights.total:
        raise InputError(f"no block can have {at_least} records: the table has {weights.total:g}")
    setting = Setting(
        joint=joint,
        leakage=leakage,
        utility="information",
        codewords=words,
        unit=weights.entropy,
        worst=0.0,
        problem=problem,
        at_least=int(at_least),
        most=weights.leakage if leakage == "I" else measured(joint, leakage)[leakage],
    )
    task = engines.Task(weights, setting, seed, time_limit, progress)
    found = engines.METHODS[method](task) if leakage == "I" else engines.by_other_leakage(task)
    return found.timed(time.perf_counter() - started)


def weights_of(joint: Joint, leakage: str = "I") -> Weights:
    """The counts of a joint by letter."""
    if not joint.has_counts:
        raise InputError(
            f"leakage {leakage!r} weighs values by how often they occur, and this joint has only a support: build it from "
            "counts, or use leakage 'L0' or 'I*'"
        )
    counts = joint.counts
    return Weights(
        counts.indptr.astype(np.int64), counts.indices.astype(np.int32), counts.data.astype(np.float64), joint.n_s
    )


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module 'discreet.search.information' has no attribute {name!r}")
    return getattr(importlib.import_module(f"discreet.search.information.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
