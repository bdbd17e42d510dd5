# mypy: ignore-errors
"""Compiled: sorting by keys. NumPy's, inside a kernel, takes a second to compile."""

from __future__ import annotations

import numpy as np

from discreet._compile import helper


@helper
def sort_by(places, keys):
    """Sort places by their keys, in place; those with equal keys stay in order. Runs are merged, shortest first."""
    size = len(places)
    merged = np.empty(size, np.int64)
    width = 1
    while width < size:
        for start in range(0, size, 2 * width):
            middle, end = min(start + width, size), min(start + 2 * width, size)
            a, b = start, middle
            for i in range(start, end):
                if a < middle and (b >= end or keys[places[a]] <= keys[places[b]]):
                    merged[i] = places[a]
                    a += 1
                else:
                    merged[i] = places[b]
                    b += 1
        for i in range(size):
            places[i] = merged[i]
        width *= 2
