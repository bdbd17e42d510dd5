"""Does soft beat hard? Frontiers of hard policies, of soft policies p(x̂|x), and what neither can pass.

    python benchmarks/bench_soft.py [--quick]

A drawn joint (400 records, 30 s, some 150 letters) and, where DISCREET_DATA names their folder, the Hungarian data: S =
(age, sex) against X = (sex, chol) (A) and X = (age, chol) (B), funnel and bottleneck. Hypervolume is the area dominated
inside I(S;X) by H(X), in shares of it (SPEC 8): of the hard frontier's steps, of the soft one with time sharing, and of the
proven bounds for either. The gain is in bits of I(S;X̂) at equal I(X;X̂): the largest, and the mean over all utilities. The
last columns are I(X;X̂) at no leakage, and how often descent rose by more than rounding (never).
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from common import measure, table

import discreet as dc
from discreet._typing import Problem
from discreet.search.information import weights_of
from discreet.search.information._bounds import bound
from discreet.search.information._soft_funnel import soft_frontier
from discreet.search.information._soft_points import SoftPoint
from discreet.search.information._weights import Weights

PROBLEMS: tuple[Problem, Problem] = ("funnel", "bottleneck")
STARTS = 40


def drawn() -> dc.Joint:
    """Letters that each favour a few s."""
    rng = np.random.default_rng(1)
    s = rng.integers(0, 30, 400)
    x = (5 * s + rng.integers(0, 12, 400)) % 150
    return dc.Joint.from_pairs(list(zip(s.tolist(), x.tolist(), strict=True)))


def hungarian(setting: Literal["A", "B"]) -> dc.Joint:
    """The two settings of [PF, IV]."""
    columns = dc.datasets.load("hungarian")
    names = ("sex", "chol") if setting == "A" else ("age", "chol")
    s = zip(columns["age"], columns["sex"], strict=True)
    x = zip(*(columns[name] for name in names), strict=True)
    return dc.Joint.from_pairs(list(zip(s, x, strict=True)))


@dataclass(frozen=True)
class Gain:
    """How far soft beats hard: the most bits of I(S;X̂) at equal I(X;X̂), where, and on average over all utilities."""

    bits: float
    utility: float
    mean: float


def soft_gain(
    weights: Weights,
    hard: Iterable[tuple[float, float]],
    soft: Sequence[SoftPoint],
    problem: Problem,
    steps: int = 2000,
) -> Gain:
    """The gain of soft points, with time sharing, over the steps of a hard frontier of (leakage, utility)."""
    sign = 1.0 if problem == "funnel" else -1.0
    ends = [(0.0, 0.0), (weights.leakage, weights.entropy)]
    figures = np.array([*hard, *ends])
    u = np.linspace(0.0, weights.entropy, steps + 1)
    # The best hard policy that is useful enough (funnel) or cheap enough (bottleneck), at every utility.
    order = np.argsort(sign * figures[:, 1], kind="stable")[::-1]
    best = np.minimum.accumulate(sign * figures[order, 0])
    last = np.searchsorted(-sign * figures[order, 1], -sign * u + 1e-12, side="right") - 1
    steps_of_hard = best[last]
    hull = sorted([(point.utility, point.leakage) for point in soft] + [(b, a) for a, b in ends])
    curve = np.interp(u, *np.array(hull).T)
    gain = steps_of_hard - sign * curve
    at = int(np.argmax(gain))
    return Gain(float(gain[at]), float(u[at]), float(gain.mean()))


def dominated(weights: Weights, leakage: npt.NDArray[np.float64], problem: Problem) -> str:
    """The area that a curve of leakage at evenly spaced utilities leaves on its good side."""
    good = weights.leakage - leakage if problem == "funnel" else leakage
    return f"{float(np.mean((good[1:] + good[:-1]) / 2)) / weights.leakage:.4f}"


def row(name: str, joint: dc.Joint, problem: Problem, seconds: float) -> list[str]:
    """One joint and problem, hard and soft."""
    weights = weights_of(joint)
    hard = dc.frontier(joint, leakage="I", utility="information", problem=problem, time_limit=seconds)
    chosen = np.unique(np.linspace(0, len(hard.points) - 1, STARTS).astype(np.int64))
    starts = [hard.points[int(i)].block_of for i in chosen]
    cost = measure(lambda: soft_frontier(weights, problem, hard=starts, time_limit=seconds))
    soft: list[SoftPoint] = cost.result
    figures = list(zip(hard.points.leakage.tolist(), hard.points.utility.tolist(), strict=True))
    gain = soft_gain(weights, figures, soft, problem)
    u = np.linspace(0.0, weights.entropy, 4001)
    curve = np.interp(u, [point.utility for point in soft[::-1]], [point.leakage for point in soft[::-1]])
    private = max((point.utility for point in soft if point.leakage < 1e-9), default=0.0)
    return [
        f"{name}, {problem}",
        f"{hard.hypervolume:.4f}",
        dominated(weights, curve, problem),
        dominated(weights, bound(weights, u, problem), problem),
        dominated(weights, bound(weights, u, problem, soft=True), problem),
        f"{gain.bits:.3f} at {gain.utility:.2f}",
        f"{gain.mean:.3f}",
        f"{private:.2f}",
        str(sum(point.rise > 1e-9 for point in soft)),
        f"{cost.cpu:.1f}",
    ]


HEADER = [
    *("joint", "hard", "soft", "bound, hard", "bound, soft"),
    *("largest gain, bits", "mean gain", "bits at no leakage", "rises", "CPU s"),
]


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="less time for every search")
    seconds = 5.0 if parser.parse_args().quick else 30.0
    joints = {"drawn": drawn()}
    if os.environ.get("DISCREET_DATA"):
        joints |= {"A": hungarian("A"), "B": hungarian("B")}
    rows = [row(name, joint, problem, seconds) for name, joint in joints.items() for problem in PROBLEMS]
    table("hard and soft frontiers", HEADER, rows)


if __name__ == "__main__":
    main()
