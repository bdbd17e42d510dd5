"""The database under the ledger: SQLite or PostgreSQL, durable, with one way in and one kind of failure.

What was committed survives a killed server and a power cut; what was not is as if it had never been tried. Writers do not
rely on the clock or on each other's good will: SQLite lets one write at a time, PostgreSQL locks by name.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from discreet.errors import DiscreetError, InputError, needs_extra

PATIENCE = 20.0
"""Seconds that a writer waits for other writers before it gives up."""

PAUSE = 0.02
"""Seconds before a new file is asked again to write ahead."""

SETTING_UP, ANALYSTS, JOURNAL = "discreet: setting up", "discreet: analysts", "discreet: journal"
"""Locks by name: what is done once (tables, the owner's key, the data that are pinned), who may ask, and the journal.

Whoever needs the journal takes it after every other name, so that nobody waits in a circle.
"""

PROBE = 1 << 18
"""Bytes that are written and taken back to see whether there is room: more than an answer takes, and than one page."""

FRESH = 1.0
"""Seconds for which what a probe found is believed."""


class UnavailableError(DiscreetError):
    """The database is locked by others or does not answer: nothing was said, and trying again is safe."""

    def __init__(self, problem: Exception) -> None:
        super().__init__("the ledger is busy or does not answer: try again in a moment")
        orig = getattr(problem, "orig", None)
        code = getattr(orig, "sqlite_errorname", None) or getattr(orig, "sqlstate", None)
        self.code = str(code or type(orig or problem).__name__)  # for the log: a message might quote a row


class Database:
    """Transactions on SQLite (a file) or PostgreSQL; `read_only` opens what is there, and leaves every file as it is."""

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        self.sql = sql = needs_extra("sqlalchemy", "agent")
        try:
            parsed = sql.engine.make_url(url)
        except sql.exc.ArgumentError:
            raise InputError("the ledger's address does not read as one: a file, or postgresql://…") from None
        kind = parsed.drivername.partition("+")[0]
        if kind not in ("sqlite", "postgresql", "postgres"):
            raise InputError(f"a ledger is kept in SQLite or PostgreSQL, not in {kind!r}")
        self.is_sqlite, self.read_only = kind == "sqlite", read_only
        self._engine = self._sqlite(parsed) if self.is_sqlite else self._postgresql(parsed)
        self._writing = self._engine.execution_options(writes=True)
        # Whoever only looks sees the database as it is at one moment, as SQLite does in any case.
        self._reading = (
            self._engine if self.is_sqlite else self._engine.execution_options(isolation_level="REPEATABLE READ")
        )
        self._failed = False  # the last write
        self._probed = -FRESH, True

    def _sqlite(self, url: Any) -> Any:
        if not url.database or ":memory:" in url.database:
            raise InputError("a ledger in memory forgets: name a file")
        path = None if url.database.startswith("file:") else Path(url.database)
        options: dict[str, Any] = {"connect_args": {"check_same_thread": False, "timeout": PATIENCE}}
        if self.read_only and path is not None:
            options = {"creator": lambda: _looked_into(path)}
        elif path is not None:
            try:
                path.touch(mode=0o600)  # hashes of keys and who asked what: the owner's alone
            except OSError as problem:
                raise InputError(f"the ledger cannot be written: {problem.strerror}") from None
        engine = self.sql.create_engine(url.set(drivername="sqlite"), pool_size=8, max_overflow=64, **options)

        @self.sql.event.listens_for(engine, "connect")  # type: ignore[untyped-decorator]
        def _connect(connection: Any, _: Any) -> None:
            connection.isolation_level = None  # the driver must not begin on its own
            if self.read_only:
                return
            _write_ahead(connection)
            connection.execute("PRAGMA synchronous=EXTRA")  # an answer that was sent survives a power cut

        @self.sql.event.listens_for(engine, "begin")  # type: ignore[untyped-decorator]
        def _begin(connection: Any) -> None:
            # A writer takes the lock before it reads, so that what it read still holds when it writes.
            writes = connection.get_execution_options().get("writes")
            connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

        return engine

    def _postgresql(self, url: Any) -> Any:
        needs_extra("psycopg", "agent")
        engine = self.sql.create_engine(
            url.set(drivername="postgresql+psycopg"),
            connect_args={"connect_timeout": 5, "tcp_user_timeout": round(1000 * PATIENCE)},
            isolation_level="READ COMMITTED",  # each statement after a lock sees what was committed before it
            pool_size=8,
            max_overflow=24,
            pool_timeout=PATIENCE,
            pool_pre_ping=True,  # the database may have been started again
        )

        @self.sql.event.listens_for(engine, "connect")  # type: ignore[untyped-decorator]
        def _connect(connection: Any, _: Any) -> None:
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT set_config('synchronous_commit', 'on', false)"
                    " WHERE current_setting('synchronous_commit') IN ('off', 'local')"
                )
                cursor.execute("SELECT set_config('lock_timeout', %s, false)", (f"{1000 * PATIENCE:.0f}ms",))
                if self.read_only:
                    cursor.execute("SELECT set_config('default_transaction_read_only', 'on', false)")
            connection.commit()

        return engine

    @contextmanager
    def reading(self) -> Iterator[Any]:
        """A transaction that only reads."""
        with self._transaction(self._reading) as connection:
            yield connection

    @contextmanager
    def writing(self, *names: str) -> Iterator[Any]:
        """A transaction that writes; nobody else is in one of these names meanwhile. Left without an error, it is on disk."""
        try:
            with self._transaction(self._writing) as connection:
                for name in sorted(names):  # in one order, so that nobody waits in a circle
                    self.lock(connection, name)
                yield connection
        except UnavailableError:
            self._failed = True
            raise
        self._failed = False

    def lock(self, connection: Any, name: str) -> None:
        """Keep others out of a name until a transaction ends; SQLite lets one write at a time in any case."""
        if not self.is_sqlite:
            number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)
            connection.execute(self.sql.select(self.sql.func.pg_advisory_xact_lock(number)))

    def can_write(self, table: Any) -> bool:
        """Whether there is room for another answer: something is written to `table`, and taken back.

        PostgreSQL, which would have to clear it away, is tried only after a write that failed.
        """
        if not self.is_sqlite and not self._failed:
            return True
        at, found = self._probed
        if time.monotonic() - at > FRESH:
            found = self._spilled(table) if self.is_sqlite else self._inserted(table)
            self._probed = time.monotonic(), found
        return found

    def _inserted(self, table: Any) -> bool:
        try:
            with self._transaction(self._writing) as connection:
                connection.execute(table.insert().values(name="probe", value="0" * PROBE))
                connection.rollback()
        except UnavailableError:
            return False
        self._failed = False
        return True

    def _spilled(self, table: Any) -> bool:
        """With a cache of one page, what is written goes to the disk before it is committed."""
        raw = self._engine.raw_connection()
        try:
            connection = raw.driver_connection
            connection.execute("PRAGMA busy_timeout=0")
            connection.execute("PRAGMA cache_size=1")
            try:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute(
                    f"INSERT INTO {table.name} (name, value) VALUES ('probe', hex(zeroblob({PROBE // 2})))"  # noqa: S608
                )
            except sqlite3.OperationalError as problem:
                return problem.sqlite_errorname == "SQLITE_BUSY"  # somebody writes just now
            finally:
                with suppress(sqlite3.OperationalError):
                    connection.execute("ROLLBACK")
            return True
        finally:
            raw.invalidate()  # its cache is too small for anything else
            raw.close()

    @contextmanager
    def _transaction(self, engine: Any) -> Iterator[Any]:
        exc = self.sql.exc
        try:
            with engine.begin() as connection:
                yield connection
        except (exc.OperationalError, exc.InterfaceError, exc.TimeoutError) as problem:
            raise UnavailableError(problem) from None

    def close(self) -> None:
        """Let go of every connection."""
        self._engine.dispose()


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Readers never wait for a writer. SQLite does not wait, either, where another is about to change the same: we do."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as problem:
            if not problem.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > until:
                raise
        time.sleep(PAUSE)


def _looked_into(path: Path) -> sqlite3.Connection:
    """A connection that makes no file beside the ledger: one that nobody writes to is opened as it lies there."""
    log = path.with_name(path.name + "-wal")
    mode = "mode=ro" if log.exists() and log.stat().st_size else "immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, check_same_thread=False, timeout=PATIENCE)


def tables(sql: Any) -> Any:
    """The seven tables: facts, datasets and their columns, analysts, answers, the witnesses of each book, and the journal."""
    metadata = sql.MetaData()
    sql.Table(
        "discreet_facts",
        metadata,
        sql.Column("name", sql.String(64), primary_key=True),
        sql.Column("value", sql.Text, nullable=False),
    )
    sql.Table(
        "discreet_datasets",
        metadata,
        sql.Column("name", sql.Text, primary_key=True),
        sql.Column("people", sql.Integer, nullable=False),
        sql.Column("collude", sql.Boolean, nullable=False),
    )
    sql.Table(
        "discreet_columns",
        metadata,
        sql.Column("dataset", sql.Text, primary_key=True),
        sql.Column("name", sql.Text, primary_key=True),
        sql.Column("position", sql.Integer, nullable=False),
        sql.Column("role", sql.String(16), nullable=False),
        sql.Column("digest", sql.String(64), nullable=False),
        sql.Column("declared", sql.Text, nullable=False),
        sql.Column("fingerprint", sql.Text, nullable=False),
    )
    sql.Table(
        "discreet_analysts",
        metadata,
        sql.Column("name", sql.Text, primary_key=True),
        sql.Column("key_hash", sql.String(64), nullable=False, unique=True),
        sql.Column("budget", sql.Double, nullable=False),
        sql.Column("revoked", sql.Boolean, nullable=False, default=False),
    )
    sql.Table(
        "discreet_answers",
        metadata,
        sql.Column("book", sql.Text, primary_key=True),
        sql.Column("number", sql.Integer, primary_key=True, autoincrement=False),
        sql.Column("key", sql.String(64), nullable=False),
        sql.Column("analyst", sql.Text, nullable=False, index=True),
        sql.Column("question", sql.Text, nullable=False),
        sql.Column("cells", sql.Integer, nullable=False),
        sql.Column("answer", sql.Double),
        sql.Column("error", sql.Double),
        sql.Column("low", sql.Double, nullable=False),
        sql.Column("high", sql.Double, nullable=False),
        sql.Column("record", sql.Text, nullable=False),
        sql.Column("at", sql.String(40), nullable=False),
        sql.Column("link", sql.String(64), nullable=False, server_default=""),
        sql.UniqueConstraint("book", "key"),
    )
    sql.Table(
        "discreet_journal",
        metadata,
        sql.Column("number", sql.Integer, primary_key=True, autoincrement=False),
        sql.Column("kind", sql.String(16), nullable=False),
        sql.Column("name", sql.Text, nullable=False),
        sql.Column("content", sql.Text, nullable=False),
        sql.Column("link", sql.String(64), nullable=False),
    )
    sql.Table(
        "discreet_witnesses",
        metadata,
        sql.Column("book", sql.Text, primary_key=True),
        sql.Column("number", sql.Integer, nullable=False),
        sql.Column("content", sql.LargeBinary, nullable=False),
    )
    return metadata
