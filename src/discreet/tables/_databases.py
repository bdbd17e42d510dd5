"""Tables in SQL databases, named by URL and table: sqlite:///people.db#people, postgresql://user@host/base#people.

One statement goes there: SELECT columns, COUNT(*) … GROUP BY columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import IntArray
from discreet.errors import DiscreetError, TableError, listed, needs_extra
from discreet.tables._protocol import check_columns

if TYPE_CHECKING:
    from discreet._typing import Progress


@dataclass(frozen=True)
class DatabaseTable:
    """One table of a database."""

    url: str

    @classmethod
    def of(cls, table: object) -> DatabaseTable | None:
        """A text with :// in it names one."""
        return cls(table) if isinstance(table, str) and "://" in table else None

    @property
    def name(self) -> str:
        """The URL without user and password."""
        return shown(self.url)

    def columns(self) -> list[str]:
        """As the database lists them."""
        engine, table = _open(needs_extra("sqlalchemy", "sql"), self.url)
        engine.dispose()
        return [column.name for column in table.columns]

    def group(
        self, columns: Sequence[str], *, memory_limit: str | None = None, progress: Progress | None = None
    ) -> tuple[list[Any], IntArray]:
        """Grouped by the database."""
        rows = self._rows(columns, count=True)
        counts = np.asarray([row[-1] for row in rows], dtype=np.int64)
        return [[row[i] for row in rows] for i in range(len(columns))], counts

    def read(self, columns: Sequence[str], most: int | None = None) -> list[Any]:
        """Row by row, in the order that the database gives them."""
        rows = self._rows(columns, count=False, most=most)
        return [[row[i] for row in rows] for i in range(len(columns))]

    def files(self) -> list[str]:
        """None that a release could be told to replace: a database is named by URL."""
        return []

    def _rows(self, columns: Sequence[str], *, count: bool, most: int | None = None) -> Sequence[Any]:
        sql = needs_extra("sqlalchemy", "sql")
        engine, table = _open(sql, self.url)
        try:
            check_columns(columns, [column.name for column in table.columns], self.name)
            keys = [_plain_comparison(sql, engine, table.columns[name]) for name in columns]
            asked = sql.select(*keys, sql.func.count()).group_by(*keys) if count else sql.select(*keys).limit(most)
            with engine.connect() as connection:
                found: Sequence[Any] = connection.execute(asked).all()
                return found
        except sql.exc.SQLAlchemyError as problem:
            raise TableError(f"{self.name} cannot be read ({type(problem).__name__})") from None
        finally:
            engine.dispose()


def _plain_comparison(sql: Any, engine: Any, column: Any) -> Any:
    """Group text by its bytes: a case-blind collation would take 'a' and 'A' for one value.

    SQLite's declared types bind nobody, so its values are taken as they are stored.
    """
    if engine.dialect.name == "sqlite":
        stored = sql.collate(sql.type_coerce(column, sql.String()), "BINARY")
        return sql.type_coerce(stored, sql.types.NullType())
    is_text = isinstance(column.type, sql.String) and not isinstance(column.type, sql.Enum)
    if is_text and engine.dialect.name == "postgresql":
        return sql.collate(column, "C")
    return column


def _open(sql: Any, url: str) -> tuple[Any, Any]:
    """Connect, and look up the table named after '#' (or the only one there is)."""
    address, mark, name = url.rpartition("#")
    if not mark or "@" in name:  # no table is named, or the sign is part of a password
        address, name = url, ""
    where = shown(url)
    try:
        parsed = sql.engine.make_url(address)
        if parsed.drivername == "postgresql":
            needs_extra("psycopg", "sql")
            parsed = parsed.set(drivername="postgresql+psycopg")
        if parsed.drivername.startswith("sqlite") and not (parsed.database and Path(parsed.database).exists()):
            raise TableError(f"{where}: there is no such database file")
        arguments = {"connect_timeout": 5} if parsed.drivername.startswith("postgresql") else {}
        engine = sql.create_engine(parsed, connect_args=arguments)
        names = [*sql.inspect(engine).get_table_names(), *sql.inspect(engine).get_view_names()]
        schema, _, bare = name.rpartition(".")
        if not name and len(names) == 1:
            bare = names[0]
        elif not name:
            raise TableError(f"{where} has {len(names)} tables: name one after '#', one of {listed(names)}")
        elif not schema and bare not in names:
            raise TableError(f"{where} has no table {bare!r}: it has {listed(names)}")
        return engine, sql.Table(bare, sql.MetaData(), schema=schema or None, autoload_with=engine)
    except DiscreetError:
        raise
    except (sql.exc.ArgumentError, sql.exc.NoSuchModuleError, ImportError, UnicodeError):
        raise TableError(
            f"{where} is not a database URL that can be opened: use sqlite:///FILE#TABLE or postgresql://HOST/BASE#TABLE"
        ) from None
    except ValueError:
        raise TableError(f"{where} is not a database URL: check its port") from None
    except sql.exc.NoSuchTableError:
        raise TableError(f"{where} has no table {name!r}") from None
    except sql.exc.SQLAlchemyError as problem:
        raise TableError(
            f"{where} cannot be reached ({type(problem).__name__}): is the database up, and may this user read it?"
        ) from None


def shown(url: str) -> str:
    """The URL without user and password: whatever stands before the last '@'."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}"
