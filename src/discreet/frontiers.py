"""Frontier: all the policies worth having, and cutting it by multiplier, leakage or utility.

A frontier is computed once; `at` only looks. Partitions are rebuilt when somebody asks for one, since a frontier over a
million letters has more of them than memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError
from discreet.policy import Policy

if TYPE_CHECKING:
    from discreet.joint import Blocks, Joint
    from discreet.labels import Codes, Label

Floats = npt.NDArray[np.float64]
Utility = Literal["resolution", "distortion", "information"]
LEAKAGE_NAMES = {
    "L0": "worst-case leakage L0 (bits)",
    "I*": "maximin information I* (bits)",
    "L0|I*=0": "worst-case leakage L0 (bits), nothing told apart for certain",
    "I": "mutual information I(S;X̂) (bits)",
}
UTILITY_NAMES = {
    "resolution": "resolution I0(X→X̂) (bits)",
    "distortion": "utility −max distortion",
    "information": "information I(X;X̂) (bits)",
}


@dataclass(frozen=True, eq=False)
class Setting:
    """What a frontier is about: the joint, both measures, and how a block gets its codeword."""

    joint: Joint
    leakage: str
    utility: str
    codewords: Callable[[Codes], tuple[Label, ...]]
    unit: float  # the utility of releasing everything
    worst: float  # the utility of releasing nothing (one single block)
    letters: Any = field(repr=False, default=None)  # the alphabet as merging saw it
    codeword: str = "centroid"
    names: Callable[[Codes], tuple[str, ...]] | None = field(repr=False, default=None)  # of blocks, by a hierarchy


@dataclass(frozen=True, eq=False)
class Point:
    """One policy of a frontier: what it leaks, what it keeps, and how much less any policy could leak at best."""

    leakage: float
    utility: float
    bound: float | None
    setting: Setting = field(repr=False)
    partition: Callable[[], Codes] = field(repr=False)

    @property
    def gap(self) -> float | None:
        """Bits between this leakage and the proven bound at this utility; 0 is optimal."""
        return None if self.bound is None else max(0.0, self.leakage - self.bound)

    @cached_property
    def block_of(self) -> Codes:
        """Every letter's block, named by its earliest letter."""
        return self.partition()

    @cached_property
    def blocks(self) -> Blocks:
        """The partition, as a tuple of tuples of labels."""
        members: dict[int, list[Label]] = {}
        for label, block in zip(self.setting.joint.x, self.block_of.tolist(), strict=True):
            members.setdefault(block, []).append(label)
        return tuple(tuple(block) for block in members.values())

    @cached_property
    def policy(self) -> Policy:
        """The policy, measured on the joint before and after."""
        setting = self.setting
        return Policy.from_blocks(
            setting.joint,
            self.blocks,
            codewords=setting.codewords(self.block_of),
            leakage=setting.leakage,
            utility={setting.utility: self.utility},
            names=setting.names(self.block_of) if setting.names else (),
        )


