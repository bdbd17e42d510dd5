"""Running a recipe: the whole table where it requires something of every group, one frontier where it names a bound."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from discreet.auditing._group_requirements import parse_all, refuse_idle
from discreet.errors import ColumnError, InputError, listed
from discreet.joint import Joint
from discreet.release import Policy
from discreet.release._cutting import check_cut
from discreet.release._models import check_target_column
from discreet.release._people import PeopleColumns
from discreet.release._promises import slack_of
from discreet.release._publishing import ReleaseOptions, carry_through
from discreet.release._releasing import check_files, check_public_part
from discreet.release._rows import kept_columns
from discreet.release._table_policy import TablePolicy
from discreet.release._table_release import TableReleaseOptions, publish_table
from discreet.search import RANGES, frontier
from discreet.search._alphabet import default_utility
from discreet.search.tables import generalise, release_on_cluster
from discreet.tables._columns import encode_column
from discreet.tables._counting import count

if TYPE_CHECKING:
    from discreet._typing import Progress, Stopped
    from discreet.recipe._recipe import Recipe
    from discreet.release import Frontier

SEARCHED = 0.6  # of the time where rows may be withheld: the rest is for finding out which
CUTS = ("multiplier", "max_leakage", "min_utility", "min_leakage", "max_utility", "min_k")


def people_of(recipe: Recipe) -> PeopleColumns:
    """The columns that tell whom records stand for, and who lives together."""
    return PeopleColumns(recipe.one_having("weight"), recipe.one_having("household"))


def run(recipe: Recipe, *, force: bool = False, progress: Progress | None = None) -> Any:
    """Do what a recipe says; nothing is written unless all of it can be."""
    if not recipe.public:
        raise InputError('the recipe names no public column: [columns.NAME] role = "public"')
    cut = cut_of(recipe)
    names, anyway = kept_columns(recipe.output.keep, recipe.output.keep_anyway)
    recipe = recipe.override(output={"keep": names, "keep_anyway": sorted(anyway)})
    people_of(recipe).check_keep(names)
    if named := [name for name in names if name in recipe.having("identifier")]:
        raise ColumnError(f"column {named[0]!r} has the role identifier: it is never kept")
    if recipe.require and cut:
        raise InputError(
            f"a recipe releases whole groups (require) or cuts one frontier ({', '.join(cut)}): drop one of the two"
        )
    return _whole(recipe, force, progress) if recipe.require else _column(recipe, cut, force, progress)


def cut_of(recipe: Recipe) -> dict[str, float]:
    """Where the frontier is to be cut, if it is."""
    given = {name: getattr(recipe.frontier, name) for name in CUTS}
    return {name: float(value) for name, value in given.items() if value is not None}


def _whole(recipe: Recipe, force: bool, progress: Progress | None) -> Any:
    output, search = recipe.output, recipe.search
    refuse_coarsening(recipe)
    if recipe.having("side"):
        raise InputError(
            "a release of whole groups knows no side information: make those columns public, or ignore them"
        )
    if recipe.data.engine == "spark":
        return _on_cluster(recipe, force, progress)
    files = check_files(
        recipe.table,
        recipe.place(output.table),
        policy=recipe.path(output.policy),
        public_policy=recipe.path(output.public_policy) if output.public_policy else None,
        report=recipe.path(output.report) if output.report else None,
        force=force,
    )
    if output.target:
        check_target_column(recipe.table, output.target, recipe.data.na)
    people_of(recipe).check(recipe.table, (), output.keep, recipe.data.na)
    policy, stopped = (_chosen(recipe), None) if search.policy else _searched(recipe, progress)
    options = TableReleaseOptions(
        keep=output.keep,
        keep_anyway=output.keep_anyway,
        types=recipe.said,
        target=output.target,
        people=people_of(recipe),
        purpose=output.purpose,
        unseen=output.unseen,
        force=force,
        memory_limit=recipe.data.memory_limit,
    )
    return publish_table(recipe.table, policy, files=files, options=options, stopped=stopped, progress=progress)


def refuse_coarsening(recipe: Recipe) -> None:
    """Cells of a whole table are made of the values that occur: its columns have bands of their own."""
    if recipe.coarsen:
        name, size = next(iter(recipe.coarsen.items()))
        raise InputError(
            f"{name} is to be coarsened to {size} while it is counted, which is for one bound on a leakage: "
            f"with requirements on every group say its finest cell, --type {name}=number:5 or band in the recipe"
        )


def _on_cluster(recipe: Recipe, force: bool, progress: Progress | None) -> Any:
    """The whole table, grouped in parts by the workers of a cluster."""
    output, search = recipe.output, recipe.search
    beyond = {
        "shape": search.shape != "local",
        "blind": search.blind,
        "policy": search.policy is not None,
        "public-policy": bool(output.public_policy),
        "target": bool(output.target),
        "sample weights": bool(people_of(recipe).weights),
        "a household": bool(people_of(recipe).household),
    }
    for name, is_asked in beyond.items():
        if is_asked:
            raise InputError(f"a cluster releases whole tables in boxes of their own, without {name}: leave that out")
    return release_on_cluster(
        recipe.table,
        recipe.public,
        recipe.sensitive,
        recipe.require,
        {**recipe.types, **{name: kind for name, kind in recipe.said.items() if name in output.keep}},
        recipe.hierarchies,
        weights=recipe.weights,
        out=recipe.place(output.table),
        policy=recipe.place(output.policy),
        report=recipe.path(output.report) if output.report else None,
        purpose=output.purpose,
        keep=output.keep,
        keep_anyway=output.keep_anyway,
        suppress=search.suppress,
        time_limit=search.seconds,
        seed=search.seed,
        missing=recipe.data.missing,
        na=recipe.data.na,
        force=force,
        progress=progress,
    )


def _chosen(recipe: Recipe) -> TablePolicy:
    """The policy that a recipe names, if it is about these columns; its promises are held against the rows later."""
    where = recipe.path(recipe.search.policy or "")
    policy: object = Policy.load(where)
    if not isinstance(policy, TablePolicy) or policy.is_public:
        raise InputError(
            f"{where} is not the whole policy of a table: name the private one, with the values that occurred"
        )
    if (policy.public, policy.sensitive) != (recipe.public, recipe.sensitive):
        raise InputError(f"{where} is about other columns than the recipe: {listed(policy.public)}")
    wanted = parse_all(recipe.require, recipe.sensitive, recipe.hierarchies)
    data = recipe.data
    counted = count(
        recipe.table,
        recipe.sensitive,
        recipe.public,
        bare=True,
        missing=data.missing,
        na=data.na,
        memory_limit=data.memory_limit,
    )
    joint = Joint.of_counted(counted)
    refuse_idle(wanted, {name: joint.select(sensitive=[name]) for name in recipe.sensitive}, counted.rows)
    return replace(policy, require=wanted)


def _searched(recipe: Recipe, progress: Progress | None) -> tuple[TablePolicy, Stopped | None]:
    search = recipe.search
    done = generalise(
        recipe.table,
        recipe.public,
        recipe.sensitive,
        recipe.require,
        recipe.types,
        recipe.hierarchies,
        weights=recipe.weights,
        shape=search.shape,
        suppress=search.suppress,
        time_limit=search.seconds,
        seed=search.seed,
        blind=search.blind,
        missing=recipe.data.missing,
        na=recipe.data.na,
        memory_limit=recipe.data.memory_limit,
        progress=progress,
    )
    return done.policy, done.stopped


def _column(recipe: Recipe, cut: dict[str, float], force: bool, progress: Progress | None) -> Any:
    output = recipe.output
    check_cut(**cut)  # before the table is read
    files = check_files(
        recipe.table,
        recipe.place(output.table),
        policy=recipe.path(output.policy),
        public_policy=recipe.path(output.public_policy) if output.public_policy else None,
        report=recipe.path(output.report) if output.report else None,
        force=force,
    )
    people_of(recipe).check(recipe.table, (), output.keep, recipe.data.na)
    limit, searched = recipe.search.seconds, recipe.search
    if searched.suppress and searched.time_limit is not None:
        searched = replace(searched, time_limit=SEARCHED * limit)
    found = frontier_of(replace(recipe, search=searched), cut=cut, progress=progress)
    options = ReleaseOptions(
        keep=output.keep,
        keep_anyway=output.keep_anyway,
        types=recipe.said,
        cells=output.cells,
        unseen=output.unseen,
        suppress=recipe.search.suppress,
        time_limit=max(limit - found.seconds, 0.0 if searched.time_limit else (1 - SEARCHED) * limit),
        na=recipe.data.na,
        people=people_of(recipe),
        purpose=output.purpose,
        force=force,
        memory_limit=recipe.data.memory_limit,
    )
    try:
        point = found.point_at(**within_bands(cut, found))
    except InputError:
        if found.stopped == "interrupt":  # perhaps a little later it would have been within reach
            raise KeyboardInterrupt from None
        raise
    return carry_through(recipe.table, point, frontier=found, files=files, options=options, progress=progress)


def frontier_of(
    recipe: Recipe,
    *,
    joint: Joint | None = None,
    cut: dict[str, float] | None = None,
    progress: Progress | None = None,
) -> Frontier:
    """The frontier that a recipe asks for, for a cut where there is one; its table is counted unless that was done."""
    asked, columns = recipe.frontier, recipe.columns
    if joint is None:
        joint = _counted(recipe, progress)
    if cut is not None:  # for a release: before anything is searched
        check_public_part(joint, recipe.said)
    scale = {name: float(columns[name].scale or 1) for name in recipe.public if columns[name].scale is not None}
    order = {name: columns[name].order for name in recipe.public if columns[name].order}
    utility = asked.utility
    if utility is None and asked.leakage in RANGES:
        several = len(joint.public) > 1 and bool(joint.bands)  # which have no distances
        utility = "resolution" if several else default_utility(joint, None, scale or None, order or None)
    if joint.bands and utility == "distortion":
        if len(joint.public) > 1:
            raise InputError(
                "several columns, some of them coarsened while they are counted, have no distances that could be promised: "
                "use --utility resolution"
            )
        if cut and "min_utility" in cut:
            cut = {"min_utility": cut["min_utility"] + slack_of(joint, "distortion")}
    hierarchies = [path for name in recipe.public if (path := columns[name].hierarchy)]
    return frontier(
        joint,
        leakage=asked.leakage,
        utility=utility,
        method=asked.method,  # type: ignore[arg-type]
        problem=asked.problem,
        at_least=asked.at_least,
        codeword=asked.codeword,
        scale=scale or None,
        order=_as_labelled(order, joint) or None,
        norm=float(asked.norm),
        time_limit=recipe.search.time_limit,
        hierarchy=recipe.path(hierarchies[0]) if hierarchies else None,
        seed=recipe.search.seed,
        progress=progress,
        cut=cut,
    )


def _counted(recipe: Recipe, progress: Progress | None) -> Joint:
    """The table by its finest cells: as it is said to be coarsened, the bands of types, and moments by the day."""
    coarsen = {**_bands_of_types(recipe), **recipe.coarsen}

    def count(finest: dict[str, Any]) -> Joint:
        return Joint.from_table(
            recipe.table,
            recipe.sensitive,
            recipe.public,
            recipe.having("side") or None,
            missing=recipe.data.missing,
            na=recipe.data.na,
            memory_limit=recipe.data.memory_limit,
            coarsen=finest,
            progress=progress,
        )

    joint = count(coarsen)
    moments = [name for name in joint.public if name not in coarsen and _has_moments(recipe, joint, name)]
    return count({**coarsen, **dict.fromkeys(moments, "day")}) if moments else joint


def _bands_of_types(recipe: Recipe) -> dict[str, str]:
    """The finest cells that types have, as columns are said to be coarsened; a level of a hierarchy is none."""
    types = {name: recipe.columns[name] for name in recipe.public}
    return {
        name: f"{each.type}:{each.band}"
        for name, each in types.items()
        if each.band is not None and each.type in ("number", "date", "code")
    }


def _has_moments(recipe: Recipe, joint: Joint, name: str) -> bool:
    said = recipe.columns[name]
    if said.fixed or said.hierarchy or said.order or said.type not in (None, "date"):
        return False
    return any(isinstance(label, dt.datetime) for label in joint.select(public=[name]).x)


def within_bands(cut: dict[str, float], found: Frontier) -> dict[str, float]:
    """The cut between letters that keeps what was asked of values, which lie up to a band further from their codeword."""
    if "min_utility" not in cut:
        return cut
    return {"min_utility": cut["min_utility"] + slack_of(found.setting.joint, found.utility)}


def _as_labelled(order: dict[str, list[str]], joint: Joint) -> dict[str, list[Any]]:
    """Categories in order, as they are labelled in the joint: "1" is the number 1 there."""
    found = {}
    for name, values in order.items():
        alphabet, codes = encode_column(values, frozenset())
        found[name] = [alphabet.label(int(code)) for code in codes]
    return found
