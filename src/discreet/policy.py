"""Policy: a partition of the alphabet of X with a codeword and a readable cell for every block.

A policy holds values, never records: which letters share a block, what a released cell says, what the release leaks.
Its file can be checked, applied to new data and verified without trusting whoever wrote it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

import discreet
from discreet import cells
from discreet.errors import InputError
from discreet.joint import Blocks, Joint
from discreet.labels import Label, order_key, plain
from discreet.measures import REGISTRY
from discreet.sealing import seal
from discreet.tables import MissingPolicy
from discreet.words import json_number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from discreet.verifying import Verification

SCHEMA = 1
Unseen = Literal["nearest", "suppress"]
MEASURED = ("L0", "I*", "L*", "k", "n", "H0", "I", "Lmin", "I_inf")  # before and after, in every policy file
TO_THE_INFORMED = {"L0": "L0|A", "I*": "I*,A"}  # the same to an adversary who knows the side information
PROMISED = {"L0": ("L0",), "I*": ("I*",), "L0|I*=0": ("L0", "I*"), "I": ("I",), "Lmin": ("Lmin",), "I_inf": ("I_inf",)}


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
    alone: dict[str, int] = field(
        default_factory=dict
    )  # distinct values of each sensitive column, where there are several
    source: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_blocks(
        cls,
        joint: Joint,
        blocks: Iterable[Iterable[Label]],
        *,
        codewords: Sequence[Label] | None = None,
        leakage: str = "L0",
        utility: dict[str, float] | None = None,
        missing: MissingPolicy | None = None,
        na: Sequence[str] = (),
        unseen: Unseen = "nearest",
        names: Sequence[str] = (),
        at_least: int = 0,
        problem: str = "funnel",
    ) -> Policy:
        """The policy of a partition of joint.x, measured before and after."""
        coarse = joint.coarsen(blocks)
        return cls(
            public=joint.public or tuple(f"x{i}" for i in range(_width(joint.x[0]))),
            sensitive=joint.sensitive,
            side=joint.side.a.names if joint.has_side else (),
            blocks=coarse.x,
            codewords=tuple(codewords) if codewords is not None else (None,) * len(coarse.x),
            leakage=leakage,
            before=measured(joint, leakage),
            after=measured(coarse, leakage),
            utility=dict(utility or {}),
            missing=missing or (joint.missing.policy if joint.missing else "level"),
            na=tuple(na),
            unseen=unseen,
            names=tuple(names),
            at_least=at_least,
            problem=problem,
            alone=alone_in(coarse),
        )

    # ------------------------------------------------------------------ cells

    @cached_property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        """What a released row of each block says, one text a public column; unique to the block."""
        if self.names:
            return tuple(cells.unique([(name,) for name in self.names]))
        if len(self.public) == 1:
            letters, owner = self._sorted_letters
            texts, _ = cells.block_labels(letters, owner, len(self.blocks))
            return tuple(cells.unique([(text,) for text in texts]))
        columns = [
            tuple(cells.hull([letter[i] for letter in block]) for i in range(len(self.public))) for block in self.blocks
        ]
        return tuple(cells.unique(columns))

    @cached_property
    def _sorted_letters(self) -> tuple[list[Label], npt.NDArray[np.int64]]:
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
        return cells.block_labels(letters, owner, len(self.blocks))[1]

    def block_of(self, label: Label) -> int | None:
        """The number of the block that a value is released as, or None where it must be suppressed.

        A value never seen goes to the nearest block whose cell is true of it, unless the policy suppresses what it
        has never seen.
        """
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
            if all(cells.hull_holds([letter[i] for letter in block], part) for i, part in enumerate(label)):
                return int(owner[candidate])
        return None

    @cached_property
    def _places(self) -> tuple[list[npt.NDArray[np.float64] | None], list[float]]:
        """Every letter's position in every column that lies on a line, and that column's range."""
        letters, _ = self._sorted_letters
        places: list[npt.NDArray[np.float64] | None] = []
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

    def broken_by(self, after: Joint) -> list[str]:
        """Why a released joint does not keep the promises; empty when it does."""
        reasons = []
        if after.n_s < 2:
            reasons.append("the table has a single sensitive value: everybody's is known")
        found = measured(after, self.leakage)
        for symbol in self.promised:
            if symbol not in found:
                continue  # the side information is not here
            value, bound = found[symbol], self.after[symbol]
            if value > bound + 1e-12 * max(1.0, bound):
                reasons.append(f"{symbol} is {value:.4g} bits, the policy promises {bound:.4g}")
        for name, count in alone_in(after).items():
            if count < self.alone.get(name, 0):
                reasons.append(
                    f"{name} alone has {count} distinct values in a group, the policy promises {self.alone[name]}"
                )
        least = int(after.distinct.min())
        if least < self.promised_distinct:
            short = int((after.distinct < self.promised_distinct).sum())
            reasons.append(
                f"{short} of {after.n_x} released groups have fewer than the {self.promised_distinct} distinct sensitive "
                f"values promised (the least has {least})"
            )
        if self.at_least and float(after.records.min()) < self.at_least:
            few = int((after.records < self.at_least).sum())
            reasons.append(
                f"{few} of {after.n_x} released groups have fewer than the {self.at_least} records promised "
                f"(the least has {after.records.min():g})"
            )
        return reasons

    # ------------------------------------------------------------------ tables (see releasing.py)

    def release(self, table: object, **options: Any) -> Any:
        """The released table: the public columns, coarsened. See `discreet.releasing.release`."""
        from discreet import releasing

        return releasing.release(self, table, **options)

    def apply(self, table: object, **options: Any) -> Any:
        """Release new data if the promises hold there too, else RequirementError. See `discreet.releasing.apply`."""
        from discreet import releasing

        return releasing.apply(self, table, **options)

    def verify(self, table: object, original: object | None = None, **options: Any) -> Verification:
        """Check a released table against this policy, from the table alone. See `discreet.verifying.verify`."""
        from discreet import verifying

        return verifying.verify(self, table, original, **options)

    # ------------------------------------------------------------------ files

    def to_dict(self) -> dict[str, Any]:
        """The policy file."""
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "tool": f"discreet {discreet.__version__}",
            "columns": {
                "public": [
                    {"name": name, "type": kind} for name, kind in zip(self.public, self.column_kinds, strict=True)
                ],
                "sensitive": list(self.sensitive),
                "side": list(self.side),
            },
            "missing": self.missing,
            "na": list(self.na),
            "unseen": self.unseen,
            "names": list(self.names),
            **({"at_least": self.at_least} if self.at_least else {}),
            **({"problem": self.problem} if self.problem != "funnel" else {}),
            "alone": dict(self.alone),
            "withheld": [cells.to_json(letter) for letter in self.withheld],
            "leakage": self.leakage,
            "before": {symbol: json_number(value) for symbol, value in self.before.items()},
            "after": {symbol: json_number(value) for symbol, value in self.after.items()},
            "utility": {name: json_number(value) for name, value in self.utility.items()},
            "blocks": [
                {
                    "cells": list(label),
                    "codeword": cells.to_json(codeword),
                    "letters": [cells.to_json(x) for x in block],
                }
                for block, codeword, label in zip(self.blocks, self.codewords, self.labels, strict=True)
            ],
            "source": self.source,
        }
        document["sha256"] = seal(document)
        return document

    @cached_property
    def column_kinds(self) -> tuple[str, ...]:
        """ "number", "date" or "text" for every public column."""
        letters = [*self.withheld, *(letter for block in self.blocks for letter in block)]
        columns = zip(*letters, strict=True) if len(self.public) > 1 else [letters]
        return tuple(cells.column_kind(list(column)) for column in columns)

    def save(self, path: str | Path) -> None:
        """Write the policy file, whole or not at all."""
        from discreet.tables.writing import write_text

        write_text(path, self.to_json())

    def to_json(self) -> str:
        """The text of the policy file."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    @classmethod
    def load(cls, path: str | Path) -> Policy:
        """Read a policy file; refuse one that is cut short, changed by hand, or of a newer version."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise InputError(f"{path} is not a policy file: it is not text") from None
        except OSError as problem:
            raise InputError(f"{path} cannot be read: {problem.strerror}") from None
        try:
            document = json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            raise InputError(f"{path} is not a policy file, or it is cut short: it does not read as JSON") from None
        return cls.from_dict(document, where=str(path))

    @classmethod
    def from_dict(cls, document: Any, *, where: str = "the policy") -> Policy:
        """A policy from what `to_dict` wrote."""
        schema = document.get("schema") if isinstance(document, dict) else None
        if type(schema) is not int or schema < 1:
            raise InputError(f"{where} is not a policy file: it names no schema")
        if schema > SCHEMA:
            raise InputError(f"{where} was written by a newer discreet (schema {schema}): update discreet")
        try:
            if document.get("sha256") != seal({name: document[name] for name in document if name != "sha256"}):
                raise InputError(f"{where} was changed after it was written: its sha256 does not match")
            policy = cls(
                public=tuple(column["name"] for column in document["columns"]["public"]),
                sensitive=tuple(document["columns"]["sensitive"]),
                side=tuple(document["columns"]["side"]),
                blocks=tuple(tuple(cells.from_json(x) for x in block["letters"]) for block in document["blocks"]),
                codewords=tuple(cells.from_json(block["codeword"]) for block in document["blocks"]),
                leakage=document["leakage"],
                before={symbol: float(value) for symbol, value in document["before"].items()},
                after={symbol: float(value) for symbol, value in document["after"].items()},
                utility={name: float(value) for name, value in document["utility"].items()},
                missing=document["missing"],
                na=tuple(document["na"]),
                unseen=document["unseen"],
                withheld=tuple(cells.from_json(x) for x in document["withheld"]),
                names=tuple(document["names"]),
                at_least=int(document.get("at_least", 0)),
                problem=str(document.get("problem", "funnel")),
                alone={name: int(count) for name, count in document["alone"].items()},
                source=document["source"],
            )
            fault = _fault(policy)
            if not fault and [list(label) for label in policy.labels] != [each["cells"] for each in document["blocks"]]:
                fault = "its cells are not those of its blocks"
        except InputError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError) as problem:
            raise InputError(f"{where} is not a complete policy file ({type(problem).__name__})") from None
        if fault:
            raise InputError(f"{where} does not hold together: {fault}")
        return policy

    def with_source(self, **facts: Any) -> Policy:
        """The same policy, with facts about the data it was made for."""
        return replace(self, source={**self.source, **facts})

    def __repr__(self) -> str:
        utility = ", ".join(f"{name} {value:.4g}" for name, value in self.utility.items())
        return (
            f"Policy({', '.join(self.public)}: {sum(map(len, self.blocks))} letters in {len(self.blocks)} blocks, "
            + "".join(f"{symbol} {self.after[symbol]:.3f}, " for symbol in self.promised if symbol not in ("L0", "I*"))
            + f"L0 {self.after['L0']:.3f}, I* {self.after['I*']:.3f}, k {self.promised_distinct}"
            + (f", {utility})" if utility else ")")
        )

    def _repr_html_(self) -> str:
        from discreet.report import policy_fragment

        return policy_fragment(self)


def renyi_order(leakage: str) -> float | None:
    """The order of a worst-case Rényi leakage by its symbol, else None.

    >>> renyi_order("D_2"), renyi_order("D_inf"), renyi_order("L0")
    (2.0, inf, None)
    """
    named = re.fullmatch(r"D_(inf|0|[1-9][0-9]*|(?:0|[1-9][0-9]*)\.[0-9]*[1-9])", leakage)
    return float(named[1]) if named else None


def promised_by(leakage: str) -> tuple[str, ...]:
    """The measures that a policy for this leakage bounds; nothing where the leakage is not known."""
    return PROMISED.get(leakage) or ((leakage,) if renyi_order(leakage) is not None else ())


def measured(joint: Joint, leakage: str = "L0") -> dict[str, float]:
    """The measures that a policy file states: always the same, and the leakage that the policy is about."""
    found = {
        symbol: REGISTRY[symbol](joint)
        for symbol in dict.fromkeys((*MEASURED, *promised_by(leakage)))
        if REGISTRY[symbol].kind == "range" or (joint.has_counts and (symbol != "n" or joint.is_integral))
    }
    if joint.has_side:
        found |= {name: REGISTRY[symbol](joint, side=True) for symbol, name in TO_THE_INFORMED.items()}
    return found


def alone_in(joint: Joint) -> dict[str, int]:
    """The fewest distinct values of each sensitive column by itself, where several are protected together."""
    if len(joint.sensitive) < 2:
        return {}
    return {name: int(joint.select(sensitive=[name]).distinct.min()) for name in joint.sensitive}


def _fault(policy: Policy) -> str:
    """What does not fit together in a policy that was read from a file; nothing when all does."""
    letters = [*policy.withheld, *(letter for block in policy.blocks for letter in block)]
    width = len(policy.public)
    roles = (*policy.public, *policy.sensitive, *policy.side)
    faults = {
        "it has no public columns": not policy.public,
        "a column is not named by text, or named twice": not all(isinstance(name, str) for name in roles)
        or any(len(set(names)) < len(names) for names in (policy.public, policy.sensitive, policy.side)),
        "its blocks are not all named": bool(policy.names) and len(policy.names) != len(policy.blocks),
        "it has no blocks, or an empty one": not (policy.blocks and all(policy.blocks)),
        "a letter stands in two blocks": len(set(letters)) < len(letters),
        "a letter has not one value a column": width > 1
        and not all(isinstance(letter, tuple) and len(letter) == width for letter in letters),
        "its leakage is not known": not (isinstance(policy.leakage, str) and promised_by(policy.leakage)),
        "its problem is not known": policy.problem not in ("funnel", "bottleneck"),
        "its rule for missing values is not known": policy.missing not in get_args(MissingPolicy),
        "its rule for unseen values is not known": policy.unseen not in get_args(Unseen),
        "it does not say what it promises": not {"L0", "I*", "k", *policy.promised} <= policy.after.keys(),
        "its source is not a list of facts": not isinstance(policy.source, dict),
    }
    return next((words for words, is_wrong in faults.items() if is_wrong), "")


def _no_constant(name: str) -> None:
    raise ValueError(name)  # NaN and Infinity are not JSON


def _width(label: Label) -> int:
    return len(label) if isinstance(label, tuple) else 1
