"""The state of an auditor without its searches: rows from the transcript, and the points that were kept beside it.

What answers say is a function of the transcript, and cheap: classes and slabs are made from it here, all at once. Costly are
the points inside them, witnesses and a centre, from which the next search starts. Those may be kept anywhere, because nothing
is believed of them: each is held against the slabs in exact arithmetic, and where one does not fit, all are searched for anew.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet._typing import BoolArray, FloatArray, IntArray
from discreet.queries.auditor._classes import System, levels_of
from discreet.queries.auditor._people import Row
from discreet.queries.auditor._transcript import Record
from discreet.queries.auditor._witnesses import solo

FASTEST = 1
"""Of the levels of zlib: witnesses are written with every answer, and read hardly ever."""

FAR = Fraction(2**60)
"""An end that nothing reaches."""


@dataclass(frozen=True, eq=False)
class Told:
    """Classes and slabs after some records, and which slab belongs to which question."""

    system: System
    places: Mapping[bytes, int]

    def followed(self, records: Sequence[Record]) -> Told:
        """With more records, as if each had been folded in alone."""
        cuts = [record for record in records if record.cuts]
        rows: dict[bytes, Row] = {}
        for record in cuts:
            if record.question.key not in rows:
                rows[record.question.key] = _row(self.system, record)
        new = [key for key in rows if key not in self.places]
        system = self.system
        places = {**self.places, **{key: system.n_rows + i for i, key in enumerate(new)}}
        if new:
            system = _split_and_cut(system, np.stack([rows[key].weights for key in new], axis=1))
        for record in cuts:
            row = rows[record.question.key]
            factor = row.scale / system.people.unit
            low, high = ((end - row.offset) * factor for end in record.cells.ends(record.chosen))
            closed = system.people.integral or record.cells.closed(record.chosen)
            system = system.tighten(places[record.question.key], low, high, closed=closed)
        return Told(system, places)


def _row(system: System, record: Record) -> Row:
    return system.people.sum_row(record.question.members, record.question.weights)


def _split_and_cut(system: System, weights: FloatArray) -> System:
    """Split classes by who has which weight in which new row, and add the rows, with ends that nothing reaches.

    Classes come in the order that splitting row by row gives: the old class first, then the weight in each row.
    """
    chosen = np.flatnonzero(system.class_of >= 0)
    old = system.class_of[chosen]
    parts = [_in_bytes(old, 2**32), *(_in_bytes(which, many) for many, which in map(levels_of, weights[chosen].T))]
    keys = np.concatenate(parts, axis=1)
    whole = np.ascontiguousarray(keys).view(np.dtype((np.void, keys.shape[1]))).reshape(-1)
    _, first, label, count = np.unique(whole, return_index=True, return_inverse=True, return_counts=True)
    class_of = np.full(system.people.n, -1, np.int64)
    class_of[chosen] = label.reshape(-1)
    member = chosen[first]
    indptr, rows, values = _longer(system, system.class_of[member], weights[member])
    many = weights.shape[1]
    return replace(
        system,
        class_of=class_of,
        member=member,
        members=count.astype(np.float64),
        indptr=indptr,
        rows=rows,
        weights=values,
        ends=[*system.ends, *[(-FAR, FAR)] * many],
        floor=np.append(system.floor, np.full(many, float(-FAR))),
        ceiling=np.append(system.ceiling, np.full(many, float(FAR))),
    )


def _in_bytes(numbers: IntArray, below: int) -> npt.NDArray[np.uint8]:
    """Numbers as bytes whose order is theirs."""
    return numbers.astype(np.uint8 if below <= 256 else ">u4").view(np.uint8).reshape(len(numbers), -1)


def _longer(
    system: System, parent: IntArray, added: FloatArray
) -> tuple[IntArray, npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """The weights class by class: those that each has from its old class, then those in the new rows."""
    has: BoolArray = added != 0
    before, more = np.diff(system.indptr)[parent], has.sum(axis=1)
    indptr = np.concatenate([[0], np.cumsum(before + more)])
    starts = np.concatenate([[0], np.cumsum(before)])
    inside = np.arange(starts[-1]) - np.repeat(starts[:-1], before)
    taken = np.repeat(system.indptr[parent], before) + inside
    kept = np.repeat(indptr[:-1], before) + inside
    is_new = np.ones(int(indptr[-1]), np.bool_)
    is_new[kept] = False
    rows, values = np.empty(len(is_new), np.int32), np.empty(len(is_new), np.float32)
    rows[kept], values[kept] = system.rows[taken], system.weights[taken]
    who, which = np.nonzero(has)
    rows[is_new], values[is_new] = system.n_rows + which, added[who, which]
    return indptr, rows, values


@dataclass(frozen=True, eq=False)
class Points:
    """What a search starts from: a centre, and for whole numbers witnesses."""

    centre: FloatArray
    pool: list[FloatArray]

    def to_bytes(self) -> bytes:
        """Both, to the last bit."""
        buffer = io.BytesIO()
        pool = np.array(self.pool).reshape(len(self.pool), len(self.centre))
        smallest = np.min_scalar_type(int(pool.max(initial=0)))
        for part in (self.centre, pool.astype(smallest)):
            np.save(buffer, part, allow_pickle=False)
        return zlib.compress(buffer.getvalue(), FASTEST)

    @classmethod
    def from_bytes(cls, said: bytes, system: System) -> Points | None:
        """The inverse, held against the slabs exactly; None where anything does not fit."""
        try:
            buffer = io.BytesIO(zlib.decompress(said))
            centre, pool = (np.load(buffer, allow_pickle=False) for _ in range(2))
        except (ValueError, EOFError, OSError, zlib.error):
            return None
        whole = system.people.integral
        if centre.dtype != np.float64 or centre.shape != (system.n,) or pool.shape[1:] != (system.n,):
            return None
        if pool.dtype.kind != "u" or bool(len(pool)) != whole or not system.strictly_inside(centre):
            return None
        points = [point.astype(np.float64) for point in pool]
        return cls(centre, points) if all(solo(system, point) is not None for point in points) else None
