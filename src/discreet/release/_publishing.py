"""Publishing: pick a point of a frontier, release the table by it, and write table, policy and report together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from discreet._text import counted, json_number, utility_text
from discreet._typing import Cells, KeepAnyway, Progress, Unseen
from discreet.auditing._looking import Look, look_at
from discreet.errors import InputError, RequirementError
from discreet.release._people import PeopleColumns, PeopleRisk
from discreet.release._policy import Policy
from discreet.release._promises import promised_by
from discreet.release._release_page import release_fragment, release_page
from discreet.release._releasing import (
    FILE_WORDS,
    check_files,
    check_kept_columns,
    check_public_part,
    fingerprint,
    original_of,
    write_together,
)
from discreet.release._rows import ReleasedRows, carry_out, kept_columns, open_words

if TYPE_CHECKING:
    from discreet.joint._joint import Joint
    from discreet.release._frontier import Frontier
    from discreet.release._points import Point


class Cut(TypedDict, total=False):
    """Which point of the frontier, as of `Frontier.at`: one of these."""

    multiplier: float | None
    max_leakage: float | None
    min_utility: float | None
    min_k: float | None
    min_leakage: float | None
    max_utility: float | None


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions:
    """What a release is asked for, beside the point of the frontier.

    Attributes
    ----------
    keep
        Other columns to release as they are.
    keep_anyway
        Columns to keep although the policy's promises are broken with them, or they hardly repeat (True: all that are kept);
        the report says so first.
    types
        Types that were said of columns, by name: they win over what a column's name suggests, never over what it holds.
    cells
        What a cell holds: its block's "label" or its "codeword".
    unseen
        What becomes of values that the policy has never seen.
    suppress
        Rows that may be withheld instead of merged, where that makes the rest more useful.
    time_limit
        Seconds that looking for rows to withhold may take.
    na
        Texts that mean missing, as the table was counted with.
    purpose
        What the release is for, for the report.
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
    cells: Cells = "label"
    unseen: Unseen = "nearest"
    suppress: int = 0
    time_limit: float | None = None
    na: Sequence[str] = ()
    purpose: str = ""
    people: PeopleColumns = field(default_factory=PeopleColumns)
    force: bool = False
    memory_limit: str | None = None

    @property
    def kept(self) -> list[str]:
        """All columns to keep."""
        return kept_columns(self.keep, self.keep_anyway)[0]


@dataclass(frozen=True, eq=False)
class Release:
    """A release that was carried out: the policy, the point it was chosen from, and what came out."""

    policy: Policy
    point: Point
    frontier: Frontier
    done: ReleasedRows = field(repr=False)
    files: dict[str, str]
    options: ReleaseOptions
    broken_by_keep: tuple[str, ...] = ()  # what does not hold with the columns kept
    is_cut_short: bool = False  # whether time ended the search for rows to suppress
    original: dict[str, Any] = field(default_factory=dict, repr=False)  # its file, for the report
    look: Look = field(default_factory=Look, repr=False)  # at whether a record is a person

    @property
    def joint(self) -> Joint:
        """What the frontier was computed from."""
        return self.frontier.setting.joint

    @property
    def people(self) -> PeopleRisk:
        """Who was found by public values, and who is found now; with weights and households where they were named."""
        assert self.done.people is not None  # noqa: S101, carry_through() asks for it
        return self.done.people

    @property
    def suppressed(self) -> int:
        """Rows that are not in the release because the policy withholds their letters."""
        return self.done.withheld

    @property
    def utility(self) -> float:
        """What the release keeps, of the values themselves: letters that are bands lie nearer to their codewords."""
        return self.policy.utility.get(self.frontier.utility, self.point.utility)

    def to_dict(self) -> dict[str, Any]:
        """The outcome, for JSON."""
        return {
            "files": self.files,
            "rows": self.done.rows,
            "dropped": self.done.dropped,
            "suppressed": self.suppressed,
            "blocks": len(self.policy.blocks),
            "stopped": self.frontier.stopped or ("time" if self.is_cut_short else None),
            "leakage": {"measure": self.frontier.leakage, "value": self.point.leakage, "bound": self.point.bound},
            "utility": {"measure": self.frontier.utility, "value": self.utility},
            "before": {symbol: json_number(value) for symbol, value in self.policy.before.items()},
            "after": {symbol: json_number(value) for symbol, value in self.done.measures.items()},
            "broken_by_keep": list(self.broken_by_keep),
            "notes": self.look.record_sentences(),
            "risk": {"before": self.people.before.to_dict(), "after": self.people.after.to_dict()},
        }

    def lines(self) -> list[str]:
        """The outcome, for people."""
        before, after = self.policy.before, self.done.measures
        text = [f"careful: with the columns kept, {reason}" for reason in self.broken_by_keep]
        text += [f"careful: {sentence}" for sentence in self.look.record_sentences()]
        rows, groups = counted(self.done.rows, "row"), counted(len(self.policy.blocks), "group")
        text += [f"{rows} in {groups} written to {self.files['out']}"]
        text += [
            f"{symbol} {before[symbol]:.3f} -> {after[symbol]:.3f} bits"
            for symbol in reversed(promised_by(self.policy.leakage))
            if symbol not in ("L0", "I*") and symbol in after
        ]
        text += [
            f"L0 {before['L0']:.3f} -> {after['L0']:.3f} bits, I* {before['I*']:.3f} -> {after['I*']:.3f} bits, "
            f"distinct values in the worst group {before['k']:.0f} -> {after['k']:.0f}",
            f"{utility_text(self.frontier.utility, self.utility)}{self._bound_words}",
        ]
        text += [
            f"{name} was counted by {band.words()}, which the figures account for"
            for name, band in self.policy.bands.items()
        ]
        text += self.people.sentences(tuple(self.done.columns))
        if "L0|A" in after:
            known = ", ".join(self.policy.side)
            text.append(f"to somebody who knows {known}: L0 {before['L0|A']:.3f} -> {after['L0|A']:.3f} bits (L0|A)")
        text += open_words(self.done, self.policy.sensitive)
        if self.suppressed or self.done.dropped:
            text.append(
                f"not released: {counted(self.suppressed, 'row')} suppressed, {self.done.dropped:,} with missing values dropped"
            )
        if self.done.with_kept is not None:
            least = int(self.done.with_kept.distinct.min())
            values = f"{least} distinct sensitive value{'s' if least > 1 else ''}"
            text.append(f"together with the kept columns, the worst group has {values}")
        text += [*self.frontier.scale_words(), *self.frontier.stop_words(), *self.suppression_words()]
        return text + [
            f"{FILE_WORDS.get(name, name)} written to {path}" for name, path in self.files.items() if name != "out"
        ]

    def suppression_words(self) -> list[str]:
        """Why rows that could be suppressed were perhaps not, for people."""
        if not self.is_cut_short:
            return []
        return [
            "the time limit came before the end of the search for rows to suppress: more time may make more of them"
        ]

    @property
    def _bound_words(self) -> str:
        if self.point.gap is None:
            return ""
        verb = "keeps more" if self.frontier.setting.is_bottleneck else "leaks less"
        return f"; at this utility no policy {verb} than {self.point.bound:.3f} bits"

    def plot(self) -> Any:
        """The frontier with the chosen point; without its bound where rows were withheld, which it is not about."""
        return self.frontier.plot(chosen=self.point, bound=not self.suppressed)

    def to_html(self) -> str:
        """The report, one self-contained page to read and sign."""
        return release_page(self)

    def _repr_html_(self) -> str:
        return release_fragment(self)

    def __repr__(self) -> str:
        return f"Release({counted(self.done.rows, 'row')} to {self.files['out']}, {self.policy!r})"


