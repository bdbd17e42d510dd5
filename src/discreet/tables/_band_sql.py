"""Bands in DuckDB's SQL: the same map as `Band.of`, on the values as a file stores them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from discreet.tables._bands import ANYTHING, Band

_WRITTEN = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?"  # 01234 is a name, not a number


def key_of(column: str, stored: str, band: Band, na: Iterable[str]) -> tuple[str, str]:
    """The letter of a value in SQL, null for what is missing; and whether it has a value but none of the band's kind."""
    missing = _missing(column, stored, na)
    if band.kind == "code":
        word = (
            f"CAST(CAST({column} AS BIGINT) AS VARCHAR)"
            if stored in ("DOUBLE", "FLOAT")
            else f"CAST({column} AS VARCHAR)"
        )
        size = int(band.size)
        short = f"CASE WHEN length({word}) > {size} THEN left({word}, {size}) || '{ANYTHING}' ELSE {word} END"
        return f"CASE WHEN {missing} THEN NULL ELSE {short} END", "false"
    value = moment(column, stored) if band.kind == "date" else number(column, stored)
    letter = f"date_trunc('{band.size}', {value})" if band.kind == "date" else _start(value, band)
    odd = f"NOT ({missing}) AND {value} IS NULL"
    return f"CASE WHEN {missing} THEN NULL ELSE {letter} END", odd


def number(column: str, stored: str) -> str:
    """A value as a number, or null."""
    if stored == "VARCHAR":
        return f"CASE WHEN regexp_full_match({column}, '{_WRITTEN}') THEN TRY_CAST({column} AS DOUBLE) END"
    return (
        "CAST(NULL AS DOUBLE)"
        if stored in ("BOOLEAN", "DATE") or "TIMESTAMP" in stored
        else f"TRY_CAST({column} AS DOUBLE)"
    )


def moment(column: str, stored: str) -> str:
    """A value as a moment, of the zone UTC where it has one, or null."""
    if stored == "TIMESTAMP WITH TIME ZONE":
        return f"make_timestamp(epoch_us({column}))"
    if stored == "VARCHAR":
        return f"CASE WHEN {column} LIKE '____-__-__%' THEN TRY_CAST({column} AS TIMESTAMP) END"
    known = stored == "DATE" or stored.startswith("TIMESTAMP")
    return f"CAST({column} AS TIMESTAMP)" if known else "CAST(NULL AS TIMESTAMP)"


def known_number(column: str, stored: str, na: Iterable[str]) -> str:
    """A value as a number, null where it is missing or none."""
    return f"CASE WHEN {_missing(column, stored, na)} THEN NULL ELSE {number(column, stored)} END"


def _missing(column: str, stored: str, na: Iterable[str]) -> str:
    rules = [f"{column} IS NULL"]
    if stored in ("DOUBLE", "FLOAT"):
        rules.append(f"isnan({column})")
    texts = ", ".join("'" + text.replace("'", "''") + "'" for text in sorted(na))
    if texts:
        rules.append(f"CAST({column} AS VARCHAR) IN ({texts})")
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
    return f"CAST('{value!r}' AS DOUBLE)" if math.isfinite(value) else f"'{value}'::DOUBLE"