class Points(Sequence[Point]):
    """Policies in order, kept as figures; a Point is made when one is looked at."""

    def __init__(
        self,
        setting: Setting,
        leakage: npt.ArrayLike,
        utility: npt.ArrayLike,
        partition: Callable[[int], Codes],
        bound: npt.ArrayLike | None = None,
    ) -> None:
        self.setting = setting
        self.leakage: Floats = np.asarray(leakage, dtype=np.float64)
        self.utility: Floats = np.asarray(utility, dtype=np.float64)
        self.bound: Floats | None = None if bound is None else np.asarray(bound, dtype=np.float64)
        self._partition = partition

    def __len__(self) -> int:
        return len(self.leakage)

    @overload
    def __getitem__(self, index: int) -> Point: ...
    @overload
    def __getitem__(self, index: slice) -> list[Point]: ...
    def __getitem__(self, index: int | slice) -> Point | list[Point]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        bound = None if self.bound is None else float(self.bound[index])
        return Point(
            float(self.leakage[index]),
            float(self.utility[index]),
            bound,
            self.setting,
            lambda: self._partition(index),
        )

    def __iter__(self) -> Iterator[Point]:
        return (self[i] for i in range(len(self)))

    def chosen(self, indices: Codes, bound: Floats | None = None) -> Points:
        """Some of them."""
        return Points(
            self.setting,
            self.leakage[indices],
            self.utility[indices],
            lambda i: self._partition(int(indices[i])),
            bound if bound is not None else (None if self.bound is None else self.bound[indices]),
        )

    @staticmethod
    def together(parts: Sequence[Points]) -> Points:
        """Several sets of policies of one setting as one."""
        ends = np.cumsum([len(part) for part in parts])

        def partition(i: int) -> Codes:
            part = int(np.searchsorted(ends, i, side="right"))
            return parts[part]._partition(i - (int(ends[part - 1]) if part else 0))

        return Points(
            parts[0].setting,
            np.concatenate([part.leakage for part in parts]),
            np.concatenate([part.utility for part in parts]),
            partition,
        )


