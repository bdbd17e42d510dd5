"""PF, claim by claim: the verdicts, the figures, and that a wrong computation shows."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from discreet import Frontier
from discreet.errors import TableError
from discreet.search import Problem
from discreet.search.information import Merges, Weights, dendrogram
from discreet_papers.arrays import Ints, Members
from discreet_papers.claims import Study
from discreet_papers.pf import PAPER, families, s1_problem, s3a_algorithm, s3b_theorem, s4c_complexity, s5_proof
from discreet_papers.pf.procedure import area, dominated
from discreet_papers.pf.s1_problem import is_unsupported, mixed, smallest_missed
from tests.papers.conftest import Checked, Checks

VERDICTS = {"matches": 39, "misprint": 2, "refuted": 1, "not checkable": 4}
WITHOUT_DATA = {"matches": 28, "misprint": 2, "not checkable": 16}
ON_DATA = [
    "alphabets",
    "convergence",
    "axes",
    "funnel_a",
    "funnel_b",
    "bottleneck_a",
    "bottleneck_b",
    "ninety_blocks",
    "fig_4",
    "operations",
    "few_iterations",
    "complexity",
]


@pytest.fixture(scope="module")
def found(checked: Checks) -> Checked:
    """Every claim and figure."""
    return checked("PF")


def test_verdicts(found: Checked, has_data: bool) -> None:
    assert Counter(row.verdict for row in found.rows) == (VERDICTS if has_data else WITHOUT_DATA)
    assert all("\n" not in row.computed and row.computed for row in found.rows)
    assert list(found.figures) == (["fig2", "fig3", "fig4"] if has_data else [])
    assert all(axes.lines for drawn in found.figures.values() for axes in drawn)


@pytest.mark.usefixtures("hungarian")
def test_the_merges_of_fig_4(found: Checked) -> None:
    (row,) = [row for row in found.rows if row.where == "IV-C, Fig 4"]
    assert "107 merges leave 90 blocks" in row.computed


def test_what_is_about_the_data_is_not_checkable_without_them(tmp_path: Path) -> None:
    study = Study(tmp_path)
    missing = [claim for claim in PAPER.claims if claim.check.__name__ in ON_DATA]
    rows = [claim.row(PAPER.tag, study) for claim in missing]
    assert len(rows) == len(ON_DATA) == VERDICTS["matches"] + VERDICTS["refuted"] - WITHOUT_DATA["matches"]
    assert all(row.verdict == "not checkable" and "cannot be read" in row.computed for row in rows)


def test_the_smallest_counterexamples(found: Checked) -> None:
    computed = found.by_claim
    directions = next(row for claim, row in computed.items() if "nonincreasing: f(W)" in claim)
    assert directions.verdict == "misprint" and "W ⊆ Y is meant" in directions.computed
    convex = next(row for claim, row in computed.items() if claim.startswith("−y log y"))
    assert convex.verdict == "misprint"
    pairs = next(row for claim, row in computed.items() if claim.startswith("pairs are merged"))
    assert "[0 0 1 1 | 1 1 0 0]" in pairs.computed


def test_figures_need_data(tmp_path: Path) -> None:
    assert [figure.name for figure in PAPER.figures] == ["fig2", "fig3", "fig4"]
    study = Study(tmp_path)
    for figure in PAPER.figures:
        with pytest.raises(TableError):
            figure.draw(study)


# ------------------------------------------------------------------ a wrong computation shows


def test_a_wrong_g_breaks_the_theorem(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Merges.g
    monkeypatch.setattr(Merges, "g", lambda self, member: 1.01 * right(self, member))
    study = Study()
    for claim in (s3b_theorem.theorem_identity, s5_proof.leakage_of_a_merge):
        assert claim(study).verdict == "mismatch"
    assert s3b_theorem.submodular(study).verdict == "matches"  # a multiple still is


def test_a_supermodular_f_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def size(merges: Merges, member: Members) -> float:
        return -float(member.sum() ** 0.5) if member.any() else 0.0

    monkeypatch.setattr(Merges, "f", size)
    study = Study()
    assert s3b_theorem.submodular(study).verdict == "mismatch"
    assert s5_proof.utility_of_a_merge(study).verdict == "mismatch"


def test_a_counterexample_is_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    found = smallest_missed("bottleneck")
    assert found is not None and found.holds()
    wrong = replace(found, best=found.member)
    monkeypatch.setattr(s3a_algorithm, "smallest_missed", lambda _: wrong)
    assert s3a_algorithm.algorithm_descends(Study()).verdict == "mismatch"
    monkeypatch.setattr(s1_problem, "smallest_unsupported", lambda _: None)
    assert s1_problem.multipliers_reach_everything(Study()).verdict == "mismatch"


def test_a_descent_that_stops_early_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s3b_theorem, "each_block_next", lambda difference: np.ones(difference.n, bool))
    assert s3b_theorem.local_optimum(Study()).verdict == "mismatch"


def test_a_coin_that_leaks_more_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        s1_problem,
        "soft_information",
        lambda joint, p: np.array(families.soft_information(joint, p)) + 0.01 * p.shape[1],
    )
    assert s1_problem.multipliers_reach_everything(Study()).verdict == "mismatch"
    assert s3b_theorem.bottleneck_frontier(Study()).verdict == "mismatch"


def test_a_better_procedure_leaves_no_counterexample(monkeypatch: pytest.MonkeyPatch) -> None:
    def by_pairs(counted: Weights, multiplier: float, problem: Problem) -> list[Ints]:
        path = dendrogram(counted, multiplier, problem)
        sign = 1 if problem == "funnel" else -1
        stop = int(np.argmin(sign * (path.leakage - multiplier * path.utility)))
        return [path.partition(step) for step in range(stop + 1)]

    monkeypatch.setattr(s3a_algorithm, "best_subsets", by_pairs)
    assert s3a_algorithm.subsets_against_pairs(Study()).verdict == "mismatch"


def test_a_soft_gain_that_is_none_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Frontier, "gain_of", lambda *_: 0.0)
    assert s4c_complexity.soft_policies(Study()).verdict == "mismatch"


# ------------------------------------------------------------------ what the claims are measured with


def test_unsupported_points_by_hand() -> None:
    points = np.array([(0.0, 0.0), (0.6, 0.5), (1.0, 1.0)])
    assert mixed(points, 1, "funnel") == mixed(points, 1, "bottleneck") == 0.5
    assert is_unsupported(points, 1, "funnel") and not is_unsupported(points, 1, "bottleneck")
    assert not is_unsupported(points, 0, "funnel") and not is_unsupported(points, 2, "funnel")
    dominated_one = np.array([(0.0, 0.5), (0.6, 0.5), (1.0, 1.0)])
    assert not is_unsupported(dominated_one, 1, "funnel")


def test_domination_and_area_by_hand() -> None:
    points, others = np.array([(1.0, 1.0), (0.5, 0.9)]), np.array([(0.6, 1.0)])
    assert dominated(points, others, "funnel") == 0.5
    assert dominated(others, points, "bottleneck") == 0.5 * 2
    fair = families.weights(np.eye(2, dtype=np.int64))  # I(S;X) = H(X) = 1 bit
    assert area(np.array([(0.5, 1.0)]), fair, "funnel") == 0.5
    assert area(np.array([(1.0, 0.25)]), fair, "bottleneck") == 0.75
