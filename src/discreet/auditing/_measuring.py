"""Making an audit: a table is counted once, and every figure is read off the counts; what was asked for beside comes after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np

from discreet import _checks as checks
from discreet.auditing._audit import Audit, ColumnPart, Homogeneity, is_bare
from discreet.auditing._group_requirements import GroupRequirement
from discreet.auditing._individual import HouseholdRisk, sample_weights
from discreet.auditing._looking import look_at
from discreet.auditing._matching import Matched
from discreet.auditing._population import Population
from discreet.auditing._special import special as find_special
from discreet.columns._bands import bands_of
from discreet.columns._hierarchy import Hierarchy
from discreet.errors import ColumnError, InputError, TableError
from discreet.joint._joint import Joint
from discreet.measures import REGISTRY, maximin_information, pronounced, worst_case_leakage
from discreet.tables._counting import count
from discreet.tables._protocol import check_columns
from discreet.tables._sources import column_names, named

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray, Progress, Reading
    from discreet.tables._counting import Counted

SMALL = 50_000  # distinct pairs up to which the measures with an order are part of every audit
FEW = 300  # and letters of S: maximal α-leakage solves for a prior over them
ORDERS = (2.0,)
PER_COLUMN = ("L0", "k", "I*", "I")


def audit(
    table: object,
    sensitive: str | Sequence[str] | None = None,
    public: str | Sequence[str] | None = None,
    side: str | Sequence[str] | None = None,
    *,
    orders: Sequence[float] | None = None,
    weights: str | None = None,
    household: str | None = None,
    population: object = None,
    special: int | None = None,
    hierarchies: Mapping[str, str | Path | Hierarchy] | None = None,
    ignore: str | Sequence[str] = (),
    **reading: Unpack[Reading],
) -> Audit:
    """Measure what the public columns of a table give away about its sensitive columns, and how easily people are found.

    Parameters
    ----------
    table, sensitive, public, side
        As of `Joint.from_table`. Without sensitive columns records are counted (k-anonymity, risk), and nothing else.
    orders
        The orders α of the measures that have one (by default 2 up to 50,000 distinct pairs, none beyond).
    weights
        A column of sample weights: how many people of the population a record stands for, for the risk there.
    household
        A column that names households: who is found leads to all of his.
    population
        A table of the population with the same public columns, for k-map and δ-presence.
    special
        Look for records that so many public columns or fewer single out (SUDA).
    hierarchies
        {sensitive column: ARX file}: how far apart its values are, for t_hier.
    ignore
        Other columns of the table that are known and need no mention: `left_out` names those that look like identifiers.
    **reading
        As of `Joint.from_table`; `missing="wildcard"` lets a missing public cell match any value, as in tables where cells were
        suppressed: n, k and what follows from them count all records that match.

    Examples
    --------
    >>> found = audit({"illness": ["flu", "cold", "cold"], "town": ["A", "A", "B"]}, "illness", "town")
    >>> found.values["L0"], found.values["k"], found.worst(1)[0].value
    (1.0, 1.0, 'B')
    >>> audit({"town": ["A", "A", "B"], "sex": ["f", None, "m"]}, public=["town", "sex"], missing="wildcard").values
    {'n': 1.0}
    """
    wildcard = reading.get("missing") == "wildcard"
    if wildcard:
        reading["missing"] = "level"
    trees = _trees(hierarchies, (sensitive,) if isinstance(sensitive, str) else tuple(sensitive or ()))
    joint = _joint(table, sensitive, public, side, reading)
    name = named(table)
    source = "a table in memory" if name == "the table" else name
    progress = reading.get("progress")
    found = audit_joint(joint, orders=orders, source=source, progress=progress, wildcard=wildcard, hierarchies=trees)
    rest: Reading = {**reading, "missing": "level"}  # rows were dropped by the columns that are audited, not by others
    if weights is not None:
        people, lightest = _people(table, found, weights, rest)
        found = replace(found, people=people, lightest=lightest)
    if household is not None:
        counted = count(table, household, joint.public, bands=joint.bands, **rest)
        risk = HouseholdRisk.of(counted, _letters(counted, joint), found.individual_risk)
        found = replace(found, household=risk)
    if population is not None:
        held = Population.of(found.matched, population, **rest)
        found = replace(found, population=held, values={**found.values, **held.values})
    if special is not None:
        found = replace(found, special=find_special(joint, size=special, wildcard=wildcard, progress=progress))
    known = [*joint.sensitive, *joint.public, *(joint.side.a.names if joint.has_side else ())]
    known += [name for name in (weights, household) if name is not None]
    ignored = _ignored(table, ignore, known)
    texts = checks.texts(reading.get("na", ()), name="na")
    return replace(found, look=look_at(table, {*known, *ignored}, na=texts, counts=joint.counts.data))


def _ignored(table: object, ignore: str | Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """The columns to ignore, if the table has them and they have no other role."""
    names = checks.columns(ignore, name="ignore", optional=True)
    if names:
        check_columns(names, column_names(table), named(table))
    for name in names:
        if name in known:
            raise ColumnError(f"column {name!r} is ignored and has another role: give it one of the two")
    return names


def _trees(
    hierarchies: Mapping[str, str | Path | Hierarchy] | None, sensitive: tuple[str, ...]
) -> dict[str, Hierarchy]:
    for name in hierarchies or ():
        if name not in sensitive:
            raise ColumnError(
                f"a hierarchy is given for {name!r}, which is not a sensitive column: an audit reads no other"
            )
    given = (hierarchies or {}).items()
    return {name: each if isinstance(each, Hierarchy) else Hierarchy.load(each) for name, each in given}


def _check_trees(joint: Joint, trees: Mapping[str, Hierarchy]) -> None:
    for name, asked in ((name, GroupRequirement("t_hier", 0.0, None, trees)) for name in trees):
        one = joint if len(joint.sensitive) == 1 else joint.select(sensitive=[name])
        if reason := asked.unfit(name, one.s):
            raise ColumnError(reason)


def _joint(
    table: object,
    sensitive: str | Sequence[str] | None,
    public: str | Sequence[str] | None,
    side: str | Sequence[str] | None,
    reading: Reading,
) -> Joint:
    if not sensitive:
        if side:
            raise ColumnError("side information is about sensitive columns: name a sensitive column, too")
        bands = bands_of(reading.get("coarsen"))
        return Joint.of_counted(count(table, (), public or (), bare=True, bands=bands, **reading))
    joint = Joint.from_table(table, sensitive, public or (), side, **reading)
    if joint.n_s < 2:
        raise TableError(
            f"the sensitive column {', '.join(map(repr, joint.sensitive))} has a single value: nothing to protect"
        )
    return joint


def audit_joint(
    joint: Joint,
    *,
    orders: Sequence[float] | None = None,
    source: str = "",
    progress: Progress | None = None,
    wildcard: bool = False,
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> Audit:
    """The audit of a joint that was counted already."""
    if not joint.is_integral:
        raise InputError("an audit counts records: this joint has a pmf or a support, not counts")
    if orders is not None and any(not order >= 0 for order in orders):
        raise InputError("an order is a number from 0 to infinity")
    if progress:
        progress("measuring", None)
    matched = Matched.of(joint, wildcard=wildcard)
    if is_bare(joint):
        values = {"n": float(matched.records.min())}
        return Audit(joint, values, _columns(joint, progress, wildcard), {}, Homogeneity(0, 0, 0), source, matched)
    trees = dict(hierarchies or {})
    _check_trees(joint, trees)
    values = _values(joint, orders, trees)
    if wildcard:
        values |= matched.values()
    together = () if joint.has_side else tuple(pronounced(joint))
    alike = _homogeneity(joint, matched)
    columns = _columns(joint, progress, wildcard)
    alone = _sensitive(joint, wildcard, trees)
    return Audit(joint, values, columns, alone, alike, source, matched, together, hierarchies=trees)


def _values(joint: Joint, orders: Sequence[float] | None, trees: Mapping[str, Hierarchy]) -> dict[str, float]:
    """Every measure that the joint has all of; one in a hierarchy is about a single sensitive column."""
    if orders is None:
        orders = ORDERS if joint.counts.nnz <= SMALL and joint.n_s <= FEW else ()
    plain = {symbol: each for symbol, each in REGISTRY.items() if not each.has_order}
    values = {
        symbol: each(joint, paths=trees[joint.sensitive[0]].of_labels(joint.s)) if each.needs_hierarchy else each(joint)
        for symbol, each in plain.items()
        if not each.needs_hierarchy or (len(joint.sensitive) == 1 and trees)
    }
    for each in REGISTRY.values():
        defined = [each.at(order) for order in orders if each.takes(order)]
        values.update({measure.symbol: measure(joint) for measure in defined})
    if joint.has_side:
        values["L0|A"] = worst_case_leakage(joint, side=True)
        values["I*,A"] = maximin_information(joint, side=True)
    return values


def _letters(counted: Counted, joint: Joint) -> IntArray:
    """The letter of the joint that each entry of another count has; −1 where its rows were dropped."""
    place = {label: i for i, label in enumerate(joint.x)}
    return np.array([place.get(label, -1) for label in counted.x.labels()])[counted.x_codes]


def _people(table: object, found: Audit, weights: str, reading: Reading) -> tuple[FloatArray, float]:
    """How many people each group stands for, by the sample weights of the records that match it, and the least weight."""
    joint = found.joint
    counted = count(table, weights, joint.public, bands=joint.bands, **reading)
    values = sample_weights(counted.s, weights)
    letters = _letters(counted, joint)
    known = letters >= 0
    each = values[counted.s_codes][known]
    own = np.bincount(letters[known], each * counted.counts[known], joint.n_x)
    return found.matched.total(np.asarray(own)), float(each.min())


def _some(joint: Joint, wildcard: bool) -> dict[str, float]:
    matched = Matched.of(joint, wildcard=wildcard)
    if is_bare(joint):
        return {"n": float(matched.records.min()), "uniques": float((matched.records == 1).sum())}
    values = matched.values() if wildcard else {}
    return {symbol: values[symbol] if symbol in values else REGISTRY[symbol](joint) for symbol in PER_COLUMN}


def _columns(joint: Joint, progress: Progress | None, wildcard: bool) -> tuple[ColumnPart, ...]:
    """Each public column alone, and the others without it."""
    names = joint.public
    if len(names) == 1:
        return (ColumnPart(names[0], joint.n_x, _some(joint, wildcard), None),)
    parts = []
    # Wildcards need to know the cells of what is left, which is dearer than its numbers.
    left = (joint.select(public=[n for n in names if n != name]) for name in names)
    for i, (name, others) in enumerate(zip(names, left if wildcard else joint.without_each(), strict=True)):
        if progress:
            progress("measuring column by column", i / len(names))
        alone = joint.select(public=[name])
        parts.append(ColumnPart(name, alone.n_x, _some(alone, wildcard), _some(others, wildcard)))
    return tuple(parts)


def _sensitive(joint: Joint, wildcard: bool, trees: Mapping[str, Hierarchy]) -> dict[str, dict[str, float]]:
    """Each sensitive column by itself, when there are several."""
    if len(joint.sensitive) < 2:
        return {}
    found = {}
    for name in joint.sensitive:
        one = joint.select(sensitive=[name])
        found[name] = {"levels": float(one.n_s), **_some(one, wildcard)}
        if name in trees:
            found[name]["t_hier"] = REGISTRY["t_hier"](one, paths=trees[name].of_labels(one.s))
    return found


def _homogeneity(joint: Joint, matched: Matched) -> Homogeneity:
    alike = (matched.distinct == 1) & (matched.records > 1)
    rows = joint.records[alike]
    return Homogeneity(int(alike.sum()), int(rows.sum()), int(rows.max(initial=0)))
