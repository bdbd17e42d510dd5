"""What workers of a cluster do with their rows: number them, tally them, and group a part of the table as one machine would.

Everything here is sent to workers, or imported by them; it holds nothing of Spark's but record batches of Arrow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.columns import Axis
from discreet.columns._boxes import Boxes
from discreet.search.tables._bounds import SensitiveDemand, TableBound, lower_bound
from discreet.search.tables._coded_table import bound_column, bounded_codes, sensitive_of
from discreet.search.tables._columns import Column, FloatArray, IntArray
from discreet.search.tables._first_cuts import FirstCuts, leaving, tallied
from discreet.search.tables._letters import Letters
from discreet.search.tables._requirements import Requirement
from discreet.search.tables._search import generalise_letters
from discreet.tables._arrow import to_numpy
from discreet.tables._spark_codes import Batches, Work

if TYPE_CHECKING:
    import pyarrow as pa

UNIT = 1 << 40
"""Prices are whole multiples of 1 / UNIT."""


@dataclass(frozen=True, eq=False)
class Job:
    """What workers must know to group a part: axes, the engine's columns, the requirement, and what names columns have."""

    axes: tuple[Axis, ...]
    columns: tuple[Column, ...]
    requirement: Requirement
    ordered: tuple[Column, ...]  # the same columns as the cuts number them: by falling frequency where that is free
    ranks: tuple[IntArray, ...]  # of each column's codes: their places in that numbering
    sizes: tuple[int, ...]  # of the sensitive columns
    public: tuple[str, ...]  # names of the columns of codes
    sensitive: tuple[str, ...]
    count: str
    seconds: float  # for a part
    suppress: float  # records that may be left out, as a share
    seed: int

    def codes(self, table: pa.Table | pa.RecordBatch) -> IntArray:
        """(rows, d) codes of the public columns."""
        return np.stack([to_numpy(table.column(name)) for name in self.public], axis=1)

    def ranked(self, codes: IntArray) -> IntArray:
        """Codes in the cuts' numbering."""
        return np.stack([rank[codes[:, c]] for c, rank in enumerate(self.ranks)], axis=1)

    def sensitive_codes(self, table: pa.Table | pa.RecordBatch) -> IntArray:
        """(rows, columns) codes of the sensitive columns."""
        found = [to_numpy(table.column(name)) for name in self.sensitive]
        return np.stack(found, axis=1) if found else np.empty((len(table), 0), dtype=np.int64)


def tally_work(job: Job, cuts: FirstCuts) -> Work:
    """What a worker knows of the open nodes, summed over its own rows."""

    def work(batches: Batches) -> Batches:
        import pyarrow as pa

        for batch in batches:
            codes = job.ranked(job.codes(batch))
            node = cuts.node_of(codes)
            asked = np.isin(node, cuts.open)
            records = to_numpy(batch.column(job.count))[asked]
            found = tallied(codes[asked], job.sensitive_codes(batch)[asked], records, node[asked])
            plain = {name: getattr(found, name) for name in ("node", "column", "code", "rows", "records")}
            hulls = {
                f"{side}{c}": getattr(found, side)[:, c] for side in ("low", "high") for c in range(len(job.columns))
            }
            yield pa.RecordBatch.from_pydict(
                {name: pa.array(values, pa.int64()) for name, values in (plain | hulls).items()}
            )

    return work


def part_work(job: Job, cuts: FirstCuts, part: str) -> Work:
    """Add the part of every row: the place of its leaf among the leaves."""
    place = np.full(len(cuts.child), -1, dtype=np.int64)
    place[cuts.leaves] = np.arange(len(cuts.leaves))

    def work(batches: Batches) -> Batches:
        import pyarrow as pa

        for batch in batches:
            leaf = cuts.node_of(job.ranked(job.codes(batch)))
            yield from (
                pa.Table.from_batches([batch]).append_column(part, pa.array(place[leaf], pa.int64())).to_batches()
            )

    return work


