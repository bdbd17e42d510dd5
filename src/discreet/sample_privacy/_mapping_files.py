"""Mappings as plain values: probabilities, from which every figure is computed anew when a file is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._text import an
from discreet.errors import InputError
from discreet.sample_privacy._mapping import ByType, Orbits, Table
from discreet.sample_privacy._problem import make_problem
from discreet.sample_privacy._symmetric import Types

if TYPE_CHECKING:
    from discreet.sample_privacy._mapping import Mapping

LARGEST = 4_000_000
"""Numbers that a file may hold."""


def mapping_to_dict(mapping: Mapping) -> dict[str, Any]:
    """The probabilities of a mapping, for JSON."""
    if isinstance(mapping, Table):
        problem = mapping.problem
        arrays: dict[str, Any] = {"kind": "table", "p": problem.p, "table": mapping.table}
        if problem.latent is not None:
            arrays["latent"] = problem.latent
        arrays["private"] = [list(group) for group in problem.private]
    elif isinstance(mapping, ByType):
        arrays = {"kind": "types", **_types(mapping.types), "table": mapping.table}
        if mapping.latent is not None:
            arrays["latent"] = mapping.latent
    elif isinstance(mapping, Orbits):
        arrays = {"kind": "orbits", **_types(mapping.types), "words": mapping.words, "masses": mapping.masses}
    else:
        raise InputError(f"{an(type(mapping).__name__)} has no file")
    parts = [part for each in arrays.values() for part in (each if isinstance(each, tuple) else (each,))]
    numbers = sum(part.size for part in parts if isinstance(part, np.ndarray))
    if numbers > LARGEST:
        raise InputError(f"the mapping has {numbers:,} numbers, more than a file of {LARGEST:,} may hold")
    return {name: _listed(value) for name, value in arrays.items()}


def _types(types: Types) -> dict[str, Any]:
    return {
        "shape": list(types.shape),
        "classes": types.classes,
        "counts": types.counts,
        "p": types.p,
        "sizes": types.sizes,
        "marginals": types.marginals,
    }


def _listed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_listed(each) for each in value] if isinstance(value, tuple) else value


def mapping_from_dict(document: dict[str, Any]) -> tuple[Mapping, tuple[int, ...]]:
    """The mapping that `mapping_to_dict` described, and the alphabet sizes of its samples; refused where it is none."""

    def floats(name: str) -> Any:
        return np.asarray(document[name], dtype=np.float64)

    kind = document["kind"]
    if kind == "table":
        latent = floats("latent") if "latent" in document else None
        problem = make_problem(floats("p"), latent, document["private"])
        table = floats("table")
        _check_rows(table, len(problem.weights))
        return Table(problem, table), problem.p.shape
    shape = tuple(int(size) for size in document["shape"])
    types = Types(
        shape,
        np.asarray(document["classes"], dtype=np.int64),
        np.asarray(document["counts"], dtype=np.int64),
        floats("p"),
        floats("sizes"),
        tuple(np.asarray(block, dtype=np.float64) for block in document["marginals"]),
    )
    if len(types.classes) != len(shape) or not (types.p > 0).all() or abs(types.p.sum() - 1) > 1e-9:
        raise InputError("the mapping's types do not fit its samples")
    if kind == "types":
        table = floats("table")
        _check_rows(table, len(types.p))
        return ByType(types, floats("latent") if "latent" in document else None, table), shape
    words = tuple(np.asarray(each, dtype=np.int64) for each in document["words"])
    masses = tuple(np.asarray(each, dtype=np.float64) for each in document["masses"])
    whole = np.concatenate(masses)
    fits = all(
        len(word) == len(mass) > 0 and word.shape[1] == len(shape) and ((word >= 0) & (word < np.array(shape))).all()
        for word, mass in zip(words, masses, strict=True)
    )
    if not fits or not (whole > 0).all() or abs(whole.sum() - 1) > 1e-9:
        raise InputError("the mapping's patterns do not fit its samples")
    return Orbits(types, words, masses), shape


def _check_rows(table: Any, rows: int) -> None:
    if table.ndim != 2 or len(table) != rows or (table < 0).any() or np.abs(table.sum(1) - 1).max() > 1e-9:
        raise InputError("the mapping's table does not fit its pmf")
