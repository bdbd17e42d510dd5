"""Exact clean-up: vertices from their bases in rational arithmetic, and weights that reproduce p.

A float is a dyadic rational, so A p and the masses A_B⁻¹ A p of a vertex have exact values. Rounding those once leaves a
channel whose leak I(X_g;Y) is rounding only, whatever the solvers' tolerances were.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.sample_privacy._vertices import Vertices

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from discreet._typing import FloatArray
    from discreet.sample_privacy._problem import Program

EXACT_LIMIT = 4_000_000  # multiplications of long integers, about a microsecond each


def right_side(program: Program) -> list[Fraction]:
    """A p without rounding."""
    p = [Fraction(value) for value in program.p.tolist()]
    found = []
    for row in program.rows.tolist():
        terms = [
            value if weight == 1.0 else Fraction(weight) * value for weight, value in zip(row, p, strict=True) if weight
        ]
        found.append(_total(terms))
    return found


def _total(terms: Sequence[Fraction]) -> Fraction:
    """A sum over the common denominator: all are powers of two, so the largest serves."""
    common = max(term.denominator for term in terms)
    if all(common % term.denominator == 0 for term in terms):
        return Fraction(sum(term.numerator * (common // term.denominator) for term in terms), common)
    return sum(terms, Fraction(0))


def solve_exactly(matrix: Sequence[Sequence[Fraction | int]], right: Sequence[Fraction]) -> list[Fraction] | None:
    """x with matrix x = right, by fraction-free elimination (Bareiss); None when the matrix is singular."""
    size = len(right)
    work = []
    for row, value in zip(matrix, right, strict=True):
        entries = [Fraction(entry) for entry in row] + [value]
        common = np.lcm.reduce([entry.denominator for entry in entries], dtype=object)
        work.append([int(entry * common) for entry in entries])
    previous = 1
    for k in range(size):
        pivot = next((i for i in range(k, size) if work[i][k]), None)
        if pivot is None:
            return None
        work[k], work[pivot] = work[pivot], work[k]
        top = work[k]
        for i in range(size):
            if i != k:
                row, factor = work[i], work[i][k]
                work[i] = [(top[k] * a - factor * c) // previous for a, c in zip(row, top, strict=True)]
        previous = top[k]
    return [Fraction(work[i][size], work[i][i]) for i in range(size)]


def exact_masses(columns: FloatArray, b: Sequence[Fraction]) -> list[float]:
    """The masses of a basis, A_B⁻¹ b, rounded once."""
    found = solve_exactly([[_whole(v) for v in row] for row in columns.tolist()], b)
    if found is None:
        raise ArithmeticError("a basis of the polytope is singular")
    return [float(value) for value in found]


def clean(program: Program, vertices: Vertices) -> Vertices:
    """The same vertices with masses correct to the last bit, from their bases.

    Where exact arithmetic would take too long (rank³ times their number), one step of iterative refinement with the
    residual in extended precision comes within a few units of the last bit.
    """
    if not len(vertices):
        return vertices
    bases = [program.rows[:, cells] for cells in vertices.cells]
    return Vertices(vertices.cells, np.array(clean_masses(bases, right_side(program))))


def clean_masses(bases: Sequence[FloatArray], b: Sequence[Fraction]) -> list[FloatArray]:
    """The masses of each basis; see `clean`."""
    if len(bases) * len(b) ** 3 <= EXACT_LIMIT:
        found = [np.array(exact_masses(basis, b)) for basis in bases]
    else:
        near = np.array([float(value) for value in b])
        missing = [float(value - Fraction(float(value))) for value in b]
        b_long = near.astype(np.longdouble) + np.array(missing).astype(np.longdouble)
        found = [_refined(basis, near, b_long) for basis in bases]
    # Ties of p that rounding broke leave masses of 1e-17 on either side of 0.
    return [np.where(masses > 1e-14, masses, 0.0) for masses in found]


def _refined(basis: FloatArray, b: FloatArray, b_long: npt.NDArray[np.longdouble]) -> FloatArray:
    found = np.linalg.solve(basis, b)
    rest = b_long - basis.astype(np.longdouble) @ found.astype(np.longdouble)
    return np.asarray(found + np.linalg.solve(basis, rest.astype(np.float64)))


def _whole(value: float) -> Fraction | int:
    return int(value) if value.is_integer() else Fraction(value)


def reweigh(columns: FloatArray, target: FloatArray, guess: FloatArray) -> FloatArray:
    """Weights π ≥ 0 with Σ_k π_k columns[k] = target as nearly as floats allow, never above it.

    Parameters
    ----------
    columns
        Points, one per row.
    target
        What they mix to, positive.
    guess
        Weights from a solver, right within its tolerance; columns it does not use stay unused.

    Returns
    -------
    The weights. Where the points cannot mix to the target exactly, the total is short by the difference.
    """
    weights = np.clip(guess, 0.0, None)
    relative = columns / target
    used = np.flatnonzero(weights > 0)
    for _ in range(8):
        exact = _solved(relative[used], weights[used])
        if (exact >= 0).all():
            if np.abs(exact @ relative[used] - 1).max() < 1e-9:
                weights = np.zeros_like(weights)
                weights[used] = exact
            break
        used = used[exact > 0]  # a weight below zero is a zero that the solver's tolerance hid
    # Only posteriors on a cell that has too much give way: one rare cell must not cost all of the mixture.
    over = np.maximum(weights @ relative, 1.0)
    return np.asarray(weights / np.where(relative > 0, over, 1.0).max(axis=1, initial=1.0))


def _solved(relative: FloatArray, guess: FloatArray) -> FloatArray:
    """Weights of the points whose mixture is nearest to one everywhere; refined in extended precision."""
    scale = np.abs(relative).max(axis=1, initial=1e-300)
    system = (relative / scale[:, None]).T
    found = guess * scale
    for _ in range(3):
        rest = 1 - system.astype(np.longdouble) @ found.astype(np.longdouble)
        found = found + np.linalg.lstsq(system, rest.astype(np.float64), rcond=None)[0]
    return np.asarray(found / scale)
