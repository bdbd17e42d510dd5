"""From a mixture of posteriors to a mapping: exact vertices, weights that reproduce p, and p(y|x) = u_y(x) p_y / p(x).

A float is a dyadic rational, so A p and the masses A_B⁻¹ A p of a vertex have exact values. Rounding those once leaves a
channel whose leak I(X_g;Y) is rounding only, whatever the solvers' tolerances were.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import factorial
from typing import TYPE_CHECKING

import numpy as np

from discreet.sample_privacy import _column_generation as columns
from discreet.sample_privacy._mapping import Orbits, Table
from discreet.sample_privacy._symmetric import types_of
from discreet.sample_privacy._vertices import Vertices

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from discreet._typing import FloatArray, IntArray
    from discreet.sample_privacy._mapping import Mapping
    from discreet.sample_privacy._optimising import Limits, Outcome
    from discreet.sample_privacy._problem import Problem, Program
    from discreet.sample_privacy._symmetric import Types

EXPANSION_LIMIT = 50_000  # posteriors in every order, up to which a mapping is written as a table


def table_of(found: Outcome, size: int) -> FloatArray:
    """p(y|x) of a mixture: cleaned vertices, weights that reproduce p, and outcomes that say the same of W merged.

    One row for each of ``size`` cells; those that the outcome leaves out get the pmf of Y, which says nothing.
    """
    program, pool = found.pool.program, found.pool
    points, weights = _mixture(pool)
    joint = points * weights[:, None]
    rest = np.clip(program.p - joint.sum(0), 0, None)
    if (rest > 1e-9 * program.p).any():  # what the weights leave is a private posterior too
        joint = np.vstack([joint, rest])
    if program.latent is not None:
        outcome = np.round((joint @ program.latent.T) / joint.sum(1, keepdims=True), 11) + 0.0
        name = np.unique(outcome, axis=0, return_inverse=True)[1].ravel()
        merged = np.zeros((int(name.max()) + 1, program.size))
        np.add.at(merged, name, joint)
        joint = merged
    joint = joint[np.argsort(-joint.sum(1), kind="stable")]
    return over_all((joint / joint.sum(0)).T, joint.sum(1) / joint.sum(), found.cells, size)


def over_all(table: FloatArray, p_y: FloatArray, cells: IntArray, size: int) -> FloatArray:
    """A table over some cells as one over all: p(y) where it has no row."""
    found = np.tile(p_y, (size, 1))
    found[cells] = table
    return found


def _mixture(pool: columns.Pool) -> tuple[FloatArray, FloatArray]:
    """Exact points in use, anchors first, and weights that mix them to p."""
    used, program, count = pool.used(), pool.program, len(pool.anchors)
    anchored = np.flatnonzero(pool.weights[:count] > 1e-13)
    vertices = clean(program, pool.vertices.take(used)).dense(program.size)
    points = np.vstack([pool.anchors[anchored], vertices])
    guess = np.append(pool.weights[anchored], pool.vertex_weights[used])
    weights = reweigh(points, program.p, guess)
    return points[weights > 0], weights[weights > 0]


def in_every_order(problem: Problem, classes: IntArray, found: Outcome, limits: Limits) -> Mapping:
    """The mapping of a mixture over types: a table where all orders of its posteriors are few, else orbits."""
    if len(found.cells) < len(problem.weights):
        p = np.zeros(problem.p.size)
        p[problem.flat[found.cells]] = found.pool.program.p
        frequent = replace(problem, p=p.reshape(problem.p.shape), cells=problem.cells[found.cells])
        mapping = in_every_order(frequent, classes, replace(found, cells=np.arange(len(found.cells))), limits)
        if not isinstance(mapping, Table):
            return mapping
        return Table(problem, over_all(mapping.table, mapping.p_y, found.cells, len(problem.weights)))
    pool = found.pool
    types, kind = types_of(problem, classes)
    anchored = float(pool.weights[: len(pool.anchors)].sum())  # p itself is no orbit
    vertices = clean(pool.program, pool.vertices.take(pool.used()))
    if not len(vertices):  # time ran out before any was found: p itself is left, which tells nothing
        return Table(problem, np.ones((len(problem.weights), 1)))
    if factorial(problem.n) * len(vertices) <= EXPANSION_LIMIT:
        table = columns.start_pool(pool.program)
        columns.choose_from(table, _orders(problem, types, vertices), limits.part(0.5))
        if anchored > 1e-9 or table.weights[0] < 1e-9:
            return Table(problem, table_of(replace(found, pool=table), len(problem.weights)))
    weights = reweigh(pool.in_rows(vertices), types.p, pool.vertex_weights[pool.used()])
    masses = vertices.masses * weights[:, None]
    total = np.bincount(kind[vertices.cells].ravel(), masses.ravel(), minlength=len(types.p))
    if np.abs(total / types.p - 1).max() > 1e-9:
        table = columns.start_pool(pool.program)
        columns.choose_from(table, vertices, limits.deadline)
        return Table(problem, table_of(replace(found, pool=table), len(problem.weights)))
    masses *= (types.p / total)[kind[vertices.cells]]
    kept = [(cells[mass > 0], mass[mass > 0]) for cells, mass in zip(vertices.cells, masses, strict=True) if mass.any()]
    words = tuple(problem.cells[cells] for cells, _ in kept)
    return Orbits(types, words, tuple(mass for _, mass in kept))


def in_turns(types: Types, joint: FloatArray, cells: IntArray) -> Orbits:
    """From p(type, y) on some types to orbits: given y, every turn of a data set of the type is equally likely.

    Over all turns each sample has each value as often as the type has it, so that a sample learns no more from the turns
    than from the type; what stays unknown is the turn, at most log2 n bits.
    """
    words, masses = [], []
    for column in joint.T:
        found, shares = [], []
        for kind, mass in zip(cells[column > 0], column[column > 0], strict=True):
            word = np.repeat(np.arange(types.counts.shape[2]), types.counts[kind, 0])
            turns = np.unique([np.roll(word, k) for k in range(types.n)], axis=0)
            found.append(turns)
            shares.append(np.full(len(turns), mass / len(turns)))
        words.append(np.concatenate(found).astype(np.int64))
        masses.append(np.concatenate(shares))
    return Orbits(types, tuple(words), tuple(masses))


def _orders(problem: Problem, types: Types, vertices: Vertices) -> Vertices:
    """The vertices in every order of the samples that keeps classes."""
    orders = np.array([o for o in permutations(range(problem.n)) if (types.classes[list(o)] == types.classes).all()])
    words = problem.cells[vertices.cells]  # vertices × words × samples
    place = np.ravel_multi_index(tuple(np.moveaxis(words[:, :, orders], -1, 0)), problem.p.shape)
    cells = np.searchsorted(problem.flat, place).transpose(0, 2, 1).reshape(-1, vertices.cells.shape[1])
    return Vertices(cells, np.repeat(vertices.masses, len(orders), axis=0)).distinct()


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
