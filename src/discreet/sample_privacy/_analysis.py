"""What can be said of a problem before it is solved: feasibility, bounds, how many letters [SP, II].

P is the matrix of `constraints`: Y is independent of every private group iff p − p(·|y) lies in Null(P) for every y
[SP, Lemma 1].
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet import _checks as checks
from discreet._typing import FloatArray
from discreet.errors import InputError
from discreet.sample_privacy._constraints import Constraints, null_direction
from discreet.sample_privacy._problem import entropy, family, make_problem

Groups = Sequence[Sequence[int]]


def information(joint: npt.ArrayLike) -> float:
    """I(A;B) of a joint pmf with A on the first axis and B on the second, in bits.

    Examples
    --------
    >>> information([[0.5, 0.0], [0.0, 0.5]])
    1.0
    """
    table = np.asarray(joint, dtype=np.float64)
    rows, columns = np.nonzero(table)
    p, p_a, p_b = table[rows, columns], table.sum(axis=1)[rows], table.sum(axis=0)[columns]
    product = p_a * p_b
    # The ratio is exactly one where A and B are independent; where its denominator underflows, logarithms do not.
    tiny = product < np.finfo(np.float64).tiny
    logs = np.log2(p / np.where(tiny, p, product))
    logs[tiny] = np.log2(p[tiny]) - np.log2(p_a[tiny]) - np.log2(p_b[tiny])
    return max(0.0, float(p @ logs))


def marginal(array: FloatArray, axes: Sequence[int], extra: int = 0) -> FloatArray:
    """Sum out every axis that is not among `axes`; the last `extra` axes stay. Rows are the values of X_axes."""
    n = array.ndim - extra
    kept = array.sum(axis=tuple(i for i in range(n) if i not in set(axes)))
    return np.asarray(kept.reshape(-1, *array.shape[n:]), dtype=np.float64)


def leak(p: FloatArray, channel: FloatArray, *, group: Sequence[int]) -> float:
    """I(X_g;Y) of a mapping p(y|xⁿ) of shape p.shape + (|Y|,), in bits."""
    return information(marginal(p[..., None] * channel, group, extra=1))


def windows_of(n: int, k: int) -> tuple[tuple[int, ...], ...]:
    """Every k consecutive samples out of n, the family of [SP, Cor 4.1].

    Examples
    --------
    >>> windows_of(4, 3)
    ((0, 1, 2), (1, 2, 3))
    """
    n, k = checks.count(n, name="the number of samples"), checks.count(k, name="the length of a window")
    if not 1 <= k <= n:
        raise InputError(f"windows of {k} samples do not fit: take 1 to {n} of the {n} samples")
    return tuple(tuple(range(i, i + k)) for i in range(n - k + 1))


@dataclass(frozen=True, eq=False)
class Analysis:
    """What [SP, II] says of a problem before it is solved. Informations are in bits.

    `witness` is a direction v in Null(P) with P_{W|Xⁿ} v ≠ 0, of the shape of p and with largest entry 1; p + `step`·v
    and p − `step`·v are pmfs, and revealing which of the two was drawn discloses `witness_information` about W
    [SP, Prop 1]. `residual` is max |P v|. `upper_bound` is Proposition 2 for families, min_g I(W; X_{−g} | X_g), attained at
    `binding`; `lower_bound` is H(Xⁿ) − log2 rank(P) in self-disclosure [SP, Cor 1.2], else the witness's information.
    An optimal mapping needs at most `most_letters` letters [SP, Prop 3]; at least `least_letters`, which is
    ⌈|support| / rank(P)⌉ in self-disclosure only (Corollary 1.1 fails for a general W).
    """

    feasible: bool
    reason: str
    rank: int
    nullity: int
    support: int
    witness: FloatArray | None
    step: float
    witness_information: float
    residual: float
    upper_bound: float
    binding: tuple[int, ...]
    lower_bound: float
    least_letters: int
    most_letters: int


def analyse(p: FloatArray, latent: FloatArray | None = None, *, private: Groups | None = None) -> Analysis:
    """Feasibility with a witness, bounds on I_s, and bounds on |Y| [SP, Props 1–3, Cors 1.1–1.2].

    p: pmf, one axis a sample, zeros allowed. latent: p(w|xⁿ) of shape p.shape + (|W|,), None for self-disclosure.
    private: the groups of samples that Y must be independent of, None for every single sample.

    Examples
    --------
    >>> found = analyse(np.full((2, 2), 0.25))
    >>> found.feasible, found.nullity, found.upper_bound, found.witness.tolist()
    (True, 1, 1.0, [[1.0, -1.0], [-1.0, 1.0]])
    """
    checked = make_problem(p, latent, private)
    p, latent = checked.p, checked.latent
    system = Constraints.of(p, private)
    mass = p.ravel()[system.where]
    given = None if latent is None else latent.reshape(p.size, -1)[system.where]
    direction = null_direction(system, given)
    bound, binding = simple_bound(p, latent, private)
    least, lower = 1, 0.0
    if latent is None:
        least = -(-len(system.where) // system.rank)
        lower = max(0.0, float(entropy(mass)) - math.log2(system.rank))
    if direction is None:
        reason = (
            "Null(P) = 0: the private groups determine p, so nothing can be disclosed"
            if system.nullity == 0
            else "Null(P) lies in Null(P_{W|X}): p(w|x) is a sum of functions of the private groups, so Y would be "
            "independent of W"
        )
        return Analysis(
            False, reason, system.rank, system.nullity, len(mass), None, 0.0, 0.0, 0.0, 0.0, binding, 0.0, 1, 1
        )
    step = float(np.min(mass[direction != 0] / np.abs(direction[direction != 0])))
    halves = np.stack([mass + step * direction, mass - step * direction], axis=1).clip(0) / 2
    gained = information(halves if given is None else given.T @ halves)
    witness = np.zeros(p.size)
    witness[system.where] = direction
    return Analysis(
        True,
        "Null(P) is not within Null(P_{W|X})",
        system.rank,
        system.nullity,
        len(mass),
        witness.reshape(p.shape),
        step,
        gained,
        float(np.abs(system.times(direction)).max()),
        bound,
        binding,
        max(lower, gained),
        max(least, 2),
        system.nullity + 1,
    )


def simple_bound(
    p: FloatArray, latent: FloatArray | None = None, private: Groups | None = None
) -> tuple[float, tuple[int, ...]]:
    """Proposition 2 for families: I_s ≤ min_g I(W; X_{−g} | X_g) = I(W;Xⁿ) − max_g I(W;X_g), and the g that attains it.

    The proof of (4) only uses X_g ⊥ Y, so a group may stand for the sample. In self-disclosure the bound is
    H(Xⁿ) − max_g H(X_g) [SP, Lemma 6].

    Examples
    --------
    >>> simple_bound(np.full((2, 2, 2), 0.125))
    (2.0, (0,))
    """
    groups = family(private, p.ndim) or ((),)
    if latent is None:
        total, parts = float(entropy(p)), [float(entropy(marginal(p, g))) for g in groups]
    else:
        joint = p[..., None] * latent
        total = information(joint.reshape(p.size, -1))
        parts = [information(marginal(joint, g, extra=1)) for g in groups]
    best = int(np.argmax(parts))
    return max(0.0, total - parts[best]), groups[best]
