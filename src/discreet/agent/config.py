"""agent.toml: which data sets the agent holds, what is private in them, and what it promises to every person."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.errors import InputError

EXAMPLE = """\
# ledger = "postgresql://agent@localhost/agent"    # default: ledger.sqlite beside this file
# port = 8400

[datasets.people]
table = "people.csv"                # a file, or a database URL with #table
public = ["sex", "city"]            # what filters may use; everybody may know these
collude = true                      # analysts share what they learn: one ledger for all

[datasets.people.private.height]    # what questions are about
lower = 100                         # bounds that everybody knows
upper = 250
keep = 20                           # everybody keeps an interval at least this long

[datasets.people.private.smoker]    # 0 or 1
lower = 0
upper = 1
keep = 1
integral = true
"""


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
        top = _Section(document, "agent.toml")
        datasets = top.section("datasets")
        found = cls(
            datasets=tuple(_dataset(name, datasets.section(name), folder) for name in datasets.content),
            ledger=_placed(top.text("ledger", "ledger.sqlite"), folder, sqlite=True),
            host=top.text("host", "127.0.0.1"),
            port=top.whole("port", 8400, least=0),
            most_body=top.whole("most_body", 65_536, least=256),
        )
        top.done()
        if not found.datasets:
            raise InputError("agent.toml names no data set: add a section [datasets.NAME]")
        return found


def _dataset(name: str, section: _Section, folder: Path) -> Dataset:
    columns = section.section("private")
    found = Dataset(
        name=name,
        table=_placed(section.text("table"), folder),
        public=section.texts("public"),
        private=tuple(_private(each, columns.section(each)) for each in columns.content),
        collude=section.flag("collude", default=True),
        smallest_group=section.whole("smallest_group", 5, least=1),
        na=section.texts("na"),
    )
    section.done()
    if not found.private:
        raise InputError(f"data set {name!r} has no private column: add a section [datasets.{name}.private.COLUMN]")
    both = [each.name for each in found.private if each.name in found.public]
    if both:
        raise InputError(f"data set {name!r}: column {both[0]!r} cannot be both public and private")
    return found


def _private(name: str, section: _Section) -> Private:
    found = Private(
        name=name,
        lower=section.number("lower"),
        upper=section.number("upper"),
        keep=section.number("keep"),
        integral=section.flag("integral", default=False),
        missing_as=section.number("missing_as") if "missing_as" in section.content else None,
    )
    section.done()
    where = section.where
    if not found.lower < found.upper:
        raise InputError(f"{where}: lower must be below upper")
    if not 0 < found.keep <= found.upper - found.lower:
        raise InputError(f"{where}: keep is a length above 0 and at most upper − lower")
    if found.integral and not (found.lower.is_integer() and found.upper.is_integer()):
        raise InputError(f"{where}: an integral column needs whole bounds")
    if found.missing_as is not None and not found.lower <= found.missing_as <= found.upper:
        raise InputError(f"{where}: missing_as lies outside the bounds")
    return found


def _placed(name: str, folder: Path, *, sqlite: bool = False) -> str:
    """A file's name relative to the folder, or a URL as it is."""
    if "://" in name:
        return name
    return f"sqlite:///{folder / name}" if sqlite else str(folder / name)


@dataclass
class _Section:
    """A table of TOML that says where it is when something in it is wrong."""

    content: Mapping[str, Any]
    where: str
    used: tuple[str, ...] = ()

    def _take(self, name: str, default: Any) -> Any:
        self.used = (*self.used, name)
        if name not in self.content:
            if default is None:
                raise InputError(f"{self.where}: {name} is missing")
            return default
        return self.content[name]

    def section(self, name: str) -> _Section:
        value = self._take(name, {})
        inner = name if self.where == "agent.toml" else f"{self.where.strip('[]')}.{name}"
        if not isinstance(value, Mapping):
            raise InputError(f"[{inner}] must be a section")
        return _Section(value, f"[{inner}]")

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

    def whole(self, name: str, default: int, *, least: int) -> int:
        value = self._take(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise InputError(f"{self.where}: {name} must be a whole number of at least {least}")
        return value

    def flag(self, name: str, *, default: bool) -> bool:
        value = self._take(name, default)
        if not isinstance(value, bool):
            raise InputError(f"{self.where}: {name} must be true or false")
        return value

    def done(self) -> None:
        """Refuse what nobody asked for: a misspelt setting would be a promise that is not kept."""
        unknown = [name for name in self.content if name not in self.used]
        if unknown:
            raise InputError(f"{self.where}: {unknown[0]!r} is not a setting")
