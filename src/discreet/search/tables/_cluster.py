"""Whole tables on a cluster: workers group parts of the table, and the driver holds cuts and figures only.

1. Workers group the rows that are alike; what the driver gets of them is how often each value of each column occurs.
2. The driver makes axes of the columns, and the first cuts of the top-down tree from tallies of them (`_first_cuts`).
3. Every part is grouped by the engine of one machine, and priced (`_cluster_work`): prices of all parts prove one bound.
4. What came out is written once, since a search that ran out of time would not come out the same twice, and everything else
   is made from that: the released table, the policy, and the figures, recomputed from the released rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.auditing._group_requirements import GroupRequirement
from discreet.columns._judging import ValueCounts, refuse_kept
from discreet.errors import ColumnError, TableError, listed
from discreet.release._recounting import linked_values
from discreet.search.tables._cluster_work import Job, group_work, part_work, tally_work
from discreet.search.tables._coded_table import CodedTable, engine_column, engine_requirement
from discreet.search.tables._column_types import axes_of
from discreet.search.tables._first_cuts import FirstCuts, Tally
from discreet.search.tables._letters import Letters, Sensitive
from discreet.search.tables._problem import by_frequency
from discreet.tables._columns import encode_column
from discreet.tables._counting import Counted, Missing
from discreet.tables._labels import Alphabet
from discreet.tables._spark import SparkTable
from discreet.tables._spark_asking import asking, collected, watched
from discreet.tables._spark_codes import Numbering, is_lost, numbered, present, tidy

if TYPE_CHECKING:
    from discreet._typing import IntArray, MissingPolicy, Progress
    from discreet.columns import ColumnType

PART = 50_000
"""Different rows of a part, at most: what one machine groups well within seconds."""

TASK = 100_000
"""Different rows that a task looks at where there are as many: a shuffle has 200 partitions, however little is in them."""

COUNT, CODE, SECRET, PARTS = "n", "a", "b", "part"


@dataclass(frozen=True, eq=False)
class Asked:
    """What a release on a cluster is asked for."""

    public: tuple[str, ...]
    sensitive: tuple[str, ...]
    keep: tuple[str, ...]
    wanted: tuple[GroupRequirement, ...]
    types: Mapping[str, ColumnType]
    weights: Mapping[str, float] = field(default_factory=dict)
    suppress: int = 0
    time_limit: float = 60.0
    seed: int = 0
    missing: MissingPolicy = "level"
    na: tuple[str, ...] = ()
    part: int = PART
    said: frozenset[str] = frozenset()  # kept columns whose type was said
    anyway: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for names, others, words in (
            (self.sensitive, self.public, "both sensitive and public: give it one role"),
            (self.keep, self.public, "a public column: it is released coarsened, and cannot be kept as it is"),
        ):
            both = [name for name in names if name in others]
            if both:
                raise ColumnError(f"column {both[0]!r} is {words}")

    def is_read(self, name: str) -> bool:
        """Whether a column is public or sensitive: what is only kept may be missing, and texts for that are kept, too."""
        return name in self.public or name in self.sensitive

    @property
    def names(self) -> list[str]:
        """All columns, each once."""
        return list(dict.fromkeys([*self.public, *self.sensitive, *self.keep]))


@dataclass(frozen=True, eq=False)
class Described:
    """What the driver knows of a table: the values of each column with their counts; nothing of how they go together."""

    rows: Any = field(repr=False)  # different rows with counts, on the cluster
    held: Any = field(repr=False)  # what the workers keep of them
    names: list[str]
    keys: list[str]
    numberings: dict[str, Numbering] = field(repr=False)
    problem: CodedTable = field(repr=False)
    dropped: int
    wrong: tuple[str, ...] = ()  # with columns that are kept anyway

    def key(self, name: str) -> str:
        """What a column is called on the cluster."""
        return self.keys[self.names.index(name)]


def described(source: SparkTable, asked: Asked, progress: Progress | None = None) -> Described:
    """Group the rows that are alike, and number the values of each column."""
    from pyspark.sql import functions

    chosen, keys = source.chosen(asked.names)
    rows = held = tidy(chosen).groupBy(*keys).agg(functions.count(functions.lit(1)).alias(COUNT)).persist()
    with asking(source.name), watched(rows, progress):
        total, different = rows.agg(functions.sum(COUNT), functions.count(functions.lit(1))).first()
        if not total:
            raise TableError(f"{source.name} has no rows: there is nothing to release")
        rows = held.coalesce(max(_slots(rows), -(-different // TASK)))
        if asked.missing == "drop":
            read = [key for name, key in zip(asked.names, keys, strict=True) if asked.is_read(name)]
            rows = present(rows, read, asked.na)
        found = {
            name: _Column.of(rows, key, asked.na if asked.is_read(name) else ())
            for name, key in zip(asked.names, keys, strict=True)
        }
    lost = [name for name, column in found.items() if asked.is_read(name) and column.has_lost]
    if lost and asked.missing == "error":
        raise TableError(f"some rows have missing values (in {listed(lost)}): use missing='level' or missing='drop'")
    counted = int(found[asked.names[0]].counts.sum())
    if not counted:
        raise TableError(f"{source.name}: every row has a missing value, and was dropped: there is nothing to release")
    of = dict(zip(asked.names, keys, strict=True))
    with asking(source.name):
        values_of = [
            replace(
                ValueCounts.of(name, found[name].alphabet, found[name].codes, found[name].counts),
                links=linked_values(rows, of[name], [of[each] for each in asked.public], COUNT),
            )
            for name in asked.keep
        ]
    wrong = refuse_kept(values_of, said=asked.said, anyway=asked.anyway)
    problem = _problem(asked, found, counted)
    problem.check(asked.wanted)
    problem.refuse_idle(asked.wanted)
    of_public = zip(asked.public, problem.axes, strict=True)
    numbers = {name: axis.code_of[found[name].codes] for name, axis in of_public}
    numbers |= {name: found[name].codes for name in asked.sensitive}
    numberings = {
        key: Numbering(found[name].values, np.asarray(numbers[name], dtype=np.int64))
        for name, key in zip(asked.names, keys, strict=True)
        if name in numbers
    }
    return Described(rows, held, asked.names, keys, numberings, problem, total - counted, tuple(wrong))


def _slots(frame: Any) -> int:
    """How many tasks the cluster runs at once."""
    return max(1, int(frame.sparkSession.sparkContext.defaultParallelism))


@dataclass(frozen=True, eq=False)
class _Column:
    """The different values of a column as Spark sends them, their labels, and how often each occurs."""

    values: Any
    alphabet: Alphabet
    codes: IntArray
    counts: IntArray

    @classmethod
    def of(cls, rows: Any, key: str, na: Sequence[str]) -> _Column:
        """What is known of a column of these rows."""
        from pyspark.sql import functions

        seen = collected(rows.groupBy(key).agg(functions.sum(COUNT).alias(COUNT)))
        alphabet, codes = encode_column(seen[key], frozenset(na))
        return cls(seen[key].combine_chunks(), alphabet, codes, seen[COUNT].to_numpy().astype(np.int64))

    @property
    def has_lost(self) -> bool:
        """Whether a value is missing."""
        return bool(is_lost(self.alphabet, self.codes).any())


def _problem(asked: Asked, found: Mapping[str, _Column], records: int) -> CodedTable:
    """The table as if it were one letter: enough for the axes, and to know what requirements mean in counts."""
    none = np.empty(0, dtype=np.int64)

    def letters(names: tuple[str, ...]) -> Alphabet:
        columns = tuple(found[name].alphabet.columns[0] for name in names)
        return Alphabet(columns or ((None,),), np.empty((0, len(columns) or 1), dtype=np.int64), names)

    s, x = letters(asked.sensitive), letters(asked.public)
    counted = Counted(s, x, None, none, none, None, none, records, Missing(asked.missing, 0, {}, 0))
    axes = axes_of(counted, asked.types, asked.weights)
    sensitive = []
    for name in asked.sensitive:
        column, size = found[name], len(found[name].alphabet)
        tally = np.bincount(column.codes, column.counts, size).astype(np.int64)
        sensitive.append(Sensitive(np.array([0, size]), np.arange(size), tally, size))
    whole = Letters(np.zeros((1, len(axes)), dtype=np.int32), np.array([records]), tuple(sensitive))
    columns = tuple(map(engine_column, axes))
    return CodedTable(counted, axes, columns, whole, np.zeros(1, dtype=np.int64), asked.sensitive)


@dataclass(frozen=True, eq=False)
class Grouped:
    """Every different row with its group and cells, on the cluster, and the cuts that made the parts."""

    frame: Any = field(repr=False)
    coded: Any = field(repr=False)  # what it is made from, kept by the workers
    cuts: FirstCuts = field(repr=False)
    job: Job = field(repr=False)


def grouped(known: Described, asked: Asked, progress: Progress | None = None) -> Grouped:
    """Cut the table into parts, and group each of them on a worker; nothing runs before the frame is written."""
    from pyspark.sql import types

    problem = known.problem
    coded_names = {known.key(name): f"{CODE}{i}" for i, name in enumerate(asked.public)}
    coded_names |= {known.key(name): f"{SECRET}{i}" for i, name in enumerate(asked.sensitive)}
    long = types.LongType()
    schema = types.StructType(list(known.rows.schema.fields))
    for name in coded_names.values():
        schema = schema.add(name, long)
    coded = known.rows.mapInArrow(numbered(known.numberings, coded_names), schema).persist()
    requirement = engine_requirement(asked.wanted, problem, asked.suppress).padded(problem.letters)
    ordered, ranks = _ordered(problem, known, asked, coded)
    slots = _slots(coded)
    job = Job(
        axes=problem.axes,
        columns=problem.columns,
        requirement=requirement,
        ordered=ordered,
        ranks=ranks,
        sizes=tuple(column.size for column in problem.letters.sensitive),
        public=tuple(f"{CODE}{i}" for i in range(len(asked.public))),
        sensitive=tuple(f"{SECRET}{i}" for i in range(len(asked.sensitive))),
        count=COUNT,
        seconds=asked.time_limit,
        suppress=asked.suppress / problem.counted.rows,
        seed=asked.seed,
    )
    cuts = FirstCuts(ordered, requirement, asked.part)
    while cuts.open:
        if progress:
            progress(f"cutting the table: {len(cuts.leaves)} parts", None)
        cuts.grow(_tally(job, cuts, coded))
    parts = len(cuts.leaves)
    job = replace(job, seconds=max(1.0, asked.time_limit * min(1.0, slots / parts)))
    with_part = coded.mapInArrow(part_work(job, cuts, PARTS), schema.add(PARTS, long))
    placed = with_part.repartitionById(parts, with_part[PARTS].cast("int"))
    out = types.StructType(list(placed.schema.fields)).add("group", long)
    for c in range(len(asked.public)):
        out = out.add(f"cell{c}", types.StringType()).add(f"ncp{c}", types.DoubleType())
    out = out.add("price", long)
    from pyspark.sql.pandas.types import to_arrow_schema

    frame = placed.mapInArrow(group_work(job, cuts, PARTS, to_arrow_schema(out)), out)
    return Grouped(frame, coded, cuts, job)


def _ordered(problem: CodedTable, known: Described, asked: Asked, coded: Any) -> tuple[Any, tuple[IntArray, ...]]:
    """Columns and codes as the cuts number them: siblings of a tree and values of a set by falling frequency."""
    from pyspark.sql import functions

    columns, ranks = [], []
    for c, column in enumerate(problem.columns):
        seen = collected(coded.groupBy(f"{CODE}{c}").agg(functions.sum(COUNT).alias(COUNT)))
        codes, counts = (seen[name].to_numpy().astype(np.int64) for name in (f"{CODE}{c}", COUNT))
        new, order = by_frequency(column, np.bincount(codes, counts, column.size).astype(np.float64))
        rank = np.empty(column.size, dtype=np.int64)
        rank[order] = np.arange(column.size)
        columns.append(new)
        ranks.append(rank)
    return tuple(columns), tuple(ranks)


def _tally(job: Job, cuts: FirstCuts, coded: Any) -> Tally:
    """What all workers know of the open nodes together."""
    from pyspark.sql import functions, types

    d = len(job.columns)
    hulls = [f"{side}{c}" for side in ("low", "high") for c in range(d)]
    schema = types.StructType()
    for name in ("node", "column", "code", "rows", "records", *hulls):
        schema = schema.add(name, types.LongType())
    merged = [functions.sum(name).alias(name) for name in ("rows", "records")]
    merged += [(functions.min if name.startswith("low") else functions.max)(name).alias(name) for name in hulls]
    asked_columns = [*job.public, *job.sensitive, job.count]
    with asking("the table"):
        found = collected(
            coded.select(*asked_columns)
            .mapInArrow(tally_work(job, cuts), schema)
            .groupBy("node", "column", "code")
            .agg(*merged)
        )
    plain = [found[name].to_numpy().astype(np.int64) for name in ("node", "column", "code", "rows", "records")]
    low, high = (
        np.stack([found[f"{side}{c}"].to_numpy().astype(np.int64) for c in range(d)], axis=1)
        for side in ("low", "high")
    )
    node, column, code, rows, records = plain
    return Tally(node, column, code, rows, records, low, high)
