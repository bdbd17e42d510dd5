"""One validator per kind: what it lets pass, and the one line it answers with."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest

from discreet import _checks as checks
from discreet.errors import ColumnError, InputError

PASS: list[tuple[Callable[..., Any], Any, Any]] = [
    (checks.count, np.int64(3), 3),
    (checks.count, 0, 0),
    (checks.seed, 7, 7),
    (checks.number, np.float32(0.5), 0.5),
    (checks.positive, 2, 2.0),
    (checks.time_limit, math.inf, math.inf),
    (checks.probability, 0.95, 0.95),
    (checks.columns, "age", ("age",)),
    (checks.columns, ["age", "sex"], ("age", "sex")),
]
REFUSED: list[tuple[Callable[..., Any], Any, str]] = [
    (checks.count, True, "that must be a whole number of at least 0, not True"),
    (checks.count, 2.0, "that must be a whole number of at least 0, not 2.0"),
    (checks.seed, -1, "that must be a whole number of at least 0, not -1"),
    (checks.number, math.inf, "that must be a finite number, not inf"),
    (checks.number, "2", "that must be a finite number, not '2'"),
    (checks.positive, 0, "that must be a positive number, not 0"),
    (checks.positive, math.inf, "that must be a positive number, not inf"),
    (checks.time_limit, math.nan, "that must be a positive number of seconds, not nan"),
    (checks.probability, 1, "that must lie between 0 and 1, not 1"),
    (checks.columns, (), "no that column was named: name at least one"),
    (checks.columns, 3, "a that column is named by int, not by text: rename it"),
    (checks.columns, ["a", "a"], "column 'a' is named twice as that: name it once"),
    (checks.generator, 0, "that must be a Generator, such as numpy.random.default_rng(): this draws at random"),
]


@pytest.mark.parametrize(("check", "value", "found"), PASS)
def test_what_passes_comes_back_plain(check: Callable[..., Any], value: Any, found: Any) -> None:
    assert check(value, name="that") == found
    assert type(check(value, name="that")) is type(found)


@pytest.mark.parametrize(("check", "value", "words"), REFUSED)
def test_what_is_refused_is_refused_in_one_line(check: Callable[..., Any], value: Any, words: str) -> None:
    with pytest.raises(InputError) as caught:
        check(value, name="that")
    assert str(caught.value) == words


def test_bounds_are_said() -> None:
    with pytest.raises(InputError, match="windows must be a whole number from 1 to 4, not 5"):
        checks.count(5, name="windows", least=1, most=4)
    with pytest.raises(InputError, match="radius must be a finite number of at least 0 and at most 2, not 3"):
        checks.number(3, name="radius", least=0, most=2)


def test_a_choice_is_answered_with_the_nearest_name() -> None:
    names = Literal["funnel", "bottleneck"]
    assert checks.choice("funnel", names, name="problem") == "funnel"
    with pytest.raises(InputError, match="problem='funel' is not known: did you mean 'funnel'"):
        checks.choice("funel", names, name="problem")
    with pytest.raises(InputError, match="problem='x' is not known: use one of 'a', 'b'"):
        checks.choice("x", ("a", "b"), name="problem")


def test_a_role_may_be_optional_and_a_generator_passes() -> None:
    assert checks.columns(None, name="side", optional=True) == ()
    with pytest.raises(ColumnError):
        checks.columns(None, name="public")
    rng = np.random.default_rng(0)
    assert checks.generator(rng) is rng
