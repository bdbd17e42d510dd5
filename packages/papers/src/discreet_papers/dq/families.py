"""What claims share: finite ranges gone through exhaustively, functions on them, essential suprema, and the paper's queries."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from discreet import Joint
from discreet.queries import Box, Function, Mean, QuantisedQuery, quantise
from discreet_papers.arrays import partitions_of
from discreet_papers.claims import Study

Range = npt.NDArray[np.bool_]
"""A joint range [[X, Y]]: X down, Y across."""
Floats = npt.NDArray[np.float64]

SEED = 2019
SLACK = 1e-9
SQUARE = Box([-2, -2], [2, 2])
Pieces = Sequence[tuple[float, float]]
"""A function of y by pieces: (Lebesgue measure of a set of y, the value there)."""


def ess_sup(pieces: Pieces) -> float:
    """inf{b : μ(f > b) = 0}, as the paper defines it: what happens on a null set does not count."""
    return max((value for measure, value in pieces if measure > 0), default=-math.inf)


def sup(pieces: Pieces) -> float:
    """The supremum proper."""
    return max(value for _, value in pieces)


def ranges(n_x: int, n_y: int) -> list[Range]:
    """Every joint range with n_x values of X and n_y of Y, all of them seen."""
    every = (np.array(bits, bool).reshape(n_x, n_y) for bits in itertools.product((0, 1), repeat=n_x * n_y))
    return [each for each in every if each.any(axis=0).all() and each.any(axis=1).all()]


def small_ranges(study: Study) -> list[Range]:
    """Every joint range of at most three by three values."""
    return [each for n_x, n_y in itertools.product((1, 2, 3), repeat=2) for each in ranges(n_x, n_y)]


def graph(f: Sequence[int]) -> Joint:
    """The joint range of X = 0, 1, … and Y = f(X)."""
    return Joint.from_array(np.equal.outer(np.asarray(f), np.unique(f)))


def functions(n: int) -> list[tuple[int, ...]]:
    """Every function of n letters, up to the names of its values."""
    return [tuple(each.tolist()) for each in partitions_of(n)]


def chains(n: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Every f on n letters with every g∘f."""
    for f in functions(n):
        values = sorted(set(f))
        for g in functions(len(values)):
            yield f, tuple(g[values.index(value)] for value in f)


def privacy(leakage: float) -> float:
    """P = 1/leakage [DQ, (10)], infinite where nothing leaks."""
    return math.inf if leakage == 0 else 1 / leakage


def ellipse(x: Floats) -> Floats:
    """x1² + 2 x2² [DQ, Example IV.1]."""
    return np.asarray(x[..., 0] ** 2 + 2 * x[..., 1] ** 2)


def mean_of_two(study: Study) -> QuantisedQuery:
    """The mean on the square with γ = 2 [DQ, Fig 1]."""
    return quantise(Mean(), SQUARE, error=0.5)


def quadratic(study: Study) -> QuantisedQuery:
    """x1² + 2 x2² on the square with γ = 2 [DQ, Fig 2]."""
    return quantise(Function(ellipse, 0.0, 12.0, lipschitz=12.0), SQUARE, error=0.5)


def heights(people: int, gamma: float) -> QuantisedQuery:
    """The mean height of some people between 100 and 250 cm [DQ, Example IV.2]."""
    return quantise(Mean(), Box(100, 250, people=people), error=1 / gamma)


def spread(values: Floats, partition: npt.NDArray[np.int64]) -> float:
    """max_i rad f(X_i): half the widest cell of a partition."""
    cells = [values[partition == block] for block in np.unique(partition)]
    return max(float(np.ptp(cell)) for cell in cells) / 2


def smallest(partition: npt.NDArray[np.int64]) -> int:
    """The letters of the smallest cell of a partition."""
    return int(np.unique(partition, return_counts=True)[1].min())
