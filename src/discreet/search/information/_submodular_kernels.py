# mypy: ignore-errors
"""Compiled: the corral of Wolfe's algorithm, points whose affine hull is kept as a QR factorisation.

Column i of the factorised matrix is (c, p_i), c a constant: the affine minimiser's weights are then an ordinary least
squares solution, min |Σ w_i (c, p_i) − (1, 0)|, scaled to Σ w_i = 1. Working on the points and not on their inner
products keeps distances down to rounding apart, where a Cholesky factor loses half of the digits.
"""

from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel


@helper
def append(basis, triangle, k, column):
    """Factorise one more column, in row k of `basis` (rows are orthonormal); returns its distance from the others' span.

    Gram-Schmidt twice: once leaves rounding of the order of the condition number, twice leaves rounding.
    """
    rest = column.copy()
    for i in range(k):
        triangle[i, k] = 0.0
    for _ in range(2):
        for i in range(k):
            along = np.dot(basis[i], rest)
            triangle[i, k] += along
            rest -= along * basis[i]
    distance = np.sqrt(np.dot(rest, rest))
    triangle[k, k] = distance
    if distance > 0.0:
        for place in range(len(rest)):
            basis[k, place] = rest[place] / distance
    return distance


@helper
def delete(basis, triangle, k, j):
    """Take column j out of k columns; Givens rotations make the factor triangular again."""
    for column in range(j, k - 1):
        for row in range(column + 2):
            triangle[row, column] = triangle[row, column + 1]
    for i in range(j, k - 1):
        a, b = triangle[i, i], triangle[i + 1, i]
        size = np.hypot(a, b)
        if size == 0.0:
            continue
        cosine, sine = a / size, b / size
        for column in range(i, k - 1):
            upper, lower = triangle[i, column], triangle[i + 1, column]
            triangle[i, column] = cosine * upper + sine * lower
            triangle[i + 1, column] = cosine * lower - sine * upper
        triangle[i + 1, i] = 0.0
        for place in range(basis.shape[1]):
            upper, lower = basis[i, place], basis[i + 1, place]
            basis[i, place] = cosine * upper + sine * lower
            basis[i + 1, place] = cosine * lower - sine * upper


@helper
def affine_weights(basis, triangle, k):
    """Weights, summing to 1, of the point of the affine hull that is nearest to the origin."""
    weights = np.empty(k)
    total = 0.0
    for i in range(k - 1, -1, -1):
        value = basis[i, 0]
        for column in range(i + 1, k):
            value -= triangle[i, column] * weights[column]
        weights[i] = value / triangle[i, i]
        total += weights[i]
    return weights / total


@kernel
def enter(points, basis, triangle, weights, k, point, constant, least):
    """One major cycle: take `point` into the corral, then drop points until the affine minimiser lies inside their hull.

    `weights[:k]` are the convex weights of the current point. Returns the new k, or -1 where the point is within `least`
    of the span of the others, so that it would add nothing but rounding.
    """
    column = np.empty(len(point) + 1)
    column[0] = constant
    for place in range(len(point)):
        column[place + 1] = point[place]
    if append(basis, triangle, k, column) <= least:
        return -1
    for place in range(len(point)):
        points[k, place] = point[place]
    weights[k] = 0.0
    k += 1
    while True:
        target = affine_weights(basis, triangle, k)
        step = 1.0
        for i in range(k):
            if target[i] <= 0.0 and weights[i] - target[i] > 0.0:
                step = min(step, weights[i] / (weights[i] - target[i]))
        if step >= 1.0:
            for i in range(k):
                weights[i] = target[i]
            break
        slowest, low = 0, np.inf
        for i in range(k):
            weights[i] = (1.0 - step) * weights[i] + step * target[i]
            if target[i] <= 0.0 and weights[i] < low:
                slowest, low = i, weights[i]
        weights[slowest] = 0.0  # the one that stopped the step, whatever rounding left of it
        for i in range(k - 1, -1, -1):
            if weights[i] <= 1e-15:
                delete(basis, triangle, k, i)
                for later in range(i, k - 1):
                    weights[later] = weights[later + 1]
                    for place in range(len(point)):
                        points[later, place] = points[later + 1, place]
                k -= 1
        weights[:k] /= weights[:k].sum()
        if k == 1:
            weights[0] = 1.0
            break
    return k
