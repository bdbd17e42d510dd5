"""Inputs of perfect sample privacy: pmfs with zeros and ties, latents, families."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from discreet._typing import FloatArray

SHAPES = ((2, 2), (2, 3), (3, 3), (2, 2, 2), (2, 2, 3), (1, 2, 2))


@st.composite
def pmfs(draw: st.DrawFn, shapes: tuple[tuple[int, ...], ...] = SHAPES) -> FloatArray:
    """p from small counts, so that zeros and ties are common; or from random numbers."""
    shape = draw(st.sampled_from(shapes))
    size = int(np.prod(shape))
    if draw(st.booleans()):
        counts = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size).filter(lambda c: sum(c) > 0))
        return np.array(counts, float).reshape(shape) / sum(counts)
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    return rng.dirichlet(np.ones(size)).reshape(shape)


@st.composite
def problems(
    draw: st.DrawFn, shapes: tuple[tuple[int, ...], ...] = SHAPES
) -> tuple[FloatArray, FloatArray | None, list[tuple[int, ...]]]:
    """p, a latent or none, and a family."""
    p = draw(pmfs(shapes))
    latent = None
    if draw(st.booleans()):
        rng = np.random.default_rng(draw(st.integers(0, 10_000)))
        outcomes = draw(st.integers(1, 3))
        latent = rng.dirichlet(np.ones(outcomes), size=p.shape)
        if draw(st.booleans()):
            latent = np.eye(outcomes)[latent.argmax(-1)]
    groups: list[tuple[int, ...]] = [(i,) for i in range(p.ndim)]
    if p.ndim == 3 and draw(st.booleans()):
        groups = [(0, 1), (2,)] if draw(st.booleans()) else [(0, 1), (1, 2)]
    return p, latent, groups


def iid(n: int, q: float) -> FloatArray:
    """n independent Bernoulli(q) samples."""
    p = np.ones(())
    for _ in range(n):
        p = np.multiply.outer(p, np.array([1 - q, q]))
    return p


def noisy_copies(n: int, w: float, crossover: float) -> tuple[FloatArray, FloatArray]:
    """W ~ Bernoulli(w), n samples of it through a BSC: p(xⁿ) and p(w|xⁿ)."""
    joint = np.zeros((2,) * n + (2,))
    for outcome, prior in enumerate((1 - w, w)):
        one = np.array([1 - crossover, crossover]) if outcome == 0 else np.array([crossover, 1 - crossover])
        part = np.ones(())
        for _ in range(n):
            part = np.multiply.outer(part, one)
        joint[..., outcome] = prior * part
    p = joint.sum(-1)
    return p, joint / p[..., None]
