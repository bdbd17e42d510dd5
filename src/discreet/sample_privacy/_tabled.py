"""Disclosures from tables: every row is one data set xⁿ, p is estimated from the rows, and y is drawn for each row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._typing import FloatArray, IntArray, Smoothing
from discreet.errors import ColumnError, InputError
from discreet.release._releasing import Released, in_kind, spare_originals
from discreet.sample_privacy._analysis import windows_of
from discreet.sample_privacy._disclosing import Disclosure, disclose
from discreet.sample_privacy._estimating import estimate, fill_unseen, guarantee
from discreet.tables._columns import encode_column
from discreet.tables._labels import Alphabet
from discreet.tables._sources import group, in_order
from discreet.tables._writing import check_table_target, write_repeated

if TYPE_CHECKING:
    from discreet._typing import Progress

COLUMN = "y"


def from_table(
    table: object,
    samples: str | Sequence[str],
    *,
    latent: str | None = None,
    windows: int = 1,
    private: Sequence[Sequence[int] | int] | None = None,
    smoothing: Smoothing = "counts",
    alpha: float | None = None,
    confidence: float = 0.95,
    na: Sequence[str] = (),
    time_limit: float = 60.0,
    seed: int = 0,
    progress: Progress | None = None,
) -> Disclosure:
    """The best private mapping for the columns of a table, with what is promised when p is only known from its rows.

    Parameters
    ----------
    samples
        The columns that are one data set: none of them (or no window of `windows` neighbours) may be learnt from y.
    latent
        The column that y is to tell about; without it, the samples themselves.
    private
        Other groups of columns, by number, in place of windows.
    smoothing, alpha
        "counts", "laplace" (alpha pseudo-rows per cell) or "bayes" (a prior centred on independent columns).
    confidence
        Of the bound on what y says about a private group when the true p differs from its estimate.
    """
    names = [samples] if isinstance(samples, str) else list(samples or ())
    if len(set(names)) < len(names) or not names:
        raise ColumnError("name each sample column once, and at least one")
    if isinstance(windows, bool) or not isinstance(windows, int):
        raise InputError("windows is a whole number of neighbouring samples")
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 < confidence < 1:
        raise InputError("confidence lies between 0 and 1")
    if latent is not None and latent in names:
        raise ColumnError(f"{latent!r} cannot be both a sample and the latent variable")
    if not 1 <= windows <= len(names):
        raise InputError(f"windows of {windows} samples do not fit: there are {len(names)} samples")
    wanted = [*names, *([latent] if latent is not None else [])]
    values, counts = group(table, wanted, progress=progress)
    if not counts.sum():
        raise InputError("the table has no rows: there is nothing to estimate from")
    coded = [encode_column(column, frozenset(na)) for column in values]
    alphabets = [alphabet for alphabet, _ in coded[: len(names)]]
    rows = np.stack([codes for _, codes in coded[: len(names)]], axis=1)
    sizes = tuple(len(alphabet) for alphabet in alphabets)
    if progress:
        progress("estimating", None)
    estimated = estimate(np.repeat(rows, counts, axis=0), sizes, smoothing, alpha)
    about = None if latent is None else _conditional(estimated.p.shape, rows, coded[-1], counts)
    groups = private if private is not None else windows_of(len(names), windows)
    found = disclose(estimated.p, about, groups, time_limit=time_limit, seed=seed, progress=progress)
    try:
        channel = fill_unseen(estimated.p, found.channel)
    except InputError:
        known = None  # a channel over orders of the samples is not written out, nor can it be bounded this way
    else:
        known = guarantee(estimated, channel, found.private, confidence)
    return found.with_names(
        names=tuple(names),
        labels=tuple(alphabet.labels() for alphabet in alphabets),
        latent=latent or "",
        latent_labels=coded[-1][0].labels() if latent is not None else (),
        guarantee=known,
    )


def _conditional(
    shape: tuple[int, ...], rows: IntArray, latent: tuple[Alphabet, IntArray], counts: IntArray
) -> FloatArray:
    """p(w|xⁿ) by frequencies; p(w) where xⁿ never occurred."""
    alphabet, codes = latent
    found = np.zeros((*shape, len(alphabet)))
    np.add.at(found, (*rows.T, codes), counts)
    total = found.sum(axis=-1, keepdims=True)
    overall = np.bincount(codes, weights=counts, minlength=len(alphabet)) / counts.sum()
    return np.where(total > 0, found / np.where(total > 0, total, 1.0), overall)


def release(
    disclosure: Disclosure,
    table: object,
    rng: np.random.Generator,
    *,
    na: Sequence[str] = (),
    out: str | Path | None = None,
    force: bool = False,
) -> Any:
    """Draw y for every row, in the order of rows; nothing but y is released.

    Without `out` the result is of the kind that was given; with `out` it is written there and the path is returned.
    """
    target = check_table_target(out, force=force) if out is not None else None
    if target is not None:
        spare_originals(table, target)
    drawn = draw_rows(disclosure, table, rng, na=na)
    if target is None:
        return in_kind(table, _as_released(drawn))
    write_rows(drawn, target)
    return target


def draw_rows(
    disclosure: Disclosure, table: object, rng: np.random.Generator, *, na: Sequence[str] = ()
) -> list[int] | list[str]:
    """y of every row, in the order of rows; where y is a pattern and an order of the samples, a text of its numbers."""
    if not disclosure.names:
        raise InputError("this mapping was not made from a table: draw from it with draw()")
    coded = [encode_column(column, frozenset(na)) for column in in_order(table, disclosure.names)]
    if not len(coded[0][1]):
        raise InputError("the table has no rows: there is nothing to disclose")
    rows = np.empty((len(coded[0][1]), len(coded)), dtype=object)
    for i, (alphabet, codes) in enumerate(coded):
        column = np.empty(len(alphabet), dtype=object)
        column[:] = alphabet.labels()
        rows[:, i] = column[codes]
    drawn = disclosure.draw(rows, rng)
    return drawn.tolist() if drawn.ndim == 1 else [" ".join(map(str, y)) for y in drawn.tolist()]


def write_rows(drawn: Sequence[int] | Sequence[str], target: Path) -> None:
    """Write the table of y, whole or not at all."""
    write_repeated(target, {COLUMN: list(drawn)}, np.ones(len(drawn), dtype=np.int64), lambda _: None)


def _as_released(drawn: Sequence[int] | Sequence[str]) -> Released:
    return Released({COLUMN: list(drawn)}, np.ones(len(drawn), dtype=np.int64), len(drawn), 0, 0, 0, None, None)
