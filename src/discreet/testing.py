"""Hypothesis strategies and contract checks, for us and for people who add a measure.

Strategies are true by construction: a coarsening is drawn with its joint, an independent joint is a product.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from discreet.errors import DiscreetError, needs_extra
from discreet.joint._joint import Blocks, Joint
from discreet.measures import Measure

needs_extra("hypothesis", "testing")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

__all__ = [
    "ContractError",
    "check_measure",
    "coarsened_joints",
    "independent_joints",
    "joints",
]
TOLERANCE = 1e-9


class ContractError(DiscreetError, AssertionError):
    """A measure that breaks a law every measure of its role obeys."""


@st.composite
def joints(draw: st.DrawFn, max_s: int = 5, max_x: int = 6, max_count: int = 6) -> Joint:
    """Joints with counts, every letter seen at least once."""
    n_s, n_x = draw(st.integers(1, max_s)), draw(st.integers(1, max_x))
    cell = st.one_of(st.just(0), st.integers(0, max_count))
    counts = np.array(draw(st.lists(st.lists(cell, min_size=n_x, max_size=n_x), min_size=n_s, max_size=n_s)))
    for s in np.flatnonzero(counts.sum(axis=1) == 0):
        counts[s, draw(st.integers(0, n_x - 1))] = 1
    for x in np.flatnonzero(counts.sum(axis=0) == 0):
        counts[draw(st.integers(0, n_s - 1)), x] = 1
    return Joint.from_array(counts)


@st.composite
def coarsened_joints(draw: st.DrawFn, max_s: int = 5, max_x: int = 6) -> tuple[Joint, Blocks]:
    """A joint, and a partition of its X."""
    joint = draw(joints(max_s, max_x))
    owner = draw(st.lists(st.integers(0, joint.n_x - 1), min_size=joint.n_x, max_size=joint.n_x))
    members: dict[int, list[object]] = {}
    for label, block in zip(joint.x, owner, strict=True):
        members.setdefault(block, []).append(label)
    return joint, tuple(tuple(block) for block in members.values())


@st.composite
def independent_joints(draw: st.DrawFn, max_s: int = 5, max_x: int = 5) -> Joint:
    """Joints in which S and X are independent: outer products of positive weights."""
    weights = st.integers(1, 5)
    s = draw(st.lists(weights, min_size=1, max_size=max_s))
    x = draw(st.lists(weights, min_size=1, max_size=max_x))
    return Joint.from_array(np.outer(s, x))


def check_measure(measure: Measure, *, max_examples: int = 100) -> None:
    """Run every law that a measure of this role must obey; the first one broken is raised as ContractError.

    A measure that needs a hierarchy is given one by the places of the values of S.
    """
    if measure.needs_hierarchy:
        measure = replace(measure, function=_in_some_tree(measure), reads_order=True)
    for law in (_relabelling, _independence, _data_processing, _non_negative, _pure):
        settings(max_examples=max_examples, deadline=None, derandomize=True, database=None)(law(measure))()


def _in_some_tree(measure: Measure) -> Callable[[Joint], float]:
    def function(joint: Joint) -> float:
        return measure(joint, paths={s: (f"leaf {i}", f"half {i % 2}", "*") for i, s in enumerate(joint.s)})

    return function


def _require(holds: bool, measure: Measure, law: str) -> None:
    if not holds:
        raise ContractError(f"{measure.symbol} breaks {law}")


def _close(one: float, other: float) -> bool:
    return one == other or math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _relabelling(measure: Measure) -> Callable[[], None]:
    """The names and the order of letters do not matter, but where a measure is about the order of S."""

    @given(joints(), st.randoms(use_true_random=False))
    def law(joint: Joint, random: object) -> None:
        s = list(range(joint.n_s))
        x = list(range(joint.n_x))
        if not measure.reads_order:
            random.shuffle(s)  # type: ignore[attr-defined]
        random.shuffle(x)  # type: ignore[attr-defined]
        renamed = Joint.from_array(joint.counts, s=[f"s{i}" for i in s], x=[(i, "x") for i in x])
        _require(_close(measure(joint), measure(renamed)), measure, "relabelling")

    return law


def _independence(measure: Measure) -> Callable[[], None]:
    """What is independent of S leaks nothing."""

    @given(independent_joints())
    def law(joint: Joint) -> None:
        if measure.role == "leakage":
            _require(_close(measure(joint), 0.0), measure, "independence: a product leaks nothing")

    return law


def _data_processing(measure: Measure) -> Callable[[], None]:
    """Coarsening X never leaks more, never leaves less uncertainty, and does not change what is known before."""

    @given(coarsened_joints())
    def law(case: tuple[Joint, Blocks]) -> None:
        joint, blocks = case
        before, after = measure(joint), measure(joint.coarsen(blocks))
        if measure.role == "prior":
            _require(_close(before, after), measure, "data processing: X changes a prior")
        else:
            gain = (after - before) * measure.direction if before != after else 0.0
            _require(gain >= -TOLERANCE, measure, "data processing")

    return law


def _non_negative(measure: Measure) -> Callable[[], None]:
    @given(joints())
    def law(joint: Joint) -> None:
        _require(measure(joint) >= 0.0, measure, "non-negativity")

    return law


def _pure(measure: Measure) -> Callable[[], None]:
    """The joint is left as it was, and the same joint gives the same number to the last bit."""

    @given(joints())
    def law(joint: Joint) -> None:
        before = joint.counts.toarray()
        first, second = measure(joint), measure(Joint.from_array(before))
        _require(first == second, measure, "determinism")
        _require(np.array_equal(before, joint.counts.toarray()), measure, "no mutation")

    return law
