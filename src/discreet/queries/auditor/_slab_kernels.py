# mypy: ignore-errors
"""Compiled loops of the auditor. The matrix of weights is stored class by class: `indptr`, `rows`, `weights`.

Where every weight is 1, sums, products and room are told so by no weights at all: then there is half as much to read.

Sums and points that are meant exactly hold integers below 2^53 in floats, so every order of addition is exact.
"""

from __future__ import annotations

import numpy as np

from discreet._compile import helper, kernel

LONG = 256
"""Classes in a row that is not searched to the end."""

PATIENCE = 60
"""Moves without progress after which a walk is given up."""

TENURE = 4
"""Moves for which a class that was changed is left alone."""


@kernel(nogil=True)
def row_sums(indptr, rows, weights, x, n_rows):
    """A x: the sum of every row."""
    out = np.zeros(n_rows)
    if not len(weights):
        for c in range(len(indptr) - 1):
            for e in range(indptr[c], indptr[c + 1]):
                out[rows[e]] += x[c]
        return out
    for c in range(len(indptr) - 1):
        value = x[c]
        for e in range(indptr[c], indptr[c + 1]):
            out[rows[e]] += weights[e] * value
    return out


@kernel(nogil=True)
def pulled(indptr, rows, weights, multipliers):
    """A^T y: what multipliers of the rows amount to, class by class."""
    out = np.empty(len(indptr) - 1)
    is_plain = not len(weights)
    for c in range(len(indptr) - 1):
        total = 0.0
        if is_plain:
            for e in range(indptr[c], indptr[c + 1]):
                total += multipliers[rows[e]]
        else:
            for e in range(indptr[c], indptr[c + 1]):
                total += weights[e] * multipliers[rows[e]]
        out[c] = total
    return out


@kernel(nogil=True)
def gram(indptr, rows, weights, theta, diagonal):
    """A diag(theta) A^T + diag(diagonal)."""
    k = len(diagonal)
    out = np.zeros((k, k))
    is_plain = not len(weights)
    for c in range(len(indptr) - 1):
        t = theta[c]
        for e in range(indptr[c], indptr[c + 1]):
            line = out[rows[e]]
            # Rows of a class are stored in increasing order, so only the lower triangle is filled.
            if is_plain:
                for f in range(indptr[c], e + 1):
                    line[rows[f]] += t
            else:
                w = weights[e] * t
                for f in range(indptr[c], e + 1):
                    line[rows[f]] += w * weights[f]
    for r in range(k):
        for q in range(r):
            out[q, r] = out[r, q]
        out[r, r] += diagonal[r]
    return out


@kernel(nogil=True)
def scattered(indptr, rows, weights, factor, first, block):
    """Some classes from `first` on as lines of a table, each times its factor."""
    block[:] = 0.0
    for i in range(len(block)):
        c = first + i
        for e in range(indptr[c], indptr[c + 1]):
            block[i, rows[e]] = weights[e] * factor[c]


@kernel(nogil=True)
def dual_terms(indptr, rows, weights, objective, multipliers, scale, members, kind, n_kinds):
    """For each kind of bounds, the sum over its classes of members x max(0, scale objective - A^T multipliers).

    Everything is an integer, so the sums are exact.
    """
    out = np.zeros(n_kinds, np.int64)
    is_plain = not len(weights)
    for c in range(len(indptr) - 1):
        reduced = np.int64(objective[c]) * scale
        if is_plain:
            for e in range(indptr[c], indptr[c + 1]):
                reduced -= multipliers[rows[e]]
        else:
            for e in range(indptr[c], indptr[c + 1]):
                reduced -= np.int64(weights[e]) * multipliers[rows[e]]
        if reduced > 0:
            out[kind[c]] += reduced * np.int64(members[c])
    return out


@helper
def _room(indptr, rows, weights, c, below, above):
    """How far class c may rise and fall by itself, given the room below and above in every row; whole steps."""
    rise, fall = np.inf, np.inf
    for e in range(indptr[c], indptr[c + 1]):
        w, r = weights[e], rows[e]
        if w > 0:
            rise, fall = min(rise, np.floor(above[r] / w)), min(fall, np.floor(below[r] / w))
        else:
            rise, fall = min(rise, np.floor(below[r] / -w)), min(fall, np.floor(above[r] / -w))
    return rise, fall


@helper
def alone(indptr, rows, weights, below, above):
    """How far each class may rise and fall by itself."""
    n = len(indptr) - 1
    rise, fall = np.empty(n), np.empty(n)
    if not len(weights):  # room is whole already
        for c in range(n):
            up, down = np.inf, np.inf
            for e in range(indptr[c], indptr[c + 1]):
                a, b = above[rows[e]], below[rows[e]]
                # Faster than min, which thinks of numbers that are none.
                up = a if a < up else up
                down = b if b < down else down
            rise[c], fall[c] = up, down
        return rise, fall
    for c in range(n):
        rise[c], fall[c] = _room(indptr, rows, weights, c, below, above)
    return rise, fall


@kernel(nogil=True)
def room(indptr, rows, weights, point, total, floor, ceiling):
    """Whether a point is within everything, and the largest and least sum of each class when the others stay where they are."""
    n = len(point)
    most, least = np.empty(n), np.empty(n)
    for c in range(n):
        if point[c] < 0 or point[c] > total[c]:
            return False, most, least
    sums = row_sums(indptr, rows, weights, point, len(floor))
    below, above = sums - floor, ceiling - sums
    for r in range(len(floor)):
        if below[r] < 0 or above[r] < 0:
            return False, most, least
    rise, fall = alone(indptr, rows, weights, below, above)
    for c in range(n):
        most[c] = min(total[c], point[c] + rise[c])
        least[c] = max(0.0, point[c] - fall[c])
    return True, most, least


