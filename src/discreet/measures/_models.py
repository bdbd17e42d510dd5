"""What others ask of every group: diversity, likeness and disclosure, each as the value of the worst group.

q is the distribution of S within a group, p that in the whole table. All of them are read off the pairs that occur, so that
they cost what reading the counts costs.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from discreet._typing import FloatArray
from discreet.errors import MeasureError
from discreet.measures._pmf import lift, p_s, per_x
from discreet.measures._registry import measure

if TYPE_CHECKING:
    from discreet.joint._joint import Joint


def posterior(joint: Joint) -> FloatArray:
    """p(s|x) of every distinct pair, in storage order."""
    joint.require_counts()
    return np.asarray(joint.counts.data / joint.records[joint.x_of_pair], dtype=np.float64)


@measure(
    "l_ent",
    "entropy l-diversity",
    kind="pmf",
    role="uncertainty",
    units="count",
    formula="min_x 2^H(S|X=x)",
    reference="[Machanavajjhala et al. 2007, Def 4.1]",
)
def entropy_diversity(joint: Joint) -> float:
    """How many equally likely values the worst group is worth: at most k, and less where one value prevails.

    min_x 2^{H(S|X=x)}. A group of two values at 9 to 1 counts for 1.38.

    Examples
    --------
    >>> from discreet import Joint
    >>> round(entropy_diversity(Joint.from_array([[9, 1], [1, 1]])), 2)
    1.38
    """
    return float(entropy_by_group(joint).min())


def entropy_by_group(joint: Joint) -> FloatArray:
    """2^H(S|X=x) of every group."""
    q = posterior(joint)
    return np.exp2(per_x(joint, -q * np.log2(q), np.add))


@measure(
    "c_alpha",
    "recursive (c, l)-diversity",
    kind="pmf",
    role="exposure",
    units="ratio",
    formula="max_x r_1 / (r_l + … + r_m), counts of a group in falling order",
    reference="[Machanavajjhala et al. 2007, Def 4.2]",
    least_order=2,
    whole_orders=True,
)
def recursive_diversity(joint: Joint, order: float = 2.0) -> float:
    """How far a group's commonest value outweighs the rare ones: (c, l)-diversity holds for every c above this.

    max_x r_1/(r_l + r_{l+1} + … + r_m), with r_1 ≥ r_2 ≥ … the counts of a group's values and l the order; infinite where
    a group has fewer than l values.

    Examples
    --------
    >>> from discreet import Joint
    >>> recursive_diversity(Joint.from_array([[4], [2], [2]]), order=2)
    1.0
    """
    return float(recursion_by_group(joint, order).max())


def recursion_by_group(joint: Joint, order: float) -> FloatArray:
    """r_1 / (r_l + … + r_m) of every group."""
    joint.require_counts()
    if not order >= 2 or (order % 1 and order != np.inf):
        raise MeasureError(f"(c, l)-diversity has a whole l of at least 2, not {order:g}")
    rows = joint.counts.data.astype(np.float64)
    by_count = np.lexsort((-rows, joint.x_of_pair))
    rows, starts = rows[by_count], joint.counts.indptr[:-1]
    rank = np.arange(len(rows)) - np.repeat(starts, joint.distinct)
    tail = np.add.reduceat(np.where(rank >= order - 1, rows, 0.0), starts)
    return np.asarray(np.divide(rows[starts], tail, out=np.full(len(tail), np.inf), where=tail > 0))


@measure(
    "alpha",
    "largest share",
    kind="pmf",
    role="exposure",
    units="share",
    formula="max_{s,x} p(s|x)",
    reference="[Wong et al. 2006, (α, k)-anonymity]",
)
def largest_share(joint: Joint) -> float:
    """How sure an adversary can become of some value of S: the α of (α, k)-anonymity.

    max over (s, x) of p(s|x).

    Examples
    --------
    >>> from discreet import Joint
    >>> largest_share(Joint.from_array([[3, 1], [1, 1]]))
    0.75
    """
    return float(posterior(joint).max())


@measure(
    "beta",
    "basic β-likeness",
    kind="pmf",
    role="leakage",
    units="ratio",
    formula="max_{s,x} (p(s|x) − p(s)) / p(s)",
    reference="[Cao and Karras 2012, Def 2]",
)
def basic_likeness(joint: Joint) -> float:
    """By which share of itself the probability of some value of S can grow: 2^Lr − 1.

    max over (s, x) of (p(s|x) − p(s))/p(s).

    Examples
    --------
    >>> from discreet import Joint
    >>> basic_likeness(Joint.from_array([[1, 0], [0, 3]]))
    3.0
    """
    joint.require_counts()
    return max(0.0, float(lift(joint).max()) - 1.0)


@measure(
    "beta_enh",
    "enhanced β-likeness",
    kind="pmf",
    role="leakage",
    units="ratio",
    formula="least β: (p(s|x) − p(s)) / p(s) ≤ min(β, −ln p(s))",
    reference="[Cao and Karras 2012, Def 3]",
)
def enhanced_likeness(joint: Joint) -> float:
    """The same with a ceiling for common values: infinite where one of them gains more than −ln p(s).

    The least β with (p(s|x) − p(s))/p(s) ≤ min(β, −ln p(s)) for all s and x.

    Examples
    --------
    >>> from discreet import Joint
    >>> enhanced_likeness(Joint.from_array([[1, 0], [0, 3]]))  # a gain of 3, above ln 4
    inf
    """
    return max(0.0, float(likeness_by_group(joint).max()))


def likeness_by_group(joint: Joint) -> FloatArray:
    """The least β of every group; infinite where a value gains more than its ceiling."""
    joint.require_counts()
    gain = lift(joint) - 1.0
    ceiling = -np.log(p_s(joint))[joint.counts.indices]
    return per_x(joint, np.where(gain > ceiling * (1 + 1e-12) + 1e-12, np.inf, gain), np.maximum)


@measure(
    "delta",
    "δ-disclosure",
    kind="pmf",
    role="leakage",
    formula="max_{s,x} |log p(s|x)/p(s)|",
    reference="[Brickell and Shmatikov 2008, Def 3]",
)
def disclosure_delta(joint: Joint) -> float:
    """By how many bits the probability of some value of S can rise or fall; infinite where a group lacks a value.

    max over all s and x of |log2 p(s|x)/p(s)|.

    Examples
    --------
    >>> from discreet import Joint
    >>> disclosure_delta(Joint.from_array([[1, 3], [1, 3]])), disclosure_delta(Joint.from_array([[1, 1], [0, 2]]))
    (0.0, inf)
    """
    return float(disclosure_by_group(joint).max())


def disclosure_by_group(joint: Joint) -> FloatArray:
    """|log2 p(s|x)/p(s)| of every group, the largest over s; infinite where a value is lacking."""
    joint.require_counts()
    moved = per_x(joint, np.abs(np.log2(lift(joint))), np.maximum)
    return np.where(joint.distinct < joint.n_s, math.inf, moved)
