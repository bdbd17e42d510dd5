"""The search for posteriors that beat the prices: H(W|u) − λ·u < 0, a concave function over the polytope.

From many starts to the best neighbouring vertex until none is better. Starts are vertices of linearisations, which by
concavity are no worse than the point linearised at [Frank & Wolfe].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet import _clock
from discreet.sample_privacy._vertices import POSITIVE, Vertices, vertex_basis

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.sample_privacy._column_generation import Pool
    from discreet.sample_privacy._problem import Program


def search(pool: Pool, deadline: float, rng: np.random.Generator, patience: int = 3, target: float = -np.inf) -> None:
    """Generate columns until no start finds a better one, ``patience`` rounds in a row; or H(W|Y) is at ``target``."""
    starts, idle = max(16, len(pool.master.target) // 4), 0
    while idle < patience and _clock.now() < deadline and pool.value > target:
        found = descents(pool, starts, rng, deadline)
        if pool.offer(found):
            if not pool.solve(deadline):
                return
            idle = 0
        else:
            idle += 1
            starts *= 2


def peel(program: Program, deadline: float) -> tuple[Vertices, FloatArray]:
    """p as a mixture of vertices, greedily: what is left of p, less the most of a vertex on its cells, and again.

    Each vertex empties a cell at least, and is the best for a linearisation of the entropy at what is left. Returns the
    vertices and their weights, which sum to less than one when time runs out: what is left is a posterior itself.
    """
    from discreet.sample_privacy._simplex_kernels import dual_simplex, first_basis

    rows, size = program.rows, program.size
    basis = first_basis(rows)
    left, mass = program.p.copy(), 1.0
    bases: list[IntArray] = []
    masses: list[FloatArray] = []
    weights: list[float] = []
    while mass > 1e-9 and _clock.now() < deadline and len(bases) < size:
        upper = np.where(left > 0, 2.0, 0.0)
        slope = gradient(program, left / mass)
        status, _, point = dual_simplex(
            rows, program.b, slope, np.zeros(size), upper, basis, np.inf, 50 * program.rank + 500
        )
        seen = point > POSITIVE
        if status != 0 or not seen.any():
            break
        weight = float((left[seen] / point[seen]).min())
        left = np.where(seen, left - weight * point, left)
        left[left < 1e-14 * program.p] = 0.0
        mass -= weight
        bases.append(basis.copy())
        masses.append(np.where(point > POSITIVE, point, 0.0)[basis])
        weights.append(weight)
    shape = (-1, program.rank)
    return Vertices(np.array(bases, np.int64).reshape(shape), np.array(masses).reshape(shape)), np.array(weights)


def descents(pool: Pool, starts: int, rng: np.random.Generator, deadline: float) -> Vertices:
    """Local minima of H(W|u) − λ·u, from the posteriors in use and from random vertices.

    Searches run on slightly perturbed marginals, where no step has length zero.
    """
    from discreet.sample_privacy._bases_kernels import descend
    from discreet.sample_privacy._simplex_kernels import dual_simplex, first_basis

    program, prices = pool.program, pool.prices
    latent = np.empty((0, program.size)) if program.latent is None else program.latent
    used = pool.used()
    centres = pool.vertices.take(rng.permutation(used)[:starts]).dense(program.size)
    size, found = program.size, []
    for k in range(2 * starts):
        if k < len(centres):
            slope = gradient(program, 0.97 * centres[k] + 0.03 * program.p)
        elif k >= starts:
            slope = gradient(program, rng.dirichlet(np.full(size, 0.2)) + 1e-9)
        else:
            continue
        b = program.rows @ (program.p * (1 + 1e-7 * rng.random(size)))
        basis = first_basis(program.rows)
        dual_simplex(
            program.rows, b, slope - prices, np.zeros(size), np.full(size, 2.0), basis, np.inf, 50 * program.rank + 200
        )
        descend(program.rows, b, latent, prices, basis, 20 * program.rank)
        found.append(basis)
        if _clock.now() > deadline:
            break
    return from_bases(program, np.array(found, np.int64).reshape(-1, program.rank))


def below(pool: Pool, point: FloatArray) -> Vertices:
    """A vertex whose H(W|u) − λ·u is at most the point's: the best of a linearisation there, then of its neighbours."""
    from discreet.sample_privacy._bases_kernels import descend

    program = pool.program
    latent = np.empty((0, program.size)) if program.latent is None else program.latent
    slope = gradient(program, point)
    if program.latent is None:
        slope[point <= 1e-12] = 1e3  # stay on the face of the point, where the linearisation is above the function
    basis = vertex_basis(program, slope - pool.prices)
    descend(program.rows, program.b, latent, pool.prices, basis, 20 * program.rank)
    return from_bases(program, basis[None])


def gradient(program: Program, point: FloatArray) -> FloatArray:
    """Slope of H(W|u) at a point, up to a constant; steep where the point has no mass."""
    if program.latent is None:
        return -np.log2(np.maximum(point, 1e-12))
    return np.asarray(-np.log2(np.maximum(program.latent @ point, 1e-12)) @ program.latent)


def from_bases(program: Program, bases: IntArray) -> Vertices:
    """The vertices of those bases that are feasible."""
    if not len(bases):
        return Vertices(bases, np.empty(bases.shape))
    columns = program.rows.T[bases].transpose(0, 2, 1)
    sound = np.linalg.cond(columns) < 1e9
    masses = np.full(bases.shape, -1.0)
    right = np.broadcast_to(program.b[:, None], (int(sound.sum()), program.rank, 1))
    masses[sound] = np.linalg.solve(columns[sound], right)[..., 0]
    feasible = masses.min(1) > -POSITIVE
    return Vertices(bases[feasible], np.where(masses[feasible] > POSITIVE, masses[feasible], 0.0))
