"""Blackwell's order of two releases: whether one tells every adversary at least as much as the other, with evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import FloatArray
from discreet.errors import InputError, MeasureError
from discreet.measures._gain import vulnerability
from discreet.measures._pmf import p_s

if TYPE_CHECKING:
    from discreet.joint._joint import Joint

_CELLS = 250_000  # of the channel that is looked for
_EQUAL = 1e-8  # channels that differ by less, summed over a row, are the same: solvers drop coefficients below 1e-9
_ROUNDS = 4  # of refinement: each gains what the solver's tolerance leaves


@dataclass(frozen=True, eq=False)
class Comparison:
    """Whether one release is never worse than another, with the evidence for either answer.

    Where it holds, `garbling` makes the second release out of the first: no adversary, whatever his goal, prefers the second.
    Where it does not, `gain` is a gain matrix of an adversary who wins more from the second; `margin` says how much.
    """

    holds: bool
    garbling: FloatArray | None
    gain: FloatArray | None
    margin: float


def dominates(first: Joint, second: Joint) -> Comparison:
    """Whether the first release tells at least as much as the second, to every adversary (Blackwell's order).

    By a linear program over channels from the first's X to the second's; where there is none, its dual is a goal at which
    the second release is better. Both need the same S with the same distribution. Where both release every s as one x only,
    the first must refine the second: nothing is solved, at any size.

    Examples
    --------
    >>> from discreet import Joint
    >>> fine = Joint.from_array([[3, 1, 0], [0, 1, 3]])
    >>> coarse = fine.coarsen([(0, 1), (2,)])
    >>> dominates(fine, coarse).holds, dominates(coarse, fine).holds
    (True, False)
    """
    if first.s != second.s or not np.allclose(p_s(first), p_s(second), rtol=0, atol=1e-9):
        raise InputError("two releases are compared about the same sensitive values, equally often in both")
    if _is_deterministic(first) and _is_deterministic(second):
        return _refines(first, second)
    n_x, n_y = first.n_x, second.n_x
    if n_x * n_y > _CELLS:
        raise MeasureError(f"{n_x} against {n_y} values are too many to compare: coarsen first")
    # Of the channels p(x|s), not of p(s, x): the order is the same, and rare s are not lost in a solver's tolerance.
    one, other = first.pmf.toarray() / p_s(first)[:, None], second.pmf.toarray() / p_s(second)[:, None]
    garbling, prices = _nearest(one, other)
    if _apart(one @ garbling, other) <= _EQUAL:
        return Comparison(True, garbling, None, 0.0)
    gain = (prices / p_s(first)[:, None]).T
    gain /= max(float(np.abs(gain).max()), 1e-300)
    margin = vulnerability(second, gain).after - vulnerability(first, gain).after
    noise = 1e-14 * float((np.abs(gain) @ p_s(first)).max())
    if margin <= noise:
        raise MeasureError("the two releases are too close to tell which one tells more")
    return Comparison(False, None, gain, margin)


def _nearest(one: FloatArray, other: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The channel G for which `one` G is nearest to `other`, and the prices of the distances that are left.

    A solver's answer is within its tolerance. What it leaves is solved again, enlarged, until the answer is as near as numbers
    can say (iterative refinement).
    """
    (n_s, n_x), n_y = one.shape, other.shape[1]
    equal = _program(one, n_y)
    cost = np.concatenate([np.zeros(n_x * n_y), np.ones(2 * n_s * n_y)])
    garbling, scale = np.zeros((n_x, n_y)), 1.0
    for _ in range(_ROUNDS):
        left = other - one @ garbling
        due = np.concatenate([scale * left.ravel(), scale * (1.0 - garbling.sum(axis=1))])
        least = np.concatenate([-scale * garbling.ravel(), np.zeros(2 * n_s * n_y)])
        step, marginals = _solved(cost, equal, due, least)
        prices = marginals[: n_s * n_y].reshape(n_s, n_y)
        garbling = np.clip(garbling + step[: n_x * n_y].reshape(n_x, n_y) / scale, 0.0, None)
        garbling /= garbling.sum(axis=1, keepdims=True)
        proven = float(np.sum(prices * other) - (one.T @ prices).max(axis=1).sum())
        apart = _apart(one @ garbling, other)
        if apart <= _EQUAL or proven > _EQUAL:
            break
        scale = 1.0 / apart
    return garbling, prices


def _apart(one: FloatArray, other: FloatArray) -> float:
    """How far apart two channels are at the most, over s."""
    return float(np.abs(one - other).sum(axis=1).max())


def _program(one: FloatArray, n_y: int) -> Any:
    """The rows of the program: what G[x, y] makes of `one`, distances either way, and G's rows, each summing to one."""
    from scipy import sparse

    n_s, n_x = one.shape
    made = sparse.kron(sparse.csr_array(one), sparse.eye_array(n_y), format="csr")
    apart = sparse.eye_array(n_s * n_y, format="csr")
    rows = sparse.kron(sparse.eye_array(n_x), np.ones((1, n_y)), format="csr")
    nothing = sparse.csr_array((n_x, 2 * n_s * n_y))
    return sparse.vstack([sparse.hstack([made, apart, -apart]), sparse.hstack([rows, nothing])], format="csr")


def _solved(cost: FloatArray, equal: Any, due: FloatArray, least: FloatArray) -> tuple[FloatArray, FloatArray]:
    from scipy.optimize import linprog

    bounds: Any = np.stack([least, np.full(len(least), np.inf)], axis=1)
    tight = 1e-10
    found = linprog(
        cost,
        A_eq=equal,
        b_eq=due,
        bounds=bounds,
        method="highs",
        options={"primal_feasibility_tolerance": tight, "dual_feasibility_tolerance": tight},
    )
    if found.status != 0 or found.x is None:
        raise MeasureError("the comparison of the two releases could not be solved")
    return found.x, found.eqlin.marginals


def _is_deterministic(joint: Joint) -> bool:
    """Whether every s was seen with a single x."""
    return int(joint.counts.nnz) == joint.n_s


def _refines(first: Joint, second: Joint) -> Comparison:
    """The order of two partitions of S: whether values that the first joins are joined by the second."""
    one, other = np.empty(first.n_s, dtype=np.int64), np.empty(first.n_s, dtype=np.int64)
    one[first.counts.indices], other[second.counts.indices] = first.x_of_pair, second.x_of_pair
    met = np.unique(one * second.n_x + other)  # blocks that have a value in common
    if len(met) == first.n_x:
        garbling = np.zeros((first.n_x, second.n_x))
        garbling[met // second.n_x, met % second.n_x] = 1.0
        return Comparison(True, garbling, None, 0.0)
    # Somebody who is paid for naming the second's block is always right there, and not always here.
    gain = (other == np.arange(second.n_x)[:, None]).astype(np.float64)
    return Comparison(False, None, gain, 1.0 - vulnerability(first, gain).after)
