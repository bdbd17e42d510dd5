"""The logarithmic barrier of a system of slabs: its scaling at a point, its centre, and steps towards an extreme.

With H the Hessian of  -sum log x - sum log(total - x) - sum log(s - low) - sum log(high - s),  s = A x,  every H^-1 g is
one solve with a matrix as large as the number of rows (Woodbury) or of classes, and one pass over the weights to build it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.queries.auditor._classes import System, dot

NEWTON_WORK = 1e8
"""Elementary steps that centring may take, and so the number of Newton steps; not fewer than FEWEST, nor more than MOST."""
FEWEST, MOST = 3, 15

CENTRED = 0.05
"""The squared Newton decrement of a point that is near enough to the centre."""

RIDGE = 1e-14
"""Added to the unit diagonal of a scaled matrix before it is factorised."""

Solve = Callable[[FloatArray], FloatArray]


def solver(matrix: FloatArray) -> Solve | None:
    """Solves with a positive definite matrix; None when it is not one numerically."""
    from scipy.linalg.lapack import dpotrf, dpotrs

    if not len(matrix):
        return lambda right: right
    diagonal = matrix.diagonal()
    if not (diagonal > 0).all() or not np.isfinite(diagonal).all():
        return None
    scale = 1 / np.sqrt(diagonal)
    scaled = matrix * scale[:, None]
    scaled *= scale
    scaled.flat[:: len(scaled) + 1] += RIDGE
    factor, failed = dpotrf(scaled.T, lower=1, clean=0, overwrite_a=1)
    if failed:
        return None

    def solve(right: FloatArray) -> FloatArray:
        scaled_right = (right.T * scale).T
        return np.asarray((dpotrs(factor, scaled_right, lower=1)[0].T * scale).T.reshape(right.shape))

    return solve


@dataclass(frozen=True, eq=False)
class Normal:
    """Solves  H dx = gx + A^T gs  for H = diag(1/theta) + A^T diag(1/diagonal) A, by the smaller of two matrices."""

    system: System
    theta: FloatArray
    diagonal: FloatArray
    by_rows: bool
    solve: Solve

    @classmethod
    def of(cls, system: System, theta: FloatArray, diagonal: FloatArray) -> Normal | None:
        """None when numbers run out."""
        by_rows = system.dense is None or system.n_rows <= system.n
        solve = solver(system.gram(theta, diagonal) if by_rows else system.hessian(theta, diagonal))
        return None if solve is None else cls(system, theta, diagonal, by_rows, solve)

    def __call__(self, gx: FloatArray, gs: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """dx, ds = A dx, and y with ds = diagonal (y + gs), dx = theta (gx - A^T y)."""
        if self.by_rows:
            y = self.solve(self.system.sums(self.theta * gx) - self.diagonal * gs)
            return self.theta * (gx - self.system.pull(y)), self.diagonal * (y + gs), y
        dx = self.solve(gx + self.system.pull(gs))
        ds = self.system.sums(dx)
        return dx, ds, ds / self.diagonal - gs

    def columns(self, classes: IntArray) -> tuple[FloatArray, FloatArray]:
        """H^-1 e_c for each of these classes, a column each, and what it does to the rows."""
        gx = np.zeros((self.system.n, len(classes)))
        gx[classes, np.arange(len(classes))] = self.theta[classes] if self.by_rows else 1.0
        if self.by_rows:
            y = self.solve(self.system.sums(gx))
            return gx - self.theta[:, None] * self.system.pull(y), self.diagonal[:, None] * y
        dx = self.solve(gx)
        return dx, self.system.sums(dx)


@dataclass(frozen=True, eq=False)
class Scaling:
    """The barrier at an interior point."""

    system: System
    x: FloatArray
    sums: FloatArray
    normal: Normal

    @classmethod
    def at(cls, system: System, x: FloatArray) -> Scaling | None:
        """None when x is not strictly inside with room to be rounded to the grid, or numbers run out."""
        sums = system.sums(x)
        low, high = system.inner
        if not system.strictly_inside(x, sums):
            return None
        theta = 1 / (x**-2.0 + (system.total - x) ** -2.0)
        normal = Normal.of(system, theta, 1 / ((sums - low) ** -2.0 + (high - sums) ** -2.0))
        return None if normal is None else cls(system, x, sums, normal)

    def newton(self) -> tuple[FloatArray, FloatArray, float]:
        """The Newton step towards the centre, what it does to the rows, and the squared decrement."""
        low, high = self.system.inner
        gx = 1 / self.x - 1 / (self.system.total - self.x)
        gs = 1 / (self.sums - low) - 1 / (high - self.sums)
        dx, ds, _ = self.normal(gx, gs)
        return dx, ds, dot(gx, dx) + dot(gs, ds)

    def longest(self, dx: FloatArray, ds: FloatArray) -> float:
        """How far a direction may be followed."""
        from discreet.queries.auditor._slab_kernels import longest_step

        return float(longest_step(self.x, self.system.total, dx, self.sums, *self.system.inner, ds))

    def pushed(self, weights: FloatArray, share: float) -> FloatArray:
        """The point reached by going this share of the way to the boundary along H^-1 f, f given by its weights."""
        dx, ds, _ = self.normal(weights, np.zeros(self.system.n_rows))
        return self.x + share * self.longest(dx, ds) * dx


def centred(system: System, x: FloatArray) -> FloatArray:
    """Newton steps from an interior point towards the analytic centre of all slabs."""
    nnz = len(system.rows)
    work = 4.0 * nnz + nnz**2 / max(1, system.n) + system.n_rows**3 / 3 + 50.0 * system.n
    scaling = Scaling.at(system, x)
    for _ in range(int(min(MOST, max(FEWEST, NEWTON_WORK // work)))):
        if scaling is None:
            break
        x = scaling.x
        dx, ds, decrement = scaling.newton()
        if not CENTRED < decrement < np.inf:
            break
        # A step of 1/(1 + decrement) is always safe; near the boundary a longer one is nearly always better.
        step = max(1 / (1 + np.sqrt(decrement)), min(1.0, 0.6 * scaling.longest(dx, ds)))
        scaling = Scaling.at(system, x + step * dx)
    return x
