"""The data as the agent holds them: people in an order of their own, public columns as codes, private ones as numbers.

People are sorted by their values, so that neither the order of rows nor the format of a file changes an answer, and the
fingerprint that the ledger pins is one of the data and not of a file.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from discreet.agent.config import Dataset, Private
from discreet.cells import is_number
from discreet.errors import InputError
from discreet.labels import Alphabet, Codes, Label
from discreet.tables.columns import encode_column
from discreet.tables.sources import group

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Holding:
    """One data set, loaded and checked."""

    dataset: Dataset
    people: int
    public: dict[str, tuple[Alphabet, Codes]] = field(repr=False)
    private: dict[str, Floats] = field(repr=False)
    fingerprint: str

    @classmethod
    def load(cls, dataset: Dataset) -> Holding:
        """Read the declared columns; refuse values outside their bounds, by how many there are and never by which."""
        names = [*dataset.public, *(each.name for each in dataset.private)]
        values, counts = group(dataset.table, names)
        if not counts.sum():
            raise InputError(f"data set {dataset.name!r} has no rows")
        coded = {name: encode_column(column, frozenset(dataset.na)) for name, column in zip(names, values, strict=True)}
        order = np.lexsort([coded[name][1] for name in reversed(names)])
        rows = np.repeat(order, counts[order])
        public = {name: (coded[name][0], coded[name][1][rows]) for name in dataset.public}
        private = {each.name: _numbers(dataset, each, *coded[each.name], counts)[rows] for each in dataset.private}
        digest = hashlib.sha256(repr((sorted(dataset.public), sorted(private), len(rows))).encode())
        for name in sorted(public):
            alphabet, codes = public[name]
            digest.update(repr(alphabet.labels()).encode())
            digest.update(codes.astype("<i8").tobytes())
        for name in sorted(private):
            digest.update(private[name].astype("<f8").tobytes())
        return cls(dataset, len(rows), public, private, digest.hexdigest())


def _numbers(dataset: Dataset, column: Private, alphabet: Alphabet, codes: Codes, counts: Codes) -> Floats:
    """A private column as numbers within its bounds, one a distinct row."""
    levels = np.array([_number(column, label) for label in alphabet.labels()])
    where = f"data set {dataset.name!r}, column {column.name!r}"
    values = levels[codes]
    wrong = {
        "are missing or no numbers: declare missing_as, or leave these people out before": np.isnan(values),
        "lie outside the declared bounds": (values < column.lower) | (values > column.upper),
        "are not whole, as integral = true says": (values != np.rint(values)) & column.integral,
    }
    for what, rows in wrong.items():
        if rows.any():
            raise InputError(f"{where}: {int(counts[rows].sum())} rows have values that {what}")
    return values


def _number(column: Private, label: Label) -> float:
    if label is None and column.missing_as is not None:
        return column.missing_as
    if isinstance(label, bool):
        return float(label)
    return float(label) if is_number(label) else np.nan
