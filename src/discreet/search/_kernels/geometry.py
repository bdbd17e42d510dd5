"""Compiled geometry of one block: the largest distance from its letters to its codeword.

A block is given as the first `m` entries of an index buffer, so that an optimiser can try a changed block without
allocating. Codewords are numbered 0 centroid, 1 medoid, 2 Chebyshev centre (`ranges._costs.CODEWORDS`).
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import math

import numpy as np
from numba import njit

CENTROID, MEDOID, CHEBYSHEV = 0, 1, 2


@njit(cache=True)
def gap(u, v, norm):
    """||u - v|| in the l_norm."""
    d = len(u)
    if d == 1:
        return abs(u[0] - v[0])
    total = 0.0
    if norm == np.inf:
        for c in range(d):
            total = max(total, abs(u[c] - v[c]))
        return total
    if norm == 2.0:
        for c in range(d):
            total += (u[c] - v[c]) ** 2
        return np.sqrt(total)
    if norm == 1.0:
        for c in range(d):
            total += abs(u[c] - v[c])
        return total
    for c in range(d):
        total += abs(u[c] - v[c]) ** norm
    return total ** (1.0 / norm)


@njit(cache=True)
def _line_radius(values, block, m, codeword):
    """One column: everything follows from the least, the greatest and the mean value."""
    low = values[block[0], 0]
    high = low
    for t in range(1, m):
        v = values[block[t], 0]
        low = min(low, v)
        high = max(high, v)
    if codeword == CHEBYSHEV:
        return 0.5 * (high - low)
    if codeword == CENTROID:
        # Summed as differences from the least value: shifting all values must not cost digits.
        total = 0.0
        for t in range(m):
            total += values[block[t], 0] - low
        mean = total / m
        return max((high - low) - mean, mean)
    best = high - low
    for t in range(m):
        v = values[block[t], 0]
        best = min(best, max(high - v, v - low))
    return best


@njit(cache=True)
def _centroid_radius(values, block, m, norm):
    d = values.shape[1]
    mean = np.zeros(d)
    for t in range(m):
        for c in range(d):
            mean[c] += values[block[t], c] - values[block[0], c]
    for c in range(d):
        mean[c] = mean[c] / m + values[block[0], c]
    radius = 0.0
    for t in range(m):
        radius = max(radius, gap(values[block[t]], mean, norm))
    return radius


@njit(cache=True)
def _medoid_radius(values, block, m, norm):
    best = np.inf
    far = 0
    for t in range(m):
        # Try last time's farthest letter first: it usually ends the scan at once.
        radius = gap(values[block[t]], values[block[far]], norm)
        if radius >= best:
            continue
        for u in range(m):
            g = gap(values[block[t]], values[block[u]], norm)
            if g > radius:
                radius = g
                far = u
                if radius >= best:
                    break
        best = min(best, radius)
    return best


@njit(cache=True)
def _box_radius(values, block, m):
    """l_inf: half the longest side of the bounding box."""
    widest = 0.0
    for c in range(values.shape[1]):
        low = values[block[0], c]
        high = low
        for t in range(1, m):
            low = min(low, values[block[t], c])
            high = max(high, values[block[t], c])
        widest = max(widest, high - low)
    return 0.5 * widest


@njit(cache=True)
def _circumscribe(points, support, size, centre):
    """Centre of the sphere through the support, within the support's affine hull; False when it is degenerate."""
    d = points.shape[1]
    m = size - 1
    gram = np.zeros((m, m + 1))
    for a in range(m):
        for b in range(m):
            total = 0.0
            for c in range(d):
                total += (points[support[a + 1], c] - points[support[0], c]) * (
                    points[support[b + 1], c] - points[support[0], c]
                )
            gram[a, b] = total
        gram[a, m] = 0.5 * gram[a, a]
    for col in range(m):
        pivot = col
        for row in range(col + 1, m):
            if abs(gram[row, col]) > abs(gram[pivot, col]):
                pivot = row
        if abs(gram[pivot, col]) < 1e-14:
            return False
        for c in range(m + 1):
            gram[col, c], gram[pivot, c] = gram[pivot, c], gram[col, c]
        for row in range(m):
            if row != col:
                factor = gram[row, col] / gram[col, col]
                for c in range(col, m + 1):
                    gram[row, c] -= factor * gram[col, c]
    for c in range(d):
        centre[c] = points[support[0], c]
    for a in range(m):
        weight = gram[a, m] / gram[a, a]
        for c in range(d):
            centre[c] += weight * (points[support[a + 1], c] - points[support[0], c])
    return True


