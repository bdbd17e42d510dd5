"""Whole tables on a cluster: workers group parts of the table, and the driver holds cuts and figures only.

1. Workers group the rows that are alike; what the driver gets of them is how often each value of each column occurs.
2. The driver makes axes of the columns, and the first cuts of the top-down tree from tallies of them (`_first_cuts`).
3. Every part is grouped by the engine of one machine, and priced (`_cluster_work`): prices of all parts prove one bound.
4. What came out is written once, since a search that ran out of time would not come out the same twice, and everything else
   is made from that: the released table, the policy, and the figures, recomputed from the released rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.auditing._group_requirements import GroupRequirement
from discreet.errors import ColumnError, InputError, TableError, listed
from discreet.release._rows import refuse_identifiers
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
from discreet.tables._spark_codes import Numbering, numbered, tidy

if TYPE_CHECKING:
    from discreet._typing import IntArray, MissingPolicy, Progress
    from discreet.columns import ColumnType

PART = 50_000
"""Different rows of a part, at most: what one machine groups well within seconds."""

COUNT, CODE, SECRET, PARTS = "n", "a", "b", "part"
SYMBOLS = ("n", "k", "L0")
"""What groups may be required to have: what a cluster can recount."""


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

    def __post_init__(self) -> None:
        for names, others, words in (
            (self.sensitive, self.public, "both sensitive and public: give it one role"),
            (self.keep, self.public, "a public column: it is released coarsened, and cannot be kept as it is"),
        ):
            both = [name for name in names if name in others]
            if both:
                raise ColumnError(f"column {both[0]!r} is {words}")
        other = [str(each) for each in self.wanted if each.symbol not in SYMBOLS]
        if other:
            raise InputError(f"on a cluster groups may be required to have {', '.join(SYMBOLS)}, not {listed(other)}")

    @property
    def names(self) -> list[str]:
        """All columns that are read."""
        return list(dict.fromkeys([*self.public, *self.sensitive, *self.keep]))


@dataclass(frozen=True, eq=False)
class Described:
    """What the driver knows of a table: the values of each column with their counts; nothing of how they go together."""

    rows: Any = field(repr=False)  # different rows with counts, on the cluster
    names: list[str]
    keys: list[str]
    numberings: dict[str, Numbering] = field(repr=False)
    problem: CodedTable = field(repr=False)
    dropped: int

    def key(self, name: str) -> str:
        """What a column is called on the cluster."""
        return self.keys[self.names.index(name)]


def described(source: SparkTable, asked: Asked, progress: Progress | None = None) -> Described:
    """Group the rows that are alike, and number the values of each column."""
    from pyspark.sql import functions

    chosen, keys = source.chosen(asked.names)
    rows = tidy(chosen).groupBy(*keys).agg(functions.count(functions.lit(1)).alias(COUNT)).persist()
    found: dict[str, tuple[Alphabet, IntArray, IntArray]] = {}
    values: dict[str, Any] = {}
    with asking(source.name), watched(rows, progress):
        for name, key in zip(asked.names, keys, strict=True):
            seen = collected(rows.groupBy(key).agg(functions.sum(COUNT).alias(COUNT)))
            texts = frozenset(asked.na) if name in (*asked.public, *asked.sensitive) else frozenset()
            alphabet, codes = encode_column(seen[key], texts)
            values[name] = seen[key].combine_chunks()
            found[name] = alphabet, codes, seen[COUNT].to_numpy().astype(np.int64)
    total = int(found[asked.public[0]][2].sum())
    if not total:
        raise TableError(f"{source.name} has no rows: there is nothing to release")
    lost = {
        name: _lacking(alphabet, codes)
        for name, (alphabet, codes, _) in found.items()
        if name not in asked.keep or name in (*asked.public, *asked.sensitive)
    }
    lacking = [name for name, gone in lost.items() if gone.any()]
    if lacking and asked.missing == "error":
        raise TableError(f"some rows have missing values (in {listed(lacking)}): use missing='level' or missing='drop'")
    for name in asked.keep:
        alphabet, codes, counts = found[name]
        refuse_identifiers({name: (alphabet, codes)}, counts)
    counted, axes = _axes(asked, found, total)
    numberings = {}
    for name, key in zip(asked.names, keys, strict=True):
        if name in asked.public:
            own = axes[asked.public.index(name)].code_of[found[name][1]]
        elif name in asked.sensitive:
            own = found[name][1]
        else:
            continue
        own = np.where(lost[name], -1, own) if asked.missing == "drop" else own
        numberings[key] = Numbering(values[name], np.asarray(own, dtype=np.int64))
    problem = _problem(asked, counted, axes, found)
    problem.check(asked.wanted)
    return Described(rows, asked.names, keys, numberings, problem, 0)


def _lacking(alphabet: Alphabet, codes: IntArray) -> Any:
    """Which values are missing; None is always the last label."""
    if not len(alphabet) or alphabet.label(len(alphabet) - 1) is not None:
        return np.zeros(len(codes), dtype=bool)
    return codes == len(alphabet) - 1


def _axes(asked: Asked, found: Mapping[str, tuple[Alphabet, IntArray, IntArray]], total: int) -> tuple[Counted, Any]:
    """The axes of the public columns, from their values alone."""
    empty = np.empty(0, dtype=np.int64)
    columns = []
    for name in asked.public:
        labels = found[name][0].columns[0]
        if asked.missing == "drop":  # None is last
            listed_labels = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
            labels = listed_labels[:-1] if listed_labels and listed_labels[-1] is None else labels
        columns.append(labels)
    x = Alphabet(tuple(columns), np.empty((0, len(columns)), dtype=np.int64), asked.public)
    s_columns = tuple(found[name][0].columns[0] for name in asked.sensitive) or ((None,),)
    s = Alphabet(s_columns, np.empty((0, len(s_columns)), dtype=np.int64), asked.sensitive)
    counted = Counted(s, x, None, empty, empty, None, empty, total, Missing(asked.missing, 0, {}, 0))
    axes = axes_of(counted, asked.types, asked.weights)
    if asked.missing == "drop":  # a code for the missing value too, which nobody has
        axes = tuple(
            replace(axis, code_of=np.append(axis.code_of, -1)) if len(found[axis.name][0]) > len(axis.code_of) else axis
            for axis in axes
        )
    return counted, axes


def _problem(
    asked: Asked, counted: Counted, axes: Any, found: Mapping[str, tuple[Alphabet, IntArray, IntArray]]
) -> CodedTable:
    """The table as if it were one letter: enough to know what requirements mean in counts."""
    sensitive = []
    for name in asked.sensitive:
        alphabet, codes, counts = found[name]
        records = np.bincount(codes, counts, len(alphabet)).astype(np.int64)
        size = len(alphabet)
        sensitive.append(Sensitive(np.array([0, size]), np.arange(size), records, size))
    letters = Letters(np.zeros((1, len(axes)), dtype=np.int32), np.array([counted.rows]), tuple(sensitive))
    columns = tuple(map(engine_column, axes))
    return CodedTable(counted, axes, columns, letters, np.zeros(1, dtype=np.int64), asked.sensitive)


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
    requirement = engine_requirement(asked.wanted, problem)
    ordered, ranks = _ordered(problem, known, asked, coded)
    slots = max(1, coded.sparkSession.sparkContext.defaultParallelism)
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
