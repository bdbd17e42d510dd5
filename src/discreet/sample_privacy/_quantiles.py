"""Cells of equal frequency and differences mod K: private release of continuous data [SP, Thm 5], by ranks.

Theorem 5 cuts each of two independent continuous variables into K cells of equal probability and releases i + j mod K:
log2 K bits a pair, for any K. Here the cells come from the ranks of the data themselves, so no distribution need be
known, and differences of cells are released, S_{j+k} − S_j mod K, which hold the same as the sum.

`quantile_sequence`: one column, its rows are n samples. `quantile_columns`: a table, each row is one draw of xⁿ.

**What is guaranteed**, exactly, for any distribution, and for the whole release at once. Rows are independent draws of
one law; in a table the columns are independent of each other. Then Y is independent of every single value, and with
`window` = k of every k consecutive rows (sequence) or every k consecutive values in a row (table).

*Proof.* The ranks of a class (the rows, or the columns, whose number has the same remainder mod k) are a uniformly
random order, independent of the sorted values; ties are broken at random to make it so. Each cell holds the same number
of rows, so adding c to every cell number mod K turns the arrangements of a class into each other and leaves Y as it is:
given Y, the cell of a value is uniform, and for k values of k classes the cells are jointly so. Given its cell, a rank is
uniform within it, and the sorted values do not depend on Y. ∎

The cells must hold equally many rows: of the N rows of a class (in a table, of all) the last N mod K are withheld. Which
these are depends on N and K alone, they are not looked at, and the others are still independent draws of one law: so the
proof holds for the rows kept, and a row withheld is independent of Y because it is independent of those.
Columns that depend on each other, or rows that do (a trend, a time series), void the guarantee: give such columns to
`disclose`, cut into a few cells each. When the distribution function F is known, ⌊K F(x)⌋ is a uniform letter: use
`uniform_masks`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet import _checks as checks
from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError
from discreet.sample_privacy._problem import array_of

WITHHELD = -1
"""Stands where nothing is released."""


@dataclass(frozen=True, eq=False)
class QuantileMasks:
    """A release of differences of equal-frequency cells.

    cells: K. window: k. shape: of the data it is for. withheld: rows (of a column) that take no part. information ±
    error_bar: I(X;Y) in bits of the whole release given T, the sorted values of each class (column) of the kept rows, which
    say where the ties are; Y is independent of T, so I(X;Y) is the mean of this figure over T. The error bar is half the
    width of a proven interval [lower_bound, upper_bound], 0 when exact. residual: 0, by the theorem above.
    """

    cells: int
    window: int
    shape: tuple[int, ...]
    withheld: int
    lower_bound: float
    upper_bound: float
    residual: float
    how: str

    @property
    def information(self) -> float:
        """I(X;Y) in bits, the middle of the proven interval."""
        return (self.lower_bound + self.upper_bound) / 2

    @property
    def error_bar(self) -> float:
        """Half the width of the proven interval."""
        return (self.upper_bound - self.lower_bound) / 2

    def draw(self, samples: Any, rng: np.random.Generator) -> IntArray:
        """The letters to release; −1 where nothing is.

        Sequence: one entry per row, the difference to the next row of its class; −1 for the last kept row of a class, which
        has no next, and for the rows withheld after it. Table: one row per row, one column for each of the first n − k
        columns; −1 in the last rows.
        """
        values, rng = _numbers(samples), checks.generator(rng)
        if values.shape != self.shape:
            raise InputError(f"this release was made for data of shape {self.shape}, not {values.shape}")
        if values.ndim == 1:
            out = np.full(len(values), WITHHELD, dtype=np.int64)
            for first in range(self.window):
                rows = np.arange(first, len(values), self.window)
                rows = rows[: _kept(len(rows), self.cells)]
                s = _cell_of(values[rows], self.cells, rng)
                out[rows[:-1]] = (s[1:] - s[:-1]) % self.cells
            return out
        kept = _kept(len(values), self.cells)
        s = np.column_stack([_cell_of(column, self.cells, rng) for column in values[:kept].T])
        out = np.full((len(values), values.shape[1] - self.window), WITHHELD, dtype=np.int64)
        out[:kept] = (s[:, self.window :] - s[:, : -self.window]) % self.cells
        return out


def _numbers(samples: Any) -> FloatArray:
    values = array_of(samples, "data to rank")
    if values.dtype.kind not in "iufb" or values.ndim not in (1, 2):
        raise InputError("quantiles need numbers: a column, or a table with one row a draw")
    values = values.astype(np.float64, copy=False)
    if np.isnan(values).any():
        raise InputError("quantiles cannot place missing values: drop those rows, or give them a value of their own")
    return values


def _kept(rows: int, cells: int) -> int:
    """How many rows, from the first on, fill K cells evenly."""
    return rows - rows % cells


def _cell_of(column: FloatArray, cells: int, rng: np.random.Generator) -> IntArray:
    """The cell of each value, equally many in each; equal values fall in random order."""
    shuffled = rng.permutation(len(column))
    order = shuffled[np.argsort(column[shuffled], kind="stable")]
    out = np.empty(len(column), dtype=np.int64)
    out[order] = np.arange(len(column)) // (len(column) // cells)
    return out


def _arrangements(rows: int, cells: int) -> float:
    """log2 of the ways to put rows into cells of equal size."""
    each = rows // cells
    return (math.lgamma(rows + 1) - cells * math.lgamma(each + 1)) / math.log(2)


def _tie_entropy(column: FloatArray, cells: int) -> float:
    """H(S|X) in bits of one ranked column, from ties that straddle a boundary between cells."""
    from scipy.special import gammaln

    values = np.sort(column)
    groups = np.concatenate([[0], np.flatnonzero(values[1:] != values[:-1]) + 1, [len(values)]])
    pieces = np.union1d(groups, np.arange(cells + 1) * (len(values) // cells))
    ways = gammaln(np.diff(groups) + 1).sum() - gammaln(np.diff(pieces) + 1).sum()
    return max(0.0, float(ways)) / math.log(2)


def _check(values: FloatArray, cells: int, window: int, classes: int) -> None:
    checks.count(cells, name="cells")
    checks.count(window, name="window")
    if not 1 <= window < classes:
        raise InputError(f"window must lie between 1 and {classes - 1}, not {window}")
    rows = len(values) // window if values.ndim == 1 else len(values)
    if not 2 <= cells <= rows:
        raise InputError(f"cells must lie between 2 and {rows}, the rows that are ranked together, not {cells}")


def quantile_sequence(column: Any, cells: int, *, window: int = 1) -> QuantileMasks:
    """Release n samples of one law, in one column, through differences of K equal-frequency cells of successive samples.

    I(X;Y|T) = Σ over classes of log2(N!/((N/K)!)^K) − log2 K − H(S|X), N the rows kept in the class: the arrangement of
    cells up to a shift, less what broken ties blur. There is no other term, because given X and Y the shift is known: the
    smallest value fills its cells from 0 on, and no shift maps these onto themselves, unless all values are equal; then it
    is 0. Exact but for rounding, given the sorted values T of the kept rows (see `QuantileMasks`).

    Examples
    --------
    >>> quantile_sequence([0.3, 0.1, 0.9, 0.4], 2).information == math.log2(6) - 1
    True
    """
    values = _numbers(column)
    if values.ndim != 1:
        raise InputError("a sequence is one column: use quantile_columns for a table")
    _check(values, cells, window, len(values))
    total, spare = 0.0, 0
    for first in range(window):
        part = values[first::window]
        spare += len(part) % cells
        part = part[: _kept(len(part), cells)]
        total += max(0.0, _arrangements(len(part), cells) - math.log2(cells) - _tie_entropy(part, cells))
    return QuantileMasks(cells, window, values.shape, spare, total, total, 0.0, _how(cells, spare, True))


def quantile_columns(table: Any, cells: int, *, window: int = 1) -> QuantileMasks:
    """Release a table of independent columns, each row one draw of xⁿ, through differences of cells across columns.

    Two columns are [SP, Thm 5]: close to N log2 K bits. H(Y) of a class of q columns lies between (q−1) A and the lesser of
    (q−1) N log2 K and q A − log2 K, A = log2(N!/((N/K)!)^K); broken ties take away the sum of H(S_j|X_j), and give back at most
    the least of them.
    """
    values = _numbers(table)
    if values.ndim != 2:
        raise InputError("a table has two axes: use quantile_sequence for one column")
    _check(values, cells, window, values.shape[1])
    kept = _kept(len(values), cells)
    ways = _arrangements(kept, cells)
    blurs = [_tie_entropy(column, cells) for column in values[:kept].T]
    lower = upper = 0.0
    for first in range(window):
        own = blurs[first::window]
        most = min((len(own) - 1) * kept * math.log2(cells), len(own) * ways - math.log2(cells))
        low = max(0.0, (len(own) - 1) * ways - sum(own))
        lower += low
        upper += max(low, most - sum(own) + min(own))
    spare = len(values) - kept
    return QuantileMasks(cells, window, values.shape, spare, lower, upper, 0.0, _how(cells, spare, lower == upper))


def _how(cells: int, spare: int, exact: bool) -> str:
    told = "exact" if exact else "proven interval"
    return f"{cells} cells of equal frequency by rank, {spare} rows withheld, {told}; distribution-free"