def group_work(job: Job, cuts: FirstCuts, part: str, schema: Any) -> Work:
    """Group the parts that a worker has, each by itself."""

    def work(batches: Batches) -> Batches:
        import pyarrow as pa

        table = pa.Table.from_batches(batches) if (batches := list(batches)) else None  # type: ignore[assignment]
        if table is None or not len(table):
            return
        of = to_numpy(table.column(part))
        for each in np.unique(of).tolist():
            mine = table.filter(pa.array(of == each))
            region = cuts.region[cuts.leaves[each]]
            yield from grouped_part(job, mine, region, int(each)).select(schema.names).cast(schema).to_batches()

    return work


def grouped_part(job: Job, rows: pa.Table, region: tuple[IntArray, IntArray], part: int) -> pa.Table:
    """The rows of a part with their group (−1: suppressed), cells, what these cost, and the price that proves a bound."""
    import pyarrow as pa

    counts, sensitive = to_numpy(rows.column(job.count)), job.sensitive_codes(rows)
    codes, letter = np.unique(job.codes(rows), axis=0, return_inverse=True)
    letter = letter.ravel().astype(np.int64)
    records = np.bincount(letter, counts, len(codes)).astype(np.int64)
    entries = [sensitive_of(letter, sensitive[:, j], counts, len(codes), size) for j, size in enumerate(job.sizes)]
    letters = Letters(np.ascontiguousarray(codes.astype(np.int32)), records, tuple(entries))
    price = prices(job, letters, letter, sensitive, region)
    found = generalise_letters(
        letters,
        job.columns,
        job.requirement,
        shape="local",
        suppress=int(job.suppress * letters.records),
        time_limit=job.seconds,
        seed=job.seed,
    )
    boxes = Boxes.of_groups(job.axes, codes, found.group_of)
    group = found.group_of[letter]
    kept, at = group >= 0, np.maximum(group, 0)
    added = {"part": pa.array(np.full(len(rows), part), pa.int64()), "group": pa.array(group, pa.int64())}
    ncp = boxes.ncp
    for c in range(len(job.axes)):
        texts = pa.array([cell.text for cell in boxes.cells[c]], pa.string())
        ids = boxes.ids[at, c] if len(boxes) else at
        added[f"cell{c}"] = texts.take(pa.array(ids, mask=~kept)) if len(boxes) else pa.nulls(len(rows), pa.string())
        added[f"ncp{c}"] = pa.array(np.where(kept, ncp[at, c], 1.0) if len(boxes) else np.ones(len(rows)))
    added["price"] = pa.array(price, pa.int64())
    for name, values in added.items():
        rows = (rows.drop_columns([name]) if name in rows.column_names else rows).append_column(name, values)
    return rows


def prices(
    job: Job, letters: Letters, letter: IntArray, sensitive: IntArray, region: tuple[IntArray, IntArray]
) -> IntArray:
    """A price for every row, so that no group anywhere in the table has prices that sum to more than it pays.

    Within a part that is what `_bounds` proves. A group that reaches into another part pays, for every record, at least what
    it costs to leave that record's part: no record's price is above that, so their sum is not above what the group pays.
    """
    found = _bound(job, letters)
    if found is None:
        return np.zeros(len(letter), dtype=np.int64)
    most = leaving(job.ordered, job.ranked(letters.codes.astype(np.int64)), region)
    most_units = np.floor(np.minimum(most, 1.0) * UNIT * (1 - 1e-9)).astype(np.int64)
    if found.sensitive is None:
        own = found.y[letter]
    else:
        size = job.sizes[found.sensitive]
        key = found.letters * size + found.values  # in order, as the compressed rows are
        own = found.y[np.searchsorted(key, letter * size + sensitive[:, found.sensitive])]
    return np.asarray(np.minimum(own, most_units[letter]))


def _bound(job: Job, letters: Letters) -> TableBound | None:
    asked = [
        SensitiveDemand(column.indptr, column.value, column.count, k)
        for column, k in zip(letters.sensitive, job.requirement.k, strict=True)
    ]
    weights: FloatArray = np.array([column.weight for column in job.columns])
    try:
        return lower_bound(
            *bounded_codes(letters, job.axes),
            columns=[bound_column(axis, w) for axis, w in zip(job.axes, weights / weights.sum(), strict=True)],
            n=job.requirement.n,
            sensitive=asked,
            time_limit=0.2 * job.seconds,
        )
    except ValueError:  # not met by the part: the search says why
        return None
