"""The regions of the answers in two dimensions [DQ, Figs 1 and 2]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError
from discreet.queries._domains import Box
from discreet.queries._quantising import QuantisedQuery
from discreet.queries._query import is_real


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
        """A place for the label of a region: the point of the grid that is farthest from the region's border."""
        from scipy.ndimage import distance_transform_edt

        inside = self.cell == cell
        if not inside.any():
            raise InputError(f"no point of the grid lies in cell {cell}: use a finer one")
        depth = distance_transform_edt(np.pad(inside, 1))[1:-1, 1:-1]
        # Of places nearly as good, the one nearest to the diagonal through the upper right corner, so that rings have
        # their labels in a line.
        rows, columns = np.nonzero(depth >= 0.9 * depth.max())
        right, up = columns / len(self.x), rows / len(self.y)
        pick = int(np.argmax(right + up - 2 * np.abs(right - up)))
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
