"""The regions of the answers in two dimensions [DQ, Figs 1 and 2]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.errors import InputError
from discreet.queries.base import is_real
from discreet.queries.domains import Box, FloatArray, IntArray
from discreet.queries.quantising import QuantisedQuery


@dataclass(frozen=True, eq=False)
class Regions:
    """A grid over a two-entry box.

    Attributes
    ----------
    x, y
        The grid's places along the first and the second entry.
    value
        The query at each point, shape (len(y), len(x)).
    cell
        The cell that each point lies in, same shape.
    edges, answers
        Those of the quantised query.
    """

    x: FloatArray
    y: FloatArray
    value: FloatArray
    cell: IntArray
    edges: FloatArray
    answers: FloatArray

    def middle(self, cell: int) -> tuple[float, float]:
        """A point well inside a region, for its label: that of its grid points which is deepest in its cell."""
        rows, columns = np.nonzero(self.cell == cell)
        if not len(rows):
            raise InputError(f"no point of the grid lies in cell {cell}: use a finer one")
        inside = self.value[rows, columns]
        depth = np.minimum(inside - self.edges[cell], self.edges[cell + 1] - inside)
        # Of the deepest, the one nearest to the diagonal through the upper right corner, so that rings have labels there.
        deep = np.flatnonzero(depth >= 0.9 * depth.max())
        centre = np.array([self.x[columns[deep]] - self.x.mean(), self.y[rows[deep]] - self.y.mean()])
        pick = deep[int(np.argmax(centre.sum(axis=0) - 2 * np.abs(centre[0] - centre[1])))]
        return float(self.x[columns[pick]]), float(self.y[rows[pick]])


def regions(quantised: QuantisedQuery, points: int = 200) -> Regions:
    """The regions of a quantised query on a box with two entries, on a grid of points x points."""
    domain = quantised.domain
    if not is_real(domain) or domain.lower.size != 2 or not isinstance(domain, Box):
        raise InputError("regions are drawn on a box with two entries: two people, or one with two columns")
    if isinstance(points, bool) or not isinstance(points, int | np.integer) or points < 2:
        raise InputError("points must be a whole number of at least 2")
    low, high = domain.lower.ravel(), domain.upper.ravel()
    x, y = (np.linspace(low[i], high[i], points) for i in (0, 1))
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(points, points, *domain.shape)
    value = np.asarray(quantised.query(grid))
    return Regions(x, y, value, quantised.cell(grid), quantised.edges, quantised.answers)
