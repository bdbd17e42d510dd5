"""Lower bounds on the cost at each level that need no search; where exact search starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.search.ranges._closed_forms import degrees_of, most_blocks
from discreet.search.ranges._costs import required_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet._typing import FloatArray, IntArray
    from discreet.search._letters import Letters


def lower_bounds(
    letters: Letters,
    component_of: IntArray,
    leakage: str,
    distances: FloatArray | None,
    codeword: str,
    levels: Sequence[int],
) -> FloatArray:
    """A proven lower bound on the cost at each of ``levels``, which go from easy to hard.

    ``distances`` between letters make it distortion; None stands for block size.
    """
    bounds = np.full(len(levels), 1.0 if distances is None else 0.0)
    if leakage != "I*" and distances is None:
        degrees = degrees_of(letters)
        for rank, k in enumerate(levels):
            bounds[rank] = max(-(-letters.n // most_blocks(degrees, k)), _fewest_letters(letters, k))
    elif leakage != "I*" and distances is not None:
        bounds = _distinct_radii(letters, distances, codeword)
    if leakage != "L0" and distances is not None:
        steps = _joining_steps(component_of, distances, codeword)
        merges = [len(levels) - level for level in levels] if leakage == "I*" else [len(steps)] * len(levels)
        joined = [steps[m - 1] if m else 0.0 for m in merges]
        bounds = np.maximum(bounds, joined)
    return np.asarray(np.maximum.accumulate(bounds))


def _joining_steps(component_of: IntArray, distances: FloatArray, codeword: str) -> list[float]:
    """Bounds on the cost of leaving c - 1, c - 2, ... components, from a minimum spanning tree of them.

    Letters in a ball of radius D are at most 2D apart (D from their medoid), so blocks of cost D join no more
    components than edges up to that length do.
    """
    count = int(component_of.max()) + 1
    order = np.argsort(component_of, kind="stable")
    starts = np.searchsorted(component_of[order], np.arange(count))
    between = np.minimum.reduceat(np.minimum.reduceat(distances[order][:, order], starts, axis=0), starts, axis=1)
    steps: list[float] = []
    nearest = between[0].copy()
    outside = np.ones(count, bool)
    outside[0] = False
    for _ in range(count - 1):
        chosen = int(np.argmin(np.where(outside, nearest, np.inf)))
        steps.append(float(nearest[chosen]) / (1.0 if codeword == "medoid" else 2.0))
        outside[chosen] = False
        nearest = np.minimum(nearest, between[chosen])
    return sorted(steps)


def _fewest_letters(letters: Letters, least: int) -> int:
    """Letters in the block of one that sees fewest s, if those that see most joined it, no s in common."""
    sizes = np.diff(letters.indptr)
    poorest = int(sizes.min())
    if poorest >= least:
        return 1
    others = np.cumsum(-np.sort(-np.delete(sizes, int(np.argmin(sizes)))))
    return 2 + int(np.searchsorted(others, least - poorest))


def _distinct_radii(letters: Letters, distances: FloatArray, codeword: str) -> FloatArray:
    """For each k the narrowest block with k distinct s round the letter where that is widest. SPEC 9."""
    levels = range(1, letters.n_s + 1)
    if codeword != "medoid" and required_values(letters).shape[1] == 1:
        return np.array([_window_radius(letters, k) for k in levels])
    reach = np.stack([_reaches(letters, away) for away in distances])
    if codeword == "medoid":  # the block has a letter at its centre, and must reach from there
        return np.array([np.maximum(distances, reach[:, k - 1]).min(axis=1).max() for k in levels])
    return np.asarray(reach.max(axis=0) / 2)


def _reaches(letters: Letters, away: FloatArray) -> FloatArray:
    """For each k the least radius within which k distinct s are seen, with all letters so far away."""
    nearest = np.full(letters.n_s, np.inf)
    np.minimum.at(nearest, letters.indices, np.repeat(away, np.diff(letters.indptr)))
    return np.sort(nearest)


def _window_radius(letters: Letters, least: int) -> float:
    """The same in one column: half the narrowest window with ``least`` distinct s, widest over letters."""
    values = required_values(letters)
    order = np.argsort(values[:, 0], kind="stable")
    x = values[order, 0]
    counts = np.zeros(letters.n_s, np.int64)
    last = np.full(letters.n, letters.n)  # where the window that starts here first has enough
    distinct, end = 0, 0
    for start in range(letters.n):
        while end < letters.n and distinct < least:
            for s in letters.range_of(int(order[end])):
                distinct += int(counts[s] == 0)
                counts[s] += 1
            end += 1
        if distinct < least:
            break
        last[start] = end - 1
        for s in letters.range_of(int(order[start])):
            counts[s] -= 1
            distinct -= int(counts[s] == 0)
    widths = np.where(last < letters.n, x[np.minimum(last, letters.n - 1)] - x, np.inf)
    widest = 0.0
    for at in range(letters.n):
        # Windows that are complete before this letter are stretched to it, the last of them least.
        before = int(np.searchsorted(last, at, side="right")) - 1
        narrowest = float(x[at] - x[before]) if before >= 0 else np.inf
        if before < at:
            narrowest = min(narrowest, float(widths[before + 1 : at + 1].min()))
        widest = max(widest, narrowest)
    return widest / 2
