"""Private columns that other columns tell are refused at the start, with the relation named.

Who is in each category of a column of categories is a column of 0 and 1 here; those of one column follow from each other.
"""

from __future__ import annotations

from itertools import chain

import numpy as np

from discreet._typing import FloatArray, IntArray
from discreet.agent._config import Dataset
from discreet.agent._relations import Relation, as_numbers, relations
from discreet.errors import InputError
from discreet.tables._labels import Alphabet

TELLING = 20
"""Two columns of two values each can agree by chance among fewer people than this."""


def refuse_related(
    dataset: Dataset, public: dict[str, tuple[Alphabet, IntArray]], private: dict[str, FloatArray]
) -> None:
    """A private column that other columns tell: a copy in other units, a total and its parts, a public year of birth."""
    numbers = {name: (as_numbers(alphabet.labels()), codes) for name, (alphabet, codes) in public.items()}
    told = {name: codes if levels is None else levels[codes] for name, (levels, codes) in numbers.items()}
    keep = {column.name: column.keep for column in dataset.private}
    shares, codes, parts = _categorised(dataset, private)
    keep |= dict.fromkeys(parts, 1.0)
    pairs = (
        Relation(name, (other,), 1.0)
        for i, name in enumerate(shares)
        for other, values in [*told.items(), *list(shares.items())[:i]]
        if parts.get(other, other) != parts.get(name, name)
        and values.dtype.kind == "f"
        and np.isfinite(values).all()
        and _repeats(shares[name], values.astype(float))
    )
    for found in chain(pairs, relations(shares, keep, {**told, **codes}, parts)):
        found = Relation(
            parts.get(found.column, found.column),
            tuple(dict.fromkeys(parts.get(other, other) for other in found.others)),
            found.share,
        )
        where = f"data set {dataset.name!r}: column {found.column!r}"
        if len(found.others) == 1 and found.others[0] in public:
            raise InputError(
                f"{where} is private, and the public column {found.others[0]!r} tells it: do not make that public"
            )
        if len(found.others) == 1:
            raise InputError(
                f"{where} tells the same as {found.others[0]!r}, in the same or in other units: two promises about one value "
                "do not hold, so offer one of them"
            )
        raise InputError(
            f"{where} follows from {' and '.join(map(repr, found.others))}, linearly, in {found.share:.0%} of the rows: "
            "promises about each of them do not hold together, so leave one out"
        )


def _categorised(
    dataset: Dataset, private: dict[str, FloatArray]
) -> tuple[dict[str, FloatArray], dict[str, IntArray], dict[str, str]]:
    """Private columns with those of categories as 0/1 columns, one a category; the codes of these; and whose part each is."""
    shares, codes, parts = dict[str, FloatArray](), dict[str, IntArray](), dict[str, str]()
    for column in dataset.private:
        if not column.categories:
            shares[column.name] = private[column.name]
            continue
        codes[column.name] = private[column.name].astype(np.int64)
        for i, label in enumerate(column.categories):
            name = f"{column.name} = {label}"
            shares[name], parts[name] = (codes[column.name] == i).astype(np.float64), column.name
    return shares, codes, parts


def _repeats(one: FloatArray, other: FloatArray) -> bool:
    """Whether one column is a linear function of the other for everybody, and not by chance."""
    low, high = int(one.argmin()), int(one.argmax())
    spread = float(np.ptp(other))
    if one[low] == one[high] or spread == 0 or (len(one) < TELLING and len(np.unique(one)) < 3):
        return False
    slope = (other[high] - other[low]) / (one[high] - one[low])
    return bool(np.abs(other - other[low] - slope * (one - one[low])).max() <= 1e-6 * spread)
