"""From a mixture of posteriors to a mapping: exact vertices, weights that reproduce p, and p(y|x) = u_y(x) p_y / p(x)."""

from __future__ import annotations

from itertools import permutations
from math import factorial
from typing import TYPE_CHECKING

import numpy as np

from discreet.sample_privacy import columns, rational
from discreet.sample_privacy.mapping import Orbits, Table
from discreet.sample_privacy.optimising import Outcome
from discreet.sample_privacy.vertices import Vertices

if TYPE_CHECKING:
    from discreet.sample_privacy.mapping import Mapping
    from discreet.sample_privacy.optimising import Limits
    from discreet.sample_privacy.problem import FloatArray, IntArray, Problem
    from discreet.sample_privacy.symmetric import Types

EXPANSION_LIMIT = 50_000  # posteriors in every order, up to which a mapping is written as a table


def table_of(found: Outcome) -> FloatArray:
    """p(y|x) of a mixture: cleaned vertices, weights that reproduce p, and outcomes that say the same of W merged."""
    program, pool = found.pool.program, found.pool
    cells = np.flatnonzero(pool.master.target[pool.group] >= columns.NEGLIGIBLE)
    points, weights = _mixture(pool, cells)
    joint = points * weights[:, None]
    rest = np.clip(program.p[cells] - joint.sum(0), 0, None)
    if rest.sum() > 1e-10:  # what the weights leave is a private posterior too
        joint = np.vstack([joint, rest])
    else:  # rounding, or rare cells that no posterior reached: there, too, Y says nothing
        reached = rest <= 0.5 * program.p[cells]
        joint, cells = joint[:, reached], cells[reached]
    if program.latent is not None:
        outcome = np.round((joint @ program.latent[:, cells].T) / joint.sum(1, keepdims=True), 11) + 0.0
        name = np.unique(outcome, axis=0, return_inverse=True)[1].ravel()
        merged = np.zeros((int(name.max()) + 1, len(cells)))
        np.add.at(merged, name, joint)
        joint = merged
    joint = joint[np.argsort(-joint.sum(1), kind="stable")]
    table = np.tile(joint.sum(1) / joint.sum(), (program.size, 1))  # cells that are left out say nothing
    table[cells] = (joint / joint.sum(0)).T
    return table


def _mixture(pool: columns.Pool, cells: IntArray) -> tuple[FloatArray, FloatArray]:
    """Exact points in use on some cells, anchors first, and weights that mix them to p."""
    used, program, count = pool.used(), pool.program, len(pool.anchors)
    anchored = np.flatnonzero(pool.weights[:count] > 1e-13)
    vertices = rational.clean(program, pool.vertices.take(used)).dense(program.size)
    points = np.vstack([pool.anchors[anchored], vertices])[:, cells]
    guess = np.append(pool.weights[anchored], pool.vertex_weights[used])
    weights = rational.reweigh(points, program.p[cells], guess)
    return points[weights > 0], weights[weights > 0]


def in_every_order(problem: Problem, types: Types, kind: IntArray, found: Outcome, limits: Limits) -> Mapping:
    """The mapping of a mixture over types: a table where all orders of its posteriors are few, else orbits."""
    pool = found.pool
    anchored = float(pool.weights[: len(pool.anchors)].sum())  # p itself is no orbit
    vertices = rational.clean(pool.program, pool.vertices.take(pool.used()))
    if not len(vertices):  # time ran out before any was found: p itself is left, which tells nothing
        return Table(problem, np.ones((len(problem.weights), 1)))
    if factorial(problem.n) * len(vertices) <= EXPANSION_LIMIT:
        table = columns.start_pool(pool.program)
        columns.choose_from(table, _orders(problem, types, vertices), limits.part(0.5))
        if anchored > 1e-9 or table.weights[0] < 1e-9:
            return Table(problem, table_of(Outcome(table, found.least, found.engine, found.how)))
    weights = rational.reweigh(pool.in_rows(vertices), types.p, pool.vertex_weights[pool.used()])
    masses = vertices.masses * weights[:, None]
    total = np.bincount(kind[vertices.cells].ravel(), masses.ravel(), minlength=len(types.p))
    if np.abs(total / types.p - 1).max() > 1e-9:
        table = columns.start_pool(pool.program)
        columns.choose_from(table, vertices, limits.deadline)
        return Table(problem, table_of(Outcome(table, found.least, found.engine, found.how)))
    masses *= (types.p / total)[kind[vertices.cells]]
    kept = [(cells[mass > 0], mass[mass > 0]) for cells, mass in zip(vertices.cells, masses, strict=True) if mass.any()]
    words = tuple(problem.cells[cells] for cells, _ in kept)
    return Orbits(types, words, tuple(mass for _, mass in kept))


def _orders(problem: Problem, types: Types, vertices: Vertices) -> Vertices:
    """The vertices in every order of the samples that keeps classes."""
    orders = np.array([o for o in permutations(range(problem.n)) if (types.classes[list(o)] == types.classes).all()])
    words = problem.cells[vertices.cells]  # vertices × words × samples
    place = np.ravel_multi_index(tuple(np.moveaxis(words[:, :, orders], -1, 0)), problem.p.shape)
    cells = np.searchsorted(problem.flat, place).transpose(0, 2, 1).reshape(-1, vertices.cells.shape[1])
    return Vertices(cells, np.repeat(vertices.masses, len(orders), axis=0)).distinct()
