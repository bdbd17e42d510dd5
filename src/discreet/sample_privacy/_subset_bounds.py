"""Upper bounds on I(W;Y) from a part of the samples.

For any set A of samples, I(W;Y) ≤ I(W, X_A; Y) = I(X_A;Y) + I(W;Y|X_A) ≤ Î_s(X_A) + I(W;Xⁿ|X_A), where Î_s(X_A) is
what can be disclosed of X_A when Y is independent of X_{g∩A} for every private g. A private group as A has Î_s = 0:
Proposition 2 of [SP]. With W = Xⁿ the bound reads H(Xⁿ) − D(X_A), D(X_A) = min H(X_A|Y).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet import _clock
from discreet.sample_privacy._problem import Problem, Program, entropy, family, independent_rows, sums_by

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet._typing import FloatArray, IntArray
    from discreet.sample_privacy._optimising import Limits
    from discreet.sample_privacy._symmetric import Types

PART_CELLS = 64  # cells of a part that is solved exactly in seconds
ALIKE_CELLS = 256  # the same when its samples are exchangeable


def marginal(problem: Problem, samples: tuple[int, ...]) -> FloatArray:
    """p(x_A), one axis a sample of A."""
    others = tuple(i for i in range(problem.n) if i not in samples)
    return np.asarray(problem.p.sum(axis=others))


def rest_information(problem: Problem, samples: tuple[int, ...]) -> float:
    """I(W;Xⁿ|X_A) in bits: what the other samples add about W."""
    part = marginal(problem, samples)
    if problem.latent is None:
        return float(entropy(problem.p) - entropy(part))
    latent = problem.latent * problem.p[..., None]
    others = tuple(i for i in range(problem.n) if i not in samples)
    with_part = entropy(latent.sum(axis=others)) - entropy(part)
    with_all = entropy(latent) - entropy(problem.p)
    return float(with_part - with_all)


def by_groups(problem: Problem) -> float:
    """min over private g of I(W;Xⁿ|X_g), and I(W;Xⁿ) itself [SP, (4)]."""
    return max(0.0, min(rest_information(problem, group) for group in [(), *problem.private]))


def by_groups_of_types(types: Types, latent: FloatArray | None) -> float:
    """`by_groups` for exchangeable samples, from types; ``latent`` is p(w|type), or None for the samples as W."""
    bounds = []
    for given in [np.ones((1, len(types.p))), *types.marginals]:
        part = entropy(given @ types.p)
        if latent is None:
            bounds.append(float(types.entropy - part))
            continue
        joint = types.p[:, None] * latent
        bounds.append(float(entropy(given @ joint) - part - entropy(joint) + entropy(types.p)))
    return max(0.0, min(bounds))


def part_of(problem: Problem, samples: tuple[int, ...]) -> Problem:
    """Self-disclosure of X_A, with the traces of the private groups on A."""
    place = {sample: k for k, sample in enumerate(samples)}
    traces = [tuple(place[i] for i in group if i in place) for group in problem.private]
    p = marginal(problem, samples)
    return Problem(p, None, family([t for t in traces if t], len(samples)), np.argwhere(p > 0).astype(np.int64))


def widest_part(problem: Problem, most: int) -> tuple[int, ...]:
    """Samples with the largest entropies whose cells are at most that many."""
    spread = [float(entropy(marginal(problem, (i,)))) for i in range(problem.n)]
    chosen, cells = [], 1
    for i in sorted(range(problem.n), key=lambda i: (-spread[i], i)):
        if cells * problem.p.shape[i] <= most:
            chosen.append(i)
            cells *= problem.p.shape[i]
    return tuple(sorted(chosen))


def merged_letters(problem: Problem, most: int) -> IntArray:
    """The support with neighbouring values of each sample as one letter, so that cells are at most that many."""
    shape = np.array(problem.p.shape)
    letters = shape.copy()
    while np.prod(letters, dtype=float) > most:
        letters[letters.argmax()] -= 1
    return np.asarray(problem.cells * letters // shape, np.int64)


def part_program(problem: Problem, seen: IntArray) -> tuple[Program, IntArray]:
    """The program of a Y that sees a function Z of the samples only, and the value of Z at each cell of the support.

    ``seen`` has a row for each cell of the support. Y is independent of X_g when its posterior u of Z leaves
    P(x_g) = Σ_z P(x_g|z) u(z) as it is.
    """
    kind = np.unique(seen, axis=0, return_inverse=True)[1].ravel()
    p = sums_by(kind, problem.weights)
    rows = [np.ones((1, len(p)))]
    for group in problem.private:
        value = np.unique(problem.cells[:, list(group)], axis=0, return_inverse=True)[1].ravel()
        joint = np.zeros((int(value.max()) + 1, len(p)))
        np.add.at(joint, (value, kind), problem.weights)
        rows.append(joint / p)
    latent = problem.latent_weights
    if latent is not None:
        latent = np.stack([sums_by(kind, problem.weights * column) / p for column in latent.T])
    return Program(independent_rows(np.concatenate(rows), p), p, latent), kind


def part_of_types(types: Types, k: int) -> Problem:
    """Self-disclosure of k of n exchangeable samples, from the pmf of the type.

    P(X_A = z | type) = Π_v (N_v)_(c_v) / (n)_k, falling factorials; N_v and c_v count value v in the type and in z.
    """
    n, values = types.n, types.shape[0]
    cells = np.argwhere(np.ones((values,) * k, bool)).astype(np.int64)
    drawn = (cells[:, :, None] == np.arange(values)).sum(1)
    p = np.zeros(len(cells))
    for weight, counts in zip(types.p, types.counts[:, 0, :], strict=True):
        term = np.full(len(cells), weight)
        for value in range(values):
            falling = np.cumprod(np.append(1.0, counts[value] - np.arange(k)).clip(0))
            term *= falling[drawn[:, value]]
        p += term
    p = (p / np.prod(n - np.arange(k, dtype=float))).reshape((values,) * k)
    p /= p.sum()
    return Problem(p, None, tuple((i,) for i in range(k)), np.argwhere(p > 0).astype(np.int64))


def by_types(types: Types, limits: Limits, bound_of: Callable[[Problem, float], float]) -> tuple[float, int]:
    """The bound of the largest part of n exchangeable samples that is solved in seconds, and its number of samples."""
    most = max(2, int(np.log(ALIKE_CELLS + 0.5) / np.log(types.shape[0])))
    size = min(most, types.n - 1)
    part = part_of_types(types, size)
    return bound_of(part, limits.part(0.8)) + types.entropy - float(entropy(part.p)), size


def by_subsets(
    problem: Problem, classes: IntArray | None, limits: Limits, bound_of: Callable[[Problem, float], float]
) -> tuple[float, tuple[int, ...]]:
    """The best bound from parts grown one sample at a time, and its part.

    Parameters
    ----------
    problem
        The whole problem.
    classes
        Samples that may be swapped; only one of a class is tried at a time.
    limits
        The deadline.
    bound_of
        A proven upper bound on Î_s of a part, within a deadline.
    """
    best = np.inf
    chosen: tuple[int, ...] = ()
    part: tuple[int, ...] = ()
    while len(part) < problem.n - 1:
        found: tuple[float, tuple[int, ...]] | None = None
        seen = set()
        for sample in range(problem.n):
            grown = tuple(sorted({*part, sample}))
            signature = grown if classes is None else tuple(sorted(int(classes[i]) for i in grown))
            if len(grown) == len(part) or signature in seen or _clock.now() > limits.deadline:
                continue
            seen.add(signature)
            alike = classes is not None and len({int(classes[i]) for i in grown}) == 1
            if np.prod([problem.p.shape[i] for i in grown]) > (ALIKE_CELLS if alike else PART_CELLS):
                continue
            bound = bound_of(part_of(problem, grown), limits.part(0.5)) + rest_information(problem, grown)
            if found is None or bound < found[0]:
                found = bound, grown
        if found is None:
            break
        part = found[1]
        if found[0] < best:
            best, chosen = found
    return best, chosen
