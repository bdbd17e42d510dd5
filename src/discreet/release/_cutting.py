"""Cutting a frontier: the one point that a multiplier, a bound on leakage or utility, or k asks for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import InputError
from discreet.release._by_k import point_with

if TYPE_CHECKING:
    from discreet.release._frontier import Frontier
    from discreet.release._points import Point

LARGEST = 1e100  # a multiplier that keeps everything already; products with it are still numbers
ROUNDING = 1e-10  # bits within which two figures of information are equal
_OUT_OF_REACH = {
    "max_leakage": "no policy leaks {:g} bits or less: the least is {:.4g} at utility {:.4g}",
    "min_utility": "no policy has a utility of {:g} or more: the most is {:.4g} with {:.4g} bits leaked",
    "min_leakage": "no policy keeps {:g} bits about S or more: the most is I(S;X) = {:.4g}, at I(X;X̂) = {:.4g}",
    "max_utility": "no policy has I(X;X̂) of {:g} bits or less: the least is {:.4g}",
}


def check_cut(
    *,
    multiplier: float | None = None,
    max_leakage: float | None = None,
    min_utility: float | None = None,
    min_leakage: float | None = None,
    max_utility: float | None = None,
    min_k: float | None = None,
) -> tuple[str, float]:
    """The one way to cut a frontier that is asked for, which can be told to be wrong before there is a frontier."""
    asked = {
        "multiplier": multiplier,
        "max_leakage": max_leakage,
        "min_utility": min_utility,
        "min_leakage": min_leakage,
        "max_utility": max_utility,
        "min_k": min_k,
    }
    named = {name: value for name, value in asked.items() if value is not None}
    if len(named) != 1:
        raise InputError(
            "name one of multiplier, max_leakage and min_utility (--multiplier, --max-leakage, --min-utility), "
            "min_k (--min-k), or for a bottleneck min_leakage and max_utility"
        )
    ((name, value),) = named.items()
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or math.isnan(value):
        raise InputError(f"{name} must be a number")
    if name == "multiplier" and value < 0:
        raise InputError(f"a multiplier weighs utility and is 0 or more, not {value:g}")
    if name == "multiplier" and math.isinf(value):
        raise InputError("a multiplier must be finite: a large one keeps everything")
    return name, min(float(value), LARGEST) if name == "multiplier" else float(value)


def point_at(frontier: Frontier, name: str, value: float) -> Point:
    """The point of a frontier that a cut of `check_cut` is about."""
    if name == "multiplier":
        return _at_multiplier(frontier, value)
    if name == "min_k":
        return point_with(frontier, value)
    fitting = ("min_leakage", "max_utility") if frontier.setting.is_bottleneck else ("max_leakage", "min_utility")
    if name not in fitting:
        raise InputError(
            f"{name} (--{name.replace('_', '-')}) does not cut a {frontier.problem}, which "
            + (
                "keeps I(S;X̂) and lowers I(X;X̂)"
                if frontier.setting.is_bottleneck
                else "lowers leakage and keeps utility"
            )
            + f": use {fitting[0]} or {fitting[1]} (--{fitting[0].replace('_', '-')}, --{fitting[1].replace('_', '-')})"
        )
    points = frontier.points
    bounded, other = (points.leakage, points.utility) if name.endswith("leakage") else (points.utility, points.leakage)
    sign = 1.0 if name.startswith("max") else -1.0
    # A bound computed another way may differ in the last digits.
    slack = 1e-12 * max(abs(value), 1.0 if name.endswith("leakage") else 0.0) if math.isfinite(value) else 0.0
    if frontier.utility == "information":
        slack = max(slack, ROUNDING)
    allowed = np.flatnonzero(sign * bounded <= sign * value + slack)
    if len(allowed) == 0:
        nearest = int(np.argmin(sign * bounded))
        raise InputError(_OUT_OF_REACH[name].format(value, bounded[nearest], other[nearest]))
    # With an upper bound one wants the most of the other measure, with a lower bound the least.
    point = points[int(allowed[np.argmin(-sign * other[allowed])])]
    return frontier.engine.land(frontier, point, name, value)


def _at_multiplier(frontier: Frontier, value: float) -> Point:
    if frontier.leakage == "I" and value > 1:
        ends = "everything is merged, as at 1" if frontier.setting.is_bottleneck else "nothing is merged, as at 1"
        raise InputError(
            f"λ = {value:g} is outside [0, 1]: I(S;X̂) never falls by more than I(X;X̂) does, so above 1 {ends}"
        )
    stopped = frontier.engine.stop(frontier, value)
    if stopped is not None:
        return stopped
    sign = -1.0 if frontier.setting.is_bottleneck else 1.0
    lagrangian = sign * (frontier.points.leakage - value * frontier.points.utility)
    if frontier.utility != "information":
        return frontier.points[int(np.argmin(lagrangian))]
    # Of equals the finest, but the coarsest at the end where everything is to be merged: λ = 1 makes every merge of
    # letters with no s in common a tie.
    equal = np.flatnonzero(lagrangian <= lagrangian.min() + ROUNDING)
    merges_all = value == (1.0 if frontier.setting.is_bottleneck else 0.0)
    return frontier.points[int(equal[-1 if merges_all else 0])]
