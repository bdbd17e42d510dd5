"""Bands in SQL: the same map as `Band.of`, on the values as a file stores them.

DuckDB and Spark agree on most of it; what they call by other names is in a `Dialect`. Types are called as DuckDB calls them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from discreet.tables._bands import ANYTHING, Band

_WRITTEN = "-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?"  # 01234 is a name, not a number


@dataclass(frozen=True)
class Dialect:
    """What an engine has words of its own for.

    Attributes
    ----------
    matches
        Whether a text as a whole matches an expression.
    moment
        A column of some type as a moment, or null; of the zone UTC where it has one.
    period
        When a period of such a moment begins: the moment, the column's type, the unit.
    """

    matches: Callable[[str, str], str]
    moment: Callable[[str, str], str]
    period: Callable[[str, str, str], str]


def key_of(column: str, stored: str, band: Band, na: Iterable[str], dialect: Dialect) -> tuple[str, str]:
    """The letter of a value in SQL, null for what is missing; and whether it has a value but none of the band's kind."""
    missing = _missing(column, stored, na)
    if band.kind == "code":
        word = (
            f"CAST(CAST({column} AS BIGINT) AS STRING)"
            if stored in ("DOUBLE", "FLOAT")
            else f"CAST({column} AS STRING)"
        )
        size = int(band.size)
        short = f"CASE WHEN length({word}) > {size} THEN left({word}, {size}) || '{ANYTHING}' ELSE {word} END"
        return f"CASE WHEN {missing} THEN NULL ELSE {short} END", "false"
    if band.kind == "date":
        value = dialect.moment(column, stored)
        letter = dialect.period(value, stored, str(band.size))
    else:
        value = number(column, stored, dialect)
        letter = _start(value, band)
    odd = f"NOT ({missing}) AND {value} IS NULL"
    return f"CASE WHEN {missing} THEN NULL ELSE {letter} END", odd


def number(column: str, stored: str, dialect: Dialect) -> str:
    """A value as a number, or null."""
    if stored == "VARCHAR":
        return f"CASE WHEN {dialect.matches(column, _WRITTEN)} THEN TRY_CAST({column} AS DOUBLE) END"
    return (
        "CAST(NULL AS DOUBLE)"
        if stored in ("BOOLEAN", "DATE") or "TIMESTAMP" in stored
        else f"TRY_CAST({column} AS DOUBLE)"
    )


def _moment(column: str, stored: str) -> str:
    if stored == "TIMESTAMP WITH TIME ZONE":
        return f"make_timestamp(epoch_us({column}))"
    if stored == "VARCHAR":
        return f"CASE WHEN {column} LIKE '____-__-__%' THEN TRY_CAST({column} AS TIMESTAMP) END"
    known = stored == "DATE" or stored.startswith("TIMESTAMP")
    return f"CAST({column} AS TIMESTAMP)" if known else "CAST(NULL AS TIMESTAMP)"


DUCKDB = Dialect(
    matches=lambda column, expression: f"regexp_full_match({column}, '{expression}')",
    moment=_moment,
    period=lambda value, _, unit: f"date_trunc('{unit}', {value})",
)


def known_number(column: str, stored: str, na: Iterable[str], dialect: Dialect) -> str:
    """A value as a number, null where it is missing or none."""
    return f"CASE WHEN {_missing(column, stored, na)} THEN NULL ELSE {number(column, stored, dialect)} END"


def _missing(column: str, stored: str, na: Iterable[str]) -> str:
    rules = [f"{column} IS NULL"]
    if stored in ("DOUBLE", "FLOAT"):
        rules.append(f"isnan({column})")
    texts = ", ".join("'" + text.replace("'", "''") + "'" for text in sorted(na))
    if texts:
        rules.append(f"CAST({column} AS STRING) IN ({texts})")
    return " OR ".join(rules)


def _start(value: str, band: Band) -> str:
    if band.edges:
        low, high = _literal(band.edges[0]), _literal(band.edges[-1])
        inside = _cell(value, band.edges[:-1]) if len(band.edges) > 1 else low
        return f"CASE WHEN {value} BETWEEN {low} AND {high} THEN {inside} ELSE {value} END"
    width = _literal(float(band.size))
    start = f"floor({value} / {width}) * {width}"
    lower = f"(floor({value} / {width}) - 1) * {width}"
    fine = f"abs({value}) > {_literal(band.coarsest)}"
    return f"CASE WHEN {fine} THEN {value} WHEN {start} > {value} THEN {lower} ELSE {start} END"


def _cell(value: str, starts: Sequence[float]) -> str:
    """The last of some numbers that is not above a value, by halving."""
    if len(starts) == 1:
        return _literal(starts[0])
    middle = len(starts) // 2
    below, above = _cell(value, starts[:middle]), _cell(value, starts[middle:])
    return f"CASE WHEN {value} < {_literal(starts[middle])} THEN {below} ELSE {above} END"


def _literal(value: float) -> str:
    return f"CAST('{value!r}' AS DOUBLE)"
