"""Points of a frontier: policies kept as figures, and made when somebody looks at one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, overload

from discreet.release._engine import Engine
from discreet.release._policy import Policy

if TYPE_CHECKING:
    from discreet._typing import Codeword, FloatArray, IntArray
    from discreet.joint._joint import Blocks, Joint
    from discreet.release._partitions import Partitions, Store
    from discreet.tables._labels import Label


@dataclass(frozen=True, eq=False)
class Places:
    """Where the letters lie: scaled coordinates for the engines, and the units to speak of codewords in."""

    coordinates: FloatArray  # n × d, scaled
    scale: FloatArray  # one per coordinate: multiply to get back to the caller's units
    is_single: bool  # one column, so that a codeword is a number and not a tuple
    kinds: tuple[str, ...] = ()  # "date" where a coordinate counts days, "text" where it is a category
    by_range: bool = False  # whether every column counts alike: numbers over their range, categories 1 apart

    @property
    def is_mixed(self) -> bool:
        """Whether categories stand beside numbers."""
        return {"text"} < set(self.kinds)


@dataclass(frozen=True, eq=False)
class Setting:
    """What a frontier is about, as plain data, and the engine that answers further questions about it."""

    joint: Joint
    leakage: str
    utility: str
    unit: float  # the utility of releasing everything
    worst: float  # the utility of releasing nothing (one single block)
    places: Places | None = field(repr=False, default=None)
    codeword: Codeword = "centroid"
    norm: float = 2.0
    hierarchy: Mapping[str, tuple[str, ...]] | None = field(
        repr=False, default=None
    )  # each leaf's nodes up to the root
    problem: str = "funnel"  # or "bottleneck", which keeps leakage and lowers utility
    at_least: int = 0  # records that every block must have
    most: float | None = None  # the leakage of releasing everything, where the box of the hypervolume ends there
    seed: int = 0
    engine: Engine = field(repr=False, default_factory=Engine)

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
    store: Store = field(repr=False)
    index: int = field(repr=False, default=0)

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
        return self.store.partition(self.index)

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
            codewords=setting.engine.codewords(setting, self.block_of),
            leakage=setting.leakage,
            utility={setting.utility: self.utility},
            names=setting.engine.names(setting, self.block_of),
            at_least=setting.at_least,
            problem=setting.problem,
        )


@dataclass(frozen=True, eq=False)
class Points(Sequence[Point]):
    """Policies in order, kept as figures; a Point is made when one is looked at."""

    setting: Setting
    partitions: Partitions

    @property
    def leakage(self) -> FloatArray:
        """What each leaks."""
        return self.partitions.leakage

    @property
    def utility(self) -> FloatArray:
        """What each keeps."""
        return self.partitions.utility

    @property
    def bound(self) -> FloatArray | None:
        """What no policy of that utility can leak less than, where it is known."""
        return self.partitions.bound

    def __len__(self) -> int:
        return len(self.partitions)

    @overload
    def __getitem__(self, index: int) -> Point: ...
    @overload
    def __getitem__(self, index: slice) -> list[Point]: ...
    def __getitem__(self, index: int | slice) -> Point | list[Point]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = range(len(self))[index]
        found = self.partitions
        bound = None if found.bound is None else float(found.bound[i])
        return Point(float(found.leakage[i]), float(found.utility[i]), bound, self.setting, found.store, i)

    def __iter__(self) -> Iterator[Point]:
        return (self[i] for i in range(len(self)))
