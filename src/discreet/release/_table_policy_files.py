"""The file of a TablePolicy: JSON with a checksum, read by somebody who does not trust whoever wrote it.

The public face has the boxes, the requirement and the figures. The private part adds the letters, and the hierarchies of
sensitive columns that a requirement reads: they list sensitive values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

import discreet
from discreet._text import json_number
from discreet._typing import MissingPolicy, Unseen
from discreet.auditing._group_requirements import GroupRequirement
from discreet.columns._axis import Cell
from discreet.columns._boxes import Boxes
from discreet.columns._hierarchy import Hierarchy
from discreet.columns._types import KINDS, ColumnType
from discreet.errors import InputError
from discreet.release._cells import from_json, to_json
from discreet.release._letter_table import LetterTable
from discreet.release._policy_files import intact
from discreet.tables._checksum import seal

if TYPE_CHECKING:
    from discreet.release._table_policy import TablePolicy

SCHEMA = 2
KIND = "table"
Shape = Literal["local", "disjoint", "global"]


def document_of(policy: TablePolicy) -> dict[str, Any]:
    """The policy file, as what JSON can hold, with its checksum."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "kind": KIND,
        "tool": f"discreet {discreet.__version__}",
        "may_be_published": policy.is_public,
        "columns": {
            "public": [
                {
                    "name": name,
                    "type": kind.kind,
                    "weight": kind.weight,
                    **({"band": kind.band} if kind.band is not None else {}),
                    **({"coarsest": kind.coarsest} if kind.coarsest is not None else {}),
                    **({"fixed": True} if kind.fixed else {}),
                    **({"order": list(kind.order)} if kind.order else {}),
                    "cells": [_cell_json(cell) for cell in cells],
                }
                for name, kind, cells in zip(policy.public, policy.types, policy.boxes.cells, strict=True)
            ],
            "sensitive": list(policy.sensitive),
        },
        "shape": policy.shape,
        "blind": policy.blind,
        "require": [str(each) for each in policy.require],
        "loss": policy.loss,
        "bound": policy.bound,
        "loss_by_column": dict(policy.loss_by_column),
        "before": {symbol: json_number(value) for symbol, value in policy.before.items()},
        "after": {symbol: json_number(value) for symbol, value in policy.after.items()},
        "records": policy.records,
        "suppressed": policy.suppressed,
        "missing": policy.missing,
        "na": list(policy.na),
        "unseen": policy.unseen,
        "boxes": policy.boxes.ids.tolist(),
    }
    if policy.letters is not None:
        document["letters"] = {
            "values": [[to_json(label) for label in labels] for labels in policy.letters.labels],
            "codes": policy.letters.codes.tolist(),
            "box": policy.letters.group.tolist(),
            **({"by_cell": True} if policy.letters.by_cell else {}),
        }
        document["source"] = policy.source
        if trees := trees_to_json(policy.require):
            document["hierarchies"] = trees
    document["sha256"] = seal(document)
    return document


def trees_to_json(require: Sequence[GroupRequirement]) -> dict[str, list[list[Any]]]:
    """The hierarchies of sensitive columns that requirements are about, by name: the ways from their values to the root."""
    trees = {name: tree for each in require for name, tree in each.hierarchies.items()}
    return {name: [list(way) for way in tree.paths.values()] for name, tree in trees.items()}


def trees_from_json(document: Mapping[str, Any]) -> dict[str, Hierarchy]:
    """Hierarchies, from what `trees_to_json` gave."""
    return {name: Hierarchy({way[0]: tuple(way) for way in ways}) for name, ways in document.items()}


def policy_of(document: dict[str, Any], make: Callable[..., TablePolicy], *, where: str) -> TablePolicy:
    """A policy, as `make` makes it, from what `document_of` gave; refuse what was changed or does not hold together."""
    if document.get("schema") != SCHEMA:
        raise InputError(f"{where} was written by a newer discreet (schema {document.get('schema')}): update discreet")
    with intact(document, where=where):
        policy = make(**_fields(document))
        if fault := _fault(policy):
            raise InputError(f"{where} does not hold together: {fault}")
    return policy


