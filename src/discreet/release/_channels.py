"""Channel: a soft policy. Every letter is released as one of several symbols, drawn at random by p(x̂|x).

A hard policy only makes cells coarser; a channel may also draw, so its symbols have numbers instead of intervals, and what
one says about x is a posterior (`meaning`). It needs a random generator, and the table it releases is one draw of many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet import _checks as checks
from discreet._text import label_text
from discreet._typing import FloatArray, IntArray
from discreet.errors import InputError
from discreet.joint._joint import Joint, from_codes
from discreet.release import _cells as cells
from discreet.release._promises import measured
from discreet.release._releasing import delivered, target_for
from discreet.release._rows import ReleasedRows
from discreet.report._pages import fragment
from discreet.report._plots import matrix_figure
from discreet.tables._checksum import read_sealed, write_sealed
from discreet.tables._columns import encode_column
from discreet.tables._labels import Alphabet, Label, combine
from discreet.tables._sources import column_names, group

if TYPE_CHECKING:
    from discreet._typing import Progress

SCHEMA = 1
CHUNK = 1 << 22  # numbers drawn at once


@dataclass(frozen=True, eq=False)
class Channel:
    """A soft policy p(x̂|x), with what it gives away on the joint that it was made for.

    Attributes
    ----------
    letters, matrix
        The letters of X, and p(x̂|x) with a row a letter and a column a symbol.
    leakage, utility
        I(S;X̂) and I(X;X̂), in bits, computed from the matrix.
    """

    public: tuple[str, ...]
    sensitive: tuple[str, ...]
    letters: tuple[Label, ...]
    matrix: FloatArray = field(repr=False)
    p_x: FloatArray = field(repr=False)
    leakage: float
    utility: float
    na: tuple[str, ...] = ()

    @classmethod
    def from_matrix(cls, joint: Joint, matrix: npt.ArrayLike | Sequence[Any]) -> Channel:
        """The channel with these rows p(·|x), one a letter of joint.x; each must sum to one.

        Examples
        --------
        >>> half = Channel.from_matrix(Joint.from_pairs([("a", 1), ("b", 2)]), [[1, 0], [0.5, 0.5]])
        >>> round(half.leakage, 4), round(half.utility, 4)
        (0.3113, 0.3113)
        """
        joint.require_counts()
        rows = np.array(matrix, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[0] != joint.n_x or rows.shape[1] == 0:
            raise InputError(
                f"a channel needs a row for each of the {joint.n_x} letters: this one has shape {rows.shape}"
            )
        if not np.isfinite(rows).all() or (rows < 0).any():
            raise InputError("a channel's probabilities must be finite and not negative")
        total = rows.sum(axis=1)
        off = np.flatnonzero(np.abs(total - 1) > 1e-9)
        if len(off):
            raise InputError(f"row {off[0]} of the channel sums to {total[off[0]]:g}: every row must sum to one")
        rows = rows[:, rows.sum(axis=0) > 0] / total[:, None]
        rows.flags.writeable = False
        pmf = joint.pmf
        p_x: FloatArray = np.asarray(pmf.sum(axis=0), dtype=np.float64).ravel()
        return cls(
            public=joint.public or ("x",),
            sensitive=joint.sensitive,
            letters=joint.x,
            matrix=rows,
            p_x=p_x,
            leakage=_information(np.asarray(pmf @ rows)),
            utility=_information(p_x[:, None] * rows),
        )

    @property
    def is_hard(self) -> bool:
        """Whether nothing is drawn: every letter has one symbol."""
        return bool((self.matrix.max(axis=1) == 1).all())

    @property
    def symbols(self) -> tuple[str, ...]:
        """What released cells hold."""
        width = len(str(self.matrix.shape[1]))
        return tuple(f"symbol {number:0{width}d}" for number in range(1, self.matrix.shape[1] + 1))

    @property
    def column(self) -> str:
        """The one column of a release."""
        return " and ".join(self.public)

    def meaning(self, symbol: str) -> dict[Label, float]:
        """p(x|x̂): how likely each letter is behind a symbol, likeliest first."""
        if symbol not in self.symbols:
            raise InputError(
                f"this channel has no symbol of that name: it has {len(self.symbols)}, {self.symbols[0]!r} first"
            )
        weight = self.p_x * self.matrix[:, self.symbols.index(symbol)]
        ranked = np.argsort(-weight, kind="stable")
        return {self.letters[i]: float(weight[i] / weight.sum()) for i in ranked.tolist() if weight[i] > 0}

    # ------------------------------------------------------------------ tables

    def release(
        self,
        table: object,
        rng: np.random.Generator,
        *,
        out: str | Path | None = None,
        force: bool = False,
        progress: Progress | None = None,
    ) -> Any:
        """Draw a symbol for every row. Without `out` the result is of the kind that was given, else the path."""
        target = target_for(table, out, force=force)
        return delivered(self.carry_out(table, rng, progress=progress), table, target)

    def carry_out(self, table: object, rng: np.random.Generator, *, progress: Progress | None = None) -> ReleasedRows:
        """Draw without writing anything; where the table has S, the result knows what this very draw gives away."""
        checks.generator(rng)
        names = column_names(table)
        s_names = self.sensitive if all(name in names for name in self.sensitive) else ()
        values, counts = group(table, [*self.public, *s_names], progress=progress)
        if not counts.sum():
            raise InputError("the table has no rows: there is nothing to release")
        coded = [encode_column(column, frozenset(self.na)) for column in values]
        x, x_codes = combine(coded[: len(self.public)], self.public)
        row_of = np.array([self._row_of.get(label, -1) for label in x.labels()], dtype=np.int64)[x_codes]
        if (row_of < 0).any():
            raise InputError(f"{int(counts[row_of < 0].sum())} rows have values that this channel was not made for")
        pairs, symbols, drawn = _draw(self.matrix, row_of, counts, rng)
        joint = None
        if s_names:
            s, s_codes = combine(coded[len(self.public) :], s_names)
            joint = from_codes((s, s_codes[pairs]), (Alphabet((list(self.symbols),)), symbols), drawn)
        total = np.bincount(symbols, weights=drawn, minlength=len(self.symbols)).astype(np.int64)
        seen = np.flatnonzero(total)
        column = {self.column: [self.symbols[i] for i in seen.tolist()]}
        measures = measured(joint, "I") if joint is not None else {}
        return ReleasedRows(column, total[seen], int(total.sum()), joint=joint, measures=measures)

    @cached_property
    def _row_of(self) -> dict[Label, int]:
        return {letter: row for row, letter in enumerate(self.letters)}

    # ------------------------------------------------------------------ files

    def to_dict(self) -> dict[str, Any]:
        """The channel file, as what JSON can hold."""
        return {
            "channel": SCHEMA,
            "may_be_published": False,  # it lists the values that occurred, and how often
            "public": list(self.public),
            "sensitive": list(self.sensitive),
            "na": list(self.na),
            "leakage": self.leakage,
            "utility": self.utility,
            "letters": [cells.to_json(letter) for letter in self.letters],
            "p_x": self.p_x.tolist(),
            "matrix": self.matrix.tolist(),
        }

    def save(self, path: str | Path) -> None:
        """Write the channel, whole or not at all."""
        write_sealed(path, self.to_dict())

    @classmethod
    def load(cls, path: str | Path) -> Channel:
        """Read a channel; refuse a file that is cut short or was changed by hand."""
        document = read_sealed(path, "channel", schema=SCHEMA, what="a channel")
        try:
            return cls(
                public=tuple(document["public"]),
                sensitive=tuple(document["sensitive"]),
                letters=tuple(cells.from_json(letter) for letter in document["letters"]),
                matrix=np.asarray(document["matrix"], dtype=np.float64),
                p_x=np.asarray(document["p_x"], dtype=np.float64),
                leakage=float(document["leakage"]),
                utility=float(document["utility"]),
                na=tuple(document["na"]),
            )
        except (LookupError, TypeError, ValueError):
            raise InputError(f"{path} is not a complete channel") from None

    def plot(self) -> Any:
        """p(x̂|x) as a picture: a row per letter, a column per symbol, darker where more likely."""
        return matrix_figure(self.matrix, [label_text(letter) for letter in self.letters], self.symbols)

    def _repr_html_(self) -> str:
        rows = [
            ("I(S;X̂)", f"{self.leakage:.4f}", "bits about the sensitive columns, on average"),
            ("I(X;X̂)", f"{self.utility:.4f}", "bits about the public columns, on average"),
            ("letters", f"{len(self.letters):,}", f"values of {', '.join(self.public)}"),
            ("symbols", f"{len(self.symbols):,}", "that a released cell may hold"),
            ("drawn", "no" if self.is_hard else "yes", "whether a letter has more than one symbol"),
        ]
        return fragment(repr(self), rows)

    def __repr__(self) -> str:
        kind = "hard" if self.is_hard else "soft"
        return (
            f"Channel({', '.join(self.public)}: {len(self.letters)} letters to {self.matrix.shape[1]} symbols, {kind}, "
            f"I(S;X̂) {self.leakage:.3f}, I(X;X̂) {self.utility:.3f})"
        )


def _draw(
    matrix: FloatArray, row_of: IntArray, counts: IntArray, rng: np.random.Generator
) -> tuple[IntArray, IntArray, IntArray]:
    """How often each group of equal rows got each symbol: groups, symbols and numbers, where not zero."""
    step = max(1, CHUNK // matrix.shape[1])
    found = []
    for start in range(0, len(row_of), step):
        drawn = rng.multinomial(counts[start : start + step], matrix[row_of[start : start + step]])
        pairs, symbols = np.nonzero(drawn)
        found.append((pairs + start, symbols, drawn[pairs, symbols]))
    pairs, symbols, drawn = (np.concatenate(part) for part in zip(*found, strict=True))
    return pairs, symbols, drawn


def _information(joint: FloatArray) -> float:
    """Mutual information of a dense pmf, in bits."""
    rows, columns = joint.sum(axis=1, keepdims=True), joint.sum(axis=0, keepdims=True)
    ratio = np.divide(joint, rows * columns, out=np.ones_like(joint), where=joint > 0)
    return max(0.0, float((joint * np.log2(ratio)).sum()))
