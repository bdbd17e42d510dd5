"""What a user hands in, checked in one place: one function per kind, each with one clear line of `InputError`.

Every check takes the value and, by keyword, the name of the argument it came by, and gives back the value as plain
Python, so that callers write ``seed = checks.seed(seed)`` and need not look again.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from discreet.errors import ColumnError, InputError, listed

if TYPE_CHECKING:
    import numpy as np

Name = TypeVar("Name", bound=str)


def count(value: object, *, name: str, least: int = 0, most: int | None = None) -> int:
    """A whole number from ``least`` to ``most``; True and 2.0 are none."""
    whole = int(value) if not isinstance(value, bool) and isinstance(value, Integral) else None
    if whole is None or whole < least or (most is not None and whole > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise InputError(f"{name} must be a whole number {bounds}, not {value!r}")
    return whole


def seed(value: object, *, name: str = "the seed") -> int:
    """What a random generator is started with: a whole number, so that a run can be repeated."""
    return count(value, name=name)


def number(value: object, *, name: str, least: float = -math.inf, most: float = math.inf) -> float:
    """A finite number from ``least`` to ``most``."""
    found = _real(value)
    if not (math.isfinite(found) and least <= found <= most):
        limits = [f"at least {least:g}"] * (least > -math.inf) + [f"at most {most:g}"] * (most < math.inf)
        within = f" of {' and '.join(limits)}" if limits else ""
        raise InputError(f"{name} must be a finite number{within}, not {value!r}")
    return found


def positive(value: object, *, name: str, unit: str = "", infinite: bool = False) -> float:
    """A number above 0; infinity too where ``infinite`` (a limit that never comes)."""
    found = _real(value)
    if not (found > 0 and (infinite or math.isfinite(found))):
        raise InputError(f"{name} must be a positive number{f' of {unit}' if unit else ''}, not {value!r}")
    return found


def time_limit(value: object, *, name: str = "the time limit") -> float:
    """A positive number of seconds, or infinity."""
    return positive(value, name=name, unit="seconds", infinite=True)


def probability(value: object, *, name: str) -> float:
    """A number strictly between 0 and 1, such as a confidence."""
    found = _real(value)
    if not 0 < found < 1:
        raise InputError(f"{name} must lie between 0 and 1, not {value!r}")
    return found


def choice(value: Name, choices: Any, *, name: str) -> Name:
    """One of the names, or of a Literal's; an unknown one is answered with the nearest, or with all of them."""
    known = [str(each) for each in (get_args(choices) or choices)]
    if not (isinstance(value, str) and value in known):
        near = difflib.get_close_matches(str(value), known, 1)
        hint = f"did you mean {near[0]!r}? It is" if near else "use"
        raise InputError(f"{name}={value!r} is not known: {hint} one of {listed(known)}")
    return value


def columns(value: str | Iterable[str] | None, *, name: str, optional: bool = False) -> tuple[str, ...]:
    """Column names for one role, each once: one name, or several; none where that is ``optional``."""
    if value is not None and not isinstance(value, str | Iterable):
        raise ColumnError(f"a {name} column is named by {type(value).__name__}, not by text: rename it")
    names = (value,) if isinstance(value, str) else tuple(value or ())
    if not names and not optional:
        raise ColumnError(f"no {name} column was named: name at least one")
    seen: set[str] = set()
    for each in names:
        if not isinstance(each, str):
            raise ColumnError(f"a {name} column is named by {type(each).__name__}, not by text: rename it")
        if each in seen:
            raise ColumnError(f"column {each!r} is named twice as {name}: name it once")
        seen.add(each)
    return names


def texts(value: object, *, name: str) -> tuple[str, ...]:
    """Texts, such as those that mean missing: one, or several."""
    several = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else (value,)
    if not all(isinstance(each, str) for each in several):
        raise InputError(f'{name} must be text, or several texts, such as "?" or ["?", "NA"]: write 5 as "5"')
    return several


def generator(value: object, *, name: str = "rng") -> np.random.Generator:
    """A numpy Generator: whoever asks for a random draw says what to draw with."""
    import numpy as np

    if not isinstance(value, np.random.Generator):
        raise InputError(f"{name} must be a Generator, such as numpy.random.default_rng(): this draws at random")
    return value


def _real(value: object) -> float:
    """A number as a float; NaN for what is none, which no bound lets pass."""
    return float(value) if not isinstance(value, bool) and isinstance(value, Real) else math.nan
