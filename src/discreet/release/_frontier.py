"""Frontier: all the policies worth having.

A frontier is computed once; `at` only looks (`_cutting`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import FloatArray, Stopped
from discreet.errors import InputError
from discreet.release import _frontier_words as words
from discreet.release._area import area, area_bound, normalised
from discreet.release._by_k import Levels
from discreet.release._cutting import check_cut, point_at
from discreet.release._frontier_files import read, write
from discreet.release._points import Point, Points, Setting
from discreet.release._release_page import frontier_fragment
from discreet.report._plots import convergence_figure, frontier_figure

if TYPE_CHECKING:
    from discreet._typing import Progress
    from discreet.release._channels import Channel
    from discreet.release._engine import Engine
    from discreet.release._policy import Policy


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
    stopped: Stopped | None = None
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
        return point_at(self, *check_cut(**cut))

    # ------------------------------------------------------------------ for people

    def to_dict(self) -> dict[str, Any]:
        """The figures of the points, for JSON."""
        return {
            "leakage": self.leakage,
            "utility": self.utility,
            "method": self.method,
            **({"problem": self.problem} if self.utility == "information" else {}),
            "letters": self.setting.joint.n_x,
            **({"scale": said[0]} if (said := self.scale_words()) else {}),
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
        return words.scale_words(self)

    def bound_words(self) -> list[str]:
        """What more time might bring, for people."""
        return words.bound_words(self)

    def polish_words(self) -> list[str]:
        """Whether a merge or a move could still pay, for people."""
        return words.polish_words(self)

    def stop_words(self) -> list[str]:
        """What ended the search before it was done, for people."""
        return words.stop_words(self)

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
        return normalised(self.setting, leakage, utility)

    @cached_property
    def hypervolume(self) -> float:
        """The share of the normalised plane that the points dominate; larger is better.

        For stochastic leakages the box ends at what releasing everything leaks, as in SPEC 8: I(S;X) by H(X).
        """
        return area(self.setting, self.points.leakage, self.points.utility)

    @cached_property
    def hypervolume_bound(self) -> float | None:
        """The hypervolume that no frontier at all can exceed, where a bound is known."""
        if self.bound is None:
            return None
        return self.hypervolume if self.complete else max(self.hypervolume, area_bound(self.points, self.bound))

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
