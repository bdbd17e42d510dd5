"""What a frontier asks of the engine that made it.

Engines live in `discreet.search`, which imports this package and never the other way round: a frontier holds its engine as
an object, and a file names it. An engine has no state, so what a frontier can be asked is the same on the day it is made,
after pickling and after loading.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet._typing import IntArray, Progress
    from discreet.release._channels import Channel
    from discreet.release._frontier import Frontier
    from discreet.release._points import Point, Setting
    from discreet.release._policy import Policy
    from discreet.tables._labels import Label


class Withheld(NamedTuple):
    """A point and its policy once rows were withheld, or as they were; and whether time ended the search for such rows."""

    point: Point
    policy: Policy
    is_cut_short: bool = False


class Engine:
    """The answers of an engine that knows nothing special; engines override what they know better."""

    name: str = ""
    """By which files know it: one engine each."""

    polishes: bool = False
    """Whether it holds a frontier against all merges and moves away from its points."""

    def codewords(self, setting: Setting, block_of: IntArray) -> tuple[Label, ...]:
        """What each block is released as where numbers are asked for, earliest block first; None where there is none."""
        return (None,) * len(np.unique(block_of))

    def names(self, setting: Setting, block_of: IntArray) -> tuple[str, ...]:
        """What each block is called, earliest first; nothing where its values say it."""
        return ()

    def stop(self, frontier: Frontier, multiplier: float) -> Point | None:
        """The policy that a paper's own rule returns for a multiplier; None where there is no such rule."""
        return None

    def land(self, frontier: Frontier, point: Point, name: str, value: float) -> Point:
        """A policy nearer to a bound (`name` and value as in `Frontier.at`) than the best point of the frontier."""
        return point

    def soften(
        self, frontier: Frontier, *, seed: int, time_limit: float, progress: Progress | None = None
    ) -> list[Channel]:
        """Soft policies that the frontier's hard ones do not dominate."""
        raise InputError(f"soft policies are offered for leakage 'I', not for {frontier.leakage!r}")

    def withhold(self, frontier: Frontier, point: Point, budget: int, time_limit: float | None = None) -> Withheld:
        """The point's promise at a better utility, with letters of at most `budget` rows withheld."""
        raise InputError("rows can be suppressed for leakage 'L0' without side information only")

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


REGISTERED: dict[str, Engine] = {}


def register(engine: Engine) -> None:
    """Let files name an engine."""
    REGISTERED[engine.name] = engine
