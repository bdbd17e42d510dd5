"""A table in canonical form: neither the order of rows or columns nor the numbering of codes changes what is searched."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from discreet.errors import InputError
from discreet.search.tables._columns import Cells, Column, FloatArray, IntArray, compiled, normalised
from discreet.search.tables._letters import Letters, Sensitive
from discreet.search.tables._requirements import Need, Requirement, compiled_need


@dataclass(frozen=True, eq=False)
class Problem:
    """Letters, columns and requirement as the searches see them.

    Attributes
    ----------
    letters, columns
        In canonical order: siblings in a tree and values of a set by falling frequency, since one cut can then set the
        commonest value apart; columns that tell letters apart best first, since a change that costs too much is then given
        up early; letters in lexicographic order.
    place
        For each letter its place in the table that was given.
    block
        For each letter the part of the table that its group must not leave.
    column_place, code_place
        For each column its place in the table that was given, and for each of its codes the code that was given.
    """

    letters: Letters
    columns: tuple[Column, ...]
    requirement: Requirement
    cells: Cells
    need: Need
    place: IntArray
    block: IntArray
    column_place: IntArray
    code_place: tuple[IntArray, ...]

    @classmethod
    def of(cls, letters: Letters, columns: tuple[Column, ...], requirement: Requirement) -> Problem:
        """The canonical form of a table."""
        letters.check([column.size for column in columns])
        weights = normalised(columns)
        codes = np.empty_like(letters.codes)
        renumbered = []
        orders = []
        apart = np.empty(len(columns))
        for c, column in enumerate(columns):
            frequency = np.bincount(letters.codes[:, c], letters.counts, column.size)
            new, order = by_frequency(column, frequency.astype(np.float64))
            rank = np.empty(column.size, dtype=np.int32)
            rank[order] = np.arange(column.size)
            codes[:, c] = rank[letters.codes[:, c]]
            renumbered.append(new)
            orders.append(order.astype(np.int64))
            apart[c] = weights[c] * (1 - float(np.sum((frequency / letters.records) ** 2)))
        ahead = np.argsort(-apart, kind="stable")
        codes = np.ascontiguousarray(codes[:, ahead])
        place = np.lexsort(codes.T[::-1])
        ordered = Letters(
            np.ascontiguousarray(codes[place]),
            letters.counts[place],
            tuple(_rows(column, place) for column in letters.sensitive),
        )
        described = tuple(renumbered[c] for c in ahead)
        return cls(
            ordered,
            described,
            requirement.padded(letters),
            compiled(described),
            compiled_need(ordered, requirement),
            place,
            _blocks(ordered, described),
            ahead,
            tuple(orders[c] for c in ahead),
        )

    def given(self, group_of: IntArray) -> IntArray:
        """A grouping of these letters as one of the letters that were given."""
        found = np.empty(len(group_of), dtype=np.int64)
        found[self.place] = group_of
        return found

    def given_bands(self, bands: list[IntArray]) -> tuple[IntArray, ...]:
        """Bands of these columns' codes as bands of the codes that were given."""
        found = [np.empty(0, dtype=np.int64)] * len(bands)
        for c, codes, band in zip(self.column_place, self.code_place, bands, strict=True):
            found[c] = np.empty(len(band), dtype=np.int64)
            found[c][codes] = band
        return tuple(found)

    def lacking(self) -> tuple[IntArray, str]:
        """The letters of parts that cannot meet the requirement even as one group, and why the first of them cannot.

        A part meets it if it does so as a whole: n and k grow with a group, and shares in a union are means of shares.
        """
        wanted, letters = self.requirement, self.letters
        parts = int(self.block.max()) + 1
        records = np.bincount(self.block, letters.counts, parts)
        bad = records < wanted.n
        within = "the table" if parts == 1 else "a part of the table that must stay apart"
        reason = f"{within} has {int(records.min())} records, so n is at most that, not {wanted.n}" if bad.any() else ""
        for column, k, cap, models in zip(letters.sensitive, wanted.k, wanted.caps, wanted.models, strict=True):
            of = np.repeat(self.block, np.diff(column.indptr))
            tally = np.zeros((parts, column.size))
            np.add.at(tally, (of, column.value), column.count)
            distinct = np.count_nonzero(tally, axis=1)
            if np.any(distinct < k) and not reason:
                reason = f"{within} has {int(distinct.min())} distinct sensitive values, so k is at most that, not {k}"
            bad |= distinct < k
            if cap is not None:
                share = tally / records[:, None]
                over = np.any(share > np.asarray(cap) * (1 + 1e-9), axis=1)
                if over.any() and not reason:
                    worst = float(share[np.arange(parts), np.argmax(share / np.maximum(cap, 1e-300), axis=1)].max())
                    reason = f"in {within} a sensitive value has a share of {worst:.3g}, above what is allowed in every group"
                bad |= over
            for model in models:
                apart = ~model.holds(tally)
                if apart.any() and not reason:
                    reason = f"the sensitive values of {within} are not spread as they must be in every group"
                bad |= apart
        return np.flatnonzero(bad[self.block]), reason


def by_frequency(column: Column, frequency: FloatArray) -> tuple[Column, IntArray]:
    """The column with its codes renumbered, and for each new code the old one."""
    if column.kind == "line":
        return column, np.arange(column.size)
    if column.kind == "set":
        return column, np.argsort(-frequency, kind="stable")
    keys = []
    for level in column.levels.T[::-1]:
        keys += [-np.bincount(level, frequency)[level], level]
    order = np.lexsort(keys[::-1])
    return replace(column, levels=column.levels[order]), order


def _rows(column: Sensitive, place: IntArray) -> Sensitive:
    """The compressed rows of a sensitive column for letters in another order."""
    lengths = np.diff(column.indptr)[place]
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    entries = np.arange(indptr[-1]) + np.repeat(column.indptr[place] - indptr[:-1], lengths)
    return Sensitive(indptr, column.value[entries], column.count[entries], column.size)


def _blocks(letters: Letters, columns: tuple[Column, ...]) -> IntArray:
    """The parts into which limits and columns to be left as they are cut the letters."""
    keys = [part[letters.codes[:, c]] for c, column in enumerate(columns) if (part := column.block_of()) is not None]
    if not keys:
        return np.zeros(letters.size, dtype=np.int64)
    _, block = np.unique(np.stack(keys, axis=1), axis=0, return_inverse=True)
    return np.asarray(block.ravel(), dtype=np.int64)


def refuse(problem: Problem, reason: str) -> InputError:
    """The error for a requirement that no release meets."""
    return InputError(f"no release of these {problem.letters.records} records meets the requirement: {reason}")