def publish(
    table: object,
    frontier: Frontier,
    *,
    out: str | Path,
    policy_file: str | Path,
    report_file: str | Path | None = None,
    options: ReleaseOptions | None = None,
    progress: Progress | None = None,
    **cut: Unpack[Cut],
) -> Release:
    """Release a table by one point of its frontier; nothing is written unless all of it can be.

    The point is cut as `Frontier.at` does: name one of multiplier, max_leakage, min_utility, min_leakage, max_utility,
    min_k.
    """
    options = options or ReleaseOptions()
    files = check_files(table, out, policy=policy_file, report=report_file, force=options.force)
    return carry_through(
        table, frontier.point_at(**cut), frontier=frontier, files=files, options=options, progress=progress
    )


def carry_through(
    table: object,
    point: Point,
    *,
    frontier: Frontier,
    files: dict[str, str],
    options: ReleaseOptions,
    progress: Progress | None,
) -> Release:
    """Release by a point into files that `check_files` let pass."""
    joint = frontier.setting.joint
    if joint.n_s < 2:
        raise InputError(
            f"the sensitive column {', '.join(map(repr, joint.sensitive))} has a single value: nothing to protect"
        )
    check_public_part(joint, options.types)
    policy, is_cut_short = point.policy, False
    if options.suppress:
        point, policy, is_cut_short = frontier.engine.withhold(frontier, point, options.suppress, options.time_limit)
    policy = replace(policy, unseen=options.unseen, na=tuple(options.na), source=original_of(table))
    options.people.check(table, (*policy.public, *policy.sensitive, *policy.side), options.kept, policy.na)
    limit = options.memory_limit
    done = carry_out(
        policy,
        table,
        keep=options.keep,
        keep_anyway=options.keep_anyway,
        cells=options.cells,
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
    original = fingerprint(table)
    release = Release(
        policy, point, frontier, done, files, options, by_keep, is_cut_short, original, look_at(table, na=policy.na)
    )
    _write_all(release, table)
    return release


def _write_all(release: Release, table: object) -> None:
    """Table, policy and report, all of them or none."""
    texts = {"policy": release.policy.to_json()}
    if "public_policy" in release.files:
        texts["public_policy"] = release.policy.face(codewords=release.options.cells == "codeword").to_json()
    if "report" in release.files:
        texts["report"] = release.to_html()
    write_together(release.done, table, release.files, texts)
