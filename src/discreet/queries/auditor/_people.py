"""People and what is publicly known of them, on one grid (AUDITOR.md).

Values are measured from each person's lower bound in whole units of a fine grid. The sum of a class is then an
integer below 2^53, which floats hold exactly: a witness is a vector of such integers, and checking it is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from discreet._typing import BoolArray, FloatArray, IntArray
from discreet.errors import InputError
from discreet.queries._uniform_sums import rational

BITS = 51
"""Sums on the grid stay below 2^BITS, so that floats hold them exactly."""

WEIGHTIEST = 2**24
"""Weights stay below this: they are stored in single precision, exactly."""

FINEST, MANY = (46, 36), 16
"""A person's range has at most 2^46 steps, and 2^36 where there are many people: that leaves digits for weights."""

FEWEST = 1024
"""And at least so many: fewer would not tell a length to keep from the range."""

PriorRow = tuple[Mapping[int, float], float, float]
"""Publicly known: lower <= sum of weight x value <= upper, as (weights by person, lower, upper)."""


def exact_sum(values: FloatArray) -> Fraction:
    """The sum of floats without rounding: fsum rounds once, so what it missed is summed until nothing is left."""
    terms = values.tolist()
    total = Fraction(0)
    while part := math.fsum(terms):
        total += Fraction(part)
        terms.append(-part)
    return total


@dataclass(frozen=True, eq=False)
class Functional:
    """constant + sum of weights x values of people, exact."""

    constant: Fraction
    weights: dict[int, Fraction]

    def substituted(self, known: Mapping[int, Functional]) -> Functional:
        """With the people in `known` replaced by what they equal."""
        constant, weights = self.constant, dict[int, Fraction]()
        for person, weight in self.weights.items():
            put = known.get(person, Functional(Fraction(0), {person: Fraction(1)}))
            constant += weight * put.constant
            for other, coefficient in put.weights.items():
                weights[other] = weights.get(other, Fraction(0)) + weight * coefficient
        return Functional(constant, {person: weight for person, weight in weights.items() if weight})


@dataclass(frozen=True, eq=False)
class Row:
    """A sum over people on the grid: value = offset + unit x (weights . steps) / scale, with integer weights."""

    weights: FloatArray
    offset: Fraction
    scale: int


