"""When a search stops: at its time limit, when somebody asks, or at an interrupt; what it has found by then is its answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType

from discreet import _clock

Progress = Callable[[str, float, float], object]
"""Told the stage, how much of it is done, and the loss so far."""


@dataclass(eq=False)
class Watch:
    """When to stop: at the time limit, or when somebody asks.

    As a context it bounds the part of a search that may be cut short: an interrupt there ends the part and not the run, and
    `over` says so from then on.

    Attributes
    ----------
    limit
        Seconds on the clock; None: no limit.
    should_stop
        Asked between steps.
    """

    limit: float | None = None
    should_stop: Callable[[], bool] | None = None
    clock: Callable[[], float] = _clock.now
    progress: Progress | None = None
    stopped: bool = False
    interrupted: bool = False  # by somebody, not by the clock
    began: float = field(init=False)

    def __post_init__(self) -> None:
        self.began = self.clock()

    def over(self, share: float = 1.0) -> bool:
        """Whether to stop now, or that share of the time is gone."""
        if not self.stopped:
            late = self.limit is not None and self.clock() - self.began >= self.limit * share
            asked = self.should_stop is not None and self.should_stop()
            if late and share < 1.0 and not asked:
                return True
            self.stopped = late or asked
            self.interrupted = self.interrupted or asked
        return self.stopped

    def tell(self, stage: str, share: float, loss: float) -> None:
        """Report progress."""
        if self.progress is not None:
            self.progress(stage, min(max(share, 0.0), 1.0), loss)

    def left(self) -> float:
        """Seconds until the time limit; infinity where there is none, and 0 once the search was stopped."""
        if self.stopped:
            return 0.0
        return math.inf if self.limit is None else max(0.0, self.limit - (self.clock() - self.began))

    def share(self, done: float) -> float:
        """How far a search is that has done this share of its work: it ends when the work does, or the time."""
        passed = 0.0 if not self.limit else (self.clock() - self.began) / self.limit
        return min(1.0, max(done, passed))

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if kind is None or not issubclass(kind, KeyboardInterrupt):
            return False
        self.stopped = self.interrupted = True
        return True
