"""The registry of measures: symbol -> function of a Joint, with what one must know to read its value."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NotRequired, ParamSpec, TypedDict, Unpack

from discreet.errors import MeasureError, UnknownMeasureError, listed

if TYPE_CHECKING:
    from discreet.joint._joint import Joint

P = ParamSpec("P")
Kind = Literal["range", "pmf"]
Role = Literal["leakage", "exposure", "uncertainty", "prior"]
Units = Literal["bits", "count", "guesses", "share", "ratio"]


@dataclass(frozen=True)
class Measure:
    """One measure: call it with a Joint.

    `kind` says whether it reads the support alone ("range") or the pmf. `role`: a "leakage" is smaller when safer and
    never grows when X is coarsened, and 0 where X tells nothing; an "exposure" is the same without that zero; an
    "uncertainty" (what is left after X is seen) is larger when safer; a "prior" does not depend on X.
    """

    symbol: str
    name: str
    kind: Kind
    role: Role
    formula: str
    reference: str
    function: Callable[..., float]
    units: Units = "bits"
    least_order: float | None = None
    whole_orders: bool = False
    has_side: bool = False
    reads_order: bool = False  # of the values of S
    needs_hierarchy: bool = False  # of the values of S: the function takes paths=

    @property
    def has_order(self) -> bool:
        """Whether it takes an order α, from `least_order` to infinity."""
        return self.least_order is not None

    def takes(self, order: float) -> bool:
        """Whether it is defined at an order; a measure whose order is a number of values, at whole ones alone."""
        is_whole = math.isinf(order) or order % 1 == 0
        return self.least_order is not None and order >= self.least_order and (is_whole or not self.whole_orders)

    @property
    def direction(self) -> int:
        """−1 when smaller is safer, +1 when larger is safer, 0 when X does not matter."""
        return {"leakage": -1, "exposure": -1, "uncertainty": 1, "prior": 0}[self.role]

    @property
    def meaning(self) -> str:
        """The first sentence of the function's documentation."""
        return (self.function.__doc__ or "").split("\n\n")[0].strip()

    def __call__(self, joint: Joint, **options: object) -> float:
        return self.function(joint, **options)

    def at(self, order: float) -> Measure:
        """A measure with an order, at that order: its symbol names the order instead of alpha."""
        if not self.has_order:
            raise MeasureError(f"{self.symbol} has no order")
        return replace(
            self,
            symbol=self.symbol.replace("alpha", f"{order:g}"),
            name=f"{self.name} of order {order:g}",
            function=functools.partial(self.function, order=order),
            least_order=None,
            has_side=False,
        )


class Registry(Mapping[str, Measure]):
    """Measures by symbol. `I_2` finds `I_alpha` at order 2, and so for every measure with an order."""

    def __init__(self) -> None:
        self._measures: dict[str, Measure] = {}

    def add(self, measure: Measure) -> None:
        """Register a measure; a symbol is taken once."""
        if measure.symbol in self._measures:
            raise MeasureError(f"symbol {measure.symbol!r} is taken")
        self._measures[measure.symbol] = measure

    def __getitem__(self, symbol: str) -> Measure:
        if symbol in self._measures:
            return self._measures[symbol]
        stem, mark, tail = symbol.rpartition("_")
        family = self._measures.get(f"{stem}_alpha") if mark else None
        if family is not None:
            try:
                order = float(tail)
            except ValueError:
                order = math.nan
            if not math.isnan(order):
                return family.at(order)
        raise UnknownMeasureError(f"there is no measure {symbol!r}: choose among {listed(list(self), 40)}")

    def __iter__(self) -> Iterator[str]:
        """Reading order: ranges, then the pmf's in bits, those with an order, and guesses."""
        every = self._measures.values()
        ranked = sorted(every, key=lambda each: (each.kind == "pmf", each.units == "guesses", each.has_order))
        return iter([each.symbol for each in ranked])

    def __len__(self) -> int:
        return len(self._measures)


REGISTRY = Registry()


class Facts(TypedDict):
    """What is said of a measure beside its symbol and name; see the fields of `Measure`."""

    kind: Kind
    role: Role
    formula: str
    reference: str
    units: NotRequired[Units]
    least_order: NotRequired[float]
    whole_orders: NotRequired[bool]
    has_side: NotRequired[bool]
    reads_order: NotRequired[bool]
    needs_hierarchy: NotRequired[bool]


def measure(symbol: str, name: str, **facts: Unpack[Facts]) -> Callable[[Callable[P, float]], Callable[P, float]]:
    """Register a function of a Joint as a measure, and leave it as it is."""

    def register(function: Callable[P, float]) -> Callable[P, float]:
        REGISTRY.add(Measure(symbol=symbol, name=name, function=function, **facts))
        return function

    return register
