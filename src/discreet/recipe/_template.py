"""A recipe as a commented TOML file: every key that is set, every guess with its reason, and what else could be said."""

from __future__ import annotations

import json
from dataclasses import MISSING, Field, fields
from typing import TYPE_CHECKING, Any

from discreet.recipe._sections import DataSection, OutputSection, SearchSection

if TYPE_CHECKING:
    from discreet.recipe._recipe import Recipe

_HEAD = """\
# A recipe of discreet: run it with
#     discreet release --recipe recipe.toml
# Lines that begin with "#" are comments: what is said there is the default, or a choice.
"""


def text_of(recipe: Recipe) -> str:
    """The file of a recipe."""
    chosen = recipe.to_dict()
    parts = [_HEAD]
    parts.append(
        '# What every released group must have: n records, k different sensitive values (of one column: "k(diagnosis)>=3"),\n'
        '# at most so many bits: "L0<=2", "Lmin<=1", "Lr<=2".\n'
        f"require = {_value(chosen.get('require', []))}\n"
    )
    parts.append(_section("data", DataSection, chosen.get("data", {})))
    parts += [_column(name, given, recipe) for name, given in chosen["columns"].items()]
    parts.append(_section("search", SearchSection, chosen.get("search", {})))
    parts.append(_section("output", OutputSection, chosen.get("output", {}), always=("table", "policy")))
    if "frontier" in chosen:
        parts.append(
            "[frontier]\n" + "".join(f"{key} = {_value(value)}\n" for key, value in chosen["frontier"].items())
        )
    return "\n".join(parts)


def _section(name: str, cls: type[Any], given: dict[str, Any], always: tuple[str, ...] = ()) -> str:
    lines = [f"[{name}]  # {(cls.__doc__ or '').splitlines()[0]}"]
    for each in fields(cls):
        value = given.get(each.name, _plain(each))
        is_set = each.name in given or each.name in always
        line = f"{each.name} = {_value(value)}"
        lines.append(f"{line if is_set else '# ' + line}  # {each.metadata['help']}")
    return "\n".join(lines) + "\n"


def _plain(each: Field[Any]) -> Any:
    """A key's default as an example of what may stand there."""
    if each.default_factory is not MISSING:
        return each.default_factory()
    return "" if each.default is None else each.default


def _column(name: str, given: dict[str, Any], recipe: Recipe) -> str:
    lines = []
    if name in recipe.notes:
        lines.append(f"# {recipe.notes[name]}")
    if name in recipe.questions:
        lines.append(f"# DECIDE: {recipe.questions[name]}")
    lines.append(f"[columns.{_key(name)}]")
    lines += [f"{key} = {_value(value)}" for key, value in given.items()]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    bare = name.replace("-", "").replace("_", "")
    return name if bare.isascii() and bare.isalnum() else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(part) for part in value) + "]"
    return repr(value)
