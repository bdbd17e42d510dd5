"""From a mixture of posteriors to a mapping: exact vertices, weights that reproduce p, and p(y|x) = u_y(x) p_y / p(x)."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from math import factorial
from typing import TYPE_CHECKING

import numpy as np

from discreet.sample_privacy import _column_generation as columns
from discreet.sample_privacy import _rational as rational
from discreet.sample_privacy._mapping import Orbits, Table
from discreet.sample_privacy._symmetric import types_of
from discreet.sample_privacy._vertices import Vertices

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.sample_privacy._mapping import Mapping
    from discreet.sample_privacy._optimising import Limits, Outcome
    from discreet.sample_privacy._problem import Problem
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
    vertices = rational.clean(program, pool.vertices.take(used)).dense(program.size)
    points = np.vstack([pool.anchors[anchored], vertices])
    guess = np.append(pool.weights[anchored], pool.vertex_weights[used])
    weights = rational.reweigh(points, program.p, guess)
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
    vertices = rational.clean(pool.program, pool.vertices.take(pool.used()))
    if not len(vertices):  # time ran out before any was found: p itself is left, which tells nothing
        return Table(problem, np.ones((len(problem.weights), 1)))
    if factorial(problem.n) * len(vertices) <= EXPANSION_LIMIT:
        table = columns.start_pool(pool.program)
        columns.choose_from(table, _orders(problem, types, vertices), limits.part(0.5))
        if anchored > 1e-9 or table.weights[0] < 1e-9:
            return Table(problem, table_of(replace(found, pool=table), len(problem.weights)))
    weights = rational.reweigh(pool.in_rows(vertices), types.p, pool.vertex_weights[pool.used()])
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
