"""Who is special: people whom few public columns single out, and which columns those are (SUDA).

A minimal sample unique of a record is a set of columns on which nobody else shares its values, and no smaller part of which
will do [Elliot, Manning and Ford 2002]. Sets are looked at by size. A record is minimal on a set only where it is alone on no
part of it, and neither is anybody with whom it shares the set's values: those who are alone on some part can be left out,
exactly, and ever fewer are left. A set of columns costs one numbering of those who remain.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._text import counted, joined, shown
from discreet.auditing._matching import absent_cells, totals
from discreet.errors import InputError
from discreet.tables._labels import row_numbers

if TYPE_CHECKING:
    from discreet._typing import BoolArray, FloatArray, IntArray, Progress
    from discreet.joint._joint import Joint

SIZE = 3  # columns that a minimal unique has at the most, where nobody says otherwise
MOST_SETS = 100_000


@dataclass(frozen=True, eq=False)
class Special:
    """Minimal sample uniques of up to `size` columns, and the SUDA score of every public value.

    `sets` are the sets of columns that single people out, with how many people each does so minimally, those most often first.
    `scores` has an entry per public value of the joint (0 where nobody is singled out); `records` are those values' records.
    `contribution` is the share of all scores that comes from sets with that column.
    """

    columns: tuple[str, ...]
    size: int
    sets: tuple[tuple[tuple[str, ...], int], ...]
    scores: FloatArray
    records: IntArray
    contribution: dict[str, float]

    @property
    def people(self) -> int:
        """How many people are singled out by so few columns."""
        return int(np.count_nonzero(self.scores))

    def match_probability(self, fraction: float) -> float:
        """How likely a match with somebody who is alone with his values is right, for a sampling fraction π.

        π n₁ / (π n₁ + 2 (1 − π) n₂), with n₁ values of one record and n₂ values of two [Skinner and Elliot 2002]: what data
        intrusion simulation estimates.
        """
        if not 0 < fraction <= 1:
            raise InputError("a sampling fraction lies above 0, and is at most 1")
        ones, pairs = int((self.records == 1).sum()), int((self.records == 2).sum())
        return fraction * ones / (fraction * ones + 2 * (1 - fraction) * pairs) if ones else 0.0

    def match_probabilities(self, fraction: float) -> FloatArray:
        """The same for each public value by its score (DIS-SUDA): 0 where nobody is singled out.

        The odds of a right match are in proportion to s^q of the scores s, with q = 1 + (8 − columns)/20, and the odds against
        it average to those of `match_probability` [Elliot, Manning, Mayes, Gurd and Bane 2005].

        Examples
        --------
        >>> from discreet import Joint
        >>> table = {"ill": list("abab"), "sex": list("ffmf"), "job": list("xyxx"), "town": list("ssss")}
        >>> special(Joint.from_table(table, "ill", ["sex", "job", "town"]), size=2).match_probabilities(0.1).round(3).tolist()
        [0.0, 0.1, 0.1]
        """
        found = np.zeros(len(self.scores))
        likely, singled = self.match_probability(fraction), self.scores > 0
        if likely and singled.any():
            power = self.scores[singled] ** (1 + (8 - len(self.columns)) / 20)
            against = int((self.records == 1).sum()) * (1 / likely - 1)
            found[singled] = 1 / (1 + against / (power * (1 / power).sum()))
        return found

    def sentences(self, most: int = 5) -> list[str]:
        """The finding in words: how many people, and which columns single them out."""
        total = int(self.records.sum())
        if not self.people:
            return [f"No record is singled out by {counted(self.size, 'public column')} or fewer."]
        named = [f"{joined(names)} ({number:,})" for names, number in self.sets[:most]]
        more = f" and {len(self.sets) - most:,} more" if len(self.sets) > most else ""
        ranked = sorted(self.contribution.items(), key=lambda item: -item[1])
        who = f"{self.people:,} of {total:,} records {'is' if self.people == 1 else 'are'}"
        return [
            f"{who} singled out by {counted(self.size, 'public column')} or fewer: by {'; '.join(named)}{more}.",
            "Columns that make records special, by their share of all scores: "
            + ", ".join(f"{name} {share:.0%}" for name, share in ranked[:8])
            + ".",
        ]

    def worst(self, joint: Joint, n: int = 10) -> list[tuple[Any, float]]:
        """The public values with the highest scores."""
        ranked = np.argsort(-self.scores, kind="stable")[:n]
        return [(joint.x_label(int(i)), float(self.scores[i])) for i in ranked if self.scores[i] > 0]

    def to_dict(self, joint: Joint, *, worst: int = 10) -> dict[str, Any]:
        """Plain figures, for JSON."""
        return {
            "size": self.size,
            "people": self.people,
            "sets": [{"columns": list(names), "people": number} for names, number in self.sets],
            "contribution": self.contribution,
            "worst": [{"value": shown(label), "score": score} for label, score in self.worst(joint, worst)],
        }


def special(joint: Joint, *, size: int = SIZE, wildcard: bool = False, progress: Progress | None = None) -> Special:
    """Find the minimal sample uniques of up to `size` public columns, with the SUDA score of every public value.

    A minimal unique of j columns, of m in all, scores (m − j)(m − j − 1)⋯(m − size + 1): the more, the fewer columns it takes.
    With `wildcard`, a missing cell is no difference from anybody.

    Examples
    --------
    >>> from discreet import Joint
    >>> table = {"ill": list("abab"), "sex": list("ffmf"), "job": list("xyxx"), "town": list("ssss")}
    >>> found = special(Joint.from_table(table, "ill", ["sex", "job", "town"]), size=2)
    >>> found.sets, found.people
    (((('sex',), 1), (('job',), 1)), 2)
    """
    names = joint.public or tuple(f"x{i}" for i in range(joint.x_codes.shape[1]))
    m = len(names)
    if size < 1:
        raise InputError("a minimal unique has one column or more")
    size = min(size, m)
    total = sum(math.comb(m, j) for j in range(1, size + 1))
    if total > MOST_SETS:
        raise InputError(f"{total:,} sets of columns are too many to look at: name fewer columns, or a smaller size")
    codes, records = joint.x_codes, np.asarray(joint.records, dtype=np.int64)
    absent = absent_cells(codes, joint.x_columns) if wildcard else None
    scores, share = np.zeros(joint.n_x), np.zeros(m)
    found: list[tuple[tuple[int, ...], int]] = []
    shared: dict[tuple[int, ...], BoolArray] = {(): np.ones(joint.n_x, dtype=bool)}  # who is not alone on a set
    done = 0
    for j in range(1, size + 1):
        weight = math.prod(m - i for i in range(j, size))
        next_shared: dict[tuple[int, ...], BoolArray] = {}
        for some in itertools.combinations(range(m), j):
            if progress and done % 20 == 0:
                progress("looking for special records", done / total)
            done += 1
            minimal, left = _minimal(some, codes, absent, records, shared)
            if len(minimal):
                scores[minimal] += weight
                share[list(some)] += weight * len(minimal)
                found.append((some, len(minimal)))
            if j < size:
                next_shared[some] = left
        shared = next_shared
    every = float(scores.sum())
    return Special(
        names,
        size,
        tuple((tuple(names[i] for i in some), n) for some, n in sorted(found, key=lambda each: (-each[1], each[0]))),
        scores,
        records,
        {name: float(share[i] / every) if every else 0.0 for i, name in enumerate(names)},
    )


def _minimal(
    some: tuple[int, ...],
    codes: IntArray,
    absent: BoolArray | None,
    records: IntArray,
    shared: dict[tuple[int, ...], BoolArray],
) -> tuple[IntArray, BoolArray]:
    """Who is alone on a set and on no part of it; and who is alone on neither."""
    parts = list(itertools.combinations(some, len(some) - 1))
    alive = shared[parts[0]]
    for part in parts[1:]:
        alive = alive & shared[part]
    who = np.flatnonzero(alive)
    if not len(who):
        return who, alive
    if absent is None:
        number = row_numbers([codes[who, i] for i in some])
        alone = np.bincount(number, records[who])[number] == 1
    else:
        cells, gone = codes[who][:, list(some)], absent[who][:, list(some)]
        alone = totals(cells, gone, cells, gone, records[who]) == 1
    left = alive.copy()
    left[who[alone]] = False
    return who[alone], left
