"""agent.toml: which data sets the agent holds, what is private in them, and what it promises to every person.

The sections are pydantic models. What is wrong in one is told in one line: the file, the section, the key, and what to
try; never what was written there, which may be anything. Names that are not settings are refused: a misspelt one would
be a promise that is not kept.
"""

from __future__ import annotations

import difflib
import math
import os
import tomllib
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    Field,
    PrivateAttr,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails

from discreet.agent._settings import (
    Flag,
    Number,
    Section,
    Text,
    Texts,
    checked_name,
    ledger_placed,
    placed,
    witnesses_placed,
    wrong,
)
from discreet.errors import InputError
from discreet.queries.auditor._declarations import LARGEST_WHOLE, MOST_CATEGORIES


class Private(Section):
    """A column that questions are about: its declared bounds, and the interval that everybody keeps."""

    lower: Number
    upper: Number
    keep: Number
    step: Number | None = Field(None, description="a number")
    integral: Flag = False
    missing_as: Number | None = Field(None, description="a number")
    category: Texts = ()  # labels that count as 1, all others as 0
    categories: Texts = ()  # all labels that there are, which are counted one by one or as a histogram
    _name: str = PrivateAttr(default="")
    _together: tuple[str, ...] = PrivateAttr(default=())

    @property
    def name(self) -> str:
        """The column's name, which is that of its section."""
        return self._name

    @property
    def range(self) -> float:
        """What everybody keeps before any answer: the length of the bounds, or how many categories there are."""
        return float(len(self.categories)) or self.upper - self.lower

    @property
    def declared(self) -> dict[str, Any]:
        """What everybody may know of the column, and what the ledger pins."""
        together = {"together": list(self._together)} if self._together else {}
        said = self.model_dump(mode="json", exclude=set() if self.categories else {"categories"})
        return {"name": self.name, **said, **together}

    @model_validator(mode="before")
    @classmethod
    def _counts_a_category(cls, said: Any) -> Any:
        """Who is in a category is 0 or 1, and both stay possible for everybody; of several, two."""
        if isinstance(said, Mapping) and isinstance(said.get("categories"), list):
            beside = [name for name in said if name not in ("categories", "keep")]
            if beside:
                raise wrong(f"a column of categories has keep beside it, and nothing else: leave {beside[0]!r} out")
            return {"lower": 0, "upper": max(1, len(said["categories"]) - 1), "keep": 2, "integral": True, **said}
        if not isinstance(said, Mapping) or not said.get("category"):
            return said
        return {"lower": 0, "upper": 1, "keep": 1, "integral": True, **said}

    @model_validator(mode="after")
    def _keeps_categories(self) -> Self:
        many = len(self.categories)
        if many and (many < 2 or many > MOST_CATEGORIES or len(set(self.categories)) < many):
            raise wrong(f"categories are 2 to {MOST_CATEGORIES} labels, each once")
        if many and not (self.keep.is_integer() and 2 <= self.keep <= many):
            raise wrong("keep is how many categories everybody keeps, from 2 to all of them")
        return self

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        faults = {
            "a category is counted: its bounds are 0 and 1, and keep is 1": bool(self.category)
            and (self.lower, self.upper, self.keep, self.integral) != (0, 1, 1, True),
            "lower must be below upper": not self.lower < self.upper,
            "the bounds are too far apart": not math.isfinite(self.upper - self.lower),
            "keep is a length above 0 and at most upper − lower": not 0 < self.keep <= self.upper - self.lower
            and not self.categories,
            "missing_as lies outside the bounds": self.missing_as is not None
            and not self.lower <= self.missing_as <= self.upper,
        }
        if self.step is not None:
            faults |= {
                "step is a number, 0 for a continuum, and at most upper − lower": not 0
                <= self.step
                <= self.upper - self.lower,
                "integral = true is step = 1: say one of them": self.integral and self.step != 1,
            }
        if self.integral:
            faults |= {
                "an integral column needs whole bounds": not (self.lower.is_integer() and self.upper.is_integer()),
                f"an integral column needs bounds of at most {LARGEST_WHOLE:.0f}, so that sums are exact": max(
                    -self.lower, self.upper
                )
                > LARGEST_WHOLE,
                "missing_as must be whole, as integral = true says": self.missing_as is not None
                and not self.missing_as.is_integer(),
            }
        for message, is_wrong in faults.items():
            if is_wrong:
                raise wrong(message)
        return self


