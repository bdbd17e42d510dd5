"""Arguments of the constructions for long data sets: whole numbers, numbers, arrays and generators, or an InputError."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError


def whole_number(value: Any, name: str) -> int:
    """An int or numpy integer; not 2.0, True or '2'."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputError(f"{name} must be a whole number, not {value!r}")
    return int(value)


def real_number(value: Any, name: str) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not math.isfinite(value):
        raise InputError(f"{name} must be a finite number, not {value!r}")
    return float(value)


def probability(value: Any, name: str) -> float:
    """A number strictly between 0 and 1."""
    if not 0 < real_number(value, name) < 1:
        raise InputError(f"{name} must lie between 0 and 1, not {value}")
    return float(value)


def array_of(values: Any, name: str) -> npt.NDArray[Any]:
    """An array of any type; rows of different lengths make none."""
    try:
        return np.asarray(values)
    except ValueError:
        raise InputError(f"{name} must be an array: give rows of the same length") from None


def generator(rng: Any) -> np.random.Generator:
    """A source of random letters."""
    if not isinstance(rng, np.random.Generator):
        raise InputError("letters are drawn at random: give a Generator, such as numpy.random.default_rng()")
    return rng