@kernel(nogil=True)
def longest_step(x, total, dx, s, low, high, ds):
    """The largest t for which x + t dx stays in [0, total] and s + t ds in [low, high]."""
    t = np.inf
    for c in range(len(x)):
        if dx[c] > 0:
            t = min(t, (total[c] - x[c]) / dx[c])
        elif dx[c] < 0:
            t = min(t, -x[c] / dx[c])
    for r in range(len(s)):
        if ds[r] > 0:
            t = min(t, (high[r] - s[r]) / ds[r])
        elif ds[r] < 0:
            t = min(t, (low[r] - s[r]) / ds[r])
    return max(t, 0.0)


@kernel(nogil=True)
def positive_step(values, change):
    """The largest t for which values + t change stays nonnegative; infinity where nothing falls."""
    t = np.inf
    for i in range(len(values)):
        if change[i] < 0:
            t = min(t, -values[i] / change[i])
    return t


@kernel(nogil=True)
def two_ways(x, total, dx, s, low, high, ds, share):
    """For each column of directions, the points that share of the way to the boundary, up and down, rounded."""
    n, f = dx.shape
    up, down = np.empty((n, f)), np.empty((n, f))
    for j in range(f):
        step, back = dx[:, j].copy(), ds[:, j].copy()
        t = share * longest_step(x, total, step, s, low, high, back)
        for c in range(n):
            up[c, j] = np.rint(x[c] + t * step[c])
        t = share * longest_step(x, total, -step, s, low, high, -back)
        for c in range(n):
            down[c, j] = np.rint(x[c] - t * step[c])
    return up, down


@kernel(nogil=True)
def extremes(indptr, rows, weights, points, sums, total, floor, ceiling, classes):
    """For each column, the largest and least value of its class when the others stay; nothing outside the rows."""
    f = len(classes)
    most, least = np.full(f, -np.inf), np.full(f, np.inf)
    for j in range(f):
        c = classes[j]
        fits = True
        for i in range(len(total)):
            if points[i, j] < 0 or points[i, j] > total[i]:
                fits = False
                break
        below, above = np.empty(len(floor)), np.empty(len(floor))
        for r in range(len(floor)):
            below[r], above[r] = sums[r, j] - floor[r], ceiling[r] - sums[r, j]
            if below[r] < 0 or above[r] < 0:
                fits = False
        if fits:
            rise, fall = _room(indptr, rows, weights, c, below, above)
            most[j] = min(total[c], points[c, j] + rise)
            least[j] = max(0.0, points[c, j] - fall)
    return most, least


@helper
def _excess(value, floor, ceiling):
    return max(0.0, floor - value, value - ceiling)


@kernel(nogil=True)
def repair(indptr, rows, weights, by_row, classes_of, point, least, most, floor, ceiling, moves):
    """Move whole numbers within [least, most] until every row is within [floor, ceiling]: a tabu walk.

    Each move takes the row that is furthest off and changes the class in it that mends most; `moves` limits how many.
    Returns whether all rows fit, and how many weights it looked at; `point` is changed in place.
    """
    k = len(floor)
    sums = row_sums(indptr, rows, weights, point, k)
    last = np.full(len(point), -TENURE)
    seen = len(rows)
    lowest, since = np.inf, 0
    for move in range(moves):
        worst, row, total = 0.0, -1, 0.0
        for r in range(k):
            off = _excess(sums[r], floor[r], ceiling[r])
            total += off
            if off > worst:
                worst, row = off, r
        if row < 0:
            return True, seen
        if total < lowest:
            lowest, since = total, move
        if move - since > PATIENCE:
            return False, seen
        up = sums[row] < floor[row]
        first, stop = by_row[row], by_row[row + 1]
        best, chosen, change = np.inf, -1, 0.0
        for i in range(stop - first):
            # The walk starts elsewhere every time, so that equal moves take turns.
            c = classes_of[first + (i + 7919 * move) % (stop - first)]
            weight = 0.0
            for e in range(indptr[c], indptr[c + 1]):
                if rows[e] == row:
                    weight = weights[e]
            rising = up == (weight > 0)
            room = most[c] - point[c] if rising else point[c] - least[c]
            if room < 1 or move - last[c] < TENURE:
                continue
            far = min(room, np.ceil(worst / abs(weight)))
            for amount in (1.0, far):
                step = amount if rising else -amount
                gain = 0.0
                for e in range(indptr[c], indptr[c + 1]):
                    r = rows[e]
                    gain += _excess(sums[r] + weights[e] * step, floor[r], ceiling[r])
                    gain -= _excess(sums[r], floor[r], ceiling[r])
                seen += indptr[c + 1] - indptr[c]
                if gain < best:
                    best, chosen, change = gain, c, step
            # In a long row the first move that harms no other row will do.
            if best <= -1 and best == -abs(weight * change) and stop - first > LONG and c == chosen:
                break
        if chosen < 0:
            continue
        point[chosen] += change
        last[chosen] = move
        for e in range(indptr[chosen], indptr[chosen + 1]):
            sums[rows[e]] += weights[e] * change
    for r in range(k):
        if _excess(sums[r], floor[r], ceiling[r]) > 0:
            return False, seen
    return True, seen
