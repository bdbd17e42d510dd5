"""Disclosure: a mapping p(y|xⁿ) that says nothing about any one sample, and as much as possible about W [SP, Thm 1]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet import _checks as checks
from discreet._text import an, label_text
from discreet.errors import InputError
from discreet.release import _cells as cells
from discreet.release._releasing import in_kind, spare_originals
from discreet.release._rows import ReleasedRows
from discreet.report._plots import figure
from discreet.sample_privacy._disclosure_page import disclosure_fragment
from discreet.sample_privacy._estimating import Guarantee
from discreet.sample_privacy._mapping import ByType, Evidence, Mapping, Orbits, Table
from discreet.sample_privacy._mapping_files import mapping_from_dict, mapping_to_dict
from discreet.tables._canonical import canonical
from discreet.tables._checksum import read_sealed, write_sealed
from discreet.tables._columns import encode_column
from discreet.tables._labels import Label, plain
from discreet.tables._sources import in_order
from discreet.tables._writing import check_table_target, write_repeated

if TYPE_CHECKING:
    from discreet._typing import FloatArray, IntArray

SCHEMA = 1
"""Of files of mappings."""

COLUMN = "y"
"""What the column of a release is called."""

DRAWN = 40
"""Values of y, and of what they tell about, that a figure shows."""


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
        rng = checks.generator(rng)
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
            raise InputError(f"{an(type(mapping).__name__)} does not say what its y mean")
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
        places = mapping.problem.cells.tolist()
        named = [
            tuple(self.labels[i][code] for i, code in enumerate(place)) if self.labels else tuple(place)
            for place in places
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
        """The figures for JSON, without the mapping."""
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
        """Write the mapping, whole or not at all; made from a table it holds its frequencies and is as private as it."""
        known = self.guarantee
        document: dict[str, Any] = {
            "disclosure": SCHEMA,
            "may_be_published": False,
            "names": list(self.names),
            "labels": [[cells.to_json(label) for label in values] for values in self.labels],
            "latent": self.latent,
            "latent_labels": [cells.to_json(label) for label in self.latent_labels],
            "private": [list(group) for group in self.private],
            "upper_bound": self.upper_bound,
            "engine": self.engine,
            "how": self.how,
            "proven": self.proven,
            "latent_entropy": self.latent_entropy,
            "guarantee": None if known is None else known.to_dict(),
            "mapping": mapping_to_dict(self.mapping),
        }
        write_sealed(path, document)

    @classmethod
    def load(cls, path: str | Path) -> Disclosure:
        """Read a mapping; its figures are computed anew from its probabilities. A file changed by hand is refused."""
        document = read_sealed(path, "disclosure", schema=SCHEMA, what="a mapping")
        try:
            mapping, shape = mapping_from_dict(document["mapping"])
            known = document["guarantee"]
            return cls(
                mapping=mapping,
                shape=shape,
                private=tuple(tuple(group) for group in document["private"]),
                upper_bound=float(document["upper_bound"]),
                engine=document["engine"],
                how=document["how"],
                proven=bool(document["proven"]),
                latent_entropy=float(document["latent_entropy"]),
                names=tuple(document["names"]),
                labels=tuple(tuple(cells.from_json(label) for label in values) for values in document["labels"]),
                latent=document["latent"],
                latent_labels=tuple(cells.from_json(label) for label in document["latent_labels"]),
                guarantee=None if known is None else Guarantee.from_dict(known),
            )
        except InputError:
            raise
        except (LookupError, TypeError, ValueError):
            raise InputError(f"{path} is not a complete mapping") from None

    def plot(self) -> Any:
        """What each value of y says: p(w|y), or p(xⁿ|y) where there is no W, as a matplotlib figure."""
        if isinstance(self.mapping, Orbits):
            raise InputError("this mapping draws an order of the samples too: its y are too many for a picture")
        said = [self.meaning(y) for y in range(min(self.size, DRAWN))]
        about = list(dict.fromkeys(label for meaning in said for label in meaning))[:DRAWN]
        drawing, axes = figure()
        shares = [[meaning.get(label, 0.0) for meaning in said] for label in about]
        shading = axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        axes.set_yticks(range(len(about)), [label_text(label) for label in about], fontsize=8)
        axes.set_xlabel("y" if self.size <= DRAWN else f"y, the first {DRAWN} of {self.size:,}")
        drawing.colorbar(shading, ax=axes, shrink=0.7, label=f"share of {self.latent or 'the data sets'} given y")
        return drawing

    def draw_rows(self, table: object, rng: np.random.Generator, *, na: Sequence[str] = ()) -> list[int] | list[str]:
        """y of every row of a table, in the order of rows; where y is a pattern and an order of the samples, as a text."""
        if not self.names:
            raise InputError("this mapping was not made from a table: draw from it with draw()")
        coded = [encode_column(column, frozenset(na)) for column in in_order(table, self.names)]
        if not len(coded[0][1]):
            raise InputError("the table has no rows: there is nothing to disclose")
        rows = np.empty((len(coded[0][1]), len(coded)), dtype=object)
        for i, (alphabet, codes) in enumerate(coded):
            column = np.empty(len(alphabet), dtype=object)
            column[:] = alphabet.labels()
            rows[:, i] = column[codes]
        drawn = self.draw(rows, rng)
        return drawn.tolist() if drawn.ndim == 1 else [" ".join(map(str, y)) for y in drawn.tolist()]

    def release(
        self,
        table: object,
        rng: np.random.Generator,
        *,
        na: Sequence[str] = (),
        out: str | Path | None = None,
        force: bool = False,
    ) -> Any:
        """Draw y for every row of a table, in the order of rows; nothing but y is released.

        Without `out` the result is of the kind that was given; with `out` it is written there and the path is returned.
        """
        target = check_table_target(out, force=force) if out is not None else None
        if target is not None:
            spare_originals(table, target)
        drawn = self.draw_rows(table, rng, na=na)
        once = np.ones(len(drawn), dtype=np.int64)
        if target is None:
            return in_kind(table, ReleasedRows({COLUMN: list(drawn)}, once, len(drawn)))
        write_y(drawn, target)
        return target

    def __repr__(self) -> str:
        about = f"about {self.latent}" if self.latent else "of the samples"
        bound = "optimal" if self.proven else f"at most {self.upper_bound:.4f} are possible"
        return (
            f"Disclosure({len(self.shape)} samples, {self.size:,} values of y: {self.information:.4f} bits {about}, {bound}; "
            f"about any private group {self.residual:.1e})"
        )

    def _repr_html_(self) -> str:
        return disclosure_fragment(self)


def write_y(drawn: Sequence[int] | Sequence[str], target: Path) -> None:
    """Write the table of y, whole or not at all."""
    write_repeated(target, {COLUMN: list(drawn)}, np.ones(len(drawn), dtype=np.int64))


def _code(number_of: dict[Label, int], value: Any) -> int:
    """The number of a value as it is, or as a table would have read it: a midnight is a day, "1" is 1."""
    code = number_of.get(plain(value), -1)
    return code if code >= 0 else number_of.get(canonical([plain(value)])[0], -1)


def _likeliest(pmf: dict[Label, float]) -> dict[Label, float]:
    return dict(sorted(((key, p) for key, p in pmf.items() if p > 0), key=lambda pair: -pair[1]))
