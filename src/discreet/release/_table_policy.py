"""TablePolicy: how several public columns are coarsened together, and what every group of records was promised.

It has two parts. The public face is the boxes: what released rows say, and the requirement that holds in each. It may be
handed out. The private part is the letters: which combinations of values went into which box. Overlapping boxes need it to
release the same table again; it is nearly the table itself and stays with the curator.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from discreet._text import counted
from discreet._typing import Limits, Unseen
from discreet.auditing._group_requirements import GroupRequirement, findings
from discreet.columns._boxes import Boxes
from discreet.columns._hierarchy import Hierarchy
from discreet.columns._types import ColumnType
from discreet.errors import InputError
from discreet.release import _releasing as releasing
from discreet.release import _table_policy_files as table_policy_files
from discreet.release._letter_table import LetterTable, listed_labels
from discreet.release._table_policy_files import Shape
from discreet.release._verifying import Verification, verify
from discreet.tables._writing import write_text

if TYPE_CHECKING:
    from discreet._typing import BoolArray, FloatArray, IntArray
    from discreet.joint._joint import Joint
    from discreet.tables._bands import Band
    from discreet.tables._labels import Alphabet


@dataclass(frozen=True, eq=False)
class TablePolicy:
    """How the public columns of a table are coarsened together.

    Attributes
    ----------
    public, sensitive
        The columns' names.
    types
        The type of each public column.
    boxes
        What each group of records says, one cell per public column.
    require
        What every released group has, recomputed whenever a table is released or verified.
    loss, bound
        GCP, the weighted mean NCP of all cells with suppressed records at 1; and what no release of this table can beat.
    letters
        The private part; None in the public face.
    """

    public: tuple[str, ...]
    sensitive: tuple[str, ...]
    types: tuple[ColumnType, ...] = field(repr=False)
    boxes: Boxes = field(repr=False)
    require: tuple[GroupRequirement, ...]
    shape: Shape
    loss: float
    bound: float | None
    loss_by_column: dict[str, float] = field(repr=False)
    before: dict[str, float] = field(repr=False)
    after: dict[str, float] = field(repr=False)
    records: int = 0
    suppressed: int = 0
    missing: str = "level"
    na: tuple[str, ...] = ()
    unseen: Unseen = "nearest"
    letters: LetterTable | None = field(default=None, repr=False)
    source: dict[str, Any] = field(default_factory=dict, repr=False)
    side: tuple[str, ...] = ()
    blind: bool = False  # groups were formed without looking at sensitive values, which only decided how large n is

    @property
    def is_public(self) -> bool:
        """Whether this is the public face, without letters."""
        return self.letters is None

    @property
    def is_of_typed_columns(self) -> bool:
        """Whether its columns were judged before it was made: they were."""
        return True

    @property
    def blocks(self) -> Boxes:
        """The boxes, by the name that other policies have for them."""
        return self.boxes

    @cached_property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        """What a released row of each group says, one text per public column."""
        return self.boxes.labels

    @cached_property
    def weights(self) -> FloatArray:
        """The columns' weights, with sum 1."""
        given = np.array([kind.weight for kind in self.types], dtype=np.float64)
        return np.asarray(given / given.sum())

    @property
    def codewords(self) -> tuple[Any, ...]:
        """Boxes have no numbers that stand for them."""
        return ()

    def blocks_of(self, x: Alphabet) -> tuple[IntArray, BoolArray]:
        """The box of every letter of a table (−1: none is true of it), and which letters this policy suppresses.

        A letter that was seen before goes where it went, and so do others of the same finest cells. A new one goes to the
        cheapest box that is true of it, unless the policy suppresses what it has never seen.
        """
        if self.letters is not None:
            group, known = self.letters.find(x, self.types)
        elif self.shape == "local":
            raise InputError(
                "this is the public part of a policy whose cells overlap: which of them a row gets stands in the private "
                "part, so apply that one"
            )
        else:
            group, known = np.full(len(x), -1, dtype=np.int64), np.zeros(len(x), dtype=bool)
        withheld = known & (group < 0)
        new = np.flatnonzero(~known)
        if len(new) and (self.unseen == "nearest" or self.letters is None):
            rows = x.codes if x.codes is not None else np.arange(len(x))[:, None]
            group[new] = self.boxes.holding([listed_labels(column) for column in x.columns], rows[new], self.weights)
        return group, withheld

    def recurs_in(self, x: Alphabet, records: int) -> bool:
        """Whether every combination of its map is among these letters, of at least as many records as it was made from."""
        if self.letters is None or records < self.records:
            return False
        place = self.letters.place(x)
        return len(np.unique(place[place >= 0])) == len(self.letters)

    # ------------------------------------------------------------------ promises

    @property
    def promised(self) -> tuple[str, ...]:
        """The figures that are bounds, by symbol."""
        return tuple(dict.fromkeys(each.symbol for each in self.require))

    @property
    def counts_records(self) -> bool:
        """Whether records in every group are promised, which released rows alone can show."""
        return "n" in self.promised

    @property
    def bands(self) -> dict[str, Band]:
        """Columns of whole tables have the bands of their types, and are counted as they are."""
        return {}

    @property
    def about_sensitive(self) -> tuple[str, ...]:
        """The promises that need the sensitive columns, or the original."""
        return tuple(str(each) for each in self.require if each.symbol != "n")

    def figures(self, joint: Joint) -> dict[str, float]:
        """What stewards ask of the groups of a table: the smallest, the poorest, how many, and how many are alone."""
        found = {
            "n": float(joint.records.min()),
            "groups": float(joint.n_x),
            "uniques": float((joint.records == 1).sum()),
        }
        alone = [joint.select(sensitive=[name]) if len(joint.sensitive) > 1 else joint for name in joint.sensitive]
        if alone:
            found["k"] = float(min(each.distinct.min() for each in alone))
            found["L0"] = max(math.log2(each.n_s / each.distinct.min()) for each in alone)
            asked = [each for each in self.require if each.symbol not in found and not self._unfit(each, joint)]
            for each in findings(asked, joint):
                both = [each.worst, found.get(each.requirement.symbol, each.worst)]
                found[each.requirement.symbol] = each.requirement.worst(np.array(both))
        return found

    def _unfit(self, each: GroupRequirement, joint: Joint) -> list[str]:
        """Why a requirement cannot be held against a joint, column by column."""
        about = [name for name in joint.sensitive if each.column in (None, name)] if each.symbol == "t_hier" else []
        return [words for name in about if (words := each.unfit(name, joint.select(sensitive=[name]).s))]

    def misclaims(self, found: dict[str, float]) -> list[str]:
        """Figures of this policy that recomputed ones do not bear out."""
        return [
            f"the policy claims {symbol} {self.after[symbol]:.4g}, the original gives {found[symbol]:.4g}"
            for symbol in ("n", "k")
            if symbol in found and symbol in self.after and found[symbol] < self.after[symbol]
        ]

    def broken_by(self, after: Joint) -> list[str]:
        """Why a released joint does not keep the promises; where S is not there, records alone are looked at."""
        asked = [each for each in self.require if each.symbol == "n" or after.sensitive]
        unfit = {each: self._unfit(each, after) for each in asked}
        reasons = [words for each in asked for words in unfit[each]]
        fit = [each for each in asked if not unfit[each]]
        return [*reasons, *(found.sentence() for found in findings(fit, after) if not found.met)]

    def face(self) -> TablePolicy:
        """The public face: cells and promises, without the values that occurred and without the source."""
        require = tuple(replace(each, hierarchies={}) for each in self.require)  # they list sensitive values
        return replace(self, letters=None, source={}, require=require)

    def with_hierarchies(self, hierarchies: Mapping[str, str | Path | Hierarchy]) -> TablePolicy:
        """The same with the hierarchies of sensitive columns, which a public face does not hold, for promises of t_hier."""
        trees = {
            name: each if isinstance(each, Hierarchy) else Hierarchy.load(each) for name, each in hierarchies.items()
        }
        for name in trees:
            if not any(each.symbol == "t_hier" and each.column in (None, name) for each in self.require):
                raise InputError(f"a hierarchy is given for {name!r}, and the policy promises nothing about one of it")
            if name not in self.sensitive:
                raise InputError(f"a hierarchy is given for {name!r}, which is not a sensitive column of the policy")
        return replace(self, require=tuple(each.with_hierarchies(trees) for each in self.require))

    def with_source(self, **facts: Any) -> TablePolicy:
        """The same policy, with facts about the data it was made for."""
        return replace(self, source={**self.source, **facts})

    # ------------------------------------------------------------------ tables

    def release(self, table: object, **options: Any) -> Any:
        """The released table: the public columns, coarsened. See `discreet.Policy.release`."""
        return releasing.release(self, table, **options)

    def apply(self, table: object, **options: Any) -> Any:
        """Release new data if the requirement holds there too, else RequirementError."""
        return releasing.apply(self, table, **options)

    def verify(
        self, table: object, original: object | None = None, *, keep: Sequence[str] = (), **limits: Unpack[Limits]
    ) -> Verification:
        """Check a released table against this policy, from the table alone or against the original.

        What a public face cannot know, for want of the hierarchy of a sensitive column, is named as not checked.
        """
        lacking = {
            each: reason
            for each in self.require
            for name in self.sensitive
            if each.column in (None, name) and (reason := each.unfit(name, ()))
        }
        known = replace(self, require=tuple(each for each in self.require if each not in lacking))
        found = verify(known, table, original, keep=keep, **limits)
        return replace(found, unchecked=(*found.unchecked, *(f"{each}: {why}" for each, why in lacking.items())))

    # ------------------------------------------------------------------ files

    def to_dict(self) -> dict[str, Any]:
        """The policy file, as what JSON can hold."""
        return table_policy_files.document_of(self)

    def save(self, path: str | Path) -> None:
        """Write the policy file, whole or not at all; a full policy can be read by its owner alone.

        `policy.face().save(…)` writes the public policy, which may be handed out.
        """
        write_text(path, self.to_json(), private=not self.is_public)

    def to_json(self) -> str:
        """The text of the policy file."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False) + "\n"

    def __repr__(self) -> str:
        require = ", ".join(map(str, self.require))
        bound = "" if self.bound is None else f", none below {self.bound:.4g}"
        face = ", public face" if self.is_public else ""
        groups = counted(len(self.boxes), "group")
        return f"TablePolicy({', '.join(self.public)}: {groups}, {require}, loss {self.loss:.4g}{bound}{face})"
