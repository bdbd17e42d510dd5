"""Compiled geometry of one block: the largest distance from its letters to its codeword.

A block is given as the first `m` entries of an index buffer, so that an optimiser can try a changed block without
allocating. Codewords are numbered 0 centroid, 1 medoid, 2 Chebyshev centre (`ranges._costs.CODEWORDS`).
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
from __future__ import annotations

import math

import numpy as np

from discreet._compile import helper, kernel

CENTROID, MEDOID, CHEBYSHEV = 0, 1, 2


@kernel
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


@helper
def powers(columns, m, at, norm, out):
    """The distances of one point to m others before any root is taken: squares for l_2.

    `columns` has a row a coordinate: machines take several points at once.
    """
    out[:m] = 0.0
    for c in range(len(columns)):
        row, here = columns[c], at[c]
        if norm == np.inf:
            for i in range(m):
                out[i] = max(out[i], abs(row[i] - here))
        elif norm == 2.0:
            for i in range(m):
                out[i] += (row[i] - here) * (row[i] - here)
        elif norm == 1.0:
            for i in range(m):
                out[i] += abs(row[i] - here)
        else:
            for i in range(m):
                out[i] += abs(row[i] - here) ** norm


@kernel
def gaps(columns, at, norm, out):
    """`gap` of one point to many, to the same bits."""
    d, m = columns.shape
    powers(columns, m, at, np.inf if d == 1 else norm, out)
    if d > 1 and norm not in (1.0, np.inf):
        for i in range(m):
            out[i] = np.sqrt(out[i]) if norm == 2.0 else out[i] ** (1.0 / norm)


@helper
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


@helper
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


@helper
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


@helper
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


@helper
def _towards(points, support, size, centre, goal, share):
    """The foot of the centre on the affine hull of the support, and its barycentric shares; False where it is degenerate.

    The support lies on a sphere round the centre, so the foot is the centre of the sphere through it within its hull.
    """
    d = points.shape[1]
    m = size - 1
    first = points[support[0]]
    gram = np.zeros((m, m + 1))
    for a in range(m):
        for b in range(m):
            total = 0.0
            for c in range(d):
                total += (points[support[a + 1], c] - first[c]) * (points[support[b + 1], c] - first[c])
            gram[a, b] = total
        # |p − centre| is the same for all of them, so that the equation needs no centre: half of |p − first|².
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
        goal[c] = first[c]
    share[0] = 1.0
    for a in range(m):
        share[a + 1] = gram[a, m] / gram[a, a]
        share[0] -= share[a + 1]
        for c in range(d):
            goal[c] += share[a + 1] * (points[support[a + 1], c] - first[c])
    return True


@helper
def _squared(points, t, centre):
    total = 0.0
    for c in range(points.shape[1]):
        total += (points[t, c] - centre[c]) ** 2
    return total


@helper
def _first_met(points, support, size, centre, goal, within):
    """How far the centre may go towards the goal before a point outside the support lies as far off as the support does.

    With v = goal − centre and any p of the support, |x − c − f v|² = |p − c − f v|² is linear in f. Points `within` the hull
    of the support stay as far off as it does.
    """
    d = points.shape[1]
    best, who = 1.0, -1
    for t in range(len(points)):
        known = within[t]
        for a in range(size):
            known = known or support[a] == t
        if known:
            continue
        lead, room = 0.0, 0.0
        for c in range(d):
            v = goal[c] - centre[c]
            lead += v * (points[support[0], c] - points[t, c])
            p, x = points[support[0], c] - centre[c], points[t, c] - centre[c]
            room += (p - x) * (p + x)
        if lead > 1e-15:
            share = max(0.0, 0.5 * room / lead)
            if share < best:
                best, who = share, t
    return best, who


@kernel
def ball_centre(points):
    """Centre of the smallest Euclidean ball round `points` (m x d), scaled to unit size by the caller.

    The walk of Fischer, Gärtner and Kutz (2003): the centre goes towards the middle of its support, taking up the points that
    it meets; there, a point with a negative share is let go, and where there is none the ball is the smallest. Every step is
    polynomial in the number of columns.
    """
    m, d = points.shape
    centre = np.empty(d)
    for c in range(d):
        centre[c] = points[0, c]
    support = np.zeros(d + 2, np.int64)
    share = np.zeros(d + 2)
    goal = np.zeros(d)
    far2 = -1.0
    for t in range(m):
        away = _squared(points, t, centre)
        if away > far2:
            support[0], far2 = t, away
    size = np.int64(1)
    within = np.zeros(m, np.bool_)
    for _step in range(50 * (m + d)):
        if not _towards(points, support, size, centre, goal, share):
            size -= 1  # the last one lies in the hull of the others, where rounding would have it met again and again
            within[support[size]] = True
            continue
        part, met = _first_met(points, support, size, centre, goal, within)
        for c in range(d):
            centre[c] += part * (goal[c] - centre[c])
        if met >= 0 and size <= d:
            support[size] = met
            size += 1
            continue
        least = 0
        for a in range(size):
            if share[a] < share[least]:
                least = a
        if share[least] >= -1e-12:
            break
        size -= 1
        support[least] = support[size]
        for t in range(m):
            within[t] = False
    return centre


@kernel
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


@helper
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


@kernel
def block_radii(values, offsets, members, norm, codeword):
    """The radius of every block."""
    out = np.zeros(len(offsets) - 1)
    for b in range(len(out)):
        block = members[offsets[b] : offsets[b + 1]]
        out[b] = block_radius(values, block, len(block), norm, codeword)
    return out
