"""Finding a disclosure: for a pmf, for exchangeable samples given by their types, and for the columns of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from discreet import _checks as checks
from discreet.errors import ColumnError, InputError
from discreet.sample_privacy import _symmetric as symmetric
from discreet.sample_privacy._analysis import windows_of
from discreet.sample_privacy._disclosure import Disclosure
from discreet.sample_privacy._estimating import estimate, fill_unseen, guarantee
from discreet.sample_privacy._optimising import Effort
from discreet.sample_privacy._problem import checked_pmf, entropy
from discreet.sample_privacy._solving import Solution, solve, solve_types
from discreet.tables._columns import encode_column
from discreet.tables._sources import group

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray, Progress, Smoothing
    from discreet.tables._labels import Alphabet


def disclose(
    p: npt.ArrayLike,
    latent: npt.ArrayLike | None = None,
    private: Sequence[Sequence[int] | int] | None = None,
    **effort: Unpack[Effort],
) -> Disclosure:
    """The mapping that says most about W while Y is independent of every private group of samples [SP, (2)].

    Parameters
    ----------
    p
        p(xⁿ) with one axis a sample: any alphabets, any dependence, zeros allowed.
    latent
        p(w|xⁿ) of shape p.shape + (|W|,); None discloses the samples themselves.
    private
        Groups of samples, as tuples of numbers, that Y must each be independent of; None: every single sample.
    effort
        time_limit (60 seconds; when they are over, the best mapping found comes with the best bound proven), tolerance
        (1e-6 bits within which a mapping counts as optimal), engine ("auto"), seed (0), progress.

    Examples
    --------
    >>> found = disclose([[0.25, 0.25], [0.25, 0.25]])  # two fair coins: Y = X1 ⊕ X2
    >>> found
    Disclosure(2 samples, 2 values of y: 1.0000 bits of the samples, optimal; about any private group 0.0e+00)
    >>> found.draw([0, 1], np.random.default_rng(0)) == found.draw([1, 0], np.random.default_rng(0))
    True
    """
    given: Any = private
    if given is not None and (isinstance(given, str) or not isinstance(given, Iterable)):
        raise InputError("private must be a list of tuples of sample numbers, such as [(0,), (1, 2)]")
    found = solve(p, latent, private, **effort)
    known = found.problem
    if known is None:
        raise AssertionError("a problem given by cells is kept with its solution")
    about = known.weights if known.latent_weights is None else known.weights @ known.latent_weights
    found_for = _disclosure(found, known.p.shape, known.private, float(entropy(about)))
    return found_for if known.latent is None else replace(found_for, latent="W")


def disclose_types(
    p: npt.ArrayLike,
    latent: npt.ArrayLike | None = None,
    *,
    samples: int,
    values: int = 2,
    **effort: Unpack[Effort],
) -> Disclosure:
    """`disclose` for exchangeable samples given by how often each value occurs, for n of any size.

    Parameters
    ----------
    p
        The pmf of the type; for two values p[k] = P(k of the n samples are 1). For more values types are in the order of
        `discreet.sample_privacy._symmetric.type_counts`.
    latent
        p(w|type), one row per type; None discloses the samples themselves.
    samples, values
        n, and how many values a sample has.
    effort
        As for `disclose`.

    Examples
    --------
    >>> parity = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    >>> disclose_types([1 / 8, 3 / 8, 3 / 8, 1 / 8], parity, samples=3).information
    1.0
    """
    samples, values = checks.count(samples, name="samples", least=1), checks.count(values, name="values", least=1)
    found = solve_types(p, latent, samples=samples, values=values, **effort)
    types = symmetric.exchangeable_types(checked_pmf(p), samples, values)
    pmf = checked_pmf(p)
    about = types.entropy if latent is None else float(entropy(pmf @ np.asarray(latent, dtype=np.float64)))
    found_for = _disclosure(found, (values,) * samples, tuple((i,) for i in range(samples)), about)
    return found_for if latent is None else replace(found_for, latent="W")


def _disclosure(
    found: Solution, shape: tuple[int, ...], private: tuple[tuple[int, ...], ...], about: float
) -> Disclosure:
    return Disclosure(
        mapping=found.mapping,
        shape=shape,
        private=private,
        upper_bound=found.upper_bound,
        engine=found.engine,
        how=found.how,
        proven=found.proven,
        latent_entropy=about,
    )


class TableOptions(TypedDict, total=False):
    """How p is estimated from rows, and how long to search; every entry has a default."""

    smoothing: Smoothing  # "counts"
    alpha: float | None
    confidence: float  # 0.95
    na: Sequence[str]
    time_limit: float  # 60 seconds
    seed: int
    progress: Progress | None


def from_table(
    table: object,
    samples: str | Sequence[str],
    *,
    latent: str | None = None,
    windows: int = 1,
    private: Sequence[Sequence[int] | int] | None = None,
    **options: Unpack[TableOptions],
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
    options
        smoothing and alpha: "counts", "laplace" (alpha pseudo-rows per cell) or "bayes" (a prior centred on independent
        columns). confidence (0.95): of the bound on what y says about a private group when the true p differs from its
        estimate. na: texts that mean missing. time_limit, seed, progress: as for `disclose`.
    """
    names = _checked_names(samples, latent, windows)
    if unknown := options.keys() - TableOptions.__annotations__:
        raise TypeError(f"from_table() got an unexpected keyword argument {sorted(unknown)[0]!r}")
    confidence = checks.probability(options.get("confidence", 0.95), name="confidence")
    progress = options.get("progress")
    effort = Effort(time_limit=options.get("time_limit", 60.0), seed=options.get("seed", 0), progress=progress)
    wanted = [*names, *([latent] if latent is not None else [])]
    values, counts = group(table, wanted, progress=progress)
    if not counts.sum():
        raise InputError("the table has no rows: there is nothing to estimate from")
    coded = [encode_column(column, frozenset(options.get("na", ()))) for column in values]
    alphabets = [alphabet for alphabet, _ in coded[: len(names)]]
    rows = np.stack([codes for _, codes in coded[: len(names)]], axis=1)
    sizes = tuple(len(alphabet) for alphabet in alphabets)
    if progress:
        progress("estimating", None)
    estimated = estimate(
        np.repeat(rows, counts, axis=0), sizes, smoothing=options.get("smoothing", "counts"), alpha=options.get("alpha")
    )
    about = None if latent is None else _conditional(estimated.p.shape, rows, coded[-1], counts)
    found = disclose(estimated.p, about, private if private is not None else windows_of(len(names), windows), **effort)
    try:
        channel = fill_unseen(estimated.p, found.channel)
    except InputError:
        known = None  # a channel over orders of the samples is not written out, nor can it be bounded this way
    else:
        known = guarantee(estimated, channel, private=found.private, confidence=confidence)
    return replace(
        found,
        names=names,
        labels=tuple(alphabet.labels() for alphabet in alphabets),
        latent=latent or "",
        latent_labels=coded[-1][0].labels() if latent is not None else (),
        guarantee=known,
    )


def _checked_names(samples: str | Sequence[str], latent: str | None, windows: int) -> tuple[str, ...]:
    names = (samples,) if isinstance(samples, str) else tuple(samples or ())
    if len(set(names)) < len(names) or not names:
        raise ColumnError("name each sample column once, and at least one")
    if latent is not None and latent in names:
        raise ColumnError(f"{latent!r} cannot be both a sample and the latent variable")
    if not 1 <= checks.count(windows, name="windows") <= len(names):
        raise InputError(f"windows of {windows} samples do not fit: there are {len(names)} samples")
    return names


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
