"""Perfect sample privacy the slow way: every choice of columns, one dense linear program, logarithms one at a time.

Nothing here comes from the package, so that agreement means something.
"""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linprog

from discreet._typing import FloatArray

if TYPE_CHECKING:
    from collections.abc import Sequence


def constraint_rows(p: FloatArray, groups: Sequence[Sequence[int]]) -> tuple[FloatArray, list[tuple[int, ...]]]:
    """All marginal indicators on the support, dependent rows and all; and the support's cells."""
    cells = [cell for cell in product(*(range(size) for size in p.shape)) if p[cell] > 0]
    rows = [[1.0] * len(cells)]
    for group in groups:
        for value in product(*(range(p.shape[i]) for i in group)):
            rows += [[float(tuple(cell[i] for i in group) == value) for cell in cells]]
    return np.array(rows), cells


def all_vertices(p: FloatArray, groups: Sequence[Sequence[int]]) -> FloatArray:
    """Every vertex of {u ≥ 0 : A u = A p}, one per row, by trying every basis."""
    rows, cells = constraint_rows(p, groups)
    weights = np.array([p[cell] for cell in cells])
    rank = int(np.linalg.matrix_rank(rows))
    found: dict[tuple[int, ...], FloatArray] = {}
    for chosen in combinations(range(len(cells)), rank):
        columns = rows[:, chosen]
        if np.linalg.matrix_rank(columns) < rank:
            continue
        masses = np.linalg.lstsq(columns, rows @ weights, rcond=None)[0]
        if masses.min() < -1e-9:
            continue
        point = np.zeros(len(cells))
        point[list(chosen)] = masses
        found[tuple(int(i) for i in np.flatnonzero(point > 1e-9))] = point
    return np.array(list(found.values()))


def bits(pmf: Sequence[float]) -> float:
    """Entropy."""
    return -sum(v * math.log2(v) for v in pmf if v > 0)


def best_information(p: FloatArray, latent: FloatArray | None, groups: Sequence[Sequence[int]]) -> float:
    """I_s(W, Xⁿ) in bits: all vertices, then one linear program over them."""
    _, cells = constraint_rows(p, groups)
    weights = np.array([p[cell] for cell in cells])
    given = np.eye(len(cells)) if latent is None else np.array([latent[cell] for cell in cells])
    points = all_vertices(p, groups)
    costs = [bits((point @ given).tolist()) for point in points]
    solved = linprog(
        costs,
        A_eq=points.T,
        b_eq=weights,
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert solved.status == 0
    assert solved.fun is not None
    return bits((weights @ given).tolist()) - float(solved.fun)


def information_of(p: FloatArray, latent: FloatArray | None, channel: FloatArray) -> float:
    """I(W;Y) of a channel over the full array."""
    joint = (p[..., None] * channel).reshape(-1, channel.shape[-1])
    if latent is not None:
        joint = latent.reshape(-1, latent.shape[-1]).T @ joint
    return bits(joint.sum(1).tolist()) + bits(joint.sum(0).tolist()) - bits(joint.ravel().tolist())


def leak_of(p: FloatArray, groups: Sequence[Sequence[int]], channel: FloatArray) -> float:
    """The largest distance of p(x_g, y) from p(x_g) p(y), any cell: 0 for a private channel."""
    worst = 0.0
    for group in groups:
        others = tuple(i for i in range(p.ndim) if i not in group)
        joint = (p[..., None] * channel).sum(axis=others)
        apart = joint - joint.sum(axis=-1, keepdims=True) * joint.sum(axis=tuple(range(len(group))))
        worst = max(worst, float(np.abs(apart).max()))
    return worst
