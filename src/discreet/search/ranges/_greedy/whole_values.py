"""Values as whole numbers, so that merging costs are exact and their ties are ties.

The centroid of a block is a sum divided by a count. Summed in floating point it would depend on the order of
the merges, and two blocks that cost the same on paper would differ in the last bit. Here every value becomes
a whole number of steps of one common lattice; sums of whole numbers are exact in any order, and a cost is one
correctly rounded division.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet._typing import FloatArray, IntArray

_MOST_DECIMALS = 15
_LARGEST_DIVISOR = 12
_ROOM = 60  # bits for a sum over all letters, leaving headroom in an int64 for the bounds built from such sums


@dataclass(frozen=True, eq=False)
class Lattice:
    """Whole-number coordinates `points` (each column starts at 0) and the number of lattice steps in a unit
    of value.
    """

    points: IntArray
    steps_per_unit: float


def lattice_of(values: FloatArray) -> Lattice:
    """Place values on the coarsest lattice that holds them exactly, or on a fine binary one where none does.

    Tried in turn: decimals (0.1 is taken as one tenth, the number the table shows, not as the binary fraction
    next to it), multiples of a common step (integers divided by a caller's unit), and last a binary lattice
    of about 2**(60 - log2 n) steps across the widest column, on which values closer than one step coincide.

    Parameters: `values`, finite, shape (n, d). Returns the lattice; all columns share its step.
    """
    widest = float(np.max(values.max(axis=0) / 2 - values.min(axis=0) / 2)) * 2 if values.size else 0.0
    if widest == 0.0:
        return Lattice(np.zeros(values.shape, dtype=np.int64), 1.0)
    most_steps = 2.0**_ROOM / len(values)
    return _decimal(values, most_steps) or _multiples(values, widest, most_steps) or _binary(values, most_steps)


def _decimal(values: FloatArray, most_steps: float) -> Lattice | None:
    """Values that are decimals of at most fifteen places, told by dividing back to the very same floats."""
    largest = float(np.abs(values).max())
    for places in range(_MOST_DECIMALS + 1):
        power = 10.0**places
        if largest * power >= 2.0**53:
            return None
        whole = np.rint(values * power)
        if np.array_equal(whole / power, values):
            points = whole.astype(np.int64)
            points -= points.min(axis=0)
            return Lattice(points, power) if points.max() <= most_steps else None
    return None


def _multiples(values: FloatArray, widest: float, most_steps: float) -> Lattice | None:
    """Values that are whole multiples of a step, up to the rounding that scaling them has left."""
    offsets = values - values.min(axis=0)
    gaps = np.diff(np.unique(offsets))
    if not np.isfinite(offsets).all():
        return None
    rounding = 8 * np.finfo(np.float64).eps * float(np.abs(values).max()) / widest
    real_gaps = gaps[gaps > rounding * widest]
    if len(real_gaps) == 0:
        return None
    for divisor in range(1, _LARGEST_DIVISOR + 1):
        steps = float(np.rint(widest * divisor / real_gaps.min()))
        # Beyond a thousandth of a step, rounding could no longer be told from a value off the lattice.
        if steps * rounding > 1e-3 or steps > most_steps:
            return None
        scaled = offsets * (steps / widest)
        points = np.rint(scaled)
        if np.abs(scaled - points).max() <= steps * rounding:
            return Lattice(points.astype(np.int64), steps / widest)
    return None


def _binary(values: FloatArray, most_steps: float) -> Lattice:
    """Any values, rounded to a power-of-two step."""
    exponent = max(int(np.frexp(np.abs(values).max())[1]), -900)
    unit = np.ldexp(values, -exponent)
    offsets = unit - unit.min(axis=0)
    shift = int(np.floor(np.log2(most_steps))) - int(np.frexp(offsets.max())[1])
    return Lattice(np.rint(np.ldexp(offsets, shift)).astype(np.int64), float(np.ldexp(1.0, shift - exponent)))