def _fields(document: dict[str, Any]) -> dict[str, Any]:
    """The fields of a policy."""
    columns = document["columns"]["public"]
    sensitive = tuple(document["columns"]["sensitive"])
    types = tuple(
        ColumnType(
            column["type"], column.get("band"), column.get("coarsest"), tuple(column.get("order", ())), None,
            float(column["weight"]), bool(column.get("fixed", False)),
        )
        for column in columns
    )  # fmt: skip
    boxes = Boxes(
        tuple(tuple(_cell_of(cell) for cell in column["cells"]) for column in columns),
        np.array(document["boxes"], dtype=np.int64).reshape(-1, len(columns)),
    )
    trees = trees_from_json(document.get("hierarchies", {}))
    letters = None
    if "letters" in document:
        given = document["letters"]
        letters = LetterTable(
            tuple(tuple(from_json(label) for label in labels) for labels in given["values"]),
            np.array(given["codes"], dtype=np.int64).reshape(-1, len(columns)),
            np.array(given["box"], dtype=np.int64),
            given.get("by_cell") is True,
        )
    return {
        "public": tuple(column["name"] for column in columns),
        "sensitive": sensitive,
        "types": types,
        "boxes": boxes,
        "require": tuple(GroupRequirement.parse(text, sensitive, trees) for text in document["require"]),
        "shape": document["shape"],
        "blind": bool(document["blind"]),
        "loss": float(document["loss"]),
        "bound": None if document["bound"] is None else float(document["bound"]),
        "loss_by_column": {name: float(value) for name, value in document["loss_by_column"].items()},
        "before": {symbol: float(value) for symbol, value in document["before"].items()},
        "after": {symbol: float(value) for symbol, value in document["after"].items()},
        "records": int(document["records"]),
        "suppressed": int(document["suppressed"]),
        "missing": document["missing"],
        "na": tuple(document["na"]),
        "unseen": document["unseen"],
        "letters": letters,
        "source": dict(document.get("source", {})),
    }


def _cell_json(cell: Cell) -> dict[str, Any]:
    found: dict[str, Any] = {"text": cell.text, "ncp": cell.ncp}
    if cell.members is not None:
        found["values"] = sorted((to_json(label) for label in cell.members), key=repr)
    elif cell.prefix is not None:
        found["prefix"] = cell.prefix
    elif cell.low is not None:
        found |= {"from": to_json(cell.low), "to": to_json(cell.high)}
    return found


def _cell_of(given: dict[str, Any]) -> Cell:
    members = frozenset(from_json(value) for value in given["values"]) if "values" in given else None
    low = from_json(given["from"]) if "from" in given else None
    high = from_json(given["to"]) if "to" in given else None
    return Cell(str(given["text"]), float(given["ncp"]), low, high, members, given.get("prefix"))


def _fault(policy: TablePolicy) -> str:
    """What does not fit together in a policy that was read from a file; nothing when all does."""
    width = len(policy.public)
    sizes = np.array([len(cells) for cells in policy.boxes.cells])
    letters = policy.letters
    faults = {
        "it has no public columns": width == 0,
        "a column is named twice": len({*policy.public, *policy.sensitive}) < width + len(policy.sensitive),
        "a column's type is not known": any(kind.kind not in KINDS for kind in policy.types),
        "it has no boxes": len(policy.boxes) == 0,
        "it requires nothing": not policy.require,
        "a hierarchy is not a tree of one height": any(
            tree.is_crooked for each in policy.require for tree in each.hierarchies.values()
        ),
        "its shape is not known": policy.shape not in get_args(Shape),
        "its rule for missing values is not known": policy.missing not in get_args(MissingPolicy),
        "its rule for unseen values is not known": policy.unseen not in get_args(Unseen),
    }
    fault = next((words for words, is_wrong in faults.items() if is_wrong), "")
    if fault:
        return fault
    if np.any(policy.boxes.ids < 0) or np.any(policy.boxes.ids >= sizes):
        return "a box has a cell that is not listed"
    if letters is None:
        return ""
    known = np.array([len(labels) for labels in letters.labels])
    outside = len(letters.codes) != len(letters.group) or len(known) != width
    if outside or np.any(letters.codes < 0) or np.any(letters.codes >= known):
        return "a letter has a value that is not listed"
    return "a letter's box is not listed" if np.any((letters.group < -1) | (letters.group >= len(policy.boxes))) else ""
