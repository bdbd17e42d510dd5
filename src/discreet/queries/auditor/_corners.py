"""Corners of a system of slabs by the simplex method, for where interior points run out of digits.

Slabs that are a billion times thinner than others make the equations of the barrier useless long before an end is
reached. A linear program that is measured from a point inside, in units of each class and each slab, still has its
digits. Nothing rests on its tolerances: its point is drawn in until it is strictly inside, and its multipliers bound
the objective exactly whatever they are.
"""

from __future__ import annotations

import numpy as np

from discreet._typing import FloatArray
from discreet.queries.auditor._classes import System

SIZE = 30_000
"""Classes x rows up to which a linear program is solved: some hundredths of a second."""

SHARES = (1e-10, 1e-8, 1e-6, 1e-4, 1e-2)
"""How far a corner is drawn in towards the point inside: the least that helps."""

TOLERANCE = 1e-10


def strictly_inside(system: System, x: FloatArray) -> bool:
    """Whether x has room on all sides to be rounded to the grid."""
    sums = system.sums(x)
    low, high = system.inner
    return bool((x > 0).all() and (x < system.total).all() and (sums > low).all() and (sums < high).all())


def vertex(system: System, inside: FloatArray, objective: FloatArray) -> tuple[FloatArray | None, FloatArray] | None:
    """A point near the corner with the largest objective, None if there is none, and multipliers of the rows.

    None when the system is too large or the program has no answer.
    """
    if system.dense is None or not system.n_rows or system.n * system.n_rows > SIZE:
        return None
    from scipy.optimize import linprog

    sums, share = system.sums(inside), inside / system.total
    low, high = system.inner
    width = np.maximum(high - low, 1.0)
    table = system.dense * (system.total / width[:, None])
    cost = objective * system.total
    unit = float(np.abs(cost).max())
    solved = linprog(
        -cost / unit,
        A_ub=np.concatenate((table, -table)),
        b_ub=np.concatenate(((high - sums) / width, (sums - low) / width)),
        bounds=list(zip((-share).tolist(), (1 - share).tolist(), strict=True)),
        method="highs-ds",
        options={"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE},
    )
    if solved.x is None:
        return None
    up, down = np.split(-solved.ineqlin.marginals * unit, 2)
    corner = inside + solved.x * system.total
    drawn_in = (corner + back * (inside - corner) for back in SHARES)
    return next((point for point in drawn_in if strictly_inside(system, point)), None), (up - down) / width
