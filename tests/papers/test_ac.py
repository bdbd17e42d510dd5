"""[AC], claim by claim: no verdict changes unseen, and a claim that stops holding says so."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from discreet import Joint, measures
from discreet_papers import paper
from discreet_papers.ac import shared
from discreet_papers.claims import Claim, Row, Study
from tests.papers.conftest import Checked, Checks, study_of

AC = paper("AC")
NEEDS_DATA = "VII-B"  # where the claims about the Hungarian data stand

# How many claims of each part of the paper have which verdict, with the data.
VERDICTS = {
    "matches": 80,
    "misprint": 18,
    "refuted": 6,
    "not checkable": 4,
}
MISPRINTS = [
    "IV",
    *("Algorithm 1, line 8", "Algorithm 1, lines 7 and 12", "Algorithm 1, line 13", "V-A1", "V-A1", "V-A1"),
    *("Example 2", "Examples 2, 3, 5, Figs 3, 6, 8", "Example 2"),
    *("V-B2", "Example 3", "Example 4, Fig. 6"),
    *("V-C, footnote 12", "Example 5", "VI", "VI-A", "(11)"),
]
REFUTED = [
    *("IV, footnote 8", "V-A1, V-B2", "V-A1", "footnote 11"),
    *("VII-A", "VII-B, Fig. 9"),
]


def needs_data(claim: Claim) -> bool:
    """Whether a claim is about the Hungarian data."""
    return claim.where.startswith(NEEDS_DATA)


@pytest.fixture(scope="module")
def found(checked: Checks) -> Checked:
    """Every claim and figure."""
    return checked("AC")


@pytest.fixture
def fresh() -> Study:
    """Nothing computed yet but the families, for a test that breaks something."""
    known = study_of("AC")
    shared.weighted(known)
    families = (shared._supports, shared._weighted)
    return Study(_shared={family: known._shared[family] for family in families})


@pytest.fixture(scope="module")
def rows(found: Checked) -> dict[str, Row]:
    """The claims that need no data, by what the paper says, since several stand in one place."""
    return {says: row for says, row in found.by_claim.items() if not row.where.startswith(NEEDS_DATA)}


def test_claims_are_told_apart_by_what_they_say() -> None:
    assert len({claim.says for claim in AC.claims}) == len(AC.claims) == sum(VERDICTS.values())
    assert all(claim.where and claim.says and "\n" not in claim.says for claim in AC.claims)


def test_nothing_is_unexplained(rows: dict[str, Row]) -> None:
    assert [row for row in rows.values() if row.verdict == "mismatch"] == []
    assert all(row.computed and "\n" not in row.computed for row in rows.values())


def test_verdicts_are_the_known_ones(rows: dict[str, Row]) -> None:
    for verdict, known in (("misprint", MISPRINTS), ("refuted", REFUTED)):
        found = [row.where for row in rows.values() if row.verdict == verdict]
        assert found == [where for where in known if not where.startswith(NEEDS_DATA)]


@pytest.mark.usefixtures("hungarian")
def test_verdicts_on_the_data(found: Checked) -> None:
    assert Counter(row.verdict for row in found.rows) == VERDICTS
    about_data = [row for row in found.rows if row.where.startswith(NEEDS_DATA)]
    assert len(about_data) == 7 and "mismatch" not in {row.verdict for row in about_data}
    assert [row.where for row in found.rows if row.verdict == "refuted"] == REFUTED


def test_without_the_data_their_claims_are_not_checkable(tmp_path: Path) -> None:
    study = Study(tmp_path)
    about_data = [claim for claim in AC.claims if needs_data(claim)]
    assert len(about_data) == 7
    assert {claim.row("AC", study).verdict for claim in about_data} == {"not checkable"}


def says(start: str) -> Claim:
    """The one claim that begins like this."""
    (claim,) = [claim for claim in AC.claims if claim.says.startswith(start)]
    return claim


@pytest.mark.parametrize(
    ("start", "figure"),
    [
        ("U1, first round", "-0.5245"),
        ("second round", "-0.4605"),
        ("third round", "-0.7578"),
        ("U2, λ = 2.5", "-0.3750"),
        ("first ΔL", "-0.0219"),
        ("with λ = 0.3 Algorithm 2 stops", "0.7793 ≤ λ ≤ 1.0322"),
        ("λ = 0.3: {23}", "{167}{23}{45}"),
    ],
)
def test_reference_values_are_shown(rows: dict[str, Row], start: str, figure: str) -> None:
    assert figure in rows[says(start).says].computed


@pytest.mark.parametrize(
    ("name", "starts"),
    [
        ("maximin_information", ["I*(S;X) ≤ L0", "min-cut 0", "network strength above 0"]),
        ("worst_case_leakage", ["k-anonymous", "with a uniform S", "non-stochastic independence"]),
        ("zero_information", ["U1 = I0", "I0(X→X̂) = H0(X) − max"]),
        ("gacs_korner_information", ["K is the entropy", "K(S;X̂) ≤ I"]),
    ],
)
def test_a_broken_measure_is_a_mismatch(
    monkeypatch: pytest.MonkeyPatch, fresh: Study, name: str, starts: list[str]
) -> None:
    right = getattr(measures, name)
    monkeypatch.setattr(measures, name, lambda joint, **options: 3 * right(joint, **options) + 1)
    assert {start: says(start).row("AC", fresh).verdict for start in starts} == dict.fromkeys(starts, "mismatch")


def test_a_search_that_finds_nothing_is_a_mismatch(monkeypatch: pytest.MonkeyPatch, fresh: Study) -> None:
    monkeypatch.setattr(measures, "local_dp_epsilon", lambda joint: 0.0)
    assert says("K and I* indicate").row("AC", fresh).verdict == "mismatch"
    assert says("if ε is the largest").row("AC", fresh).verdict == "mismatch"


def test_another_range_is_not_example_1() -> None:
    study = Study()
    study._shared[shared._example] = Joint.from_pairs([("s1", "x1"), ("s2", "x2"), ("s3", "x3")])
    for start in ("a range of six s", "the overlap partition is {s1", "min-cut 0"):
        assert says(start).row("AC", study).verdict == "mismatch"


def test_families_are_complete(fresh: Study) -> None:
    # All binary matrices without an empty row or column: 7 of two by two, 265 of three by three (OEIS A048291).
    sizes = Counter((joint.n_s, joint.n_x) for joint in shared.supports(fresh))
    assert (sizes[2, 2], sizes[3, 3], sizes[1, 4], sizes[3, 1], max(sizes)) == (7, 265, 1, 1, (3, 4))
    assert [len(list(shared.partitions(range(n)))) for n in range(7)] == [1, 1, 2, 5, 15, 52, 203]  # Bell numbers


@pytest.mark.parametrize("name", ["fig1", "fig2", "fig3", "fig4", "fig5", "fig6", "fig7"])
def test_figures_are_drawn(found: Checked, name: str) -> None:
    assert found.figures[name] and all(axes.drawn for axes in found.figures[name])


@pytest.mark.usefixtures("hungarian")
def test_figures_of_the_data_are_drawn(found: Checked) -> None:
    assert (len(found.figures["fig8"]), len(found.figures["fig9"])) == (2, 4)