def check_cut(
    *, multiplier: float | None = None, max_leakage: float | None = None, min_utility: float | None = None
) -> tuple[str, float]:
    """The one way to cut a frontier that is asked for, which can be told to be wrong before there is a frontier."""
    asked = {"multiplier": multiplier, "max_leakage": max_leakage, "min_utility": min_utility}
    named = {name: value for name, value in asked.items() if value is not None}
    if len(named) != 1:
        raise InputError(
            "name one of multiplier, max_leakage and min_utility (--multiplier, --max-leakage, --min-utility)"
        )
    ((name, value),) = named.items()
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or math.isnan(value):
        raise InputError(f"{name} must be a number")
    if name == "multiplier" and value < 0:
        raise InputError(f"a multiplier weighs utility and is 0 or more, not {value:g}")
    if name == "multiplier" and math.isinf(value):
        raise InputError("a multiplier must be finite: a large one keeps everything")
    return name, float(value)


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
        Proven lower bound on leakage at each point's utility, one entry a point, where one is known, else None.
    """

    points: Points
    path: Points | None
    method: str
    stop: Callable[[float], Point] | None = field(default=None, repr=False)  # the paper's own rule for a multiplier
    seconds: float = 0.0

    @property
    def setting(self) -> Setting:
        """What the frontier is about."""
        return self.points.setting

    @property
    def leakage(self) -> str:
        """The measure of leakage."""
        return self.setting.leakage

    @property
    def utility(self) -> str:
        """The measure of utility."""
        return self.setting.utility

    @property
    def bound(self) -> Floats | None:
        """Proven lower bound on leakage at each point's utility."""
        return self.points.bound

    def at(
        self,
        *,
        multiplier: float | None = None,
        max_leakage: float | None = None,
        min_utility: float | None = None,
    ) -> Policy:
        """The policy that the paper's algorithm returns for a multiplier λ, or the best one under a bound.

        With a multiplier: where the paper's path stops (agglomerative methods), else the point that minimises
        leakage − λ·utility. With max_leakage the most useful policy that leaks no more, with min_utility the least
        leaking one that is no less useful.
        """
        return self.point_at(multiplier=multiplier, max_leakage=max_leakage, min_utility=min_utility).policy

    def point_at(
        self,
        *,
        multiplier: float | None = None,
        max_leakage: float | None = None,
        min_utility: float | None = None,
    ) -> Point:
        """The point behind `at`."""
        name, value = check_cut(multiplier=multiplier, max_leakage=max_leakage, min_utility=min_utility)
        points = self.points
        if name == "multiplier":
            return self.stop(value) if self.stop else points[int(np.argmin(points.leakage - value * points.utility))]
        slack = 1e-12 * abs(value) if math.isfinite(value) else 0.0  # a bound computed another way
        if name == "max_leakage":
            allowed = np.flatnonzero(points.leakage <= value + max(slack, 1e-12))
            if len(allowed) == 0:
                raise InputError(
                    f"no policy leaks {value:g} bits or less: the least is {points.leakage.min():.4g} "
                    f"at utility {points.utility[np.argmin(points.leakage)]:.4g}"
                )
            return points[int(allowed[np.argmax(points.utility[allowed])])]
        allowed = np.flatnonzero(points.utility >= value - slack)
        if len(allowed) == 0:
            raise InputError(
                f"no policy has a utility of {value:g} or more: the most is {points.utility.max():.4g} "
                f"with {points.leakage[np.argmax(points.utility)]:.4g} bits leaked"
            )
        return points[int(allowed[np.argmin(points.leakage[allowed])])]

    # ------------------------------------------------------------------ for people

    def to_dict(self) -> dict[str, Any]:
        """The figures of the points, for JSON."""
        return {
            "leakage": self.leakage,
            "utility": self.utility,
            "method": self.method,
            "letters": self.setting.joint.n_x,
            "hypervolume": self.hypervolume,
            "points": [
                {"leakage": point.leakage, "utility": point.utility, "bound": point.bound, "gap": point.gap}
                for point in self.points
            ],
        }

    def to_frame(self) -> Any:
        """The points as an Arrow table: leakage, utility, bound, gap."""
        import pyarrow as pa

        bound = [None] * len(self.points) if self.bound is None else self.bound.tolist()
        gap = [
            None if b is None else max(0.0, leak - b)
            for leak, b in zip(self.points.leakage.tolist(), bound, strict=True)
        ]
        return pa.table(
            {
                "leakage": self.points.leakage,
                "utility": self.points.utility,
                "bound": pa.array(bound, pa.float64()),
                "gap": pa.array(gap, pa.float64()),
            }
        )

    def normalised(self, leakage: Floats, utility: Floats) -> tuple[Floats, Floats]:
        """Both axes between 0 (best) and 1: leakage over its prior, utility lost over the most there is to lose."""
        most = self._prior
        lost = self.setting.unit - utility
        span = self.setting.unit - self.setting.worst
        return (leakage / most if most > 0 else leakage * 0, lost / span if span > 0 else lost * 0)

    @property
    def _prior(self) -> float:
        joint = self.setting.joint
        if self.leakage == "I":
            from discreet.measures import entropy

            return entropy(joint)
        return math.log2(joint.n_s)

    @cached_property
    def hypervolume(self) -> float:
        """The share of the normalised plane that the points dominate; larger is better."""
        from discreet.merging.hypervolume import hypervolume

        x, y = self.normalised(self.points.leakage, self.points.utility)
        return hypervolume(x, y)

    def plot(self, *others: Frontier, normalise: bool = False, chosen: Point | None = None, bound: bool = True) -> Any:
        """The frontier, with its bound and any others beside it, as a matplotlib figure."""
        from discreet.plots import frontier_figure

        return frontier_figure([self, *others], normalise=normalise, chosen=chosen, bound=bound)

    def plot_convergence(self, multiplier: float) -> Any:
        """The Lagrangian along the merge path, and where a multiplier stops it [AC, Figs 3, 6, 8]."""
        if self.path is None:
            raise InputError(f"method {self.method!r} has no merge path to follow")
        from discreet.plots import convergence_figure

        return convergence_figure(self, multiplier)

    def _repr_html_(self) -> str:
        from discreet.plots import to_svg

        return to_svg(self.plot(), f"Frontier {self.leakage} {self.utility}")

    def __repr__(self) -> str:
        least, most = float(self.points.leakage.min()), float(self.points.leakage.max())
        worst = (
            "" if self.bound is None else f", gap at most {float((self.points.leakage - self.bound).max()):.3g} bits"
        )
        return (
            f"Frontier({self.leakage} against {self.utility} by {self.method}: {len(self.points)} points, "
            f"leakage {least:.3f} to {most:.3f}{worst})"
        )

    def timed(self, seconds: float) -> Frontier:
        """The same, with how long it took."""
        return replace(self, seconds=seconds)
