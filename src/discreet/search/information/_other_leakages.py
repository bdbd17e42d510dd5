"""Leakages other than Shannon's on the same merging engine, against I(X;X̂).

Maximal and min-entropy leakage are sums over blocks inside a logarithm, log2 Σ_B max_s t_B,s w_s up to a constant with
w_s = 1/N_s and w_s = 1, so nearest-neighbour lists serve: a merge never raises the sum, and what it lowers is weighed
against the entropy lost. The worst-case Rényi leakage max_B D_α(p(s|B) ‖ p(s)) is a maximum over blocks: only merging
the worst block lowers it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet.errors import InputError
from discreet.release._partitions import Listed, Partitions
from discreet.release._promises import renyi_order
from discreet.search._protocol import Found, Task
from discreet.search.information import _pmf_leakages as measuring
from discreet.search.information._dendrogram import Dendrogram, merged_by
from discreet.search.information._information_engine import InformationEngine, worth_having
from discreet.search.information._information_search import planned_parts, polished
from discreet.search.information._integers import Integers, integers_of
from discreet.search.information._least_records import first_allowed, least_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet._typing import FloatArray, IntArray, Progress
    from discreet.search.information._weights import Weights

OtherLeakage = Literal["maximal", "min-entropy", "renyi"]

OTHER_MULTIPLIERS = (0.0, *(2.0**power for power in range(-6, 7)), 2.0**20)
"""Multipliers that trace a frontier: both extremes, and a factor of two between neighbours round the even balance."""

ENUMERATED = 8  # letters up to which every partition is looked at
BORROWED, MEASURED = 200, 4_000_000  # policies of a path of the funnel for I that are tried; and pairs in all of them
ROUNDS, GOLDEN = 24, 0.618033988749895  # further searches at most, and the step that spreads their multipliers


def merge_other(
    weights: Weights,
    leakage: OtherLeakage,
    *,
    order: float | None = None,
    multiplier: float = 1.0,
    at_least: float = 0.0,
    progress: Progress | None = None,
) -> Dendrogram:
    """Merge letters down to one block, lowering another leakage at little cost of I(X;X̂).

    Parameters
    ----------
    leakage
        "maximal": log2 Σ_B max_s p(B|s). "min-entropy": log2 of Σ_B max_s p(s,B) / max_s p(s). "renyi":
        max_B D_α(p(s|B) ‖ p(s)).
    order
        α of "renyi" in [0, ∞]; 2 unless given.
    multiplier
        μ ≥ 0 of the other two: each step merges the pair with the least ΔC/C_0 + μ ΔH/H_0, with C the sum inside the
        logarithm and ΔH the entropy lost, both relative to the start. "renyi" has none: the worst block merges with
        the partner that leaves the least maximum, ties by the least entropy lost.
    at_least
        Side condition as in `dendrogram`; for "renyi" the worst of the light blocks merges while there is one.

    Returns
    -------
    Dendrogram
        With that leakage in `leakage`. O(n · pairs) or little more.
    """
    integers = integers_of(weights)
    if leakage == "renyi":
        return _worst_blocks(integers, 2.0 if order is None else order, at_least)
    if leakage not in ("maximal", "min-entropy"):
        raise InputError(f"there is no leakage {leakage!r} here: choose 'maximal', 'min-entropy' or 'renyi'")
    if not 0 <= multiplier < math.inf:
        raise InputError(f"the multiplier must be a number of at least 0, not {multiplier}")
    return _best_guesses(integers, leakage == "maximal", multiplier, at_least, progress)


def _of_s(integers: Integers) -> np.typing.NDArray[np.int64]:
    found = np.zeros(integers.n_s, np.int64)
    np.add.at(found, integers.indices, integers.count)
    return found


def _best_guesses(
    integers: Integers, is_maximal: bool, multiplier: float, at_least: float, progress: Progress | None
) -> Dendrogram:
    from discreet.search.information._dendrogram_kernels import GUESS, Rule

    of_s = _of_s(integers)
    per_s = 1.0 / of_s if is_maximal else np.ones(integers.n_s)
    tops = np.maximum.reduceat(integers.count * per_s[integers.indices], integers.indptr[:-1])
    begin = float(tops.sum())
    _, utility = integers.information(np.arange(integers.n))
    slope = multiplier / max(1, utility)
    rule = Rule(GUESS, 1.0 / begin, -slope, slope, 0, 0, per_s)
    run = merged_by(rule, integers, None, at_least, progress=progress)
    inside = np.maximum(1e-300, begin + np.append(0.0, np.cumsum(run.tops)))
    leakage = np.log2(inside) - (0.0 if is_maximal else math.log2(int(of_s.max())))
    return run.path(leakage, integers.bits(utility - np.append(0, np.cumsum(run.outside))))


def _worst_blocks(integers: Integers, order: float, at_least: float) -> Dendrogram:
    from discreet.search._kernels.rows import new_rows
    from discreet.search.information import _renyi_kernels as kernel

    if not order >= 0:
        raise InputError(f"order {order} is not defined here: use a number from 0 to infinity")
    kind = kernel.kind_of_order(order)
    least = least_count(integers, at_least)
    of_s = _of_s(integers)
    prior = kernel.Prior(kind, float(order), of_s / integers.total, np.log2(of_s), math.log2(integers.total))
    dense = np.zeros(integers.n_s, np.int64)
    merges, outside, leakage = kernel.merge_worst(prior, new_rows(integers), dense, least)
    _, utility = integers.information(np.arange(integers.n))
    return Dendrogram.of(
        np.arange(integers.n),
        merges,
        leakage,
        np.maximum(0.0, integers.bits(utility - np.append(0, np.cumsum(outside)))),
        first_allowed(integers.of_letter, merges, least),
    )


# ---------------------------------------------------------------------- as an engine


class OtherLeakages(InformationEngine):
    """Maximal, min-entropy and worst-case Rényi leakage: all partitions where they are few, else merging.

    What the funnel finds for I is a candidate too: less information is often less of these. No bound is known beyond the
    small alphabets, where all partitions are looked at.
    """

    name = "other-leakages"
    method = "auto"
    polishes = True

    def _refused(self, task: Task) -> str | None:
        if task.leakage == "I":
            return ""
        return None if task.problem == "funnel" else f"leakage {task.leakage!r} is offered as a funnel, by method auto"

    def search(self, task: Task) -> Found:
        """Every partition, or the steps of many merge paths and the best of the funnel."""
        if task.weights.n <= ENUMERATED:
            task.say("looking at every partition")
            every = [each for each in partitions_of(task.weights.n) if _is_allowed(task, each)]
            return Found(_measured(task, every), complete=True)
        parts = _merged(task)
        if not task.watch.over():
            parts += _borrowed(task, task.seed)
        if task.is_patient:
            parts += _further(task)
        found = Partitions.together(parts)
        # Masses are rounded for merging, and a ratio of tiny ones sees that: what is shown is measured anew.
        found = _measured(task, [found.partition(int(i)) for i in worth_having(task, found)])
        best = polished(task, found)
        return Found(best.partitions, polished=best.within)

    def prove(self, task: Task, found: Found, points: Partitions) -> FloatArray | None:
        """By enumeration alone."""
        return points.leakage if found.complete else None


def _kind(task: Task) -> OtherLeakage:
    if renyi_order(task.leakage) is not None:
        return "renyi"
    return "maximal" if task.leakage == "I_inf" else "min-entropy"


def _merged(task: Task) -> list[Partitions]:
    """Merge paths, from where the side condition holds."""
    order = renyi_order(task.leakage)
    multipliers = (0.0,) if order is not None else OTHER_MULTIPLIERS
    parts: list[Partitions] = []
    with task.watch as watch:
        for i, each in enumerate(multipliers):
            if parts and watch.over():
                break
            task.say("merging", i / len(multipliers))
            path = merge_other(task.weights, _kind(task), order=order, multiplier=float(each), at_least=task.at_least)
            parts.append(path.allowed)
    if not parts:
        raise KeyboardInterrupt  # before there was anything to keep
    return parts


def _borrowed(task: Task, seed: int) -> list[Partitions]:
    """Policies all along each path of the funnel for I, with this leakage.

    Which of a path are taken does not depend on other paths: what less time finds, more time finds, too.
    """
    found: list[Partitions] = []
    most = int(np.clip(MEASURED / len(task.weights.weight), 10, BORROWED))

    def borrow(part: Partitions) -> None:
        best = worth_having(task, part)
        spread = np.unique(np.linspace(0, len(best) - 1, most).astype(np.int64))
        found.append(_measured(task, [part.partition(int(i)) for i in best[spread]]))

    planned_parts(task, seed, whole=True, each=borrow)
    return found


def _further(task: Task) -> list[Partitions]:
    """While time lasts: merge paths of multipliers in between, and funnels of other seeds."""
    parts: list[Partitions] = []
    order, kind = renyi_order(task.leakage), _kind(task)
    with task.watch as watch:
        for turn in range(1, ROUNDS + 1):
            if watch.over():
                break
            if order is None:
                power = 14 * ((turn * GOLDEN) % 1.0) - 7  # evenly, wherever it ends
                path = merge_other(task.weights, kind, multiplier=2.0**power, at_least=task.at_least)
                parts.append(path.allowed)
            parts += _borrowed(task, task.seed + turn)
    return parts


def _measured(task: Task, partitions: Sequence[IntArray]) -> Partitions:
    order, kind = renyi_order(task.leakage), _kind(task)
    blocks = [task.weights.merged(each) for each in partitions]
    if order is not None:
        leakage = [measuring.renyi(each, order) for each in blocks]
    else:
        leakage = [(measuring.maximal if kind == "maximal" else measuring.min_entropy)(each) for each in blocks]
    return Partitions(np.array(leakage), np.array([each.entropy for each in blocks]), Listed.of(partitions))


def _is_allowed(task: Task, partition: IntArray) -> bool:
    return not task.at_least or bool(task.weights.merged(partition).of_letter.min() >= task.at_least)


def partitions_of(n: int) -> list[IntArray]:
    """Every partition of n letters, each letter's block named by its lowest letter."""
    found: list[list[int]] = [[0]]
    for letter in range(1, n):
        found = [[*each, block] for each in found for block in (*dict.fromkeys(each), letter)]
    return [np.array(each, dtype=np.int64) for each in found]
