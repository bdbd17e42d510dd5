"""Cells of a question: equal parts of the range it can still take, some of them merged."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from discreet.queries.auditor._lattices import down

TESTS = 20, 8
"""Cells of one question that are looked at for their safety: so many, and so many more for each doubling of the parts.
Doubling and halving at both ends needs no more; beyond it the rest is merged."""

Safe = Callable[[int, int], bool]
"""Whether the union of the parts from i to j - 1 is proven safe."""


@dataclass(frozen=True)
class Cells:
    """[low, high] in equal parts, merged between consecutive `cuts`; exact.

    A cell has its lower end, not its upper one, except the last, which is closed. With a `step`, values are recorded in
    steps, each a part, and a cell runs from one to another, both included.
    """

    low: Fraction
    high: Fraction
    parts: int
    cuts: tuple[int, ...]
    step: Fraction = Fraction(0)

    def __len__(self) -> int:
        return len(self.cuts) - 1

    @property
    def width(self) -> Fraction:
        """The length of one part."""
        return self.step or (self.high - self.low) / self.parts

    def ends(self, i: int) -> tuple[Fraction, Fraction]:
        """The least and the greatest value of a cell."""
        return (
            self.low + self.cuts[i] * self.width,
            self.low + self.cuts[i + 1] * self.width - self.step,
        )

    def closed(self, i: int) -> bool:
        """Whether the upper end belongs to the cell."""
        return self.step > 0 or i == len(self) - 1

    def find(self, value: Fraction) -> int | None:
        """The cell of a value; None outside [low, high]."""
        if not self.low <= value <= self.high:
            return None
        part = self.parts if not self.width else int((value - self.low) // self.width)
        part = min(part, self.parts - 1)
        return bisect_right(self.cuts, part) - 1

    def listed(self, divisor: int | Fraction) -> list[tuple[float, float]]:
        """All cells, in units of 1/divisor; floats that hold them."""
        # In whole numbers over one denominator: there may be 100,000 cells.
        width = self.width
        below = math.lcm(self.low.denominator, width.denominator, self.step.denominator)
        first, each, last = (int(part * below) for part in (self.low, width, self.step))
        times = divisor.denominator
        edges, last = [(first + cut * each) * times for cut in self.cuts], last * times
        below *= divisor.numerator
        return [(down(low, below), 0.0 - down(last - high, below)) for low, high in pairwise(edges)]

    def to_dict(self) -> dict[str, Any]:
        """JSON-able; fractions as text, runs of single parts as [first, last]."""
        runs: list[list[int]] = []
        for cut in self.cuts:
            if runs and runs[-1][1] + 1 == cut:
                runs[-1][1] = cut
            else:
                runs.append([cut, cut])
        return {"low": str(self.low), "high": str(self.high), "parts": self.parts, "cuts": runs, "step": str(self.step)}

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> Cells:
        """The inverse of `to_dict`; ValueError for cuts that are no cells."""
        cuts = tuple(cut for first, last in said["cuts"] for cut in range(first, last + 1))
        if len(cuts) < 2 or cuts[0] or cuts[-1] != int(said["parts"]) or any(a >= b for a, b in pairwise(cuts)):
            raise ValueError("cuts go from 0 to the number of parts")
        return cls(Fraction(said["low"]), Fraction(said["high"]), int(said["parts"]), cuts, Fraction(said["step"]))


def merge(parts: int, safe: Safe) -> tuple[int, ...]:
    """Cut 0..parts into the most cells that are proven safe.

    The interval left to a person is jointly concave in the ends of a cell and grows with the cell (AUDITOR.md, Lemma).
    So single parts that are safe are contiguous, and a first and a last safe one prove all between them; from either
    end the narrowest safe cell is found by doubling and halving. The rest joins the cell next to it.
    """
    tested = _Tests(safe, TESTS[0] + TESTS[1] * parts.bit_length())
    if parts == 1 or (tested(0, 1) and tested(parts - 1, parts)):
        return tuple(range(parts + 1))
    left, width = [0], None
    while (width := _narrowest(lambda w: tested(left[-1], left[-1] + w), parts - left[-1], width or 2)) != 1:
        if width is None:
            # What is left is not safe by itself: it joins the cell before it.
            return (*left[:-1], parts) if len(left) > 1 else (0, parts)
        left.append(left[-1] + width)
        if left[-1] == parts:
            return tuple(left)
    # The part after left[-1] is safe alone, and so is every cell that contains it.
    right, width = [parts], None
    while (width := _narrowest(lambda w: tested(right[0] - w, right[0]), right[0] - left[-1], width or 2)) != 1:
        if width is None:
            return (*left, *right)
        right.insert(0, right[0] - width)
        if right[0] == left[-1]:
            return (*left[:-1], *right)
    return (*left, *range(left[-1] + 1, right[0]), *right)


class _Tests:
    """The tests of one question: remembers them, and says no once too many were made."""

    def __init__(self, safe: Safe, most: int) -> None:
        self.safe = safe
        self.left = most
        self.known: dict[tuple[int, int], bool] = {}

    def __call__(self, i: int, j: int) -> bool:
        if (i, j) not in self.known:
            if not self.left:
                return False
            self.left -= 1
            self.known[i, j] = self.safe(i, j)
        return self.known[i, j]


def _narrowest(safe: Callable[[int], bool], most: int, guess: int) -> int | None:
    """The least width that is safe, to a sixteenth, by doubling and halving; None when not even the whole is."""
    if safe(1):
        return 1
    if most == 1:
        return None
    below, width = 1, min(max(2, guess), most)
    while not safe(width):
        if width == most:
            return None
        below, width = width, min(2 * width, most)
    # Next to a cell of the guessed width, the narrowest is often as wide: look just below it first.
    probe = width - max(1, width // 16)
    while width - below > max(1, width // 16):
        if safe(probe):
            width = probe
        else:
            below = probe
        probe = (width + below) // 2
    return width
