"""From the options of a command to a recipe: a recipe file first, if there is one, and what was typed over it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from discreet.cli._shared import anyway_of, coarsened, flat, hush_java

if TYPE_CHECKING:
    from discreet.recipe import Recipe
    from discreet.recipe._sections import ColumnSection

DATA = {"inner": "name"} | {name: name for name in ("missing", "na", "memory_limit", "engine", "master", "conf")}
SEARCH = {name: name for name in ("shape", "suppress", "time_limit", "seed", "blind")}
FRONTIER = {
    name: name
    for name in (
        "leakage", "utility", "method", "problem", "at_least", "codeword", "norm",
        "max_leakage", "min_utility", "min_leakage", "max_utility", "multiplier", "min_k",
    )
}  # fmt: skip
OUTPUT = {
    "out": "table", "policy_file": "policy", "public_policy": "public_policy", "report_file": "report", "purpose": "purpose",
    "target": "target", "keep": "keep", "keep_anyway": "keep_anyway", "cells": "cells", "unseen": "unseen",
}  # fmt: skip
FILES = ("out", "policy_file", "public_policy", "report_file")


def recipe_of(options: dict[str, Any]) -> Recipe:
    """The recipe that a command line asks for."""
    from discreet.recipe import Recipe

    path = options.get("recipe")
    recipe = Recipe.load(path) if path else Recipe()
    typed = {name: value for name, value in options.items() if was_typed(name) or not path}
    if typed.get("engine", recipe.data.engine) == "spark":
        hush_java()
    elif typed.get("master") or typed.get("conf"):
        raise click.UsageError("--master and --conf are Spark's: say --engine spark")
    if typed.get("table"):
        recipe = recipe.override(data={"table": _here(typed["table"], recipe)})
    for section, keys in (("data", DATA), ("search", SEARCH), ("frontier", FRONTIER), ("output", OUTPUT)):
        given = {key: _plain(name, typed[name], recipe) for name, key in keys.items() if typed.get(name) is not None}
        recipe = recipe.override(**{section: given})
    if typed.get("require"):
        recipe = recipe.override(require=typed["require"])
    recipe = _with_roles(recipe, typed)
    return _with_types(recipe, typed)


def plan_of(recipe: Recipe) -> str:
    """Say in a line what will be searched for, and for how long at most."""
    columns, limit = ", ".join(recipe.public), recipe.search.time_limit
    if recipe.require:
        wanted = f"{', '.join(recipe.require)} in every group of {columns}, {recipe.search.shape} recoding"
    else:
        wanted = f"{recipe.frontier.leakage} of {', '.join(recipe.sensitive)} given {columns}"
    return wanted if limit is None else f"{wanted}; {limit:g} s of search"


def was_typed(name: str) -> bool:
    """Whether an option stands on the command line."""
    context = click.get_current_context(silent=True)
    source = context.get_parameter_source(name) if context else None
    return source not in (None, click.core.ParameterSource.DEFAULT, click.core.ParameterSource.DEFAULT_MAP)


def _plain(name: str, value: Any, recipe: Recipe) -> Any:
    """A value as the recipe holds it; files that were typed lie relative to where one is."""
    if name in FILES:
        return _here(value, recipe)
    if name == "keep":
        return flat(value, recipe.table)
    if name == "keep_anyway":
        return anyway_of(value, recipe.table) if value else False
    return list(value) if isinstance(value, tuple) else value


def _here(path: str, recipe: Recipe) -> str:
    is_url = "://" in path
    return path if is_url or recipe.folder == Path() else str(Path(path).absolute())


def _with_roles(recipe: Recipe, typed: dict[str, Any]) -> Recipe:
    """A role that was typed replaces the recipe's columns of that role."""
    from discreet.recipe._sections import ColumnSection

    columns = dict(recipe.columns)
    for role in ("sensitive", "public", "side"):
        names = flat(typed.get(role) or (), recipe.table) if typed.get(role) else []
        if not names:
            continue
        columns = {name: replace(each, role="ignored") if each.role == role else each for name, each in columns.items()}
        _once_each(names, role)
        for name in names:
            known = columns.get(name, ColumnSection())
            if known.role in ("sensitive", "public", "side") and typed.get(known.role):
                columns[name] = known
                raise _twice(name, known.role, role)
            columns[name] = replace(known, role=role)
        columns = _in_order(columns, names)
    return replace(recipe, columns=_about_people(columns, typed))


def _about_people(columns: dict[str, ColumnSection], typed: dict[str, Any]) -> dict[str, ColumnSection]:
    """The columns of sample weights and of households that were typed, instead of the recipe's."""
    from discreet.recipe._sections import ColumnSection, Role

    asked: tuple[tuple[Role, str], ...] = (("weight", "sample_weights"), ("household", "household"))
    for role, option in asked:
        chosen = typed.get(option)
        if chosen:
            columns = {name: replace(x, role="ignored") if x.role == role else x for name, x in columns.items()}
            known = columns.get(chosen, ColumnSection())
            if known.role not in ("ignored", "identifier"):
                raise _twice(chosen, known.role, role)
            columns = {**columns, chosen: replace(known, role=role)}
    return columns


