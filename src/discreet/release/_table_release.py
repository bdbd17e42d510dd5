"""Releasing a whole table: rows, policy, its public face and a report, written together or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet._text import counted
from discreet._typing import KeepAnyway, Progress, Stopped, Unseen
from discreet.auditing._group_requirements import GroupFinding, findings
from discreet.auditing._looking import Look, look_at
from discreet.auditing._risk import Risk
from discreet.errors import InputError, RequirementError
from discreet.release._comparison import Comparison, compare
from discreet.release._models import ModelScore, score_models
from discreet.release._people import PeopleColumns, PeopleRisk
from discreet.release._releasing import (
    FILE_WORDS,
    check_kept_columns,
    fingerprint,
    original_of,
    write_together,
)
from discreet.release._rows import ReleasedRows, carry_out, kept_columns, open_words
from discreet.release._table_page import table_fragment, table_page
from discreet.release._table_policy import TablePolicy
from discreet.tables._counting import counted_columns
from discreet.tables._labels import combine

if TYPE_CHECKING:
    from discreet._typing import IntArray


@dataclass(frozen=True, kw_only=True)
class TableReleaseOptions:
    """What a release of a whole table is asked for, beside its policy.

    Attributes
    ----------
    keep
        Other columns to release as they are.
    keep_anyway
        Columns to keep although the requirement is broken with them, or they hardly repeat (True: all that are kept); the
        report says so first.
    types
        Types that were said of columns, by name: they win over what a column's name suggests, never over what it holds.
    target
        A column that models will predict: the report says how well they still do.
    purpose
        What the release is for, for the report.
    unseen
        What becomes of combinations never seen, when the policy is applied to new data.
    people
        Columns of sample weights and households: the report says who is found by them, before and after.
    force
        Replace files that exist.
    memory_limit
        What counting a file may use, such as "2GB".
    """

    keep: Sequence[str] = ()
    keep_anyway: KeepAnyway = False
    types: Mapping[str, str] = field(default_factory=dict)
    target: str | None = None
    purpose: str = ""
    people: PeopleColumns = field(default_factory=PeopleColumns)
    unseen: Unseen = "nearest"
    force: bool = False
    memory_limit: str | None = None

    @property
    def kept(self) -> list[str]:
        """All columns to keep."""
        return kept_columns(self.keep, self.keep_anyway)[0]


@dataclass(frozen=True, eq=False)
class TableRelease:
    """A release of a whole table that was carried out, and the evidence recomputed from its rows."""

    policy: TablePolicy
    done: ReleasedRows = field(repr=False)
    files: dict[str, str]
    options: TableReleaseOptions = field(repr=False)
    findings: tuple[GroupFinding, ...] = field(repr=False)
    records: IntArray = field(repr=False)  # of each letter of the policy
    broken_by_keep: tuple[str, ...] = ()
    scores: tuple[ModelScore, ...] = ()
    stopped: Stopped | None = None  # what ended the search before it was done
    original: dict[str, Any] = field(default_factory=dict, repr=False)  # its file, for the report
    look: Look = field(default_factory=Look, repr=False)  # at whether a record is a person

    @property
    def interrupted(self) -> bool:
        """Whether somebody ended the search."""
        return self.stopped == "interrupt"

    @property
    def people(self) -> PeopleRisk:
        """Who was found by public values, and who is found now; with weights and households where they were named."""
        assert self.done.people is not None  # noqa: S101, publish_table() asks for it
        return self.done.people

    @property
    def risk_before(self) -> Risk:
        """How easily people were found by their public values."""
        return self.people.before.risk

    @property
    def risk_after(self) -> Risk:
        """How easily they are found now."""
        return self.people.after.risk

    @cached_property
    def comparison(self) -> Comparison:
        """Histograms and associations, before and after."""
        return compare(self.policy, self.records)

    @property
    def gap(self) -> float | None:
        """How much more loss this has than any release could have: loss / bound − 1."""
        bound = self.policy.bound
        return None if not bound else max(0.0, self.policy.loss / bound - 1)

    def to_dict(self) -> dict[str, Any]:
        """The outcome, for JSON."""
        policy = self.policy
        return {
            "files": self.files,
            "rows": self.done.rows,
            "loss": policy.loss,
            "bound": policy.bound,
            "gap": self.gap,
            "loss_by_column": dict(policy.loss_by_column),
            "groups": int(self.done.measures["groups"]),
            "n": int(self.done.measures["n"]),
            "k": int(self.done.measures["k"]) if "k" in self.done.measures else None,
            "suppressed": self.done.withheld + self.done.unseen,
            "dropped": self.done.dropped,
            "shape": policy.shape,
            "types": {name: kind.kind for name, kind in zip(policy.public, policy.types, strict=True)},
            "require": [each.to_dict() for each in self.findings],
            "broken_by_keep": list(self.broken_by_keep),
            "notes": self.look.record_sentences(),
            "risk": {"before": self.people.before.to_dict(), "after": self.people.after.to_dict()},
            "models": [
                {"model": each.model, "original": each.original, "released": each.released} for each in self.scores
            ],
            "interrupted": self.interrupted,
            "stopped": self.stopped,
        }

    def lines(self) -> list[str]:
        """The outcome, for people."""
        policy, before = self.policy, self.risk_before
        small = f"{before.below[5]:,} of {before.records:,} records were in groups smaller than 5"
        rows, groups = counted(self.done.rows, "row"), counted(int(self.done.measures["groups"]), "group")
        text = [f"careful: with the columns kept, {reason}" for reason in self.broken_by_keep]
        text += [f"careful: {sentence}" for sentence in self.look.record_sentences()]
        text += [
            f"{rows} in {groups} written to {self.files['out']}; {small}",
            *(each.sentence() for each in self.findings),
            f"loss {figure(policy.loss)} of 1{self._bound_words}",
            "loss by column: " + ", ".join(f"{name} {loss:.3f}" for name, loss in policy.loss_by_column.items()),
        ]
        text += self.people.sentences(tuple(self.done.columns))
        if self._few_may_cost_all:
            text.append("a few records may make everybody coarse: try --suppress with a few in a thousand of the rows")
        types = ", ".join(f"{name} {kind}" for name, kind in zip(policy.public, policy.types, strict=True))
        text.append(f"types: {types}")
        gone = self.done.withheld + self.done.unseen
        if gone or self.done.dropped:
            text.append(
                f"not released: {counted(gone, 'row')} suppressed, {self.done.dropped:,} with missing values dropped"
            )
        text += open_words(self.done, policy.sensitive)
        text += [
            f"{each.model}: area under the curve {each.released:.3f} trained on the release, "
            f"{each.original:.3f} on the original"
            for each in self.scores
        ]
        text += self.stop_words()
        return text + [
            f"{FILE_WORDS.get(name, name)} written to {path}" for name, path in self.files.items() if name != "out"
        ]

    def stop_words(self) -> list[str]:
        """What ended the search before it was done, for people; nothing where no release could be better."""
        best = "this is the best release found until then"
        if self.interrupted:
            return [f"interrupted: {best}"]
        proven = self.policy.bound is not None and self.policy.loss <= self.policy.bound
        return [f"the time limit came first: {best}"] if self.stopped and not proven else []

    @property
    def _few_may_cost_all(self) -> bool:
        """Whether nothing was suppressed, the loss is large, and nothing proves that it must be."""
        policy = self.policy
        return not policy.suppressed and policy.loss > 0.3 and policy.loss > 5 * (policy.bound or 0)

    @property
    def _bound_words(self) -> str:
        bound, gap = self.policy.bound, self.gap
        if not bound or gap is None:
            return " (how much better another could be was not proven)" if self.policy.loss else ""
        above = f": at most {gap:.0%} more than any release could have" if gap < 10 else ""
        return f", and no release has less than {figure(bound)} (proven){above}"

    def to_html(self) -> str:
        """The report, one self-contained page to read and sign."""
        return table_page(self)

    def _repr_html_(self) -> str:
        return table_fragment(self)

    def __repr__(self) -> str:
        return f"TableRelease({counted(self.done.rows, 'row')} to {self.files['out']}, {self.policy!r})"


def figure(share: float) -> str:
    """A share between 0 and 1 with four decimals, or two digits where these would hide it.

    Examples
    --------
    >>> figure(0.1234567), figure(0.00001234), figure(0)
    ('0.1235', '1.2e-05', '0.0000')
    """
    return f"{share:.4f}" if share >= 0.001 or share == 0 else f"{share:.2g}"


def publish_table(
    table: object,
    policy: TablePolicy,
    *,
    files: dict[str, str],
    options: TableReleaseOptions | None = None,
    stopped: Stopped | None = None,
    progress: Progress | None = None,
) -> TableRelease:
    """Release a table by its policy into files that `check_files` let pass; all of them or none."""
    options = options or TableReleaseOptions()
    policy = replace(policy, unseen=options.unseen, source=original_of(table))
    options.people.check(table, (*policy.public, *policy.sensitive), options.kept, policy.na)
    limit = options.memory_limit
    done = carry_out(
        policy,
        table,
        keep=options.keep,
        keep_anyway=options.keep_anyway,
        people=options.people,
        memory_limit=limit,
        progress=progress,
    )
    if done.joint is None:
        raise InputError("the table lost its sensitive columns while it was released")
    reasons = policy.broken_by(done.joint)
    if reasons:
        raise RequirementError("the table changed while it was released: " + "; ".join(reasons))
    by_keep = check_kept_columns(policy, done, options.types)
    letters, target = targets_of(table, policy, options.target, memory_limit=options.memory_limit, progress=progress)
    scores = score_models(policy, letters, target, without=options.target) if target is not None else ()
    records = np.bincount(letters, minlength=len(policy.letters or ()))
    found = tuple(findings(policy.require, done.joint))
    original = fingerprint(table)
    release = TableRelease(
        policy, done, files, options, found, records, by_keep, scores, stopped, original, look_at(table, na=policy.na)
    )
    _write_all(release, table)
    return release


def targets_of(
    table: object,
    policy: TablePolicy,
    target: str | None,
    *,
    memory_limit: str | None = None,
    progress: Progress | None = None,
) -> tuple[IntArray, IntArray | None]:
    """Each record's letter, and its class of the target column where one is named."""
    names = [*policy.public, *([target] if target else [])]
    coded, counts = counted_columns(table, names, na=frozenset(policy.na), memory_limit=memory_limit, progress=progress)
    x, x_codes = combine(coded[: len(policy.public)], policy.public)
    assert policy.letters is not None  # noqa: S101, a policy that was just made has them
    letter = policy.letters.place(x)[x_codes]
    known = letter >= 0
    repeated = np.repeat(letter[known], counts[known])
    return repeated, np.repeat(coded[-1][1][known], counts[known]) if target else None


def _write_all(release: TableRelease, table: object) -> None:
    """Table, policies and report, all of them or none."""
    files = release.files
    texts = {"policy": release.policy.to_json()}
    if "public_policy" in files:
        texts["public_policy"] = release.policy.face().to_json()
    if "report" in files:
        texts["report"] = release.to_html()
    write_together(release.done, table, files, texts)
