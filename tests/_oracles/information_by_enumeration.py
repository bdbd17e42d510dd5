"""Every partition of a tiny alphabet, measured by the definitions: what the funnel's exact engines are held against."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from hypothesis import strategies as st

from discreet._typing import FloatArray
from discreet.search.information._weights import Weights


def make_weights(counts: FloatArray) -> Weights:
    """Letters by s, dense, as weights."""
    letter, s = np.nonzero(counts)
    indptr = np.searchsorted(letter, np.arange(len(counts) + 1)).astype(np.int64)
    return Weights(indptr, s.astype(np.int32), counts[letter, s].astype(np.float64), counts.shape[1])


@st.composite
def joints(draw: st.DrawFn, letters: int = 6, values: int = 4, most: int = 4, masses: bool = False) -> FloatArray:
    """Counts of letters by s, no letter empty; or, where ``masses``, sometimes a pmf."""
    n = draw(st.integers(1, letters))
    n_s = draw(st.integers(1, values))
    rows = st.lists(st.integers(0, most), min_size=n_s, max_size=n_s).filter(any)
    counts = np.array(draw(st.lists(rows, min_size=n, max_size=n)), np.float64)
    return counts / counts.sum() if masses and draw(st.booleans()) else counts


def partitions(n: int) -> Iterator[list[int]]:
    """Restricted growth strings of length n."""

    def grow(labels: list[int], used: int) -> Iterator[list[int]]:
        if len(labels) == n:
            yield labels
            return
        for label in range(used + 1):
            yield from grow([*labels, label], max(used, label + 1))

    return grow([], 0)


def figures(counts: FloatArray, labels: list[int]) -> tuple[float, float]:
    """(I(S;X̂), I(X;X̂)) in bits, from p(s, x̂) log p(s, x̂) / p(s) p(x̂) and −p(x̂) log p(x̂)."""
    total = float(counts.sum())
    joint: dict[tuple[int, int], float] = defaultdict(float)
    symbol: dict[int, float] = defaultdict(float)
    prior: dict[int, float] = defaultdict(float)
    for x, label in enumerate(labels):
        for s in range(counts.shape[1]):
            p = float(counts[x, s]) / total
            joint[s, label] += p
            symbol[label] += p
            prior[s] += p
    leakage = sum(p * math.log2(p / (prior[s] * symbol[label])) for (s, label), p in joint.items() if p > 0)
    return leakage, -sum(p * math.log2(p) for p in symbol.values())


def block_weights(counts: FloatArray, labels: list[int]) -> list[float]:
    """The weight of each block."""
    return [float(counts[[x for x, own in enumerate(labels) if own == label]].sum()) for label in set(labels)]
