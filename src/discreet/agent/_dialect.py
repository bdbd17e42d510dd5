"""The agent in SQLAlchemy: create_engine("discreet://:KEY@127.0.0.1:8400"), or discreet+https:// behind TLS."""

from __future__ import annotations

import importlib
from typing import Any

from sqlalchemy import URL, types
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.sql.compiler import SQLCompiler

KINDS = {"number": types.Float, "text": types.String, "date": types.Date, "moment": types.DateTime}


class AgentCompiler(SQLCompiler):
    """Columns without their table: there is one."""

    def visit_column(self, *args: Any, **options: Any) -> str:
        """The name of a column."""
        return str(super().visit_column(*args, **{**options, "include_table": False}))


class AgentDialect(DefaultDialect):
    """What SQLAlchemy needs to know: questions as text, `?` for values, data sets as tables, and nothing to commit."""

    name, driver = "discreet", "http"
    statement_compiler = AgentCompiler
    supports_statement_cache = True
    default_paramstyle = "qmark"
    supports_sane_rowcount = False

    @classmethod
    def import_dbapi(cls) -> Any:
        """The DB-API module."""
        return importlib.import_module("discreet.dbapi")

    def create_connect_args(self, url: URL) -> tuple[list[Any], dict[str, Any]]:
        """The address, and the key that stands as a password; without one, DISCREET_KEY."""
        scheme = "https" if url.drivername.endswith("+https") else "http"
        host = f"[{url.host}]" if ":" in (url.host or "") else url.host or "127.0.0.1"
        options: dict[str, Any] = {"key": url.password}
        if "timeout" in url.query:
            options["timeout"] = float(str(url.query["timeout"]))
        return [f"{scheme}://{host}" + (f":{url.port}" if url.port else "")], options

    def get_table_names(self, connection: Any, schema: str | None = None, **_: Any) -> list[str]:
        """The data sets."""
        return [each["name"] for each in self._datasets(connection)]

    def has_table(self, connection: Any, table_name: str, schema: str | None = None, **_: Any) -> bool:
        """Whether a data set has that name."""
        return table_name in self.get_table_names(connection)

    def get_columns(self, connection: Any, table_name: str, schema: str | None = None, **_: Any) -> list[Any]:
        """Public columns, for filters and groups, and private ones, for questions."""
        found = next(each for each in self._datasets(connection) if each["name"] == table_name)
        kinds = {**found["kinds"], **{column["name"]: "number" for column in found["private"]}}
        return [
            {"name": name, "type": KINDS.get(kind, types.String)(), "nullable": True, "default": None}
            for name, kind in kinds.items()
        ]

    def get_view_names(self, connection: Any, schema: str | None = None, **_: Any) -> list[str]:
        """None."""
        return []

    def get_pk_constraint(self, connection: Any, table_name: str, schema: str | None = None, **_: Any) -> Any:
        """None."""
        return {"constrained_columns": [], "name": None}

    def get_foreign_keys(self, connection: Any, table_name: str, schema: str | None = None, **_: Any) -> list[Any]:
        """None."""
        return []

    def get_indexes(self, connection: Any, table_name: str, schema: str | None = None, **_: Any) -> list[Any]:
        """None."""
        return []

    def do_rollback(self, dbapi_connection: Any) -> None:
        """Nothing: what was heard stays known."""

    def do_ping(self, dbapi_connection: Any) -> bool:
        """Whether the agent answers."""
        dbapi_connection.client.datasets()
        return True

    def _datasets(self, connection: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = connection.connection.dbapi_connection.client.datasets()
        return found
