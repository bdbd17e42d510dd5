"""II-A: uncertain variables and their ranges."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from discreet.papers.claims import Outcome, Study, matches, misprint
from discreet.papers.dq.families import small_ranges
from discreet.papers.dq.paper import PAPER

Cube = npt.NDArray[np.bool_]


def _cubes(shape: tuple[int, int, int]) -> list[Cube]:
    """Every joint range of three variables with so many values each, seen or not."""
    every = (np.array(bits, bool).reshape(shape) for bits in itertools.product((0, 1), repeat=int(np.prod(shape))))
    return [each for each in every if each.any()]


@PAPER.claim("II-A", "[[X|y]] := {X(ω) : there is ω with Y(ω) = y}")
def conditional_range(study: Study) -> Outcome:
    samples = [(0, 0), (1, 1)]  # X(ω), Y(ω)
    printed = {y: {x for x, _ in samples if any(seen == y for _, seen in samples)} for y in (0, 1)}
    meant = {y: {x for x, seen in samples if seen == y} for y in (0, 1)}
    joint = set(samples)
    return misprint(
        "as printed ω is bound twice, and every [[X|y]] is all of [[X]] (two samples with X = Y are enough); "
        "{X(ω) : ω with Y(ω) = y} is meant",
        printed={(x, y) for y, xs in printed.items() for x in xs} == joint,
        corrected={(x, y) for y, xs in meant.items() for x in xs} == joint,
    )


@PAPER.claim("II-A", "the union of all [[X|y]] is [[X]], and that of all [[X|y]] × {y} is [[X,Y]]")
def unions(study: Study) -> Outcome:
    every = study.once(small_ranges)
    holds = 0
    for joint in every:
        given = {y: set(np.flatnonzero(joint[:, y])) for y in range(joint.shape[1])}
        pairs = {(int(x), y) for y, xs in given.items() for x in xs}
        holds += set().union(*given.values()) == set(range(joint.shape[0])) and pairs == {
            (int(x), int(y)) for x, y in np.argwhere(joint)
        }
    return matches(f"both for all {holds} joint ranges of up to 3 by 3 values", holds == len(every))


@PAPER.claim("Def II.1", "X1 and X2 are unrelated if and only if [[X1|x2]] = [[X1]] for every x2; the same given Y")
def unrelated(study: Study) -> Outcome:
    every = study.once(small_ranges)
    plain = all(
        bool(joint.all()) == all((joint[:, x2] == joint.any(axis=1)).all() for x2 in range(joint.shape[1]))
        for joint in every
    )
    given = True
    cubes = _cubes((2, 2, 2))
    for cube in cubes:  # X1, X2, Y
        product = all(
            (cube[:, :, y] == np.logical_and.outer(cube[:, :, y].any(axis=1), cube[:, :, y].any(axis=0))).all()
            for y in (0, 1)
        )
        narrowed = all(
            (cube[:, x2, y] == cube[:, :, y].any(axis=1)).all()
            for x2, y in itertools.product((0, 1), repeat=2)
            if cube[:, x2, y].any()
        )
        given &= product == narrowed
    return matches(
        f"for all {len(every)} ranges of up to 3 by 3 values, and for all {len(cubes)} of 2 by 2 by 2", plain, given
    )


@PAPER.claim(
    "II-A", "[[X|y1,…,yn]] lies in the intersection of the [[X|yi]], and equals it if the Yi are unrelated given X"
)
def intersections(study: Study) -> Outcome:
    cubes = _cubes((2, 2, 2)) + _cubes((3, 2, 2))
    inside, equal, unrelated_given_x = True, True, 0
    for cube in cubes:  # X, Y1, Y2
        apart = cube.any(axis=2, keepdims=True) & cube.any(axis=1, keepdims=True)
        product = all(
            (cube[x] == np.logical_and.outer(cube[x].any(axis=1), cube[x].any(axis=0))).all() for x in range(len(cube))
        )
        inside &= bool((cube <= apart).all())
        equal &= not product or bool((cube == apart).all())
        unrelated_given_x += product
    return matches(
        f"for all {len(cubes):,} ranges of X with two values each of Y1 and Y2; {unrelated_given_x} of them "
        f"unrelated given X",
        inside,
        equal,
    )