def _in_order(columns: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """The columns of a role in the order in which they were typed."""
    typed = dict.fromkeys(names)
    return {name: each for name, each in columns.items() if name not in typed} | {name: columns[name] for name in names}


def _once_each(names: list[str], role: str) -> None:
    from discreet.errors import ColumnError

    for name, times in Counter(names).items():
        if times > 1:
            raise ColumnError(f"column {name!r} is named twice as {role}: name it once")


def _twice(name: str, one: str, other: str) -> Exception:
    from discreet.errors import ColumnError

    words = {"side": "side information", "weight": "sample weights"}
    return ColumnError(f"column {name!r} is both {words.get(one, one)} and {words.get(other, other)}: give it one role")


def _with_types(recipe: Recipe, typed: dict[str, Any]) -> Recipe:
    """Types, hierarchies, weights, limits, units and orders, column by column."""
    from discreet.columns import parse_type
    from discreet.columns._types import extent_of
    from discreet.recipe._sections import ColumnSection

    found: dict[str, dict[str, Any]] = {}
    kept = {name: ColumnSection() for name in recipe.output.keep if name not in recipe.columns}
    recipe = replace(recipe, columns={**recipe.columns, **kept})
    for name, text in _pairs(typed.get("types"), "type", "COLUMN=TYPE, such as postcode=code", recipe):
        kind = parse_type(text, name)
        found.setdefault(name, {}).update({"type": kind.kind} | ({"band": kind.band} if kind.band is not None else {}))
        if kind.order:
            found[name]["order"] = list(kind.order)
    for name, text in hierarchies_of(typed.get("hierarchy"), recipe.public, recipe.sensitive):
        found.setdefault(name, {})["hierarchy"] = _here(text, recipe)
    for name, text in _pairs(typed.get("weights"), "weight", "COLUMN=NUMBER, such as age=2", recipe):
        found.setdefault(name, {})["weight"] = _number(text, "weight", name)
    for name, text in _pairs(typed.get("coarsest"), "coarsest", "COLUMN=LIMIT, such as age=20", recipe):
        found.setdefault(name, {})["coarsest"] = extent_of(text)
    for name, text in coarsened(typed.get("coarsen") or (), recipe.public).items():
        found.setdefault(name, {})["coarsen"] = extent_of(text)
    for name in flat(typed.get("as_is") or ()):
        found.setdefault(name, {})["fixed"] = True
    for name, text in _pairs(typed.get("scale"), "scale", "COLUMN=UNIT, such as age=10", recipe):
        found.setdefault(name, {})["scale"] = _number(text, "scale", name)
    for name, text in _pairs(typed.get("rank"), "rank", "COLUMN=A,B,C with a public column", recipe):
        found.setdefault(name, {})["order"] = [part.strip() for part in text.split(",")]
    return recipe.override(columns=found)


def _pairs(texts: Iterable[str] | None, option: str, form: str, recipe: Recipe) -> list[tuple[str, str]]:
    """COLUMN=VALUE, each column once."""
    from discreet.errors import InputError

    found: dict[str, str] = {}
    for text in texts or ():
        name, mark, value = text.partition("=")
        if option == "scale":  # names of columns may have a "=", numbers do not
            name, mark, value = text.rpartition("=")
        if not mark or not value or name not in (*recipe.public, *(recipe.output.keep if option == "type" else ())):
            known = f"; the public columns are {', '.join(recipe.public)}" if mark and value else ""
            raise InputError(f"--{option} {text!r} does not read as {form}{known}")
        if found.get(name, value) != value:
            raise InputError(f"--{option} is given twice for {name!r}, as {found[name]} and as {value}: give it once")
        found[name] = value
    return list(found.items())


def hierarchies_of(
    texts: Iterable[str] | None, first: Sequence[str], others: Sequence[str] = ()
) -> list[tuple[str, str]]:
    """COLUMN=FILE, each column once, or the file alone where there is one column of the first kind."""
    from discreet.errors import InputError

    found: dict[str, str] = {}
    for text in texts or ():
        name, mark, path = text.partition("=")
        if not mark or name not in (*first, *others):
            if len(first) != 1 or (mark and not Path(text).exists()):
                raise InputError(
                    f"--hierarchy {text!r} does not name a column: say --hierarchy COLUMN=FILE, with one of "
                    f"{', '.join((*first, *others)) or 'the sensitive columns'}"
                )
            name, path = first[0], text
        if found.setdefault(name, path) != path:
            raise InputError(f"--hierarchy is given twice for {name!r}, as {found[name]} and as {path}: give it once")
    return list(found.items())


def _number(text: str, option: str, name: str) -> float:
    from discreet.errors import InputError

    try:
        return float(text)
    except ValueError:
        raise InputError(f"--{option} {name}={text} does not read as COLUMN=NUMBER, such as {name}=10") from None
