"""Disclosure: a mapping p(y|xⁿ) that says nothing about any one sample, and as much as possible about W [SP, Thm 1]."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError
from discreet.sample_privacy import _symmetric as symmetric
from discreet.sample_privacy._mapping import ByType, Evidence, Mapping, Orbits, Table
from discreet.sample_privacy._problem import checked_pmf, entropy
from discreet.tables._columns import canonical
from discreet.tables._labels import Label, plain

if TYPE_CHECKING:
    from discreet._typing import Progress
    from discreet.sample_privacy._estimating import Guarantee
    from discreet.sample_privacy._optimising import Engine
    from discreet.sample_privacy._solving import Solution


@dataclass(frozen=True, eq=False)
class Disclosure(Evidence):
    """A private mapping, what it discloses, and the evidence.

    Attributes
    ----------
    upper_bound
        Proven: no private mapping discloses more than this many bits.
    private
        The groups of samples that Y is independent of, each as a whole.
    engine, how
        What found it, in a word and in a sentence.
    proven
        Whether `information` is within the tolerance of `upper_bound`.
    labels
        The values of every sample, in the order of their numbers; empty where values are numbers 0, 1, 2, …
    guarantee
        What is left of the promise when p was estimated from rows; None where p was given.
    """

    mapping: Mapping = field(repr=False)
    shape: tuple[int, ...]
    private: tuple[tuple[int, ...], ...]
    upper_bound: float
    engine: str
    how: str
    proven: bool
    latent_entropy: float  # H(W), or H(Xⁿ) for self-disclosure: what there is to know
    names: tuple[str, ...] = ()
    labels: tuple[tuple[Label, ...], ...] = ()
    latent: str = ""  # what W is called; empty for self-disclosure
    latent_labels: tuple[Label, ...] = ()  # the values of W, where a table has them
    guarantee: Guarantee | None = None

    def draw(self, samples: Any, rng: np.random.Generator) -> Any:
        """Draw y for a data set xⁿ, or for many, one per row.

        samples
            n values, or rows × n; numbers 0, 1, 2, … in the order of p's axes, or labels where the mapping has them.
        Returns a number for one data set and an array for many; where y is a pattern and an order of the samples, it is
        as many numbers as the mapping's width.
        """
        if not isinstance(rng, np.random.Generator):
            raise InputError("a disclosure draws at random: give it a Generator, such as numpy.random.default_rng()")
        codes, is_one = self._codes(samples)
        drawn = self.mapping.draw(codes, rng)
        found = drawn[:, 0] if drawn.shape[1] == 1 else drawn
        return (int(found[0]) if found.ndim == 1 else found[0]) if is_one else found

    def meaning(self, y: Any) -> dict[Label, float]:
        """What a value of y says: p(w|y) by value of W, or p(xⁿ|y) by data set where there is no W; likeliest first."""
        mapping = self.mapping
        if isinstance(mapping, Orbits):
            words, mass = mapping.posterior(np.asarray(y))
            return _likeliest({tuple(word): float(p) for word, p in zip(words.tolist(), mass, strict=True)})
        if not isinstance(y, int | np.integer) or not 0 <= y < self.size:
            raise InputError(f"y is one of 0 to {self.size - 1}")
        if not isinstance(mapping, Table | ByType):
            raise InputError(f"a {type(mapping).__name__} does not say what its y mean")
        column = mapping.joint[:, y] / mapping.p_y[y]
        if isinstance(mapping, ByType):
            if mapping.latent is not None:
                return self._said(mapping.latent.T @ column)
            return _likeliest(
                {tuple(t.ravel().tolist()): float(p) for t, p in zip(mapping.types.counts, column, strict=True)}
            )
        latent = mapping.problem.latent_weights
        if latent is not None:
            return self._said(latent.T @ column)
        cells = mapping.problem.cells.tolist()
        named = [
            tuple(self.labels[i][code] for i, code in enumerate(cell)) if self.labels else tuple(cell) for cell in cells
        ]
        return _likeliest(dict(zip(named, column.tolist(), strict=True)))

    def _said(self, pmf: FloatArray) -> dict[Label, float]:
        labels = self.latent_labels or tuple(range(len(pmf)))
        return _likeliest(dict(zip(labels, pmf.tolist(), strict=True)))

    def _codes(self, samples: Any) -> tuple[IntArray, bool]:
        n = len(self.shape)
        try:
            rows = np.asarray(samples, dtype=object) if self.labels else np.asarray(samples)
        except ValueError:
            raise InputError(f"a data set has {n} samples: some rows have more or fewer") from None
        is_one = rows.ndim == 1
        rows = rows[None, :] if is_one else rows
        if rows.ndim != 2 or rows.shape[1] != n:
            raise InputError(f"a data set has {n} samples, one for each axis of p: give {n} values, or rows of {n}")
        if self.labels:
            return np.stack([self._coded(i, rows[:, i]) for i in range(n)], axis=1), is_one
        if rows.dtype.kind not in "iub" and not (rows.dtype.kind == "f" and (rows == np.rint(rows)).all()):
            raise InputError("samples are whole numbers, 0 for the first value of each")
        whole = np.clip(rows, -1, max(self.shape)).astype(np.int64)  # what lies outside stays outside
        for i, size in enumerate(self.shape):
            wrong = int(((whole[:, i] < 0) | (whole[:, i] >= size)).sum())
            if wrong:
                raise InputError(
                    f"sample {i} has a value outside 0 to {size - 1} in {wrong} data sets: the mapping has none for it"
                )
        return whole, is_one

    def _coded(self, i: int, column: npt.NDArray[Any]) -> IntArray:
        number_of = {label: code for code, label in enumerate(self.labels[i])}
        codes = np.array([_code(number_of, value) for value in column.tolist()], dtype=np.int64)
        if (codes < 0).any():
            name = self.names[i] if self.names else f"sample {i}"
            raise InputError(f"{name} has a value that the mapping was not made for, in {int((codes < 0).sum())} rows")
        return codes

    # ------------------------------------------------------------------ for people

    def to_dict(self) -> dict[str, Any]:
        """The figures, for JSON."""
        known = self.guarantee
        return {
            "information": self.information,
            "upper_bound": self.upper_bound,
            "gap": self.gap,
            "proven": self.proven,
            "residual": self.residual,
            "latent_entropy": self.latent_entropy,
            "size": self.size,
            "engine": self.engine,
            "how": self.how,
            "samples": list(self.names) or list(range(len(self.shape))),
            "latent": self.latent or None,
            "private": [list(group) for group in self.private],
            "guarantee": None
            if known is None
            else {
                "confidence": known.confidence,
                "leak_bound": known.leak_bound,
                "rows": known.rows,
                "radius": known.radius,
                "unseen": known.unseen,
            },
        }

    def save(self, path: str | Path) -> None:
        """Write the mapping, whole or not at all."""
        from discreet.sample_privacy._mapping_files import save

        save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Disclosure:
        """Read a mapping; its figures are computed anew from its probabilities."""
        from discreet.sample_privacy._mapping_files import load

        return load(path)

    def release(self, table: object, rng: np.random.Generator, **options: Any) -> Any:
        """Draw y for every row of a table. See `discreet.sample_privacy._tabled.release`."""
        from discreet.sample_privacy._tabled import release

        return release(self, table, rng, **options)

    def __repr__(self) -> str:
        about = f"about {self.latent}" if self.latent else "of the samples"
        bound = "optimal" if self.proven else f"at most {self.upper_bound:.4f} are possible"
        return (
            f"Disclosure({len(self.shape)} samples, {self.size:,} values of y: {self.information:.4f} bits {about}, {bound}; "
            f"about any private group {self.residual:.1e})"
        )

    def _repr_html_(self) -> str:
        from discreet.report._pages import disclosure_fragment

        return disclosure_fragment(self)

    def with_names(self, **changes: Any) -> Disclosure:
        """The same mapping, with what a table calls its samples."""
        return replace(self, **changes)


def _code(number_of: dict[Label, int], value: Any) -> int:
    """The number of a value as it is, or as a table would have read it: a midnight is a day, "1" is 1."""
    code = number_of.get(plain(value), -1)
    return code if code >= 0 else number_of.get(canonical([plain(value)])[0], -1)


def _likeliest(pmf: dict[Label, float]) -> dict[Label, float]:
    return dict(sorted(((key, p) for key, p in pmf.items() if p > 0), key=lambda pair: -pair[1]))


def disclose(
    p: npt.ArrayLike,
    latent: npt.ArrayLike | None = None,
    private: Sequence[Sequence[int] | int] | None = None,
    *,
    time_limit: float = 60.0,
    tolerance: float = 1e-6,
    engine: Engine = "auto",
    seed: int = 0,
    progress: Progress | None = None,
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
    time_limit
        Seconds; when they are over, the best mapping found comes with the best bound proven.

    Examples
    --------
    >>> found = disclose([[0.25, 0.25], [0.25, 0.25]])  # two fair coins: Y = X1 ⊕ X2
    >>> found
    Disclosure(2 samples, 2 values of y: 1.0000 bits of the samples, optimal; about any private group 0.0e+00)
    >>> found.draw([0, 1], np.random.default_rng(0)) == found.draw([1, 0], np.random.default_rng(0))
    True
    """
    from discreet.sample_privacy._solving import solve

    options = _checked(time_limit, tolerance, engine, seed, progress)
    given: Any = private
    if given is not None and (isinstance(given, str) or not isinstance(given, Iterable)):
        raise InputError("private must be a list of tuples of sample numbers, such as [(0,), (1, 2)]")
    found = solve(p, latent, private, **options)
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
    time_limit: float = 60.0,
    tolerance: float = 1e-6,
    engine: Engine = "auto",
    seed: int = 0,
    progress: Progress | None = None,
) -> Disclosure:
    """`disclose` for exchangeable samples given by how often each value occurs, for n of any size.

    Parameters
    ----------
    p
        The pmf of the type; for two values p[k] = P(k of the n samples are 1). For more values types are in the order of
        `discreet.sample_privacy._symmetric.type_counts`.
    latent
        p(w|type), one row per type; None discloses the samples themselves.

    Examples
    --------
    >>> parity = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    >>> disclose_types([1 / 8, 3 / 8, 3 / 8, 1 / 8], parity, samples=3).information
    1.0
    """
    from discreet.sample_privacy._solving import solve_types

    options = _checked(time_limit, tolerance, engine, seed, progress)
    if not all(isinstance(each, int | np.integer) and not isinstance(each, bool) for each in (samples, values)):
        raise InputError("samples and values are whole numbers")
    found = solve_types(p, latent, samples=samples, values=values, **options)
    types = symmetric.exchangeable_types(checked_pmf(p), samples, values)
    pmf = checked_pmf(p)
    about = types.entropy if latent is None else float(entropy(pmf @ np.asarray(latent, dtype=np.float64)))
    found_for = _disclosure(found, (values,) * samples, tuple((i,) for i in range(samples)), about)
    return found_for if latent is None else replace(found_for, latent="W")


def _checked(
    time_limit: float, tolerance: float, engine: Engine, seed: int, progress: Progress | None
) -> dict[str, Any]:
    for name, value, unit in (("time limit", time_limit, "seconds"), ("tolerance", tolerance, "bits")):
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            raise InputError(f"the {name} must be a positive number of {unit}")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError("the seed must be a whole number of at least 0")

    def say(stage: str) -> None:
        if progress:
            progress(stage, None)

    return {"time_limit": time_limit, "tolerance": tolerance, "engine": engine, "seed": seed, "progress": say}


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
