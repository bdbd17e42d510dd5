"""What others ask of every group: diversity, t-closeness, likeness and disclosure, each as the value of the worst group.

q is the distribution of S within a group, p that in the whole table. All of them are read off the pairs that occur, so that
they cost what reading the counts costs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError, MeasureError
from discreet.measures._pmf import lift, p_s, per_x
from discreet.measures._registry import measure

if TYPE_CHECKING:
    from discreet.joint._joint import Joint
    from discreet.tables._labels import Label

Ground = Literal["equal", "ordered"]


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


@measure(
    "t",
    "t-closeness",
    kind="pmf",
    role="leakage",
    units="share",
    formula="max_x EMD(p(s|x), p(s))",
    reference="[Li et al. 2007, IV]",
)
def t_closeness(joint: Joint, *, ground: Ground = "equal", paths: Mapping[Label, Sequence[str]] | None = None) -> float:
    """How far the distribution of S within some group is from that of the whole table, as an earth mover's distance.

    max_x EMD(p(s|x), p(s)), from 0 to 1. All values are equally far apart (total variation); "ordered": neighbours in their
    order are 1/(|[[S]]| − 1) apart; with `paths`, {s: (s, …, root)} of a hierarchy, two values are as far apart as their
    lowest common node is high.

    Examples
    --------
    >>> from discreet import Joint
    >>> t_closeness(Joint.from_array([[1, 0], [0, 1]]))
    0.5
    >>> groups = {"a": (3, 4, 5), "b": (6, 8, 11), "c": (7, 9, 10)}
    >>> salaries = Joint.from_pairs([(s, x) for x, values in groups.items() for s in values])
    >>> round(float(closeness_by_group(salaries, "ordered")[0]), 3)  # Li et al., IV-A
    0.375
    """
    distance = closeness_by_group(joint, ground) if paths is None else _by_hierarchy(joint, paths)
    return float(distance.max())


@measure(
    "t_ord",
    "t-closeness of ordered values",
    kind="pmf",
    role="leakage",
    units="share",
    formula="max_x EMD(p(s|x), p(s)), neighbours in the order of S 1/(|[[S]]| − 1) apart",
    reference="[Li et al. 2007, IV-A]",
    reads_order=True,
)
def ordered_closeness(joint: Joint) -> float:
    """The same where values have an order and neighbours mean nearly the same: `t_closeness(joint, ground="ordered")`.

    max_x 1/(m−1) Σ_i |Σ_{j≤i} (p(s_j|x) − p(s_j))| over the m values of S in their order.

    Examples
    --------
    >>> from discreet import Joint
    >>> ordered_closeness(Joint.from_pairs([(1, "a"), (2, "a"), (3, "b")]))
    0.5
    """
    return t_closeness(joint, ground="ordered")


def closeness_by_group(joint: Joint, ground: Ground = "equal") -> FloatArray:
    """EMD(p(s|x), p(s)) of every group."""
    q, prior = posterior(joint), p_s(joint)
    if ground == "equal":
        return np.maximum(0.0, per_x(joint, np.maximum(q - prior[joint.counts.indices], 0.0), np.add))
    if ground != "ordered":
        raise InputError(f"ground {ground!r} is not known: use 'equal', 'ordered', or the paths of a hierarchy")
    return _ordered(joint, q, prior) / max(1, joint.n_s - 1)


def _ordered(joint: Joint, q: FloatArray, prior: FloatArray) -> FloatArray:
    """Σ_i |Q_i − P_i| of every group, Q and P cumulated.

    Q is constant from one value of the group to the next, and P never falls, so that a stretch of the sum splits where P
    crosses Q: two looks into the cumulated P, whatever the number of values between. Groups are worked on some at a time, so
    that what is in between stays small.
    """
    total = np.cumsum(prior)[:-1]  # the last term is |1 − 1|
    upto = np.concatenate([[0.0], np.cumsum(total)])
    bounds = joint.counts.indptr
    cuts = np.unique(np.searchsorted(bounds, [*range(0, int(bounds[-1]), SOME_PAIRS), int(bounds[-1])]))
    found = np.empty(joint.n_x)
    for low, high in pairwise(cuts.tolist()):
        first, last = bounds[low], bounds[high]
        at = joint.counts.indices[first:last].astype(np.int64)
        found[low:high] = _some_ordered(at, q[first:last], bounds[low : high + 1] - first, (total, upto))
    return found


SOME_PAIRS = 1 << 18


def _some_ordered(
    at: IntArray, q: FloatArray, bounds: npt.NDArray[Any], cumulated: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """The same of some groups: the places of their values, how likely these are, and where the groups begin and end."""
    total, upto = cumulated
    starts = bounds[:-1]
    level = np.cumsum(q)
    level -= np.repeat(level[starts] - q[starts], np.diff(bounds))
    after = np.empty_like(at)
    after[:-1] = at[1:]
    after[bounds[1:] - 1] = len(total)
    begin, end = np.minimum(at, len(total)), np.minimum(after, len(total))
    cross = np.clip(np.searchsorted(total, level), begin, end)
    below = level * (cross - begin) - (upto[cross] - upto[begin])
    above = upto[end] - upto[cross] - level * (end - cross)
    first = upto[np.minimum(at[starts], len(total))]  # before the group's first value Q is 0
    return np.asarray(np.add.reduceat(below + above, starts) + first)


def _by_hierarchy(joint: Joint, paths: Mapping[Label, Sequence[str]]) -> FloatArray:
    """EMD on a tree of one height: what children cannot settle travels through their node [Li et al., IV-C]."""
    from scipy import sparse

    absent = [label for label in joint.s if label not in paths]
    if absent:
        raise InputError(f"the hierarchy lacks {len(absent)} of {joint.n_s} sensitive values")
    height = {len(paths[label]) for label in joint.s}
    if len(height) != 1:
        raise InputError("a hierarchy for t-closeness has all its leaves at one height")
    steps = height.pop() - 1
    extra = (
        sparse.csr_array(
            sparse.csc_array((posterior(joint), joint.counts.indices, joint.counts.indptr), shape=joint.counts.shape)
        ).toarray()
        - p_s(joint)[:, None]
    )
    moved = np.zeros(joint.n_x)
    names = [tuple(paths[label]) for label in joint.s]
    for level in range(1, steps + 1):
        parent_of = [name[1:] for name in names]
        parents = {parent: i for i, parent in enumerate(dict.fromkeys(parent_of))}
        owner = np.array([parents[parent] for parent in parent_of])
        gained, lost = np.zeros((len(parents), joint.n_x)), np.zeros((len(parents), joint.n_x))
        np.add.at(gained, owner, np.maximum(extra, 0.0))
        np.add.at(lost, owner, np.maximum(-extra, 0.0))
        moved += level / steps * np.minimum(gained, lost).sum(axis=0)
        extra, names = gained - lost, list(parents)
    return moved
