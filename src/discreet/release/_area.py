"""What a frontier is worth: its two axes within the unit square, and the share of it that points dominate."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from discreet.measures import entropy
from discreet.release._hypervolume import hypervolume

if TYPE_CHECKING:
    from discreet._typing import FloatArray
    from discreet.release._points import Points, Setting


def normalised(setting: Setting, leakage: FloatArray, utility: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both axes between 0 (best) and 1: leakage over its prior, utility lost over the most there is to lose."""
    most = entropy(setting.joint) if setting.leakage == "I" else math.log2(setting.joint.n_s)
    lost = setting.unit - utility
    span = setting.unit - setting.worst
    return (leakage / most if most > 0 else leakage * 0, lost / span if span > 0 else lost * 0)


def area(setting: Setting, leakage: FloatArray, utility: FloatArray) -> float:
    """The hypervolume of points, in the box that ends at what releasing everything leaks where the setting says so."""
    x, y = normalised(setting, leakage, utility)
    if setting.most is not None:
        x = leakage / setting.most if setting.most > 0 else leakage * 0
    return hypervolume(1 - x, 1 - y) if setting.is_bottleneck else hypervolume(x, y)


def area_bound(points: Points, bound: FloatArray) -> float:
    """The hypervolume that no frontier can exceed, from the bounds at the utility of points.

    Between two neighbouring points a policy is at most as useful as the one, and by the bound leaks no less than is
    proven at the utility of the other; bounds are monotone. Beyond the ends, where a side condition or the time kept the
    finest or the coarsest policy from being a point, it is as useful as can be, or leaks nothing.
    """
    setting, utility = points.setting, points.utility
    if setting.is_bottleneck:  # what is kept at most, at the utility of the next coarser point
        return area(setting, np.append(setting.most or 0.0, bound), np.append(utility, setting.worst))
    return area(setting, np.append(bound, 0.0), np.append(setting.unit, utility))
