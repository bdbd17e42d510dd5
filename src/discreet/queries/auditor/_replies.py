"""What the auditor says: an answer with its cell, and what a question would cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from discreet.queries._html import fact_table, strip


class Price(NamedTuple):
    """What a question would cost: the number of cells offered, and bits (0 for a question asked before)."""

    cells: int
    bits: float


@dataclass(frozen=True)
class Reply:
    """An answer and what it says.

    Attributes
    ----------
    answer
        The middle of the cell, in the units of the aggregate; None when only one cell is left: nothing new is said.
    error
        The true value is at most this far from the middle of the cell.
    cell
        What is now known of the true value; both ends are included for integral data.
    cells
        What was offered: the same whatever the data.
    bits
        log2 of the number of cells offered; 0 for a question asked before.

    Examples
    --------
    >>> Reply(0.5, 0.5, (0.0, 1.0), [(0.0, 1.0), (1.0, 2.0)], 1.0)
    Reply(0.5 ± 0.5, 2 cells, 1 bits)
    """

    answer: float | None
    error: float
    cell: tuple[float, float]
    cells: list[tuple[float, float]]
    bits: float

    def __repr__(self) -> str:
        said = "nothing new" if self.answer is None else f"{self.answer:g} ± {self.error:g}"
        return f"Reply({said}, {len(self.cells)} cells, {self.bits:.3g} bits)"

    def _repr_html_(self) -> str:
        known = f"from {self.cell[0]:.6g} to {self.cell[1]:.6g}"
        if self.answer is None:
            first = ("answer", "nothing new", "one cell is left: all of it was known before")
        else:
            first = ("answer", f"{self.answer:.6g} ± {self.error:.4g}", "the middle of the cell of the true value")
        rows = [
            first,
            ("cell", known, "all that is known of the true value"),
            ("cells offered", f"{len(self.cells):,}", "the same whatever the data"),
            ("bits", f"{self.bits:.3g}", "spent on this reply" if self.bits else "a reply that adds nothing is free"),
        ]
        return fact_table("the auditor's reply", rows, strip(self.cells, self.cell))
