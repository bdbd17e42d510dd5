"""Recipe: one file that says the whole job. Commands, Python, pipelines and the app read the same.

[data]            which table                       [require]   what every group must have
[columns.NAME]    role, type, weight of a column    [search]    how a release is looked for
[output]          what is written                   [frontier]  one column at a proven optimum
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet._text import an
from discreet.columns import ColumnType, Hierarchy
from discreet.errors import ColumnError, InputError, listed
from discreet.recipe._guessing import Profile, guessed
from discreet.recipe._running import run
from discreet.recipe._sections import (
    ColumnSection,
    DataSection,
    FrontierSection,
    OutputSection,
    SearchSection,
    schema_of,
    section,
    unknown_key,
)
from discreet.recipe._template import text_of
from discreet.tables._spark import SparkTable, named_on_spark
from discreet.tables._writing import write_text

if TYPE_CHECKING:
    from discreet._typing import Progress

SECTIONS = {"data": DataSection, "search": SearchSection, "frontier": FrontierSection, "output": OutputSection}


@dataclass(frozen=True)
class Recipe:
    """The whole job: data, roles and types of columns, requirements, shape and output.

    Examples
    --------
    >>> recipe = Recipe.parse('require = ["n>=5"]\\n[data]\\ntable = "people.csv"\\n[columns.age]\\nrole = "public"')
    >>> recipe.public, recipe.require
    (('age',), ('n>=5',))
    """

    data: DataSection = field(default_factory=DataSection)
    columns: dict[str, ColumnSection] = field(default_factory=dict)
    require: tuple[str, ...] = ()
    search: SearchSection = field(default_factory=SearchSection)
    frontier: FrontierSection = field(default_factory=FrontierSection)
    output: OutputSection = field(default_factory=OutputSection)
    folder: Path = field(default_factory=Path)  # what relative paths are relative to
    notes: dict[str, str] = field(default_factory=dict, compare=False)  # why a column was guessed to be what it is
    questions: dict[str, str] = field(default_factory=dict, compare=False)  # what only a person can say

    # ------------------------------------------------------------------ reading and writing

    @classmethod
    def load(cls, path: str | Path) -> Recipe:
        """Read a recipe file; refuse a key that is not known, naming the nearest."""
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            raise InputError(f"{path} is not a recipe: it is not text") from None
        except OSError as problem:
            raise InputError(f"{path} cannot be read: {problem.strerror}") from None
        return cls.parse(text, where=str(path), folder=Path(path).parent)

    @classmethod
    def parse(cls, text: str, *, where: str = "the recipe", folder: Path | None = None) -> Recipe:
        """Read a recipe from text."""
        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as problem:
            raise InputError(f"{where} does not read as TOML: {str(problem).splitlines()[0]}") from None
        return cls.from_dict(document, where=where, folder=folder)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], *, where: str = "the recipe", folder: Path | None = None) -> Recipe:
        """A recipe from what TOML or JSON holds."""
        known = [*SECTIONS, "columns", "require"]
        for key in document:
            if key not in known:
                raise unknown_key(key, known, where)
        columns = document.get("columns", {})
        if not isinstance(columns, Mapping):
            raise InputError(f"{where}: columns are sections: write [columns.NAME]")
        require = document.get("require", [])
        if isinstance(require, str):
            require = [require]
        if not isinstance(require, list) or not all(isinstance(each, str) for each in require):
            raise InputError(f'{where}: require is a list of texts, such as ["n>=5", "k>=3"]')
        return cls(
            columns={
                name: section(ColumnSection, given, f"{where}: columns.{name}") for name, given in columns.items()
            },
            require=tuple(require),
            folder=folder or Path(),
            **{name: section(kind, document.get(name, {}), f"{where}: {name}") for name, kind in SECTIONS.items()},
        )

    @classmethod
    def guess(cls, table: object, *, na: Sequence[str] = (), counted: Profile | None = None) -> Recipe:
        """A first recipe for a table nobody described: identifiers flagged, roles and types proposed with the reason.

        `counted` stands for what `profile` found, where the columns were looked at already.
        """
        return cls(**guessed(table, na, counted))

    def to_toml(self) -> str:
        """The recipe as a commented file."""
        return text_of(self)

    def save(self, path: str | Path) -> None:
        """Write the recipe file, whole or not at all."""
        write_text(path, self.to_toml())

    def to_dict(self) -> dict[str, Any]:
        """What is not the default, for JSON and TOML."""
        found: dict[str, Any] = {}
        for name in SECTIONS:
            chosen = _chosen(getattr(self, name))
            if chosen:
                found[name] = chosen
        found["columns"] = {name: {"role": each.role, **_chosen(each)} for name, each in self.columns.items()}
        if self.require:
            found["require"] = list(self.require)
        return found

    # ------------------------------------------------------------------ what it says

    def having(self, role: str) -> tuple[str, ...]:
        """The columns of a role."""
        return tuple(name for name, each in self.columns.items() if each.role == role)

    def one_having(self, role: str) -> str | None:
        """The column of a role that one column may have."""
        names = self.having(role)
        if len(names) > 1:
            raise InputError(f"columns {listed(names)} all have the role {role}: one may")
        return names[0] if names else None

    @property
    def public(self) -> tuple[str, ...]:
        """Columns to publish."""
        return self.having("public")

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Columns to protect."""
        return self.having("sensitive")

    @property
    def types(self) -> dict[str, ColumnType]:
        """The types that are said, by public column, with their hierarchies read."""
        found = {}
        for name in self.public:
            each = self.columns[name]
            tree = Hierarchy.load(self.path(each.hierarchy)) if each.hierarchy else None
            kind = each.type or ("hierarchy" if tree else "ordered" if each.order else "auto")
            if tree is not None and kind != "hierarchy":
                raise InputError(f"column {name!r} has a hierarchy, and is said to be {an(kind)}: drop one of the two")
            found[name] = ColumnType(
                kind, each.band, each.coarsest, tuple(each.order), tree, float(each.weight), each.fixed
            ).checked(name)
        return found

    @property
    def said(self) -> dict[str, str]:
        """The types that are said of columns, public or not, by name."""
        return {name: each.type for name, each in self.columns.items() if each.type}

    @property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """How far apart the values of sensitive columns are, where files say so, by column."""
        files = {name: self.columns[name].hierarchy for name in self.sensitive}
        return {name: Hierarchy.load(self.path(file)) for name, file in files.items() if file}

    @property
    def coarsen(self) -> dict[str, Any]:
        """How public columns are made coarser while they are counted; a plain number counts characters of a code."""
        found = {name: self.columns[name] for name in self.public if self.columns[name].coarsen is not None}
        is_plain = {name: ":" not in str(each.coarsen) for name, each in found.items()}
        return {
            name: f"code:{each.coarsen}" if each.type == "code" and is_plain[name] else each.coarsen
            for name, each in found.items()
        }

    @property
    def weights(self) -> dict[str, float]:
        """The weights of public columns that are not 1."""
        return {name: float(self.columns[name].weight) for name in self.public if self.columns[name].weight != 1}

    def path(self, name: str) -> Path:
        """A path of this recipe, relative to its file."""
        return self.folder / name

    def place(self, name: str) -> str | Path:
        """Where something is to be written: a path of this recipe, or a URL that a cluster knows."""
        return name if "://" in name else self.path(name)

    @property
    def table(self) -> str | SparkTable:
        """The table, as `Joint.from_table` takes it."""
        if not self.data.table:
            raise InputError('the recipe names no table: [data] table = "people.csv"')
        where = self.data.table if "://" in self.data.table else str(self.path(self.data.table))
        if self.data.engine == "spark":
            return named_on_spark(self.data.table, where, master=self.data.master, conf=self.data.conf)
        return f"{where}#{self.data.name}" if self.data.name else where

    def relative_to(self, path: str | Path) -> Recipe:
        """The same, for a file at this path: its table is named from there."""
        table = self.data.table
        folder = Path(path).resolve().parent
        if table and "://" not in table and not Path(table).is_absolute() and folder != Path().resolve():
            table = str(Path(table).resolve())
        return replace(self, data=replace(self.data, table=table), folder=folder)

    def override(self, **sections: Any) -> Recipe:
        """The same with some keys replaced: `recipe.override(search={"seed": 1}, require=["n>=5"])`."""
        changed: dict[str, Any] = {}
        for name, keys in sections.items():
            if name == "require":
                changed["require"] = tuple(keys)
            elif name == "columns":
                changed["columns"] = {
                    **self.columns,
                    **{column: replace(self._column(column), **new) for column, new in keys.items()},
                }
            else:
                changed[name] = replace(getattr(self, name), **keys)
        return replace(self, **changed)

    def _column(self, name: str) -> ColumnSection:
        if name not in self.columns:
            raise ColumnError(f"the recipe has no column {name!r}")
        return self.columns[name]

    # ------------------------------------------------------------------ doing it

    def run(self, *, force: bool = False, progress: Progress | None = None) -> Any:
        """Do everything: count, search, release, verify and write. Nothing is written unless all of it can be."""
        return run(self, force=force, progress=progress)

    @staticmethod
    def schema() -> dict[str, Any]:
        """The JSON schema of recipe files, for editors."""
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "discreet recipe",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                **{name: schema_of(kind) for name, kind in SECTIONS.items()},
                "columns": {"type": "object", "additionalProperties": schema_of(ColumnSection)},
                "require": {
                    "description": 'what every released group must have, such as "n>=5", "k(diagnosis)>=3"',
                    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
                },
            },
        }

    def __repr__(self) -> str:
        return f"Recipe({self.data.table or 'no table'}: {len(self.public)} public, {len(self.sensitive)} sensitive columns)"


def _chosen(given: Any) -> dict[str, Any]:
    """The keys of a section that differ from their defaults."""
    plain = type(given)()
    return {
        each.name: getattr(given, each.name)
        for each in fields(given)
        if getattr(given, each.name) != getattr(plain, each.name) and getattr(given, each.name) is not None
    }


def schema_text() -> str:
    """The JSON schema as a file."""
    return json.dumps(Recipe.schema(), indent=2, ensure_ascii=False) + "\n"
