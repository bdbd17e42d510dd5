"""The policy file: JSON with a seal, read by somebody who does not trust whoever wrote it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import discreet
from discreet._text import json_number
from discreet._typing import Cuts, MissingPolicy, Problem, Unseen
from discreet.errors import InputError
from discreet.release import _cells as cells
from discreet.release._promises import promised_by
from discreet.tables._bands import Band
from discreet.tables._checksum import seal

if TYPE_CHECKING:
    from discreet.release._policy import Policy

SCHEMA = 2  # 1 cut lines halfway between letters, and did not say so


def document_of(policy: Policy) -> dict[str, Any]:
    """The policy file, as what JSON can hold, with its seal."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "tool": f"discreet {discreet.__version__}",
        "may_be_published": False,  # it lists the values that occurred
        "columns": {
            "public": [
                {"name": name, "type": kind} for name, kind in zip(policy.public, policy.column_kinds, strict=True)
            ],
            "sensitive": list(policy.sensitive),
            "side": list(policy.side),
        },
        "missing": policy.missing,
        "na": list(policy.na),
        "unseen": policy.unseen,
        "names": list(policy.names),
        **({"cuts": policy.cuts} if policy.cuts != "halfway" else {}),
        **({"quotes": True} if policy.quotes else {}),
        **({"at_least": policy.at_least} if policy.at_least else {}),
        **({"records": policy.records} if policy.records else {}),
        **({"problem": policy.problem} if policy.problem != "funnel" else {}),
        **({"bands": {name: band.to_json() for name, band in policy.bands.items()}} if policy.bands else {}),
        "alone": dict(policy.alone),
        **({"may_be_published": True} if policy.is_public else {}),
        **({} if policy.is_public else {"withheld": [cells.to_json(letter) for letter in policy.withheld]}),
        "leakage": policy.leakage,
        "before": {symbol: json_number(value) for symbol, value in policy.before.items()},
        "after": {symbol: json_number(value) for symbol, value in policy.after.items()},
        "utility": {name: json_number(value) for name, value in policy.utility.items()},
        "blocks": _public_blocks(policy) if policy.is_public else _blocks(policy),
        **({} if policy.is_public else {"source": policy.source}),
    }
    document["sha256"] = seal(document)
    return document


def _blocks(policy: Policy) -> list[dict[str, Any]]:
    return [
        {"cells": list(label), "codeword": cells.to_json(codeword), "letters": [cells.to_json(x) for x in block]}
        for block, codeword, label in zip(policy.blocks, policy.codewords, policy.labels, strict=True)
    ]


def _public_blocks(policy: Policy) -> list[dict[str, Any]]:
    """The cells, and the codewords where they were released; never the values that occurred."""
    words = [{"codeword": cells.to_json(word)} for word in policy.codewords] or [{} for _ in policy.public_cells]
    return [{"cells": list(label), **word} for label, word in zip(policy.public_cells, words, strict=True)]


