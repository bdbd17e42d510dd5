"""The sections of a recipe: plain data, each key with its type, its default and one line of explanation.

The file, its JSON schema, its commented template and the checks all follow from these classes.
"""

from __future__ import annotations

import difflib
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from discreet import _checks as checks
from discreet._text import an
from discreet._typing import Engine
from discreet.columns._types import Kind
from discreet.errors import InputError, listed

S = TypeVar("S")
Role = Literal["public", "sensitive", "side", "weight", "household", "identifier", "ignored"]


def told(default: Any, help: str) -> Any:  # noqa: A002
    """A key with its default and what it means."""
    if default == ():
        return field(default_factory=list, metadata={"help": help})
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class DataSection:
    """Which table, and how it is read."""

    table: str = told("", "a file, a glob, or a database URL; relative to this file")
    name: str | None = told(None, "the table of a database, or the sheet of a workbook")
    missing: Literal["level", "drop", "error"] = told(
        "level", "missing values: a level of their own, dropped, or refused"
    )
    na: list[str] = told((), 'texts that mean missing, such as "?"')
    memory_limit: str | None = told(None, 'what counting may use, such as "4GB"')
    engine: Engine = told("auto", "auto, or spark: a cluster counts, groups and writes")
    master: str | None = told(None, 'of Spark: "spark://HOST:7077", "yarn", "k8s://…", "local[4]", "sc://HOST:15002"')
    conf: list[str] = told((), 'of Spark: "spark.executor.memory=8g" and the like')


@dataclass(frozen=True)
class ColumnSection:
    """One column: its role, and for public ones how it is coarsened."""

    role: Role = told(
        "ignored",
        "public, sensitive, side (known to adversaries), weight (people a record stands for), household, "
        "identifier (never released), ignored",
    )
    type: Kind | None = told(None, "what is near to what; guessed where it is left out")
    band: float | int | str | None = told(
        None, 'the finest cell: 5 (years), "month" (dates with times: "day" unless said), 3 (characters of a code)'
    )
    coarsen: float | int | str | None = told(
        None, 'made coarser while it is counted, for columns with too many values: 5, "hour", "code:3", "quantiles:100"'
    )
    coarsest: float | int | str | None = told(None, "never coarser than this, in the same units")
    order: list[str] = told((), "of ordered categories: lowest first")
    hierarchy: str | None = told(
        None, "an ARX file; relative to this file. Of a sensitive column: how far apart its values are, for t_hier"
    )
    weight: float | int = told(1, "how much this column's coarseness counts")
    fixed: bool = told(False, "leave it as it is")
    scale: float | int | None = told(None, "the unit of the column, for one bound on the largest distance")


@dataclass(frozen=True)
class SearchSection:
    """How a release of the whole table is looked for."""

    shape: Literal["local", "disjoint", "global"] = told(
        "local", "boxes of their own, boxes that never overlap, or one coarsening per column"
    )
    suppress: int = told(0, "records that need not be released")
    time_limit: float | int | None = told(None, "seconds; 60 unless said, which a frontier then need not use up")
    seed: int = told(0, "of the searches that draw at random")
    blind: bool = told(
        False,
        "form groups by n alone, without looking at sensitive values, and raise n until all requirements hold; that n was "
        "raised can itself tell something about them",
    )
    policy: str | None = told(None, "a whole policy file that was chosen before: carried out, and nothing is searched")

    @property
    def seconds(self) -> float:
        """The time limit, said or not."""
        return 60.0 if self.time_limit is None else checks.time_limit(self.time_limit)


@dataclass(frozen=True)
class FrontierSection:
    """For one public column at a proven optimum: what is lowered, what is kept, and where to cut."""

    leakage: str = told("L0", "L0, I*, L0|I*=0 in the worst case; I, Lmin, I_inf, D_2 … by how often values occur")
    utility: Literal["distortion", "resolution", "information"] | None = told(None, "what is kept")
    method: str = told("auto", "auto, agglomerative, exact, iac-mdsf, pairwise, sweeney, mondrian …")
    problem: Literal["funnel", "bottleneck"] = told("funnel", "for leakage I")
    at_least: int = told(0, "records that every group must have, for the leakages of the counts")
    codeword: Literal["centroid", "medoid", "chebyshev"] = told("centroid", "what stands for a block")
    norm: float | int = told(2, "1, 2 or inf, where there are several columns")
    max_leakage: float | int | None = told(None, "the most useful policy that leaks at most this many bits")
    min_utility: float | int | None = told(None, "the least leaking policy that is at least this useful")
    min_leakage: float | int | None = told(None, "for a bottleneck")
    max_utility: float | int | None = told(None, "for a bottleneck")
    min_k: int | None = told(None, "the policy with at least so many distinct sensitive values in every group")
    multiplier: float | int | None = told(None, "the policy that the paper's algorithm returns for this λ")


