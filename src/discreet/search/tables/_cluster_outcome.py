"""What came of a release by a cluster, for people, for JSON and for notebooks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from discreet._text import counted
from discreet.auditing._looking import Look
from discreet.release._people import Found, PeopleRisk
from discreet.release._table_release import figure
from discreet.report._pages import fragment

if TYPE_CHECKING:
    from discreet.auditing._group_requirements import GroupFinding
    from discreet.columns import ColumnType
    from discreet.release._cluster_policy import ClusterPolicy
    from discreet.release._recounting import Recount, Sizes


@dataclass(frozen=True, eq=False)
class ClusterRelease:
    """What a cluster released: files, loss with a proven bound, and the requirement recounted from the released rows."""

    policy: ClusterPolicy
    source: str
    files: dict[str, str]
    columns: tuple[str, ...]
    rows: int
    records: int
    suppressed: int
    dropped: int
    parts: int
    types: tuple[ColumnType, ...] = field(repr=False)
    loss_by_column: dict[str, float]
    before: Sizes = field(repr=False)
    after: Recount = field(repr=False)
    broken_by_keep: tuple[str, ...] = ()
    look: Look = field(default_factory=Look, repr=False)  # at whether a record is a person

    @property
    def findings(self) -> tuple[GroupFinding, ...]:
        """Every requirement, held against every group."""
        return self.after.findings

    @property
    def figures(self) -> dict[str, float]:
        """The smallest group, the poorest, how many there are, and the worst of what was required."""
        return self.after.figures

    @property
    def people(self) -> PeopleRisk:
        """Who was found by public values, and who is found now."""
        return PeopleRisk(Found(self.before.risk), Found(self.after.sizes.risk))

    @property
    def gap(self) -> float | None:
        """How much more loss this has than any release could have: loss / bound − 1."""
        return max(0.0, self.loss / self.bound - 1) if self.bound > 0 else None

    @property
    def loss(self) -> float:
        """GCP of the cells as released."""
        return self.policy.loss

    @property
    def bound(self) -> float:
        """What no release of this table can beat."""
        return self.policy.bound

    def to_dict(self) -> dict[str, Any]:
        """The outcome, for JSON."""
        return {
            "files": self.files,
            "rows": self.rows,
            "loss": self.loss,
            "bound": self.bound,
            "gap": self.gap,
            "loss_by_column": self.loss_by_column,
            "groups": int(self.figures["groups"]),
            "n": int(self.figures["n"]),
            "k": int(self.figures["k"]) if "k" in self.figures else None,
            "suppressed": self.suppressed,
            "dropped": self.dropped,
            "parts": self.parts,
            "types": {name: kind.kind for name, kind in zip(self.policy.public, self.types, strict=True)},
            "require": [each.to_dict() for each in self.findings],
            "broken_by_keep": list(self.broken_by_keep),
            "risk": {"before": self.people.before.to_dict(), "after": self.people.after.to_dict()},
        }

    def lines(self) -> list[str]:
        """The outcome, for people."""
        rows, groups = counted(self.rows, "row"), counted(int(self.figures["groups"]), "group")
        proven = f", and no release has less than {figure(self.bound)} (proven)" if self.bound > 0 else ""
        risk = self.people.before.risk
        small = f"{risk.below[5]:,} of {risk.records:,} records were in groups smaller than 5"
        text = [f"careful: with the columns kept, {reason}" for reason in self.broken_by_keep]
        text += [f"careful: {sentence}" for sentence in self.look.record_sentences()]
        text += [
            f"{rows} in {groups} written to {self.files['out']}, from {counted(self.parts, 'part')} of the table; {small}",
            *(each.sentence() for each in self.findings),
            f"loss {figure(self.loss)} of 1{proven}",
            "loss by column: " + ", ".join(f"{name} {loss:.3f}" for name, loss in self.loss_by_column.items()),
        ]
        if self.suppressed or self.dropped:
            text.append(
                f"not released: {counted(self.suppressed, 'row')} suppressed, {self.dropped:,} with missing values dropped"
            )
        words = {"policy": "policy (private: it lists the values that occurred)"}
        return text + [
            f"{words.get(name, name)} written to {path}" for name, path in self.files.items() if name != "out"
        ]

    def _repr_html_(self) -> str:
        return fragment(self.lines()[0], [("", "", line) for line in self.lines()[1:]])
