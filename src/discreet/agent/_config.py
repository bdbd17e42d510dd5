"""agent.toml: which data sets the agent holds, what is private in them, and what it promises to every person."""

from __future__ import annotations

import difflib
import math
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from discreet.errors import InputError
from discreet.queries.auditor._declarations import LARGEST_WHOLE

EXAMPLE = """\
# ledger = "postgresql://agent@localhost/agent"    # default: ledger.sqlite beside this file
# host = "127.0.0.1"
# port = 8400

[datasets.people]
table = "people.csv"                # a file, or a database URL with #table; one row per person
public = ["sex", "city"]            # what filters may use; everybody may know these
# person = "id"                     # a column that says who it is: checked to be there once each, never used otherwise
# collude = true                    # analysts share what they learn: one ledger for all
# smallest_group = 5                # people whom a question must be about
# na = ["?"]                        # texts that mean missing

[datasets.people.private.height]    # what questions are about
lower = 100                         # bounds that everybody knows
upper = 250
keep = 20                           # everybody keeps an interval at least this long

[datasets.people.private.smoker]    # 0 or 1
lower = 0
upper = 1
keep = 1                            # both stay possible for everybody
integral = true                     # whole numbers
# missing_as = 0                    # what a missing value counts as; without it, missing values stop the start
"""
LONGEST_NAME = 200  # letters, as the ledger holds them


@dataclass(frozen=True)
class Private:
    """A column that questions are about: its declared bounds, and the interval that everybody keeps."""

    name: str
    lower: float
    upper: float
    keep: float
    integral: bool = False
    missing_as: float | None = None  # what a missing value counts as; without it, missing values are refused


@dataclass(frozen=True)
class Dataset:
    """A table that the agent answers about."""

    name: str
    table: str
    public: tuple[str, ...]
    private: tuple[Private, ...]
    collude: bool = True
    smallest_group: int = 5
    na: tuple[str, ...] = ()
    person: str = ""  # the column that says who a row is about, if there is one

    def column(self, name: str) -> Private | None:
        """A private column by name."""
        return next((each for each in self.private if each.name == name), None)