@dataclass(frozen=True)
class OutputSection:
    """What is written, all of it or nothing."""

    table: str = told("released.csv", "the released table: .csv .parquet .tsv .arrow .feather .xlsx")
    policy: str = told("policy.json", "the policy; private, since it lists the values that occurred")
    public_policy: str | None = told(None, "the part of the policy that may be handed out")
    report: str | None = told(None, "an HTML report to read and sign")
    purpose: str = told("", "what the release is for, for the report")
    target: str | None = told(None, "a column that models will predict: the report measures how well they still do")
    keep: list[str] = told((), "other columns to release as they are")
    keep_anyway: bool | list[str] = told(
        False, "columns to keep although that breaks the requirement, or they hardly repeat; the report says so first"
    )
    cells: Literal["label", "codeword"] = told("label", "intervals and sets, or numbers that stand for them")
    unseen: Literal["nearest", "suppress"] = told(
        "nearest", "values never seen, when the policy is applied to new data"
    )


def section(cls: type[S], given: Any, where: str) -> S:
    """A section from what a TOML file has: keys that are not known and values of another kind are refused in one line."""
    if not isinstance(given, Mapping):
        raise InputError(f"{where} is not a section: write [{where.rpartition(': ')[2]}] and its keys below it")
    known = {each.name: each for each in fields(cls)}  # type: ignore[arg-type]
    hints = typing.get_type_hints(cls)
    for key, value in given.items():
        if key not in known:
            raise unknown_key(key, known, where)
        if not _fits(value, hints[key]):
            raise InputError(f"{where}: {key} = {_spelt(value)} does not fit: {expected(hints[key])}")
    return cls(**given)


def unknown_key(key: str, known: Mapping[str, Any] | list[str], where: str) -> InputError:
    """A key that a recipe does not have, with the nearest that it has."""
    near = difflib.get_close_matches(str(key), list(known), 1, 0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"use {listed(tuple(known))}"
    return InputError(f"{where}: {key!r} is not a key of a recipe: {hint}")


def _fits(value: Any, hint: Any) -> bool:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, part) for part in get_args(hint))
    if origin is Literal:
        return value in get_args(hint)
    if origin is list:
        return isinstance(value, list) and all(_fits(part, get_args(hint)[0]) for part in value)
    if hint is type(None):
        return value is None
    return isinstance(value, hint) and (hint is bool or not isinstance(value, bool))


def _spelt(value: Any) -> str:
    return repr(value) if isinstance(value, str | int | float | bool) else an(type(value).__name__)


def expected(hint: Any) -> str:
    """What a key takes, in words."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(expected(part) for part in get_args(hint) if part is not type(None)))
    if origin is Literal:
        return f"one of {listed(get_args(hint))}"
    if origin is list:
        return "a list of texts"
    return {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}[hint]


def json_type(hint: Any) -> dict[str, Any]:
    """A key's type as JSON schema has it."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        parts = [json_type(part) for part in get_args(hint) if part is not type(None)]
        return parts[0] if len(parts) == 1 else {"anyOf": parts}
    if origin is Literal:
        return {"enum": list(get_args(hint))}
    if origin is list:
        return {"type": "array", "items": json_type(get_args(hint)[0])}
    return {"type": {str: "string", int: "integer", float: "number", bool: "boolean"}[hint]}


def schema_of(cls: type[Any]) -> dict[str, Any]:
    """The JSON schema of a section."""
    hints = typing.get_type_hints(cls)
    return {
        "type": "object",
        "description": (cls.__doc__ or "").splitlines()[0],
        "additionalProperties": False,
        "properties": {
            each.name: {**json_type(hints[each.name]), "description": each.metadata["help"], **_default(each)}
            for each in fields(cls)
        },
    }


def _default(each: Field[Any]) -> dict[str, Any]:
    return {"default": each.default} if each.default is not MISSING and each.default is not None else {}
