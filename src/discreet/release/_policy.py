"""Policy: a partition of the alphabet of X with a codeword and a readable cell for every block.

A full policy lists every value that occurred, and with several columns every combination: it stays private. The public policy
holds the cells and what the release leaks.
Its file can be checked, applied to new data and verified without trusting whoever wrote it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from discreet._text import utility_text
from discreet._typing import BoolArray, Cuts, FloatArray, IntArray, Limits, MissingPolicy, Unseen
from discreet.columns._rounding import Ends
from discreet.errors import InputError
from discreet.joint._joint import Blocks, Joint
from discreet.release import _cells as cells
from discreet.release import _policy_files as policy_files
from discreet.release import _releasing as releasing
from discreet.release import _table_policy_files as table_policy_files
from discreet.release._promises import TO_THE_INFORMED, alone_in, broken, measured, misclaimed, promised_by, slack_of
from discreet.release._release_page import policy_fragment
from discreet.release._table_policy import TablePolicy
from discreet.release._verifying import Verification, verify
from discreet.tables._bands import Band
from discreet.tables._canonical import canonical
from discreet.tables._labels import Alphabet, Label, order_key, plain
from discreet.tables._writing import write_text

if TYPE_CHECKING:
    from collections.abc import Iterable


class Rules(TypedDict, total=False):
    """What a policy says beside its partition; see the fields of `Policy`."""

    missing: MissingPolicy
    na: tuple[str, ...]
    unseen: Unseen
    names: tuple[str, ...]
    at_least: int
    problem: str
    cuts: Cuts


@dataclass(frozen=True, eq=False)
class Policy:
    """How X is coarsened, and what that gives away.

    Attributes
    ----------
    blocks
        The partition: a tuple of tuples of labels of x, in the order of their earliest letters.
    codewords
        A number (or a tuple of numbers) a block where X has values, else the block's label.
    before, after
        Measures of the table as it was and as released, by symbol.
    public_cells
        What released rows say, one text a public column, in a public policy; its blocks are empty.
    """

    public: tuple[str, ...]
    sensitive: tuple[str, ...]
    side: tuple[str, ...]
    blocks: Blocks
    codewords: tuple[Label, ...]
    leakage: str
    before: dict[str, float]
    after: dict[str, float]
    utility: dict[str, float] = field(default_factory=dict)
    missing: MissingPolicy = "level"
    na: tuple[str, ...] = ()
    unseen: Unseen = "nearest"
    withheld: tuple[Label, ...] = ()  # letters whose rows are not released at all
    names: tuple[str, ...] = ()  # what the blocks are called, where a hierarchy says so
    at_least: int = 0  # records that every released group must have
    problem: str = "funnel"  # a "bottleneck" keeps its leakage, and promises no bound on it
    cuts: Cuts = "round"  # where a line is cut between blocks; "halfway" in files of schema 1
    alone: dict[str, int] = field(default_factory=dict)  # distinct values of each sensitive column, if several
    source: dict[str, Any] = field(default_factory=dict)
    bands: dict[str, Band] = field(
        default_factory=dict
    )  # of columns that are made coarser before their letters are looked up
    quotes: bool = True  # a value that could be read as something else is quoted; not in files before 0.2
    records: int = 0  # that it was made from; 0 in files that do not say
    public_cells: tuple[tuple[str, ...], ...] = ()
    kinds: tuple[str, ...] = ()  # of the public columns, in a public policy

    @classmethod
    def from_blocks(
        cls,
        joint: Joint,
        blocks: Iterable[Iterable[Label]],
        *,
        codewords: Sequence[Label] | None = None,
        leakage: str = "L0",
        utility: dict[str, float] | None = None,
        **rules: Unpack[Rules],
    ) -> Policy:
        """The policy of a partition of joint.x, measured before and after.

        `rules` are further fields: missing, na, unseen, names, at_least, problem, cuts.
        """
        coarse = joint.coarsen(blocks)
        rules.setdefault("missing", joint.missing.policy if joint.missing else "level")
        rules["na"], rules["names"] = tuple(rules.get("na", ())), tuple(rules.get("names", ()))
        return cls(
            public=joint.public or tuple(f"x{i}" for i in range(_width(joint.x[0]))),
            sensitive=joint.sensitive,
            side=joint.side.a.names if joint.has_side else (),
            blocks=coarse.x,
            codewords=tuple(codewords) if codewords is not None else (None,) * len(coarse.x),
            leakage=leakage,
            before=measured(joint, leakage),
            after=measured(coarse, leakage),
            utility={name: value - slack_of(joint, name) for name, value in (utility or {}).items()},
            alone=alone_in(coarse),
            bands=joint.bands,
            records=int(joint.total) if joint.is_integral else 0,
            **rules,
        )

    # ------------------------------------------------------------------ cells

    @property
    def is_of_typed_columns(self) -> bool:
        """Whether its columns were judged before it was made: a joint does not know what they are."""
        return False

    @cached_property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        """What a released row of each block says, one text a public column; unique to the block."""
        if self.is_public:
            return self.public_cells
        if self.names:
            return tuple(cells.unique([(name,) for name in self.names]))
        if len(self.public) == 1:
            letters, owner = self._sorted_letters
            texts, _ = cells.block_labels(letters, owner, len(self.blocks), self.cuts, self._band, quotes=self.quotes)
            return tuple(cells.unique([(text,) for text in texts]))
        about = list(zip(self._ends, map(self.bands.get, self.public), self._names, strict=True))
        columns = [
            tuple(cells.hull([letter[i] for letter in block], *each) for i, each in enumerate(about))
            for block in self.blocks
        ]
        return tuple(cells.unique(columns))

    @property
    def _names(self) -> list[dict[Label, str]]:
        """How cells write the values of each of several columns."""
        values = [
            list(dict.fromkeys(letter[i] for block in self.blocks for letter in block)) for i in range(len(self.public))
        ]
        bands = map(self.bands.get, self.public)
        return [
            cells.names_of_values(column, band, quotes=self.quotes) for column, band in zip(values, bands, strict=True)
        ]

    @cached_property
    def _ends(self) -> list[Ends | None]:
        """Where the stretches of each of several columns end."""
        if self.cuts != "round":
            return [None] * len(self.public)
        letters = [letter for block in self.blocks for letter in block]
        return [
            None if name in self.bands else cells.ends_of([letter[i] for letter in letters])
            for i, name in enumerate(self.public)
        ]

    @property
    def _band(self) -> Band | None:
        """Of the one public column, where it has one."""
        return self.bands.get(self.public[0])

    @cached_property
    def _sorted_letters(self) -> tuple[list[Label], IntArray]:
        pairs = [(letter, number) for number, block in enumerate(self.blocks) for letter in block]
        pairs.sort(key=lambda pair: order_key(pair[0]))
        return [letter for letter, _ in pairs], np.asarray([number for _, number in pairs], dtype=np.int64)

    @cached_property
    def _block_of(self) -> dict[Label, int]:
        return {letter: number for number, block in enumerate(self.blocks) for letter in block}

    @cached_property
    def _line(self) -> cells.Line | None:
        if len(self.public) > 1:
            return None
        letters, owner = self._sorted_letters
        return cells.block_labels(letters, owner, len(self.blocks), self.cuts, self._band)[1]

    def block_of(self, label: Label) -> int | None:
        """The number of the block that a value is released as, or None where it must be suppressed.

        A value never seen goes to the nearest block whose cell is true of it, unless the policy suppresses what it
        has never seen.
        """
        if self.is_public:
            raise InputError(
                "this is a public policy: which cell a value gets stands in the full policy, so use that one"
            )
        label = plain(label)
        if label in self._withheld:
            return None
        known = self._block_of.get(label)
        if known is not None or self.unseen == "suppress":
            return known
        if self._line is not None:
            return self._line.block_at(label)
        is_row = isinstance(label, tuple) and len(label) == len(self.public) > 1
        return self._nearest(label) if is_row else None

    def blocks_of(self, x: Alphabet) -> tuple[IntArray, BoolArray]:
        """The block of every letter of a table (−1: none), and whether the policy withholds it."""
        block = np.full(len(x), -1, dtype=np.int64)
        withheld = np.zeros(len(x), dtype=bool)
        kinds = self.column_kinds
        hidden = frozenset(self.withheld)
        for i, label in enumerate(x.labels()):
            number, name = self.block_of(label), label
            if number is None and label not in hidden:
                name = _as_known(label, kinds)
                number = self.block_of(name)
            if number is not None:
                block[i] = number
            withheld[i] = name in hidden
        return block, withheld

    def recurs_in(self, x: Alphabet, records: int) -> bool:
        """Whether every value of its map is among these letters, of at least as many records as it was made from."""
        if self.is_public or records < self.records:
            return False
        seen = {_as_known(label, self.column_kinds) for label in x.labels()} | set(x.labels())
        return seen.issuperset(self._block_of) and seen.issuperset(self.withheld)

    @cached_property
    def _withheld(self) -> frozenset[Label]:
        return frozenset(self.withheld)

    def _nearest(self, label: tuple[Label, ...]) -> int | None:
        """For several columns: the nearest letter whose block's cells are all true of the value."""
        letters, owner = self._sorted_letters
        places, scale = self._places
        own = [cells.position(part) for part in label]
        distance = np.zeros(len(letters))
        for i, where in enumerate(own):
            column = places[i]
            if column is None or where is None:
                differs = np.fromiter((letter[i] != label[i] for letter in letters), dtype=bool, count=len(letters))
                distance = np.maximum(distance, np.where(differs, np.inf, 0.0))
            else:
                distance = np.maximum(distance, np.abs(column - where) / scale[i])
        for candidate in np.argsort(distance, kind="stable")[:64].tolist():
            block = self.blocks[int(owner[candidate])]
            parts = enumerate(zip(label, self._ends, strict=True))
            if all(cells.hull_holds([letter[i] for letter in block], part, ends) for i, (part, ends) in parts):
                return int(owner[candidate])
        return None

    @cached_property
    def _places(self) -> tuple[list[FloatArray | None], list[float]]:
        """Every letter's position in every column that lies on a line, and that column's range."""
        letters, _ = self._sorted_letters
        places: list[FloatArray | None] = []
        scale = []
        for i in range(len(self.public)):
            column = [cells.position(letter[i]) for letter in letters]
            if any(where is None for where in column):
                places.append(None)
                scale.append(1.0)
            else:
                numbers = np.asarray(column, dtype=np.float64)
                places.append(numbers)
                scale.append(float(np.ptp(numbers)) or 1.0)
        return places, scale

    # ------------------------------------------------------------------ the public policy

    @property
    def is_public(self) -> bool:
        """Whether this is a public policy: cells and promises, without the values that occurred."""
        return bool(self.public_cells)

    def face(self, *, codewords: bool = False) -> Policy:
        """Return the public policy: cells and promises, enough to verify a release, without the values that occurred.

        Codewords are means of values that occurred, and part of it only where they are what was released.
        """
        bare: dict[str, Any] = {"blocks": (), "withheld": (), "names": (), "source": {}, "bands": {}}
        words = self.codewords if codewords else ()
        return replace(self, public_cells=self.labels, kinds=self.column_kinds, codewords=words, **bare)

    # ------------------------------------------------------------------ promises

    @property
    def promised_distinct(self) -> int:
        """How many distinct s every released group has."""
        return int(self.after["k"])

    @property
    def promised(self) -> tuple[str, ...]:
        """The measures whose values after the release are bounds, by symbol."""
        plain = () if self.problem == "bottleneck" else promised_by(self.leakage)
        return (*plain, *(TO_THE_INFORMED[symbol] for symbol in plain if self.side and symbol in TO_THE_INFORMED))

    @property
    def counts_records(self) -> bool:
        """Groups of records are not what this kind of policy is about."""
        return False

    @property
    def about_sensitive(self) -> tuple[str, ...]:
        """The promises that need the sensitive columns, or the original."""
        return ("L0", "I*", "k")

    def figures(self, joint: Joint) -> dict[str, float]:
        """The measures that the policy states about a joint, by symbol."""
        return measured(joint, self.leakage)

    def misclaims(self, found: dict[str, float]) -> list[str]:
        """Figures of this policy that recomputed ones do not bear out."""
        return misclaimed(self, found)

    def broken_by(self, after: Joint) -> list[str]:
        """Why a released joint does not keep the promises; empty when it does."""
        return broken(self, after)

    # ------------------------------------------------------------------ tables (see releasing.py)

    def release(self, table: object, **options: Any) -> Any:
        """The released table: the public columns, coarsened. Options are those of `discreet.release.release`."""
        return releasing.release(self, table, **options)

    def apply(self, table: object, **options: Any) -> Any:
        """Release new data if the promises hold there too, else RequirementError. Options are those of `release`."""
        return releasing.apply(self, table, **options)

    def verify(
        self, table: object, original: object | None = None, *, keep: Sequence[str] = (), **limits: Unpack[Limits]
    ) -> Verification:
        """Check a released table against this policy, from the table alone, or against the original as well."""
        return verify(self, table, original, keep=keep, **limits)

    # ------------------------------------------------------------------ files

    @cached_property
    def column_kinds(self) -> tuple[str, ...]:
        """ "number", "date" or "text" for every public column."""
        if self.kinds:
            return self.kinds
        letters = [*self.withheld, *(letter for block in self.blocks for letter in block)]
        columns = zip(*letters, strict=True) if len(self.public) > 1 else [letters]
        return tuple(cells.column_kind(list(column)) for column in columns)

    def to_dict(self) -> dict[str, Any]:
        """The policy file, as what JSON can hold."""
        return policy_files.document_of(self)

    def to_json(self) -> str:
        """The text of the policy file."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the policy file, whole or not at all; a full policy can be read by its owner alone."""
        write_text(path, self.to_json(), private=not self.is_public)

    @classmethod
    def load(cls, path: str | Path) -> Policy:
        """Read a policy file, of one alphabet or of a whole table; refuse one that is cut short, changed or newer."""
        return cls._from(policy_files.read(path), str(path))

    @classmethod
    def from_dict(cls, document: Any) -> Policy:
        """A policy from what `to_dict` gave."""
        return cls._from(document, "the policy")

    @classmethod
    def _from(cls, document: Any, where: str) -> Policy:
        if isinstance(document, dict) and document.get("kind") == table_policy_files.KIND:
            # It releases, applies and verifies as a Policy does; whoever looks at blocks and letters asks which it is.
            return table_policy_files.policy_of(document, TablePolicy, where=where)  # type: ignore[return-value]
        return policy_files.policy_of(document, cls, where=where)

    def with_source(self, **facts: Any) -> Policy:
        """The same policy, with facts about the data it was made for."""
        return replace(self, source={**self.source, **facts})

    def __repr__(self) -> str:
        utility = ", ".join(utility_text(name, value) for name, value in self.utility.items())
        letters = f"{sum(map(len, self.blocks))} letters in {len(self.blocks)} blocks"
        return (
            f"Policy({', '.join(self.public)}: {f'public, {len(self.public_cells)} cells' if self.is_public else letters}, "
            + "".join(f"{symbol} {self.after[symbol]:.3f}, " for symbol in self.promised if symbol not in ("L0", "I*"))
            + f"L0 {self.after['L0']:.3f}, I* {self.after['I*']:.3f}, k {self.promised_distinct}"
            + (f", {utility})" if utility else ")")
        )

    def _repr_html_(self) -> str:
        return policy_fragment(self)


def _as_known(label: Label, kinds: Sequence[str]) -> Label:
    """A value as the policy would have read it: one odd cell makes all numbers of a column texts, and the reverse."""
    parts = label if len(kinds) > 1 else (label,)
    read = [
        part
        if part is None or (kind == "text") == isinstance(part, str)
        else canonical([part, "text"] if kind == "text" else [part])[0]
        for part, kind in zip(parts, kinds, strict=True)
    ]
    return tuple(read) if len(kinds) > 1 else read[0]


def _width(label: Label) -> int:
    return len(label) if isinstance(label, tuple) else 1
