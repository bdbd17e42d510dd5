"""Files that tell when they were changed: JSON with the sha256 of its own content."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from discreet.errors import InputError
from discreet.tables._writing import write_text


def seal(document: dict[str, Any]) -> str:
    """The sha256 of a document, whatever the order of its keys."""
    text = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def write_sealed(path: str | Path, document: dict[str, Any]) -> None:
    """Write a document with its seal, whole or not at all."""
    sealed = {**document, "sha256": seal(document)}
    write_text(path, json.dumps(sealed, ensure_ascii=False, allow_nan=False) + "\n")


def read_sealed(path: str | Path, mark: str, *, schema: int, what: str) -> dict[str, Any]:
    """Read a document that `write_sealed` wrote: refuse what is cut short, changed, or something else.

    mark
        The key that holds the schema's number and says what kind of file it is.
    what
        What it should be, for messages: "a channel".
    """
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as problem:
        raise InputError(f"{path} cannot be read: {problem.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path} is not {what}, or it is cut short: it does not read as JSON") from None
    if not isinstance(document, dict) or document.get(mark) != schema:
        raise InputError(f"{path} is not {what} of schema {schema}")
    if document.pop("sha256", None) != seal(document):
        raise InputError(f"{path} was changed after it was written: its sha256 does not match")
    return document
