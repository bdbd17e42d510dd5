"""Exact hard frontiers on small alphabets: every Pareto-optimal pair of I(S;X̂) and I(X;X̂), with a policy for each.

Both are sums over blocks (SPEC 8), so a dynamic program over sets of letters may drop any partition of a set that another
partition of it dominates: 3^(n−1)/2 unions of a set with a block, each a merge of two sorted lists of labels.

Letters with equal p(s|x) stay apart: joining them costs a bottleneck's Lagrangian nothing, and so no supported point of
the frontier, but it does cost points between these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet._typing import IntArray, Problem
from discreet.release._hypervolume import non_dominated
from discreet.release._partitions import Listed, Partitions
from discreet.search._watch import Watch
from discreet.search.information._bounds import bound
from discreet.search.information._weights import Weights, information

LETTERS = 18
"""Alphabets up to which the proof is tried: each further letter takes four times as long."""

CHUNK = 64
"""Sets labelled between two looks at the clock."""

RESOLUTION = 1e-11
"""Bits: figures closer than this are equal."""


@dataclass(frozen=True, eq=False)
class ExactFrontier(Partitions):
    """The Pareto-optimal policies, finest first; or the best known where the proof was not finished.

    I(S;X̂) and I(X;X̂), in bits, are recomputed from the blocks; the bound is the leakage itself where ``proven``.

    Attributes
    ----------
    proven
        Whether these are all Pareto-optimal pairs (to 1e-11 bits a block).
    """

    proven: bool = field(kw_only=True)


def exact_frontier(
    weights: Weights,
    problem: Problem,
    *,
    at_least: float = 0.0,
    time_limit: float = 60.0,
    incumbents: Sequence[IntArray] = (),
    watch: Watch | None = None,
) -> ExactFrontier:
    """All Pareto-optimal hard policies.

    Parameters
    ----------
    problem
        "funnel" wants little I(S;X̂) and much I(X;X̂), "bottleneck" the reverse.
    at_least
        Weight that every block must have; a policy of one block is always allowed.
    time_limit
        Seconds by the clock. Sixteen letters take a few.
    incumbents
        Policies known already, returned (the non-dominated of them) where the proof is not finished. Those with a block
        below ``at_least`` are left out.
    watch
        When to stop, instead of the time limit.
    """
    found = _prove(weights, problem, at_least, watch or Watch(time_limit)) if weights.n <= LETTERS else None
    proven = found is not None
    if found is None:
        whole = np.zeros(weights.n, np.int64)
        found = [whole, *(np.asarray(each, np.int64) for each in incumbents)]
        found += [] if at_least > weights.of_letter.min() else [np.arange(weights.n)]
        found = [each for each in found if _least_weight(weights, each) >= min(at_least, weights.total)]
    figures = np.array([information(weights, each) for each in found])
    rounded = np.round(figures / RESOLUTION) * RESOLUTION
    kept = non_dominated(*rounded.T) if problem == "funnel" else non_dominated(*rounded.T[::-1])
    kept = kept[np.argsort(-figures[kept, 1], kind="stable")]
    leakage, utility = figures[kept, 0], figures[kept, 1]
    limit = leakage if proven else bound(weights, utility, problem)
    return ExactFrontier(leakage, utility, Listed.of([found[i] for i in kept]), limit, proven=proven)


def _least_weight(weights: Weights, block_of: IntArray) -> float:
    _, block = np.unique(block_of, return_inverse=True)
    return float(np.bincount(block, weights=weights.of_letter).min())


def _prove(weights: Weights, problem: Problem, at_least: float, watch: Watch) -> list[IntArray] | None:
    """The dynamic program; None when time runs out."""
    from discreet.search.information._exact_kernels import extend, subset_costs

    inside, whole, mass = subset_costs(weights.indptr, weights.indices, weights.weight, weights.n_s)
    if not (np.isfinite(inside).all() and np.isfinite(whole).all()):
        return None  # masses past what numbers can hold: nothing is proven
    sign = 1.0 if problem == "funnel" else -1.0
    allowed = mass >= at_least * (1 - 1e-12)
    full = (1 << weights.n) - 1
    allowed[full] = True
    costs = sign * (inside - whole), sign * whole  # N I(S;X̂) and −N I(X;X̂), up to constants
    start = np.zeros((full + 1, 2), np.int64)
    start[0, 1] = 1
    room, used = 1 << 14, 1
    value, block, previous = np.zeros((room, 2)), np.zeros(room, np.int64), np.zeros(room, np.int64)
    # Sets without the last letter, and then the whole alphabet.
    below = 1 << (weights.n - 1)
    low = 1
    while low <= full:
        if low >= below:
            low = full
        high = min(low + CHUNK, below) if low < below else full + 1
        if watch.over():
            return None
        reached, used = extend(
            *costs, allowed, RESOLUTION * weights.total, low, high, start, used, value, block, previous
        )
        if reached < high:
            value = np.concatenate((value, np.zeros_like(value)))
            block, previous = np.concatenate((block, block)), np.concatenate((previous, previous))
        low = reached
    return [_trace(weights.n, int(start[full, 0]) + i, block, previous) for i in range(start[full, 1])]


def _trace(n: int, label: int, block: IntArray, previous: IntArray) -> IntArray:
    """The partition behind a label."""
    block_of = np.zeros(n, np.int64)
    bits = np.int64(1) << np.arange(n)
    number = 0
    while label > 0:  # label 0 is the empty set's
        block_of[(block[label] & bits) != 0] = number
        number += 1
        label = int(previous[label])
    return block_of
