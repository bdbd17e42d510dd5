"""What a plot compares frontiers with: Sweeney's generalisation, Mondrian, plain binning of one column."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.release._partitions import Partitions, canonical
from discreet.search._codewords import lengths
from discreet.search._letters import Letters
from discreet.search._protocol import Found, Task
from discreet.search.ranges import _costs as costs
from discreet.search.ranges._figures import level_of, measured, store_of
from discreet.search.ranges._join_components import join_all
from discreet.search.ranges._range_engine import RangeEngine

Policies = list[tuple[int | None, IntArray]]  # the level k asked for (None: not by level), and block_of

ALWAYS = 500  # letters up to which the baselines are part of every search
ALL_UP_TO = 64  # all levels and numbers of bins up to here; beyond, as many again, evenly in the logarithm


def spread(most: int) -> list[int]:
    """1 .. most, thinned out geometrically beyond ``ALL_UP_TO``: all of 10^5 levels would be n^2 numbers."""
    if most <= ALL_UP_TO:
        return list(range(1, most + 1))
    beyond = np.rint(np.geomspace(ALL_UP_TO, most, ALL_UP_TO)).astype(int)
    return [*range(1, ALL_UP_TO), *(int(v) for v in np.unique(beyond))]


def sweeney(letters: Letters, levels: Iterable[int] | None = None) -> Policies:
    """Generalisation and suppression for k distinct s: letters with fewer than k become one block.

    If that block itself has fewer than k distinct s, one more letter joins it, and one is enough, since any
    that is left has k by itself: with numeric values the letter nearest to the block's centroid, else the one
    with the fewest distinct s; ties go to the earliest. A paper's baseline, not a good policy: k has no say
    in which letters fit together.

    Parameters
    ----------
    letters
        The alphabet.
    levels
        The k to do; all of 1 .. |[[S]]| if not given (thinned beyond 64, see `spread`).

    Returns
    -------
    (k, block_of) for every level. Levels with the same policy share one array.

    Reference: Sweeney 2002, section 3.1, as [AC, VII] uses it.
    """
    ranges = np.diff(letters.indptr)
    found: Policies = []
    for k in spread(letters.n_s) if levels is None else levels:
        poor = np.flatnonzero(ranges < k)
        if len(poor) and len(np.unique(letters.indices[np.repeat(ranges < k, ranges)])) < k:
            poor = np.sort(np.append(poor, _partner(letters, poor, np.flatnonzero(ranges >= k))))
        block_of = np.arange(letters.n)
        if len(poor):
            block_of[poor] = poor[0]
        same = bool(found) and np.array_equal(found[-1][1], block_of)
        found.append((k, found[-1][1] if same else block_of))
    return found


def _partner(letters: Letters, poor: IntArray, rich: IntArray) -> int:
    """The letter that joins a block of poor letters."""
    if letters.values is None:
        return int(rich[np.argmin(np.diff(letters.indptr)[rich])])
    centroid = letters.values[poor].mean(axis=0)
    return int(rich[np.argmin(lengths(letters.values[rich] - centroid, letters.norm))])


def mondrian(letters: Letters, levels: Iterable[int] | None = None) -> Policies:
    """Strict Mondrian for k distinct s: cut at the median while both sides have k distinct s.

    Each part is cut along the column in which it is widest, as a fraction of the column's whole range, or
    along the next widest where that cut is not allowed. Letters of equal value stay together. Medians are
    over letters, not rows.

    Parameters
    ----------
    letters
        The alphabet, with values.
    levels
        The k to do; all of 1 .. |[[S]]| if not given (thinned beyond 64, see `spread`).

    Returns
    -------
    (k, block_of) for every level.

    Reference: LeFevre, DeWitt and Ramakrishnan 2006.
    """
    from discreet.search.ranges._baselines_kernels import mondrian_blocks

    values = costs.required_values(letters)
    span = values.max(axis=0) - values.min(axis=0)
    spans = np.where(span > 0, span, 1.0)  # a constant column is never cut
    columns = np.ascontiguousarray(values.T)
    return [
        (k, canonical(mondrian_blocks(columns, spans, letters.indptr, letters.indices, letters.n_s, k)))
        for k in (spread(letters.n_s) if levels is None else levels)
    ]


def equal_width(letters: Letters, bins: Iterable[int] | None = None) -> Policies:
    """One numeric column cut into b intervals of equal width, for every number of bins b; empty bins vanish.

    Parameters
    ----------
    letters
        The alphabet, with one column of values.
    bins
        The numbers of bins to do; all up to the number of values if not given (thinned beyond 64, see
        `spread`).

    Returns
    -------
    (None, block_of) for every number of bins: binning knows nothing of s.
    """

    def label(x: FloatArray, b: int) -> IntArray:
        width = x.max() - x.min()
        if width == 0:
            return np.zeros(len(x), np.int64)
        return np.asarray(np.minimum(np.floor((x - x.min()) / width * b).astype(np.int64), b - 1))

    return _binned(letters, bins, label)


def equal_frequency(letters: Letters, bins: Iterable[int] | None = None) -> Policies:
    """One numeric column cut into b bins of nearly equal numbers of letters, as `equal_width` does otherwise.

    Letters of equal value share a bin, whatever that does to the numbers.
    """

    def label(x: FloatArray, b: int) -> IntArray:
        rank = np.searchsorted(np.sort(x), x, side="left")  # equal values share the rank of the first
        return np.asarray(rank * b // len(x))

    return _binned(letters, bins, label)


Labelling = Callable[[FloatArray, int], IntArray]


def _binned(letters: Letters, bins: Iterable[int] | None, label: Labelling) -> Policies:
    values = costs.required_values(letters)
    if values.shape[1] != 1:
        raise ValueError(f"binning is for one numeric column, not {values.shape[1]}")
    x = values[:, 0]
    numbers = spread(len(np.unique(x))) if bins is None else bins
    return [(None, canonical(np.asarray(label(x, b), np.int64))) for b in numbers]


# ---------------------------------------------------------------------- as engines


class Baseline(RangeEngine):
    """What frontiers are compared with; no bound is known."""

    def accepts(self, task: Task) -> str | None:
        """Numbers where the method cuts them."""
        reason = super().accepts(task)
        if reason is None and self.method != "sweeney" and task.letters.values is None:
            return f"method {self.method!r} cuts numbers: use utility='distortion', or give values="
        if reason is None and self.method.startswith("equal") and not task.is_line:
            return f"method {self.method!r} bins one numeric column: name a single public column"
        return reason

    def search(self, task: Task) -> Found:
        """All of its policies, joined into one component where that is asked for."""
        by_step = baseline(task, self.method)
        partitions = [np.arange(task.letters.n), *each_once(by_step)]
        if task.leakage == "L0|I*=0":
            partitions = join_all(task, partitions)
        found = Found(measured(task, store_of(partitions)))
        if task.leakage != "L0" or self.method.startswith("equal") or not by_step:
            return found
        return replace(found, levels=_levels(task, by_step))


def _levels(task: Task, by_step: dict[int, IntArray]) -> tuple[IntArray, Partitions]:
    """The policy made for each k, measured, and held against what it is to have."""
    asked = np.array(sorted(by_step), dtype=np.int64)
    made = measured(task, store_of([by_step[k] for k in asked.tolist()]))
    if (level_of(made.leakage, task.leakage, task.letters.n_s) < asked).any():
        raise AssertionError("a policy made for k has a block with fewer distinct s")
    return asked, made


def each_once(by_step: dict[int, IntArray]) -> list[IntArray]:
    """Different partitions."""
    return list({block_of.tobytes(): block_of for block_of in by_step.values()}.values())


class Sweeney(Baseline):
    """Generalisation and suppression."""

    name = method = "sweeney"


class Mondrian(Baseline):
    """Median cuts."""

    name = method = "mondrian"


class EqualWidth(Baseline):
    """Bins of equal width."""

    name = method = "equal-width"


class EqualFrequency(Baseline):
    """Bins of nearly equal numbers of letters."""

    name = method = "equal-frequency"


def baselines_for(task: Task) -> tuple[str, ...]:
    """The baselines that a search is never worse than, on alphabets where they cost next to nothing."""
    if task.letters.n > ALWAYS or task.cost == "size":
        return ()
    return ("mondrian", "equal-width", "equal-frequency") if task.is_line else ("mondrian",)


def baseline(task: Task, name: str) -> dict[int, IntArray]:
    """A baseline's partition for each k, or for each number of bins."""
    makers = {"sweeney": sweeney, "mondrian": mondrian, "equal-width": equal_width, "equal-frequency": equal_frequency}
    letters = task.letters
    bins = name.startswith("equal")
    steps = spread(len(np.unique(costs.required_values(letters)[:, 0])) if bins else letters.n_s)
    if not bins and task.aim is not None and task.aim.level is not None:
        steps = [task.aim.level, *(step for step in steps if step != task.aim.level)]  # first what was asked for
    found: dict[int, IntArray] = {}
    with task.watch as watch:
        for i, step in enumerate(steps):
            if watch.over():
                break
            task.say(f"cutting as {name} does", i / len(steps))
            found[step] = makers[name](letters, [step])[0][1]
    if not bins:
        found.setdefault(letters.n_s, np.zeros(letters.n, np.int64))  # out of time: one block has every k
    return found
