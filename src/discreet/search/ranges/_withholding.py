"""Withholding outliers: a budget of rows that need not be released, where that makes the rest more useful."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from discreet._typing import Codeword, Cost, FloatArray, IntArray
from discreet.joint._joint import Joint, from_codes
from discreet.release._engine import Withheld
from discreet.release._partitions import Listed, canonical
from discreet.release._points import Point
from discreet.release._policy import Policy
from discreet.search._codewords import lengths
from discreet.search._letters import Letters
from discreet.search._protocol import Task
from discreet.search._watch import Watch
from discreet.search.ranges import _costs as costs
from discreet.search.ranges import _line as line
from discreet.search.ranges import _multicolumn as multicolumn
from discreet.search.ranges import _size as size
from discreet.search.ranges._figures import bits, worth
from discreet.search.ranges._suppression import Suppressor, suppress

SEVERAL, ANY = 64, 100_000
"""Policies that are made at most: in several columns each is a search of its own; else they take milliseconds."""


def withhold(point: Point, budget: int, time_limit: float | None = None) -> Withheld:
    """The point's promise at a better utility, with letters of at most `budget` rows withheld; for leakage L0.

    The released rows have at least as many distinct s in every block as the point's policy; so has the set of withheld
    rows as a whole, so that to be absent gives away no more than to be present. Every s is still released with somebody.
    """
    task = Task(point.setting)
    joint, letters, cost, codeword = task.joint, task.letters, task.cost, task.codeword
    least = int(costs.distinct(letters, point.block_of))
    several = letters.values is not None and not task.is_line and cost == "distortion"

    def engine(rest: Letters, kept: IntArray) -> IntArray:
        start = _repaired(rest, point.block_of[kept], least) if several else None
        return _best(rest, least, cost, codeword, start)

    def block_costs(rest: Letters, block_of: IntArray) -> FloatArray:
        if cost == "size":
            sizes: FloatArray = np.bincount(block_of)[np.unique(block_of)].astype(np.float64)
            return sizes
        return costs.radii(rest, block_of, codeword)

    if several and not multicolumn.is_affordable(letters):
        return Withheld(point, point.policy)
    watch = Watch(time_limit)
    found = suppress(
        Suppressor(
            letters,
            joint.records.astype(np.int64),
            budget,
            least,
            engine,
            block_costs,
            whole=True,
            start=point.block_of,
            hardest=multicolumn.hardest(letters, least) if several else None,
            runs=SEVERAL if several else ANY,
            watch=watch,
        )
    )
    if len(found.withheld) == 0 or worth(np.array([found.cost]), cost, letters.n)[0] <= point.utility:
        return Withheld(point, point.policy, watch.stopped)
    return Withheld(*_policy(joint, point, found.block_of, found.withheld, found.cost, cost), watch.stopped)


def _repaired(rest: Letters, labels: IntArray, least: int) -> IntArray:
    """A policy without the letters that are withheld: blocks that now see too few s join their nearest neighbours."""
    values = costs.required_values(rest)
    _, block = np.unique(labels, return_inverse=True)
    of_pair = np.repeat(np.arange(rest.n), np.diff(rest.indptr))
    while True:
        blocks = int(block.max()) + 1
        seen = np.unique(block[of_pair] * np.int64(rest.n_s) + rest.indices) // rest.n_s
        poor = np.flatnonzero(np.bincount(seen, minlength=blocks) < least)
        if len(poor) == 0 or blocks == 1:
            return canonical(block)
        sums = np.stack([np.bincount(block, column, blocks) for column in values.T], axis=1)
        centre = sums / np.bincount(block, minlength=blocks)[:, None]
        away = lengths(centre - centre[poor[0]], rest.norm)
        away[poor[0]] = np.inf
        block[block == poor[0]] = int(np.argmin(away))
        _, block = np.unique(block, return_inverse=True)


def _best(rest: Letters, least: int, cost: Cost, codeword: Codeword, start: IntArray | None) -> IntArray:
    if least < 2:
        return np.arange(rest.n)
    ks = np.array([least])
    if cost == "size":
        return size.optimise(rest, ks=ks).partition(0)
    if rest.values is not None and rest.values.shape[1] == 1:
        return line.optimise(rest, codeword, ks=ks).partition(0)
    return multicolumn.optimise(rest, codeword, ks=ks, starts=[] if start is None else [start]).partition(0)


def _policy(
    joint: Joint, point: Point, block_of: IntArray, withheld: IntArray, price: float, cost: Cost
) -> tuple[Point, Policy]:
    """The point and the policy of what is left; promises are about the released rows."""
    setting = point.setting
    # A block of its own for what is withheld, so that the blocks are a partition; then it is taken out again.
    whole = block_of.copy()
    whole[withheld] = withheld[0]
    is_gone = np.zeros(joint.n_x, dtype=bool)
    is_gone[withheld] = True
    kept = _without(joint, is_gone)
    members: dict[int, list[object]] = {}
    for label, block, gone in zip(joint.x, whole.tolist(), is_gone.tolist(), strict=True):
        if not gone:
            members.setdefault(block, []).append(label)
    words = [
        word
        for word, name in zip(setting.engine.codewords(setting, whole), np.unique(whole), strict=True)
        if name in members
    ]
    utility = float(worth(np.array([price]), cost, joint.n_x)[0])
    policy = Policy.from_blocks(
        kept, members.values(), codewords=words, leakage=setting.leakage, utility={setting.utility: utility}
    )
    before = point.policy.before
    leakage = float(bits(np.array([policy.after["k"]]), "L0", kept.n_s)[0])
    gone_labels = tuple(label for label, gone in zip(joint.x, is_gone.tolist(), strict=True) if gone)
    return (
        Point(leakage, utility, None, setting, Listed.of([whole])),
        replace(policy, withheld=gone_labels, before=before, missing=point.policy.missing),
    )


def _without(joint: Joint, gone: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Joint:
    """The joint of the letters that are released."""
    stays = ~gone[joint.x_of_pair]
    s = (joint._s, joint.counts.indices[stays].astype(np.int64))
    x = (joint._x, joint.x_of_pair[stays].astype(np.int64))
    return from_codes(s, x, joint.counts.data[stays])