def read(path: str | Path) -> Any:
    """The document of a policy file; refuse one that is cut short or no JSON."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a policy file, or it is cut short: it is not text") from None
    except OSError as problem:
        raise InputError(f"{path} cannot be read: {problem.strerror}") from None
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise InputError(f"{path} is not a policy file, or it is cut short: it does not read as JSON") from None


def policy_of(document: Any, make: Callable[..., Policy], *, where: str) -> Policy:
    """A policy, as `make` makes it, from what `document_of` gave; refuse what was changed or does not hold together."""
    schema = document.get("schema") if isinstance(document, dict) else None
    if type(schema) is not int or schema < 1:
        raise InputError(f"{where} is not a policy file: it names no schema")
    if schema > SCHEMA:
        raise InputError(f"{where} was written by a newer discreet (schema {schema}): update discreet")
    with intact(document, where=where):
        policy = make(**_fields(document))
        fault = _fault(policy)
        if not fault and [list(label) for label in policy.labels] != [each["cells"] for each in document["blocks"]]:
            fault = "its cells are not those of its blocks"
        if fault:
            raise InputError(f"{where} does not hold together: {fault}")
    return policy


@contextmanager
def intact(document: dict[str, Any], *, where: str) -> Iterator[None]:
    """Read the fields of a sealed document: refuse one that was changed after it was written, or that lacks something."""
    try:
        if document.get("sha256") != seal({name: document[name] for name in document if name != "sha256"}):
            raise InputError(f"{where} was changed after it was written: its sha256 does not match")
        yield
    except InputError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"{where} is not a complete policy file ({type(problem).__name__})") from None


def _fields(document: dict[str, Any]) -> dict[str, Any]:
    """The fields of a policy."""
    blocks, is_public = document["blocks"], document.get("may_be_published") is True
    columns = document["columns"]["public"]
    return {
        "public": tuple(column["name"] for column in columns),
        "sensitive": tuple(document["columns"]["sensitive"]),
        "side": tuple(document["columns"]["side"]),
        "blocks": () if is_public else tuple(tuple(cells.from_json(x) for x in block["letters"]) for block in blocks),
        "codewords": tuple(
            cells.from_json(block["codeword"]) for block in blocks if not is_public or "codeword" in block
        ),
        "public_cells": tuple(tuple(block["cells"]) for block in blocks) if is_public else (),
        "kinds": tuple(column["type"] for column in columns) if is_public else (),
        "leakage": document["leakage"],
        "before": {symbol: float(value) for symbol, value in document["before"].items()},
        "after": {symbol: float(value) for symbol, value in document["after"].items()},
        "utility": {name: float(value) for name, value in document["utility"].items()},
        "missing": document["missing"],
        "na": tuple(document["na"]),
        "unseen": document["unseen"],
        "withheld": () if is_public else tuple(cells.from_json(x) for x in document["withheld"]),
        "names": tuple(document["names"]),
        "at_least": int(document.get("at_least", 0)),
        "records": int(document.get("records", 0)),
        "problem": str(document.get("problem", "funnel")),
        "cuts": document.get("cuts", "halfway"),
        "quotes": bool(document.get("quotes", False)),
        "alone": {name: int(count) for name, count in document["alone"].items()},
        "source": {} if is_public else document["source"],
        "bands": {name: Band.from_json(given) for name, given in document.get("bands", {}).items()},
    }


def _fault(policy: Policy) -> str:
    """What does not fit together in a policy that was read from a file; nothing when all does."""
    letters = [*policy.withheld, *(letter for block in policy.blocks for letter in block)]
    width = len(policy.public)
    roles = (*policy.public, *policy.sensitive, *policy.side)
    faults = {
        "it has no public columns": not policy.public,
        "a column is not named by text, or named twice": not all(isinstance(name, str) for name in roles)
        or any(len(set(names)) < len(names) for names in (policy.public, policy.sensitive, policy.side)),
        "its blocks are not all named": bool(policy.names) and len(policy.names) != len(policy.blocks),
        "it has no blocks, or an empty one": not policy.is_public and not (policy.blocks and all(policy.blocks)),
        "its cells are not one text a column": not all(
            len(cell) == width and all(isinstance(part, str) for part in cell) for cell in policy.public_cells
        ),
        "not all of its cells have a codeword": policy.is_public
        and len(policy.codewords) not in (0, len(policy.public_cells)),
        "a letter stands in two blocks": len(set(letters)) < len(letters),
        "a letter has not one value a column": width > 1
        and not all(isinstance(letter, tuple) and len(letter) == width for letter in letters),
        "its leakage is not known": not (isinstance(policy.leakage, str) and promised_by(policy.leakage)),
        "its problem is not known": policy.problem not in get_args(Problem),
        "how it cuts lines is not known": policy.cuts not in get_args(Cuts),
        "its rule for missing values is not known": policy.missing not in get_args(MissingPolicy),
        "its rule for unseen values is not known": policy.unseen not in get_args(Unseen),
        "it does not say what it promises": not {"L0", "I*", "k", *policy.promised} <= policy.after.keys(),
        "a band is of no public column": not policy.bands.keys() <= set(policy.public),
        "its source is not a list of facts": not isinstance(policy.source, dict),
    }
    return next((words for words, is_wrong in faults.items() if is_wrong), "")


def _no_constant(name: str) -> None:
    raise ValueError(name)  # NaN and Infinity are not JSON
