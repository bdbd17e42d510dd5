"""The verdict of an audit: who is exposed, in records; how easily they are found; and what to do next, ready to be typed."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet._text import joined
from discreet.auditing._risk import SIZES
from discreet.columns._guess import guess_type, identify

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.auditing._audit import Audit
    from discreet.auditing._individual import HouseholdRisk
    from discreet.auditing._requirements import Finding
    from discreet.auditing._risk import Risk
    from discreet.joint._joint import Joint

MAIN = ("k", "n", "L0", "I*", "I", "Lmin", "L0|A", "I*,A")  # the measures to read first
TOGETHER = 3  # sets of columns named that tell only together
HALF = 0.5  # of a group, beyond which one value stands out
RECORDS, VALUES = 5, 3  # what a first release is asked for: so many records and so many sensitive values in every group


def headline(audit: Audit) -> str:
    """Who is exposed, in records: those in small groups, and those whose sensitive value is certain."""
    joint, risk = audit.joint, audit.risk
    public = joined(joint.public)
    small = risk.below[RECORDS]
    who = "all" if risk.uniques == small else f"{risk.uniques:,}"
    alone = f", {who} of them alone with their {public}" if risk.uniques else ""
    found = (
        f"{small:,} of {risk.records:,} records {'is' if small == 1 else 'are'} in groups smaller than {RECORDS}{alone}."
        if small
        else f"All {risk.records:,} records share their {public} with at least {risk.least - 1:,} others."
    )
    if audit.is_bare:
        return found
    sensitive = joined(joint.sensitive)
    certain = int(joint.records[audit.matched.distinct == 1].sum())
    give = "gives" if len(joint.public) == 1 else "give"
    known = (
        f"For {certain:,} of {joint.total:,} records, {public} {give} away {sensitive} for certain"
        if certain
        else f"No record's {sensitive} is certain from {public}; at worst {audit.values['k']:.0f} values are left"
    )
    return f"{found} {known}{_common(audit, certain)}."


def _common(audit: Audit, certain: int) -> str:
    """How large a share of a group one value has: where none is certain the largest, else for how many more it is over half."""
    joint, shares = audit.joint, audit.commonest
    if certain:
        most = np.max(list(shares.values()), axis=0)
        more = int(joint.records[(most > HALF) & (audit.matched.distinct > 1)].sum())
        return f"; for {more:,} more, one value has more than half of their group" if more else ""
    name = max(shares, key=lambda each: float(shares[each].max()))
    about = f" of {name}" if len(shares) > 1 else ""
    return f", and one value{about} has {_share(float(shares[name].max()))} of a group"


def bits(audit: Audit) -> str:
    """How much is lost, in bits: in the worst case, on average, and to somebody who knows more."""
    if audit.is_bare:
        return "No sensitive column was named: records are counted, and what is learnt of people is not."
    joint, values = audit.joint, audit.values
    lost = f"In the worst case {values['L0']:.2f} of {values['H0']:.2f} bits are lost, on average {values['I']:.2f}."
    if not joint.has_side:
        return lost
    return f"{lost} To somebody who knows {joined(joint.side.a.names)}, {values['L0|A']:.2f} bits are lost in the worst case."


def risk_rows(risk: Risk, household: HouseholdRisk | None = None) -> list[tuple[str, str, str]]:
    """Risk as stewards know it: what, how many records, and the share of all."""
    rows = [("alone with their values (uniques)", f"{risk.uniques:,}", _share(risk.uniques / risk.records))]
    rows += [
        (f"in groups smaller than {size}", f"{risk.below[size]:,}", _share(risk.below[size] / risk.records))
        for size in SIZES
        if size > 2  # a group smaller than two is a unique
    ]
    rows.append(("probability of being found, at most (prosecutor's risk)", "", _share(risk.prosecutor)))
    rows.append(("probability of being found, on average (marketer's risk)", "", _share(risk.prosecutor_mean)))
    if risk.population is not None:
        who = f"among the {risk.population:,.0f} people that the records stand for"
        rows.append((f"at most, {who} (journalist's risk)", "", _share(risk.journalist)))
        rows.append((f"on average, {who} (marketer's risk of the population)", "", _share(risk.marketer)))
        rows.append(
            (
                "at most, estimated from the weights of the record at most risk (individual risk)",
                "",
                _share(risk.individual),
            )
        )
        rows.append(
            ("found, as expected by individual risks", f"{risk.expected:,.1f}", _share(risk.expected / risk.records))
        )
    if household is not None:
        rows.append(
            (
                f"probability for one of {household.households:,} households, at most (household risk)",
                "",
                _share(household.most),
            )
        )
        rows.append(
            (
                "found with their households, as expected",
                f"{household.expected:,.1f}",
                _share(household.expected / risk.records),
            )
        )
    return rows


def notes(audit: Audit) -> list[str]:
    """What to know before the figures: whether a record is a person, what was left out, and who nobody named."""
    said = [f"careful: {text}" for text in (*audit.look.record_sentences(), *audit.left_out())]
    return [*said, *audit.look.unnamed_sentences()]


def further_sentences(audit: Audit) -> list[str]:
    """What was looked for beside: columns that name people or tell only together, the population, and who is special."""
    about = joined(audit.joint.sensitive) if not audit.is_bare else ""
    named = identifiers(audit.joint)
    said = [f"{name} names people ({why}): a release refuses it as public." for name, why in named.items()]
    said += [f"About {about}: {each.sentence()}." for each in audit.together[:TOGETHER]]
    said += audit.population.sentences() if audit.population else []
    return said + (audit.special.sentences() if audit.special else [])


def identifiers(joint: Joint) -> dict[str, str]:
    """The public columns that name people, each with the reason."""
    found = {}
    for name, column in zip(joint.public, joint.x_columns, strict=True):
        labels = column.tolist() if isinstance(column, np.ndarray) else column
        if name not in joint.bands and (why := identify(name, labels, guess_type(name, labels)[0], int(joint.total))):
            found[name] = why.reason
    return found


def records_text(finding: Finding) -> str:
    """How many records are in groups that break a requirement."""
    return f"{finding.people:,} of {finding.total:,} records ({_share(finding.share)})"


def _share(value: float) -> str:
    """A share that is not shown as nothing, or as all, unless it is.

    Examples
    --------
    >>> _share(0.25), _share(0.00002), _share(0.9999), _share(1)
    ('25.0%', '< 0.1%', '> 99.9%', '100.0%')
    """
    if 0 < value < 0.0005:
        return "< 0.1%"
    return "> 99.9%" if 0.9995 <= value < 1 else f"{value:.1%}"


@dataclass(frozen=True)
class Step:
    """What to do next: the sentence, the command to type, and the same in Python."""

    why: str
    command: str
    python: str


def next_step(audit: Audit, *, table: str | None = None, more: Sequence[str] = ()) -> Step:
    """What to do about an audit: a release that protects people, or a gate that holds the table to what it has now.

    `table` is what a command would name, and `more` are options that the audit was asked with.
    """
    joint, risk = audit.joint, audit.risk
    side = joint.side.a.names if joint.has_side else ()
    public, sensitive = [*joint.public, *side], list(joint.sensitive)
    values = min(VALUES, joint.n_s)
    many = not risk.below[RECORDS] and audit.values.get("k", values) >= values and not side
    share, least = _shares(audit)
    common = many and share > HALF
    safe = many and (not common or least >= share)
    if not safe:
        named = identifiers(joint)  # no release takes them
        public = [name for name in public if name not in named] or public
    require = [f"n>={risk.least if safe else RECORDS}"]
    if not audit.is_bare:
        require.append(f"k>={int(audit.values['k']) if safe else values}")
    if common and (bound := math.ceil(100 * share) / 100 if safe else least) < 1:
        require.append(f"alpha<={bound:g}")
    known = table or (audit.source if audit.source != "a table in memory" else "TABLE.csv")
    asked = [
        *("discreet", "audit" if safe else "release", shlex.quote(known)),
        *_option("--public", public),
        *(_option("--sensitive", sensitive) if sensitive else []),
        *map(shlex.quote, more if safe else _for_releases(more)),
        *(part for each in require for part in ("--require", f'"{each}"')),
    ]
    if safe and common:
        why = (
            f"One value has {_share(share)} of a group and is as common in the whole table: no coarsening changes that. "
            "Hold every later version of the table to what this one has:"
        )
        return Step(why, " ".join(asked), f"audit.check({require!r})")
    if safe:
        why = "Nothing stands out. Hold every later version of the table to what this one has:"
        return Step(why, " ".join(asked), f"audit.check({require!r})")
    files = "--out released.csv --policy policy.json --report report.html"
    if "spark" in more:  # a cluster writes folders
        files = "--out released.parquet --policy policy"
    why = f"Release it coarser, so that {RECORDS} records share the coarse columns of every row"
    if sensitive:
        each = "" if len(sensitive) == 1 else "each of "
        why += f", with {values} different values of {each}{joined(sensitive)}"
    if common:
        why += f", none of which has more than {'half' if least == HALF else _share(least)} of a group"
    why += ":"
    python = f"discreet.generalise(table, {public!r}, {sensitive!r}, {require!r})"
    return Step(why, f"{' '.join(asked)} {files}", python)


def _shares(audit: Audit) -> tuple[float, float]:
    """The largest share of one value in a group, and the least that a release can be asked for: half, or as in the table."""
    if audit.is_bare:
        return 0.0, HALF
    joint = audit.joint
    alone = [joint.select(sensitive=[name]) for name in joint.sensitive]
    all_of_them = max(float(one.s_weight.max() / one.total) for one in alone)
    least = HALF if all_of_them <= HALF else math.ceil(20 * all_of_them) / 20
    return max(float(each.max()) for each in audit.commonest.values()), least


def _for_releases(more: Sequence[str]) -> list[str]:
    """The options without those that audits alone have; each has a value."""
    pairs = list(zip(more[::2], more[1::2], strict=True))
    return [part for pair in pairs if pair != ("--missing", "wildcard") and pair[0] != "--ignore" for part in pair]


def _option(name: str, columns: Sequence[str]) -> list[str]:
    """Columns as the command line takes them: with commas between, or one by one where a name has a comma itself."""
    if any("," in column or column != column.strip() for column in columns):
        return [part for column in columns for part in (name, shlex.quote(column))]
    return [name, shlex.quote(",".join(columns))]
