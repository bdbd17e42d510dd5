"""Verifying a released table against its policy, trusting neither the table nor the policy's figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._text import counted, json_number
from discreet._typing import IntArray
from discreet.columns._guess import identify
from discreet.columns._judging import ValueCounts
from discreet.errors import ColumnError, RequirementError
from discreet.joint._joint import from_codes, nobody
from discreet.release._rows import Coded, ReleasedRows, as_tuple, carry_out
from discreet.report._pages import fragment
from discreet.tables._canonical import canonical
from discreet.tables._columns import encode_column
from discreet.tables._labels import Alphabet, Label, combine
from discreet.tables._sources import column_names, group
from discreet.tables._workbooks import further_sheets

if TYPE_CHECKING:
    from discreet._typing import Progress
    from discreet.release._coarsening import Coarsening


@dataclass(frozen=True)
class Verification:
    """What was checked, what was found wrong, and what could not be checked."""

    problems: tuple[str, ...]
    checked: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    rows: int = 0
    measures: dict[str, float] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Nothing wrong was found."""
        return not self.problems

    def __bool__(self) -> bool:
        return self.ok

    def to_dict(self) -> dict[str, Any]:
        """The outcome, for JSON."""
        return {
            "ok": self.ok,
            "problems": list(self.problems),
            "checked": list(self.checked),
            "unchecked": list(self.unchecked),
            "rows": self.rows,
            "measures": {symbol: json_number(value) for symbol, value in self.measures.items()},
        }

    def lines(self) -> list[str]:
        """The outcome, for people."""
        said = (("checked", self.checked), ("not checked", self.unchecked), ("problem", self.problems))
        return [*(f"{kind}: {text}" for kind, texts in said for text in texts), self._verdict]

    @property
    def _verdict(self) -> str:
        fits = ("fits", "does not fit") if self.rows == 1 else ("fit", "do not fit")
        return f"{counted(self.rows, 'row')} {fits[not self.ok]} the policy"

    def _repr_html_(self) -> str:
        said = (("problem", self.problems), ("checked", self.checked), ("not checked", self.unchecked))
        rows = [(kind, "", text) for kind, texts in said for text in texts]
        figures = [(symbol, f"{value:.4g}", "recomputed") for symbol, value in self.measures.items()]
        return fragment(self._verdict, [*rows, *figures])


@dataclass(frozen=True)
class Reading:
    """The block that every released row names, when cells are read as labels or as codewords; −1 for none."""

    block: IntArray
    same: IntArray  # the first block that has the same cell as each: two blocks may share a codeword
    unknown: int


@dataclass
class _Findings:
    """What was found so far."""

    problems: list[str] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    measures: dict[str, float] = field(default_factory=dict)

    def closed(self, rows: int) -> Verification:
        """What was found, as a result that no longer changes."""
        return Verification(tuple(self.problems), tuple(self.checked), tuple(self.unchecked), rows, self.measures)


