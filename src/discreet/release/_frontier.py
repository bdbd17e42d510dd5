"""Frontier: all the policies worth having, and cutting it by multiplier, leakage or utility.

A frontier is computed once; `at` only looks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet._typing import FloatArray
from discreet.errors import InputError
from discreet.measures import entropy
from discreet.release._by_k import Levels, point_with
from discreet.release._frontier_files import read, write
from discreet.release._hypervolume import hypervolume
from discreet.release._points import Point, Points, Setting
from discreet.release._release_page import frontier_fragment
from discreet.report._plots import convergence_figure, frontier_figure

if TYPE_CHECKING:
    from discreet._typing import Progress
    from discreet.release._channels import Channel
    from discreet.release._engine import Engine
    from discreet.release._policy import Policy

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


@dataclass(frozen=True, eq=False)
class Frontier:
    """All the policies worth having between one measure of leakage and one of utility.

    Attributes
    ----------
    points
        The non-dominated policies, finest first; each has .leakage .utility .blocks .policy .bound .gap
    path
        Every policy on the merge path, in order, where the method has one, else None.
    bound
        Proven lower bound on leakage at each point's utility, one entry a point, where one is known, else None. In a
        bottleneck, where leakage is what is kept, an upper bound.
    complete
        Whether no policy that is worth having is missing, by proof.
    stopped
        What ended the search before it was done: "time", "interrupt", or nothing.
    polished
        No merge of two blocks and no move of one letter away from a point leaks less by so many bits at the same utility (a
        bottleneck keeps more); None where that was not tried, or not to the end.
    levels
        The method's own policy for every k, where it makes one for each (Mondrian, Sweeney), else None.
    """

    points: Points
    path: Points | None
    method: str
    complete: bool = False
    seconds: float = 0.0
    stopped: Literal["time", "interrupt"] | None = None
    levels: Levels | None = None
    polished: float | None = None

    @property
    def setting(self) -> Setting:
        """What the frontier is about."""
        return self.points.setting

    @property
    def engine(self) -> Engine:
        """What made the frontier and answers further questions about it."""
        return self.setting.engine

    @property
    def leakage(self) -> str:
        """The measure of leakage."""
        return self.setting.leakage

    @property
    def utility(self) -> str:
        """The measure of utility."""
        return self.setting.utility

    @property
    def bound(self) -> FloatArray | None:
        """Proven lower bound on leakage at each point's utility."""
        return self.points.bound

    @property
    def problem(self) -> str:
        """ "funnel": leakage is lowered and utility kept; "bottleneck": the reverse."""
        return self.setting.problem

    def at(
        self,
        *,
        multiplier: float | None = None,
        max_leakage: float | None = None,
        min_utility: float | None = None,
        min_leakage: float | None = None,
        max_utility: float | None = None,
        min_k: float | None = None,
    ) -> Policy:
        """The policy that the paper's algorithm returns for a multiplier λ, or the best one under a bound.

        With a multiplier: where the paper's path stops (agglomerative methods), else the point that minimises
        leakage − λ·utility. With max_leakage the most useful policy that leaks no more, with min_utility the least
        leaking one that is no less useful. A bottleneck is cut by min_leakage and max_utility: there I(S;X̂) is what
        one wants to keep. With min_k the policy that has so many distinct s in every block: the one that the method makes
        for that k, or the finest of the points. Method "pairwise" merges until the bound stops it, as its paper does, and
        may then miss a better point of its own frontier.
        """
        return self.point_at(
            multiplier=multiplier,
            max_leakage=max_leakage,
            min_utility=min_utility,
            min_leakage=min_leakage,
            max_utility=max_utility,
            min_k=min_k,
        ).policy

    def point_at(self, **cut: float | None) -> Point:
        """The point behind `at`."""
        name, value = check_cut(**cut)
        if name == "multiplier":
            return self._at_multiplier(value)
        if name == "min_k":
            return point_with(self, value)
        fitting = ("min_leakage", "max_utility") if self.setting.is_bottleneck else ("max_leakage", "min_utility")
        if name not in fitting:
            raise InputError(
                f"{name} (--{name.replace('_', '-')}) does not cut a {self.problem}, which "
                + (
                    "keeps I(S;X̂) and lowers I(X;X̂)"
                    if self.setting.is_bottleneck
                    else "lowers leakage and keeps utility"
                )
                + f": use {fitting[0]} or {fitting[1]} (--{fitting[0].replace('_', '-')}, --{fitting[1].replace('_', '-')})"
            )
        points = self.points
        bounded, other = (
            (points.leakage, points.utility) if name.endswith("leakage") else (points.utility, points.leakage)
        )
        sign = 1.0 if name.startswith("max") else -1.0
        # A bound computed another way may differ in the last digits.
        slack = 1e-12 * max(abs(value), 1.0 if name.endswith("leakage") else 0.0) if math.isfinite(value) else 0.0
        if self.utility == "information":
            slack = max(slack, ROUNDING)
        allowed = np.flatnonzero(sign * bounded <= sign * value + slack)
        if len(allowed) == 0:
            nearest = int(np.argmin(sign * bounded))
            raise InputError(_OUT_OF_REACH[name].format(value, bounded[nearest], other[nearest]))
        # With an upper bound one wants the most of the other measure, with a lower bound the least.
        point = points[int(allowed[np.argmin(-sign * other[allowed])])]
        return self.engine.land(self, point, name, value)

    def _at_multiplier(self, value: float) -> Point:
        if self.leakage == "I" and value > 1:
            ends = "everything is merged, as at 1" if self.setting.is_bottleneck else "nothing is merged, as at 1"
            raise InputError(
                f"λ = {value:g} is outside [0, 1]: I(S;X̂) never falls by more than I(X;X̂) does, so above 1 {ends}"
            )
        stopped = self.engine.stop(self, value)
        if stopped is not None:
            return stopped
        sign = -1.0 if self.setting.is_bottleneck else 1.0
        lagrangian = sign * (self.points.leakage - value * self.points.utility)
        if self.utility != "information":
            return self.points[int(np.argmin(lagrangian))]
        # Of equals the finest, but the coarsest at the end where everything is to be merged: λ = 1 makes every merge of
        # letters with no s in common a tie.
        equal = np.flatnonzero(lagrangian <= lagrangian.min() + ROUNDING)
        merges_all = value == (1.0 if self.setting.is_bottleneck else 0.0)
        return self.points[int(equal[-1 if merges_all else 0])]

    # ------------------------------------------------------------------ for people

    def to_dict(self) -> dict[str, Any]:
        """The figures of the points, for JSON."""
        return {
            "leakage": self.leakage,
            "utility": self.utility,
            "method": self.method,
            **({"problem": self.problem} if self.utility == "information" else {}),
            "letters": self.setting.joint.n_x,
            **({"scale": words[0]} if (words := self.scale_words()) else {}),
            "stopped": self.stopped,
            **({"polished": self.polished} if self.engine.polishes else {}),
            "hypervolume": self.hypervolume,
            "hypervolume_bound": self.hypervolume_bound,
            "points": [
                {"leakage": point.leakage, "utility": point.utility, "bound": point.bound, "gap": point.gap}
                for point in self.points
            ],
            **({} if self.levels is None else {"levels": self.levels.to_list()}),
        }

    def scale_words(self) -> list[str]:
        """How columns of several kinds are held against each other, for people."""
        places = self.setting.places
        if self.utility != "distortion" or places is None or not places.is_mixed:
            return []
        how = (
            "numbers are divided by their range, and two categories are 1 apart (--scale says otherwise)"
            if places.by_range
            else "each column in the unit of its scale, where two categories are 1 apart"
        )
        return [f"numbers and categories: {how}; the worst case counts here, the average in a whole table (--require)"]

    def bound_words(self) -> list[str]:
        """What more time might bring, for people."""
        if self.hypervolume_bound is None:
            return []
        more = self.hypervolume_bound - self.hypervolume
        if more < 5e-5:
            return ["more time brings nothing: no policies can have a larger hypervolume, to four digits"]
        return [
            f"more time (--time-limit) brings at most {more:.4f} more hypervolume: no policies can have more than "
            f"{self.hypervolume_bound:.4f}"
        ]

    def polish_words(self) -> list[str]:
        """Whether a merge or a move could still pay, for people."""
        if not self.engine.polishes or self.complete:
            return []
        if self.polished is None:
            return ["polished: no, the work planned or the time ended before every merge and move had been tried"]
        gain = "keeps more" if self.setting.is_bottleneck else "leaks less"
        by = "" if self.polished <= ROUNDING else f"by {self.polished:.2g} bits "
        return [f"polished: yes, no merge of two blocks and no move of one letter {gain} {by}at the same utility"]

    def stop_words(self) -> list[str]:
        """What ended the search before it was done, for people."""
        words = {
            "time": "the time limit came first: these are the best policies found until then",
            "interrupt": "interrupted: these are the best policies found until then",
        }
        return [words[self.stopped]] if self.stopped else []

    def to_frame(self) -> Any:
        """The points as an Arrow table: leakage, utility, bound, gap."""
        import pyarrow as pa

        return pa.table(
            {
                "leakage": self.points.leakage,
                "utility": self.points.utility,
                "bound": pa.array([point.bound for point in self.points], pa.float64()),
                "gap": pa.array([point.gap for point in self.points], pa.float64()),
            }
        )

    def soften(self, *, seed: int = 0, time_limit: float = 30.0, progress: Progress | None = None) -> list[Channel]:
        """Soft policies p(x̂|x) that this frontier's hard ones do not dominate, most useful first [PF, II-A].

        For leakage "I" alone. A channel draws at random, so a released cell says what was drawn and no longer what was
        seen.
        """
        return self.engine.soften(self, seed=seed, time_limit=time_limit, progress=progress)

    def normalised(self, leakage: FloatArray, utility: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Both axes between 0 (best) and 1: leakage over its prior, utility lost over the most there is to lose."""
        most = self._prior
        lost = self.setting.unit - utility
        span = self.setting.unit - self.setting.worst
        return (leakage / most if most > 0 else leakage * 0, lost / span if span > 0 else lost * 0)

    @property
    def _prior(self) -> float:
        joint = self.setting.joint
        if self.leakage == "I":
            return entropy(joint)
        return math.log2(joint.n_s)

    @cached_property
    def hypervolume(self) -> float:
        """The share of the normalised plane that the points dominate; larger is better.

        For stochastic leakages the box ends at what releasing everything leaks, as in SPEC 8: I(S;X) by H(X).
        """
        return hypervolume(*self._to_minimise())

    @cached_property
    def hypervolume_bound(self) -> float | None:
        """The hypervolume that no frontier at all can exceed, where a bound is known.

        Between two neighbouring points a policy is at most as useful as the one, and by the bound leaks no less than is
        proven at the utility of the other; bounds are monotone.
        """
        if self.bound is None:
            return None
        if self.complete:
            return self.hypervolume
        utility, bound = self.points.utility, self.bound
        if self.setting.is_bottleneck:  # what is kept at most, at the utility of the next coarser point
            leakage, utility = bound, np.append(utility[1:], utility[-1])
        else:
            leakage = np.append(bound[1:], bound[-1])
        return max(self.hypervolume, hypervolume(*self._to_minimise(leakage, utility)))

    def _to_minimise(
        self, leakage: FloatArray | None = None, utility: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Both axes within the unit square, smaller is better on both; of the points unless others are given."""
        leakage = self.points.leakage if leakage is None else leakage
        x, y = self.normalised(leakage, self.points.utility if utility is None else utility)
        if self.setting.most is not None:
            x = leakage / self.setting.most if self.setting.most > 0 else leakage * 0
        return (1 - x, 1 - y) if self.setting.is_bottleneck else (x, y)

    def gain_of(self, soft: Sequence[Channel]) -> float:
        """By how many bits the best of these soft policies beats every hard policy of this frontier at its utility."""
        sign = -1.0 if self.setting.is_bottleneck else 1.0
        gains = [0.0]
        for channel in soft:
            near = sign * self.points.utility >= sign * channel.utility - 1e-9
            if near.any():
                gains.append(float(np.min(sign * self.points.leakage[near]) - sign * channel.leakage))
        return max(gains)

    def plot(
        self,
        *others: Frontier,
        normalise: bool = False,
        chosen: Point | None = None,
        bound: bool = True,
        soft: Sequence[Channel] = (),
    ) -> Any:
        """The frontier, with its bound, any others and soft policies beside it, as a matplotlib figure."""
        return frontier_figure([self, *others], normalise=normalise, chosen=chosen, bound=bound, soft=soft)

    def plot_convergence(self, multiplier: float) -> Any:
        """The Lagrangian along the merge path, and where a multiplier stops it [AC, Figs 3, 6, 8]."""
        if self.path is None:
            raise InputError(f"method {self.method!r} has no merge path to follow")
        return convergence_figure(self, multiplier)

    def save(self, path: str | Path) -> None:
        """Write the frontier, whole or not at all, for `Frontier.load` to read.

        The file is private: it holds how often each s was seen with each x. What may be handed out is a release, and the
        cells of its policy.
        """
        write(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Frontier:
        """Read a frontier that `save` wrote; refuse a file that is cut short, was changed, or is of a newer version."""
        return cls(**read(path))

    def _repr_html_(self) -> str:
        return frontier_fragment(self)

    def __repr__(self) -> str:
        least, most = float(self.points.leakage.min()), float(self.points.leakage.max())
        apart = None if self.bound is None else float(np.abs(self.points.leakage - self.bound).max())
        worst = "" if apart is None else f", gap at most {apart:.3g} bits"
        kind = ", bottleneck," if self.setting.is_bottleneck else ""
        return (
            f"Frontier({self.leakage} against {self.utility}{kind} by {self.method}: {len(self.points)} points, "
            f"leakage {least:.3f} to {most:.3f}{worst})"
        )
