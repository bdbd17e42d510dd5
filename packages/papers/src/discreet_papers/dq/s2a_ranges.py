"""II-A: uncertain variables and their ranges."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from discreet_papers.claims import Outcome, Study, matches
from discreet_papers.dq.families import small_ranges
from discreet_papers.dq.paper import PAPER

Cube = npt.NDArray[np.bool_]


def _cubes(shape: tuple[int, int, int]) -> list[Cube]:
    """Every joint range of three variables with so many values each, seen or not."""
    every = (np.array(bits, bool).reshape(shape) for bits in itertools.product((0, 1), repeat=int(np.prod(shape))))
    return [each for each in every if each.any()]


@PAPER.claim(
    "II-A",
    "[[X|y]] holds the X(ω) with Y(ω) = y; the union of all [[X|y]] is [[X]], and that of all [[X|y]] × {y} is [[X,Y]]",
)
def conditional_ranges(study: Study) -> Outcome:
    samples = range(4)
    variables = list(itertools.product(range(3), repeat=len(samples)))  # every X or Y as its values on the samples
    holds = 0
    for x, y in itertools.product(variables, repeat=2):
        given = {value: {x[sample] for sample in samples if y[sample] == value} for value in set(y)}
        pairs = {(seen, value) for value, xs in given.items() for seen in xs}
        holds += set().union(*given.values()) == set(x) and pairs == set(zip(x, y, strict=True))
    return matches(
        f"both hold for all {holds:,} pairs of variables with 3 values on 4 samples. The definition binds ω a second "
        'time ("X(ω) : ∃ω"); it is read as the same ω',
        holds == len(variables) ** 2,
    )


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
        f"holds for all {len(every)} ranges of up to 3 by 3 values, and for all {len(cubes)} of 2 by 2 by 2",
        plain,
        given,
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
        f"holds for all {len(cubes):,} ranges of X with two values each of Y1 and Y2; {unrelated_given_x} of them "
        "unrelated given X",
        inside,
        equal,
    )
