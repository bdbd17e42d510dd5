"""t-closeness: how far a group's sensitive values are from those of the table, as the work of moving one onto the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError, MeasureError
from discreet.measures._models import posterior
from discreet.measures._pmf import p_s, per_x
from discreet.measures._registry import measure

if TYPE_CHECKING:
    from discreet.joint._joint import Joint
    from discreet.tables._labels import Label

Ground = Literal["equal", "ordered"]
SOME_PAIRS = 1 << 18


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
    distance = closeness_by_group(joint, ground) if paths is None else closeness_in_tree(joint, paths)
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


@measure(
    "t_hier",
    "t-closeness of values in a hierarchy",
    kind="pmf",
    role="leakage",
    units="share",
    formula="max_x 1/h Σ_levels Σ_v (p(v|x) − p(v))⁺ over the nodes v of the h levels below the root",
    reference="[Li et al. 2007, IV-C]",
    needs_hierarchy=True,
)
def hierarchical_closeness(joint: Joint, *, paths: Mapping[Label, Sequence[str]] | None = None) -> float:
    """The same where values stand in a tree, and two are as far apart as their lowest common node is high.

    `t_closeness(joint, paths=...)`: the mean over the levels below the root of the total variation between a group and the
    table there, at most `t`. It needs the hierarchy, {s: (s, …, root)}.

    Examples
    --------
    >>> from discreet import Joint
    >>> joint = Joint.from_pairs([("flu", "a"), ("cold", "b"), ("gout", "a"), ("gout", "b")])
    >>> tree = {"flu": ("flu", "lungs", "*"), "cold": ("cold", "lungs", "*"), "gout": ("gout", "joints", "*")}
    >>> t_closeness(joint), hierarchical_closeness(joint, paths=tree)
    (0.25, 0.125)
    """
    joint.require_counts()
    if paths is None:
        raise MeasureError("t_hier needs the hierarchy of the sensitive values: paths={value: (value, …, root)}")
    return t_closeness(joint, paths=paths)


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


def closeness_in_tree(joint: Joint, paths: Mapping[Label, Sequence[str]]) -> FloatArray:
    """EMD(p(s|x), p(s)) of every group on a tree whose leaves have one height: a mean of total variations.

    Two values whose lowest common node is j of h levels up are j/h apart, and differ at just the j levels below it. So the
    distance is a sum over levels, and the least work, what crosses every edge [Li et al., IV-C], is the mean over the h levels
    below the root of the total variation between what a group and the table have there.
    """
    from scipy import sparse

    joint.require_counts()
    places = nodes_by_level(joint.s, paths)
    q, prior = posterior(joint), p_s(joint)
    shares = sparse.csc_array((q, joint.counts.indices, joint.counts.indptr), shape=joint.counts.shape)
    found = np.zeros(joint.n_x)
    for node in places:
        table = np.bincount(node, prior)
        merge = sparse.csr_array((np.ones(len(node)), (node, np.arange(len(node)))), shape=(len(table), len(node)))
        group = sparse.csc_array(merge @ shares)
        gained = np.maximum(group.data - table[group.indices], 0.0)
        found += np.add.reduceat(gained, group.indptr[:-1])  # every group has a value, so none of them is empty
    return found / len(places)


def nodes_by_level(labels: Sequence[Label], paths: Mapping[Label, Sequence[str]]) -> list[IntArray]:
    """For every level below the root the number of each value's node; a node is known by its way to the root."""
    absent = sum(label not in paths for label in labels)
    if absent:
        raise InputError(f"the hierarchy lacks {absent} of {len(labels)} sensitive values")
    ways = [tuple(paths[label]) for label in labels]
    if len({len(way) for way in ways}) != 1 or len({way[-1] for way in ways}) != 1 or len(ways[0]) < 2:
        raise InputError("a hierarchy for t-closeness has all its leaves at one height below one root")
    found = [np.arange(len(ways))]
    for level in range(1, len(ways[0]) - 1):
        number: dict[tuple[str, ...], int] = {}
        found.append(np.array([number.setdefault(way[level:], len(number)) for way in ways]))
    return found
