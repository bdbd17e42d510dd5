"""The optimum of a tiny problem by every basis of [SP, Algorithm 1] and the LP of [SP, (17)], for comparison."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog

from discreet._typing import FloatArray


@dataclass(frozen=True, eq=False)
class Solved:
    """Of the form of the package's solutions."""

    information: float
    upper_bound: float
    residual: float
    channel: FloatArray
    p_y: FloatArray
    vertices: int = 0


def bits(p: FloatArray) -> float:
    """Entropy."""
    flat = np.asarray(p).ravel()
    flat = flat[flat > 0]
    return float(-(flat * np.log2(flat)).sum())


def leak_of(p: FloatArray, channel: FloatArray, group: Sequence[int]) -> float:
    """I(X_g;Y) as H(X_g) + H(Y) − H(X_g, Y), by a route of its own."""
    others = tuple(i for i in range(p.ndim) if i not in group)
    joint = (p[..., None] * channel).sum(axis=others)
    return bits(joint.sum(axis=-1)) + bits(joint.reshape(-1, joint.shape[-1]).sum(axis=0)) - bits(joint)


def incidence(p: FloatArray, private: Sequence[Sequence[int]]) -> FloatArray:
    """P of [SP, (3)], dense, on the support."""
    points = [x for x in itertools.product(*map(range, p.shape)) if p[x] > 0]
    rows = [
        [float(tuple(x[i] for i in group) == value) for x in points]
        for group in private
        for value in itertools.product(*(range(p.shape[i]) for i in group))
    ]
    return np.array(rows)


def extreme_points(matrix: FloatArray, target: FloatArray) -> FloatArray:
    """Vertices of {t ≥ 0: matrix t = target}, one a row."""
    _, singular, right = np.linalg.svd(matrix)
    rank = int((singular > 1e-9).sum())
    rows = right[:rank]
    goal = rows @ np.linalg.lstsq(matrix, target, rcond=None)[0]
    found: dict[tuple[float, ...], FloatArray] = {}
    for basis in itertools.combinations(range(matrix.shape[1]), rank):
        block = rows[:, basis]
        if abs(np.linalg.det(block)) < 1e-10:
            continue
        values = np.linalg.solve(block, goal)
        if values.min() > -1e-12:
            vertex = np.zeros(matrix.shape[1])
            vertex[list(basis)] = values.clip(0)
            found.setdefault(tuple(np.round(vertex, 9)), vertex)
    return np.array(list(found.values()))


def split(p: FloatArray, vertices: FloatArray, latent: FloatArray) -> tuple[float, FloatArray]:
    """The best weights of the vertices, and I(W;Y); latent has one row a letter of p."""
    cost = np.array([bits(latent.T @ v) for v in vertices])
    tight: Any = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(cost, A_eq=vertices.T, b_eq=p, method="highs", options=tight)
    assert found.fun is not None, found.message
    return bits(latent.T @ p) - float(found.fun), np.asarray(found.x)


def solve(
    p: FloatArray, latent: FloatArray | None = None, private: Sequence[Sequence[int]] | None = None, **_: Any
) -> Solved:
    """The optimum of a tiny problem."""
    groups = private if private is not None else [(i,) for i in range(p.ndim)]
    seen = p.ravel() > 0
    mass = p.ravel()[seen]
    given = np.eye(p.size)[seen] if latent is None else latent.reshape(p.size, -1)[seen]
    matrix = incidence(p, groups)
    vertices = extreme_points(matrix, matrix @ mass)
    value, weights = split(mass, vertices, given)
    kept = weights > 1e-12
    p_y = weights[kept] / weights[kept].sum()
    channel = np.tile(p_y, (p.size, 1))
    joint = (vertices[kept] * p_y[:, None]).T
    channel[seen] = joint / joint.sum(axis=1, keepdims=True)
    channel = channel.reshape(*p.shape, len(p_y))
    residual = max(leak_of(p, channel, g) for g in groups)
    return Solved(value, value, residual, channel, p_y, len(vertices))
