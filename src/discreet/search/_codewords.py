"""The codeword of a block: its centroid, its medoid, or its Chebyshev centre [AC, V-A]."""

from __future__ import annotations

import numpy as np

from discreet._typing import FloatArray


def distances(points: FloatArray, centre: FloatArray, norm: float) -> FloatArray:
    """d(x, centre) for every point."""
    found: FloatArray = np.linalg.norm(points - centre, ord=norm, axis=1)
    return found


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
    if points.shape[1] == 1 and choice == "chebyshev":
        middle: FloatArray = (points.min(axis=0) + points.max(axis=0)) / 2
        return middle
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
    return np.asarray([distances(points, point, norm).max() for point in points])


def _centre(points: FloatArray, norm: float) -> FloatArray:
    """The centre of the smallest enclosing ball."""
    if norm == np.inf:
        box: FloatArray = (points.min(axis=0) + points.max(axis=0)) / 2
        return box
    if norm == 1:
        return _centre_by_linear_program(points)
    from discreet.search._kernels.geometry import ball_centre

    size = float(np.abs(points - points[0]).max()) or 1.0
    centre: FloatArray = ball_centre((points - points[0]) / size)
    moved: FloatArray = centre * size + points[0]
    return moved


def _centre_by_linear_program(points: FloatArray) -> FloatArray:
    """min r with ‖x − c‖_1 ≤ r: only the farthest point in each of the 2^d diagonal directions matters."""
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
    centre: FloatArray = np.asarray(solved.x, dtype=np.float64)[:d]
    return centre
