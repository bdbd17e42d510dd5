# mypy: ignore-errors
"""Compiled: the smallest enclosing Euclidean ball, exact up to rounding, in any number of columns.

An LP-type problem: keep a basis of at most d + 1 points, take the farthest point outside its ball, and
replace the basis by that of basis plus point, found among their subsets. The radius grows at every exchange,
so it ends.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_TOLERANCE = 1e-11  # relative, on squared radii: what rounding leaves of points on the sphere


@njit(cache=True)
def _sphere(points, chosen, size, centre):
    """Centre (written) and squared radius of the smallest sphere through the chosen points; -1 if they are
    dependent.
    """
    d = points.shape[1]
    origin = chosen[0]
    m = size - 1
    system = np.zeros((m, m + 1))
    for i in range(m):
        for k in range(m):
            for j in range(d):
                edge = float(points[chosen[i + 1], j] - points[origin, j])
                system[i, k] += 2.0 * edge * float(points[chosen[k + 1], j] - points[origin, j])
        system[i, m] = system[i, i] / 2.0
    for i in range(m):
        pivot = i
        for k in range(i + 1, m):
            if abs(system[k, i]) > abs(system[pivot, i]):
                pivot = k
        if abs(system[pivot, i]) <= 1e-13 * (1.0 + abs(system[i, m])):
            return -1.0
        for c in range(m + 1):
            system[i, c], system[pivot, c] = system[pivot, c], system[i, c]
        for k in range(m):
            if k != i:
                factor = system[k, i] / system[i, i]
                for c in range(i, m + 1):
                    system[k, c] -= factor * system[i, c]
    squared = 0.0
    for j in range(d):
        offset = 0.0
        for i in range(m):
            offset += system[i, m] / system[i, i] * float(points[chosen[i + 1], j] - points[origin, j])
        centre[j] = float(points[origin, j]) + offset
        squared += offset * offset
    return squared


@njit(cache=True)
def _squared(points, x, centre):
    total = 0.0
    for j in range(points.shape[1]):
        t = float(points[x, j]) - centre[j]
        total += t * t
    return total


@njit(cache=True)
def enclosing_radius(points, members):
    """Radius of the smallest ball that holds the members (letters, ascending) of the lattice points."""
    d = points.shape[1]
    basis = np.empty(d + 2, dtype=np.int64)
    chosen = np.empty(d + 2, dtype=np.int64)
    best_basis = np.empty(d + 2, dtype=np.int64)
    centre, trial, best_centre = np.empty(d), np.empty(d), np.empty(d)
    basis[0], size = members[0], 1
    for j in range(d):
        centre[j] = float(points[members[0], j])
    squared = 0.0
    while True:
        farthest, outside = squared * (1 + _TOLERANCE), -1
        for x in members:
            away = _squared(points, x, centre)
            if away > farthest:
                farthest, outside = away, x
        if outside < 0:
            return np.sqrt(squared)
        basis[size] = outside
        size += 1
        best, best_size = np.inf, 0
        for subset in range(1 << (size - 1)):  # every subset of the old basis, with the new point
            m = 0
            for i in range(size - 1):
                if (subset >> i) & 1:
                    chosen[m] = basis[i]
                    m += 1
            chosen[m] = outside
            m += 1
            if m > d + 1:
                continue
            radius = _sphere(points, chosen, m, trial)
            if radius < 0.0 or radius >= best:
                continue
            holds = True
            for i in range(size):
                if _squared(points, basis[i], trial) > radius * (1 + _TOLERANCE):
                    holds = False
            if holds:
                best, best_size = radius, m
                best_basis[:m] = chosen[:m]
                best_centre[:] = trial
        if best_size == 0 or best <= squared:
            return np.sqrt(farthest)  # the exchange is at the limit of rounding: this radius holds every member
        squared, size = best, best_size
        basis[:size] = best_basis[:size]
        centre[:] = best_centre
