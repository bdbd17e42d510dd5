"""What a release could tell the adversary whom it suits best: capacities over all gain functions, each in closed form."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.measures._pmf import p_s, p_x, per_x

if TYPE_CHECKING:
    from discreet.joint._joint import Joint


@dataclass(frozen=True)
class Capacities:
    """The largest g-leakages of a release, over all gain functions of a class [Alvim et al. 2014; 2020, Ch 7].

    `multiplicative` is the most that winnings grow by as a factor, whatever the prior and the gains of at least 0: its
    logarithm is maximal leakage. `additive` is the most that they grow by as a difference, at this prior, for gains of an
    action that differ by 1 at the most. `additive_bounded` is the same for gains of at most 1 under which nobody ever loses.
    """

    multiplicative: float
    additive: float
    additive_bounded: float

    def to_dict(self) -> dict[str, Any]:
        """Plain figures."""
        return asdict(self)


def capacities(joint: Joint) -> Capacities:
    """The largest g-leakages over all gain functions: Σ_x max_s p(x|s); Σ_x p(x) TV(p(s|x), p(s)); 1 − Σ_x min_s p(x|s).

    Examples
    --------
    >>> from discreet import Joint
    >>> capacities(Joint.from_channel([0.5, 0.5], [[0.75, 0.25], [0.25, 0.75]]))
    Capacities(multiplicative=1.5, additive=0.25, additive_bounded=0.5)
    """
    joint.require_counts()
    given = joint.counts.data / joint.s_weight[joint.counts.indices]
    most = per_x(joint, given, np.maximum)
    least = np.where(joint.distinct == joint.n_s, per_x(joint, given, np.minimum), 0.0)
    pairs = joint.counts.data / float(joint.total)
    apart = pairs - p_s(joint)[joint.counts.indices] * p_x(joint)[joint.x_of_pair]
    return Capacities(float(most.sum()), float(apart[apart > 0].sum()), max(0.0, 1.0 - float(least.sum())))