class Dataset(Section):
    """A table that the agent answers about."""

    table: Annotated[Text, AfterValidator(placed)]
    public: Texts = ()
    columns: dict[str, Private] = Field(default_factory=dict, alias="private")
    collude: Flag = True
    smallest_group: int = Field(5, ge=1, description="a whole number, at least 1")
    na: Texts = ()
    together: Annotated[tuple[Texts, ...], Field(strict=False, description="a list of lists of private columns")] = ()
    person: Text = ""  # the column that says who a row is about, if there is one
    _name: str = PrivateAttr(default="")

    @property
    def name(self) -> str:
        """The data set's name, which is that of its section."""
        return self._name

    @property
    def private(self) -> tuple[Private, ...]:
        """The private columns, in the order of the file."""
        return tuple(self.columns.values())

    def together_with(self, name: str) -> tuple[str, ...]:
        """The private columns that share a book with one, itself among them."""
        return next((columns for columns in self.together if name in columns), (name,))

    def column(self, name: str) -> Private | None:
        """A private column by name."""
        return self.columns.get(name)

    @model_validator(mode="after")
    def _names_each_column_once(self) -> Self:
        if not self.columns:
            raise wrong("there is no private column: add a section [datasets.NAME.private.COLUMN]")
        for name, column in self.columns.items():
            column._name, columns = name, self.together_with(name)
            column._together = columns if len(columns) > 1 else ()
        shared = [name for columns in self.together for name in columns]
        if any(len(columns) < 2 for columns in self.together) or len(set(shared)) < len(shared):
            raise wrong("together lists two or more private columns each, and no column twice")
        if unknown := [name for name in shared if name not in self.columns]:
            raise wrong(f"together names {unknown[0]!r}, which is no private column")
        if labels := [name for name in shared if self.columns[name].categories]:
            raise wrong(f"together is for columns that are summed, and {labels[0]!r} has categories")
        roles = [*self.public, *self.columns, *([self.person] if self.person else [])]
        for role in roles:
            checked_name(role, "a column")
            if roles.count(role) > 1:
                both = role in self.public and role in self.columns
                raise wrong(f"column {role!r} {'cannot be both public and private' if both else 'is named twice'}")
        return self


class Config(Section):
    """Everything that `discreet serve` needs to know."""

    sections: dict[str, Dataset] = Field(default_factory=dict, alias="datasets")
    ledger: Annotated[Text, AfterValidator(ledger_placed)] = Field("ledger.sqlite", validate_default=True)
    fingerprints: Annotated[Text, AfterValidator(placed)] = Field("ledger.key", validate_default=True)
    witness: Annotated[Texts, AfterValidator(witnesses_placed)] = ()  # where else the ledger's head is remembered
    host: Text = "127.0.0.1"
    port: int = Field(8400, ge=0, le=65_535, description="a whole number, 0 to 65535")
    most_body: int = Field(65_536, ge=256, description="a whole number, at least 256")  # bytes of a request

    @property
    def datasets(self) -> tuple[Dataset, ...]:
        """The data sets, in the order of the file."""
        return tuple(self.sections.values())

    @property
    def places(self) -> tuple[str, ...]:
        """Where the ledger's head is remembered: beside the key, and wherever the file says."""
        return str(Path(self.fingerprints).with_suffix(".witness")), *self.witness

    @model_validator(mode="after")
    def _offers_each_value_once(self) -> Self:
        if not self.sections:
            raise wrong("it names no data set: add a section [datasets.NAME]")
        for name, dataset in self.sections.items():
            dataset._name = checked_name(name, "a data set")
        for one, other in combinations(self.datasets, 2):
            twice = [name for name in one.columns if name in other.columns]
            if place_of(one.table) != place_of(other.table):
                continue
            for private, public in ((one, other), (other, one)):
                if told := [name for name in private.columns if name in public.public]:
                    raise wrong(
                        f"column {told[0]!r} is private in data set {private.name!r} and public in {public.name!r}"
                    )
            if twice:
                raise wrong(
                    f"data sets {one.name!r} and {other.name!r} both offer column {twice[0]!r} of one table: "
                    "each would promise without knowing what the other tells, so offer it once"
                )
        return self

    @classmethod
    def load(cls, path: str | Path) -> Config:
        """Read agent.toml; names of files in it are relative to its own folder."""
        try:
            document = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
        except OSError as problem:
            raise InputError(f"{path} cannot be read: {problem.strerror}") from None
        except UnicodeDecodeError:
            raise InputError(f"{path} is not text") from None
        except tomllib.TOMLDecodeError as problem:
            raise InputError(f"{path} does not read as TOML: {problem}") from None
        return cls.from_dict(document, Path(path).resolve().parent, name=str(path))

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], folder: Path, *, name: str = "agent.toml") -> Config:
        """A configuration from what TOML says; `name` is the file's, for messages."""
        try:
            return cls.model_validate(document, context={"folder": folder})
        except ValidationError as problem:
            errors = problem.errors(include_url=False, include_input=False)
            # A name that is not a setting explains why another is missing.
            first = min(errors, key=lambda error: error["type"] != "extra_forbidden")
            raise InputError(f"{name}{_told(first)}") from None


def place_of(table: str) -> str:
    """What two names of one table have in common: links and dots in paths are followed."""
    scheme, mark, path = table.rpartition(":///")
    if "://" in table and not scheme.startswith("sqlite"):
        return table
    path, inner_mark, inner = path.partition("#")
    return scheme + mark + os.path.realpath(path) + inner_mark + inner


def _told(error: ErrorDetails) -> str:
    """What is wrong at a place of agent.toml, without what stands there."""
    place, kind = [str(part) for part in error["loc"]], error["type"]
    if kind in ("dict_type", "model_type"):
        return f": [{'.'.join(place)}] must be a section"
    # Settings stand in the file itself, in [datasets.NAME], and in [datasets.NAME.private.COLUMN].
    level = len(place) // 2 if kind == "setting" else (len(place) - 1) // 2
    section = place[: 2 * level]
    where = f" [{'.'.join(section)}]:" if section else ":"
    if kind == "setting":
        return f"{where} {error['msg']}"
    model, name = (Config, Dataset, Private)[level], place[2 * level]
    settings = {field.alias or own: field for own, field in model.model_fields.items()}
    if kind == "extra_forbidden":
        near = difflib.get_close_matches(name.lower(), settings, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(settings)}"
        return f"{where} {name!r} is not a setting: {hint}"
    return f"{where} {name} is missing" if kind == "missing" else f"{where} {name} must be {settings[name].description}"
