"""A table seen through bands: what holds it groups by the band of a value where it can, and its values are mapped where not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from discreet.errors import ColumnError
from discreet.tables._bands import Band, grid
from discreet.tables._columns import encode_column
from discreet.tables._files import TableFile
from discreet.tables._spark import SparkTable

if TYPE_CHECKING:
    from discreet._typing import IntArray, Limits, Progress
    from discreet.tables._protocol import Source


@dataclass(frozen=True)
class Coarsened:
    """A table with some columns made coarser while they are counted."""

    inner: Source
    bands: Mapping[str, Band]
    na: frozenset[str] = field(default_factory=frozenset)  # texts that are no values, and so in no band

    @classmethod
    def of(cls, table: object) -> Coarsened | None:
        """Only what is one already."""
        return table if isinstance(table, Coarsened) else None

    @property
    def name(self) -> str:
        """That of the table."""
        return self.inner.name

    def columns(self) -> list[str]:
        """Those of the table."""
        return self.inner.columns()

    def read(self, columns: Sequence[str], most: int | None = None) -> list[Any]:
        """Row by row, each value as its band."""
        return [
            self._mapped(name, values)[0] for name, values in zip(columns, self.inner.read(columns, most), strict=True)
        ]

    def files(self) -> list[str]:
        """Those of the table."""
        return self.inner.files()

    def group(
        self, columns: Sequence[str], *, memory_limit: str | None = None, progress: Progress | None = None
    ) -> tuple[list[Any], IntArray]:
        """Grouped by bands in DuckDB for files and on clusters; what others counted is mapped value by value."""
        if isinstance(self.inner, TableFile | SparkTable):
            values, counts, others = self.inner.group_by_band(
                columns, self.bands, self.na, memory_limit=memory_limit, progress=progress
            )
            for name, odd in others.items():
                _refuse(name, self.bands[name], int(odd.sum()), int(counts.sum()))
            return values, counts
        values, counts = self.inner.group(columns, memory_limit=memory_limit, progress=progress)
        found = []
        for name, column in zip(columns, values, strict=True):
            mapped, odd = self._mapped(name, column)
            if odd is not None:
                _refuse(name, self.bands[name], int(counts[odd].sum()), int(counts.sum()))
            found.append(mapped)
        return found, counts

    def _mapped(self, name: str, column: Any) -> tuple[Any, Any]:
        """A column's values as their bands, and which of them have none."""
        band = self.bands.get(name)
        if band is None:
            return column, None
        alphabet, codes = encode_column(column, self.na)
        letters = [band.of(label) for label in alphabet.labels()]
        odd = np.array([isinstance(letter, float) and math.isnan(letter) for letter in letters], dtype=bool)
        return [letters[code] for code in codes.tolist()], odd[codes]


def _refuse(name: str, band: Band, odd: int, rows: int) -> None:
    if odd:
        kind = "dates" if band.kind == "date" else "numbers"
        raise ColumnError(
            f"column {name!r} is coarsened to {band.words()}, and {odd:,} of {rows:,} rows hold no {kind}: name what means "
            f"missing with --na, or keep the first characters with {name}=code:3"
        )


def through_bands(
    source: Source, bands: Mapping[str, Band], na: frozenset[str], **limits: Unpack[Limits]
) -> tuple[Coarsened, dict[str, Band]]:
    """The table seen through bands, and the bands with the edges of grids found."""
    known = dict(bands)
    for name, band in bands.items():
        if band.kind == "grid" and not band.edges:
            shares = [cell / int(band.size) for cell in range(int(band.size) + 1)]
            if isinstance(source, TableFile | SparkTable):
                found = source.quantiles(name, shares, na, **limits)
            else:
                found = _quantiles(source, name, shares, na)
            if not found:
                raise ColumnError(f"column {name!r} has no numbers: quantiles are of numbers")
            known[name] = grid(band, found)
    return Coarsened(source, known, na), known


def _quantiles(source: Source, name: str, shares: list[float], na: frozenset[str]) -> list[float]:
    """As `TableFile.quantiles`."""
    (column,), counts = source.group([name])
    alphabet, codes = encode_column(column, na)
    is_number = np.array([isinstance(x, int | float | Decimal) and not isinstance(x, bool) for x in alphabet.labels()])
    if not is_number.any():
        return []
    numbers = [float(x) for x, known in zip(alphabet.labels(), is_number, strict=True) if known]
    reached = np.cumsum(np.bincount(codes, counts, len(alphabet))[is_number])
    wanted = np.maximum(np.ceil(np.array(shares) * reached[-1]), 1)
    return [numbers[place] for place in np.searchsorted(reached, wanted).tolist()]
