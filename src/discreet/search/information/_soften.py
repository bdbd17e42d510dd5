"""Soft policies that a hard frontier does not dominate, as channels that can release a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet import _checks as checks
from discreet.release._channels import Channel
from discreet.search.information._soft_funnel import soft_frontier
from discreet.search.information._weights import weights_of

if TYPE_CHECKING:
    from discreet._typing import Progress
    from discreet.release._frontier import Frontier

STARTS = 40  # hard policies that the soft search starts from


def soften(frontier: Frontier, *, seed: int, time_limit: float, progress: Progress | None) -> list[Channel]:
    """The non-dominated soft policies found from a frontier's hard ones, most useful first."""
    seed, time_limit = checks.seed(seed), checks.time_limit(time_limit)
    joint = frontier.setting.joint
    spread = np.unique(np.linspace(0, len(frontier.points) - 1, STARTS).astype(np.int64))
    found = soft_frontier(
        weights_of(joint),
        "bottleneck" if frontier.setting.is_bottleneck else "funnel",
        hard=[frontier.points[int(i)].block_of for i in spread],
        seed=seed,
        time_limit=time_limit,
        progress=progress,
    )
    return [Channel.from_matrix(joint, point.channel) for point in found]
