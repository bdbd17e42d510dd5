"""Reading a released cell of texts as a stranger would, from what the documentation says of it, without the package.

A cell is a value, a set {a, b}, a prefix with stars, or `*`, perhaps followed by ` or missing`. A value is bare, or a JSON
string; `missing` and `empty text` are placeholders.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

_DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class Item:
    """One member of a cell: a text, the beginning of texts, nothing (missing), or anything."""

    text: str | None
    is_prefix: bool = False

    def holds(self, value: str | None) -> bool:
        if self.is_prefix:
            return (value is not None and value.startswith(self.text or "")) or self.text == ""
        return value == self.text


def read(cell: str) -> frozenset[Item]:
    """The members of a cell."""
    if cell == "missing":
        return frozenset([Item(None)])
    first, rest = _set(cell[1:]) if cell.startswith("{") else _one(cell)
    also: list[Item] = []
    if rest == " or missing":
        also, rest = [Item(None)], ""
    assert rest == "" or re.fullmatch(r" \(\d+\)", rest), f"{cell!r} does not read to its end: {rest!r}"
    found = [*first, *also]
    assert len(set(found)) == len(found), f"{cell!r} names a member twice"
    return frozenset(found)


def _set(rest: str) -> tuple[list[Item], str]:
    found = []
    while True:
        items, rest = _one(rest, inside=True)
        found += items
        if rest.startswith("}"):
            return found, rest[1:]
        assert rest.startswith(", "), rest
        rest = rest[2:]


def _one(rest: str, *, inside: bool = False) -> tuple[list[Item], str]:
    if rest.startswith('"'):
        text, end = _DECODER.raw_decode(rest)
        after = rest[end:]
        stars = len(after) - len(after.lstrip("*"))
        return [Item(text, is_prefix=stars > 0)], after[stars:]
    over = re.search(r", |\}|$" if inside else r" or missing$| \(\d+\)$|$", rest)
    assert over is not None
    bare, after = rest[: over.start()], rest[over.start() :]
    assert bare and not re.search(r'[{}–]|, |^"', bare), f"{bare!r} is no bare name"
    if bare == "missing":
        return [Item(None)], after
    if bare == "empty text":
        return [Item("")], after
    stem = bare.rstrip("*")
    assert "*" not in stem, f"{bare!r} has a star inside"
    return [Item(stem, is_prefix=stem != bare)], after
