"""What a transcript leaves to each person, found independently: by linear programs, or by trying every data set."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

Told = tuple[Sequence[int] | npt.NDArray[np.int64], tuple[float, float]]
"""Members and the cell of their sum."""


def intervals_left(lower: npt.ArrayLike, upper: npt.ArrayLike, told: Iterable[Told]) -> npt.NDArray[np.float64]:
    """(n, 2): the least and the greatest value of each person, by a linear program each, over closed cells."""
    low, high = np.asarray(lower, float), np.asarray(upper, float)
    rows, ends = [], []
    for members, (first, last) in told:
        row = np.zeros(len(low))
        row[np.asarray(members)] = 1
        rows += [row, -row]
        ends += [last, -first]
    out = np.empty((len(low), 2))
    for person, side in itertools.product(range(len(low)), (0, 1)):
        cost = np.zeros(len(low))
        cost[person] = 1 - 2 * side
        solved = linprog(
            cost, A_ub=np.reshape(rows, (-1, len(low))), b_ub=np.array(ends), bounds=list(zip(low, high, strict=True))
        )
        assert solved.status == 0 and solved.x is not None, solved.message
        out[person, side] = solved.x[person]
    return out


def whole_values_left(n: int, told: Iterable[Told]) -> npt.NDArray[np.int64]:
    """All 0/1 data sets of n people that fit, one a line; both ends of a cell are included."""
    every = np.array(list(itertools.product((0, 1), repeat=n)), np.int64)
    for members, (first, last) in told:
        sums = every[:, np.asarray(members)].sum(axis=1)
        every = every[(sums >= first - 1e-9) & (sums <= last + 1e-9)]
    return every


def recorded_values_left(steps: int, n: int, told: Sequence[Told], nodes: int = 100_000) -> npt.NDArray[np.float64]:
    """(n, 2): the least and the greatest whole number in 0..steps of each person, by an integer program each."""
    rows = [np.isin(np.arange(n), members).astype(float) for members, _ in told]
    ends = np.array([cell for _, cell in told]).reshape(-1, 2)
    limits = LinearConstraint(np.reshape(rows, (-1, n)), np.ceil(ends[:, 0] - 1e-6), np.floor(ends[:, 1] + 1e-6))
    out = np.empty((n, 2))
    for person, side in itertools.product(range(n), (0, 1)):
        cost = np.zeros(n)
        cost[person] = 1 - 2 * side
        solved = milp(
            cost,
            integrality=np.ones(n, np.int64),
            bounds=Bounds(0, steps),
            constraints=limits,
            options={"node_limit": nodes, "mip_rel_gap": 0},
        )
        assert solved.x is not None, solved.message
        out[person, side] = round(solved.x[person])
    return out
