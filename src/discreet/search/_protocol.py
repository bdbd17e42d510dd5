"""What an engine is: what it accepts, what it searches, what it proves.

A task says what is asked. An engine says whether the task is for it, and why not where a user should know; finds
partitions; and proves what none of them can beat. What a finished frontier may ask of it later (`stop`, `land`, `soften`,
`withhold`) is in `discreet.release._engine`. To add one: a class in a file of its own, and a line in `_engines.py`.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from discreet._typing import Codeword, Cost, FloatArray, IntArray, Problem, Progress
from discreet.release._engine import Engine
from discreet.release._partitions import Partitions
from discreet.release._points import Setting
from discreet.search._alphabet import codewords_of, letters_of
from discreet.search._letters import Letters
from discreet.search._watch import Watch
from discreet.search.information._weights import Weights, weights_of

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.joint._joint import Joint
    from discreet.tables._labels import Label

RANGES = ("L0", "I*", "L0|I*=0")  # leakages of the support alone; the others are of the pmf


@dataclass(frozen=True)
class Aim:
    """The one policy of a frontier of ranges that will be used: of a level at least this strong, or of a cost at most this.

    `level` counts distinct s (at least so many) or, for I*, components (at most so many).
    """

    level: int | None = None
    cost: float | None = None


@dataclass(frozen=True, eq=False)
class Task:
    """What is asked of an engine: the setting of the frontier, and how to search.

    Attributes
    ----------
    cut
        Where the frontier will be cut, as of `Frontier.at`, if that is known: time is then spent there.
    is_patient
        Whether to go on while there is time, after what was planned.
    watch
        When to stop.
    """

    setting: Setting
    method: str = "auto"
    hierarchy: str | Path | None = None
    is_patient: bool = False
    progress: Progress | None = field(default=None, repr=False)
    cut: tuple[str, float] | None = None
    watch: Watch = field(default_factory=Watch, repr=False)

    @property
    def joint(self) -> Joint:
        """The joint."""
        return self.setting.joint

    @property
    def leakage(self) -> str:
        """The measure of leakage."""
        return self.setting.leakage

    @property
    def is_range(self) -> bool:
        """Whether leakage is one of the support alone."""
        return self.leakage in RANGES

    @property
    def problem(self) -> Problem:
        """Funnel or bottleneck."""
        return "bottleneck" if self.setting.is_bottleneck else "funnel"

    @property
    def cost(self) -> Cost:
        """What a search over ranges minimises."""
        return "size" if self.setting.utility == "resolution" else "distortion"

    @property
    def codeword(self) -> Codeword:
        """What distortion is measured from."""
        return self.setting.codeword

    @property
    def seed(self) -> int:
        """Of every random choice."""
        return self.setting.seed

    @property
    def at_least(self) -> float:
        """Records that every block must have."""
        return float(self.setting.at_least)

    @cached_property
    def letters(self) -> Letters:
        """The alphabet as range engines see it."""
        return letters_of(self.joint, self.setting.places, self.setting.norm)

    @cached_property
    def weights(self) -> Weights:
        """The alphabet as information engines see it."""
        return weights_of(self.joint, self.leakage)

    @property
    def is_line(self) -> bool:
        """One numeric column."""
        return self.letters.values is not None and self.letters.values.shape[1] == 1

    @property
    def aim(self) -> Aim | None:
        """Where the frontier will be cut, as a search over ranges sees it; None: anywhere."""
        name, value = self.cut or ("", 0.0)
        slack = 1e-9
        if name == "max_leakage" and self.leakage == "I*":
            return Aim(level=max(1, math.floor(2.0 ** min(value, 60.0) + slack)))
        if name == "max_leakage":
            least = math.ceil(self.letters.n_s * 2.0 ** -max(value, 0.0) - slack)
            return Aim(level=min(max(least, 1), self.letters.n_s))
        if name == "min_k" and self.leakage != "I*":
            return Aim(level=min(max(int(value), 1), self.letters.n_s))
        if name == "min_utility":
            return Aim(cost=-value if self.cost == "distortion" else self.letters.n * 2.0**-value + slack)
        return None

    def with_leakage(self, leakage: str) -> Task:
        """The same of another leakage."""
        return replace(self, setting=replace(self.setting, leakage=leakage))

    def say(self, stage: str, share: float | None = None) -> None:
        """Report progress: the share of the work that is done, or of the time."""
        if self.progress:
            self.progress(stage, None if share is None else self.watch.share(share))


@dataclass(frozen=True, eq=False)
class Ladder:
    """Proven least costs of levels of privacy: no policy at `levels[i]` (distinct s, or components) costs less."""

    levels: IntArray
    bound: FloatArray


@dataclass(frozen=True, eq=False)
class Found:
    """What a search found.

    Attributes
    ----------
    partitions
        Candidates, not only those worth having.
    path
        Every step of a merge path, where the method has one.
    ladders
        What the search proved on its way.
    complete
        Whether no policy that is worth having is missing.
    levels
        The k that policies were made for, and these policies, where the method makes one for each.
    polished
        As in `Frontier`.
    """

    partitions: Partitions
    path: Partitions | None = None
    ladders: tuple[Ladder, ...] = ()
    complete: bool = False
    levels: tuple[IntArray, Partitions] | None = None
    polished: float | None = None


class SearchEngine(Engine):
    """An engine that makes frontiers."""

    method: str
    """By which users ask for it, and frontiers say that it was used."""

    @abstractmethod
    def accepts(self, task: Task) -> str | None:
        """None: yes. Otherwise why not, for the user; an empty text where the task is another engine's business."""

    @abstractmethod
    def worth_having(self, task: Task, found: Partitions) -> IntArray:
        """The non-dominated ones, finest first, but for those that only rounding keeps from being dominated."""

    @abstractmethod
    def search(self, task: Task) -> Found:
        """Partitions of a task that it accepts."""

    def prove(self, task: Task, found: Found, points: Partitions) -> FloatArray | None:
        """What no policy of each point's utility can leak less than (a bottleneck: keep more than); None: not known."""
        return None

    def codewords(self, setting: Setting, block_of: IntArray) -> tuple[Label, ...]:
        """In the caller's units, where the letters have places."""
        if setting.places is None:
            return super().codewords(setting, block_of)
        return codewords_of(setting.places, block_of, setting.codeword, setting.norm)
