"""Cutting a frontier by k, the fewest distinct s in a block, which people ask for rather than bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet._typing import IntArray
    from discreet.joint._joint import Joint
    from discreet.release._frontier import Frontier
    from discreet.release._points import Point, Points


@dataclass(frozen=True, eq=False)
class Levels:
    """A policy for every k that a method was asked for, weakest first.

    A frontier keeps what no policy beats by its worst case. A method that makes one policy for each k, such as Mondrian, may
    have a finer one for k = 5 than for k = 6 all the same, and here it is.
    """

    asked: IntArray
    points: Points

    def at(self, k: int) -> Point | None:
        """The policy for k, or for the next k that was asked for; None where there is none."""
        place = int(np.searchsorted(self.asked, k))
        return self.points[place] if place < len(self.asked) else None

    def to_list(self) -> list[dict[str, float]]:
        """The figures of each, for JSON."""
        return [
            {"k": int(k), "leakage": point.leakage, "utility": point.utility}
            for k, point in zip(self.asked, self.points, strict=True)
        ]


def fewest_distinct(joint: Joint, block_of: IntArray) -> int:
    """The fewest distinct s in a block."""
    pairs = np.unique(block_of[joint.x_of_pair].astype(np.int64) * joint.n_s + joint.counts.indices)
    return int(np.unique(pairs // joint.n_s, return_counts=True)[1].min())


def point_with(frontier: Frontier, k: float) -> Point:
    """The policy for at least k distinct s in every block: the method's own for that k, else the finest point that has it."""
    joint = frontier.setting.joint
    if k != int(k) or k < 1:
        raise InputError(f"min_k counts values of the sensitive column: a whole number of at least 1, not {k:g}")
    if k > joint.n_s:
        raise InputError(f"no policy has {k:g} distinct values in every group: the sensitive column has {joint.n_s:,}")
    own = frontier.levels.at(int(k)) if frontier.levels is not None else None
    if own is not None:
        return own
    for point in frontier.points:  # finest first
        if fewest_distinct(joint, point.block_of) >= k:
            return point
    about = "" if frontier.leakage == "L0" else f": it is about {frontier.leakage}, and leakage L0 is about them"
    raise InputError(f"no policy of this frontier has {k:g} distinct values in every group{about}")
