"""t-closeness: how far a group's sensitive values are from those of the table, as the work of moving one onto the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError
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
