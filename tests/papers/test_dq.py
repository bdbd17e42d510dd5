"""DQ, claim by claim: the verdicts, the figures, and that a wrong computation shows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from discreet.queries import QuantisedQuery
from discreet_papers.claims import Outcome, Row, Study
from discreet_papers.dq import PAPER, s2b_entropy, s2c_taxicab, s3_formulation, s4a_policies, s4b_examples, s5_anonymity
from discreet_papers.dq.families import ess_sup, sup
from tests.papers.conftest import Checked, Checks

EXPECTED = {"matches": 37, "misprint": 11, "refuted": 3, "not checkable": 2}


@pytest.fixture(scope="module")
def found(checked: Checks) -> Checked:
    """The whole paper with its figures; it needs no data."""
    return checked("DQ")


def test_verdicts(found: Checked) -> None:
    assert Counter(row.verdict for row in found.rows) == EXPECTED
    assert all("\n" not in row.computed and row.computed for row in found.rows)


def test_figures(found: Checked) -> None:
    assert list(found.figures) == ["fig1", "fig2", "fig3"]
    assert all(axes.drawn for drawn in found.figures.values() for axes in drawn)


@pytest.mark.parametrize(
    ("where", "says", "verdict", "computed"),
    [
        ("(17b)", "argmax", "misprint", "argmin is meant"),
        ("III", "P_i(f) = 0", "misprint", "P_i = 1/0 is infinite"),
        ("Thm IV.2, proof; Thm IV.3, proof", "I* = q", "misprint", "log q"),
        ("Ex IV.2", "for any number n of people", "refuted", "3.57, 10.10, 17.50, 31.94, 67.76"),
        ("Ex IV.2", "22/75", "misprint", "21/75"),
        ("Prop V.1, proof", "k-anonymous too by construction", "refuted", "(0, 0, *)"),
        ("Rem II.1", "ε^n N_ε ≤ μ", "refuted", "n = 13"),
        ("II-B (2) to (4), (7); (13b), (14b)", "essential suprema", "misprint", "suprema are meant"),
        ("V", "k-anonymity is not private", "matches", "2-anonymous: L0 = I* = 1 bit"),
        # what holds by its evident meaning, with what must be added
        ("IV, after Thm IV.3", "nothing is lost", "matches", "Not for L0"),
        ("Ex IV.1", "meets the condition", "matches", "Within the square"),
        ("Thm IV.3 (16)", "smallest region", "matches", "disjoint"),
        ("IV", "dense in L^p", "matches", "no rising function"),
    ],
)
def test_what_the_paper_gets_wrong_and_what_it_means(
    found: Checked, where: str, says: str, verdict: str, computed: str
) -> None:
    rows: list[Row] = [row for row in found.rows if row.where == where and says in row.claim]
    assert [row.verdict for row in rows] == [verdict]
    assert computed in rows[0].computed


def test_a_null_set_counts_for_the_supremum_only() -> None:
    pieces = [(0.5, 1.0), (0.0, 7.0)]
    assert (ess_sup(pieces), sup(pieces)) == (1.0, 7.0)
    assert ess_sup([(0.0, 7.0)]) == -math.inf


# ------------------------------------------------------------------ a wrong computation shows


def coarser(right: Callable[..., QuantisedQuery]) -> Callable[..., QuantisedQuery]:
    """Quantising with more than twice the error that is asked for."""

    def wrong(query: Any, domain: Any, *, error: float, **rest: Any) -> QuantisedQuery:
        return right(query, domain, error=2.2 * error, **rest)

    return wrong


def wider_cells(quantised: QuantisedQuery) -> QuantisedQuery:
    """Edges that are not those by which it answers."""
    wrong = replace(quantised, edges=quantised.edges * 1.1)
    vars(wrong)["answers"] = quantised.answers
    return wrong


@pytest.mark.parametrize(
    ("module", "name", "wrong", "claims"),
    [
        (
            s4a_policies,
            "quantise",
            coarser,
            ["relaxed_policy", "fewest", "best_for_leakage", "corollary", "quantise_after"],
        ),
        (s2c_taxicab, "maximin_information", lambda right: lambda joint: right(joint) + 1, ["maximin"]),
        (s3_formulation, "worst_case_leakage", lambda right: lambda joint: -right(joint), ["post_processing"]),
        (s5_anonymity, "record_anonymity", lambda right: lambda joint: right(joint) - 1, ["homogeneity"]),
        (s5_anonymity, "_mended", lambda right: lambda x: x, ["without_bound"]),
        (s5_anonymity, "_shown", lambda right: lambda x, k, f: right(x, 0, f), ["still_anonymous", "tells_the_rows"]),
        (s4b_examples, "ellipse", lambda right: lambda x: right(x) - 5, ["level_sets"]),
        (s2b_entropy, "sup", lambda right: ess_sup, ["essential_suprema", "example"]),
        (s2b_entropy, "_fewest", lambda right: lambda *a: right(*a) // 2, ["covering_above", "covering_below"]),
        (s3_formulation, "mean_of_two", lambda right: lambda study: wider_cells(right(study)), ["quality"]),
    ],
)
def test_a_wrong_computation_is_a_mismatch(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, wrong: Callable[[Any], Any], claims: list[str]
) -> None:
    checks: list[Callable[[Study], Outcome]] = [getattr(module, claim) for claim in claims]
    monkeypatch.setattr(module, name, wrong(getattr(module, name)))
    assert [check(Study()).verdict for check in checks] == ["mismatch"] * len(claims)


def test_a_wrong_radius_is_a_mismatch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QuantisedQuery, "adversary_error", property(lambda self: 10.2))
    study = Study()
    assert s4b_examples.independent_of_people(study).verdict == "mismatch"
    assert s4b_examples.ten_centimetres(study).verdict == "mismatch"
    assert len(PAPER.claims) == sum(EXPECTED.values())
