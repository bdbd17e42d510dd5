"""Points of a frontier: policies kept as figures, and made when somebody looks at one.

A frontier over a million letters has more partitions than memory, so a partition is rebuilt when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray
from discreet.release._policy import Policy

if TYPE_CHECKING:
    from discreet._typing import IntArray
    from discreet.joint._joint import Blocks, Joint
    from discreet.tables._labels import Label


@dataclass(frozen=True, eq=False)
class Setting:
    """What a frontier is about: the joint, both measures, and how a block gets its codeword."""

    joint: Joint
    leakage: str
    utility: str
    codewords: Callable[[IntArray], tuple[Label, ...]]
    unit: float  # the utility of releasing everything
    worst: float  # the utility of releasing nothing (one single block)
    letters: Any = field(repr=False, default=None)  # the alphabet as merging saw it
    codeword: str = "centroid"
    names: Callable[[IntArray], tuple[str, ...]] | None = field(repr=False, default=None)  # of blocks, by a hierarchy
    problem: str = "funnel"  # or "bottleneck", which keeps leakage and lowers utility
    at_least: int = 0  # records that every block must have
    most: float | None = None  # the leakage of releasing everything, where the box of the hypervolume ends there

    @property
    def is_bottleneck(self) -> bool:
        """Whether I(S;X̂) is what is kept, and I(X;X̂) what is lowered."""
        return self.problem == "bottleneck"


@dataclass(frozen=True, eq=False)
class Point:
    """One policy of a frontier: what it leaks, what it keeps, and how much less any policy could leak at best."""

    leakage: float
    utility: float
    bound: float | None
    setting: Setting = field(repr=False)
    partition: Callable[[], IntArray] = field(repr=False)

    @property
    def gap(self) -> float | None:
        """Bits between this leakage and the proven bound at this utility; 0 is optimal."""
        if self.bound is None:
            return None
        apart = self.bound - self.leakage if self.setting.is_bottleneck else self.leakage - self.bound
        return max(0.0, apart)

    @cached_property
    def block_of(self) -> IntArray:
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
            at_least=setting.at_least,
            problem=setting.problem,
        )


class Points(Sequence[Point]):
    """Policies in order, kept as figures; a Point is made when one is looked at."""

    def __init__(
        self,
        setting: Setting,
        leakage: npt.ArrayLike,
        utility: npt.ArrayLike,
        partition: Callable[[int], IntArray],
        bound: npt.ArrayLike | None = None,
    ) -> None:
        self.setting = setting
        self.leakage: FloatArray = np.asarray(leakage, dtype=np.float64)
        self.utility: FloatArray = np.asarray(utility, dtype=np.float64)
        self.bound: FloatArray | None = None if bound is None else np.asarray(bound, dtype=np.float64)
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

    def chosen(self, indices: IntArray, bound: FloatArray | None = None) -> Points:
        """Some of them."""
        return Points(
            self.setting,
            self.leakage[indices],
            self.utility[indices],
            lambda i: self._partition(int(indices[i])),
            bound if bound is not None else (None if self.bound is None else self.bound[indices]),
        )

    def bounded(self, bound: FloatArray) -> Points:
        """The same with a proven bound each."""
        return Points(self.setting, self.leakage, self.utility, self._partition, bound)

    @staticmethod
    def together(parts: Sequence[Points]) -> Points:
        """Several sets of policies of one setting as one."""
        ends = np.cumsum([len(part) for part in parts])

        def partition(i: int) -> IntArray:
            part = int(np.searchsorted(ends, i, side="right"))
            return parts[part]._partition(i - (int(ends[part - 1]) if part else 0))

        return Points(
            parts[0].setting,
            np.concatenate([part.leakage for part in parts]),
            np.concatenate([part.utility for part in parts]),
            partition,
        )
