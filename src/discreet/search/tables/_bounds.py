"""A proven lower bound on the loss of every release of a table, whatever its shape.

A release puts records into groups. A group S meets the requirement (n records, k distinct sensitive values) and pays
|S| · ncp(B), B the box of its cells. Give every record a price y. If no group that could be formed has prices that sum
to more than it pays,

    sum of y over S  <=  |S| ncp(B)      for every box B and every S in B that meets the requirement,          (1)

then summing (1) over the groups of a release gives: its loss is at least the sum of all prices. Prices may be negative.
Twins may be split and boxes overlap, so the bound holds for local releases and a fortiori for disjoint and global ones.

**From any prices to feasible ones.** Let delta(t) be the least of ncp(B) - mean y(S) over groups S that hold t. Then
y + delta satisfies (1): the deltas of the members of S are at most ncp(B) - mean y(S) each, so they sum to at most
|S| ncp(B) - y(S). From y = 0 this is the simple bound, r(t) = the cheapest box with t. L(y) = sum of y + delta is concave,
a bound for every y, and its maximum is the value of the linear program whose dual (1) is; `_bound_ascent` climbs it on a
pool of groups, `_bound_walks` computes delta over all boxes and proves what the climb has reached.

**Which groups.** For n alone it is enough to ask (1) of groups of exactly n: of a box's records the dearest n have the
highest mean, and the mean of the dearest s falls with s. With k, larger groups matter, see `dearest_group`.

**Suppression.** A suppressed record pays 1, and at most R are. The others still form groups that satisfy (1), so the loss
is at least the sum of y over them plus 1 for each suppressed: sum of y - sum over suppressed of (y - 1), which is least
when the R records with the highest prices above 1 are suppressed. With R = 0 or prices below 1 nothing is lost.

**Several sensitive columns.** Dropping a demand only allows more releases, so each column alone gives a bound, and the
best of them is returned.

**Exactness.** Costs are rationals rounded down to multiples of 2^-40, prices integers in that unit, sums and comparisons
are done in int64, and the value is rounded down to a float.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet import _clock
from discreet.search.tables._bound_ascent import Pool
from discreet.search.tables._bound_cells import BoundColumn, IntArray
from discreet.search.tables._bound_search import Search, cheapest_boxes, raise_prices, rounded_down
from discreet.search.tables._bound_walks import lay_out, lay_out_growth

__all__ = ["BoundColumn", "SensitiveDemand", "TableBound", "lower_bound"]


@dataclass(frozen=True)
class SensitiveDemand:
    """At least k distinct values of one sensitive column in every group: CSR letter -> (value, records), value >= 0."""

    indptr: npt.NDArray[np.int64]
    values: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    k: int


@dataclass(frozen=True)
class TableBound:
    """No release that meets the requirement has a loss (GCP, a mean over records) below `value`.

    `y` are the prices that prove it, in multiples of 2^-40, a type each: type t is letter `letters[t]`, with the
    sensitive value `values[t]` where `sensitive` names the demand that was used (else -1). `simple` is the bound by the
    cheapest box round each record, `rounds` how often the prices were raised, `verified` whether the last prices were
    walked once more and broke nothing (they are feasible in any case), `converged` whether more time would hardly help.
    """

    value: float
    simple: float
    y: IntArray
    letters: npt.NDArray[np.int64]
    values: npt.NDArray[np.int64]
    sensitive: int | None
    rounds: int
    verified: bool
    converged: bool
    seconds: float

    def __repr__(self) -> str:
        return f"TableBound(value={self.value:.6g}, simple={self.simple:.6g}, rounds={self.rounds})"


def lower_bound(
    codes: npt.ArrayLike,
    counts: npt.ArrayLike,
    *,
    columns: Sequence[BoundColumn],
    n: int,
    sensitive: Sequence[SensitiveDemand] = (),
    suppress: int = 0,
    time_limit: float = 30.0,
    rounds: int = 40,
    progress: Callable[[TableBound], None] | None = None,
) -> TableBound:
    """A proven lower bound on the loss of every release; better the longer it may run, valid whenever it stops.

    Args:
        codes: (m, d) codes of the letters, distinct combinations of public values.
        counts: records of each letter.
        columns: what cells of each column cost.
        n: records every group must have.
        sensitive: demands for distinct values; a demand of k <= 1 asks for nothing.
        suppress: how many records may be suppressed, at a loss of 1 each.
        time_limit: CPU seconds. The first bound may take longer than a very short limit.
        rounds: at most so many ascents a demand; nothing is random, so the same arguments without a binding time limit
            give the same bound.
        progress: called with each better bound.

    Raises:
        ValueError: if the table as one group does not meet the requirement, so that no release does.
    """
    began = _clock.worked()
    code = np.asarray(codes, np.int32)
    count = np.asarray(counts, np.int64)
    demands = [(i, d) for i, d in enumerate(sensitive) if d.k > 1]
    _check(code, count, columns, n, [d for _, d in demands], suppress)
    tasks: list[tuple[int | None, SensitiveDemand | None]] = list(demands) if demands else [(None, None)]
    found: list[TableBound] = []
    for done, (which, demand) in enumerate(tasks):
        now = _clock.worked()
        deadline = now + (began + time_limit - now) / (len(tasks) - done)
        task = _Task(code, count, columns, n, which, demand, suppress, began)

        def tell(bound: TableBound) -> None:
            if progress is not None and all(bound.value > other.value for other in found):
                progress(bound)

        found.append(_run(task, deadline, rounds, tell))
    return max(found, key=lambda bound: bound.value)


@dataclass(frozen=True)
class _Task:
    """One demand on one table."""

    codes: npt.NDArray[np.int32]
    counts: IntArray
    columns: Sequence[BoundColumn]
    n: int
    which: int | None
    demand: SensitiveDemand | None
    suppress: int
    began: float


def _run(task: _Task, deadline: float, rounds: int, tell: Callable[[TableBound], None]) -> TableBound:
    letters, size, values, k = _types(task.counts, task.demand)

    def begun(detail: int) -> Search:
        """Several lines and large sets are relaxed; each step of detail relaxes them less."""
        return Search(
            layout=lay_out(
                task.codes[letters],
                size,
                columns=task.columns,
                values=np.maximum(values, 0).astype(np.int32),
                windows=12 << detail,
                sets=64 << 3 * detail,
            ),
            n=max(task.n, k),
            k=k,
            suppress=task.suppress,
            deadline=deadline,
            pool=Pool(max(2_000_000, 8 * len(size))),
            y=np.zeros(len(size), np.int64),
        )

    def so_far(verified: bool = False) -> TableBound:
        return TableBound(
            value=rounded_down(search.value),
            simple=rounded_down(search.simple),
            y=search.y,
            letters=letters,
            values=values,
            sensitive=task.which,
            rounds=search.rounds,
            verified=verified,
            converged=search.converged,
            seconds=_clock.worked() - task.began,
        )

    search = begun(0)
    started = _clock.worked()
    finished = cheapest_boxes(search, lambda: tell(so_far()))
    for detail in (1, 2, 3):
        # a finer relaxation is tried where it should take a fifth of the time left, and kept where it proves more
        now = _clock.worked()
        growth = lay_out_growth(task.columns, windows=6 << detail, sets=8 << 3 * detail)
        if not finished or growth == 1 or (now - started) * growth > 0.2 * (deadline - now):
            break
        coarse, search, started = search, begun(detail), now
        finished = cheapest_boxes(search, lambda: None)
        if not finished or search.value < coarse.value:
            search, finished = coarse, True
            break
        tell(so_far())
    if finished:
        raise_prices(search, rounds, lambda: tell(so_far()))
    sound, delta = search.walk(search.y, np.zeros(len(size), np.int64))
    if sound and int(delta.min(initial=0)) < 0:
        raise AssertionError("a certificate was not feasible")
    return so_far(sound)


def _types(
    counts: IntArray, demand: SensitiveDemand | None
) -> tuple[npt.NDArray[np.int64], IntArray, npt.NDArray[np.int64], int]:
    """(letter, records, sensitive value) of every type, and k: records that no price needs to tell apart."""
    if demand is None:
        return np.arange(len(counts)), counts, np.full(len(counts), -1, np.int64), 1
    letters = np.repeat(np.arange(len(counts)), np.diff(demand.indptr))
    return letters, np.asarray(demand.counts, np.int64), np.asarray(demand.values, np.int64), demand.k


def _check(
    codes: npt.NDArray[np.int32],
    counts: IntArray,
    columns: Sequence[BoundColumn],
    n: int,
    demands: Sequence[SensitiveDemand],
    suppress: int,
) -> None:
    if codes.ndim != 2 or codes.shape != (len(counts), len(columns)) or len(counts) == 0:
        raise ValueError("codes must be letters by columns, with one count a letter")
    if (counts <= 0).any():
        raise ValueError("counts must be positive")
    if n < 1 or suppress < 0:
        raise ValueError("n must be at least 1 and suppress at least 0")
    for j, column in enumerate(columns):
        if codes[:, j].min() < 0 or codes[:, j].max() >= column.size:
            raise ValueError(f"column {j} has a code outside 0..{column.size - 1}")
    if abs(sum(c.weight for c in columns) - 1) > 1e-9:
        raise ValueError("the weights of the columns must sum to 1")
    records = int(counts.sum())
    if records < n and suppress < records:
        raise ValueError(f"no release has groups of {n}: the table has {records} records")
    for demand in demands:
        distinct = len(np.unique(demand.values))
        if distinct < demand.k and suppress < records:
            raise ValueError(f"no release has {demand.k} distinct values in a group: the column has {distinct}")