@dataclass(frozen=True)
class Config:
    """Everything that `discreet serve` needs to know."""

    datasets: tuple[Dataset, ...]
    ledger: str
    host: str = "127.0.0.1"
    port: int = 8400
    most_body: int = 65_536  # bytes of a request

    @classmethod
    def load(cls, path: str | Path) -> Config:
        """Read agent.toml; names of files in it are relative to its own folder."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except OSError as problem:
            raise InputError(f"{path} cannot be read: {problem.strerror}") from None
        except UnicodeDecodeError:
            raise InputError(f"{path} is not text") from None
        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as problem:
            raise InputError(f"{path} does not read as TOML: {problem}") from None
        return cls.from_dict(document, Path(path).resolve().parent)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], folder: Path) -> Config:
        """A configuration from what TOML says."""
        top = _Section(document, "agent.toml", ("datasets", "ledger", "host", "port", "most_body"))
        datasets = top.section("datasets")
        found = cls(
            datasets=tuple(_dataset(name, datasets, folder) for name in datasets.content),
            ledger=_ledger(top.text("ledger", "ledger.sqlite"), folder),
            host=top.text("host", "127.0.0.1"),
            port=top.whole("port", 8400, least=0, most=65_535),
            most_body=top.whole("most_body", 65_536, least=256),
        )
        if not found.datasets:
            raise InputError("agent.toml names no data set: add a section [datasets.NAME]")
        for one, other in combinations(found.datasets, 2):
            twice = [each.name for each in one.private if other.column(each.name)]
            if twice and _place(one.table) == _place(other.table):
                raise InputError(
                    f"data sets {one.name!r} and {other.name!r} both offer column {twice[0]!r} of one table: "
                    "each would promise without knowing what the other tells, so offer it once"
                )
        return found


def _dataset(name: str, datasets: _Section, folder: Path) -> Dataset:
    _check_name(name, "a data set")
    known = ("table", "public", "private", "collude", "smallest_group", "na", "person")
    section = datasets.section(name, known)
    columns = section.section("private")
    found = Dataset(
        name=name,
        table=_placed(section.text("table"), folder),
        public=section.texts("public"),
        private=tuple(_private(each, columns) for each in columns.content),
        collude=section.flag("collude", default=True),
        smallest_group=section.whole("smallest_group", 5, least=1),
        na=section.texts("na"),
        person=section.text("person", "") if "person" in section.content else "",
    )
    if not found.private:
        raise InputError(f"data set {name!r} has no private column: add a section [datasets.{name}.private.COLUMN]")
    roles = [*found.public, *(each.name for each in found.private), *([found.person] if found.person else [])]
    for role in roles:
        _check_name(role, "a column")
        if roles.count(role) > 1:
            both = role in found.public and found.column(role)
            what = "cannot be both public and private" if both else "is named twice"
            raise InputError(f"data set {name!r}: column {role!r} {what}")
    return found


def _private(name: str, columns: _Section) -> Private:
    section = columns.section(name, ("lower", "upper", "keep", "integral", "missing_as"))
    found = Private(
        name=name,
        lower=section.number("lower"),
        upper=section.number("upper"),
        keep=section.number("keep"),
        integral=section.flag("integral", default=False),
        missing_as=section.number("missing_as") if "missing_as" in section.content else None,
    )
    where = section.where
    if not found.lower < found.upper:
        raise InputError(f"{where}: lower must be below upper")
    if not math.isfinite(found.upper - found.lower):
        raise InputError(f"{where}: the bounds are too far apart")
    if not 0 < found.keep <= found.upper - found.lower:
        raise InputError(f"{where}: keep is a length above 0 and at most upper − lower")
    if found.integral and not (found.lower.is_integer() and found.upper.is_integer()):
        raise InputError(f"{where}: an integral column needs whole bounds")
    if found.integral and max(-found.lower, found.upper) > LARGEST_WHOLE:
        raise InputError(
            f"{where}: an integral column needs bounds of at most {LARGEST_WHOLE:.0f}, so that sums are exact"
        )
    if found.missing_as is not None and not found.lower <= found.missing_as <= found.upper:
        raise InputError(f"{where}: missing_as lies outside the bounds")
    if found.missing_as is not None and found.integral and not found.missing_as.is_integer():
        raise InputError(f"{where}: missing_as must be whole, as integral = true says")
    return found


def _check_name(name: str, what: str) -> None:
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise InputError(f"the name of {what} has 1 to {LONGEST_NAME} letters that can be seen")


def _placed(name: str, folder: Path) -> str:
    """A file relative to the folder, also inside a URL of SQLite; other URLs as they are."""
    scheme, mark, path = name.partition(":///")
    if mark and scheme.startswith("sqlite") and path:
        return f"{scheme}:///{folder / path}"
    return name if "://" in name else str(folder / name)


def _place(table: str) -> str:
    """What two names of one table have in common: links and dots in paths are followed."""
    scheme, mark, path = table.rpartition(":///")
    if "://" in table and not scheme.startswith("sqlite"):
        return table
    path, inner_mark, inner = path.partition("#")
    return scheme + mark + os.path.realpath(path) + inner_mark + inner


def _ledger(name: str, folder: Path) -> str:
    """The ledger's address: a file relative to the folder, or a URL."""
    scheme, mark, path = name.partition("://")
    if not mark:
        return f"sqlite:///{folder / name}"
    if scheme.startswith("sqlite"):
        if path in ("", "/") or ":memory:" in path:
            raise InputError("agent.toml: a ledger in memory would be forgotten: name a file")
        return _placed(name, folder)
    if scheme.partition("+")[0] != "postgresql":
        hint = ": write postgresql://" if scheme == "postgres" else ""
        raise InputError(f"agent.toml: ledger is a file, or a URL of SQLite or PostgreSQL{hint}")
    return name


@dataclass(frozen=True)
class _Section:
    """A table of TOML that says where it is when something in it is wrong.

    Names that are not settings are refused at once: a misspelt one would be a promise that is not kept. Without `known`
    the names are the user's own.
    """

    content: Mapping[str, Any]
    where: str
    known: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for name in self.content:
            if self.known is not None and name not in self.known:
                near = difflib.get_close_matches(name.lower(), self.known, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(self.known)}"
                raise InputError(f"{self.where}: {name!r} is not a setting: {hint}")

    def _take(self, name: str, default: Any) -> Any:
        if name not in self.content:
            if default is None:
                raise InputError(f"{self.where}: {name} is missing")
            return default
        return self.content[name]

    def section(self, name: str, known: tuple[str, ...] | None = None) -> _Section:
        value = self._take(name, {})
        inner = name if self.where == "agent.toml" else f"{self.where.strip('[]')}.{name}"
        if not isinstance(value, Mapping):
            raise InputError(f"[{inner}] must be a section")
        return _Section(value, f"[{inner}]", known)

    def text(self, name: str, default: str | None = None) -> str:
        value = self._take(name, default)
        if not isinstance(value, str) or not value:
            raise InputError(f"{self.where}: {name} must be text")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self._take(name, [])
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
            raise InputError(f"{self.where}: {name} must be a list of texts")
        return tuple(listed)

    def number(self, name: str) -> float:
        value = self._take(name, None)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise InputError(f"{self.where}: {name} must be a number")
        return float(value)

    def whole(self, name: str, default: int, *, least: int, most: int | None = None) -> int:
        value = self._take(name, default)
        within = isinstance(value, int) and not isinstance(value, bool) and least <= value <= (most or value)
        if not within:
            limit = f"at least {least}" if most is None else f"{least} to {most}"
            raise InputError(f"{self.where}: {name} must be a whole number, {limit}")
        return int(value)

    def flag(self, name: str, *, default: bool) -> bool:
        value = self._take(name, default)
        if not isinstance(value, bool):
            raise InputError(f"{self.where}: {name} must be true or false")
        return value
