"""The data as the agent holds them: people in an order of their own, public columns as codes, private ones as numbers.

People are sorted by their values, so that neither the order of rows nor the format of a file changes an answer, and the
fingerprint that the ledger pins is one of the data and not of a file. Public columns come first, those that are added later
too: the ledger says of each question who stands where in this order, and its reader must not learn anybody's rank. Private
values order only people whom no question can tell apart. Everything is in memory: a file that changes while the agent runs
changes nothing, and stops the next start.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.agent._config import Dataset, Private, place_of
from discreet.agent._filters import kind_of
from discreet.agent._fingerprints import Fingerprint, digest
from discreet.agent._pins import Pin, PinnedColumn, refuse_same_people
from discreet.agent._recording import audited, bounds_on, recording
from discreet.agent._related import refuse_related
from discreet.errors import InputError
from discreet.queries.auditor import Auditor, CategoryAuditor
from discreet.queries.auditor._lattices import Lattice
from discreet.release._cells import is_number
from discreet.tables._columns import encode_column
from discreet.tables._labels import Alphabet, Label
from discreet.tables._sources import group

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
WHOLE = Lattice(Fraction(1), Fraction(0), 0)


@dataclass(frozen=True, eq=False)
class Holding:
    """One data set, loaded and checked."""

    dataset: Dataset
    people: int
    public: dict[str, tuple[Alphabet, IntArray]] = field(repr=False)
    private: dict[str, FloatArray] = field(repr=False)
    lattices: dict[str, Lattice]
    order: list[str]  # the columns as they are pinned
    by_pin: IntArray = field(
        repr=False
    )  # people sorted by these, private ones among them: only keyed hashes are of this
    who: list[bytes] | None = field(repr=False)
    labels: dict[str, tuple[list[str], IntArray]] = field(
        repr=False, default_factory=dict
    )  # of private columns of labels

    @classmethod
    def load(cls, dataset: Dataset, first: Sequence[str] = ()) -> Holding:
        """Read the declared columns; refuse values outside their bounds, by how many there are and never by which.

        Columns in `first` come before others, and public ones before all private ones.
        """
        declared = [*dataset.public, *(each.name for each in dataset.private)]
        names = [*(name for name in first if name in declared), *(name for name in declared if name not in first)]
        read = [*names, *([dataset.person] if dataset.person else [])]
        values, counts = group(dataset.table, read)
        if not counts.sum():
            raise InputError(f"data set {dataset.name!r} has no rows")
        coded = {name: encode_column(column, frozenset(dataset.na)) for name, column in zip(read, values, strict=True)}
        if dataset.person:
            _check_people(dataset, *coded[dataset.person], counts)
        sorts = sorted(names, key=lambda name: name not in dataset.public)
        order = np.lexsort([coded[name][1] for name in reversed(sorts)])
        rows = np.repeat(order, counts[order])
        by_pin = np.arange(len(rows))
        if sorts != names:
            by_pin = np.lexsort([coded[name][1][rows] for name in reversed(names)])
        public = {name: (coded[name][0], coded[name][1][rows]) for name in dataset.public}
        private = {each.name: _numbers(dataset, each, *coded[each.name], counts)[rows] for each in dataset.private}
        refuse_related(dataset, public, private)
        lattices = {
            each.name: WHOLE
            if each.categories
            else recording(f"data set {dataset.name!r}, column {each.name!r}", each, private[each.name])
            for each in dataset.private
        }
        for columns in dataset.together:
            audited(dataset, lattices, columns)
        who = None
        if dataset.person:
            alphabet, codes = coded[dataset.person]
            names_of = [repr(label).encode() for label in alphabet.labels()]
            who = [names_of[code] for code in codes[rows].tolist()]
        labels = {
            each.name: ([str(label) for label in coded[each.name][0].labels()], coded[each.name][1][rows])
            for each in dataset.private
            if each.category or each.categories
        }
        return cls(dataset, len(rows), public, private, lattices, names, by_pin, who, labels)

    @property
    def fingerprint(self) -> str:
        """Of all the data: neither the order of rows and columns nor the format of a file changes it."""
        return digest(b"", *(f"{each.name} {each.digest}".encode() for each in sorted(self.pin(b"").columns, key=str)))

    def pin(self, key: bytes) -> Pin:
        """What the ledger ties to the name of the data set."""
        labels, texts = self._public_texts()
        columns = []
        for name in self.order:
            declared = self.dataset.column(name)
            if declared is None:
                alphabet, codes = self.public[name]
                mark = digest(key, repr(alphabet.labels()).encode(), codes[self.by_pin].astype("<i8").tobytes())
                columns.append(PinnedColumn(name, "public", mark, {}))
                continue
            values = self.private[name]
            said, codes = self.labels.get(name, ([], np.zeros(0, np.int64)))
            # Labels as they are: of one column all categories and one of them alone are known by the same.
            known_by = Fingerprint.of(key, np.array(said)[codes] if said else values, labels, texts, self.who)
            mark = digest(key, values[self.by_pin].astype("<f8").tobytes())
            columns.append(PinnedColumn(name, "private", mark, declared.declared, known_by.to_json()))
        return Pin(self.dataset.name, self.people, self.dataset.collude, tuple(columns))

    def _public_texts(self) -> tuple[IntArray, list[bytes]]:
        """Which public labels each row has, whatever their columns are called."""
        if not self.public:
            return np.zeros(self.people, np.int64), [b""]
        codes = np.stack([codes for _, codes in self.public.values()])
        distinct, which = np.unique(codes, axis=1, return_inverse=True)
        names = [[repr(label) for label in alphabet.labels()] for alphabet, _ in self.public.values()]
        texts = ["|".join(sorted(name[i] for name, i in zip(names, row, strict=True))) for row in distinct.T.tolist()]
        return which.reshape(-1).astype(np.int64), [text.encode() for text in texts]

    def auditor(self, *columns: str) -> Auditor | CategoryAuditor:
        """An auditor of the private columns of a book that knows nothing yet."""
        first = self.dataset.columns[columns[0]]
        if first.categories:
            return CategoryAuditor(self.people, len(first.categories), keep=int(first.keep))
        parts, step = audited(self.dataset, self.lattices, columns)
        lower, upper, keep = (np.repeat(np.array(ends), self.people) for ends in zip(*parts, strict=True))
        return Auditor(lower, upper, keep=keep, step=step)

    def values(self, *columns: str) -> FloatArray:
        """Everybody's values as the auditor of a book has them: one column, or one after the other in their steps."""
        if len(columns) == 1:
            return self.private[columns[0]]
        parts, step = audited(self.dataset, self.lattices, columns)
        found = []
        for name, (lower, _, _) in zip(columns, parts, strict=True):
            first = bounds_on(self.lattices[name], self.dataset.columns[name])[0]
            values = self.private[name]
            found.append(lower + np.rint((values - first) / float(self.lattices[name].step)) if step else values)
        return np.concatenate(found)

    def kept(self, auditor: Auditor | CategoryAuditor, *columns: str) -> list[FloatArray]:
        """What everybody keeps of each column of a book: the length of an interval, or how many categories."""
        if isinstance(auditor, CategoryAuditor):
            return [auditor.possible().astype(np.float64)]
        # Several columns are audited in their steps.
        units = [float(self.lattices[name].step) or 1.0 if len(columns) > 1 else 1.0 for name in columns]
        lengths = np.diff(auditor.intervals())[:, 0].reshape(len(columns), -1)
        return [each * unit for each, unit in zip(lengths, units, strict=True)]

    def kinds(self) -> dict[str, str]:
        """What the public columns hold: "number", "text", "date", "moment", "yes or no"; never a value."""
        return {name: kind_of(alphabet.columns[0]) for name, (alphabet, _) in self.public.items()}


