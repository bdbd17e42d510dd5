"""BF, claim by claim: the verdicts are those of this table, and they follow from what is computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import discreet as dc
from discreet.errors import TableError
from discreet_papers.bf import PAPER, families
from discreet_papers.claims import Claim, Study
from tests.papers.conftest import Checked, Checks, study_of

# Everything that does not simply match, in the order of the pages.
VERDICTS = {
    "axioms": "refuted",
    "order_of_measures": "refuted",
    "pairwise": "misprint",
    "additivity": "refuted",
    "vote_given_yes": "misprint",
    "votes_given_yes": "misprint",
    "odd_and_even": "misprint",
    "figure_1_values": "not checkable",
    "mostly_asymmetric": "not checkable",
    "zero_error_capacity": "refuted",
    "lost_logarithm": "misprint",
    "columns": "not checkable",
    "maximal_falls": "refuted",
    "maximin_falls": "refuted",
    "one_channel": "refuted",
    "near_the_supremum": "refuted",
    "stochastic_attribute": "not checkable",
    "axiom_a": "misprint",
    "proof_3c": "misprint",
    "equation_16": "misprint",
    "below_the_budget": "misprint",
    "lost_brackets": "misprint",
}
COUNTS = {"matches": 54, "misprint": 10, "refuted": 8, "not checkable": 4}
ON_DATA = {
    "order_of_measures",
    "patients",
    "columns",
    "distortion",
    "maximal_falls",
    "maximin_falls",
    "maximal_above_maximin",
    "stochastic_falls",
    "near_the_supremum",
    "on_the_curve",
    "seen_to_increase",
}


def name(claim: Claim) -> str:
    return claim.check.__name__


CLAIMS = {name(claim): claim for claim in PAPER.claims}


@pytest.fixture
def study() -> Study:
    return study_of("BF")


@pytest.fixture(scope="module")
def found(checked: Checks) -> Checked:
    return checked("BF")


def test_every_claim_has_its_verdict(found: Checked, has_data: bool) -> None:
    verdicts = [(name(claim), row.verdict) for claim, row in zip(PAPER.claims, found.rows, strict=True)]
    others = {key: verdict for key, verdict in verdicts if verdict != "matches"}
    assert len(CLAIMS) == len(PAPER.claims) == sum(COUNTS.values())
    if has_data:
        assert others == VERDICTS
        assert Counter(row.verdict for row in found.rows) == COUNTS
    else:
        assert others == VERDICTS | dict.fromkeys(ON_DATA, "not checkable")


def test_every_row_says_something_in_one_line(found: Checked) -> None:
    for row in found.rows:
        for text in (row.where, row.claim, row.computed):
            assert text and "\n" not in text and text == text.strip()
            assert "nan" not in text and "  " not in text


def test_where_the_data_are_absent(study: Study, tmp_path: Path) -> None:
    # What does not depend on the data is taken over where it is known, so that this is quick.
    kept = {key: value for key, value in study._shared.items() if key.__module__ == families.__name__}
    absent = Study(tmp_path, kept)
    for key in ON_DATA:
        row = CLAIMS[key].row("BF", absent)
        assert row.verdict == "not checkable" and "cannot be read" in row.computed
    assert CLAIMS["one_channel"].row("BF", absent).verdict == "refuted"
    pytest.importorskip("matplotlib")
    drawn = {figure.name: figure for figure in PAPER.figures}
    drawn.pop("fig1").draw(absent)
    for figure in drawn.values():
        with pytest.raises(TableError):
            figure.draw(absent)


def test_the_figures_are_drawn(found: Checked, has_data: bool) -> None:
    assert list(found.figures) == (["fig1", "fig2", "fig3", "fig4"] if has_data else ["fig1"])
    for drawn in found.figures.values():
        assert drawn and all(axes.lines and axes.x_label and axes.y_label for axes in drawn)


# ------------------------------------------------------------------ the families are what they are said to be


def test_all_small_ranges_are_there_once() -> None:
    ranges = families.joint_ranges(3)
    assert len(ranges) == 35 and len(families.joint_ranges()) == 316
    seen = set()
    for size in [(n, m) for n in range(1, 4) for m in range(1, 4)]:
        for cells in range(1 << size[0] * size[1]):
            array = np.array([cells >> i & 1 for i in range(size[0] * size[1])], dtype=bool).reshape(size)
            if array.any(axis=0).all() and array.any(axis=1).all():
                seen.add(_canonical(array))
    assert {_canonical(array) for array in ranges} == seen and len(seen) == 35


def _canonical(array: families.Bools) -> tuple[tuple[int, int], bytes]:
    from itertools import permutations

    rows, columns = array.shape
    return array.shape, min(
        array[np.ix_(p, q)].tobytes() for p in permutations(range(rows)) for q in permutations(range(columns))
    )


def test_all_attributes_are_there_once() -> None:
    assert [len(list(families.attributes(n))) for n in range(1, 7)] == [1, 2, 5, 15, 52, 203]  # Bell numbers
    assert len(set(families.attributes(5))) == 52


# ------------------------------------------------------------------ a verdict can fall


def off(measure: Callable[[dc.Joint], float]) -> Callable[[dc.Joint], float]:
    """The measure with an error: a quarter of a bit more where there is anything to leak."""
    return lambda joint: measure(joint) + (0.25 if joint.n_s > 1 and joint.n_x > 1 else 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "alias", "measure", "fall"),
    [
        (
            "s3_leakage",
            "_L_STAR",
            dc.measures.maximal_guessing_leakage,
            ["definition_2", "proposition_3c", "pairwise", "additivity", "proposition_4", "worst_attributes"],
        ),
        ("s3_leakage", "_L", dc.measures.worst_case_leakage, ["definition_1", "worst_guess", "pairwise"]),
        ("s3_leakage", "_L", lambda joint: float(joint.n_x), ["proposition_1"]),
        (
            "s2_uncertain_variables",
            "_I_STAR",
            dc.measures.maximin_information,
            ["symmetric_maximin", "common_variable"],
        ),
        (
            "s3_majority_vote",
            "_L",
            dc.measures.worst_case_leakage,
            ["vote_leakage", "all_votes_odd", "independent_of_n"],
        ),
        ("s3_majority_vote", "_L_STAR", dc.measures.maximal_guessing_leakage, ["maximal", "not_all_votes", "remark_1"]),
        ("s4_identifiability", "_L_STAR", dc.measures.maximal_guessing_leakage, ["equation_8", "corollary_5"]),
        ("s5_one_shot", "_I_STAR", dc.measures.maximin_information, ["proposition_6", "example_2"]),
        ("s6_experiment", "_I_STAR", dc.measures.maximin_information, ["one_channel"]),
        ("s7_appendices", "_L", dc.measures.worst_case_leakage, ["proof_3c", "proof_3e", "lost_brackets"]),
        ("s7_appendices", "_L_STAR", lambda _: 0.0, ["axiom_a", "equation_16", "lost_brackets"]),
        ("s7_appendices", "_L", dc.measures.maximal_guessing_leakage, ["below_the_budget"]),
        ("s1_introduction", "_L_STAR", dc.measures.worst_case_leakage, ["axioms"]),
        ("s1_introduction", "_L_STAR", lambda joint: -float(joint.distinct.max()), ["proportional"]),
        ("s1_introduction", "_L", lambda joint: float(joint.n_x), ["ratio_of_guesses"]),
    ],
)
def test_a_wrong_measure_is_a_mismatch(
    study: Study,
    monkeypatch: pytest.MonkeyPatch,
    module: str,
    alias: str,
    measure: Callable[[dc.Joint], float],
    fall: list[str],
) -> None:
    monkeypatch.setattr(f"discreet_papers.bf.{module}.{alias}", off(measure))
    for key in fall:
        assert CLAIMS[key].row("BF", study).verdict == "mismatch", key


def test_other_data_are_a_mismatch(study: Study, has_data: bool) -> None:
    if not has_data:
        pytest.skip("the Hungarian data are not there")
    changed = Study(study.data)
    changed.hungarian["age"][:] = [40] * 293
    for key in ("maximal_falls", "near_the_supremum", "seen_to_increase"):
        assert CLAIMS[key].row("BF", changed).verdict == "mismatch", key