@njit(cache=True)
def _squared(points, t, centre):
    total = 0.0
    for c in range(points.shape[1]):
        total += (points[t, c] - centre[c]) ** 2
    return total


@njit(cache=True)
def ball_centre(points):
    """Centre of the smallest Euclidean ball round `points` (m x d), scaled to unit size by the caller.

    Active set: while a point lies outside, the next ball is the smallest one round the present support and the
    farthest such point, found among the balls through that point and a subset of the support (the basis computation
    of Matousek, Sharir and Welzl, 1996). The radius grows strictly, so it ends; a support has d+1 points at most, so
    its subsets are few.
    """
    m, d = points.shape
    support = np.zeros(d + 2, np.int64)
    size = 1
    centre = points[0].copy()
    radius2 = 0.0
    trial = np.zeros(d + 2, np.int64)
    c_trial = np.zeros(d)
    best_support = np.zeros(d + 2, np.int64)
    c_best = np.zeros(d)
    for _round in range(50 * (m + d)):
        far, far2 = -1, radius2 * (1 + 1e-12) + 1e-300
        for t in range(m):
            away = _squared(points, t, centre)
            if away > far2:
                far, far2 = t, away
        if far < 0:
            break
        best2, best_size = np.inf, 0
        for mask in range(1, 1 << size):
            count = 1
            trial[0] = far
            for a in range(size):
                if mask >> a & 1:
                    trial[count] = support[a]
                    count += 1
            if count > d + 1 or not _circumscribe(points, trial, count, c_trial):
                continue
            r2 = _squared(points, far, c_trial)
            if r2 >= best2:
                continue
            inside = True
            for a in range(size):
                if _squared(points, support[a], c_trial) > r2 * (1 + 1e-10):
                    inside = False
            if inside:
                best2, best_size = r2, count
                best_support[:count] = trial[:count]
                c_best[:] = c_trial
        if best_size == 0 or best2 <= radius2:
            break
        radius2, size = best2, best_size
        support[:size] = best_support[:size]
        centre[:] = c_best
    return centre


@njit(cache=True)
def ball_radius(values, block, m):
    """Radius of the smallest Euclidean ball round the block, holding every letter whatever rounding did to its centre.

    Letters are taken relative to the first and scaled by a power of two, so that neither a common shift nor whole
    numbers cost digits.
    """
    d = values.shape[1]
    points = np.empty((m, d))
    size = 0.0
    for t in range(m):
        for c in range(d):
            points[t, c] = float(values[block[t], c] - values[block[0], c])
            size = max(size, abs(points[t, c]))
    if size == 0.0:
        return 0.0
    unit = math.ldexp(1.0, math.frexp(size)[1])
    points /= unit
    centre = ball_centre(points)
    far2 = 0.0
    for t in range(m):
        far2 = max(far2, _squared(points, t, centre))
    return unit * np.sqrt(far2)


@njit(cache=True)
def block_radius(values, block, m, norm, codeword):
    """Largest distance from the block's letters to its codeword (the Chebyshev centre: l_2, l_inf or one column)."""
    if m <= 1:
        return 0.0
    if values.shape[1] == 1:
        return _line_radius(values, block, m, codeword)
    if codeword == CENTROID:
        return _centroid_radius(values, block, m, norm)
    if codeword == MEDOID:
        return _medoid_radius(values, block, m, norm)
    if norm == np.inf:
        return _box_radius(values, block, m)
    return ball_radius(values, block, m)


@njit(cache=True)
def block_radii(values, offsets, members, norm, codeword):
    """The radius of every block."""
    out = np.zeros(len(offsets) - 1)
    for b in range(len(out)):
        block = members[offsets[b] : offsets[b + 1]]
        out[b] = block_radius(values, block, len(block), norm, codeword)
    return out