@dataclass(frozen=True, eq=False)
class People:
    """Declared bounds, the length each person keeps, and what is publicly known, on one grid.

    Attributes
    ----------
    step
        Recorded values are lower + whole multiples of this; 0 where they are real.
    unit
        One step of the grid, in the units of the data: the recorded step, where there is one.
    steps, need
        Each person's range and the length to keep, in whole steps; `need` is rounded up.
    kinds, kind
        Distinct bounds as (lower, upper), and which of them each person has.
    derived
        People whose value the prior rows fix as a function of others.
    prior
        Rows that hold the free people: declared inequalities, and the bounds of derived people.
    declared
        The prior rows as they were given.
    """

    lower: FloatArray
    upper: FloatArray
    keep: FloatArray
    step: Fraction
    unit: Fraction
    steps: FloatArray
    need: FloatArray
    kinds: list[tuple[Fraction, Fraction]]
    kind: IntArray
    derived: dict[int, Functional]
    prior: list[tuple[Functional, Fraction, Fraction]]
    declared: list[tuple[Functional, Fraction, Fraction]]

    @classmethod
    def declare(
        cls, lower: FloatArray, upper: FloatArray, keep: FloatArray, step: Fraction, prior: Sequence[PriorRow]
    ) -> People:
        """Choose the grid and solve the prior equations; everything has been checked but the prior rows."""
        # On a lattice numbers are the decimals that people wrote, so that a tenth is a tenth.
        exact = rational if step else Fraction
        pairs, kind = np.unique(np.stack([lower, upper], axis=1), axis=0, return_inverse=True)
        kinds = [(exact(low), exact(high)) for low, high in pairs.tolist()]
        kind = kind.reshape(-1).astype(np.int64)
        said = [
            (Functional(Fraction(0), {int(p): exact(w) for p, w in weights.items()}), exact(low), exact(high))
            for weights, low, high in prior
        ]
        derived, rows = _solve(said, lambda person: kinds[int(kind[person])])
        _check_on_lattice(derived, step, lambda person: kinds[int(kind[person])][0])
        widest = max((high - low for low, high in kinds), default=Fraction(0)) or Fraction(1)
        weight = max([1.0, *(_weight(row) for row, _, _ in rows), *(_weight(row) for row in derived.values())])
        people = float(np.sum((upper - lower) / float(widest)))
        bits = min(FINEST[people > MANY], BITS - math.ceil(math.log2(max(people, 2.0) * weight)))
        if bits < 20 or weight >= WEIGHTIEST:
            raise InputError("these prior rows need numbers too large to check exactly: use small whole weights")
        unit = step or widest / 2**bits
        spans = [math.floor((high - low) / unit) for low, high in kinds]
        steps = np.array(spans, np.float64)[kind]
        if step and max(people, 2.0) * weight * float(widest / step) >= 2.0**BITS:
            raise InputError(
                "step is too small for these bounds: sums would have more digits than can be checked exactly"
            )
        if not step and (narrow := int(((steps < FEWEST) & (upper > lower)).sum())):
            raise InputError(
                f"{narrow} people have bounds over {2**bits // FEWEST:,} times closer than the widest ones: "
                "give people with ranges so unlike an auditor each"
            )
        need = np.array([math.ceil(exact(length) / unit) for length in np.unique(keep).tolist()], np.float64)
        need = need[np.unique(keep, return_inverse=True)[1]]
        # Whoever keeps the whole range keeps it to the last step of the grid.
        need = np.minimum(need, steps)
        for person, functional in derived.items():
            if len(functional.weights) == 1:
                # A multiple of another's value: whoever it follows keeps enough for both.
                ((other, factor),) = functional.weights.items()
                need[other] = max(need[other], math.ceil(int(need[person]) / abs(factor)))
        return cls(lower, upper, keep, step, unit, steps, need, kinds, kind, derived, rows, said)

    @property
    def n(self) -> int:
        """Number of people."""
        return len(self.lower)

    @property
    def integral(self) -> bool:
        """Whether values lie on a lattice: witnesses are whole numbers of its steps."""
        return self.step > 0

    def base(self, person: int) -> Fraction:
        """A person's lower bound."""
        return self.kinds[int(self.kind[person])][0]

    def lowest(self, members: IntArray, weights: IntArray | None = None) -> Fraction:
        """The sum of the lower bounds of these people, with weights."""
        if not self.step and weights is None:
            return exact_sum(self.lower[members])
        counts: list[int] = np.bincount(self.kind[members], minlength=len(self.kinds)).tolist()
        if weights is not None:
            added = np.zeros(len(self.kinds), np.int64)
            np.add.at(added, self.kind[members], weights)
            counts = added.tolist()
        return sum((count * low for count, (low, _) in zip(counts, self.kinds, strict=True) if count), Fraction(0))

    def in_steps(self, values: FloatArray) -> FloatArray:
        """Values as steps above the lower bounds: whole numbers on a lattice."""
        steps = (values - self.lower) / float(self.unit)
        return np.rint(steps) if self.step else steps

    def sum_of(self, values: FloatArray, members: IntArray, weights: IntArray | None = None) -> Fraction:
        """The sum over these people, exact: on a lattice that of the decimals, and not of the floats near them."""
        if not self.step:
            if weights is None:
                return exact_sum(values[members])
            levels, which = np.unique(weights, return_inverse=True)
            return sum(
                (level * exact_sum(values[members[which == i]]) for i, level in enumerate(levels.tolist())), Fraction(0)
            )
        steps = self.in_steps(values)[members].astype(np.int64)
        return self.lowest(members, weights) + self.step * int((steps if weights is None else steps * weights).sum())

    def values(self, people: IntArray, steps: FloatArray) -> FloatArray:
        """The data that so many steps above the lower bounds are; on a lattice the float nearest to each decimal."""
        if not self.step:
            return self.lower[people] + float(self.unit) * steps
        below = math.lcm(self.step.denominator, *(low.denominator for low, _ in self.kinds))
        first = np.array([float(low * below) for low, _ in self.kinds])
        return np.asarray((first[self.kind[people]] + float(self.step * below) * steps) / float(below))

    @cached_property
    def free(self) -> BoolArray:
        """Who has a value of their own: not known, not a function of others."""
        free = self.steps > 0
        free[list(self.derived)] = False
        return free

    @cached_property
    def special(self) -> IntArray:
        """Free people whom a prior row mentions: each is a class alone."""
        named = [*(row.weights for row in self.derived.values()), *(row.weights for row, _, _ in self.prior)]
        return np.array(sorted({person for weights in named for person in weights}), np.int64)

    def sum_row(self, members: IntArray, times: IntArray | None = None) -> Row:
        """The sum over these people, `times` whole weights."""
        weights = np.zeros(self.n)
        weights[members] = self.free[members] * (1 if times is None else times)
        offset = self.lowest(members, times)
        bound: dict[int, int] = {}
        if self.derived:
            factors = np.ones(len(members), np.int64) if times is None else times
            bound = {p: t for p, t in zip(members.tolist(), factors.tolist(), strict=True) if p in self.derived}
        if not bound:
            self._check_exact(weights, "this sum needs weights too large to check exactly: use small whole weights")
            return Row(weights, offset, 1)
        summed = Functional(Fraction(0), {p: Fraction(t) for p, t in bound.items()})
        rest = self.on_grid(summed.substituted(self.derived))
        known = self.lowest(np.array(list(bound), np.int64), np.array(list(bound.values()), np.int64))
        combined = rest.weights + rest.scale * weights
        self._check_exact(combined, "with these prior rows this sum needs numbers too large to check exactly")
        return Row(combined, offset - known + rest.offset, rest.scale)

    def _check_exact(self, weights: FloatArray, message: str) -> None:
        if float(np.abs(weights) @ self.steps) >= 2.0**53 or np.abs(weights).max() >= WEIGHTIEST:
            raise InputError(message)

    def on_grid(self, functional: Functional) -> Row:
        """A functional of free people as a row."""
        scale = math.lcm(*(weight.denominator for weight in functional.weights.values()))
        weights = np.zeros(self.n)
        offset = functional.constant
        for person, weight in functional.weights.items():
            weights[person] = float(weight * scale)
            offset += weight * self.base(person)
        return Row(weights, offset, scale)