def load_all(
    datasets: Iterable[Dataset], orders: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> dict[str, Holding]:
    """Every data set by name; the same private values under two names are refused.

    Each data set has books of its own, which do not know what the others told: two books about the same people would be
    two promises, and both would break. `orders` are the columns that were pinned when answers were given:
    they come first.
    """
    found: dict[str, Holding] = {}
    pins: list[Pin] = []
    several = [*datasets]
    _refuse_related_across(several)
    for dataset in several:
        found[dataset.name] = Holding.load(dataset, orders.get(dataset.name, ()))
        if len(several) > 1:
            pin = found[dataset.name].pin(b"")
            for other in pins:
                refuse_same_people(other, pin, answered=False)
            pins.append(pin)
    return found


def _refuse_related_across(datasets: Sequence[Dataset]) -> None:
    """Columns of one table that are offered in several data sets, read together and held against each other."""
    by_table: dict[str, list[Dataset]] = {}
    for dataset in datasets:
        by_table.setdefault(place_of(dataset.table), []).append(dataset)
    for first, *others in by_table.values():
        if others:
            every = [first, *others]
            columns = {name: column for each in every for name, column in each.columns.items()}
            public = tuple(dict.fromkeys(name for each in every for name in each.public))
            joined = first.model_copy(update={"columns": columns, "public": public, "person": ""})
            joined._name = " and ".join(each.name for each in every)
            Holding.load(joined)


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
    if column.categories:
        wrong_rows = int(counts[np.isnan(values)].sum())
        if wrong_rows:
            raise InputError(
                f"{where}: {wrong_rows} rows have no label, or none of its categories: name all that there are, and give "
                "a missing label a name before"
            )
        return values
    unknown = sorted(set(column.category) - {str(label) for label in alphabet.labels()})
    if unknown:
        raise InputError(f"{where}: no row has the label {unknown[0]!r} that its category names")
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
    if column.categories:
        said = "" if label is None else str(label)
        return float(column.categories.index(said)) if said in column.categories else np.nan
    if column.category:
        return np.nan if label is None else float(str(label) in column.category)
    if isinstance(label, str):  # one cell that is no number makes a column text: the others are numbers still
        return float(label) if _NUMBER.fullmatch(label) else np.nan
    if isinstance(label, bool):
        return float(label)
    return float(label) if is_number(label) else np.nan
