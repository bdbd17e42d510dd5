"""How many guesses S takes, one by one, most likely first [BF, III]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.measures._registry import measure

if TYPE_CHECKING:
    from discreet.joint._joint import Joint


@measure(
    "HG",
    "guessing entropy",
    kind="pmf",
    role="prior",
    units="guesses",
    formula="H_G(S) = Σ i p_(i)(s)",
    reference="[BF, III]",
)
def guessing_entropy(joint: Joint) -> float:
    """How many guesses S takes on average before anything is released.

    H_G(S) = Σ_i i p(s_i), values in order of falling probability; in guesses. [BF, III]

    Examples
    --------
    >>> from discreet import Joint
    >>> guessing_entropy(Joint.from_array([[2], [1], [1]]))  # 1·1/2 + 2·1/4 + 3·1/4
    1.75
    """
    joint.require_counts()
    falling = np.sort(joint.s_weight)[::-1]
    return float(np.dot(np.arange(1, joint.n_s + 1), falling)) / float(joint.total)


@measure(
    "HG|X",
    "conditional guessing entropy",
    kind="pmf",
    role="uncertainty",
    units="guesses",
    formula="H_G(S|X) = Σ p(x) H_G(S|x)",
    reference="[BF, III]",
)
def conditional_guessing_entropy(joint: Joint) -> float:
    """How many guesses S takes on average once X is seen.

    H_G(S|X) = Σ_x p(x) Σ_i i p(s_i|x), values in order of falling probability given x; in guesses. [BF, III]

    Examples
    --------
    >>> from discreet import Joint
    >>> conditional_guessing_entropy(Joint.from_array([[2, 0], [0, 1], [0, 1]]))  # half the time 1, else 1.5
    1.25
    """
    joint.require_counts()
    if "HG|X" not in joint.memo:
        joint.memo["HG|X"] = _guesses_given_x(joint) / float(joint.total)
    return joint.memo["HG|X"]


def _guesses_given_x(joint: Joint) -> float:
    """Σ_x Σ_i i n_(i)(x): guesses over all records."""
    weights = joint.counts.data
    if joint.is_integral and int(weights.max()) <= 64:
        return _by_level(joint)
    # One sort of all pairs: by x, then falling weight.
    order = np.lexsort((-weights, joint.x_of_pair))
    guess = np.arange(len(weights)) - np.repeat(joint.counts.indptr[:-1], joint.distinct) + 1
    return float(np.dot(guess.astype(np.float64), weights[order]))


def _by_level(joint: Joint) -> float:
    """Σ_x Σ_i i n_(i)(x) without sorting: with N_t(x) values of s seen at least t times, it is Σ_t N_t (N_t + 1)/2.

    The number of passes is the largest count, and each is over the pairs that are still in.
    """
    weights, x = joint.counts.data, joint.x_of_pair
    total = float(np.dot(joint.distinct, joint.distinct + 1)) / 2
    for level in range(2, int(weights.max()) + 1):
        keep = weights >= level
        weights, x = weights[keep], x[keep]
        seen = np.bincount(x).astype(np.float64)
        total += float(np.dot(seen, seen + 1)) / 2
    return total


@measure(
    "LG",
    "guessing leakage",
    kind="pmf",
    role="leakage",
    units="guesses",
    formula="H_G(S) − H_G(S|X)",
    reference="[BF, III]",
)
def guessing_leakage(joint: Joint) -> float:
    """How many guesses X saves on average.

    H_G(S) − H_G(S|X), in guesses: the stochastic brute-force guessing leakage. [BF, III]

    Examples
    --------
    >>> from discreet import Joint
    >>> guessing_leakage(Joint.from_array([[2, 0], [0, 1], [0, 1]]))
    0.5
    """
    return max(0.0, guessing_entropy(joint) - conditional_guessing_entropy(joint))
