"""What no policy can beat: proven bounds on the funnel's and the bottleneck's frontiers at every utility (SPEC 8).

Three arguments, each strongest somewhere:

* **Base.** I(X;X̂) − I(S;X̂) = I(X;X̂|S) lies between 0 and H(X|S), and I(S;X̂) ≤ I(S;X). Soft policies too.
* **Coupled copies** (bottleneck; soft policies too): `coupled_copies`.
* **Counted blocks** (funnel; hard policies only): `counted_blocks`.

The base meets the true frontier at both ends, u = 0 and u = H(X), and so does everything here. All bounds are monotone
in u. A funnel's bound is convex and a bottleneck's concave, so none can follow the steps of a hard frontier.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from discreet._typing import FloatArray, Problem
from discreet.search.information._counted_blocks import least_lagrangians
from discreet.search.information._coupled_copies import copy_entropies
from discreet.search.information._weights import Weights

Line = tuple[float, float]
"""Slope and intercept of a bound on I(S;X̂) as a function of I(X;X̂)."""

_LINES: WeakKeyDictionary[Weights, dict[Problem, list[Line]]] = WeakKeyDictionary()
"""What was proven of a joint: a frontier asks for its bound once, and again for every policy that it lands on."""


def bound(
    weights: Weights,
    utility: FloatArray,
    problem: Problem,
    *,
    soft: bool = False,
) -> FloatArray:
    """What I(S;X̂) cannot pass at each utility u, in bits.

    Parameters
    ----------
    utility
        Values u of I(X;X̂), in bits; those outside [0, H(X)] are moved to the nearer end.
    problem
        "funnel": the least I(S;X̂) of any policy with I(X;X̂) ≥ u is at least this. "bottleneck": the most I(S;X̂) of
        any policy with I(X;X̂) ≤ u is at most this.
    soft
        Whether the bound must hold for random p(x̂|x) too. The funnel's counting argument does not.

    Returns
    -------
    FloatArray
        One bound per utility, in bits.
    """
    u = np.clip(np.asarray(utility, np.float64), 0.0, weights.entropy)
    found = base_bound(weights, u, problem)
    if problem == "bottleneck":
        for slope, intercept in _lines(weights, problem):
            found = np.minimum(found, intercept + slope * u)
        return np.maximum(found, 0.0)
    for slope, intercept in () if soft else _lines(weights, problem):
        found = np.maximum(found, intercept + slope * u)
    return np.minimum(found, weights.leakage)


def base_bound(weights: Weights, utility: FloatArray, problem: Problem) -> FloatArray:
    """SPEC 8's: I(S;X̂) ≥ I(X;X̂) − H(X|S) for the funnel, I(S;X̂) ≤ min(I(X;X̂), I(S;X)) for the bottleneck; in bits, O(nnz)."""
    u = np.clip(utility, 0.0, weights.entropy)
    if problem == "bottleneck":
        return np.minimum(u, weights.leakage)
    return np.clip(u - (weights.entropy - weights.leakage), 0.0, weights.leakage)


def _lines(weights: Weights, problem: Problem) -> list[Line]:
    """The proven lines beyond the base bound."""
    known = _LINES.setdefault(weights, {})
    if problem not in known:
        if problem == "funnel":
            known[problem] = least_lagrangians(weights)
        else:
            entropies = copy_entropies(weights)
            known[problem] = [(1 / m, weights.entropy_of_s - entropy / m) for m, entropy in entropies.items()]
    return known[problem]
