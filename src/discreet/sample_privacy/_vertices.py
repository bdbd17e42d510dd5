"""Vertices of {u ≥ 0 : A u = A p}, all of them: by every basis, or by walking from basis to neighbouring basis.

The optimal posteriors are vertices, because H(W|u) is concave [SP, Lemma 2]. A vertex has at most rank(A) positive
entries, so vertices are kept sparse: a row of cells and a row of their masses.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from discreet import _clock
from discreet.sample_privacy._problem import self_information

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray
    from discreet.sample_privacy._problem import Program

POSITIVE = 1e-13  # a mass below this counts as none; bounds allow for it (`columns.slack`)
CHUNK = 256  # bases between two looks at the clock


@dataclass(frozen=True, eq=False)
class Vertices:
    """Points of the polytope, one per row: the cells of a basis and their masses (zeros pad, and mark degeneracy)."""

    cells: IntArray
    masses: FloatArray

    def __len__(self) -> int:
        return len(self.cells)

    def dense(self, size: int) -> FloatArray:
        """The points as rows of length N."""
        found = np.zeros((len(self), size))
        np.put_along_axis(found, self.cells, self.masses, axis=1)
        return found

    def take(self, which: IntArray) -> Vertices:
        """Some of the points."""
        return Vertices(self.cells[which], self.masses[which])

    def uncertainty(self, program: Program) -> FloatArray:
        """H(W|u) in bits of each point."""
        if program.latent is None:
            return np.asarray(self_information(self.masses).sum(1))
        found = np.zeros(len(self))
        for row in program.latent:
            found += self_information((row[self.cells] * self.masses).sum(1))
        return found

    def dot(self, prices: FloatArray) -> FloatArray:
        """prices·u of each point."""
        return np.asarray((prices[self.cells] * self.masses).sum(1))

    def distinct(self) -> Vertices:
        """Each point once; a vertex is told by its support."""
        size = int(self.cells.max(initial=0)) + 1
        support = np.where(self.masses > POSITIVE, self.cells, size)
        support.sort(axis=1)
        first = np.unique(support, axis=0, return_index=True)[1]
        return self.take(np.sort(first))


@dataclass(frozen=True, eq=False)
class Enumeration:
    """What was found: the vertices, how many bases were visited, and whether these are all."""

    vertices: Vertices
    bases: int
    complete: bool


def enumerate_vertices(program: Program, limit: int = 1_000_000, deadline: float = np.inf) -> Enumeration:
    """All vertices, by pivoting through the bases of the lexicographically perturbed polytope.

    Parameters
    ----------
    program
        The polytope.
    limit
        Bases to visit at most; each costs O(rank² N).
    deadline
        On the clock of ``_clock.now()``.

    Returns
    -------
    The distinct vertices; ``complete`` is False when the limit or the clock came first.
    """
    from discreet.sample_privacy._bases_kernels import grow, rehash

    rows, b, r = program.rows, program.b, program.rank
    if r == program.size:
        return Enumeration(Vertices(np.arange(r)[None], program.p[None]), 1, True)
    start = np.sort(vertex_basis(program, np.zeros(program.size)))
    room = min(limit, 1024)
    bases, values = np.empty((room, r), np.int32), np.empty((room, r))
    table = np.full(_slots(room), -1, np.int64)
    bases[0] = start
    rehash(table, bases, 1)
    origin = np.ascontiguousarray(rows[:, start])
    done, count = 0, 1
    while done < count and _clock.now() < deadline:
        done, count = grow(rows, b, origin, bases, values, table, done, count, CHUNK)
        if count == room and done < count:
            if room >= limit:
                break
            room = min(limit, 4 * room)
            bases = np.concatenate([bases, np.empty((room - count, r), np.int32)])
            values = np.concatenate([values, np.empty((room - count, r))])
            table = np.full(_slots(room), -1, np.int64)
            rehash(table, bases, count)
    found = Vertices(bases[:done].astype(np.int64), values[:done]).distinct()
    return Enumeration(found, done, done == count)


def _slots(room: int) -> int:
    return 1 << (2 * room).bit_length()


def vertex_basis(program: Program, cost: FloatArray, b: FloatArray | None = None) -> IntArray:
    """The basis of a vertex that minimises cost·u."""
    from discreet.sample_privacy._simplex_kernels import dual_simplex, first_basis

    rows, size = program.rows, program.size
    basis = first_basis(rows)
    upper = np.full(size, 2.0)  # no mass exceeds one, so no vertex stands at this bound
    right = program.b if b is None else b
    dual_simplex(rows, right, cost, np.zeros(size), upper, basis, np.inf, 100 * (size + len(basis)))
    return np.asarray(basis, np.int64)


def exhaustive_vertices(program: Program) -> Enumeration:
    """All vertices by trying every choice of rank(A) columns [SP, Alg 1]: for tiny alphabets and for checks."""
    rows, b, r, size = program.rows, program.b, program.rank, program.size
    cells, masses, bases = [], [], 0
    for chosen in combinations(range(size), r):
        bases += 1
        columns = rows[:, chosen]
        if abs(np.linalg.det(columns)) < 1e-9:
            continue
        found = np.linalg.solve(columns, b)
        if (found >= -POSITIVE).all():
            cells.append(chosen)
            masses.append(np.where(found > POSITIVE, found, 0.0))
    return Enumeration(Vertices(np.array(cells, np.int64), np.array(masses)).distinct(), bases, True)


def count_vertices(program: Program) -> int:
    """The number of vertices of the polytope."""
    return len(enumerate_vertices(program).vertices)
