"""The data as the agent holds them: people in an order of their own, public columns as codes, private ones as numbers.

People are sorted by their values, so that neither the order of rows nor the format of a file changes an answer, and the
fingerprint that the ledger pins is one of the data and not of a file. Everything is in memory: a file that changes while
the agent runs changes nothing, and stops the next start.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.agent._config import Dataset, Private
from discreet.agent._filters import kind_of
from discreet.agent._recording import bounds_on, recording
from discreet.errors import InputError
from discreet.queries.auditor import Auditor
from discreet.queries.auditor._lattices import Lattice
from discreet.release._cells import is_number
from discreet.tables._columns import encode_column
from discreet.tables._labels import Alphabet, Label
from discreet.tables._sources import group

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
TELLING = 20
"""Two columns of two values each can agree by chance among fewer people than this."""


@dataclass(frozen=True, eq=False)
class Holding:
    """One data set, loaded and checked."""

    dataset: Dataset
    people: int
    public: dict[str, tuple[Alphabet, IntArray]] = field(repr=False)
    private: dict[str, FloatArray] = field(repr=False)
    lattices: dict[str, Lattice]
    fingerprint: str

    @classmethod
    def load(cls, dataset: Dataset) -> Holding:
        """Read the declared columns; refuse values outside their bounds, by how many there are and never by which."""
        names = [*dataset.public, *(each.name for each in dataset.private)]
        read = [*names, *([dataset.person] if dataset.person else [])]
        values, counts = group(dataset.table, read)
        if not counts.sum():
            raise InputError(f"data set {dataset.name!r} has no rows")
        coded = {name: encode_column(column, frozenset(dataset.na)) for name, column in zip(read, values, strict=True)}
        if dataset.person:
            _check_people(dataset, *coded[dataset.person], counts)
        order = np.lexsort([coded[name][1] for name in reversed(names)])
        rows = np.repeat(order, counts[order])
        public = {name: (coded[name][0], coded[name][1][rows]) for name in dataset.public}
        private = {each.name: _numbers(dataset, each, *coded[each.name], counts)[rows] for each in dataset.private}
        _refuse_copies(dataset, public, private)
        lattices = {
            each.name: recording(f"data set {dataset.name!r}, column {each.name!r}", each, private[each.name])
            for each in dataset.private
        }
        digest = hashlib.sha256(repr((sorted(dataset.public), sorted(private), len(rows))).encode())
        for name in sorted(public):
            alphabet, codes = public[name]
            digest.update(repr(alphabet.labels()).encode())
            digest.update(codes.astype("<i8").tobytes())
        for name in sorted(private):
            digest.update(private[name].astype("<f8").tobytes())
        return cls(dataset, len(rows), public, private, lattices, digest.hexdigest())

    def auditor(self, column: str) -> Auditor:
        """An auditor of a private column that knows nothing yet."""
        declared, lattice = self.dataset.columns[column], self.lattices[column]
        lower, upper = bounds_on(lattice, declared)
        return Auditor(
            np.full(self.people, lower),
            np.full(self.people, upper),
            keep=min(declared.keep, upper - lower),
            step=lattice.step,
        )

    def kinds(self) -> dict[str, str]:
        """What the public columns hold: "number", "text", "date", "moment", "yes or no"; never a value."""
        return {name: kind_of(alphabet.columns[0]) for name, (alphabet, _) in self.public.items()}


def load_all(datasets: Iterable[Dataset]) -> dict[str, Holding]:
    """Every data set by name; the same private values under two names are refused.

    Each data set has books of its own, which do not know what the others told: two books about the same people would be
    two promises, and both would break.
    """
    found: dict[str, Holding] = {}
    for dataset in datasets:
        holding = Holding.load(dataset)
        for other in found.values():
            _refuse_same_people(other, holding)
        found[dataset.name] = holding
    return found


def _refuse_same_people(one: Holding, other: Holding) -> None:
    if one.people != other.people:
        return
    for name, values in one.private.items():
        ordered = np.sort(values)
        for named, found in other.private.items():
            is_telling = name == named or len(np.unique(values)) >= TELLING
            if is_telling and np.array_equal(ordered, np.sort(found)):
                raise InputError(
                    f"column {name!r} of data set {one.dataset.name!r} and column {named!r} of {other.dataset.name!r} hold "
                    "the same values: each would promise without knowing what the other tells, so offer it once"
                )


def _refuse_copies(
    dataset: Dataset, public: dict[str, tuple[Alphabet, IntArray]], private: dict[str, FloatArray]
) -> None:
    """A private column that another column of the data set repeats, as it is or in other units."""
    open_columns = {
        name: np.array(alphabet.labels(), dtype=np.float64)[codes]
        for name, (alphabet, codes) in public.items()
        if kind_of(alphabet.labels()) == "number" and None not in alphabet.labels()[-1:]
    }
    names = list(private)
    for i, name in enumerate(names):
        where = f"data set {dataset.name!r}: column {name!r}"
        for other, values in open_columns.items():
            if _repeats(private[name], values):
                raise InputError(
                    f"{where} is private, and the public column {other!r} tells it: do not make that public"
                )
        for other in names[:i]:
            if _repeats(private[name], private[other]):
                raise InputError(
                    f"{where} tells the same as {other!r}, in the same or in other units: two promises about one value do "
                    "not hold, so offer one of them"
                )


def _repeats(one: FloatArray, other: FloatArray) -> bool:
    """Whether one column is a linear function of the other for everybody, and not by chance."""
    low, high = int(one.argmin()), int(one.argmax())
    spread = float(np.ptp(other))
    if one[low] == one[high] or spread == 0 or (len(one) < TELLING and len(np.unique(one)) < 3):
        return False
    slope = (other[high] - other[low]) / (one[high] - one[low])
    return bool(np.abs(other - other[low] - slope * (one - one[low])).max() <= 1e-6 * spread)


def _check_people(dataset: Dataset, alphabet: Alphabet, codes: IntArray, counts: IntArray) -> None:
    """One row per person, as far as the column that says who it is can tell."""
    rows = np.bincount(codes, counts, len(alphabet))
    is_missing = np.array([label is None for label in alphabet.labels()])
    wrong = int(rows[(rows > 1) | is_missing].sum())
    if wrong:
        raise InputError(
            f"data set {dataset.name!r}: {wrong} rows have no {dataset.person!r} of their own: the promise is for rows, "
            "so join the rows of a person first"
        )


def _numbers(dataset: Dataset, column: Private, alphabet: Alphabet, codes: IntArray, counts: IntArray) -> FloatArray:
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
    if isinstance(label, str):  # one cell that is no number makes a column text: the others are numbers still
        return float(label) if _NUMBER.fullmatch(label) else np.nan
    if isinstance(label, bool):
        return float(label)
    return float(label) if is_number(label) else np.nan
