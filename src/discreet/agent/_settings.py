"""What a setting of agent.toml can be: numbers, texts, names, and files relative to its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo
from pydantic_core import PydanticCustomError

LONGEST_NAME = 200
"""Letters of a name, as the ledger holds them."""


def wrong(message: str) -> PydanticCustomError:
    return PydanticCustomError("setting", "{message}", {"message": message})


def checked_name(name: str, what: str) -> str:
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise wrong(f"the name of {what} has 1 to {LONGEST_NAME} letters that can be seen")
    return name


def placed(name: str, info: ValidationInfo) -> str:
    """A file relative to the folder of agent.toml, also inside a URL of SQLite; other URLs as they are."""
    folder: Path = info.context["folder"] if info.context else Path()
    scheme, mark, path = name.partition(":///")
    if mark and scheme.startswith("sqlite") and path:
        return f"{scheme}:///{folder / path}"
    return name if "://" in name else str(folder / name)


def ledger_placed(name: str, info: ValidationInfo) -> str:
    """The ledger's address: a file relative to the folder, or a URL."""
    scheme, mark, path = name.partition("://")
    if not mark:
        return f"sqlite:///{placed(name, info)}"
    if scheme.startswith("sqlite"):
        if path in ("", "/") or ":memory:" in path:
            raise wrong("a ledger in memory would be forgotten: name a file")
        return placed(name, info)
    if scheme.partition("+")[0] != "postgresql":
        hint = ": write postgresql://" if scheme == "postgres" else ""
        raise wrong(f"ledger is a file, or a URL of SQLite or PostgreSQL{hint}")
    return name


def witnesses_placed(names: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    """Files relative to the folder, or URLs."""
    return tuple(placed(name, info) for name in names)


# What a setting must be, in words, is its description: it is what a message says when it is something else.
Number = Annotated[float, Field(allow_inf_nan=False, description="a number")]
Flag = Annotated[bool, Field(description="true or false")]
Text = Annotated[str, Field(min_length=1, description="text")]
Texts = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
    Field(strict=False, description="a list of texts"),
]


class Section(BaseModel):
    """A table of TOML: strict, so that "20" is no number and 1 is not true."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
