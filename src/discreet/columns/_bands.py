"""How people say that a column is to be made coarser while it is counted: hour, 5, code:3, quantiles:100."""

from __future__ import annotations

from collections.abc import Mapping

from discreet.columns._guess import says
from discreet.columns._types import UNITS, Extent, extent_of
from discreet.errors import InputError
from discreet.tables._bands import Band

KINDS = {"number": "number", "date": "date", "code": "code", "quantiles": "grid"}


def band_of(column: str, said: Extent) -> Band:
    """The band that was asked for; a plain number is a width, or characters where the column is called like a code.

    Examples
    --------
    >>> band_of("admitted", "hour").kind, band_of("chol", 5).kind, band_of("postcode", "3").kind
    ('date', 'number', 'code')
    >>> band_of("income", "quantiles:100")
    Band(kind='grid', size=100, edges=())
    """
    where = f"column {column!r}, coarsen = {said!r}"
    kind, mark, rest = said.partition(":") if isinstance(said, str) else ("", "", "")
    if mark:
        if kind not in KINDS:
            raise InputError(f"{where}: say number:5, date:month, code:3 or quantiles:100")
        return _band(KINDS[kind], extent_of(rest.strip()) or "").checked(where)
    size = extent_of(said.strip()) if isinstance(said, str) else said
    if isinstance(size, str) and size not in UNITS:
        raise InputError(f"{where}: say 5, month, code:3 or quantiles:100")
    if isinstance(size, str):
        return _band("date", size)
    if size is None or isinstance(size, bool):
        raise InputError(f"{where}: say 5, month, code:3 or quantiles:100")
    return Band("code" if says(column, "code") else "number", size).checked(where)


def _band(kind: str, size: float | int | str) -> Band:
    return Band(kind, size, days=kind == "date" and size != "hour")  # type: ignore[arg-type]


def bands_of(coarsen: Mapping[str, Extent] | None) -> dict[str, Band]:
    """The bands of the columns named."""
    if coarsen is None:
        return {}
    if not isinstance(coarsen, Mapping):
        raise InputError('coarsen names columns and bands: {"admitted": "hour", "chol": 5}')
    return {name: said if isinstance(said, Band) else band_of(name, said) for name, said in coarsen.items()}