def verify(
    policy: Coarsening,
    released: object,
    original: object | None = None,
    *,
    keep: Sequence[str] = (),
    memory_limit: str | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Hold a released table against a policy without trusting the policy's own figures.

    Every cell must be one of the policy's. Where the released table has the sensitive columns, leakage is recomputed
    from it; where the original is given, it is released anew and both must agree row for row, kept columns included.
    A column that the policy does not know must not name people, unless `keep` names it, and a workbook must have one sheet.
    `memory_limit` is what counting a file may use, such as "2GB".
    """
    names = column_names(released)
    lacking = [name for name in policy.public if name not in names]
    if lacking:
        return Verification((f"the released table has no column {lacking[0]!r}",))
    others = [name for name in dict.fromkeys(names) if name not in policy.public]
    values, counts = group(released, [*policy.public, *others], memory_limit=memory_limit, progress=progress)
    rows = int(counts.sum())
    if rows == 0:
        return Verification(("the released table has no rows",))
    coded = dict(zip([*policy.public, *others], (encode_column(column, frozenset()) for column in values), strict=True))
    readings = _readings(policy, [coded[name] for name in policy.public], counts)
    found = _Findings()
    if readings[0].unknown:
        found.problems.append(f"{readings[0].unknown} of {rows} rows have cells that the policy does not have")
    else:
        found.checked.append("every cell is one of the policy's")
    strangers = [name for name in others if name not in (*policy.sensitive, *policy.side, *keep)]
    _check_strangers(found, [ValueCounts.of(name, *coded[name], counts) for name in strangers])
    found.problems += [f"the workbook has another sheet, {sheet}" for sheet in further_sheets(released)]
    with_s = all(name in others for name in policy.sensitive)
    if with_s or policy.counts_records:
        _recompute(policy, found, coded, readings[0].block, counts)
    if original is not None:
        kept = [name for name in others if name in column_names(original)]
        found.unchecked += [f"column {name!r}: the original does not have it" for name in others if name not in kept]
        anew = partial(carry_out, policy, original, keep=kept, memory_limit=memory_limit, progress=progress)
        if not _compare(policy, found, anew, readings, ({name: coded[name] for name in kept}, counts)):
            return found.closed(rows)
    elif not with_s:
        found.unchecked += [
            f"{symbol}: neither the sensitive columns nor the original are here" for symbol in policy.about_sensitive
        ]
    found.unchecked += [
        f"{symbol}: the side information is not here"
        for symbol in policy.promised
        if policy.side and found.measures and symbol not in found.measures
    ]
    return found.closed(rows)


def _check_strangers(found: _Findings, columns: Sequence[ValueCounts]) -> None:
    """Look at the columns that the policy does not know: one that names people undoes whatever was promised of groups."""
    for column in columns:
        reason = identify(column.name, column.known[0], column.kind(), column.rows, column.values)
        if reason:
            found.problems.append(f"column {column.name!r} is none of the policy's, and names people ({reason.reason})")


def _recompute(policy: Coarsening, found: _Findings, coded: Coded, block: IntArray, counts: IntArray) -> None:
    """What the released table leaks by itself, where it has the sensitive columns."""
    known = block >= 0
    if not known.any():
        return
    narrowed = {name: (alphabet, codes[known]) for name, (alphabet, codes) in coded.items()}
    with_s = bool(policy.sensitive) and all(name in coded for name in policy.sensitive)
    s = combine([narrowed[name] for name in policy.sensitive], policy.sensitive) if with_s else nobody(int(known.sum()))
    with_a = policy.side and all(name in narrowed for name in policy.side)
    a = combine([narrowed[name] for name in policy.side], policy.side) if with_a else None
    joint = from_codes(s, (Alphabet((list(policy.labels),)), block[known]), counts[known], side=a)
    found.measures = policy.figures(joint)
    found.problems += policy.broken_by(joint)
    what = "leakage" if with_s else "records in every group"
    found.checked.append(f"{what}, recomputed from the released table")


def _compare(
    policy: Coarsening,
    found: _Findings,
    anew: Callable[[], ReleasedRows],
    readings: list[Reading],
    kept: tuple[Coded, IntArray],
) -> bool:
    """Release the original anew, and hold both against each other; False where the original cannot be released."""
    columns, counts = kept
    try:
        done = anew()
    except (RequirementError, ColumnError) as problem:
        found.problems.append(f"the original: {problem}")
        return False
    if done.joint is None:
        found.unchecked.append("leakage: the original has no sensitive columns")
    else:
        found.measures = done.measures
        found.problems += [reason for reason in policy.broken_by(done.joint) if reason not in found.problems]
        found.problems += policy.misclaims(found.measures)
        found.checked.append("leakage, recomputed from the original")
    if not readings[0].unknown:
        same = any(_rows(each, columns, counts) == _wanted(policy, each, done, list(columns)) for each in readings)
        told = found.checked if same else found.problems
        told.append(f"the released rows are {'' if same else 'not '}those that the policy makes of the original")
    return True


def _readings(policy: Coarsening, coded: Sequence[tuple[Alphabet, IntArray]], counts: IntArray) -> list[Reading]:
    """The readings of the released cells that explain most rows; both, where they explain as many."""
    axis, codes = combine(coded, policy.public)
    cells = [as_tuple(label) for label in axis.labels()]
    found = []
    words = [as_tuple(word) for word in policy.codewords]
    for texts in (policy.labels, words) if words else (policy.labels,):
        exact: dict[Any, int] = {}
        loose: dict[Any, int] = {}
        for number, text in enumerate(texts):
            exact.setdefault(text, number)
            loose.setdefault(_loosely(text), number)
        same = np.asarray([exact[text] for text in texts], dtype=np.int64)
        number_of = [exact.get(cell, loose.get(_loosely(cell), -1)) for cell in cells]
        block = np.asarray(number_of, dtype=np.int64)[codes]
        found.append(Reading(block, same, int(counts[block < 0].sum())))
    least = min(reading.unknown for reading in found)
    return [reading for reading in found if reading.unknown == least]


def _loosely(cell: Sequence[Label]) -> tuple[Label, ...]:
    """A cell as it is read where all cells look like numbers or dates: "1000000.0" is the number 1000000 there."""
    return tuple(canonical([part])[0] for part in cell)


def _rows(reading: Reading, kept: Coded, counts: IntArray) -> dict[Any, int]:
    """How often each block occurs with each row of the kept columns, as released."""
    columns = [[_loosely([label])[0] for label in alphabet.labels()] for alphabet, _ in kept.values()]
    entries = [codes.tolist() for _, codes in kept.values()]
    keys = zip(
        reading.same[reading.block].tolist(),
        *([labels[code] for code in codes] for labels, codes in zip(columns, entries, strict=True)),
        strict=True,
    )
    return _totals(keys, counts.tolist())


def _wanted(policy: Coarsening, reading: Reading, done: ReleasedRows, kept: Sequence[str]) -> dict[Any, int]:
    """The same, as the policy makes them of the original."""
    number = {label: i for i, label in enumerate(policy.labels)}
    cells = zip(*(done.columns[name] for name in policy.public), strict=True)
    keys = zip(
        (int(reading.same[number[cell]]) for cell in cells),
        *([_loosely([label])[0] for label in done.columns[name]] for name in kept),
        strict=True,
    )
    return _totals(keys, done.counts.tolist())


def _totals(keys: Any, counts: Sequence[int]) -> dict[Any, int]:
    found: dict[Any, int] = {}
    for key, count in zip(keys, counts, strict=True):
        found[key] = found.get(key, 0) + count
    return found
