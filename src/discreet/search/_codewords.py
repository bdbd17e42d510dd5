"""The codeword of a block: its centroid, its medoid, or its Chebyshev centre [AC, V-A]; and distances to it."""

from __future__ import annotations

import numpy as np

from discreet._typing import FloatArray


def lengths(vectors: FloatArray, norm: float) -> FloatArray:
    """The l_p norm of every row."""
    size: FloatArray = np.abs(vectors)
    if vectors.shape[1] == 1:
        return size[:, 0]
    if norm == 1:
        return np.asarray(size.sum(axis=1))
    if norm == np.inf:
        return np.asarray(size.max(axis=1))
    if norm == 2:
        return np.asarray(np.sqrt((size * size).sum(axis=1)))
    return np.asarray((size**norm).sum(axis=1) ** (1 / norm))


def distance_matrix(values: FloatArray, norm: float) -> FloatArray:
    """d(x, x') between all letters, n by n."""
    return np.stack([lengths(values - row, norm) for row in values])


def box_coordinates(values: FloatArray, norm: float) -> FloatArray | None:
    """Coordinates in which the norm's ball is a box, if any: a set's radius is then half its widest side.

    One column and l_infinity are boxes as they stand; in the plane the l_1 ball is a square turned by 45 degrees.
    """
    if values.shape[1] == 1 or norm == np.inf:
        return values
    if norm == 1 and values.shape[1] == 2:
        return np.column_stack([values[:, 0] + values[:, 1], values[:, 0] - values[:, 1]])
    return None


def smallest_radius(points: FloatArray, norm: float) -> float:
    """The radius of the smallest ball that holds all points, norm 1, 2 or infinity: they cost that as one block."""
    box = box_coordinates(points, norm)
    if box is not None:
        return float(np.ptp(box, axis=0).max() / 2)
    if norm == 2:
        from discreet.search._kernels.geometry import ball_radius

        return float(ball_radius(points, np.arange(len(points)), len(points)))
    return float(lengths(points - _octahedral_centre(points), 1).max())


def codeword(points: FloatArray, choice: str, norm: float) -> FloatArray:
    """What stands for a block of points (one row each, in the order of letters).

    Examples
    --------
    >>> codeword(np.array([[0.0], [1.0], [5.0]]), "centroid", 2), codeword(np.array([[0.0], [1.0], [5.0]]), "medoid", 2)
    (array([2.]), array([1.]))
    >>> codeword(np.array([[0.0], [1.0], [5.0]]), "chebyshev", 2)
    array([2.5])
    """
    if choice == "centroid":
        mean: FloatArray = points.mean(axis=0)
        return mean
    if choice == "medoid":
        medoid: FloatArray = points[int(np.argmin(_eccentricities(points, norm)))]
        return medoid
    return _centre(points, norm)


def _eccentricities(points: FloatArray, norm: float) -> FloatArray:
    """The largest distance from every point to the others; in one dimension that to either end."""
    if points.shape[1] == 1:
        line = points[:, 0]
        reach: FloatArray = np.maximum(line - line.min(), line.max() - line)
        return reach
    return np.asarray([lengths(points - point, norm).max() for point in points])


def _centre(points: FloatArray, norm: float) -> FloatArray:
    """The centre of the smallest enclosing ball."""
    box = box_coordinates(points, norm)
    if box is not None:
        middle: FloatArray = (box.min(axis=0) + box.max(axis=0)) / 2
        is_turned = norm == 1 and points.shape[1] == 2
        return np.array([middle[0] + middle[1], middle[0] - middle[1]]) / 2 if is_turned else middle
    if norm == 1:
        return _octahedral_centre(points)
    from discreet.search._kernels.geometry import ball_centre

    size = float(np.abs(points - points[0]).max()) or 1.0
    centre: FloatArray = ball_centre((points - points[0]) / size)
    moved: FloatArray = centre * size + points[0]
    return moved


def _octahedral_centre(points: FloatArray) -> FloatArray:
    """The centre of the smallest l_1 ball of three or more columns, min r with ‖x − c‖_1 ≤ r, by a linear program.

    Only the farthest point in each of the 2^d diagonal directions matters.
    """
    from scipy.optimize import linprog

    d = points.shape[1]
    signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * d)).reshape(d, -1).T
    reach = (points @ signs.T).max(axis=0)
    solved = linprog(
        np.append(np.zeros(d), 1.0),
        A_ub=np.column_stack([-signs, -np.ones(len(signs))]),
        b_ub=-reach,
        bounds=[(None, None)] * d + [(0, None)],
    )
    if solved.x is None:
        raise AssertionError(f"the smallest enclosing l_1 ball was not found: {solved.message}")
    centre: FloatArray = np.asarray(solved.x, dtype=np.float64)[:d]
    return centre
