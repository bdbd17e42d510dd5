"""What carrying out and verifying need of a policy, whichever kind it is: of one alphabet, or of a whole table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from discreet._typing import BoolArray, IntArray
    from discreet.joint._joint import Joint
    from discreet.tables._bands import Band
    from discreet.tables._labels import Alphabet


class Coarsening(Protocol):
    """A policy, as whoever releases or verifies a table by it sees it."""

    @property
    def public(self) -> tuple[str, ...]: ...
    @property
    def sensitive(self) -> tuple[str, ...]: ...
    @property
    def side(self) -> tuple[str, ...]: ...
    @property
    def na(self) -> tuple[str, ...]: ...
    @property
    def missing(self) -> str: ...
    @property
    def bands(self) -> Mapping[str, Band]:
        """How columns are made coarser before their letters are looked up."""
        ...

    @property
    def is_of_typed_columns(self) -> bool:
        """Whether it was made of typed columns, which are judged before anything is searched."""
        ...

    @property
    def blocks(self) -> Sized: ...
    @property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        """What a released row of each block says."""
        ...

    @property
    def codewords(self) -> Sequence[Any]:
        """Numbers that stand for the blocks, where there are any."""
        ...

    @property
    def promised(self) -> tuple[str, ...]:
        """Which figures are bounds."""
        ...

    @property
    def counts_records(self) -> bool:
        """Whether it promises something that released rows alone can show: records in every group."""
        ...

    @property
    def about_sensitive(self) -> tuple[str, ...]:
        """The promises that need the sensitive columns, or the original."""
        ...

    def blocks_of(self, x: Alphabet) -> tuple[IntArray, BoolArray]:
        """The block of every letter of a table (−1: none), and which letters the policy withholds."""
        ...

    def recurs_in(self, x: Alphabet, records: int) -> bool:
        """Whether every value of its map is among these letters, of at least as many records as it was made from."""
        ...

    def figures(self, joint: Joint) -> dict[str, float]:
        """What the policy states about a released joint, by symbol."""
        ...

    def broken_by(self, after: Joint) -> list[str]:
        """Why a released joint does not keep the promises; empty when it does."""
        ...

    def misclaims(self, found: dict[str, float]) -> list[str]:
        """Figures of the policy that recomputed ones do not bear out."""
        ...