def _weight(row: Functional) -> float:
    scale = math.lcm(*(weight.denominator for weight in row.weights.values()))
    return float(scale * max([Fraction(1), *(abs(weight) for weight in row.weights.values())]))


def _check_on_lattice(derived: Mapping[int, Functional], step: Fraction, base: Callable[[int], Fraction]) -> None:
    """Whoever follows another on a lattice has a value on it whatever the other's is."""
    for person, functional in derived.items() if step else ():
        start = functional.constant + sum(weight * base(p) for p, weight in functional.weights.items()) - base(person)
        if len(functional.weights) > 1 or _weight(functional) > 1 or (start / step).denominator > 1:
            raise InputError(
                "a prior equation about whole numbers or steps may tie two people only, with weights 1 or -1, and values "
                "that both can have"
            )


def _solve(
    prior: Sequence[tuple[Functional, Fraction, Fraction]], bounds: Callable[[int], tuple[Fraction, Fraction]]
) -> tuple[dict[int, Functional], list[tuple[Functional, Fraction, Fraction]]]:
    """Equations become substitutions, by exact elimination; inequalities are rewritten with them."""
    named = {person for row, _, _ in prior for person in row.weights}
    fixed = {person for person in named if bounds(person)[0] == bounds(person)[1]}
    derived = {person: Functional(bounds(person)[0], {}) for person in fixed}
    rows: list[tuple[Functional, Fraction, Fraction]] = []
    for said, low, high in prior:
        row = Functional(Fraction(0), {p: w for p, w in said.weights.items() if w}).substituted(derived)
        if low < high:
            rows.append((row, low, high))
            continue
        if not row.weights:
            if row.constant != low:
                raise InputError("the prior rows contradict each other or the bounds")
            continue
        # The last person with the smallest weight: whole numbers stay whole wherever they can.
        pivot = min(row.weights, key=lambda p: (abs(row.weights[p]), -p))
        lead = row.weights[pivot]
        others = {p: -w / lead for p, w in row.weights.items() if p != pivot}
        put = {pivot: Functional((low - row.constant) / lead, others)}
        derived = {p: f.substituted(put) for p, f in derived.items()} | put
    rows = [(row.substituted(derived), low, high) for row, low, high in rows]
    derived = {p: f for p, f in derived.items() if p not in fixed}
    rows += [(functional, *bounds(person)) for person, functional in derived.items()]
    if any(not row.weights and not low <= row.constant <= high for row, low, high in rows):
        raise InputError("the prior rows contradict each other or the bounds")
    if any(not f.weights for f in derived.values()):
        raise InputError("the prior rows give somebody's value away: nothing can be kept for them")
    return derived, [(row, low, high) for row, low, high in rows if row.weights]
