"""A release of a whole table by a cluster: rows, policy and figures, written together or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet import _checks as checks
from discreet._text import counted
from discreet.auditing._group_requirements import parse_all
from discreet.auditing._looking import look_at
from discreet.columns import ColumnType, Hierarchy
from discreet.errors import InputError, RequirementError, TableError
from discreet.release._cluster_policy import ClusterPolicy
from discreet.release._recounting import Sizes, recounted
from discreet.release._releasing import refuse_broken
from discreet.release._rows import kept_columns
from discreet.search.tables._cluster import COUNT, PART, Asked, Described, Grouped, described, grouped
from discreet.search.tables._cluster_outcome import ClusterRelease
from discreet.search.tables._cluster_page import cluster_page
from discreet.search.tables._cluster_work import UNIT
from discreet.search.tables._column_types import by_role, said_types
from discreet.tables._spark import SparkTable
from discreet.tables._spark_asking import asking, calm, watched
from discreet.tables._spark_folder import SparkFolder, times_over
from discreet.tables._writing import check_target, staged_text

if TYPE_CHECKING:
    from discreet._typing import KeepAnyway, MissingPolicy, Progress


def release_on_cluster(
    table: object,
    public: str | Sequence[str],
    sensitive: str | Sequence[str] = (),
    require: str | Iterable[str] = ("n>=5",),
    types: Mapping[str, str | ColumnType] | None = None,
    hierarchies: Mapping[str, str | Path | Hierarchy] | None = None,
    weights: Mapping[str, float] | None = None,
    *,
    out: str | Path,
    policy: str | Path,
    report: str | Path | None = None,
    purpose: str = "",
    keep: Sequence[str] = (),
    keep_anyway: KeepAnyway = False,
    suppress: int = 0,
    time_limit: float = 60.0,
    seed: int = 0,
    missing: MissingPolicy = "level",
    na: str | Iterable[str] = (),
    part: int | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> ClusterRelease:
    """Coarsen a whole table of Spark on its workers; what `generalise` does, for more than one machine holds.

    Workers group parts of the table, which the first cuts of the top-down tree make; the driver holds cuts and figures.
    Released rows and policy are written as folders of Parquet files, both or neither.

    Parameters
    ----------
    table
        A DataFrame of PySpark (not of Spark Connect).
    public, sensitive, require, types, hierarchies, weights, suppress, seed, missing, na
        As of `generalise`; types of columns that are kept say that their names prove nothing.
    out, policy
        Folders on any file system that the cluster knows. The policy is private: it lists the values that occurred.
    report, purpose
        A page to read and sign, on the machine that asks, and what it says the release is for.
    keep, keep_anyway
        Other columns to release as they are, and those of them although that breaks the requirement or they hardly repeat.
    time_limit
        Seconds of search, of all workers together.
    part
        Different rows of a part, at most.
    """
    names = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
    shown = (public,) if isinstance(public, str) else tuple(public)
    trees, coarse = by_role(names, hierarchies)
    kept, anyway = kept_columns(keep, keep_anyway)
    said = frozenset(types or ()) & (frozenset(kept) - frozenset(shown))
    types = {name: kind for name, kind in (types or {}).items() if name not in said}
    asked = Asked(
        shown,
        names,
        tuple(kept),
        parse_all(require, names, trees),
        said_types(shown, types, coarse, weights),
        weights or {},
        suppress=checks.count(suppress, name="suppress (records that need not be released)"),
        time_limit=time_limit,
        seed=seed,
        missing=missing,
        na=checks.texts(na, name="na"),
        part=part or PART,
        said=said,
        anyway=anyway,
    )
    checks.time_limit(time_limit)
    source = SparkTable.of(table)
    if source is None:
        raise InputError("only a table of Spark is released by a cluster: give a DataFrame, or say --engine spark")
    if str(out) == str(policy):
        raise InputError("the released table and the policy need a folder each")
    targets = {name: SparkFolder.of(source, path, force=force) for name, path in (("out", out), ("policy", policy))}
    if report is not None:
        check_target(report, force=force)
    new: list[SparkFolder | Path] = [target for target in targets.values() if not target.exists()]
    new += [Path(report)] if report is not None and not Path(report).exists() else []
    known = described(source, asked, progress)
    try:
        with calm():
            page = None if report is None else (Path(report), purpose)
            return _carried_out(source, asked, known, targets, page, progress=progress)
    except BaseException:
        for target in new:  # some of them may have their names already
            target.unlink(missing_ok=True)
        raise
    finally:
        known.held.unpersist()


def _carried_out(
    source: SparkTable,
    asked: Asked,
    known: Described,
    targets: Mapping[str, SparkFolder],
    page: tuple[Path, str] | None,
    *,
    progress: Progress | None,
) -> ClusterRelease:
    """Group, and write everything beside its place; the folders get their names when all of it is there."""
    made = grouped(known, asked, progress)
    with ExitStack() as stack:
        stack.callback(made.coded.unpersist)
        places = {name: stack.enter_context(target.replacing()) for name, target in targets.items()}
        work = f"{places['policy']}.rows"
        stack.callback(lambda: SparkFolder(source.session, work).unlink())
        with asking(source.name), watched(known.rows, _telling(progress, made)):
            made.frame.write.parquet(work)  # once: a search that ran out of time would not come out the same again
        files = {name: target.path for name, target in targets.items()}
        done = _written(source, asked, known, made, work, places, files)
        if page is not None:
            path, purpose = page
            done = replace(done, files={**files, "report": str(path)})
            stack.enter_context(staged_text(path, cluster_page(done, source.session, places, work, purpose)))
        return done


def _telling(progress: Progress | None, made: Grouped) -> Progress | None:
    parts = counted(len(made.cuts.leaves), "part")
    return None if progress is None else lambda _, share: progress(f"grouping {parts} on the workers", share)


def _written(
    source: SparkTable,
    asked: Asked,
    known: Described,
    made: Grouped,
    work: str,
    places: dict[str, str],
    files: dict[str, str],
) -> ClusterRelease:
    """Release, policy and figures, from the rows that were grouped."""
    from pyspark.sql import functions

    spark = source.session
    done = spark.read.parquet(work)
    d = len(asked.public)
    cells = [f"cell{c}" for c in range(d)]
    kept = [name for name in asked.keep if name not in asked.public]
    with asking(source.name):
        total, suppressed, losses, price = _sums(done, d)
        alive = done.filter(functions.col("group") >= 0)
        keys = [known.key(name) for name in kept]
        rows = alive.groupBy(*cells, *keys).agg(functions.sum(COUNT).alias("times"))
        times_over(rows, [*cells, *keys], "times").toDF(*asked.public, *kept).write.parquet(places["out"])
        x = [functions.col(known.key(name)).alias(f"x{c}") for c, name in enumerate(asked.public)]
        done.select(*x, *cells, "group").distinct().write.parquet(f"{places['policy']}/letters")
        secrets = {name: known.key(name) for name in asked.sensitive}
        after = recounted(alive, cells, secrets, asked.wanted, count=COUNT, na=asked.na)
        beside_sensitive = [name for name in kept if name not in asked.sensitive]
        checked_names = [name for name in beside_sensitive if name not in asked.anyway]
        by_keep, by_checked = (
            recounted(alive, [*cells, *map(known.key, names)], secrets, asked.wanted, count=COUNT, na=asked.na).broken
            if names
            else []
            for names in (beside_sensitive, checked_names)
        )
        before = Sizes.of(done, [known.key(name) for name in asked.public], COUNT)
    weights = made.job.columns
    share = sum(column.weight for column in weights)
    loss = sum(column.weight * each for column, each in zip(weights, losses, strict=True)) / share
    bound = max(0.0, min(float(price / (UNIT * total)) * (1 - 1e-12), loss))
    policy = ClusterPolicy(
        asked.public, asked.sensitive, asked.wanted, loss, bound, asked.missing, asked.na,
        spark.read.parquet(f"{places['policy']}/letters"),
    )  # fmt: skip
    if after.broken:
        raise RequirementError("no release that keeps the requirement was found: " + "; ".join(after.broken))
    refuse_broken(checked_names, by_checked)
    checked = policy.verify(SparkTable(files["out"], given=spark.read.parquet(places["out"])))
    if not checked:
        raise TableError(f"{files['out']} would not come out as it was measured, and was not written")
    spark.createDataFrame([(policy.to_json(),)], "value string").coalesce(1).write.text(f"{places['policy']}/promise")
    return ClusterRelease(
        policy=policy,
        source=source.where,
        files=files,
        columns=(*asked.public, *kept),
        rows=checked.rows,
        records=total,
        suppressed=suppressed,
        dropped=known.dropped,
        parts=len(made.cuts.leaves),
        types=tuple(axis.type for axis in known.problem.axes),
        loss_by_column=dict(zip(asked.public, losses, strict=True)),
        before=before,
        after=after,
        broken_by_keep=(*known.wrong, *by_keep),
        look=look_at(source, na=asked.na),
    )


def _sums(done: Any, d: int) -> tuple[int, int, list[float], Decimal]:
    """Records, suppressed ones, the mean NCP of each column, and the sum of all prices."""
    from pyspark.sql import functions

    count = functions.col(COUNT)
    found = done.agg(
        functions.sum(COUNT),
        functions.sum(functions.when(functions.col("group") < 0, count).otherwise(0)),
        functions.sum(functions.col("price").cast("decimal(19,0)") * count.cast("decimal(19,0)")),
        *(functions.sum(functions.col(f"ncp{c}") * count) for c in range(d)),
    ).first()
    total = int(found[0])
    return total, int(found[1]), [float(each) / total for each in found[3:]], found[2]
